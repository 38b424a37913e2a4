"""Rule-based negotiators do what their docstrings say."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.choice import RULES, check_ballot
from support.roundtable.economy import exchange_economy, largest_remainder, whole_units
from support.roundtable.negotiators import (
    KINDS,
    Boulware,
    Conceder,
    Linear,
    Truthful,
    ZeroIntelligence,
    points,
    ratings,
)
from support.roundtable.records import Candidate, Decision, Message, Round, View
from support.roundtable.seats import seat_all
from support.roundtable.table import play

ECONOMY = exchange_economy()
ABC = ECONOMY.agents
ALL = ((100.0,) * 3, (0.0,) * 3, (0.0,) * 3)
NONE = ((0.0,) * 3, (50.0,) * 3, (50.0,) * 3)
BEST = ((80.0, 10.0, 10.0), (10.0, 80.0, 10.0), (10.0, 10.0, 80.0))
GREEDY = ((90.0, 90.0, 90.0), (5.0, 5.0, 5.0), (5.0, 5.0, 5.0))
CLAIMS = tuple(
    Message(a, tuple(set(ABC) - {a}), "…", claim=tuple(zip("ABC", w, strict=True)))
    for a, w in zip(ABC, ECONOMY.weights, strict=True)
)


def agent(kind, noise=0.0, seed=0, economy=ECONOMY, me="Ana"):
    return kind(economy.background(me), np.random.default_rng(seed), noise)


def view(number=1, rounds=10, form="vote", values=(), standing=None, messages=CLAIMS):
    listed = tuple(Candidate(f"P{i}", value, ("Ben",)) for i, value in enumerate(values, start=1))
    decision = standing and Decision("P1", standing, 1)
    history = (Round(1, (), (), (), (), None, (), "", decision),) if standing else ()
    return View("Ana", ABC, "any", form, "", number, rounds, history, messages, (), listed)


def vote(who, seen):
    return asyncio.run(who.vote(seen)).choice


def propose(who, seen):
    return asyncio.run(who.propose(seen))


# -- common ground --------------------------------------------------------------------------------------------------


def test_a_share_is_one_for_everything_and_zero_for_nothing():
    for exponents in ("sum_to_one", "printed"):
        someone = agent(Linear, economy=exchange_economy(exponents=exponents))
        assert (someone.share(ALL), someone.share(NONE)) == (pytest.approx(1.0), 0.0)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("rule", list(RULES))
@pytest.mark.parametrize(("agents", "exponents"), [(3, "printed"), (4, "sum_to_one")])
def test_no_kind_ever_breaks_a_form(kind, rule, agents, exponents):
    economy, rng = exchange_economy(agents=agents, exponents=exponents), np.random.default_rng(1)
    record = asyncio.run(play(economy, seat_all(economy, kind, rng), rule, rounds=3))
    assert [r.format_errors for r in record.rounds] == [()] * 3
    assert set(record.seats.values()) == {kind}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_without_candidates_everybody_abstains(kind):
    assert vote(agent(KINDS[kind]), view()) is None


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_same_stream_gives_the_same_behaviour(kind):
    def behaviour(seed):
        who = agent(KINDS[kind], noise=0.2, seed=seed)
        return (
            asyncio.run(who.message(view())),
            propose(who, view()),
            vote(who, view(form="points", values=[BEST, ALL])),
        )

    assert behaviour(1) == behaviour(1)
    assert behaviour(1) != behaviour(2)


def test_a_plan_that_has_not_changed_is_not_proposed_again():
    who = agent(Truthful, noise=0.1)
    assert propose(who, view(number=1)) is not None
    assert propose(who, view(number=2)) is None
    assert propose(who, view(number=3, messages=())) is not None


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.floats(0, 1), st.integers(1, 10), st.integers(0, 99))
def test_property_a_proposal_is_an_allocation_whatever_the_noise(kind, noise, number, seed):
    made = propose(agent(KINDS[kind], noise=noise, seed=seed), view(number=number, standing=BEST))
    assert ECONOMY.validate(made.value) == made.value
    assert np.asarray(made.value).sum(axis=0).tolist() == [100.0] * 3


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(list(RULES)),
    st.lists(st.sampled_from([BEST, ALL, NONE, GREEDY, ECONOMY.even_split]), min_size=1, unique=True),
    st.floats(0, 1),
    st.integers(0, 99),
)
def test_property_a_ballot_has_the_form_of_its_rule(kind, rule, values, noise, seed):
    seen = replace(view(number=5, form=RULES[rule].form, values=values), rule=rule)
    choice = vote(agent(KINDS[kind], noise=noise, seed=seed), seen)
    pairs = isinstance(choice, tuple) and isinstance(choice[0], tuple)
    checked = check_ballot(rule, dict(choice) if pairs else choice, [c.id for c in seen.candidates])
    assert (checked is None) == (choice is None)


def test_noise_makes_the_hand_tremble_and_none_keeps_it_steady():
    steady, trembling = (propose(agent(Truthful, noise=n), view()).value for n in (0.0, 0.2))
    assert steady == BEST
    assert trembling != BEST
    assert np.abs(np.asarray(trembling) - np.asarray(BEST)).max() < 40


# -- zero intelligence -----------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999), st.sampled_from(["sum_to_one", "printed"]))
def test_property_zero_intelligence_never_proposes_a_loss(seed, exponents):
    economy = exchange_economy(exponents=exponents)
    who = agent(ZeroIntelligence, noise=0.5, seed=seed, economy=economy)
    stood = ((25.0, 30.0, 30.0), (45.0, 40.0, 30.0), (30.0, 30.0, 40.0))  # half of all draws are no loss
    assert who.share(propose(who, view(standing=stood)).value) >= who.share(stood) - 1e-9


def test_zero_intelligence_proposes_at_random_and_anew():
    who = agent(ZeroIntelligence)
    assert len({propose(who, view()).value for _ in range(20)}) == 20


def test_zero_intelligence_votes_at_random_for_what_is_no_loss():
    cast = [vote(agent(ZeroIntelligence, seed=s), view(values=[BEST, NONE, ALL], standing=BEST)) for s in range(60)]
    assert set(cast) == {"P1", "P3"}
    assert 15 < cast.count("P1") < 45


def test_zero_intelligence_ranks_what_is_a_loss_last():
    rankings = {
        vote(agent(ZeroIntelligence, seed=s), view(form="ranking", values=[NONE, BEST, ALL], standing=BEST))
        for s in range(40)
    }
    assert rankings == {("P2", "P3", "P1"), ("P3", "P2", "P1")}


# -- concession -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Boulware, Linear, Conceder])
def test_aspiration_falls_from_everything_to_the_even_split(kind):
    who = agent(kind)
    path = [who.aspiration(view(number=r)) for r in range(1, 11)]
    assert path[0] == pytest.approx(1.0)
    assert path[-1] == pytest.approx(1 / 3)  # the even split, in shares of everything
    assert (np.diff(path) <= 0).all()


def test_boulware_holds_out_and_conceder_gives_in():
    middle = [agent(kind).aspiration(view(number=5)) for kind in (Boulware, Linear, Conceder)]
    assert middle == sorted(middle, reverse=True)
    # Faratin et al. (1998): 1 - (1 - reservation) * t ** (1 / beta), at t = 4 / 9.
    expected = [1 - (2 / 3) * (4 / 9) ** (1 / beta) for beta in (0.2, 1.0, 5.0)]
    assert middle == pytest.approx(expected)


def test_concession_is_linear_in_time_for_linear():
    path = [agent(Linear).aspiration(view(number=r)) for r in range(1, 11)]
    assert np.diff(path) == pytest.approx(-(2 / 3) / 9)


def test_nobody_concedes_below_the_decision_at_hand():
    assert agent(Conceder).aspiration(view(number=10, standing=GREEDY)) == pytest.approx(0.9)
    assert agent(Conceder).aspiration(view(number=10, standing=NONE)) == pytest.approx(1 / 3)


def test_in_a_single_round_nobody_concedes():
    assert agent(Conceder).aspiration(view(number=1, rounds=1)) == 1.0


@pytest.mark.parametrize("kind", [Boulware, Linear, Conceder])
def test_a_plan_meets_the_aspiration_and_is_efficient(kind):
    for number in range(1, 11):
        who, seen = agent(kind), view(number=number)
        plan = who.plan(seen)
        assert who.aspiration(seen) - 1e-6 <= who.share(plan) <= who.aspiration(seen) + 0.02
        rates = (ECONOMY.theta / np.maximum(plan, 1e-12))[plan.min(axis=1) > 1e-3]
        assert rates / rates[:, :1] == pytest.approx(np.broadcast_to(rates[0] / rates[0, 0], rates.shape))


def test_a_plan_treats_the_others_alike():
    utilities = ECONOMY.utilities(agent(Linear).plan(view(number=8)))
    assert utilities[1] == pytest.approx(utilities[2])


def test_a_conceder_votes_for_the_acceptable_candidate_that_is_kindest_to_the_worst_off():
    seen = view(number=10, values=[GREEDY, BEST, NONE])
    assert vote(agent(Linear), seen) == "P2"


def test_a_boulware_agent_abstains_while_nothing_meets_its_aspiration():
    assert vote(agent(Boulware), view(number=2, values=[BEST, ECONOMY.even_split])) is None
    assert vote(agent(Boulware), view(number=2, values=[BEST, ALL])) == "P2"


@pytest.mark.parametrize("form", ["ranking", "points", "ratings"])
def test_scored_ballots_state_the_own_utilities(form):
    choice = vote(agent(Linear), view(number=10, form=form, values=[NONE, BEST, ALL]))
    expected = {
        "ranking": ("P3", "P2", "P1"),
        "points": (("P1", 0), ("P2", 1), ("P3", 2)),
        "ratings": (("P1", 1), ("P2", 5), ("P3", 5)),
    }
    assert choice == expected[form]


# -- truthful --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponents", ["sum_to_one", "printed"])
def test_truthful_agents_who_heard_all_claims_propose_the_best_for_all(exponents):
    economy = exchange_economy(exponents=exponents)
    claims = tuple(
        Message(a, ("Ana",), "…", claim=tuple(zip("ABC", w, strict=True)))
        for a, w in zip(ABC, economy.weights, strict=True)
    )
    plan = agent(Truthful, economy=economy).plan(view(messages=claims))
    assert economy.utilities(plan).sum() == pytest.approx(economy.maximum, rel=1e-9)


def test_a_truthful_agent_votes_for_what_it_likes_best_itself():
    assert vote(agent(Truthful), view(values=[BEST, GREEDY, NONE])) == "P2"


def test_truthful_agents_reach_the_maximum_when_all_plan_alike():
    economy, rng = exchange_economy(), np.random.default_rng(0)
    record = asyncio.run(play(economy, seat_all(economy, "truthful", rng, noise=0.0), "unanimous", rounds=1))
    assert record.outcome.value == BEST
    assert record.rounds[0].candidates[0].proposers == ABC


# -- helpers ---------------------------------------------------------------------------------------------------------


def test_ratings_are_equal_steps_below_full_marks():
    assert ratings(np.array([-0.5, 0.0, 0.1, 0.2, 0.39, 0.4, 0.5, 2.0]), full_marks=0.5) == [1, 1, 1, 2, 3, 4, 5, 5]


def test_points_are_in_proportion_to_what_is_above_the_worst():
    assert points(np.array([0.0, 0.25, 0.5, 0.25])) == [0, 1, 2, 1]
    assert points(np.array([0.3, 0.3, 0.3])) == [1, 1, 1]


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=6))
def test_property_points_are_whole_and_sum_to_the_number_of_candidates(perceived):
    given_ = points(np.array(perceived))
    assert sum(given_) == len(perceived)
    assert all(isinstance(p, int) and p >= 0 for p in given_)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=6), st.integers(1, 200))
def test_property_largest_remainders_sum_to_the_total_and_stay_within_one(shares, total):
    quota = np.array(shares) / sum(shares) * total
    whole = largest_remainder(quota, total)
    assert whole.sum() == total
    assert np.abs(whole - quota).max() < 1 + 1e-6


def test_whole_units_keep_whole_amounts():
    assert whole_units(np.asarray(BEST), 100.0) == BEST
    assert whole_units(np.full((3, 1), 100 / 3), 100.0) == ((34.0,), (33.0,), (33.0,))
