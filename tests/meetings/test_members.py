"""Rule-based members: what they say is what they want, in every style; seeded runs in `test_study` hold each word."""

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.meetings.members import STYLES, RuleBasedMember, mirrored
from support.meetings.preferences import Deadline, Focus, Gap, Notice, Weekdays, Window, contradictions
from support.meetings.records import Turn
from support.meetings.scenario import Chat

EARLY, FRIDAYS = Notice(hours=48), Weekdays(1, ("Friday",), avoid=True)
WANTED = (Window(start="14:00", end="16:00"), Focus(3, "17:00", "19:00"), FRIDAYS, EARLY, Gap(minutes=20))


@pytest.fixture(scope="module")
def member(small):
    """Build Ana, who lives in Berlin, with preferences and a style, and a function to what she answers."""

    def build(style="plain", preferences=WANTED, seed=0):
        made = small({"Ana": preferences, "Ben": ()}, {"Ana": "Europe/Berlin"}, {"Ana": ()}, days=2)
        who = RuleBasedMember("Ana", np.random.default_rng(seed), made.persona("Ana"), style)

        def hear(*questions):
            turns = []
            for question in questions:
                turns.append(Turn("assistant", question))
                answer = asyncio.run(who.answer(Chat("Ana", made.meeting, 1, turns=tuple(turns))))
                turns.append(Turn("Ana", answer))
            return [turn.text for turn in turns[1::2]]

        return who, hear

    return build


@pytest.mark.parametrize("style", STYLES)
def test_every_preference_is_said_once_and_then_that_there_is_no_more(style, member):
    for seed in range(3):
        who, hear = member(style, seed=seed)
        for _ in range(2):  # a conversation that begins anew begins anew
            answers = hear("When?", *["Anything else?"] * 7)
            assert set(who._said) == set(WANTED)
            assert "two days" in " ".join(answers).lower() and "Fridays" in " ".join(answers)
            if style != "stubborn":
                assert "two days" not in " ".join(answers[-2:]).lower()


def test_a_vague_member_holds_the_hours_back_until_asked_for_them(member):
    for seed in range(4):
        _, hear = member("vague", (Window(start="09:00", end="12:00"), Focus(1, "14:00", "16:30")), seed)
        first, second, third = hear("When?", "From when to when is that?", "Anything else?")
        assert not any(sign.isdigit() for sign in first + third)
        assert "morning" in first and "afternoon" in first
        assert "9" in second and "4:30" in second.replace("16:30", "4:30")


@given(st.integers(0, 300), st.permutations([*WANTED, Deadline(2, "Thursday", "12:00")]))
def test_property_a_changing_member_changes_exactly_once_and_one_thing(member, seed, preferences):
    who, _ = member("changing", tuple(preferences), seed)
    truths = [who.preferences_in(round) for round in range(1, 7)]
    assert [i for i in range(5) if truths[i] != truths[i + 1]] in ([0], [1])
    assert sum(a != b for a, b in zip(truths[0], truths[-1], strict=True)) == 1
    assert not contradictions(truths[-1]) and all(mirrored(mirrored(wish)) == wish for wish in preferences)
