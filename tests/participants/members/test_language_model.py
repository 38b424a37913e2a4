"""A member whom a model plays: the persona it is told, and what it may answer."""

import asyncio

import pytest

from support.environments.meetings.company import COLLABORATOR, TEAMMATE, Profile
from support.environments.meetings.meeting import Meeting
from support.environments.meetings.views import Chat
from support.participants.members.language_model import LanguageModelMember
from support.records import Turn

PROFILE = Profile("Dev", "Engineer", "Ben", 2, ("the secret firmware",), "Europe/London")
PRIVATE = "Dev likes mornings, above all before ten."
MEETING = Meeting(
    "M1", "Ina", ("Ana", "Dev"), "Trial", "2026-02-16", 60, "Let us meet on Monday.", "2026-02-10T09:00-05:00",
    "America/New_York",
)  # fmt: skip
CHAT = Chat("Dev", MEETING, 1, turns=(Turn("assistant", "When does it suit you?"),))


@pytest.fixture
def member(overheard):
    """A function to a member whose model gives these replies, and the messages that the model was given."""

    def seat(*replies, profile=PROFILE, relations=None):
        model, heard = overheard(*replies, name="tiny")
        known = {TEAMMATE: ("Tia", "Tom"), COLLABORATOR: ("Col",)} if relations is None else relations
        return LanguageModelMember(profile, PRIVATE, known, model), heard

    return seat


def test_the_persona_holds_role_manager_colleagues_and_private_text_but_no_responsibility(member):
    text = member()[0].briefing(CHAT)
    for part in ("You are Dev, Engineer", "You report to Ben.", "teammates: Tia, Tom.", "work with Col.", PRIVATE):
        assert part in text
    assert "firmware" not in text
    assert "Let us meet on Monday." in text and "Monday 16 February 2026" in text


def test_a_member_on_another_clock_is_told_the_difference(member):
    assert "yours is 5 hours ahead of that of Ina" in member()[0].briefing(CHAT)
    here = Profile("Dev", "Engineer", None, 5, (), "America/New_York")
    text = member(profile=here, relations={})[0].briefing(CHAT)
    assert "clock" not in text.split("# How you answer")[0] and "report" not in text and "teammates" not in text


def test_it_answers_the_last_turn_and_counts_its_replies(member):
    me, heard = member({"text": " I prefer\nmornings. "})
    assert asyncio.run(me.answer(CHAT)) == "I prefer mornings."
    assert "assistant: When does it suit you?" in heard[0][1]["content"] and heard[0][0]["role"] == "system"
    assert (me.replies, me.kind) == (1, "model tiny")


def test_an_answer_without_words_goes_back_to_the_model(member):
    me, heard = member({"text": "  "}, {"text": "Any time."})
    assert asyncio.run(me.answer(CHAT)) == "Any time."
    assert "expected words" in heard[1][-1]["content"]
