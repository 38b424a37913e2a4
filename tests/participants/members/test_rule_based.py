"""Rule-based members: what they say is what they want, in every style, and no more."""

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.english import wordings
from support.environments.meetings.meeting import Meeting, iso
from support.environments.meetings.preferences import (
    Deadline,
    Focus,
    Gap,
    Notice,
    Weekdays,
    Window,
    contradictions,
    situation,
)
from support.environments.meetings.views import Chat
from support.errors import InvalidInput
from support.participants.members.rule_based import STYLES, RuleBasedMember
from support.records import Option, Turn

MEETING = Meeting(
    "m1",
    "Olu",
    ("Ana", "Ben"),
    "Budget",
    "2026-02-16",
    60,
    "Hello",
    "2026-02-13T09:00-05:00",
    "America/New_York",
    (),
    2,
)
ZONE = "Europe/Berlin"  # six hours ahead of the organiser
MORNING, QUIET = Window(start="14:00", end="16:00"), Focus(3, "17:00", "19:00")
FRIDAYS, EARLY = Weekdays(1, ("Friday",), avoid=True), Notice(hours=48)
WANTED = (MORNING, QUIET, FRIDAYS, EARLY, Gap(minutes=20))
TOLD = wordings("participants/members/wordings")


def seen(start, busy=()):
    return situation(start, MEETING.duration, MEETING.sent_at, ZONE, busy)


def member(style="plain", preferences=WANTED, seed=0, see=seen):
    return RuleBasedMember("Ana", preferences, ZONE, see, np.random.default_rng(seed), style)


def hear(who, *questions, round=1, options=(), candidate=None):
    """What the member answers to each question of one conversation."""
    turns = []
    for question in questions:
        turns.append(Turn("assistant", question))
        chat = Chat("Ana", MEETING, round, options, candidate, tuple(turns))
        turns.append(Turn("Ana", asyncio.run(who.answer(chat))))
    return [turn.text for turn in turns if turn.speaker == "Ana"]


def option(id, hour, day=16):
    start = next(s for s in MEETING.slots() if (s.day, s.hour, s.minute) == (day, hour, 0))
    return Option(id, iso(start))


MORE = ("When?", *["Anything else?"] * 7)


@pytest.mark.parametrize("style", STYLES)
def test_every_preference_is_said_once_and_then_that_there_is_no_more(style):
    for seed in range(8):
        who = member(style, seed=seed)
        answers = hear(who, *MORE)
        assert set(who._said) == set(WANTED)
        assert "two days" in " ".join(answers).lower() and "Fridays" in " ".join(answers)
        if style != "stubborn":
            assert "two days" not in " ".join(answers[-2:]).lower()
        assert any(word in answers[-1].lower() for word in ("that's", "nothing", "no."))


def test_the_most_important_comes_first_and_styles_differ_in_how_much_they_say_at_once():
    for style, at_once in {"plain": 2, "terse": 1, "chatty": 5, "vague": 2}.items():
        who = member(style)
        hear(who, "When?")
        assert len(who._said) == at_once
        assert who._said[0] == QUIET


def test_terse_members_use_fewer_words_than_plain_and_plain_fewer_than_chatty():
    def words(style):
        return sum(len(hear(member(style, seed=s), "When?")[0].split()) for s in range(20))

    assert words("terse") < words("plain") < words("chatty")


def test_a_vague_member_holds_the_hours_back_until_asked_for_them():
    for seed in range(10):
        who = member("vague", (Window(start="09:00", end="12:00"), Focus(1, "14:00", "16:30")), seed)
        first, second, third = hear(who, "When?", "From when to when is that?", "Anything else?")
        assert not any(sign.isdigit() for sign in first)
        assert "morning" in first and "afternoon" in first
        assert ("9" in second and ("12" in second or "noon" in second)) and "4:30" in second.replace("16:30", "4:30")
        assert not any(sign.isdigit() for sign in third)


def test_hours_without_a_part_of_the_day_are_said_even_by_the_vague():
    assert any(c.isdigit() for c in hear(member("vague", (Window(start="09:00", end="17:00"),)), "When?")[0])


def test_who_is_not_understood_says_the_same_in_full_once():
    asked = "Could you say that in terms of days and times?"
    answers = hear(member("terse", (EARLY, FRIDAYS)), "When?", asked, asked)
    assert "days" in answers[0] and "two days" in answers[1].lower() and "Fridays" in answers[2]


def test_a_member_agrees_to_the_option_that_suits_best_and_names_it_on_its_own_clock():
    options = (option("O1", 12), option("O2", 9))  # 18:00 and 15:00 in Berlin
    answer = hear(member("plain"), "Which?", round=2, options=options, candidate="O1")[0]
    assert "O2" in answer and "Monday 16 February" in answer
    assert "15:00" in answer or "3 pm" in answer


def test_among_equally_good_options_a_member_takes_the_candidate():
    options = (option("O1", 8), option("O2", 9))
    for best in ("O1", "O2"):
        assert best in hear(member(), "Which?", round=2, options=options, candidate=best)[0]


HALF = (MORNING, Weekdays(2, ("Monday",)))


def test_half_of_the_preferences_are_enough_but_not_for_the_stubborn():
    on_monday = (option("O1", 14),)  # the right day, too late
    assert "O1" in hear(member("plain", HALF), "Which?", round=2, options=on_monday)[0]
    for seed in range(5):
        answer = hear(member("stubborn", HALF, seed), "Which?", round=2, options=on_monday)[0]
        assert "O1" not in answer and "Monday 16 February" in answer
    unimportant = (MORNING, Weekdays(1, ("Tuesday",)))
    assert "O1" in hear(member("stubborn", unimportant), "Which?", round=2, options=(option("O1", 9),))[0]


LATE = (option("O1", 15), option("O2", 16))
STRICT = (Window(3, "14:00", "16:00"), Weekdays(2, ("Tuesday",)), Notice(1, 240))


def test_who_declines_gives_the_reason_and_the_slot_that_suits_best():
    for seed in range(5):
        answer = hear(member("plain", STRICT, seed), "Which?", round=2, options=LATE)[0]
        assert ("14:00" in answer and "16:00" in answer) or ("2 " in answer and "4 pm" in answer)
        assert "Tuesday 17 February at 14:00" in answer or "Tuesday 17 February at 2 pm" in answer
        assert "O1" not in answer and "O2" not in answer


def test_a_terse_member_offers_an_alternative_only_when_asked():
    first, second = hear(member("terse", STRICT), "Which?", "And instead?", round=2, options=LATE)
    assert "February" not in first and "Tuesday 17 February" in second


def test_the_stubborn_repeat_themselves():
    first, second, third = hear(member("stubborn", STRICT), *["Which?"] * 3, round=2, options=LATE)
    assert all("Tuesday 17 February" in answer for answer in (first, second, third))
    assert any(lead[:8].lower() in second.lower() for lead in TOLD["as I said"])


def test_nobody_offers_what_is_no_better_than_the_options():
    saturdays = (Weekdays(3, ("Saturday",)),)
    answer = hear(member("plain", saturdays), "Which?", round=2, options=LATE)[0]
    assert "Saturdays" in answer and "February" not in answer


def test_an_alternative_among_equally_good_slots_is_free():
    taken = [(s, s.replace(hour=s.hour + 1)) for s in MEETING.slots()[:1]]
    tuesday = (Window(start="14:00", end="16:00"),)
    answer = hear(member("plain", tuesday, see=lambda s: seen(s, taken)), "Which?", round=2, options=LATE)[0]
    assert "Monday 16 February at 15:00" in answer or "Monday 16 February at 3 pm" in answer


@given(st.integers(0, 300), st.permutations([*WANTED, Deadline(2, "Thursday", "12:00")]))
@settings(max_examples=60, deadline=None)
def test_property_a_changing_member_changes_exactly_once_and_one_thing(seed, preferences):
    who = member("changing", tuple(preferences), seed)
    truths = [who.preferences_in(round) for round in range(1, 7)]
    turns = [i for i in range(5) if truths[i] != truths[i + 1]]
    assert turns in ([0], [1])
    assert sum(a != b for a, b in zip(truths[0], truths[-1], strict=True)) == 1
    assert not contradictions(truths[-1])


def test_other_styles_never_change():
    for style in set(STYLES) - {"changing"}:
        who = member(style)
        assert all(who.preferences_in(round) == WANTED for round in range(1, 7))


def test_a_change_of_mind_is_announced_in_its_round_only_and_acted_on():
    morning = (Window(start="14:00", end="17:00"),)  # becomes 09:00 to 12:00 in Berlin, before the organiser's day
    for seed in range(10):
        who = member("changing", morning, seed)
        turning = 2 if who.preferences_in(2) != morning else 3
        suits = (option("O1", 9),)
        for round in (2, 3, 4):
            answer = hear(who, "Which?", round=round, options=suits)[0]
            assert ("O1" in answer) == (round < turning)
            changed_now = any(w[1:20] in answer for w in TOLD["changed"])
            assert changed_now == (round == turning)


@pytest.mark.parametrize("style", STYLES)
def test_the_same_stream_gives_the_same_words_and_another_stream_others(style):
    def whole(seed):
        return hear(member(style, seed=seed), *MORE) + hear(
            member(style, STRICT, seed), "Which?", round=2, options=LATE
        )

    assert whole(3) == whole(3)
    assert len({tuple(whole(seed)) for seed in range(5)}) > 1


def test_a_conversation_that_begins_anew_begins_anew():
    who = member()
    hear(who, *MORE)
    assert "two days" in " ".join(hear(who, *MORE))


def test_an_unknown_style_or_no_preference_is_refused():
    with pytest.raises(InvalidInput, match="'loud' given for Ana; expected one of plain"):
        member("loud")
    with pytest.raises(InvalidInput, match="none given for Ana"):
        member(preferences=())
