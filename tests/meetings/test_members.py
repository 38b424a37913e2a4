"""Rule-based members: what they say is what they want, in every style and wording, and no more."""

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.meetings.data import iso
from support.meetings.members import STYLES, RuleBasedMember, mirrored
from support.meetings.preferences import (
    Deadline,
    Focus,
    Gap,
    Notice,
    Weekdays,
    Window,
    contradictions,
)
from support.meetings.records import Option, Turn
from support.meetings.scenario import Chat

ZONE = "Europe/Berlin"  # six hours ahead of the organiser
MORNING, QUIET = Window(start="14:00", end="16:00"), Focus(3, "17:00", "19:00")
FRIDAYS, EARLY = Weekdays(1, ("Friday",), avoid=True), Notice(hours=48)
WANTED = (MORNING, QUIET, FRIDAYS, EARLY, Gap(minutes=20))
MORE = ("When?", *["Anything else?"] * 7)


@pytest.fixture(scope="module")
def member(small):
    """Build Ana, who lives in Berlin, with preferences and a style."""

    def build(style="plain", preferences=WANTED, seed=0, busy=()):
        made = small(
            {"Ana": preferences, "Ben": ()}, {"Ana": ZONE}, {"Ana": busy}, days=2, sent="2026-02-13T09:00-05:00"
        )
        return RuleBasedMember("Ana", np.random.default_rng(seed), made.persona("Ana"), style)

    return build


@pytest.fixture(scope="module")
def meeting(invite):
    return invite(days=2, sent="2026-02-13T09:00-05:00")


@pytest.fixture(scope="module")
def hear(meeting):
    """What a member answers to each question of one conversation."""

    def answers(who, *questions, round=1, options=(), candidate=None):
        turns = []
        for question in questions:
            turns.append(Turn("assistant", question))
            chat = Chat("Ana", meeting, round, options, candidate, tuple(turns))
            turns.append(Turn("Ana", asyncio.run(who.answer(chat))))
        return [turn.text for turn in turns if turn.speaker == "Ana"]

    return answers


@pytest.fixture(scope="module")
def option(meeting):
    return lambda id, hour: Option(id, iso(next(s for s in meeting.slots() if (s.day, s.hour) == (16, hour))))


@pytest.mark.parametrize("style", STYLES)
def test_every_preference_is_said_once_and_then_that_there_is_no_more(style, member, hear):
    for seed in range(3):
        who = member(style, seed=seed)
        for _ in range(2):  # a conversation that begins anew begins anew
            answers = hear(who, *MORE)
            assert set(who._said) == set(WANTED)
            assert "two days" in " ".join(answers).lower() and "Fridays" in " ".join(answers)
            assert any(word in answers[-1].lower() for word in ("that's", "nothing", "no."))
            if style != "stubborn":
                assert "two days" not in " ".join(answers[-2:]).lower()


def test_a_vague_member_holds_the_hours_back_until_asked_for_them(member, hear):
    for seed in range(4):
        who = member("vague", (Window(start="09:00", end="12:00"), Focus(1, "14:00", "16:30")), seed)
        first, second, third = hear(who, "When?", "From when to when is that?", "Anything else?")
        assert not any(sign.isdigit() for sign in first + third)
        assert "morning" in first and "afternoon" in first
        assert "9" in second and "4:30" in second.replace("16:30", "4:30")
    asked = "Could you say that in terms of days and times?"
    answers = hear(member("terse", (EARLY, FRIDAYS)), "When?", asked, asked)  # once in full, then on
    assert "days" in answers[0] and "two days" in answers[1].lower() and "Fridays" in answers[2]


def test_a_member_agrees_to_what_suits_best_on_its_own_clock_and_among_equals_to_the_candidate(member, hear, option):
    answer = hear(member(), "Which?", round=2, options=(option("O1", 12), option("O2", 9)), candidate="O1")[0]
    assert "O2" in answer and "Monday 16 February" in answer and ("15:00" in answer or "3 pm" in answer)
    for best in ("O1", "O2"):
        equal = (option("O1", 8), option("O2", 9))
        assert best in hear(member(), "Which?", round=2, options=equal, candidate=best)[0]


@given(st.integers(0, 300), st.permutations([*WANTED, Deadline(2, "Thursday", "12:00")]))
def test_property_a_changing_member_changes_exactly_once_and_one_thing(member, seed, preferences):
    who = member("changing", tuple(preferences), seed)
    truths = [who.preferences_in(round) for round in range(1, 7)]
    assert [i for i in range(5) if truths[i] != truths[i + 1]] in ([0], [1])
    assert sum(a != b for a, b in zip(truths[0], truths[-1], strict=True)) == 1
    assert not contradictions(truths[-1])
    for wish in preferences:
        assert mirrored(mirrored(wish)) == wish
    assert all(member(style).preferences_in(6) == WANTED for style in STYLES if style != "changing")
