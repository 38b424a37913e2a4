"""Who takes a member's seat."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

from support.environments.meetings.company import Company, Private, Profile
from support.environments.meetings.meeting import Meeting
from support.environments.meetings.preferences import Notice, Weekdays, Window, situation
from support.environments.meetings.views import Chat
from support.errors import InvalidInput
from support.models.fakes import scripted
from support.participants.members.human import HumanMember
from support.participants.members.rule_based import STYLES
from support.participants.members.seating import seat_members
from support.records import Turn

ZONE = "Europe/Berlin"
MEETING = Meeting("m1", "Olu", ("Ana", "Ben"), "Budget", "2026-02-16", 60, "Hi", "2026-02-13T09:00+01:00", ZONE)
WANTED, STRICT = (Window(start="14:00", end="16:00"), Notice(hours=48)), (Weekdays(2, ("Tuesday",)),)


def said(who):
    """All that a member says in a first round."""
    turns = []
    for question in ("When?", "Anything else?", "Anything else?"):
        turns.append(Turn("assistant", question))
        turns.append(Turn("Ana", asyncio.run(who.answer(Chat("Ana", MEETING, 1, turns=tuple(turns))))))
    return [turn.text for turn in turns if turn.speaker == "Ana"]


def scenario():
    """Three people: the organiser and two members with preferences of their own."""
    people = [("Olu", None), ("Ana", "Olu"), ("Ben", "Olu")]
    company = Company(tuple(Profile(n, "Analyst", m, 3, ("Counts beans",), ZONE) for n, m in people), (MEETING,))
    private = {"Ana": Private(("Mornings.",), WANTED), "Ben": Private(("No Mondays.",), STRICT)}
    return SimpleNamespace(
        company=company,
        meeting=MEETING,
        private=private,
        members=MEETING.members,
        situation=lambda who, start: situation(start, 60, MEETING.sent_at, ZONE),
    )


def seated(seats, seed=0, **more):
    return seat_members(scenario(), seats, np.random.default_rng(seed), **more)


def test_seats_are_filled_by_style_list_or_name():
    assert {n: s.kind for n, s in seated("terse").items()} == dict.fromkeys(("Ana", "Ben"), "rule-based terse")
    assert [s.kind for s in seated(["vague", "chatty"]).values()] == ["rule-based vague", "rule-based chatty"]
    assert list(seated({"Ben": "plain", "Ana": "plain"})) == ["Ana", "Ben"]
    drawn = {s.kind.split()[1] for seed in range(40) for s in seated("mixed", seed).values()}
    assert drawn == set(STYLES)


def test_each_seat_holds_its_own_preferences_and_never_the_responsibilities():
    seats = seated("plain")
    assert (seats["Ana"].preferences, seats["Ben"].preferences) == (WANTED, STRICT)
    for seed in range(5):
        told = " ".join(said(seated("chatty", seed)["Ana"]))
        assert "beans" not in told and "Tuesday" not in told  # Tuesdays are Ben's


def test_a_seat_beside_does_not_change_a_seats_words():
    alone, mixed = seated("plain"), seated({"Ana": "plain", "Ben": HumanMember("Ben")})
    assert said(alone["Ana"]) == said(mixed["Ana"])
    assert mixed["Ben"].kind == "human"


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        ("loud", "'loud' given for Ana; expected one of plain, terse"),
        (["plain"], "expected 2 kinds"),
        ({"Ana": "plain", "Cleo": "plain"}, "a kind for each of"),
        ("model", "none given for the seat of Ana"),
        ({"Ana": 3, "Ben": "plain"}, "async def answer"),
        ({"Ana": HumanMember("Ben"), "Ben": "plain"}, "made for Ben given for Ana"),
    ],
)
def test_seats_that_cannot_be_filled_are_refused(seats, message):
    with pytest.raises(InvalidInput, match=message):
        seated(seats)


def test_a_model_is_given_its_own_text_and_nobody_elses():
    seats = seated({"Ana": "model", "Ben": "plain"}, model=scripted([], name="parrot"))
    assert seats["Ana"].kind == "model parrot"
    assert seats["Ana"].private_text == "Mornings."
    with pytest.raises(InvalidInput, match="paraphrase: 2 given for Ana"):
        seated("model", model=scripted([], name="parrot"), paraphrase=2)
