"""A function at the desk plays the days of a seminar, but approves no real mail."""

import asyncio
from datetime import date

import pytest

from support.errors import InvalidInput
from support.mail.credentials import MailServers
from support.mail.mailbox import SimulatedMailbox
from support.seminar.checkpoints import ALWAYS
from support.seminars.answering import approves, play_day, play_days
from support.seminars.seminar import Seminar


def test_days_are_played_as_many_as_are_asked_for_and_then_to_the_end(path, begun):
    begun()

    async def go():
        with Seminar(path, "spring") as seminar:
            assert [day.number for day in await play_days(seminar, 2)] == [1, 2]
        with Seminar(path, "spring") as seminar:
            assert len(await play_days(seminar, 1)) == 3, "one more than there were, after a restart too"
            await play_days(seminar)
            assert seminar.over

    asyncio.run(go())


def test_an_error_in_the_function_ends_the_day_and_it_is_taken_up_where_it_was(path, begun):
    begun(delegation=ALWAYS)
    seen = []

    def leaves(question):
        seen.append((question.phase, question.view.about))
        if len(seen) == 3:
            raise KeyError("gone")
        return approves(question)

    async def go():
        with Seminar(path, "spring") as seminar, pytest.raises(KeyError):
            await play_day(seminar, leaves)
        with Seminar(path, "spring") as seminar:
            return await play_day(seminar, leaves)

    assert asyncio.run(go()).number == 1
    assert seen[3] == seen[2] and len(set(seen)) == len(seen) - 1


def test_no_function_approves_real_mail(path, begun):
    servers = MailServers("smtp.x.example", "imap.x.example", "organiser@x.example")
    begun(mode="live", servers=servers, allowed=("ngozi.tarrant@example.org",), daily_limit=3,
          unchecked_senders=True)  # fmt: skip
    mailbox = SimulatedMailbox()

    async def go():
        told = pytest.raises(InvalidInput, match="a person at the desk approves")
        with Seminar(path, "spring", mailbox=mailbox, today=lambda: date(2027, 8, 16)) as seminar, told:
            await play_day(seminar)

    asyncio.run(go())
    assert mailbox.sent == []
