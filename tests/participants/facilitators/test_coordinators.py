"""The rule-based coordinator keeps each rule of section 3.2, seeing only what was said."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.environments.meetings.company import Database, Profile
from support.environments.meetings.meeting import Meeting
from support.environments.meetings.views import Brief, Intent
from support.errors import InvalidInput
from support.participants.facilitators.coordinators import RandomCoordinator, RuleBasedCoordinator
from support.records import Option

NAMES = ("Ana", "Ben", "Cem", "Dee", "Eva")
ZONES = dict.fromkeys(NAMES, "America/New_York")


def meeting(members=NAMES, required=(), days=1, duration=60):
    return Meeting(
        "m1", "Olga", members, "Plan", "2026-02-16", duration, "Let us plan.", "2026-02-12T09:00-05:00",
        "America/New_York", required, days,
    )  # fmt: skip


def at(hour, minute=0):
    return f"2026-02-16T{hour:02d}:{minute:02d}-05:00"


def brief(said, k=2, required=(), members=NAMES, **rest):
    intents = {m: Intent(tuple(said.get(m, ()))) for m in members}
    days = rest.pop("days", 1)
    candidate = rest.get("candidate")
    return Brief(meeting(members, required, days), 2 if candidate else 1, k, intents, **rest)


def propose(given, seed=0, attention=None, coordinator=None):
    made = coordinator or RuleBasedCoordinator(np.random.default_rng(seed), attention, zones=ZONES)
    return list(asyncio.run(made.propose(given)))


SAID = {
    "Ana": ["Prefers meetings between 09:00 and 11:00"],
    "Ben": ["Prefers meetings between 09:00 and 10:00"],
    "Cem": ["Prefers meetings between 13:00 and 15:00"],
    "Dee": ["Prefers meetings between 14:00 and 15:00"],
    "Eva": ["Asks for 17:00"],
}


def test_in_round_one_every_option_satisfies_two_members():
    found = propose(brief(SAID, k=3))
    assert {s.start: s.members for s in found} == {at(9): ("Ana", "Ben"), at(14): ("Cem", "Dee")}


def test_a_single_member_is_enough_where_nobody_else_is_invited():
    assert propose(brief({"Ana": ["Asks for 09:30"]}, k=1, members=("Ana",)))[0].start == at(9, 30)


def test_where_nothing_satisfies_two_there_is_no_option():
    assert propose(brief({"Ana": ["Asks for 09:00"], "Ben": ["Asks for 10:00"]})) == []


def test_the_best_comes_first_by_members_then_by_score():
    said = SAID | {
        "Eva": ["Prefers meetings between 14:00 and 15:00"],
        "Ana": [*SAID["Ana"], "Avoids meetings after 16:00"],
    }
    assert propose(brief(said, k=2))[0].start == at(14)
    more = {"Ana": ["Prefers meetings before 12:00"], "Ben": ["Prefers meetings before 12:00", "Asks for 10:30"]}
    assert {propose(brief(more, k=1), seed)[0].start for seed in range(5)} == {at(10, 30)}


def test_from_round_two_the_candidate_is_first_and_the_others_satisfy_as_many():
    candidate = Option("O1", at(17), ("Eva",))
    found = propose(brief(SAID, k=3, candidate=candidate, satisfied=2))
    assert found[0].start == at(17)
    assert {s.start for s in found[1:]} == {at(9), at(14)}
    assert all(len(s.members) >= 2 for s in found[1:])
    assert [s.start for s in propose(brief(SAID, k=3, candidate=candidate, satisfied=3))] == [at(17)]


def test_a_required_attendee_works_in_an_option_even_alone():
    assert any("Eva" in s.members for s in propose(brief(SAID, k=2, required=("Eva",))))
    found = propose(brief(SAID, k=2, required=("Eva", "Dee")))
    assert {m for s in found for m in s.members} >= {"Eva", "Dee"}


def test_a_required_attendee_whom_nothing_satisfies_does_not_stop_the_others():
    said = SAID | {"Eva": ["Asks for 03:00"]}
    assert {s.start for s in propose(brief(said, k=2, required=("Eva",)))} == {at(9), at(14)}


def test_options_lie_an_hour_apart_while_enough_qualify():
    said = {m: ["Is flexible about the time"] for m in NAMES}
    for seed in range(5):
        found = [datetime.fromisoformat(s.start) for s in propose(brief(said, k=4), seed)]
        assert len(found) == 4
        assert min(abs(a - b) for a in found for b in found if a != b) >= timedelta(hours=1)
    close = {m: ["Prefers meetings between 09:00 and 10:30"] for m in NAMES}
    assert {s.start for s in propose(brief(close, k=2))} == {at(9), at(9, 30)}


def test_there_are_never_more_options_than_slots():
    said = {m: ["Is flexible about the time"] for m in NAMES}
    assert len(propose(brief(said, k=100))) == len(meeting().slots())
    assert len(propose(brief(said, k=100), coordinator=RandomCoordinator(np.random.default_rng(0)))) == len(
        meeting().slots()
    )


def profiles():
    return tuple(Profile(n, "Engineer", None, 2, ("building",), "America/New_York") for n in NAMES)


@pytest.mark.parametrize("relation", ["teammate", "collaborator", "manager"])
@pytest.mark.parametrize("pair", [("Ana", "Ben"), ("Cem", "Dee")])
def test_with_a_database_those_who_work_together_come_first_among_equals(relation, pair):
    database = Database(profiles(), ((*pair, relation),))
    for seed in range(5):
        assert propose(brief(SAID, k=1, database=database), seed)[0].members == pair


def test_a_member_with_the_manager_comes_before_teammates():
    database = Database(profiles(), (("Ana", "Ben", "teammate"), ("Cem", "Dee", "manager")))
    assert {propose(brief(SAID, k=1, database=database), seed)[0].members for seed in range(5)} == {("Cem", "Dee")}


def test_without_a_database_chance_decides_among_equals():
    assert {propose(brief(SAID, k=1), seed)[0].members for seed in range(20)} == {("Ana", "Ben"), ("Cem", "Dee")}


def test_reasons_are_what_members_expressed_and_only_what_holds():
    said = {
        "Ana": ["Prefers meetings before 12:00", "Avoids meetings on Mondays", "Likes tea"],
        "Ben": ["Asks for 9 am"],
    }
    found = propose(brief(said, k=1))
    assert found[0].reasons == ("Ana: Prefers meetings before 12:00", "Ben: Asks for 9 am")


def test_times_are_read_on_each_members_own_clock():
    zones = ZONES | {"Ben": "Europe/Berlin"}
    made = RuleBasedCoordinator(np.random.default_rng(0), zones=zones)
    assert propose(brief({"Ana": ["Asks for 10:00"], "Ben": ["Asks for 16:00"]}, k=1), coordinator=made)[0].start == at(
        10
    )


@given(st.permutations(NAMES), st.integers(0, 5))
def test_property_the_order_of_members_does_not_matter(names, seed):
    first, again = (propose(brief(SAID, k=2, members=tuple(order)), seed) for order in (NAMES, names))
    assert [(s.start, set(s.members)) for s in first] == [(s.start, set(s.members)) for s in again]


def test_the_same_seed_proposes_the_same():
    said = {m: ["Is flexible about the time"] for m in NAMES}
    assert propose(brief(said, k=3), 7, attention=4) == propose(brief(said, k=3), 7, attention=4)


def test_a_satisficer_looks_at_a_few_slots_and_at_those_that_were_named():
    said = {m: ["Is flexible about the time"] for m in NAMES} | {"Ana": ["Asks for 13:00"]}
    for seed in range(10):
        found = {s.start for s in propose(brief(said, k=100), seed, attention=2)}
        assert at(13) in found
        assert len(found) <= 3
    best = [propose(brief(SAID, k=1), seed, attention=1) for seed in range(30)]
    assert any(not found for found in best)


def test_a_satisficer_keeps_the_candidate():
    candidate = Option("O1", at(11), ("Ana", "Ben"))
    for seed in range(10):
        assert propose(brief(SAID, k=2, candidate=candidate, satisfied=2), seed, attention=1)[0].start == at(11)


def test_the_random_coordinator_draws_slots_after_the_candidate():
    candidate = Option("O1", at(11))
    found = propose(brief({}, k=3, candidate=candidate), coordinator=RandomCoordinator(np.random.default_rng(1)))
    assert found[0].start == at(11)
    assert len({s.start for s in found}) == 3
    drawn = {
        propose(brief({}, k=1), coordinator=RandomCoordinator(np.random.default_rng(s)))[0].start for s in range(20)
    }
    assert len(drawn) > 5


def test_what_does_not_fit_is_refused_by_name():
    with pytest.raises(InvalidInput, match="attention: 0 given"):
        RuleBasedCoordinator(np.random.default_rng(0), 0, zones=ZONES)
    with pytest.raises(InvalidInput, match="K = 0 given"):
        propose(brief(SAID, k=0))
    known = dict.fromkeys(NAMES[:4], "UTC")
    with pytest.raises(InvalidInput, match="zones: none given for Eva"):
        propose(brief(SAID), coordinator=RuleBasedCoordinator(np.random.default_rng(0), zones=known))
