"""Rule-based members: what they say is what they want, in every style and wording, and no more."""

import asyncio
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.english import wordings
from support.meetings.data import iso
from support.meetings.members import STYLES, RuleBasedMember, changed, mirrored
from support.meetings.preferences import (
    Deadline,
    Flexible,
    Focus,
    Gap,
    Notice,
    Weekdays,
    Window,
    contradictions,
)
from support.meetings.records import Option, Turn
from support.meetings.scenario import Chat
from support.meetings.voice import Voice

ZONE = "Europe/Berlin"  # six hours ahead of the organiser
MORNING, QUIET = Window(start="14:00", end="16:00"), Focus(3, "17:00", "19:00")
FRIDAYS, EARLY = Weekdays(1, ("Friday",), avoid=True), Notice(hours=48)
WANTED = (MORNING, QUIET, FRIDAYS, EARLY, Gap(minutes=20))
STRICT = (Window(3, "14:00", "16:00"), Weekdays(2, ("Tuesday",)), Notice(1, 240))
HALF = (MORNING, Weekdays(2, ("Monday",)))
TOLD = wordings("meetings/wordings")
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


@pytest.fixture(scope="module")
def late(option):
    return option("O1", 15), option("O2", 16)


@pytest.mark.parametrize("style", STYLES)
def test_every_preference_is_said_once_and_then_that_there_is_no_more(style, member, hear):
    for seed in range(8):
        who = member(style, seed=seed)
        for _ in range(2):  # a conversation that begins anew begins anew
            answers = hear(who, *MORE)
            assert set(who._said) == set(WANTED)
            assert "two days" in " ".join(answers).lower() and "Fridays" in " ".join(answers)
            assert any(word in answers[-1].lower() for word in ("that's", "nothing", "no."))
            if style != "stubborn":
                assert "two days" not in " ".join(answers[-2:]).lower()


def test_a_vague_member_holds_the_hours_back_until_asked_for_them(member, hear):
    for seed in range(10):
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


def test_half_of_the_preferences_are_enough_but_not_for_the_stubborn(member, hear, option):
    on_monday = (option("O1", 14),)  # the right day, too late
    assert "O1" in hear(member("plain", HALF), "Which?", round=2, options=on_monday)[0]
    answers = hear(member("stubborn", HALF), *["Which?"] * 3, round=2, options=on_monday)
    assert all("O1" not in answer and "Monday 16 February" in answer for answer in answers)
    assert any(lead[:8].lower() in answers[1].lower() for lead in TOLD["as I said"])
    unimportant = (MORNING, Weekdays(1, ("Tuesday",)))
    assert "O1" in hear(member("stubborn", unimportant), "Which?", round=2, options=(option("O1", 9),))[0]


def test_who_declines_gives_the_reason_and_the_free_slot_that_suits_best_if_there_is_a_better_one(member, hear, late):
    for seed in range(5):
        answer = hear(member("plain", STRICT, seed), "Which?", round=2, options=late)[0]
        assert ("14:00" in answer and "16:00" in answer) or ("2 " in answer and "4 pm" in answer)
        assert "Tuesday 17 February at 14:00" in answer or "Tuesday 17 February at 2 pm" in answer
    first, second = hear(member("terse", STRICT), "Which?", "And instead?", round=2, options=late)
    assert "February" not in first and "Tuesday 17 February" in second
    saturdays = (Weekdays(3, ("Saturday",)),)
    assert "February" not in hear(member("plain", saturdays), "Which?", round=2, options=late)[0]
    taken = [tuple(datetime.fromisoformat(f"2026-02-16T0{h}:00-05:00") for h in (8, 9))]
    answer = hear(member("plain", (MORNING,), busy=taken), "Which?", round=2, options=late)[0]
    assert "Monday 16 February at 15:00" in answer or "Monday 16 February at 3 pm" in answer


@given(st.integers(0, 300), st.permutations([*WANTED, Deadline(2, "Thursday", "12:00")]))
@settings(max_examples=60)
def test_property_a_changing_member_changes_exactly_once_and_one_thing(member, seed, preferences):
    who = member("changing", tuple(preferences), seed)
    truths = [who.preferences_in(round) for round in range(1, 7)]
    assert [i for i in range(5) if truths[i] != truths[i + 1]] in ([0], [1])
    assert sum(a != b for a, b in zip(truths[0], truths[-1], strict=True)) == 1
    assert not contradictions(truths[-1])
    assert all(member(style).preferences_in(6) == WANTED for style in STYLES if style != "changing")


def test_what_cannot_be_mirrored_changes_its_weight_and_a_mirror_that_contradicts_the_rest_is_not_taken():
    assert changed((Notice(3, 24),), np.random.default_rng(0)) == ((Notice(1, 24),), 0)
    assert changed((Gap(2, 15),), np.random.default_rng(0))[0] == (Gap(3, 15),)
    mind = (Window(start="09:00", end="12:00"), Window(start="09:00", end="17:00"), Focus(2, "14:00", "17:00"))
    assert not any(contradictions(changed(mind, np.random.default_rng(seed))[0]) for seed in range(10))
    for before in (Window(end="12:00"), Focus(2, "15:30", "18:00"), Weekdays(2, ("Monday", "Tuesday"))):
        assert mirrored(mirrored(before)) == before != mirrored(before)


ALL = [
    Window(start="09:30", end="12:00"), Window(end="12:00", avoid=True), Window(start="16:00"),
    Window(start="10:00", end="11:00", weekdays=("Tuesday",)), Window(avoid=True, weekdays=("Friday",)),
    Focus(2, "14:00", "16:00", weekdays=("Monday", "Thursday")), Weekdays(2, ("Tuesday",)),
    Weekdays(2, ("Tuesday", "Friday"), avoid=True), Notice(2, 3), Gap(2, 10), Deadline(2, "Wednesday", "12:00"),
    Deadline(2, "Wednesday"), Flexible(2),
]  # fmt: skip


@pytest.mark.parametrize("wanted", ALL, ids=str)
def test_a_sentence_says_the_hours_the_weekdays_and_the_lengths(wanted):
    for priority, seed in ((p, s) for p in (1, 2, 3) for s in range(12)):
        wish, voice = replace(wanted, priority=priority), Voice(np.random.default_rng(seed), twelve=bool(seed % 2))
        for text in (voice.full(wish), voice.short(wish)):
            assert (text[0].isupper() or text[0].isdigit()) and "{" not in text and text.endswith((".", "?"))
            assert all(name in text for name in getattr(wish, "weekdays", ()))
            bounds = {getattr(wish, field, "00:00") for field in ("start", "end", "time")} - {"00:00", "24:00"}
            assert all(voice.time(b).removesuffix(" am").removesuffix(" pm") in text for b in bounds), text
