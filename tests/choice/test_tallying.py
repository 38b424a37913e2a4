"""What a tally decides, says, and does not depend on."""

from __future__ import annotations

import copy
import logging
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.choice import RULES, Tally, tally
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


@pytest.mark.parametrize(
    ("rule", "empty"), [("rated", {}), ("ranked", []), ("cumulative", {})], ids=["rated", "ranked", "cumulative"]
)
def test_an_empty_ballot_over_no_candidates_elects_nobody(rule, empty):
    assert tally(rule, {1: empty}, []).winner is None


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


def test_a_tie_break_that_decides_is_logged(caplog):
    with caplog.at_level(logging.INFO, logger="support.choice.tallying"):
        tally("plurality", TIE, NAMES, tie_break="status_quo", standing="B")
        tally("plurality", TIE, NAMES)
    assert [record.getMessage()[:16] for record in caplog.records] == ["plurality: B win"]


def test_a_lottery_without_a_tie_draws_nothing():
    rng = np.random.default_rng(0)
    assert tally("plurality", {1: "A"}, NAMES, tie_break="lottery", rng=rng).winner == "A"
    assert rng.integers(1000) == np.random.default_rng(0).integers(1000)


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


def test_a_malformed_ballot_is_refused_with_the_agent_who_cast_it():
    with pytest.raises(InvalidBallot, match="ballot of Ben, field vote: got 'E'"):
        tally("plurality", {"Ann": "A", "Ben": "E"}, NAMES)


def test_ballots_without_agents_are_refused():
    with pytest.raises(InvalidInput, match=r"ballots: got .*mapping of every agent"):
        tally("plurality", ["A", "B"], NAMES)


def test_a_tally_is_frozen_read_only_and_survives_pickling_and_copying():
    result = tally("ranked", {1: ["A", "B"]}, ["A", "B"])
    with pytest.raises(TypeError):
        result.scores["A"] = Fraction(9)
    with pytest.raises(AttributeError):
        result.winner = "B"
    assert isinstance(result, Tally)
    assert pickle.loads(pickle.dumps(result)) == copy.deepcopy(result) == result


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
    assert RULES[rule].passes(top, len(ballots))


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
