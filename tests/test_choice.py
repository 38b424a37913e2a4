"""What a vote decides and says, what it does not depend on, what no ballot is; ours beside `pref_voting`."""

import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.choice import (
    RULES,
    PrefVoting,
    Rule,
    check_ballot,
    explained,
    tally,
)
from support.errors import InvalidBallot, InvalidInput

NAMES = ("A", "B", "C", "D")


def a_ballot(form, candidates):
    """A strategy of well-formed ballots, abstentions included."""
    count = len(candidates)
    cut = st.integers(0, 2 * count)
    cuts = st.lists(cut, min_size=count - 1, max_size=count - 1).map(sorted)
    halves = cuts.map(lambda at: np.diff([0, *at, 2 * count]) / 2)
    by_form = {
        "vote": st.sampled_from(candidates),
        "ratings": st.fixed_dictionaries(dict.fromkeys(candidates, st.integers(1, 5))),
        "ranking": st.permutations(candidates),
        "points": halves.map(lambda parts: dict(zip(candidates, parts, strict=True))),
    }
    return st.none() | by_form[form]


@st.composite
def elections(draw):
    """A rule, its ballots and its candidates."""
    rule = draw(st.sampled_from(list(RULES)))
    candidates = NAMES[: draw(st.integers(1, 4))]
    cast = draw(st.lists(a_ballot(RULES[rule].form, candidates), max_size=6))
    return rule, cast, candidates


@pytest.mark.parametrize(
    ("rule", "ballots", "winner", "why"),
    [
        (
            "unanimous",
            ["A", "A", "A"],
            "A",
            "A wins with 3 votes (3 of 3 needed).",
        ),
        (
            "unanimous",
            ["A", "A", None],
            None,
            "nobody has the 3 of 3 votes needed",
        ),
        (
            "majority",
            ["A", "A", None],
            "A",
            "A wins with 2 votes (2 of 3 needed).",
        ),
        (
            "majority",
            ["A", "A", None, "B"],
            None,
            "needed, the most is 2 votes (A).",
        ),
        ("plurality", ["A", None, None], "A", "A wins with 1 vote."),
        ("plurality", [None], None, "Deferred: nobody voted."),
        (
            "rated",
            [{"A": 5, "B": 1, "C": 4}, dict.fromkeys("ABC", 2)],
            "A",
            "7 points",
        ),
        ("ranked", ["ABC", "BCA"], "B", "B wins with 3/2 points."),
        (
            "cumulative",
            [{"A": 3}, {"B": 2, "C": 1}, {"B": 3}],
            "B",
            "with 5 points.",
        ),
        (
            "cumulative",
            [dict.fromkeys("ABC", 1)],
            None,
            "A, B and C tie with 1 point.",
        ),
    ],
)
def test_each_rule_decides_as_the_paper_says_and_why(rule, ballots, winner, why):
    # Identical proposals are one candidate.
    result = tally(rule, dict(enumerate(ballots)), ["A", "B", "C", "A"])
    assert result.winner == winner and why in result.why


def test_harmonic_scores_are_exact_where_float_thirds_lose_a_tie():
    result = tally("ranked", dict(enumerate(["CAB", "CAB", "BAC", "BAC"])), "ABC")
    assert 1 / 3 + 1 / 3 + 1 + 1 != 1 + 1 + 1 / 3 + 1 / 3
    assert result.scores["B"] == result.scores["C"] == Fraction(8, 3)
    assert (result.winner, result.tied) == (None, ("B", "C"))


def rename(ballot, new):
    if ballot is None or isinstance(ballot, str):
        return new.get(ballot)
    if isinstance(ballot, dict):
        return {new[candidate]: number for candidate, number in ballot.items()}
    return [new[candidate] for candidate in ballot]


@given(elections(), st.permutations(NAMES), st.randoms(use_true_random=False))
def test_property_neither_who_votes_nor_the_names_matter(election, names, random):
    rule, cast, candidates = election
    new = dict(zip(NAMES, names, strict=True))
    mixed = cast.copy()
    random.shuffle(mixed)
    result = tally(rule, dict(enumerate(cast)), candidates)
    assert tally(rule, dict(enumerate(mixed)), candidates) == result
    ballots = {k: rename(ballot, new) for k, ballot in enumerate(cast)}
    renamed = tally(rule, ballots, [new[one] for one in candidates])
    assert renamed.winner == new.get(result.winner)
    assert renamed.tied == tuple(new[one] for one in result.tied)
    assert renamed.scores == {new[one]: score for one, score in result.scores.items()}


@pytest.mark.parametrize(
    ("rule", "ballot"),
    [
        ("rated", {"C": np.int64(5), "A": np.float64(1), "B": Fraction(3)}),
        ("ranked", ["C", "A", "B"]),
        ("cumulative", {"A": 2, "B": np.float32(0.1), "C": 0.9}),
    ],
)
def test_a_ballot_has_one_canonical_form(rule, ballot):
    canonical = check_ballot(rule, ballot, "ABC")
    assert check_ballot(rule, canonical, "ABC") == canonical
    if rule == "cumulative":  # as it was written
        assert canonical["B"] == Fraction(1, 10)


@pytest.mark.parametrize(
    ("rule", "ballot", "message"),
    [
        (
            "plurality",
            ["A"],
            r"ballot of Ann: got \['A'\], expected one of the cand",
        ),
        ("rated", {"A": 1, "B": "2", "C": 3}, "a whole number from 1 to 5"),
        ("rated", {"A": 1, "B": float("nan"), "C": 3}, "whole number"),
        ("rated", {"A": 1, "C": 3}, "every candidate"),
        ("ranked", ["A", "B", "A"], "a list of all candidates, each once"),
        ("cumulative", {"A": 4, "B": -1}, "0 or more"),
        ("cumulative", {"A": 3.3333}, "sum to the number of candidates"),
        ("cumulative", {"A": 3, "D": 0}, "The candidates: 'A', 'B', 'C'"),
    ],
)
def test_a_malformed_ballot_is_refused(rule, ballot, message):
    with pytest.raises(InvalidBallot, match=message):
        tally(rule, {"Ann": ballot}, "ABC")


OPPOSITE = {
    "plurality": ["A", "B"],
    "rated": [{"A": 5, "B": 1}, {"A": 1, "B": 5}],
    "ranked": ["AB", "BA"],
    "cumulative": [{"A": 2}, {"B": 2}],
}


@pytest.mark.parametrize(
    ("tie_break", "standing", "told", "winners"),
    [
        ("defer", "B", "lead, nothing is accepted, and what stood", {None}),
        (
            "status_quo",
            "B",
            "the standing decision wins if it is among them",
            {"B"},
        ),
        ("status_quo", "C", "otherwise nothing is accepted", {None}),
        ("lottery", "B", "drawn by lot", {"A", "B"}),
    ],
)
@pytest.mark.parametrize("rule", OPPOSITE)
def test_what_is_told_of_a_tie_is_what_happens_at_one(
    rule, tie_break, standing, told, winners
):
    assert told in explained(rule, tie_break)
    ballots = dict(enumerate(OPPOSITE[rule]))
    found = set()
    how = {"tie_break": tie_break, "standing": standing}
    for seed in range(20):
        result = tally(rule, ballots, "AB", rng=np.random.default_rng(seed), **how)
        found.add(result.winner)
        assert result.tied == ("A", "B")
    assert found == winners


def test_nothing_is_told_of_ties_where_two_cannot_pass():
    class TwoThirds(Rule):
        name = "two thirds"
        form = "vote"
        explanation = "Two thirds are needed."

        def needed(self, agents):
            return -(-2 * agents // 3)

    for rule in ("unanimous", "majority", TwoThirds()):
        assert "lead" not in explained(rule) and "Identical" in explained(rule)


CYCLE = {1: ["x", "y", "z"], 2: ["y", "z", "x"], 3: ["z", "x", "y"]}


def test_what_is_no_rule_no_tie_break_and_no_method_of_winners_is_refused():
    chances = PrefVoting(lambda profile: {0: 0.5, 1: 0.5}, name="coin")
    for rule, options, why in (
        (
            "borda",
            {},
            "rule: got 'borda', expected one of unanimous, majority, ",
        ),
        ("ranked", {"tie_break": "coin"}, "tie_break: got 'coin'"),
        (
            "ranked",
            {"tie_break": "lottery"},
            "rng: got .* expected a numpy Generator",
        ),
        (chances, {}, "rule coin: .* expected a list of winners"),
    ):
        with pytest.raises(InvalidInput, match=why):
            tally(rule, CYCLE, ["x", "y", "z"], **options)


def test_a_method_of_pref_voting_is_a_rule_whose_ties_go_to_the_tie_break():
    from pref_voting.c1_methods import copeland

    rule = PrefVoting(copeland)
    xyz = ["x", "y", "z"]
    assert tally(rule, CYCLE | {4: xyz, 5: None}, xyz).winner == "x"
    result = tally(rule, CYCLE, xyz, tie_break="status_quo", standing="z")
    assert (result.winner, result.tied) == ("z", ("x", "y", "z"))
    nobody = tally(PrefVoting(lambda profile: [], name="nobody"), CYCLE, xyz)
    assert nobody.why == "Deferred: nobody elects nobody."


def test_winners_are_those_of_plain_loops_and_of_pref_voting_on_random_votes_and_real_elections():
    oracles = runpy.run_path(str(Path(__file__).with_name("oracles.py")))
    assert oracles["votes"](600)[:2] == (0, 0)
    assert oracles["real_elections"]()[0] == 0
