"""Members and interviewer by rule: all that is wanted is said and heard, in every style, and nothing is added.

Seeded runs in `test_study` hold each word.
"""

import asyncio
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.meetings.interviewer import RuleBasedInterviewer, agreed, heard
from support.meetings.members import STYLES, RuleBasedMember, mirrored
from support.meetings.preferences import (
    At,
    Deadline,
    Focus,
    Gap,
    Notice,
    Weekdays,
    Window,
    contradictions,
)
from support.meetings.reading import read
from support.meetings.records import Option, Turn
from support.meetings.scenario import Chat

ZONE = "Europe/Berlin"  # six hours ahead of the organiser
OPTIONS = tuple(  # on Ana's clock: 14 and 15 o'clock, and 15 o'clock on the 17th
    Option(id, f"2026-02-{start}:00-05:00")
    for id, start in (("O1", "16T08"), ("O2", "16T09"), ("O7", "17T09"))
)
HELD = (
    Window(start="14:00", end="16:00"), Focus(3, "17:00", "19:00", weekdays=("Tuesday", "Thursday")),
    Weekdays(1, ("Friday",), avoid=True), Notice(hours=48), Gap(3, 20), Deadline(2, "Thursday", "12:00"),
)  # fmt: skip
INTERVIEWER = RuleBasedInterviewer({"Ana": ZONE, "Ben": "America/New_York"})


@pytest.fixture(scope="module")
def member(small):
    """Build Ana, who lives in Berlin and has nothing in her calendar, and the meeting with Ben."""

    def build(style="plain", seed=0, wishes=HELD):
        made = small({"Ana": wishes, "Ben": ()}, {"Ana": ZONE}, {"Ana": ()}, days=2)
        return RuleBasedMember(
            "Ana", np.random.default_rng(seed), made.persona("Ana"), style
        ), made.meeting

    return build


@pytest.fixture(scope="module")
def later(member):
    """A conversation of round 2 in which something was asked before each answer."""

    def said(*answers):
        turns = tuple(
            turn
            for text in answers
            for turn in (Turn("assistant", "?"), Turn("Ana", text))
        )
        return Chat("Ana", member()[1], 2, OPTIONS, "O2", turns)

    return said


def ask(given):
    return asyncio.run(INTERVIEWER.remark(given))


def extract(given):
    return asyncio.run(INTERVIEWER.extract(given))


def understood(texts):
    """Restatements, or what was said, as structures."""
    return {p for text in texts for p in read(text, year=2026)}


def conversation(who, meeting, round):
    """A whole conversation, as the mechanism has it."""
    chat, done = (
        Chat("Ana", meeting, round, *((OPTIONS, "O2") if round > 1 else ())),
        False,
    )
    while not done:
        remark = ask(chat)
        done, chat = (
            remark.done,
            replace(chat, turns=(*chat.turns, Turn("assistant", remark.text))),
        )
        if not done:
            chat = replace(
                chat, turns=(*chat.turns, Turn("Ana", asyncio.run(who.answer(chat))))
            )
    asked = [turn.text for turn in chat.turns if turn.speaker == "assistant"]
    assert len(chat.spoken) <= (6 if round == 1 else 3) and all(
        a != b for a, b in pairwise(asked)
    )
    return chat


@given(
    st.sampled_from(sorted(STYLES)),
    st.integers(0, 500),
    st.permutations(HELD),
    st.sampled_from([1, 2, 3]),
)
@settings(max_examples=12)
def test_property_every_style_is_heard_out_and_nothing_is_added_that_was_not_said(
    member, style, seed, wishes, round
):
    who, meeting = member(style, seed, tuple(wishes))
    first = conversation(who, meeting, 1)
    assert understood(extract(first).preferences) == {*HELD}
    chat = conversation(who, meeting, round)  # one that begins anew begins anew
    windows = [p for p in understood(chat.spoken) if isinstance(p, Window)]
    hours = {(p.start, p.end) for p in windows}
    senses = {replace(p, start="00:00", end="24:00", priority=2) for p in windows}
    intent = extract(chat)
    for found in understood(
        intent.preferences[intent.agreed is not None :]
    ) - understood(chat.spoken):
        assert (
            isinstance(found, Window) and (found.start, found.end) in hours
        )  # a part of the day made exact
        assert replace(found, start="00:00", end="24:00", priority=2) in senses


@given(st.integers(0, 300), st.permutations(HELD))
def test_property_a_changing_member_changes_exactly_once_and_one_thing(
    member, seed, preferences
):
    who, _ = member("changing", seed, tuple(preferences))
    truths = [who.preferences_in(round) for round in range(1, 7)]
    assert [i for i in range(5) if truths[i] != truths[i + 1]] in ([0], [1])
    assert sum(a != b for a, b in zip(truths[0], truths[-1], strict=True)) == 1
    assert not contradictions(truths[-1]) and all(
        mirrored(mirrored(wish)) == wish for wish in preferences
    )


def test_a_vague_member_holds_the_hours_back_until_asked_for_them(member):
    for seed in range(4):
        who, meeting = member(
            "vague",
            seed,
            (Window(start="09:00", end="12:00"), Focus(1, "14:00", "16:30")),
        )
        first, second, *_ = conversation(who, meeting, 1).spoken
        assert (
            not any(sign.isdigit() for sign in first)
            and "morning" in first
            and "afternoon" in first
        )
        assert "9" in second and "4:30" in second.replace("16:30", "4:30")


def test_hours_that_follow_take_the_sense_of_the_part_that_they_make_exact_and_what_was_said_last_counts():
    for texts, found in (
        (["I prefer mornings.", "From 9 to 11."], [Window(start="09:00", end="11:00")]),
        (
            ["I keep my afternoons free for deep work.", "From 2 to 4 pm."],
            [Focus(2, "14:00", "16:00")],
        ),
        (
            ["I prefer Mondays.", "I can only meet on Mondays."],
            [Weekdays(3, ("Monday",))],
        ),
    ):
        assert list(heard(texts, 2026)) == found


def test_agreement_is_heard_in_many_words(later):
    for answer, option in (
        ("Option O2 suits me.", "O2"),
        ("option 7 please", "O7"),
        ("I can't do O1, O7 works.", "O7"),
        ("Monday 16 February at 3 pm works for me.", "O2"),
        ("O1 is too early for me.", None),
        ("I never meet on Mondays.", None),
        ("O9 would be great.", None),
        ("Any of them is fine.", "O2"),
    ):
        found = agreed(later(answer), ZONE)
        assert (found and found.id) == option, answer


def test_an_agreement_or_an_alternative_ends_the_conversation_and_is_restated(later):
    said = later(
        "Option O2 suits me, Monday 16 February at 15:00. I prefer meetings on Mondays."
    )
    intent = extract(said)
    assert ask(said).done and intent.agreed == "O2"
    assert intent.preferences[0] == "Agrees to Monday 16 February at 15:00"
    assert understood(intent.preferences[1:]) == {Weekdays(2, ("Monday",))}
    said = later(
        "None of these works for me. Could we meet on Tuesday 17 February at 4 pm instead?"
    )
    assert ask(said).done and extract(said).agreed is None
    assert At(time="16:00", date="2026-02-17") in understood(extract(said).preferences)
    assert "O1, O2, O7" in ask(later("Yes, that works.")).text
