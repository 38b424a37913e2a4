import sqlite3
import threading

import pytest

from support.database import open_database
from support.errors import DamagedFile, InvalidInput


def test_a_new_file_is_made_with_its_folders_in_wal_mode(tmp_path):
    connection = open_database(tmp_path / "runs" / "2026" / "study.sqlite")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert (tmp_path / "runs" / "2026" / "study.sqlite").exists()


def test_what_is_committed_is_there_when_opened_again(tmp_path):
    first = open_database(tmp_path / "study.sqlite")
    with first:
        first.execute("CREATE TABLE t (x)")
        first.execute("INSERT INTO t VALUES (1)")
    assert open_database(tmp_path / "study.sqlite").execute("SELECT x FROM t").fetchall() == [(1,)]


@pytest.mark.parametrize("content", [b"a text", b"SQLite format 3\x00" + b"\xff" * 4096, b"\x00" * 5000])
def test_a_file_that_is_no_database_is_named_and_left_untouched(tmp_path, content):
    path = tmp_path / "notes.sqlite"
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match=r"notes\.sqlite.*another path.*move"):
        open_database(path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["notes.sqlite"]


def test_an_empty_file_becomes_a_study(tmp_path):
    (tmp_path / "study.sqlite").touch()
    assert open_database(tmp_path / "study.sqlite").execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_folder_or_a_file_in_the_way_is_an_input_error(tmp_path):
    (tmp_path / "file").write_text("x")
    for path in (tmp_path, tmp_path / "file" / "study.sqlite"):
        with pytest.raises(InvalidInput, match="cannot open"):
            open_database(path)


def test_another_thread_may_use_the_connection(tmp_path):
    connection, seen = open_database(tmp_path / "study.sqlite"), []
    thread = threading.Thread(target=lambda: seen.append(connection.execute("SELECT 1").fetchone()))
    thread.start()
    thread.join()
    assert seen == [(1,)]


def test_a_reader_does_not_wait_for_a_writer(tmp_path):
    writer, reader = (open_database(tmp_path / "study.sqlite") for _ in range(2))
    with writer:
        writer.execute("CREATE TABLE t (x)")
    writer.execute("INSERT INTO t VALUES (1)")  # an open transaction
    reader.execute("PRAGMA busy_timeout = 0")
    assert reader.execute("SELECT count(*) FROM t").fetchone() == (0,)
    with pytest.raises(sqlite3.OperationalError):
        reader.execute("INSERT INTO t VALUES (2)")
