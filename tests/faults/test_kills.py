"""SIGKILL at any moment: the sweep ends as if nothing had happened, and no reply that was kept is asked for again."""

import random

import debate
import killing
from looking import exported

UNITS = 8


def test_a_sweep_that_is_killed_again_and_again_ends_as_if_it_were_not(faulty, tmp_path):
    debate.run(tmp_path / "whole.sqlite", faulty.url("whole"), UNITS)
    assert not killing.killed(faulty, "killed", tmp_path / "s.sqlite", UNITS, 0.8, random.Random(1))
    assert exported(tmp_path / "s.sqlite") == exported(tmp_path / "whole.sqlite")
