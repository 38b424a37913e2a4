"""What a vote decides and says, what it does not depend on, what no ballot is; ours beside `pref_voting`."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from preflibtools.instances import OrdinalInstance

from support.choice import RULES, PrefVoting, Rule, check_ballot, explained, tally
from support.data import home
from support.errors import InvalidBallot, InvalidInput

NAMES = ("A", "B", "C", "D")


class Misspelt(Rule):
    name, form = "misspelt", "rankings"


@st.composite
def elections(draw):
    """A rule, its ballots, abstentions included, and its candidates."""
    rule = draw(st.sampled_from(list(RULES)))
    candidates = NAMES[: draw(st.integers(1, 4))]
    n = len(candidates)
    one = st.sampled_from(candidates)
    ballots = {
        "vote": one,
        "ratings": st.fixed_dictionaries(dict.fromkeys(candidates, st.integers(1, 5))),
        "ranking": st.permutations(candidates),
        "points": st.lists(one, min_size=n, max_size=n).map(Counter),
    }
    ballot = st.none() | ballots[RULES[rule].form]
    return rule, draw(st.lists(ballot, max_size=6)), candidates


@pytest.mark.parametrize(
    ("rule", "ballots", "winner", "why"),
    [
        (
            "unanimous",
            ["A", "A", None],
            None,
            "nobody has the 3 of 3 votes needed",
        ),
        (
            "majority",
            ["A", "A", None, "B"],
            None,
            "needed, the most is 2 votes (A).",
        ),
        ("plurality", [None], None, "Deferred: nobody voted."),
        ("ranked", ["ABC", "BCA"], "B", "B wins with 3/2 points."),
        # Fractions: float thirds would lose this tie.
        (
            "ranked",
            ["CAB", "CAB", "BAC", "BAC"],
            None,
            "B and C tie with 8/3 points.",
        ),
        (
            "cumulative",
            [{"A": 3}, {"B": 2, "C": 1}, {"B": 3}],
            "B",
            "with 5 points.",
        ),
    ],
)
def test_each_rule_decides_as_the_paper_says_and_why(rule, ballots, winner, why):
    # Identical proposals are one candidate.
    result = tally(rule, dict(enumerate(ballots)), ["A", "B", "C", "A"])
    assert result.winner == winner and why in result.why


def rename(ballot, new):
    if ballot is None or isinstance(ballot, str):
        return new.get(ballot)
    if isinstance(ballot, dict):
        return {new[candidate]: number for candidate, number in ballot.items()}
    return [new[candidate] for candidate in ballot]


@given(elections(), st.permutations(NAMES), st.randoms(use_true_random=False))
def test_property_neither_who_votes_nor_the_names_matter(election, names, random):
    rule, cast, candidates = election
    result = tally(rule, dict(enumerate(cast)), candidates)
    new = dict(zip(NAMES, names, strict=True))
    random.shuffle(cast)
    ballots = {place: rename(ballot, new) for place, ballot in enumerate(cast)}
    renamed = tally(rule, ballots, rename(candidates, new))
    assert renamed.winner == new.get(result.winner)
    assert renamed.tied == tuple(rename(result.tied, new))
    assert renamed.scores == rename(result.scores, new)


def test_a_ballot_has_one_canonical_form():
    exact = {
        "A": Fraction(1, 10),
        "C": Fraction(19, 10),
    }  # as it was written
    for points in ({"C": 1.9, "A": np.float32(0.1)}, exact):
        assert check_ballot("cumulative", points, "AC") == exact
    grades = {"C": np.int64(5), "A": np.float64(1)}
    assert check_ballot("rated", grades, "AC") == {"A": 1, "C": 5}
    assert check_ballot("ranked", ["C", "A"], "AC") == ("C", "A")


@pytest.mark.parametrize(
    ("rule", "ballot", "message"),
    [
        (
            "plurality",
            ["A"],
            r"ballot of Ann: got \['A'\], expected one of the cand",
        ),
        ("rated", {"A": 1, "B": "2", "C": 3}, "a whole number from 1 to 5"),
        ("rated", {"A": 1, "B": math.nan, "C": 3}, "whole number"),
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
    ballots, rng = dict(enumerate(OPPOSITE[rule])), np.random.default_rng(0)
    how = {"tie_break": tie_break, "standing": standing, "rng": rng}
    results = [tally(rule, ballots, "AB", **how) for _ in range(20)]
    assert {result.winner for result in results} == winners
    assert {result.tied for result in results} == {("A", "B")}


CYCLE = {1: ["x", "y", "z"], 2: ["y", "z", "x"], 3: ["z", "x", "y"]}


@pytest.mark.parametrize(
    ("rule", "tie_break", "why"),
    [
        (
            "borda",
            "defer",
            "rule: got 'borda', expected one of unanimous, majority, ",
        ),
        ("ranked", "coin", "tie_break: got 'coin'"),
        ("ranked", "lottery", "rng: got .* expected a numpy Generator"),
        (
            PrefVoting(lambda profile: {0: 0.5, 1: 0.5}, name="chances"),
            "defer",
            "rule chances: .* expected a list of winners",
        ),
        (Misspelt(), "defer", "whose form is one of vote, ratings"),
    ],
)
def test_what_is_no_rule_no_tie_break_and_no_method_of_winners_is_refused(
    rule, tie_break, why
):
    with pytest.raises(InvalidInput, match=why):
        tally(rule, CYCLE, "xyz", tie_break=tie_break)


def test_a_method_of_pref_voting_is_a_rule_whose_ties_go_to_the_tie_break():
    from pref_voting.c1_methods import copeland

    rule = PrefVoting(copeland)
    assert tally(rule, CYCLE | {4: ["x", "y", "z"], 5: None}, "xyz").winner == "x"
    result = tally(rule, CYCLE, "xyz", tie_break="status_quo", standing="z")
    assert (result.winner, result.tied) == ("z", ("x", "y", "z"))
    nobody = tally(PrefVoting(lambda profile: [], name="nobody"), CYCLE, "xyz")
    assert nobody.why == "Deferred: nobody elects nobody."


def winner_of(rule, ballots, agents):
    """The winner by a plain loop, None where the rule defers."""
    points = Counter()
    for ballot in filter(None, ballots):
        if RULES[rule].form == "vote":
            points[ballot] += 1
        elif rule == "ranked":
            for place, candidate in enumerate(ballot, start=1):
                points[candidate] += Fraction(1, place)
        else:
            points.update(ballot)
    most = max(points.values(), default=0)
    first = [candidate for candidate in points if points[candidate] == most]
    needed = {"unanimous": agents, "majority": agents // 2 + 1}.get(rule, 0)
    return first[0] if len(first) == 1 and most >= needed else None


@settings(max_examples=300)
@given(elections())
def test_property_winners_are_those_of_a_plain_loop(election):
    rule, cast, candidates = election
    found = tally(rule, dict(enumerate(cast)), candidates).winner
    assert found == winner_of(rule, cast, len(cast))


def test_winners_of_real_elections_are_those_of_pref_voting():
    """PrefLib's, by the two of our rules that can be counted from rankings."""
    from pref_voting.profiles import Profile
    from pref_voting.scoring_methods import plurality, scoring_rule

    paths = sorted((home() / "preflib").glob("*.soc"))
    if not paths:
        pytest.skip("PrefLib's elections are not on this machine")
    for path in paths:
        election = OrdinalInstance(str(path))
        number = {name: index for index, name in enumerate(election.alternatives_name)}
        rankings = []
        for order, times in election.multiplicity.items():
            rankings += [[number[c] for (c,) in order]] * times
        profile, whole = Profile(rankings), math.lcm(*range(1, len(number) + 1))
        # In float thirds it may lose a tie.
        harmonic = scoring_rule(profile, score=lambda _, place, w=whole: w // place)
        votes = [ranking[0] for ranking in rankings]
        cases = ("ranked", rankings, harmonic), ("plurality", votes, plurality(profile))
        for rule, ballots, found in cases:
            winner = tally(rule, dict(enumerate(ballots)), range(len(number))).winner
            assert winner == (found[0] if len(found) == 1 else None)
