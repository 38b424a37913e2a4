"""Recorded ballots counted under other rules: what can be read, and what cannot."""

import asyncio
import json

import pandas as pd

from support.analysis.recount import derive, recount
from support.choice import RULES
from support.roundtable.records import Ballot, Candidate, Round, Transcript
from support.runs.study import Unit
from support.simulations import simulations

LISTED = ("P1", "P2", "P3")


def counted(rule, choices, winner):
    """One vote under a rule, counted by all."""
    ballots = tuple(
        Ballot(agent, choice) for agent, choice in zip("ABC", choices, strict=True)
    )
    vote = Round(
        1,
        (),
        (),
        tuple(Candidate(c, c, ()) for c in LISTED),
        ballots,
        winner,
        (),
        "",
        None,
    )
    records = [
        (
            Unit("s", json.dumps({"rule": rule}), 0),
            Transcript({"name": "menu"}, rule, {}, (vote,)),
        )
    ]
    return recount(records).set_index("rule")


def test_votes_are_counted_under_every_rule_of_votes_and_no_other():
    table = counted("plurality", ["P1", "P1", "P2"], "P1")
    assert set(table.index) == {"unanimous", "majority", "plurality"}
    assert table.loc["majority", ["winner", "differs"]].tolist() == ["P1", False]
    assert (
        pd.isna(table.loc["unanimous", "winner"]) and table.loc["unanimous", "differs"]
    )


def test_ratings_become_votes_by_a_lone_top_and_rankings_when_all_differ():
    ratings = [
        (("P1", 5), ("P2", 3), ("P3", 1)),
        (("P1", 4), ("P2", 4), ("P3", 1)),
        (("P1", 5), ("P2", 2), ("P3", 2)),
    ]
    table = counted("rated", ratings, "P1")
    assert table["winner"][["plurality", "majority", "ranked"]].tolist() == ["P1"] * 3
    assert "cumulative" not in table.index


def test_rankings_become_votes_for_the_first_and_points_count_those_left_out():
    assert (
        counted("ranked", [("P2", "P1", "P3"), ("P2", "P3", "P1"), None], "P2").loc[
            "majority", "winner"
        ]
        == "P2"
    )
    assert derive({"P2": 3}, "vote", LISTED) == "P2"
    assert derive({"P2": 3}, "ranking", LISTED) is None
    assert derive({"P2": 2, "P1": 1}, "ranking", LISTED) == ("P2", "P1", "P3")
    assert derive({"P2": 1}, "vote", ["P2"]) == "P2"


def test_under_its_own_rule_every_recorded_winner_is_found_again():
    sweep = simulations("exchange_economy", 1, seed=5)
    table = recount(
        [
            (u, asyncio.run(sweep.study(**u.settings, rng=sweep.rng(u))))
            for u in sweep.units()
        ]
    )
    own = table[table["rule"] == table["voted_under"]]
    assert len(own) == len(RULES) * 10 and not own["differs"].any()
