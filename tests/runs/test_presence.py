import subprocess
import sys
import threading

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
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield process, process.stdout.readline().strip()
    process.kill()
    process.communicate()


def locks(path):
    return [file.name for file in path.parent.iterdir() if file.suffix == ".lock"]


def test_a_run_is_at_work_while_it_is_held_and_leaves_nothing_behind(path):
    with Presence(path) as one, Presence(path) as two:
        assert one.run != two.run
        assert one.alive(one.run) and one.alive(two.run) and two.alive(one.run)
        assert one.others() == [two.run]
        assert len(locks(path)) == 2
    assert locks(path) == []
    with Presence(path) as other:
        assert not other.alive(one.run)
        assert other.others() == []


def test_an_error_within_ends_the_presence_too(path):
    with pytest.raises(KeyError), Presence(path):
        raise KeyError
    assert locks(path) == []


def test_a_run_that_never_was_is_not_at_work(path):
    with Presence(path) as presence:
        assert not presence.alive("0123456789ab")
    assert locks(path) == []


def test_a_process_is_at_work_until_it_is_killed_and_its_lock_is_then_removed(path, holder):
    process, run = holder
    with Presence(path) as presence:
        assert presence.alive(run)
        assert presence.others() == [run]
        process.kill()
        process.wait()
        assert not presence.alive(run)
        assert presence.others() == []
        assert locks(path) == [f"study.sqlite.run-{presence.run}.lock"]


def test_what_a_killed_process_left_is_removed_by_whoever_looks_around(path, holder):
    process, _ = holder
    process.kill()
    process.wait()
    with Presence(path) as presence:
        assert presence.others() == []
        assert len(locks(path)) == 1


def test_runs_on_a_neighbouring_file_are_no_others(path):
    with Presence(path) as here, Presence(path.with_name("study.sqlite.run-x")) as there:
        assert here.others() == []
        assert there.others() == []


def test_a_file_may_have_a_star_in_its_name(tmp_path):
    with Presence(tmp_path / "a*b.sqlite") as one, Presence(tmp_path / "a*b.sqlite") as two:
        assert one.others() == [two.run]


def test_another_name_of_the_same_file_is_the_same_file(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Presence(path) as one, Presence("study.sqlite") as two:
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
            for _ in range(200):
                with Presence(path) as guest:
                    wrong.extend(run for run in (one.run, two.run) if not guest.alive(run))
                    assert one.alive(guest.run)
        finally:
            over.set()
            for thread in threads:
                thread.join()
    assert wrong == []
    assert locks(path) == []


def test_a_presence_may_be_ended_in_another_thread(path):
    presence = Presence(path)
    presence.__enter__()
    thread = threading.Thread(target=presence.__exit__)
    thread.start()
    thread.join()
    with Presence(path) as other:
        assert not other.alive(presence.run)
