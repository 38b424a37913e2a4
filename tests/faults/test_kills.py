"""SIGKILL at any moment: the sweep ends as if nothing had happened, and no reply that was kept is asked for again."""

import random

import debate
import killing
import looking
import pytest

UNITS, WAIT = 8, 20
NONE = ("not_in_flight", "asked_though_kept", "replies_gone", "replies_changed", "damaged", "missing")


@pytest.fixture(scope="module")
def whole(faulty, tmp_path_factory):
    """The sweep done in one go: its export, and the seconds that it took."""
    path = tmp_path_factory.mktemp("whole") / "s.sqlite"
    seconds = killing.uninterrupted(path, faulty.url("whole", wait=WAIT), UNITS)
    return looking.exported(path), seconds


@pytest.mark.parametrize("processes", [1, 2])
def test_a_sweep_that_is_killed_again_and_again_ends_as_if_it_were_not(faulty, tmp_path, whole, processes):
    run, path, draw = f"killed{processes}", tmp_path / "s.sqlite", random.Random(processes)
    url = faulty.url(run, wait=WAIT)
    seen = killing.killed(faulty, run, path, UNITS, whole[1], draw, processes=processes, most=3, url=url)
    assert {name: getattr(seen, name) for name in NONE} == dict.fromkeys(NONE, 0), seen
    assert seen.paid_twice <= seen.kills * 2 * 4  # two calls of each of four units are in flight at most
    assert looking.exported(path) == whole[0]


def test_a_process_that_ends_does_not_take_the_file_from_one_that_is_at_work(faulty, tmp_path):
    """A process must not lose the locks of one connection by opening another: what it writes would be nobody's."""
    path, most = tmp_path / "s.sqlite", 2
    slow = killing.started(path, faulty.url("beside", wait=300), UNITS, {"concurrency": most})
    killing.wait_for(faulty, "beside", 4)
    killing.opened_and_closed(path)
    answered = killing.wait_for(faulty, "beside", 6 + len(looking.told(faulty, "beside")))
    slow.kill()
    slow.join()
    held = {question for question, _ in looking.kept(path).values()}
    assert len(answered) < UNITS * debate.CALLS  # it was at work to the end
    assert len(answered - held) <= most
