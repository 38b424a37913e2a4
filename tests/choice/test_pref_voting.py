"""The rules of `pref_voting` through the adapter, and ours against theirs on real elections."""

from __future__ import annotations

import math
import os
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from support.choice import from_pref_voting, tally, tally_many
from support.errors import InvalidInput

pytest.importorskip("pref_voting")

CYCLE = {1: ["x", "y", "z"], 2: ["y", "z", "x"], 3: ["z", "x", "y"]}
DATA = Path(os.environ.get("CONVENE_DATA", "../shared/data"))
ELECTIONS = sorted(DATA.glob("preflib/*.soc"))


def test_a_single_winner_wins_with_a_score_of_one():
    from pref_voting.c1_methods import copeland

    result = tally(from_pref_voting(copeland), CYCLE | {4: ["x", "y", "z"], 5: None}, ["x", "y", "z"])
    assert (result.rule, result.winner, result.why) == ("Copeland", "x", "x wins.")
    assert dict(result.scores) == {"x": 1, "y": 0, "z": 0}


def test_several_winners_are_a_tie_that_goes_to_the_tie_break():
    from pref_voting.scoring_methods import borda

    rule = from_pref_voting(borda, name="Borda count")
    result = tally(rule, CYCLE, ["x", "y", "z"])
    assert (result.winner, result.tied, result.why) == (None, ("x", "y", "z"), "Deferred: x, y and z tie.")
    assert tally(rule, CYCLE, ["x", "y", "z"], tie_break="status_quo", standing="z").winner == "z"
    assert tally(rule, CYCLE, ["x", "y", "z"], tie_break="lottery", rng=np.random.default_rng(3)).winner in "xyz"


def test_a_method_that_elects_nobody_defers():
    result = tally(from_pref_voting(lambda profile: [], name="nobody"), CYCLE, ["x", "y", "z"])
    assert (result.winner, result.why) == (None, "Deferred: nobody elects nobody.")


def test_all_abstaining_defers_without_asking_the_method():
    rule = from_pref_voting(lambda profile: 1 / 0, name="never asked")
    assert tally(rule, {1: None}, ["x"]).why == "Deferred: nobody voted."


def test_a_method_on_rankings_with_ties_a_welfare_function_and_a_multi_winner_method_work():
    from pref_voting.proportional_methods import stv_meek
    from pref_voting.scoring_methods import borda_ranking
    from pref_voting.voting_methods import bucklin_for_truncated_linear_orders as bucklin

    ballots = CYCLE | {4: ["x", "y", "z"], 5: ["x", "z", "y"]}
    for method in (bucklin, borda_ranking, partial(stv_meek, num_seats=1)):
        assert tally(from_pref_voting(method, name="a name"), ballots, ["x", "y", "z"]).winner == "x"


def test_methods_on_grades_and_on_utilities_take_the_other_forms():
    from pref_voting.grade_methods import majority_judgement
    from pref_voting.utility_methods import sum_utilitarian

    judged = from_pref_voting(majority_judgement, form="ratings")
    assert tally(judged, {1: {"x": 5, "y": 4}, 2: {"x": 1, "y": 4}, 3: {"x": 2, "y": 4}}, ["x", "y"]).winner == "y"
    summed = from_pref_voting(sum_utilitarian, form="points")
    assert tally(summed, {1: {"x": 2}, 2: {"y": 1.5, "x": 0.5}}, ["x", "y"]).winner == "x"


def test_every_method_on_linear_profiles_can_be_asked():
    import pref_voting.voting_methods as library
    from pref_voting.voting_method import VotingMethod

    methods = {method.name: method for method in vars(library).values() if isinstance(method, VotingMethod)}
    ballots = CYCLE | {4: ["x", "y", "z"], 5: ["x", "z", "y"]}
    graded = {"Score Voting", "Approval", "Dis&approval", "Cumulative Voting", "STAR", "Majority Judgement"}
    asked = [name for name in methods if name not in graded]
    assert len(asked) > 80
    assert {n for n in asked if None in winners(tally(from_pref_voting(methods[n]), ballots, ["x", "y", "z"]))} == set()


def winners(result):
    return result.tied or (result.winner,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "borda"}, "method: got 'borda'"),
        ({"method": max, "form": "vote"}, "form: got 'vote'"),
        ({"method": partial(max)}, "name: got None"),
    ],
)
def test_what_is_no_method_is_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        from_pref_voting(**arguments)


def test_a_lottery_over_candidates_is_refused_with_the_way_out():
    from pref_voting.probabilistic_methods import random_dictator

    with pytest.raises(InvalidInput, match=r"Random Dictator.*probabilities.*`support`"):
        tally(from_pref_voting(random_dictator), CYCLE, ["x", "y", "z"])
    assert tally(from_pref_voting(random_dictator.support, name="dictators"), CYCLE, ["x", "y", "z"]).tied == (*"xyz",)


def read(path):
    """The rankings of a PrefLib election, one a voter, as indices."""
    from preflibtools.instances import OrdinalInstance

    election = OrdinalInstance(str(path))
    number = {name: index for index, name in enumerate(election.alternatives_name)}
    rankings = [[[number[c] for (c,) in order]] * times for order, times in election.multiplicity.items()]
    return list(chain.from_iterable(rankings)), len(number)


@pytest.mark.skipif(not ELECTIONS, reason=f"no PrefLib elections in {DATA / 'preflib'}; set CONVENE_DATA")
@pytest.mark.parametrize("path", ELECTIONS, ids=lambda path: path.stem)
def test_winners_of_real_elections_are_those_of_pref_voting(path):
    from pref_voting.profiles import Profile
    from pref_voting.scoring_methods import plurality, scoring_rule

    rankings, count = read(path)
    profile = Profile(rankings)
    whole = math.lcm(*range(1, count + 1))  # in float thirds, their Dowdall rule may lose a tie
    ranked = tally("ranked", dict(enumerate(rankings)), range(count))
    votes = tally("plurality", {agent: ranking[0] for agent, ranking in enumerate(rankings)}, range(count))
    assert list(winners(ranked)) == scoring_rule(profile, score=lambda _, place: whole // place)
    assert list(winners(votes)) == plurality(profile)
    assert winners_of_array("ranked", [rankings], count) == list(winners(ranked))
    assert winners_of_array("plurality", [[ranking[0] for ranking in rankings]], count) == list(winners(votes))


def winners_of_array(rule, ballots, count):
    many = tally_many(rule, np.array(ballots), count)
    return np.flatnonzero(many.tied[0]).tolist() or many.winner.tolist()
