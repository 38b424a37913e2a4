"""Arrays of ballots give what `tally` gives, profile by profile."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.choice import RULES, Rule, tally, tally_many
from support.errors import InvalidBallot, InvalidInput


def an_array(rng, form, profiles, agents, count, abstain=0.3):
    """Random ballots of one form, some of them abstentions."""
    shape = (profiles, agents, count)
    rankings = rng.permuted(np.broadcast_to(np.arange(count), shape), axis=2)
    ballots = {
        "vote": rankings[:, :, 0],
        "ranking": rankings,
        "ratings": rng.integers(1, 6, shape),
        "points": rng.multinomial(count, [1 / count] * count, shape[:2]),
    }[form].copy()
    ballots[rng.random(shape[:2]) < abstain] = -1 if form in ("vote", "ranking") else 0
    return ballots


def as_ballots(form, profile):
    """One profile of an array as `tally` takes it."""
    rows = profile.tolist()
    if form == "vote":
        return {agent: None if vote < 0 else vote for agent, vote in enumerate(rows)}
    if form == "ranking":
        return {agent: None if row[0] < 0 else row for agent, row in enumerate(rows)}
    return {agent: dict(enumerate(row)) if any(row) else None for agent, row in enumerate(rows)}


@given(
    st.sampled_from(list(RULES)), st.integers(0, 6), st.integers(1, 5), st.floats(0, 1), st.integers(0, 2**32 - 1)
)  # fmt: skip
def test_property_tally_many_equals_tally(rule, agents, count, abstain, seed):
    ballots = an_array(np.random.default_rng(seed), RULES[rule].form, 4, agents, count, abstain)
    assert_equals_tally(rule, ballots, count)


def assert_equals_tally(rule, ballots, count):
    form = (RULES[rule] if isinstance(rule, str) else rule).form
    many = tally_many(rule, ballots, count)
    for number, profile in enumerate(ballots):
        one = tally(rule, as_ballots(form, profile), range(count))
        assert many.winner[number] == (-1 if one.winner is None else one.winner)
        assert [Fraction(score, many.scale) for score in many.scores[number].tolist()] == list(one.scores.values())
        assert tuple(np.flatnonzero(many.tied[number]).tolist()) == one.tied


@pytest.mark.parametrize("rule", RULES)
def test_a_hundred_agents_and_twelve_candidates_are_still_exact(rule):
    ballots = an_array(np.random.default_rng(1), RULES[rule].form, 5, 150, 12)
    assert_equals_tally(rule, ballots, 12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("profiles", "agents", "count"), [(0, 3, 2), (2, 0, 2), (2, 3, 0), (0, 0, 0)])
def test_empty_arrays_defer(rule, profiles, agents, count):
    shape = (profiles, agents) if RULES[rule].form == "vote" else (profiles, agents, count)
    many = tally_many(rule, np.full(shape, -1), count)
    assert many.winner.tolist() == [-1] * profiles
    assert many.scores.shape == many.tied.shape == (profiles, count)


def test_a_rule_of_ones_own_that_changes_weights_works_on_arrays():
    class Veto(Rule):
        name, form, explanation = "veto", "ranking", "The one that is last least often is accepted."

        def weights(self, places):
            return [*[Fraction(0)] * (places - 1), Fraction(-1, 3)]

    assert_equals_tally(Veto(), an_array(np.random.default_rng(2), "ranking", 30, 4, 3), 3)


def test_the_scale_makes_harmonic_weights_whole():
    assert tally_many("ranked", [[[0, 1, 2, 3, 4]]], 5).scale == math.lcm(1, 2, 3, 4, 5)


def test_results_are_read_only_and_the_ballots_are_left_alone():
    ballots = np.array([[0, 1, 1]])
    many = tally_many("plurality", ballots, ["x", "y"])
    assert (many.winner.tolist(), many.winner.dtype, many.scores.dtype) == ([1], np.int64, np.int64)
    with pytest.raises(ValueError, match="read-only"):
        many.scores[0, 0] = 7
    assert ballots.tolist() == [[0, 1, 1]]
    assert ballots.flags.writeable


@pytest.mark.parametrize(
    ("rule", "ballots", "count", "parts"),
    [
        ("plurality", [[0, 1], [1, 2]], 2, ["profile 1, agent 1", "field vote", "got 2"]),
        ("plurality", [[0, -2]], 2, ["profile 0, agent 1", "field vote", "got -2"]),
        ("majority", [[0, 256]], 2, ["profile 0, agent 1", "got 256"]),
        ("rated", [[[1, 5], [1, 6]]], 2, ["profile 0, agent 1", "field ratings", "got [1, 6]"]),
        ("rated", [[[0, 0], [1, 0]]], 2, ["profile 0, agent 1", "field ratings", "got [1, 0]"]),
        ("ranked", [[[0, 1]], [[1, 1]]], 2, ["profile 1, agent 0", "field ranking", "got [1, 1]"]),
        ("ranked", [[[0, 1], [0, 2]]], 2, ["profile 0, agent 1", "got [0, 2]"]),
        ("ranked", [[[0, 257]]], 2, ["profile 0, agent 0", "got [0, 257]"]),
        ("ranked", [[[0, -1]]], 2, ["profile 0, agent 0", "got [0, -1]"]),
        ("ranked", [[[-2, -2]]], 2, ["profile 0, agent 0", "got [-2, -2]"]),
        ("cumulative", [[[1, 1], [2, -1]]], 2, ["profile 0, agent 1", "field points", "got [2, -1]"]),
        ("cumulative", [[[1, 1], [1, 0]]], 2, ["profile 0, agent 1", "field points", "got [1, 0]", "sum of 2"]),
        ("cumulative", [[[2**62, 2**62]]], 2, ["profile 0, agent 0", "field points"]),
    ],
)
def test_a_malformed_array_is_refused_with_profile_agent_field_and_value(rule, ballots, count, parts):
    with pytest.raises(InvalidBallot) as refusal:
        tally_many(rule, np.array(ballots), count)
    assert [part for part in parts if part not in str(refusal.value)] == []


@pytest.mark.parametrize(
    ("rule", "ballots", "candidates", "message"),
    [
        ("plurality", [0, 1], 2, r"ballots: got .*shape \(2,\), expected .*\(profiles, agents\)"),
        ("ranked", [[0, 1]], 2, r"expected .*\(profiles, agents, 2\)"),
        ("ranked", [[[0, 1, 2]]], 2, r"expected .*\(profiles, agents, 2\)"),
        ("cumulative", [[[0.5, 1.5]]], 2, "got an array of float64"),
        ("plurality", [[True]], 2, "got an array of bool"),
        ("plurality", [[0]], ["x", "x"], "candidates: got .*expected each once"),
        ("ranked", [[list(range(50))]], 50, "more than 64 bits"),
    ],
)
def test_an_array_that_does_not_fit_is_refused(rule, ballots, candidates, message):
    with pytest.raises(InvalidInput, match=message):
        tally_many(rule, ballots, candidates)


def test_a_rule_with_scores_of_its_own_is_sent_to_tally():
    class First(Rule):
        name, form, explanation = "first", "ranking", "The first place counts."

        def score_ballot(self, ballot, candidates):
            return {ballot[0]: Fraction(1)}

    with pytest.raises(InvalidInput, match=r"rule: got first.*Call tally once for each profile"):
        tally_many(First(), [[[0, 1]]], 2)
