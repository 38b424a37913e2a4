"""The rule-based interviewer: asks until it knows enough, never in circles, and adds nothing of its own."""

import asyncio
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.environments.meetings.meeting import Meeting, iso
from support.environments.meetings.preferences import At, Focus, Gap, Notice, Weekdays, Window, situation
from support.environments.meetings.reading import read
from support.environments.meetings.views import Chat
from support.errors import InvalidInput
from support.participants.facilitators import listening
from support.participants.facilitators.interviewer import RuleBasedInterviewer
from support.participants.facilitators.listening import agreed, heard, spoken
from support.participants.members.rule_based import STYLES, RuleBasedMember
from support.records import Conversation, Option, Turn

MEETING = Meeting(
    "m1", "Olu", ("Ana", "Ben"), "Budget", "2026-02-16", 60, "Hi", "2026-02-13T09:00-05:00", "America/New_York", (), 2
)
ZONE = "Europe/Berlin"  # six hours ahead of the organiser
O1, O2, O7 = (Option(id, iso(MEETING.slots()[i])) for id, i in (("O1", 0), ("O2", 2), ("O7", 21)))  # 14, 15; 15 (17th)
OPTIONS = (O1, O2, O7)
HELD = (
    Window(start="14:00", end="16:00"),
    Focus(3, "17:00", "19:00", weekdays=("Tuesday", "Thursday")),
    Weekdays(1, ("Friday",), avoid=True),
    Notice(hours=48),
    Gap(3, 20),
)
INTERVIEWER = RuleBasedInterviewer({"Ana": ZONE, "Ben": "America/New_York"})


def chat(*answers, round=1, options=(), candidate=None):
    """A conversation in which something was asked before each answer."""
    turns = tuple(turn for text in answers for turn in (Turn("assistant", "?"), Turn("Ana", text)))
    return Chat("Ana", MEETING, round, options, candidate, turns)


def later(*answers, options=OPTIONS, candidate="O2"):
    return chat(*answers, round=2, options=options, candidate=candidate)


def ask(given):
    return asyncio.run(INTERVIEWER.ask(given))


def extract(given):
    return asyncio.run(INTERVIEWER.extract(given))


def converse(member, given, interviewer=INTERVIEWER, most=8):
    """A whole conversation as the mechanism has it, and whether the interviewer ended it."""
    while True:
        remark = asyncio.run(interviewer.ask(given))
        given = replace(given, turns=(*given.turns, Turn("assistant", remark.text)))
        if remark.done or len(spoken(given)) == most:
            return given, remark.done
        given = replace(given, turns=(*given.turns, Turn("Ana", asyncio.run(member.answer(given)))))


def member(style, preferences=HELD, seed=0):
    def see(start):
        return situation(start, MEETING.duration, MEETING.sent_at, ZONE, ())

    return RuleBasedMember("Ana", preferences, ZONE, see, np.random.default_rng(seed), style)


def understood(texts):
    """Restatements as structures."""
    return {p for text in texts for p in read(text, year=2026)}


def test_it_opens_with_the_subject_the_days_and_the_duration():
    text = ask(chat()).text
    for said in ("Olu", "Budget", "60 minutes", "Monday 16 February", "Tuesday 17 February"):
        assert said in text


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("round", [1, 2, 3])
def test_every_style_is_heard_out_without_going_in_circles(style, round):
    for seed in range(5):
        options = OPTIONS if round > 1 else ()
        done, ended = converse(
            member(style, seed=seed), Chat("Ana", MEETING, round, options, (options and "O2") or None)
        )
        asked = [t.text for t in done.turns if t.speaker == "assistant"]
        assert ended and len(spoken(done)) <= (6 if round == 1 else 3)
        assert all(a != b for a, b in pairwise(asked))
        assert Conversation("Ana", done.turns).interactions == len(spoken(done))


@pytest.mark.parametrize("style", ["plain", "terse", "vague", "chatty"])
def test_all_that_the_reader_understands_is_extracted(style):
    for seed in range(5):
        done, _ = converse(member(style, seed=seed), Chat("Ana", MEETING, 1))
        restated = understood(extract(done).preferences)
        assert restated == set(heard(spoken(done), 2026))
        assert {type(p) for p in HELD[:2]} <= {type(p) for p in restated}


@given(st.sampled_from(sorted(STYLES)), st.integers(0, 500), st.sampled_from([1, 2, 3]))
@settings(max_examples=40, deadline=None)
def test_property_nothing_is_restated_that_was_not_said(style, seed, round):
    options = OPTIONS if round > 1 else ()
    done, _ = converse(member(style, seed=seed), Chat("Ana", MEETING, round, options, None))
    said = {p for text in spoken(done) for p in read(text, year=2026)}
    senses = {replace(p, start="00:00", end="24:00", priority=2) for p in said if isinstance(p, Window)}
    hours = {(p.start, p.end) for p in said if isinstance(p, Window)}
    intent = extract(done)
    for found in understood(intent.preferences[intent.agreed is not None :]):
        exact = found in said
        made_exact = isinstance(found, Window) and (found.start, found.end) in hours
        assert exact or (made_exact and replace(found, start="00:00", end="24:00", priority=2) in senses)


def test_a_part_of_the_day_is_asked_for_its_hours_once():
    first = ask(chat("I prefer mornings.")).text
    assert "From when to when" in first and "morning" in first
    assert "From when" not in ask(chat("I prefer mornings.", "Just mornings.")).text
    both = ask(chat("I prefer mornings.", "And I keep my afternoons free for deep work.")).text
    assert "afternoon" in both and "morning" not in both


def test_hours_that_follow_replace_the_part_of_the_day():
    assert heard(["I prefer mornings.", "From 9 to 11."], 2026) == (Window(start="09:00", end="11:00"),)
    assert heard(["I prefer mornings.", "I prefer meetings on Mondays."], 2026) == (
        Window(start="08:00", end="12:00"),
        Weekdays(2, ("Monday",)),
    )


def test_bare_hours_take_the_sense_of_the_part_that_they_make_exact():
    (found,) = heard(["I keep my afternoons free for deep work.", "From 2 to 4 pm."], 2026)
    assert found == Focus(found.priority, "14:00", "16:00")
    (found,) = heard(["I never meet in the morning.", "From 8 to 10 am."], 2026)
    assert (found.avoid, found.start, found.end) == (True, "08:00", "10:00")


def test_hours_elsewhere_in_the_day_replace_nothing():
    assert len(heard(["I prefer mornings.", "Between 3 and 5 pm is fine too."], 2026)) == 2


def test_what_is_said_twice_is_restated_once_and_as_it_was_said_last():
    twice = extract(chat("I prefer meetings on Mondays.", "I prefer meetings on Mondays. No Fridays."))
    assert len(twice.preferences) == 2
    assert heard(["I prefer Mondays.", "I can only meet on Mondays."], 2026)[0].priority == 3


def test_who_is_not_understood_is_asked_once_in_a_row_to_speak_of_times():
    assert "days and times" in ask(chat("My cat is grey.")).text
    assert not ask(chat("My cat is grey.", "It is a nice cat.")).done
    assert "days and times" not in ask(chat("My cat is grey.", "It is a nice cat.")).text
    assert ask(chat(*["My cat is grey."] * 3)).done


@pytest.mark.parametrize(
    "closing", ["No.", "That's all.", "nothing else", "No, that is everything, thanks!", "Well. That's it from me."]
)
def test_it_ends_when_there_is_nothing_more(closing):
    assert ask(chat("I prefer meetings on Mondays.", closing)).done
    assert not ask(chat("I prefer meetings on Mondays.", f"{closing} Although, not before 10 am.")).done


def test_it_ends_at_the_limit():
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    answers = [f"I prefer meetings on {day}s." for day in days]
    assert not ask(chat(*answers[:5])).done
    assert ask(chat(*answers)).done
    assert asyncio.run(RuleBasedInterviewer({"Ana": ZONE}, limit=2).ask(chat(*answers[:2]))).done


def test_options_are_shown_with_reasons_on_the_members_own_clock():
    shown = (replace(O1, reasons=("Ben: prefers mornings",)), O2)
    text = ask(Chat("Ana", MEETING, 2, shown, "O2")).text
    assert "O1: Monday 16 February at 14:00 – Ben: prefers mornings" in text
    assert "O2: Monday 16 February at 15:00 (the best" in text and ZONE in text
    at_home = ask(Chat("Ben", MEETING, 2, shown, "O2")).text
    assert "O1: Monday 16 February at 08:00" in at_home and "clock" not in at_home


@pytest.mark.parametrize(
    ("answer", "option"),
    [
        ("Option O2 suits me.", "O2"),
        ("o2", "O2"),
        ("option 7 please", "O7"),
        ("O1 doesn't work for me, but O2 is fine.", "O2"),
        ("I can't do O1, O7 works.", "O7"),
        ("Monday 16 February at 3 pm works for me.", "O2"),
        ("I have no problem with O1.", "O1"),
        ("O1? Why not.", "O1"),
        ("O1, unfortunately, does not work.", None),
        ("Neither O1 nor O2 works.", None),
        ("O1 is too early for me.", None),
        ("None of these suits me.", None),
        ("I never meet on Mondays.", None),
        ("Hello, how are you?", None),
        ("O9 would be great.", None),
        ("Any of them is fine.", "O2"),
        ("First I wanted O1. No, sorry, I'll take O7!", "O7"),
        ("Let's take option O2: Monday 16 February at 3 pm.", "O2"),
        ("I don’t mind O7.", "O7"),
    ],
)
def test_agreement_is_heard_in_many_words(answer, option):
    found = agreed(later(answer), ZONE)
    assert (found and found.id) == option


def test_yes_means_the_only_option_there_is():
    assert agreed(later("Yes, that works.", options=(O7,)), ZONE) == O7
    assert agreed(later("Yes, that works."), ZONE) is None
    assert "O1, O2, O7" in ask(later("Yes, that works.")).text


def test_an_agreed_option_is_restated_as_its_time_and_ends_the_conversation():
    said = later("Option O2 suits me, Monday 16 February at 15:00. I prefer meetings on Mondays.")
    assert ask(said).done
    intent = extract(said)
    assert intent.agreed == "O2" and intent.preferences[0] == "Agrees to Monday 16 February at 15:00"
    assert read(intent.preferences[0], year=2026)[0] == At(time="15:00", date="2026-02-16")
    assert understood(intent.preferences[1:]) == {Weekdays(2, ("Monday",))}


def test_an_alternative_ends_the_conversation_and_is_restated():
    said = later("None of these works for me. Could we meet on Tuesday 17 February at 4 pm instead?")
    assert ask(said).done
    intent = extract(said)
    assert intent.agreed is None and At(time="16:00", date="2026-02-17") in understood(intent.preferences)


def test_a_bare_no_is_asked_for_reason_and_alternative_and_then_let_go():
    assert "unsuitable" in ask(later("None of them.")).text
    assert not ask(later("None of them.", "Just no.")).done
    assert ask(later("None of them.", "Just no.", "No!")).done


def test_a_reason_is_asked_for_an_alternative_once():
    reason = "I never meet on Mondays."
    assert "instead" in ask(later(reason)).text
    assert ask(later(reason, "As I said, never on Mondays.")).done
    assert ask(later(f"{reason} I can't name a better slot.")).done


def test_the_time_of_an_option_that_was_refused_is_no_wish():
    intent = extract(later("O2 on Monday 16 February at 15:00 does not work for me."))
    assert intent.agreed is None
    assert not any(isinstance(p, At) for p in understood(intent.preferences))


def test_without_options_a_later_round_asks_for_preferences():
    assert "60 minutes" in ask(chat(round=2)).text
    assert extract(chat("I prefer Mondays.", round=2)).preferences == extract(chat("I prefer Mondays.")).preferences


def test_it_hears_through_its_reader_alone(monkeypatch):
    monkeypatch.setattr(listening, "read_sentences", lambda text, year: ((text, (Gap(),) if "apples" in text else ()),))
    assert heard(["I like apples.", "Mondays, rather than pears."], 2026) == (Gap(),)


def test_a_member_without_a_zone_and_a_limit_of_none_are_refused():
    with pytest.raises(InvalidInput, match="none given for Ana"):
        asyncio.run(RuleBasedInterviewer({}).ask(later()))
    with pytest.raises(InvalidInput, match="limit: 0 given"):
        RuleBasedInterviewer({}, limit=0)


def test_what_a_member_is_shown_holds_nothing_private_of_another():
    secret = (Window(3, "14:30", "15:45"), Weekdays(2, ("Wednesday",)))
    ben = member("chatty", secret)
    converse(ben, Chat("Ana", MEETING, 1))
    for round in (1, 2):
        done, _ = converse(member("chatty"), Chat("Ana", MEETING, round, OPTIONS if round > 1 else (), None))
        assert not any(word in turn.text for turn in done.turns for word in ("14:30", "2:30", "15:45", "Wednesday"))
