"""The rule-based interviewer: asks until it knows enough, never in circles, and adds nothing of its own."""

import asyncio
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.meetings.data import Meeting, iso
from support.meetings.interviewer import RuleBasedInterviewer, agreed, heard
from support.meetings.members import STYLES, RuleBasedMember
from support.meetings.preferences import At, Focus, Gap, Notice, Weekdays, Window
from support.meetings.reading import read
from support.meetings.records import Option, Turn
from support.meetings.scenario import Chat

MEETING = Meeting(
    "m1", "Olu", ("Ana", "Ben"), "Budget", "2026-02-16", 60, "Hi", "2026-02-13T09:00-05:00", "America/New_York", (), 2
)
ZONE = "Europe/Berlin"  # six hours ahead of the organiser
O1, O2, O7 = (Option(id, iso(MEETING.slots()[i])) for id, i in (("O1", 0), ("O2", 2), ("O7", 21)))  # 14, 15; 15 (17th)
OPTIONS = (O1, O2, O7)
HELD = (
    Window(start="14:00", end="16:00"), Focus(3, "17:00", "19:00", weekdays=("Tuesday", "Thursday")),
    Weekdays(1, ("Friday",), avoid=True), Notice(hours=48), Gap(3, 20),
)  # fmt: skip
INTERVIEWER = RuleBasedInterviewer({"Ana": ZONE, "Ben": "America/New_York"})


def later(*answers):
    """A conversation of round 2 in which something was asked before each answer."""
    turns = tuple(turn for text in answers for turn in (Turn("assistant", "?"), Turn("Ana", text)))
    return Chat("Ana", MEETING, 2, OPTIONS, "O2", turns)


def ask(given):
    return asyncio.run(INTERVIEWER.remark(given))


def extract(given):
    return asyncio.run(INTERVIEWER.extract(given))


@pytest.fixture(scope="module")
def conversation(small):
    """A whole conversation with a member of a style, as the mechanism has it, and whether the interviewer ended it."""

    def hold(style, round=1, seed=0, wishes=HELD):
        made = small({"Ana": wishes, "Ben": ()}, {"Ana": ZONE}, {"Ana": ()}, days=2, sent=MEETING.sent)
        member = RuleBasedMember("Ana", np.random.default_rng(seed), made.persona("Ana"), style)
        options = OPTIONS if round > 1 else ()
        given = Chat("Ana", MEETING, round, options, (options and "O2") or None)
        while True:
            remark = ask(given)
            given = replace(given, turns=(*given.turns, Turn("assistant", remark.text)))
            if remark.done or len(given.spoken) == 8:
                return given, remark.done
            given = replace(given, turns=(*given.turns, Turn("Ana", asyncio.run(member.answer(given)))))

    return hold


def understood(texts):
    """Restatements as structures."""
    return {p for text in texts for p in read(text, year=2026)}


@given(st.sampled_from(sorted(STYLES)), st.integers(0, 500), st.sampled_from([1, 2, 3]))
@settings(max_examples=20)
def test_property_every_style_is_heard_out_and_nothing_is_restated_that_was_not_said(conversation, style, seed, round):
    done, ended = conversation(style, round, seed)
    asked = [turn.text for turn in done.turns if turn.speaker == "assistant"]
    assert ended and len(done.spoken) <= (6 if round == 1 else 3) and all(a != b for a, b in pairwise(asked))
    said = {p for text in done.spoken for p in read(text, year=2026)}
    senses = {replace(p, start="00:00", end="24:00", priority=2) for p in said if isinstance(p, Window)}
    hours = {(p.start, p.end) for p in said if isinstance(p, Window)}
    intent = extract(done)
    for found in understood(intent.preferences[intent.agreed is not None :]):
        made_exact = isinstance(found, Window) and (found.start, found.end) in hours
        assert found in said or (made_exact and replace(found, start="00:00", end="24:00", priority=2) in senses)


def test_hours_that_follow_take_the_sense_of_the_part_that_they_make_exact_and_what_was_said_last_counts():
    for texts, found in (
        (["I prefer mornings.", "From 9 to 11."], [Window(start="09:00", end="11:00")]),
        (["I keep my afternoons free for deep work.", "From 2 to 4 pm."], [Focus(2, "14:00", "16:00")]),
        (["I prefer Mondays.", "I can only meet on Mondays."], [Weekdays(3, ("Monday",))]),
    ):
        assert list(heard(texts, 2026)) == found


def test_agreement_is_heard_in_many_words():
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


def test_an_agreement_or_an_alternative_ends_the_conversation_and_is_restated():
    said = later("Option O2 suits me, Monday 16 February at 15:00. I prefer meetings on Mondays.")
    intent = extract(said)
    assert ask(said).done and intent.agreed == "O2"
    assert intent.preferences[0] == "Agrees to Monday 16 February at 15:00"
    assert understood(intent.preferences[1:]) == {Weekdays(2, ("Monday",))}
    said = later("None of these works for me. Could we meet on Tuesday 17 February at 4 pm instead?")
    assert ask(said).done and extract(said).agreed is None
    assert At(time="16:00", date="2026-02-17") in understood(extract(said).preferences)
    assert "O1, O2, O7" in ask(later("Yes, that works.")).text
