import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from support.analysis.agreement import LabelFile
from support.analysis.embeddings import Encoder
from support.database import STUDY, open_database, transaction
from support.errors import DamagedFile, FileInUse, InvalidInput
from support.mail.journal import Inbox
from support.models.money import Budget
from support.models.replies import Cache
from support.presence import Presence
from support.runs.study import Store
from support.runs.workers import Claims
from support.seminars.journal import opened

ROW = ("k", "{}", "{}")
MAKE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL)"
INSERT = "INSERT INTO replies VALUES (?, ?, ?)"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


@pytest.fixture
def study(path):
    """A study's file with the table of replies, open."""
    opened = open_database(path)
    opened.execute(MAKE)
    yield opened
    opened.close()


def count(db):
    return db.execute("SELECT count(*) FROM replies").fetchone()[0]


def test_a_file_and_a_run_s_lock_are_nobody_else_s_from_their_first_moment(path):
    """Who opened the one before could read on in it for ever; who held the other could make a dead run look alive."""
    before = os.umask(0o022)
    try:
        with Presence(path), closing(open_database(path)):
            assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {
                0o600
            }
    finally:
        os.umask(before)


def test_every_room_s_tables_are_known_by_their_columns(tmp_path, path):
    Store(path).close()
    Cache(path).close()
    Encoder(path)._db.close()
    LabelFile(path).close()
    opened(path).close()
    Inbox(path, "run").close()
    with Presence(path) as run:
        Claims(path, run).close()
        Budget(1.0, path, "s", run).close()
    db = open_database(path)  # which refuses tables of other columns
    assert {
        row[0]
        for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    } == set(STUDY)


def others(path, *statements, mode="DELETE"):
    with closing(sqlite3.connect(path)) as db, db:
        for statement in (f"PRAGMA journal_mode = {mode}", *statements):
            db.execute(statement)


def spoilt(path):
    rows = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO replies SELECT i, "
    others(
        path, MAKE, rows + "hex(zeroblob(250)), hex(zeroblob(150)) FROM n", mode="WAL"
    )
    content = path.read_bytes()
    path.write_bytes(content[:81920] + b"\x99" * 4096 + content[86016:])


KILLED = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA cache_size = 1")
db.execute(sys.argv[2])
db.execute("BEGIN")
db.executemany("INSERT INTO replies VALUES (?, '', zeroblob(3000))", [(str(n),) for n in range(500)])
os.kill(os.getpid(), 9)
"""


def test_a_file_whose_writer_was_killed_before_it_was_in_wal_mode_is_opened_without_what_was_half_written(
    path,
):
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path), MAKE], check=False)
    assert (
        ended.returncode == -signal.SIGKILL
        and (path.parent / "study.sqlite-journal").stat().st_size
    )
    assert count(open_database(path)) == 0


def test_a_transaction_is_kept_whole_or_not_at_all(study, path):
    def interrupted():
        yield ("other", "", "")
        raise KeyboardInterrupt

    with transaction(study, path):
        study.execute(INSERT, ROW)
    with pytest.raises(KeyboardInterrupt), transaction(study, path):
        study.executemany(INSERT, interrupted())
    assert count(study) == 1 and not study.in_transaction


LIMITED = """
import resource, sys
from support.database import open_database, transaction
from support.errors import DiskFull
db = open_database(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    for number in range(100):
        with transaction(db, sys.argv[1]):
            db.execute("INSERT INTO replies VALUES (?, '', ?)", (str(number), "x" * 5000))
except DiskFull as error:
    print(number, error)
"""


def test_a_disk_that_takes_no_more_bytes_loses_nothing_that_was_committed(study, path):
    command = [sys.executable, "-c", LIMITED, str(path)]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    kept, said = told.stdout.split(" ", 1)
    assert int(kept) > 5 and "Free some space" in said
    assert count(study) == int(kept)
    with transaction(study, path):  # there is room again
        study.execute(INSERT, ROW)
    assert study.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_file_that_another_process_holds_is_said_to_be_held(study, path):
    other = open_database(path)
    other.execute("PRAGMA busy_timeout = 20")
    said = r"held by another process.*end that process"
    with (
        transaction(study, path),
        pytest.raises(FileInUse, match=said),
        transaction(other, path),
    ):
        other.execute(INSERT, ROW)
    assert count(study) == 0


LOOK = "import sys; from support.database import open_database; open_database(sys.argv[1]).close()"
HERE = """
import os, subprocess, sys
from support.database import open_database
db, second = open_database(sys.argv[1]), open_database(sys.argv[1])
for number in range(6):
    with db:
        db.execute("INSERT INTO replies VALUES (?, '', '')", (number,))
    if number == 0:
        subprocess.run([sys.executable, "-c", sys.argv[2], sys.argv[1]])
os._exit(1)
"""


def test_a_second_look_at_a_file_that_is_open_here_does_not_free_it_for_other_processes(
    study, path
):
    """What is written after another process came and went is there when this one is killed."""
    study.close()
    subprocess.run([sys.executable, "-c", HERE, str(path), LOOK], check=False)
    assert count(open_database(path)) == 6


REFUSED = {
    "a text": (lambda p: p.write_bytes(b"a text"), "not a database"),
    "a page overwritten": (spoilt, "is damaged"),
    "another's table of our name": (
        lambda p: others(p, "CREATE TABLE units (metre)"),
        "'units' has the columns metre",
    ),
    "another's, in WAL mode": (
        lambda p: others(p, "CREATE TABLE a (x)", mode="WAL"),
        "its tables are a",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_damaged_or_another_program_s_is_refused_and_left_untouched(path, what):
    make, said = REFUSED[what]
    make(path)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    with pytest.raises(DamagedFile, match=rf"study\.sqlite.*{said}.*left as it is"):
        open_database(path)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


@pytest.mark.parametrize("planted", ["", "link", "folder", "-wal", "-shm", "-journal"])
def test_what_another_account_planted_is_refused(path, tmp_path, monkeypatch, planted):
    place = tmp_path / "target" if planted == "link" else path
    place.touch()
    theirs = path.parent if planted == "folder" else path
    if planted == "link":
        path.symlink_to(place)
    elif planted.startswith("-"):
        theirs = path.with_name(f"{path.name}{planted}")
        theirs.touch()
    if os.geteuid() == 0:  # root's files are anybody's
        os.chown(theirs, 4343, -1, follow_symlinks=False)
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    with pytest.raises(InvalidInput, match="belongs to another account"):
        open_database(path)
    assert place.read_bytes() == b""
