"""Runs and rounds of fair decisions, and what an instance allows."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis import fairness
from support.analysis.fairness import (
    budget,
    expected_best,
    random_plans,
    rounds_of,
    runs_of,
    with_references,
)
from support.fair_decisions.instances import instance
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Feedback, Planning, PlanningRound
from support.play import FormatError
from support.runs.study import Unit

GAINS = (((10, 0), (4, 6)), ((0, 10), (8, 2)), ((5, 5), (5, 5)))
PROBLEM = FairDecisions(np.array(GAINS))
A, B, C, D = (0, 0), (0, 1), (1, 0), (1, 1)
"""All plans; their divergences are 6, 14, 14, 6, and their welfare 32, 28, 32, 28."""


def entry(number, *plans, finish=False, **more):
    """A round with these plans, answered by everybody unless it ends the search."""
    totals = tuple(tuple(PROBLEM.totals(plan).tolist()) for plan in plans)
    answers = heard = ()
    if plans and not finish:
        answers = tuple(Feedback(name) for name in PROBLEM.participants)
        heard = totals
    return PlanningRound(number, plans, answers, heard, totals, finish=finish, **more)


def search(*rounds, chosen=None, **settings):
    seats = {"coordinator": "mcts", **dict.fromkeys(PROBLEM.participants, "plain")}
    return Planning(GAINS, PROBLEM.participants, seats, rounds, chosen, settings)


def test_a_run_has_the_quality_of_its_chosen_plan_in_truth_and_what_it_took():
    wrong = (FormatError("coordinator", "propose", "no plan"),) * 2
    lost = entry(2, format_errors=wrong)
    record = search(entry(1, A, D, tokens=900), lost, entry(3, B), chosen=B)
    row, empty = runs_of([({}, record), ({}, search(lost))]).to_dict("records")
    assert (row["divergence"], row["welfare"], row["shortfall"]) == (14, 28, 16)
    took = ("evaluations", "tokens", "format_errors")
    assert [row[name] for name in took] == [9, 900, 2]
    assert np.isnan(empty["divergence"]) and empty["evaluations"] == 0


def test_settings_come_from_the_unit_then_the_record_then_the_seats():
    record = search(entry(1, A), chosen=A, feedback="score", rounds=5)
    asked = {"coordinator": "model:a", "decisions": 99, "reasoning": "off"}
    row = runs_of([(Unit("study", json.dumps(asked), 4), record)]).iloc[0]
    names = ["coordinator", "people", "rounds", "repetition", "decisions"]
    assert row[names].tolist() == ["model:a (reasoning off)", "plain", 5, 4, 2]


@pytest.fixture
def record():
    """It takes the first of three plans for the best, and stops with the third."""
    rounds = [entry(i, plan, best=A) for i, plan in enumerate((A, B, C), start=1)]
    return search(*rounds, entry(4, C, finish=True), chosen=C)


def test_a_round_tells_its_plan_from_the_one_that_stands_and_from_the_best(record):
    frame = rounds_of([({}, record)])
    assert frame["divergence"].tolist() == [6, 14, 14, 14]
    assert frame["standing_divergence"].tolist() == [6, 6, 6, 14]
    assert frame["best_divergence"].tolist() == [6, 6, 6, 6]
    assert frame["evaluations"].tolist() == [3, 6, 9, 9]


@pytest.fixture
def rounds():
    """What stands after so many evaluations: two runs of one search, one of another."""
    columns = {
        "coordinator": ["mcts"] * 5 + ["pairs"] * 2,
        "run": [0, 0, 0, 1, 1, 2, 2],
        "evaluations": [3, 6, 9, 3, 3, 0, 6],
        "standing_divergence": [9.0, 5.0, 1.0, 8.0, 4.0, np.nan, 7.0],
    }
    return pd.DataFrame(columns)


def test_a_run_that_stops_early_keeps_what_it_has(rounds):
    table = budget(rounds).query("coordinator == 'mcts'")
    wide = table.pivot(index="evaluations", columns="run", values="standing_divergence")
    assert wide.index.tolist() == [3, 6, 9]
    assert wide[0].tolist() == [9, 5, 1]
    assert wide[1].tolist() == [4, 4, 4]  # the last of two rounds at 3 evaluations


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 6))
def test_property_the_best_of_k_is_the_mean_over_all_choices_of_k(values, k):
    ranked = np.sort(np.array(values, dtype=float))[::-1]
    best = [max(chosen) for chosen in combinations(values, min(k, len(values)))]
    assert expected_best(ranked, k) == pytest.approx(np.mean(best))


@pytest.mark.parametrize(
    ("objective", "worth", "better"),
    [("divergence", (6, 14, 14, 6), min), ("welfare", (32, 28, 32, 28), max)],
)
def test_references_and_regret_where_plans_can_be_listed(
    monkeypatch, objective, worth, better
):
    monkeypatch.setattr(fairness, "K", 2)
    records = []
    for plan in (A, B):
        run = search(entry(1, plan), chosen=plan, objective=objective)
        records.append(({}, run))
    frame = with_references(runs_of(records), records)
    row = frame.iloc[0]
    assert (row["optimum"], row["proven"]) == (better(worth), True)
    pairs = [better(two) for two in combinations(worth, 2)]
    assert row["random"] == pytest.approx(np.mean(worth))
    assert row["random_best"] == pytest.approx(np.mean(pairs))
    assert frame["regret"].tolist() == [0, abs(worth[1] - worth[0])]


def test_drawn_plans_come_near_the_listed_ones(monkeypatch):
    problem = instance("scores", 6, 3, 0, 2025)
    exact = random_plans(problem, "divergence", 1, np.random.default_rng(0))
    monkeypatch.setattr(fairness, "LISTED", 10)
    drawn = random_plans(problem, "divergence", 20_000, np.random.default_rng(0))
    assert drawn == pytest.approx(exact, rel=0.04)
