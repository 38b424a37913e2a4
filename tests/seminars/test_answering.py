"""A function at the desk plays the days of a seminar, but approves no real mail."""

import asyncio
from datetime import date

import pytest
from lines import World, live_setup

from support.errors import InvalidInput
from support.seminar.checkpoints import ALWAYS
from support.seminars.answering import approves, play_day
from support.seminars.journal import begin
from support.seminars.seminar import Seminar


def test_an_error_in_the_function_ends_the_day_opening_asks_nothing_and_it_is_taken_up_where_it_was(
    path, begun
):
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
            before = seminar.journal.entries()
            await seminar.open()
            assert (
                seminar.running
                and seminar.questions.empty()
                and seminar.journal.entries() == before
            )
            assert seminar.next_day == seminar.day == 1
            return await play_day(seminar, leaves)

    assert asyncio.run(go()).number == 1
    assert seen[3] == seen[2] and len(set(seen)) == len(seen) - 1


def test_no_function_approves_real_mail(path):
    begin(path, "spring", live_setup().to_json())
    with (
        Seminar(
            path, "spring", mailbox=(world := World()), today=lambda: date(2027, 8, 16)
        ) as seminar,
        pytest.raises(InvalidInput, match="a person at the desk approves"),
    ):
        asyncio.run(play_day(seminar))
    assert world.sent == []
