"""Claims: a unit is at work in one run at a time, and a dead run holds nothing."""

import subprocess
import sys
from contextlib import ExitStack, closing

from support.presence import Presence
from support.runs.study import Unit
from support.runs.work import Claims

UNIT, OTHER = Unit("s", "{}", 0), Unit("s", "{}", 1)
HOLDER = """
import sys, time
from support.presence import Presence
from support.runs.study import Unit
from support.runs.work import Claims
presence = Presence(sys.argv[1]).__enter__()
assert Claims(sys.argv[1], presence).take(Unit("s", "{}", 0))
print("claimed", flush=True)
time.sleep(60)
"""


def test_a_unit_is_claimed_once_and_again_when_it_was_given_back_or_its_run_has_ended(tmp_path):
    path = tmp_path / "study.sqlite"
    with ExitStack() as stack:
        runs = [stack.enter_context(Presence(path)) for _ in range(2)]
        ours, theirs = Claims(path, runs[0]), stack.enter_context(closing(Claims(path, runs[1])))
        assert ours.take(UNIT) and ours.take(UNIT) and not theirs.take(UNIT) and theirs.take(OTHER)
        ours.free(UNIT)
        theirs.free(OTHER)
        assert theirs.take(UNIT) and ours.take(OTHER) and not theirs.take(OTHER)
        ours.close()
        assert theirs.take(OTHER)


def test_the_claim_of_a_killed_process_is_free(tmp_path):
    path = tmp_path / "study.sqlite"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "claimed\n"
        with Presence(path) as presence, closing(Claims(path, presence)) as ours:
            assert not ours.take(UNIT)
            other.kill()
            other.wait()
            assert ours.take(UNIT)
