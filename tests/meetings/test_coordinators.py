"""Coordinators and evaluators that need no model: each rule of section 3.2, seeing only what was said."""

import asyncio
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest

from support.errors import InvalidInput
from support.meetings.coordinators import RandomCoordinator, RuleBasedCoordinator
from support.meetings.data import Database
from support.meetings.evaluators import ExactEvaluator, RuleBasedEvaluator
from support.meetings.hybrid import HybridCoordinator
from support.meetings.preferences import Gap, Window
from support.meetings.reading import restate
from support.meetings.records import Option
from support.meetings.scenario import Brief, Intent

NAMES = ("Ana", "Ben", "Cem", "Dee", "Eva")
SAID = {
    "Ana": ["Prefers meetings between 09:00 and 11:00"],
    "Ben": ["Prefers meetings between 09:00 and 10:00"],
    "Cem": ["Prefers meetings between 13:00 and 15:00"],
    "Dee": ["Prefers meetings between 14:00 and 15:00"],
    "Eva": ["Asks for 17:00"],
}
ANYTIME = {m: ["Is flexible about the time"] for m in NAMES}


def at(hour, minute=0):
    return f"2026-02-16T{hour:02d}:{minute:02d}-05:00"


def busy(*hours):
    return tuple(tuple(datetime.fromisoformat(at(h)) for h in pair) for pair in hours)


@pytest.fixture(scope="module")
def propose(invite):
    """What a coordinator, by default the rule-based one, proposes when this was said: members by start, in order."""

    def run(
        said,
        k=2,
        members=NAMES,
        required=(),
        coordinator=None,
        seed=0,
        attention=None,
        **known,
    ):
        intents = {m: Intent(tuple(said.get(m, ()))) for m in members}
        meeting, zones = (
            invite(members, required=required),
            dict.fromkeys(members, "America/New_York"),
        )
        brief = Brief(meeting, 2 if "candidate" in known else 1, k, intents, **known)
        made = coordinator or RuleBasedCoordinator(
            np.random.default_rng(seed), zones, attention
        )
        return {s.start: s.members for s in asyncio.run(made.propose(brief))}

    return run


def test_every_option_satisfies_two_members_or_as_many_as_can_be_and_later_as_many_as_the_candidate(
    propose,
):
    assert propose(SAID, k=3) == {at(9): ("Ana", "Ben"), at(14): ("Cem", "Dee")}
    assert [*propose({"Ana": ["Asks for 09:30"]}, k=1, members=("Ana",))] == [at(9, 30)]
    assert propose({"Ana": ["Asks for 09:00"], "Ben": ["Asks for 10:00"]}) == {
        at(9): ("Ana",),
        at(10): ("Ben",),
    }
    candidate = Option(
        "O1", at(17), ("Eva",)
    )  # from round two on it is first, and the others satisfy as many
    first, *others = propose(SAID, k=3, candidate=candidate, satisfied=2)
    assert first == at(17) and {*others} == {at(9), at(14)}
    assert [*propose(SAID, k=3, candidate=candidate, satisfied=3)] == [at(17)]


def test_a_required_attendee_works_in_an_option_even_alone_and_stops_nobody(propose):
    assert {
        m
        for members in propose(SAID, required=("Eva", "Dee")).values()
        for m in members
    } >= {"Eva", "Dee"}
    assert {*propose(SAID | {"Eva": ["Asks for 03:00"]}, required=("Eva",))} == {
        at(9),
        at(14),
    }


def test_with_a_database_those_who_work_together_come_first_among_equals(propose):
    def chosen(*relations):
        database = Database((), relations) if relations else None
        return {
            m
            for seed in range(8)
            for m in propose(SAID, k=1, database=database, seed=seed).values()
        }

    assert chosen() == {("Ana", "Ben"), ("Cem", "Dee")}
    assert chosen(("Ana", "Ben", "collaborator")) == {("Ana", "Ben")}
    assert chosen(("Ana", "Ben", "teammate"), ("Cem", "Dee", "manager")) == {
        ("Cem", "Dee")
    }


def test_options_are_apart_and_never_too_many(propose):
    for seed in range(4):
        apart = sorted(map(datetime.fromisoformat, propose(ANYTIME, k=4, seed=seed)))
        assert min(b - a for a, b in pairwise(apart)) >= timedelta(hours=1)
    for made in (None, RandomCoordinator(np.random.default_rng(0))):
        assert len(propose(ANYTIME, k=100, coordinator=made)) == 19
    assert len(propose(ANYTIME, k=100, attention=2)) == 2


def test_what_binds_who_is_required_are_calendars_hours_on_the_own_clock_and_wishes_above_all(
    small, propose
):
    def hybrid(said, k=9, calendars=None, zones=None, required=()):
        made = HybridCoordinator(
            small(dict.fromkeys(NAMES[:3], ()), zones, calendars, required=required)
        )
        return {*propose(said, k, NAMES[:3], required, made)}

    calendars = {"Ana": busy((8, 12)), "Ben": busy((12, 16)), "Cem": busy((8, 18))}
    assert hybrid({}, calendars=calendars, required=("Ana", "Ben")) == {
        at(16),
        at(16, 30),
        at(17),
    }
    assert max(hybrid({}, 99, zones={"Ana": "Europe/Berlin"}, required=("Ana",))) == at(
        11
    )
    said = {
        "Ana": ["Prefers meetings between 13:00 and 15:00, above all"],
        "Ben": ["Prefers meetings before 10:00"],
    }
    assert hybrid(said, required=("Ana",)) == {at(13), at(13, 30), at(14)}
    calendars = {"Ana": busy((8, 13)), "Ben": busy((13, 18))}
    with pytest.raises(
        InvalidInput,
        match=r"m1: No time is left.*Ana's calendar.*Ben's calendar.*least to give up",
    ):
        hybrid({}, calendars=calendars, required=("Ana", "Ben"))


# -- evaluators ------------------------------------------------------------------------------------------------------

BOTH = {"Ana": "America/New_York", "Ben": "Europe/Berlin"}


@pytest.fixture(scope="module")
def scored(invite):
    """The scores of ten and of four o'clock, for Ana and Ben in turn."""

    def run(evaluator, intents, round=1):
        options = Option("O1", at(10)), Option("O2", at(16))
        return [
            s.value
            for s in asyncio.run(evaluator.score(invite(), options, intents, round))
        ]

    return run


def test_scores_follow_equation_five_on_what_was_restated_or_agreed_to_on_the_own_clock(
    scored,
):
    said = (
        "Prefers meetings before 12:00",
        "Avoids meetings on Fridays",
        "Keeps 15:00 to 18:00 free for focused work",
    )
    wishes = {
        "Ana": Intent((*said, "Likes tea")),
        "Ben": Intent(("Prefers meetings between 15:00 and 17:00",)),
    }
    assert scored(RuleBasedEvaluator(BOTH), wishes) == [3, 3, 1, 0]
    assert (
        scored(RuleBasedEvaluator(BOTH), {}) == [0] * 4
        and scored(RuleBasedEvaluator(BOTH, 1), {}) == [1] * 4
    )
    agreed = {"Ana": Intent((), "O2"), "Ben": Intent(("Sounds good",), "O2")}
    assert scored(RuleBasedEvaluator(BOTH), agreed) == [0, 0, 3, 3]


def test_the_exact_evaluator_scores_the_truth_of_the_round_with_calendars_whatever_was_said(
    scored, small
):
    class Fickle:
        def preferences_in(self, round):
            return (
                Window(2, "08:00", "12:00")
                if round == 1
                else Window(2, "13:00", "18:00"),
            )

    made = small({"Ana": (), "Ben": (Gap(2, 15),)}, BOTH, {"Ben": busy((9, 10))})
    said = {
        "Ana": Intent(("Prefers meetings after 12:00",)),
        "Ben": Intent((restate(Gap(2, 15)),)),
    }
    exact = ExactEvaluator(made, {"Ana": Fickle(), "Ben": object()})
    assert scored(exact, said) == [3, 0, 0, 3] and scored(exact, said, round=2) == [
        0,
        0,
        3,
        3,
    ]
    assert scored(RuleBasedEvaluator(BOTH), said) == [0, 3, 3, 3]  # knows no calendar
