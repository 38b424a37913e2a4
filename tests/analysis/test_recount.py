"""Recorded ballots counted under other rules: what can be read, what cannot, and what is off-policy."""

import asyncio
import json

import numpy as np
import pandas as pd
import pytest

from support.analysis.recount import derive, recount, shares
from support.choice import RULES
from support.errors import InvalidInput
from support.roundtable.records import Ballot, Candidate, Decision, Round, Transcript
from support.runs.study import Unit
from support.simulations import simulations

LISTED = ("P1", "P2", "P3")


def record(rule, choices, winner, *, standing=None, tie_break="defer", candidates=LISTED):
    """One vote after a first round that left `standing`."""
    before = Round(1, (), (), (), (), None, (), "", Decision(standing, 0, 1) if standing else None)
    ballots = tuple(Ballot(agent, choice) for agent, choice in zip("ABC", choices, strict=True))
    listed = tuple(Candidate(c, c, ()) for c in candidates)
    vote = Round(2, (), (), listed, ballots, winner, (), "", None)
    unit = Unit("s", json.dumps({"rule": rule, "seats": "mixed"}), 0)
    return [(unit, Transcript({"name": "menu"}, rule, {}, (before, vote), {"tie_break": tie_break}))]


def counted(records, **options):
    table = recount(records, **options)
    return table[table["round"] == 2].set_index(["rule", "tie_break"])


def test_votes_are_counted_under_every_rule_of_votes_and_no_other():
    table = counted(record("plurality", ["P1", "P1", "P2"], "P1"))
    assert table.loc[("majority", "defer"), "winner"] == "P1" and not table.loc[("majority", "defer"), "differs"]
    assert pd.isna(table.loc[("unanimous", "defer"), "winner"]) and table.loc[("unanimous", "defer"), "differs"]
    for rule in ("rated", "ranked", "cumulative"):
        row = table.loc[(rule, "defer")]
        assert not row["derivable"] and row.isna()[["winner", "differs"]].all()


def test_ratings_become_votes_by_a_lone_top_and_rankings_when_all_differ():
    ratings = [(("P1", 5), ("P2", 3), ("P3", 1)), (("P1", 4), ("P2", 4), ("P3", 1)), (("P1", 5), ("P2", 2), ("P3", 2))]
    table = counted(record("rated", ratings, "P1"))
    assert table.loc[("plurality", "defer"), ["winner", "unclear"]].tolist() == ["P1", 1]
    assert table.loc[("majority", "defer"), "winner"] == "P1"
    assert table.loc[("ranked", "defer"), ["winner", "unclear"]].tolist() == ["P1", 2]
    assert not table.loc[("cumulative", "defer"), "derivable"]


def test_rankings_become_votes_for_the_first_and_points_count_those_left_out():
    table = counted(record("ranked", [("P2", "P1", "P3"), ("P2", "P3", "P1"), None], "P2"))
    assert table.loc[("majority", "defer"), ["winner", "unclear"]].tolist() == ["P2", 0]
    assert derive({"P2": 3}, "vote", LISTED) == "P2"
    assert derive({"P2": 3}, "ranking", LISTED) is None
    assert derive({"P2": 2, "P1": 1}, "ranking", LISTED) == ("P2", "P1", "P3")
    assert derive({"P2": 1}, "vote", ["P2"]) == "P2"


def test_ties_are_broken_with_the_decision_that_stood_then():
    table = counted(record("plurality", ["P1", "P2", None], None, standing="P2"))
    assert pd.isna(table.loc[("plurality", "defer"), "winner"])
    assert table.loc[("plurality", "status_quo"), ["winner", "differs"]].tolist() == ["P2", True]


def test_only_the_recorded_rule_and_tie_break_are_on_policy():
    table = counted(record("plurality", ["P1", "P1", "P2"], "P1", tie_break="status_quo"))
    assert table.index[~table["off_policy"]].tolist() == [("plurality", "status_quo")]


def test_a_lottery_draws_from_the_generator_that_is_given():
    tie = record("plurality", ["P1", "P2", None], None)
    drawn = {recount(tie, ["plurality"], ["lottery"], np.random.default_rng(s))["winner"].iloc[-1] for s in range(12)}
    assert drawn == {"P1", "P2"}
    with pytest.raises(InvalidInput, match="rng"):
        recount(tie, ["plurality"], ["lottery"])


def test_an_unknown_rule_is_refused_and_one_of_ones_own_is_counted(last):
    with pytest.raises(InvalidInput, match="'last', which is unknown; pass that rule"):
        recount(record("last", ["P1", "P1", "P2"], "P3"))
    table = counted(record("last", ["P1", "P1", "P2"], "P3"), rules=[last, "plurality"])
    assert table.loc[("last", "defer"), "winner"] == "P3" and table.loc[("plurality", "defer"), "winner"] == "P1"
    with pytest.raises(InvalidInput, match="rule"):
        recount([], ["shouting"])
    assert recount([]).empty


@pytest.fixture(scope="module")
def played():
    sweep = simulations("exchange_economy", 2, seed=5)
    return [(u, asyncio.run(sweep.study(**u.settings, rng=sweep.rng(u)))) for u in sweep.units()]


def test_on_policy_every_recorded_winner_is_found_again(played):
    table = recount(played)
    assert len(table) == 6 * 2 * 10 * 6 * 2
    own = table[~table["off_policy"]]
    assert len(own) == 6 * 2 * 10 and not own["differs"].any()


def test_shares_are_percent_of_the_votes_that_can_be_read(played):
    table = shares(recount(played)).set_index(["voted_under", "rule", "tie_break"])
    assert len(table) == 6 * 6 * 2
    for rule in RULES:
        assert table.loc[(rule, rule, "defer"), ["derivable", "differs"]].tolist() == [100, 0]
    assert np.isnan(table.loc[("majority", "rated", "defer"), "differs"])
    assert table.loc[("ranked", "rated", "defer"), "derivable"] == 0
