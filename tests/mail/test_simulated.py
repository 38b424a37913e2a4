"""The mailbox in memory."""

import asyncio

import pytest

from support.errors import FateUnknown, NotSent
from support.mail.letters import RAW
from support.mail.mailbox import SIMULATED
from support.mail.simulated import SimulatedMailbox


def test_it_takes_every_mail_and_shows_what_was_delivered():
    box = SimulatedMailbox()
    asyncio.run(box.send("ana@example.org", b"Hello"))
    assert box.kind == SIMULATED and box.sent == [("ana@example.org", b"Hello")]
    keys = [box.deliver(b"Yes"), box.deliver(b"x" * 300_000)]
    found = asyncio.run(box.fetch())
    assert [message.key for message in found] == keys
    assert [(len(message.raw), message.size) for message in found] == [(3, 3), (RAW, 300_000)]
    assert asyncio.run(box.fetch(keys[0])) == found[1:] and asyncio.run(box.fetch("another's")) == found


def test_a_mail_that_meets_a_fault_is_not_taken():
    box = SimulatedMailbox([None, NotSent("no"), FateUnknown("?")])
    asyncio.run(box.send("ana@example.org", b"1"))
    for fault in (NotSent, FateUnknown):
        with pytest.raises(fault):
            asyncio.run(box.send("ana@example.org", b"2"))
    asyncio.run(box.send("ana@example.org", b"3"))
    assert [message for _, message in box.sent] == [b"1", b"3"]


def test_the_same_messages_get_the_same_keys():
    one, two = SimulatedMailbox(), SimulatedMailbox()
    assert [one.deliver(text) for text in (b"a", b"b")] == [two.deliver(text) for text in (b"a", b"b")]
