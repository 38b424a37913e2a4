import os
import subprocess
import sys
import threading
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


@pytest.fixture
def holder(path):
    """Another process at work on the file, and its run."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], **pipes)
    yield process, process.stdout.readline().strip()
    process.kill()
    process.communicate()


def locks(path):
    return [file.name for file in path.parent.iterdir() if file.suffix == ".lock"]


def test_a_run_is_at_work_while_it_is_held_and_leaves_nothing_behind_even_after_an_error(path):
    with suppress(KeyError), Presence(path) as one, Presence(path) as two:
        assert one.alive(one.run) and one.alive(two.run) and two.alive(one.run)
        assert one.others() == [two.run] != [one.run] and len(locks(path)) == 2
        raise KeyError
    assert locks(path) == []
    with Presence(path) as other:
        assert not other.alive(one.run) and not other.alive("0123456789ab") and other.others() == []


@pytest.mark.parametrize("looks_around", [False, True])
def test_a_process_is_at_work_until_it_is_killed_and_its_lock_is_then_removed(path, holder, looks_around):
    process, run = holder
    with Presence(path) as presence:
        assert presence.alive(run) and presence.others() == [run]
        process.kill()
        process.wait()
        assert (presence.others() == []) if looks_around else not presence.alive(run)
        assert locks(path) == [f"study.sqlite.run-{presence.run}.lock"]


def test_nobody_else_can_hold_a_run_s_lock_and_make_a_dead_run_look_alive(path):
    before = os.umask(0o022)
    try:
        with Presence(path):
            assert {path.with_name(name).stat().st_mode & 0o777 for name in locks(path)} == {0o600}
    finally:
        os.umask(before)


def test_a_file_is_known_by_its_place_whatever_its_name(path, monkeypatch):
    with Presence(path) as here, Presence(path.with_name("study.sqlite.run-x")) as there:
        assert here.others() == there.others() == []
    monkeypatch.chdir(path.parent)
    for name, again in ((path, "study.sqlite"), (path.with_name("a*b.sqlite"), "a*b.sqlite")):
        with Presence(name) as one, Presence(again) as two:
            assert one.others() == [two.run]


def test_who_is_at_work_is_never_taken_for_dead_while_others_come_and_go_and_look(path):
    wrong, over = [], threading.Event()

    def look(presence, others):
        while not over.is_set():
            presence.others()
            wrong.extend(run for run in others if not presence.alive(run))

    with Presence(path) as one, Presence(path) as two:
        threads = [threading.Thread(target=look, args=(a, [b.run])) for a, b in ((one, two), (two, one))]
        for thread in threads:
            thread.start()
        try:
            for _ in range(40):
                with Presence(path) as guest:
                    wrong.extend(run for run in (one.run, two.run) if not guest.alive(run))
                    assert one.alive(guest.run)
        finally:
            over.set()
            for thread in threads:
                thread.join()
    assert wrong == locks(path) == []


def test_a_presence_may_be_ended_in_another_thread(path):
    presence = Presence(path).__enter__()
    thread = threading.Thread(target=presence.__exit__)
    thread.start()
    thread.join()
    with Presence(path) as other:
        assert not other.alive(presence.run)
