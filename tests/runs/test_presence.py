import subprocess
import sys
from contextlib import suppress

import pytest

from support.presence import Presence

HOLDER = """
import sys
from support.presence import Presence

with Presence(sys.argv[1]) as presence:
    print(presence.run, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


def locks(path):
    return [file.name for file in path.parent.iterdir() if file.suffix == ".lock"]


def test_a_run_is_at_work_while_it_is_held_and_leaves_nothing_behind_even_after_an_error(
    path,
):
    with suppress(KeyError), Presence(path) as one, Presence(path) as two:
        assert one.alive(one.run) and one.alive(two.run) and two.alive(one.run)
        assert one.others() == [two.run] != [one.run] and len(locks(path)) == 2
        raise KeyError
    assert locks(path) == []
    with Presence(path) as other:
        assert (
            not other.alive(one.run)
            and not other.alive("0123456789ab")
            and other.others() == []
        )


@pytest.mark.parametrize("looks_around", [False, True])
def test_a_process_is_at_work_until_it_is_killed_and_its_lock_is_then_removed(
    path, looks_around
):
    pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    command = [sys.executable, "-c", HOLDER, str(path)]
    started = subprocess.Popen(command, text=True, **pipes)
    with started as process, Presence(path) as presence:
        run = process.stdout.readline().strip()
        assert presence.alive(run) and presence.others() == [run]
        process.kill()
        process.wait()
        assert (presence.others() == []) if looks_around else not presence.alive(run)
        assert locks(path) == [f"study.sqlite.run-{presence.run}.lock"]
