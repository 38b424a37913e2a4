"""What a vote decides and says, what it does not depend on, what no ballot is; ours beside `pref_voting`."""

from __future__ import annotations

import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.choice import RULES, PrefVoting, check_ballot, tally
from support.errors import InvalidBallot, InvalidInput

NAMES = ("A", "B", "C", "D")


def a_ballot(form, candidates):
    """A strategy of well-formed ballots, abstentions included."""
    count = len(candidates)
    cuts = st.lists(
        st.integers(0, 2 * count), min_size=count - 1, max_size=count - 1
    ).map(sorted)
    halves = cuts.map(lambda at: np.diff([0, *at, 2 * count]).tolist())
    by_form = {
        "vote": st.sampled_from(candidates),
        "ratings": st.fixed_dictionaries(dict.fromkeys(candidates, st.integers(1, 5))),
        "ranking": st.permutations(candidates),
        "points": halves.map(
            lambda parts: {
                c: part / 2 for c, part in zip(candidates, parts, strict=True)
            }
        ),
    }
    return st.none() | by_form[form]


@st.composite
def elections(draw):
    """A rule, its ballots and its candidates."""
    rule = draw(st.sampled_from(list(RULES)))
    candidates = NAMES[: draw(st.integers(1, 4))]
    cast = draw(st.lists(a_ballot(RULES[rule].form, candidates), max_size=6))
    return (
        rule,
        {f"agent {number}": ballot for number, ballot in enumerate(cast)},
        candidates,
    )


@pytest.mark.parametrize(
    ("rule", "ballots", "winner", "why"),
    [
        ("unanimous", {1: "A", 2: "A", 3: "A"}, "A", "A wins with 3 votes (3 of 3 needed)."),
        ("unanimous", {1: "A", 2: "A", 3: None}, None,
         "Deferred: nobody has the 3 of 3 votes needed, the most is 2 votes (A)."),
        ("majority", {1: "A", 2: "A", 3: None}, "A", "A wins with 2 votes (2 of 3 needed)."),
        ("majority", {1: "A", 2: "A", 3: "B", 4: None}, None,
         "Deferred: nobody has the 3 of 4 votes needed, the most is 2 votes (A)."),
        ("plurality", {1: "A", 2: None, 3: None}, "A", "A wins with 1 vote."),
        ("plurality", {1: None}, None, "Deferred: nobody voted."),
        ("rated", {1: {"A": 5, "B": 1, "C": 4}, 2: {"A": 1, "B": 1, "C": 4}}, "C", "C wins with 8 points."),
        ("ranked", {1: ["A", "B", "C"], 2: ["B", "C", "A"]}, "B", "B wins with 3/2 points."),
        ("cumulative", {1: {"A": 3}, 2: {"B": 2, "C": 1}, 3: {"B": 1.5, "C": 1.5}}, "B", "B wins with 7/2 points."),
        ("cumulative", {1: dict.fromkeys("ABC", 1)}, None, "Deferred: A, B and C tie with 1 point."),
    ],
)  # fmt: skip
def test_each_rule_decides_as_the_paper_says_and_why(rule, ballots, winner, why):
    result = tally(
        rule, ballots, ["A", "B", "C", "A"]
    )  # identical proposals are one candidate
    assert (result.winner, result.why) == (winner, why)


def test_harmonic_scores_are_exact_where_float_thirds_lose_a_tie():
    """Candidates 1 and 2 both have 1/3 + 1/3 + 1 + 1, which floats add up to two different numbers."""
    rankings = [[2, 0, 1], [2, 0, 1], [1, 0, 2], [1, 0, 2]]
    in_floats = [
        sum(1 / (ranking.index(candidate) + 1) for ranking in rankings)
        for candidate in range(3)
    ]
    result = tally("ranked", dict(enumerate(rankings)), range(3))
    assert in_floats[1] < in_floats[2]
    assert result.scores[1] == result.scores[2] == Fraction(8, 3)
    assert (result.winner, result.tied) == (None, (1, 2))


TIE = {1: "A", 2: "B", 3: "A", 4: "B", 5: "C"}


def test_the_status_quo_wins_a_tie_that_it_is_part_of_and_no_other():
    for standing, winner in (("B", "B"), ("C", None), (None, None)):
        result = tally(
            "plurality", TIE, NAMES, tie_break="status_quo", standing=standing
        )
        assert (result.winner, result.tied) == (
            winner,
            ("A", "B"),
        ) and "tie-break status_quo" in result.why
    below = tally("majority", TIE, NAMES, tie_break="status_quo", standing="A")
    assert (below.winner, below.tied) == (
        None,
        ("A", "B"),
    )  # who shares the top below the threshold is only named


def test_the_lottery_draws_one_of_the_tied_repeatably_and_whatever_the_order_of_ballots():
    def draw(ballots, seed):
        return tally(
            "plurality",
            ballots,
            NAMES,
            tie_break="lottery",
            rng=np.random.default_rng(seed),
        )

    drawn = [draw(TIE, seed).winner for seed in range(40)]
    assert set(drawn) == {"A", "B"}
    assert drawn == [
        draw(dict(reversed(TIE.items())), seed).winner for seed in range(40)
    ]
    assert "drawn by lottery (tie-break lottery)" in draw(TIE, 0).why


@given(elections(), st.permutations(NAMES), st.randoms(use_true_random=False))
def test_property_neither_who_votes_nor_in_which_order_matters_and_renamed_candidates_rename_the_outcome(
    election, names, random
):
    rule, ballots, candidates = election
    new, cast = dict(zip(NAMES, names, strict=True)), list(ballots.values())
    random.shuffle(cast)
    result = tally(rule, ballots, candidates)
    assert tally(rule, dict(enumerate(cast)), candidates) == result
    renamed = tally(
        rule,
        {agent: rename(b, new) for agent, b in ballots.items()},
        [new[c] for c in candidates],
    )
    assert renamed.winner == new.get(result.winner) and renamed.tied == tuple(
        new[c] for c in result.tied
    )
    assert dict(renamed.scores) == {new[c]: score for c, score in result.scores.items()}


def rename(ballot, new):
    if ballot is None or isinstance(ballot, str):
        return new.get(ballot)
    if isinstance(ballot, dict):
        return {new[candidate]: number for candidate, number in ballot.items()}
    return [new[candidate] for candidate in ballot]


@given(elections(), st.integers(0, 2**32 - 1))
def test_property_a_tie_break_changes_ties_only_and_picks_one_of_the_tied(
    election, seed
):
    rule, ballots, candidates = election
    deferred = tally(rule, ballots, candidates)
    drawn = tally(
        rule, ballots, candidates, tie_break="lottery", rng=np.random.default_rng(seed)
    )
    assert (drawn.scores, drawn.tied) == (deferred.scores, deferred.tied)
    assert drawn.winner == deferred.winner or drawn.winner in deferred.tied


ABC = ["A", "B", "C"]


@pytest.mark.parametrize(
    ("rule", "ballot", "canonical"),
    [
        (
            "rated",
            {"C": np.int64(5), "A": np.float64(1), "B": Fraction(3)},
            {"A": 1, "B": 3, "C": 5},
        ),
        ("ranked", ["C", "A", "B"], ("C", "A", "B")),
        (
            "cumulative",
            {"A": 2, "B": np.float32(0.1), "C": 0.9},
            {"A": 2, "B": Fraction(1, 10), "C": Fraction(9, 10)},
        ),
    ],
)
def test_a_ballot_has_one_canonical_form(rule, ballot, canonical):
    assert (
        check_ballot(rule, ballot, ABC)
        == canonical
        == check_ballot(rule, canonical, ABC)
    )


@pytest.mark.parametrize(
    ("rule", "ballot", "message"),
    [
        (
            "plurality",
            ["A"],
            r"ballot of Ann: got \['A'\], expected one of the candidates.*'A', 'B', 'C'",
        ),
        (
            "rated",
            {"A": 1, "B": True, "C": 3},
            "a whole number from 1 to 5 for every candidate, or None",
        ),
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
        tally(rule, {"Ann": ballot}, ABC)


CYCLE = {1: ["x", "y", "z"], 2: ["y", "z", "x"], 3: ["z", "x", "y"]}


def test_what_is_no_rule_no_tie_break_and_no_method_of_one_winner_is_refused():
    for rule, options, said in (
        ("borda", {}, "rule: got 'borda', expected one of unanimous, majority, "),
        ("ranked", {"tie_break": "coin"}, "tie_break: got 'coin'"),
        ("ranked", {"tie_break": "lottery"}, "rng: got .* expected a numpy Generator"),
        (
            PrefVoting(lambda profile: {0: 0.5, 1: 0.5}, name="coin"),
            {},
            r"rule coin: .*probabilities.*`support`",
        ),
    ):
        with pytest.raises(InvalidInput, match=said):
            tally(rule, CYCLE, ["x", "y", "z"], **options)


def test_methods_of_pref_voting_on_rankings_grades_and_utilities_are_rules_whose_ties_go_to_the_tie_break():
    from pref_voting.c1_methods import copeland
    from pref_voting.grade_methods import majority_judgement
    from pref_voting.iterative_methods import approval_irv
    from pref_voting.utility_methods import sum_utilitarian

    result = tally(
        PrefVoting(copeland), CYCLE | {4: ["x", "y", "z"], 5: None}, ["x", "y", "z"]
    )
    assert (result.rule, result.winner, result.why) == ("Copeland", "x", "x wins.")
    for method in (copeland, approval_irv):  # the second reads rankings with ties only
        result = tally(
            PrefVoting(method, "m"),
            CYCLE,
            ["x", "y", "z"],
            tie_break="status_quo",
            standing="z",
        )
        assert (result.rule, result.winner, result.tied) == ("m", "z", ("x", "y", "z"))
    result = tally(
        PrefVoting(lambda profile: [], name="nobody"), CYCLE, ["x", "y", "z"]
    )
    assert (result.winner, result.why) == (None, "Deferred: nobody elects nobody.")
    judged, summed = (
        PrefVoting(majority_judgement, form="ratings"),
        PrefVoting(sum_utilitarian, form="points"),
    )
    assert (
        tally(
            judged,
            {1: {"x": 5, "y": 4}, 2: {"x": 1, "y": 4}, 3: {"x": 2, "y": 4}},
            ["x", "y"],
        ).winner
        == "y"
    )
    assert (
        tally(summed, {1: {"x": 2}, 2: {"y": 1.5, "x": 0.5}}, ["x", "y"]).winner == "x"
    )


def test_winners_are_those_of_plain_loops_and_of_pref_voting_on_random_votes_and_real_elections():
    oracles = runpy.run_path(str(Path(__file__).with_name("oracles.py")))
    assert oracles["votes"](600)[:2] == (0, 0)
    assert oracles["real_elections"]()[0] == 0
