"""Mails as files: whole or not at all, and nobody's name leads out of the folder."""

import asyncio
import os

import pytest

from support.errors import NotSent
from support.mail.composing import compose
from support.mail.letters import RAW
from support.mail.mailbox import FOLDER, FolderMailbox


@pytest.fixture
def box(tmp_path):
    return FolderMailbox(tmp_path / "mails")


def send(box, message, recipient="ana@example.org"):
    return asyncio.run(box.send(recipient, message))


def put(box, name, content, age):
    (box.inbox / name).write_bytes(content)
    os.utime(box.inbox / name, (1_700_000_000 - age,) * 2)


def test_a_mail_is_a_file_of_exactly_its_bytes(box, outgoing):
    said = send(box, compose(outgoing()))
    (file,) = box.outbox.iterdir()
    assert box.kind == FOLDER and str(file) in said and file.suffix == ".eml"
    assert file.read_bytes() == compose(outgoing())


@pytest.mark.parametrize(
    "own", [b"<../../../etc/passwd@x>", b"<a/b\\c@x>", b"", b"<\xff\x00@x>", b"<" + b"a" * 9000 + b"@x>"]
)
def test_no_message_id_leads_out_of_the_folder(box, own, tmp_path):
    send(box, b"Message-ID: " + own + b"\r\n\r\nHello\r\n")
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == len(list(box.outbox.iterdir())) == 1


def test_a_file_that_cannot_be_written_is_a_mail_that_was_not_sent(box, outgoing, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(NotSent, match=r"ana@example\.org.*No space"):
        send(box, compose(outgoing()))
    assert list(box.outbox.iterdir()) == []


def test_replies_are_the_files_that_somebody_put_there_oldest_first(box):
    put(box, "a.eml", b"young", age=1)
    put(box, "b.EML", b"old", age=9)
    put(box, "notes.txt", b"no mail", age=5)
    (box.inbox / "folder.eml").mkdir()
    found = asyncio.run(box.fetch())
    assert [(message.raw, message.size) for message in found] == [(b"old", 3), (b"young", 5)]
    assert asyncio.run(box.fetch(found[-1].key)) == found


def test_a_reply_is_known_by_what_is_in_it(box):
    put(box, "a.eml", b"yes", age=1)
    (first,) = asyncio.run(box.fetch())
    (box.inbox / "a.eml").rename(box.inbox / "b.eml")
    assert asyncio.run(box.fetch()) == [first]
    put(box, "b.eml", b"no", age=1)
    assert asyncio.run(box.fetch())[0].key != first.key


def test_of_a_large_file_only_the_beginning_is_read(box):
    put(box, "a.eml", b"x" * 5_000_000, age=1)
    (found,) = asyncio.run(box.fetch())
    assert len(found.raw) == RAW and found.size == 5_000_000
