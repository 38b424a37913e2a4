"""The rule-based and the exact evaluator score with equation (5), each on what it may know."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from support.environments.meetings.meeting import Meeting
from support.environments.meetings.preferences import At, Flexible, Gap, Weekdays, Window, situation
from support.environments.meetings.reading import restate
from support.environments.meetings.views import Intent
from support.errors import InvalidInput
from support.participants.facilitators.evaluators import ExactEvaluator, RuleBasedEvaluator, understood
from support.records import Option

MEETING = Meeting(
    "m1", "Olga", ("Ana", "Ben"), "Plan", "2026-02-16", 60, "Let us plan.", "2026-02-12T09:00-05:00", "America/New_York"
)
ZONES = {"Ana": "America/New_York", "Ben": "Europe/Berlin"}
TEN = Option("O1", "2026-02-16T10:00-05:00")
FOUR = Option("O2", "2026-02-16T16:00-05:00")


def score(evaluator, intents, options=(TEN, FOUR), round=1):
    given = asyncio.run(evaluator.score(MEETING, options, intents, round))
    return {(s.option, s.member): s for s in given}


def values(evaluator, intents, **rest):
    return {key: s.value for key, s in score(evaluator, intents, **rest).items()}


def test_scores_follow_equation_five_on_what_was_restated():
    intents = {
        "Ana": Intent(
            (
                "Prefers meetings before 12:00",
                "Avoids meetings on Fridays",
                "Keeps 15:00 to 18:00 free for focused work",
            )
        ),
        "Ben": Intent(("Prefers meetings between 15:00 and 17:00",)),
    }
    got = values(RuleBasedEvaluator(ZONES), intents)
    assert got == {("O1", "Ana"): 3, ("O2", "Ana"): 1, ("O1", "Ben"): 3, ("O2", "Ben"): 0}


def test_times_are_on_the_members_own_clock():
    intents = {"Ana": Intent(("Asks for 10:00",)), "Ben": Intent(("Asks for 16:00",))}
    assert values(RuleBasedEvaluator(ZONES), intents, options=(TEN,)) == {("O1", "Ana"): 3, ("O1", "Ben"): 3}


def test_a_restatement_without_times_is_left_out_of_the_count():
    with_talk = {"Ana": Intent(("Prefers meetings before 12:00", "Likes clear agendas")), "Ben": Intent(())}
    assert values(RuleBasedEvaluator(ZONES), with_talk, options=(TEN,))["O1", "Ana"] == 3


def test_who_said_nothing_is_at_the_lowest_score():
    assert values(RuleBasedEvaluator(ZONES), {}, options=(TEN,)) == {("O1", "Ana"): 0, ("O1", "Ben"): 0}
    assert values(RuleBasedEvaluator(ZONES, lowest=1), {}, options=(TEN,)) == {("O1", "Ana"): 1, ("O1", "Ben"): 1}


def test_reasons_say_what_holds_and_what_does_not():
    intents = {"Ana": Intent(("Prefers meetings after 12:00", "Is flexible about the time")), "Ben": Intent(())}
    found = score(RuleBasedEvaluator(ZONES), intents, options=(TEN,))["O1", "Ana"]
    assert found.reasons == (
        "not fulfilled: Prefers meetings after 12:00",
        "fulfilled: Is flexible about the time",
    )
    assert found.value == 2


def test_an_agreement_counts_even_where_no_restatement_words_it():
    got = values(RuleBasedEvaluator(ZONES), {"Ana": Intent((), "O2"), "Ben": Intent(("Sounds good",), "O2")})
    assert got == {("O1", "Ana"): 0, ("O1", "Ben"): 0, ("O2", "Ana"): 3, ("O2", "Ben"): 3}


def test_an_agreement_in_words_and_by_id_counts_once():
    intents = {"Ben": Intent(("Agrees to Monday 16 February at 16:00",), "O1")}
    assert understood(MEETING, intents, (TEN,), ZONES)["Ben"] == (At(2, "16:00", "2026-02-16"),)


def test_the_exact_evaluator_scores_the_truth_of_the_round_whatever_was_said():
    changed = {1: (Window(2, "08:00", "12:00"),), 2: (Window(2, "13:00", "18:00"),)}

    def view(member, start):
        return situation(start, 60, MEETING.sent_at, "America/New_York")

    exact = ExactEvaluator(view, lambda member, round: changed[round])
    said = {"Ana": Intent(("Prefers meetings after 12:00",)), "Ben": Intent(())}
    assert values(exact, said, round=1) == {("O1", "Ana"): 3, ("O2", "Ana"): 0, ("O1", "Ben"): 3, ("O2", "Ben"): 0}
    assert values(exact, said, round=2) == {("O1", "Ana"): 0, ("O2", "Ana"): 3, ("O1", "Ben"): 0, ("O2", "Ben"): 3}


def test_a_gap_needs_the_calendar_that_only_the_exact_evaluator_sees():
    nine = datetime(2026, 2, 16, 9, tzinfo=ZoneInfo("America/New_York"))
    busy = ((nine, nine + timedelta(hours=1)),)
    exact = ExactEvaluator(
        lambda m, start: situation(start, 60, MEETING.sent_at, ZONES[m], busy), lambda m, r: (Gap(2, 15),)
    )
    said = {m: Intent((restate(Gap(2, 15)),)) for m in ZONES}
    assert set(values(exact, said, options=(TEN,)).values()) == {0}
    assert set(values(RuleBasedEvaluator(ZONES), said, options=(TEN,)).values()) == {3}


def test_on_the_truth_in_words_both_evaluators_agree():
    truth = {"Ana": (Window(3, "08:00", "11:00"), Weekdays(1, ("Tuesday",))), "Ben": (Flexible(2), At(2, "22:00"))}
    said = {m: Intent(tuple(map(restate, wishes))) for m, wishes in truth.items()}
    exact = ExactEvaluator(lambda m, s: situation(s, 60, MEETING.sent_at, ZONES[m]), lambda m, r: truth[m])
    assert score(exact, said) == score(RuleBasedEvaluator(ZONES), said)


def test_what_does_not_fit_is_refused_by_name():
    with pytest.raises(InvalidInput, match="lowest: 2 given"):
        RuleBasedEvaluator(ZONES, lowest=2)
    with pytest.raises(InvalidInput, match="zones: none given for Ben"):
        score(RuleBasedEvaluator({"Ana": "UTC"}), {})
    with pytest.raises(InvalidInput, match="start: '2026-02-16T03:00-05:00' given"):
        score(RuleBasedEvaluator(ZONES), {}, options=(Option("O1", "2026-02-16T03:00-05:00"),))
