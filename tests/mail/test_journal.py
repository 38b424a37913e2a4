"""What arrived, each message once, and the same again on every day that is looked at twice; and mails as files."""

import asyncio
import os

import pytest

from support.errors import InvalidInput, NotSent
from support.mail.composing import compose
from support.mail.journal import Inbox
from support.mail.letters import RAW, Fetched
from support.mail.mailbox import FolderMailbox
from support.mail.matching import Match

REPLY = Match("reply", "ana", 3, "in-reply-to")
QUARANTINE = Match("quarantine", reason="nobody knows the sender")


@pytest.fixture
def inbox(tmp_path):
    made = Inbox(tmp_path / "study.sqlite", "run")
    yield made
    made.close()


def fetched(number, raw=b"Yes", validity=1):
    return Fetched(f"{validity}.{number}", raw + b" %d" % number, len(raw) + 2)


def keep(inbox, message, found=REPLY, day=2, own="", **more):
    return inbox.keep(
        message, found, message_id=own or f"<{message.key}@x>", day=day, **more
    )


def test_a_day_s_messages_come_in_the_order_in_which_they_arrived_again_and_again(
    inbox, tmp_path
):
    for number, day in ((2, 5), (1, 5), (3, 6)):
        assert keep(inbox, fetched(number), day=day)
    first = inbox.of_day(5)
    assert [one.fetched for one in first] == [fetched(2), fetched(1)]
    assert (first[0].kind, first[0].person, first[0].mail, inbox.last()) == (
        "reply",
        "ana",
        3,
        "1.3",
    )
    again = Inbox(tmp_path / "study.sqlite", "run")
    assert again.of_day(5) == first and [one.key for one in again.of_day(6)] == ["1.3"]
    again.close()


def test_a_message_is_kept_once_also_where_its_folder_is_numbered_anew(inbox):
    assert keep(inbox, fetched(1), own="<a@x>")
    assert not keep(
        inbox, Fetched("1.1", b"the server words it otherwise now", 3), day=3
    )
    assert not keep(inbox, fetched(1, validity=2), own="<a@x>", day=3)
    assert [one.day for one in inbox.all()] == [2] and inbox.of_day(3) == []
    assert keep(
        inbox, fetched(1, b"No", validity=2), own="<a@x>", day=3
    )  # it only names itself so


def test_what_is_held_waits_for_a_person(inbox):
    keep(inbox, fetched(1), QUARANTINE)
    keep(inbox, fetched(2), hold="it asks for a mail to somebody else")
    keep(inbox, fetched(3))
    inbox.hold("1.3", "they were taken off")
    reasons = [
        QUARANTINE.reason,
        "it asks for a mail to somebody else",
        "they were taken off",
    ]
    assert (
        [one.reason for one in inbox.held()] == reasons
        and inbox.waiting() == 3
        and inbox.of_day(2) == []
    )
    released = inbox.release("1.1", "ben", 4, mail=7)
    assert (released.kind, released.person, released.mail, released.status) == (
        "reply",
        "ben",
        7,
        "released",
    )
    assert inbox.drop("1.2").status == "dropped"
    assert (
        inbox.of_day(4) == [released]
        and inbox.of_day(2) == []
        and len(inbox.held()) == 1
    )
    assert [one.raw for one in inbox.all()] == [b"Yes 1", b"Yes 2", b"Yes 3"]
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
    assert list(box.outbox.iterdir()) == []
    said = asyncio.run(box.send("ana@example.org", compose(outgoing())))
    (file,) = box.outbox.iterdir()
    assert (
        str(file) in said
        and file.suffix == ".eml"
        and file.read_bytes() == compose(outgoing())
    )


@pytest.mark.parametrize(
    "own",
    [b"<../../../etc/passwd@x>", b"", b"<\xff\x00@x>", b"<" + b"a" * 9000 + b"@x>"],
)
def test_no_message_id_leads_out_of_the_folder(box, own, tmp_path):
    asyncio.run(
        box.send("ana@example.org", b"Message-ID: " + own + b"\r\n\r\nHello\r\n")
    )
    assert (
        len([path for path in tmp_path.rglob("*") if path.is_file()])
        == len(list(box.outbox.iterdir()))
        == 1
    )


def test_replies_are_the_files_that_somebody_put_there_oldest_first_known_by_what_is_in_them(
    box,
):
    put(box, "a.eml", b"young", age=1)
    put(box, "b.EML", b"x" * 5_000_000, age=9)
    put(box, "notes.txt", b"no mail", age=5)
    (box.inbox / "folder.eml").mkdir()
    found = asyncio.run(box.fetch())
    assert [(message.raw, message.size) for message in found] == [
        (b"x" * RAW, 5_000_000),
        (b"young", 5),
    ]
    (box.inbox / "a.eml").rename(box.inbox / "c.eml")
    assert asyncio.run(box.fetch(found[-1].key)) == found
    put(box, "c.eml", b"no", age=1)
    assert asyncio.run(box.fetch())[-1].key != found[-1].key
