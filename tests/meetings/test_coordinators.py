"""Coordinators and evaluators that need no model: each rule of section 3.2, seeing only what was said."""

import asyncio
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.meetings.coordinators import RandomCoordinator, RuleBasedCoordinator
from support.meetings.data import Database
from support.meetings.evaluators import ExactEvaluator, RuleBasedEvaluator, understood
from support.meetings.hybrid import PRESENT, SATISFIED, HybridCoordinator, Plan
from support.meetings.preferences import At, Flexible, Gap, Weekdays, Window
from support.meetings.reading import restate
from support.meetings.records import Option
from support.meetings.scenario import Brief, Intent, scenarios
from support.solvers import scheduling

NAMES = ("Ana", "Ben", "Cem", "Dee", "Eva")
ZONES = dict.fromkeys(NAMES, "America/New_York")
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


@pytest.fixture(scope="module")
def brief(invite):
    """Build what a coordinator is given, from what each member said."""

    def build(said, k=2, required=(), members=NAMES, **rest):
        intents = {m: Intent(tuple(said.get(m, ()))) for m in members}
        return Brief(invite(members, required=required), 2 if rest.get("candidate") else 1, k, intents, **rest)

    return build


def propose(given, seed=0, attention=None, coordinator=None, zones=ZONES):
    made = coordinator or RuleBasedCoordinator(np.random.default_rng(seed), zones, attention)
    return list(asyncio.run(made.propose(given)))


def test_in_round_one_every_option_satisfies_two_members_or_as_many_as_can_be(brief):
    assert {s.start: s.members for s in propose(brief(SAID, k=3))} == {at(9): ("Ana", "Ben"), at(14): ("Cem", "Dee")}
    assert propose(brief({"Ana": ["Asks for 09:30"]}, k=1, members=("Ana",)))[0].start == at(9, 30)
    alone = propose(brief({"Ana": ["Asks for 09:00"], "Ben": ["Asks for 10:00"]}))
    assert {s.start: s.members for s in alone} == {at(9): ("Ana",), at(10): ("Ben",)}


def test_the_best_comes_first_by_members_then_by_score(brief):
    said = SAID | {"Eva": SAID["Dee"], "Ana": [*SAID["Ana"], "Avoids meetings after 16:00"]}
    assert propose(brief(said))[0].start == at(14)
    more = {"Ana": ["Prefers meetings before 12:00"], "Ben": ["Prefers meetings before 12:00", "Asks for 10:30"]}
    assert {propose(brief(more, k=1), seed)[0].start for seed in range(5)} == {at(10, 30)}


def test_from_round_two_the_candidate_is_first_and_the_others_satisfy_as_many(brief):
    candidate = Option("O1", at(17), ("Eva",))
    found = propose(brief(SAID, k=3, candidate=candidate, satisfied=2))
    assert found[0].start == at(17) and {s.start for s in found[1:]} == {at(9), at(14)}
    assert [s.start for s in propose(brief(SAID, k=3, candidate=candidate, satisfied=3))] == [at(17)]
    for seed in range(10):
        assert propose(brief(SAID, candidate=candidate, satisfied=2), seed, attention=1)[0].start == at(17)


def test_a_required_attendee_works_in_an_option_even_alone_and_stops_nobody(brief):
    found = propose(brief(SAID, required=("Eva", "Dee")))
    assert {m for s in found for m in s.members} >= {"Eva", "Dee"}
    nowhere = SAID | {"Eva": ["Asks for 03:00"]}
    assert {s.start for s in propose(brief(nowhere, required=("Eva",)))} == {at(9), at(14)}


def test_options_lie_an_hour_apart_while_enough_qualify_and_there_are_never_more_than_slots(brief):
    for seed in range(5):
        found = [datetime.fromisoformat(s.start) for s in propose(brief(ANYTIME, k=4), seed)]
        assert min(abs(a - b) for a in found for b in found if a != b) >= timedelta(hours=1) and len(found) == 4
    close = {m: ["Prefers meetings between 09:00 and 10:30"] for m in NAMES}
    assert {s.start for s in propose(brief(close))} == {at(9), at(9, 30)}
    for made in (None, RandomCoordinator(np.random.default_rng(0))):
        assert len(propose(brief(ANYTIME, k=100), coordinator=made)) == 19


def test_with_a_database_those_who_work_together_come_first_among_equals(brief):
    def chosen(*relations):
        database = Database((), relations) if relations else None
        return {propose(brief(SAID, k=1, database=database), seed)[0].members for seed in range(20)}

    assert chosen() == {("Ana", "Ben"), ("Cem", "Dee")}
    for pair in (("Ana", "Ben"), ("Cem", "Dee")):
        for relation in ("teammate", "collaborator", "manager"):
            assert chosen((*pair, relation)) == {pair}
    assert chosen(("Ana", "Ben", "teammate"), ("Cem", "Dee", "manager")) == {("Cem", "Dee")}


def test_reasons_are_what_members_expressed_and_only_what_holds_each_on_the_own_clock(brief):
    said = {
        "Ana": ["Prefers meetings before 12:00", "Avoids meetings on Mondays", "Likes tea"],
        "Ben": ["Asks for 3 pm"],
    }
    found = propose(brief(said, k=1), zones=ZONES | {"Ben": "Europe/Berlin"})
    assert found[0].reasons == ("Ana: Prefers meetings before 12:00", "Ben: Asks for 3 pm")


@given(st.permutations(NAMES), st.integers(0, 5))
def test_property_the_order_of_members_does_not_matter(brief, names, seed):
    first, again = (propose(brief(SAID, members=tuple(order)), seed) for order in (NAMES, names))
    assert [(s.start, set(s.members)) for s in first] == [(s.start, set(s.members)) for s in again]


def test_a_satisficer_looks_at_a_few_slots_and_at_those_that_were_named(brief):
    for seed in range(10):
        found = {s.start for s in propose(brief(ANYTIME | {"Ana": ["Asks for 13:00"]}, k=100), seed, attention=2)}
        assert at(13) in found and len(found) <= 3
    assert any(len(propose(brief(SAID, k=1), seed, attention=1)[0].members) < 2 for seed in range(30))


# -- the hybrid ------------------------------------------------------------------------------------------------------


def busy(*hours):
    return tuple(tuple(datetime.fromisoformat(at(h)) for h in pair) for pair in hours)


@pytest.fixture(scope="module")
def hybrid(small, brief):
    """The starts that a hybrid coordinator proposes to Ana, Ben and Cem, or its suggestions."""

    def starts(said, k=9, calendars=None, zones=None, required=(), whole=False, **rest):
        made = small(dict.fromkeys(NAMES[:3], ()), zones, calendars, required=required)
        found = propose(brief(said, k, required, NAMES[:3], **rest), coordinator=HybridCoordinator.of(made))
        return found if whole else [s.start for s in found]

    return starts


def test_what_binds_who_is_required_are_calendars_hours_on_the_own_clock_and_wishes_above_all(hybrid):
    calendars = {"Ana": busy((8, 12)), "Ben": busy((12, 16)), "Cem": busy((8, 18))}
    assert set(hybrid({}, calendars=calendars, required=("Ana", "Ben"))) == {at(16), at(16, 30), at(17)}
    assert max(hybrid({}, 99, zones={"Ana": "Europe/Berlin"}, required=("Ana",))) == at(11)
    said = {"Ana": ["Prefers meetings between 13:00 and 15:00, above all"], "Ben": ["Prefers meetings before 10:00"]}
    assert set(hybrid(said, required=("Ana",))) == {at(13), at(13, 30), at(14)}
    calendars = {"Ana": busy((8, 13)), "Ben": busy((13, 18))}
    with pytest.raises(InvalidInput, match=r"m1: No time is left.*Ana's calendar.*Ben's calendar.*least to give up"):
        hybrid({}, calendars=calendars, required=("Ana", "Ben"))


def test_as_many_as_possible_attend_then_get_something_then_priorities_count(hybrid):
    said = {"Ana": ["Prefers meetings before 10:00"], "Ben": ["Prefers meetings between 11:00 and 13:00, if possible"],
            "Cem": ["Prefers meetings after 12:00"]}  # fmt: skip
    assert hybrid(said, 1, {"Ben": busy((8, 10)), "Cem": busy((16, 18))}) == [at(12)]
    early = {"Ana": ["Prefers meetings before 12:00"], "Cem": ["Prefers meetings before 12:00"]}
    assert hybrid(early, 1, {"Ben": busy((8, 16))}) == [at(16)]


def test_its_options_are_apart_after_the_candidate_and_reasons_name_known_calendars_and_what_holds(hybrid):
    found = hybrid({}, 3, candidate=Option("O1", at(11)))
    moments = [datetime.fromisoformat(s) for s in found]
    assert found[0] == at(11) and len(found) == 3
    assert min(abs(a - b) for a in moments for b in moments if a != b) >= timedelta(hours=1)
    said = {"Ana": ["Prefers meetings before 12:00", "Avoids meetings on Mondays"]}
    [first] = hybrid(said, 1, dict.fromkeys(NAMES[:3], ()), whole=True)
    assert (first.reasons, first.members) == (("free for all 3", "Ana: Prefers meetings before 12:00"), ("Ana",))
    [first] = hybrid({}, 1, {"Ana": ()}, whole=True)
    assert first.reasons == ("free for Ana",)


def test_the_wishes_that_the_solver_sees_are_those_that_slots_fulfil():
    for scenario in scenarios(5, 2, 3):
        intents = {m: Intent(tuple(scenario.private[m].texts[:1])) for m in scenario.members}
        made = HybridCoordinator.of(scenario)
        assert made.scenario.private == {}
        plan = Plan(
            Brief(scenario.meeting, 1, 2, intents), made.scenario,
            understood(scenario.meeting, intents, (), scenario.zones),
        )  # fmt: skip
        optional = set(scenario.members) - set(scenario.meeting.required)
        for start in scenario.meeting.slots()[::5]:
            coming = {m for m in optional if plan.attends(m, start)}
            held = [
                [w.priority for w in plan.wishes[m] if w.fulfilled(scenario.situation(m, start))]
                for m in {*scenario.meeting.required, *coming}
            ]
            worth = PRESENT * len(coming) + sum(SATISFIED * bool(w) + sum(w) for w in held)
            minute = (start - plan.origin) // timedelta(minutes=1)
            assert scheduling.values(plan.problem, np.array([minute])).tolist() == [worth]


# -- evaluators ------------------------------------------------------------------------------------------------------

BOTH = {"Ana": "America/New_York", "Ben": "Europe/Berlin"}
TEN, FOUR = Option("O1", at(10)), Option("O2", at(16))


@pytest.fixture(scope="module")
def scored(invite):
    """The scores of two options, by option and member."""

    def run(evaluator, intents, options=(TEN, FOUR), round=1):
        return {(s.option, s.member): s for s in asyncio.run(evaluator.score(invite(), options, intents, round))}

    return run


def values(found):
    return [s.value for s in found.values()]


def test_scores_follow_equation_five_on_what_was_restated_with_reasons_on_the_own_clock(scored):
    said = ("Prefers meetings before 12:00", "Avoids meetings on Fridays", "Keeps 15:00 to 18:00 free for focused work")
    intents = {
        "Ana": Intent((*said, "Likes clear agendas")),
        "Ben": Intent(("Prefers meetings between 15:00 and 17:00",)),
    }
    found = scored(RuleBasedEvaluator(BOTH), intents)
    assert values(found) == [3, 3, 1, 0]
    assert found["O2", "Ana"].reasons[:2] == (f"not fulfilled: {said[0]}", f"fulfilled: {said[1]}")
    assert values(scored(RuleBasedEvaluator(BOTH), {})) == [0] * 4
    assert values(scored(RuleBasedEvaluator(BOTH, 1), {})) == [1] * 4


def test_an_agreement_counts_even_where_no_restatement_words_it_and_once_where_one_does(scored, invite):
    said = {"Ana": Intent((), "O2"), "Ben": Intent(("Sounds good",), "O2")}
    assert values(scored(RuleBasedEvaluator(BOTH), said)) == [0, 0, 3, 3]
    intents = {"Ben": Intent(("Agrees to Monday 16 February at 16:00",), "O1")}
    assert understood(invite(), intents, (TEN,), BOTH)["Ben"] == (At(2, "16:00", "2026-02-16"),)


def test_the_exact_evaluator_scores_the_truth_of_the_round_with_calendars_whatever_was_said(scored, small):
    class Fickle:
        def preferences_in(self, round):
            return (Window(2, "08:00", "12:00") if round == 1 else Window(2, "13:00", "18:00"),)

    made = small({"Ana": (), "Ben": (Gap(2, 15),)}, BOTH, {"Ben": busy((9, 10))})
    said = {"Ana": Intent(("Prefers meetings after 12:00",)), "Ben": Intent((restate(Gap(2, 15)),))}
    exact = ExactEvaluator(made, {"Ana": Fickle(), "Ben": object()})
    assert values(scored(exact, said)) == [3, 0, 0, 3] and values(scored(exact, said, round=2)) == [0, 0, 3, 3]
    assert values(scored(RuleBasedEvaluator(BOTH), said)) == [0, 3, 3, 3]  # knows no calendar


def test_on_the_truth_in_words_both_evaluators_agree(scored, small):
    truth = {"Ana": (Window(3, "08:00", "11:00"), Weekdays(1, ("Tuesday",))), "Ben": (Flexible(2), At(2, "22:00"))}
    said = {m: Intent(tuple(map(restate, wishes))) for m, wishes in truth.items()}
    assert scored(ExactEvaluator(small(truth, BOTH), {}), said) == scored(RuleBasedEvaluator(BOTH), said)
