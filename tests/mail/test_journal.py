"""What arrived, each message once, and the same again on every day that is looked at twice;
and mails as files."""

import asyncio
import os

import pytest

from support.errors import InvalidInput, NotSent
from support.mail.composing import compose
from support.mail.journal import Inbox
from support.mail.letters import RAW, Fetched
from support.mail.mailbox import FolderMailbox
from support.mail.matching import Match

REPLY = Match("ana", 3)
DOUBTFUL = Match(why="nobody knows the sender")


@pytest.fixture
def inbox(tmp_path):
    made = Inbox(tmp_path / "study.sqlite", "run")
    yield made
    made.close()


def keep(inbox, key, found=REPLY, day=2, own="", raw=b"Yes"):
    message = Fetched(key, raw, len(raw))
    return inbox.keep(message, found, message_id=own or f"<{key}@x>", day=day)


def test_a_day_s_messages_come_in_the_order_in_which_they_arrived_again_and_again(
    inbox, tmp_path
):
    for key, day in (("1.2", 5), ("1.1", 5), ("1.3", 6)):
        assert keep(inbox, key, day=day)
    first = inbox.of_day(5)
    assert [(one.key, one.person, one.mail) for one in first] == [
        ("1.2", "ana", 3),
        ("1.1", "ana", 3),
    ]
    assert inbox.last() == "1.3"
    again = Inbox(tmp_path / "study.sqlite", "run")
    assert again.of_day(5) == first and [one.key for one in again.of_day(6)] == ["1.3"]
    again.close()


def test_a_message_is_kept_once_also_where_its_folder_is_numbered_anew(inbox):
    assert keep(inbox, "1.1", own="<a@x>")
    assert not keep(inbox, "1.1", raw=b"the server words it otherwise now")
    assert not keep(inbox, "2.1", own="<a@x>", day=3)
    assert inbox.of_day(3) == []
    assert keep(inbox, "2.2", own="<a@x>", raw=b"No", day=3), "it only names itself so"


def test_what_is_held_waits_for_a_person(inbox):
    for key, found in (("1.1", DOUBTFUL), ("1.2", DOUBTFUL), ("1.3", REPLY)):
        keep(inbox, key, found)
    inbox.hold("1.3", "they were taken off")
    whys = [DOUBTFUL.why, DOUBTFUL.why, "they were taken off"]
    assert [one.why for one in inbox.held()] == whys and not inbox.of_day(2)
    released = inbox.release("1.1", "ben", 4)
    assert (released.person, released.status) == ("ben", "released")
    assert inbox.drop("1.2").status == "dropped"
    assert inbox.of_day(4) == [released] and len(inbox.held()) == 1
    for key in ("1.1", "1.2", "1.9"):
        for settle in (inbox.drop, lambda key: inbox.release(key, "ben", 5)):
            with pytest.raises(InvalidInput, match="held"):
                settle(key)


@pytest.fixture
def box(tmp_path):
    return FolderMailbox(tmp_path / "mails")


def put(box, name, content, age):
    (box.inbox / name).write_bytes(content)
    os.utime(box.inbox / name, (1_700_000_000 - age,) * 2)


def test_a_mail_is_a_file_of_exactly_its_bytes_or_is_not_sent(
    box, outgoing, monkeypatch
):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(NotSent, match=r"ana@example\.org.*No space"):
            asyncio.run(box.send("ana@example.org", compose(outgoing())))
    assert not [*box.outbox.iterdir()]
    for _ in range(2):  # a resumed run sends it once more
        said = asyncio.run(box.send("ana@example.org", compose(outgoing())))
    (file,) = box.outbox.iterdir()
    assert str(file) in said and file.suffix == ".eml"
    assert file.read_bytes() == compose(outgoing())
    assert box.outbox.parent.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600


def test_replies_are_the_files_that_somebody_put_there_oldest_first(box):
    put(box, "a.eml", b"young", age=1)
    put(box, "b.EML", b"x" * 5_000_000, age=9)
    put(box, "notes.txt", b"no mail", age=5)
    (box.inbox / "folder.eml").mkdir()
    found = asyncio.run(box.fetch())
    large, young = (b"x" * RAW, 5_000_000), (b"young", 5)
    assert [(message.raw, message.size) for message in found] == [large, young]
    (box.inbox / "a.eml").rename(box.inbox / "c.eml")
    assert asyncio.run(box.fetch(found[-1].key)) == found, "known by what is in them"
    put(box, "c.eml", b"no", age=1)
    assert asyncio.run(box.fetch())[-1].key != found[-1].key
