"""What a vote decides and says, what it does not depend on, what no ballot is; ours beside `pref_voting`."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.choice import RULES, PrefVoting, as_rule, check_ballot, tally
from support.errors import InvalidBallot, InvalidInput

NAMES = ("A", "B", "C", "D")


def a_ballot(form, candidates):
    """A strategy of well-formed ballots, abstentions included."""
    count = len(candidates)
    cuts = st.lists(st.integers(0, 2 * count), min_size=count - 1, max_size=count - 1).map(sorted)
    halves = cuts.map(lambda at: np.diff([0, *at, 2 * count]).tolist())
    by_form = {
        "vote": st.sampled_from(candidates),
        "ratings": st.fixed_dictionaries(dict.fromkeys(candidates, st.integers(1, 5))),
        "ranking": st.permutations(candidates),
        "points": halves.map(lambda parts: {c: part / 2 for c, part in zip(candidates, parts, strict=True)}),
    }
    return st.none() | by_form[form]


@st.composite
def elections(draw):
    """A rule, its ballots and its candidates."""
    rule = draw(st.sampled_from(list(RULES)))
    candidates = NAMES[: draw(st.integers(1, 4))]
    cast = draw(st.lists(a_ballot(RULES[rule].form, candidates), max_size=6))
    return rule, {f"agent {number}": ballot for number, ballot in enumerate(cast)}, candidates


def test_example_of_the_paper_majority_elects_the_apple():
    """RoundTable, section 3: F = Majority, agents 1 and 2 say yes to Apple, agent 3 to Banana."""
    result = tally("majority", {1: "Apple", 2: "Apple", 3: "Banana"}, ["Apple", "Banana", "Carrot"])
    assert result.winner == "Apple"
    assert dict(result.scores) == {"Apple": 2, "Banana": 1, "Carrot": 0}
    assert result.why == "Apple wins with 2 votes (2 of 3 needed)."


@pytest.mark.parametrize(
    ("rule", "ballots", "winner"),
    [
        ("unanimous", {1: "A", 2: "A", 3: "A"}, "A"),
        ("unanimous", {1: "A", 2: "A", 3: "B"}, None),
        ("unanimous", {1: "A", 2: "A", 3: None}, None),
        ("majority", {1: "A", 2: "A", 3: None}, "A"),
        ("majority", {1: "A", 2: None, 3: None}, None),
        ("majority", {1: "A", 2: "A", 3: "B", 4: None}, None),
        ("plurality", {1: "A", 2: None, 3: None}, "A"),
        ("plurality", {1: "A", 2: "B", 3: "C", 4: "C"}, "C"),
        ("plurality", {1: "A", 2: "B"}, None),
        ("rated", {1: {"A": 5, "B": 1, "C": 4}, 2: {"A": 1, "B": 1, "C": 4}}, "C"),
        ("rated", {1: {"A": 5, "B": 1, "C": 4}, 2: {"A": 4, "B": 1, "C": 5}}, None),
        ("ranked", {1: ["A", "B", "C"], 2: ["B", "A", "C"], 3: ["B", "C", "A"]}, "B"),
        ("cumulative", {1: {"A": 3}, 2: {"B": 2, "C": 1}, 3: {"B": 1.5, "C": 1.5}}, "B"),
    ],
)
def test_each_rule_decides_as_the_paper_says(rule, ballots, winner):
    assert tally(rule, ballots, ["A", "B", "C"]).winner == winner


@pytest.mark.parametrize(
    ("rule", "ballots", "why"),
    [
        ("plurality", {1: None, 2: None}, "Deferred: nobody voted."),
        ("plurality", {}, "Deferred: nobody voted."),
        ("plurality", {1: "A"}, "A wins with 1 vote."),
        ("plurality", {1: "A", 2: "B"}, "Deferred: A and B tie with 1 vote."),
        ("unanimous", {1: "A", 2: None}, "Deferred: nobody has the 2 of 2 votes needed, the most is 1 vote (A)."),
        ("majority", {1: "A", 2: "B"}, "Deferred: nobody has the 2 of 2 votes needed, the most is 1 vote (A and B)."),
        ("ranked", {1: ["A", "B", "C"], 2: ["B", "C", "A"]}, "B wins with 3/2 points."),
        ("cumulative", {1: dict.fromkeys("ABC", 1)}, "Deferred: A, B and C tie with 1 point."),
    ],
)
def test_why_is_one_plain_sentence(rule, ballots, why):
    assert tally(rule, ballots, ["A", "B", "C"]).why == why


@pytest.mark.parametrize("rule", RULES)
def test_without_candidates_the_decision_is_deferred(rule):
    result = tally(rule, {1: None}, [])
    assert (result.winner, dict(result.scores), result.tied) == (None, {}, ())
    assert result.why == "Deferred: there are no candidates."


def test_identical_proposals_are_one_candidate():
    result = tally("cumulative", {1: {"A": 2}, 2: {"A": 1, "B": 1}}, ["A", "B", "A"])
    assert (result.winner, dict(result.scores)) == ("A", {"A": 3, "B": 1})


def test_those_who_share_the_top_below_the_threshold_are_named_but_no_tie_break_elects_them():
    result = tally("majority", {1: "A", 2: "B"}, ["A", "B"], tie_break="status_quo", standing="A")
    assert (result.winner, result.tied) == (None, ("A", "B"))


def test_harmonic_scores_are_exact_where_float_thirds_lose_a_tie():
    """Candidates 1 and 2 both have 1/3 + 1/3 + 1 + 1, which floats add up to two different numbers."""
    rankings = [[2, 0, 1], [2, 0, 1], [1, 0, 2], [1, 0, 2]]
    in_floats = [sum(1 / (ranking.index(candidate) + 1) for ranking in rankings) for candidate in range(3)]
    result = tally("ranked", dict(enumerate(rankings)), range(3))
    assert in_floats[1] < in_floats[2]
    assert result.scores[1] == result.scores[2] == Fraction(8, 3)
    assert (result.winner, result.tied) == (None, (1, 2))


TIE = {1: "A", 2: "B", 3: "A", 4: "B", 5: "C"}


def test_the_status_quo_wins_a_tie_that_it_is_part_of_and_the_tally_says_so():
    result = tally("plurality", TIE, NAMES, tie_break="status_quo", standing="B")
    assert (result.winner, result.tied) == ("B", ("A", "B"))
    assert result.why == "B wins, kept as the status quo (tie-break status_quo), after A and B tie with 2 votes."


@pytest.mark.parametrize("standing", ["C", None])
def test_a_status_quo_outside_the_tie_defers(standing):
    result = tally("plurality", TIE, NAMES, tie_break="status_quo", standing=standing)
    assert (result.winner, result.tied) == (None, ("A", "B"))
    assert result.why.endswith("and no status quo is among them (tie-break status_quo).")


def test_the_lottery_draws_one_of_the_tied_repeatably_and_whatever_the_order_of_ballots():
    def draw(ballots, seed):
        return tally("plurality", ballots, NAMES, tie_break="lottery", rng=np.random.default_rng(seed))

    drawn = [draw(TIE, seed).winner for seed in range(40)]
    assert set(drawn) == {"A", "B"}
    assert drawn == [draw(dict(reversed(TIE.items())), seed).winner for seed in range(40)]
    assert "drawn by lottery (tie-break lottery)" in draw(TIE, 0).why


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tie_break": "coin"}, "tie_break: got 'coin', expected one of defer, status_quo, lottery"),
        ({"tie_break": "lottery"}, "rng: got None, expected a numpy Generator"),
        ({"tie_break": "lottery", "rng": 3}, "rng: got 3, expected a numpy Generator"),
    ],
)
def test_an_unknown_tie_break_and_a_lottery_without_a_generator_are_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        tally("plurality", {1: "A"}, NAMES, **options)


@given(elections(), st.randoms(use_true_random=False))
def test_property_anonymity_neither_order_nor_names_of_agents_matter(election, random):
    rule, ballots, candidates = election
    cast = list(ballots.values())
    random.shuffle(cast)
    assert tally(rule, dict(enumerate(cast)), candidates) == tally(rule, ballots, candidates)


@given(elections(), st.permutations(NAMES))
def test_property_neutrality_renaming_candidates_renames_the_outcome(election, names):
    rule, ballots, candidates = election
    new = dict(zip(NAMES, names, strict=True))
    renamed = tally(rule, {agent: rename(b, new) for agent, b in ballots.items()}, [new[c] for c in candidates])
    result = tally(rule, ballots, candidates)
    assert renamed.winner == (None if result.winner is None else new[result.winner])
    assert dict(renamed.scores) == {new[c]: score for c, score in result.scores.items()}
    assert renamed.tied == tuple(new[c] for c in result.tied)


def rename(ballot, new):
    if ballot is None or isinstance(ballot, str):
        return new.get(ballot)
    if isinstance(ballot, dict):
        return {new[candidate]: number for candidate, number in ballot.items()}
    return [new[candidate] for candidate in ballot]


@given(st.lists(a_ballot("vote", NAMES), max_size=6), st.integers(0, 6))
def test_property_an_abstainer_cannot_create_unanimity(cast, place):
    ballots = [*cast[:place], None, *cast[place:]]
    assert tally("unanimous", dict(enumerate(ballots)), NAMES).winner is None


@given(elections())
def test_property_a_winner_alone_has_the_top_score_and_passes(election):
    rule, ballots, candidates = election
    result = tally(rule, ballots, candidates)
    if result.winner is None:
        return
    top = result.scores[result.winner]
    assert [c for c in candidates if result.scores[c] == top] == [result.winner]
    assert top == max(result.scores.values())
    assert top >= (RULES[rule].needed(len(ballots)) or 0)


@given(elections())
def test_property_one_vote_and_score_totals_are_what_the_voters_gave(election):
    rule, ballots, candidates = election
    voters = sum(ballot is not None for ballot in ballots.values())
    each = {"vote": 1, "points": len(candidates), "ranking": sum(Fraction(1, k + 1) for k in range(len(candidates)))}
    form = RULES[rule].form
    if form in each:
        assert sum(tally(rule, ballots, candidates).scores.values()) == voters * each[form]


@given(elections(), st.integers(0, 2**32 - 1))
def test_property_a_tie_break_changes_ties_only_and_picks_one_of_the_tied(election, seed):
    rule, ballots, candidates = election
    deferred = tally(rule, ballots, candidates)
    drawn = tally(rule, ballots, candidates, tie_break="lottery", rng=np.random.default_rng(seed))
    assert (drawn.scores, drawn.tied) == (deferred.scores, deferred.tied)
    assert drawn.winner == deferred.winner or drawn.winner in deferred.tied


ABC = ["A", "B", "C"]


@pytest.mark.parametrize(
    ("rule", "ballot", "canonical"),
    [
        ("rated", {"C": np.int64(5), "A": np.float64(1), "B": Fraction(3)}, {"A": 1, "B": 3, "C": 5}),
        ("ranked", ["C", "A", "B"], ("C", "A", "B")),
        ("cumulative", {"B": 3}, {"A": 0, "B": 3, "C": 0}),
        (
            "cumulative",
            {"A": np.int64(2), "B": np.float32(0.1), "C": 0.9},
            {"A": 2, "B": Fraction(1, 10), "C": Fraction(9, 10)},
        ),
    ],
)
def test_a_ballot_has_one_canonical_form(rule, ballot, canonical):
    assert check_ballot(rule, ballot, ABC) == canonical == check_ballot(rule, canonical, ABC)


RATED = {"A": 1, "B": 2, "C": 3}
MALFORMED = [
    ("plurality", ["A"], "vote", "['A']", "one of the candidates: 'A', 'B', 'C'"),
    ("rated", "A", "ratings", "'A'", "mapping of candidates to ratings"),
    ("rated", RATED | {"B": 6}, "ratings['B']", "6", "from 1 to 5"),
    ("rated", RATED | {"B": True}, "ratings['B']", "True", "whole number"),
    ("rated", RATED | {"B": float("nan")}, "ratings['B']", "nan", "whole number"),
    ("rated", {"A": 1, "C": 3}, "ratings", "{'A': 1, 'C': 3}", "also of 'B'"),
    ("rated", RATED | {"D": 3}, "ratings", "'D'", "one of the candidates"),
    ("ranked", "ABC", "ranking", "'ABC'", "a list of all candidates"),
    ("ranked", ["A", "B", "A"], "ranking[2]", "'A'", "only once"),
    ("ranked", ["A", "C"], "ranking", "['A', 'C']", "also 'B'"),
    ("cumulative", {"A": 4, "B": -1}, "points['B']", "-1", "0 or more"),
    ("cumulative", {"A": float("inf")}, "points['A']", "inf", "finite"),
    ("cumulative", {"A": 3.3333}, "points", "{'A': 3.3333}", "number of candidates, 3, not to 33333/10000"),
]


@pytest.mark.parametrize(("rule", "ballot", "field", "value", "expected"), MALFORMED)
def test_a_malformed_ballot_is_refused_with_agent_field_value_and_way_out(rule, ballot, field, value, expected):
    with pytest.raises(InvalidBallot) as refusal:
        tally(rule, {"Ann": ballot}, ABC)
    message = str(refusal.value)
    assert message.startswith(f"ballot of Ann, field {field}: got {value}, expected ")
    assert expected in message
    assert message.endswith("or abstain with None.")


@pytest.mark.parametrize("rule", ["borda", None, ["plurality"]])
def test_an_unknown_rule_is_refused_with_the_names_there_are(rule):
    with pytest.raises(InvalidInput, match=r"rule: got .*expected one of unanimous, majority, "):
        as_rule(rule)


CYCLE = {1: ["x", "y", "z"], 2: ["y", "z", "x"], 3: ["z", "x", "y"]}
ELECTIONS = sorted(Path(os.environ.get("CONVENE_DATA", "../shared/data")).glob("preflib/*.soc"))


def test_methods_of_pref_voting_are_rules_whose_ties_go_to_the_tie_break():
    from pref_voting.c1_methods import copeland
    from pref_voting.scoring_methods import borda

    result = tally(PrefVoting(copeland), CYCLE | {4: ["x", "y", "z"], 5: None}, ["x", "y", "z"])
    assert (result.rule, result.winner, result.why) == ("Copeland", "x", "x wins.")
    result = tally(PrefVoting(borda, name="Borda count"), CYCLE, ["x", "y", "z"], tie_break="status_quo", standing="z")
    assert (result.winner, result.tied) == ("z", ("x", "y", "z"))
    result = tally(PrefVoting(lambda profile: [], name="nobody"), CYCLE, ["x", "y", "z"])
    assert (result.winner, result.why) == (None, "Deferred: nobody elects nobody.")


def test_methods_on_grades_on_utilities_and_of_several_winners_can_be_asked():
    from pref_voting.grade_methods import majority_judgement
    from pref_voting.proportional_methods import stv_meek
    from pref_voting.scoring_methods import borda_ranking
    from pref_voting.utility_methods import sum_utilitarian
    from pref_voting.voting_methods import bucklin_for_truncated_linear_orders as bucklin

    judged = PrefVoting(majority_judgement, form="ratings")
    assert tally(judged, {1: {"x": 5, "y": 4}, 2: {"x": 1, "y": 4}, 3: {"x": 2, "y": 4}}, ["x", "y"]).winner == "y"
    summed = PrefVoting(sum_utilitarian, form="points")
    assert tally(summed, {1: {"x": 2}, 2: {"y": 1.5, "x": 0.5}}, ["x", "y"]).winner == "x"
    ballots = CYCLE | {4: ["x", "y", "z"], 5: ["x", "z", "y"]}
    for method in (bucklin, borda_ranking, partial(stv_meek, num_seats=1)):
        assert tally(PrefVoting(method, name="a name"), ballots, ["x", "y", "z"]).winner == "x"


def test_every_method_of_pref_voting_on_linear_profiles_elects_somebody():
    import pref_voting.voting_methods as library
    from pref_voting.voting_method import VotingMethod

    methods = {method.name: method for method in vars(library).values() if isinstance(method, VotingMethod)}
    ballots = CYCLE | {4: ["x", "y", "z"], 5: ["x", "z", "y"]}
    graded = {"Score Voting", "Approval", "Dis&approval", "Cumulative Voting", "STAR", "Majority Judgement"}
    asked = [name for name in methods if name not in graded]
    assert len(asked) > 80
    assert not [name for name in asked if None in winners(tally(PrefVoting(methods[name]), ballots, ["x", "y", "z"]))]


def winners(result):
    return result.tied or (result.winner,)


def test_what_pref_voting_cannot_tally_is_refused_with_the_way_out():
    from pref_voting.probabilistic_methods import random_dictator

    with pytest.raises(InvalidInput, match="method: got 'borda'"):
        PrefVoting("borda")
    with pytest.raises(InvalidInput, match="form: got 'vote'"):
        PrefVoting(max, form="vote")
    with pytest.raises(InvalidInput, match=r"Random Dictator.*probabilities.*`support`"):
        tally(PrefVoting(random_dictator), CYCLE, ["x", "y", "z"])
    assert tally(PrefVoting(random_dictator.support, name="dictators"), CYCLE, ["x", "y", "z"]).tied == (*"xyz",)


@pytest.mark.skipif(not ELECTIONS, reason="no PrefLib elections; set CONVENE_DATA")
@pytest.mark.parametrize("path", ELECTIONS, ids=lambda path: path.stem)
def test_winners_of_real_elections_are_those_of_pref_voting(path):
    from pref_voting.profiles import Profile
    from pref_voting.scoring_methods import plurality, scoring_rule
    from preflibtools.instances import OrdinalInstance

    election = OrdinalInstance(str(path))
    number = {name: index for index, name in enumerate(election.alternatives_name)}
    orders = [[[number[c] for (c,) in order]] * times for order, times in election.multiplicity.items()]
    rankings = list(chain.from_iterable(orders))
    profile, whole = Profile(rankings), math.lcm(*range(1, len(number) + 1))  # in float thirds, Dowdall may lose a tie
    ranked = tally("ranked", dict(enumerate(rankings)), range(len(number)))
    votes = tally("plurality", {agent: ranking[0] for agent, ranking in enumerate(rankings)}, range(len(number)))
    assert list(winners(ranked)) == scoring_rule(profile, score=lambda _, place: whole // place)
    assert list(winners(votes)) == plurality(profile)
