"""Claims: a unit is at work in one run at a time, and a dead run holds nothing."""

import signal
import subprocess
import sys
from contextlib import ExitStack, closing

import pytest

from support.presence import Presence
from support.runs.study import Unit
from support.runs.sweep import Claims

UNIT, OTHER = Unit("s", "{}", 0), Unit("s", "{}", 1)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


def test_a_unit_is_claimed_once_and_again_when_it_was_given_back(path):
    with ExitStack() as stack:
        runs = [stack.enter_context(Presence(path)) for _ in range(2)]
        ours, theirs = (stack.enter_context(closing(Claims(path, run))) for run in runs)
        assert ours.take(UNIT) and ours.take(UNIT) and not theirs.take(UNIT) and theirs.take(OTHER)
        ours.free(UNIT)
        assert theirs.take(UNIT)


def test_a_run_that_ends_gives_back_what_it_holds(path):
    with Presence(path) as first, Presence(path) as second:
        Claims(path, first).close()
        ours = Claims(path, first)
        assert ours.take(UNIT)
        ours.close()
        with closing(Claims(path, second)) as theirs:
            assert theirs.take(UNIT)


def test_the_claim_of_a_killed_process_is_free(path):
    code = (
        "import sys, time\nfrom support.runs.sweep import Claims\nfrom support.presence import Presence\n"
        "from support.runs.study import Unit\npresence = Presence(sys.argv[1]).__enter__()\n"
        "assert Claims(sys.argv[1], presence).take(Unit('s', '{}', 0))\nprint('claimed', flush=True)\ntime.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "claimed\n"
        with Presence(path) as presence, closing(Claims(path, presence)) as ours:
            assert not ours.take(UNIT)
            other.send_signal(signal.SIGKILL)
            other.wait()
            assert ours.take(UNIT)
