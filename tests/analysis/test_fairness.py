"""Runs and rounds of fair decisions, what an instance allows, paired differences."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis import fairness
from support.analysis.fairness import (
    at_budget,
    budget,
    expected_best,
    instance_key,
    is_local,
    paired,
    random_plans,
    rounds_of,
    runs_of,
    trajectory,
    with_references,
)
from support.errors import InvalidInput
from support.fair_decisions import measures
from support.fair_decisions.instances import instance
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Feedback, Planning, PlanningRound
from support.play import FormatError
from support.runs.study import Unit

GAINS = (((10, 0), (4, 6)), ((0, 10), (8, 2)), ((5, 5), (5, 5)))
PROBLEM = FairDecisions(np.array(GAINS))
DIVERGENCES = {(0, 0): 6, (0, 1): 14, (1, 0): 14, (1, 1): 6}


def entry(number, *plans, best=None, finish=False, errors=0, **took):
    """A round with these plans, answered by everybody unless it ends the search."""
    totals = tuple(tuple(PROBLEM.totals(plan).tolist()) for plan in plans)
    asked = plans and not finish
    answers = tuple(Feedback(name) for name in PROBLEM.participants) if asked else ()
    heard = tuple(tuple(map(float, row)) for row in totals) if asked else ()
    wrong = (FormatError("coordinator", "propose", "no plan"),) * errors
    about = {"best": best, "finish": finish, "format_errors": wrong}
    return PlanningRound(number, plans, answers, heard, totals, **about, **took)


def search(*rounds, chosen=None, **settings):
    seats = {"coordinator": "mcts", **dict.fromkeys(PROBLEM.participants, "plain")}
    return Planning(GAINS, PROBLEM.participants, seats, rounds, chosen, settings)


def along(*plans, chosen):
    rounds = [entry(i, plan) for i, plan in enumerate(plans, start=1)]
    return [({}, search(*rounds, chosen=chosen))]


def test_a_run_has_the_quality_of_its_chosen_plan_in_truth_and_what_it_took():
    first = entry(1, (0, 0), (1, 1), replies=4, tokens=900)
    broken = entry(2, errors=2, replies=1)
    record = search(first, broken, entry(3, (0, 1)), chosen=(0, 1))
    nothing = search(entry(1, errors=1))
    row, empty = runs_of([({}, record), ({}, nothing)]).to_dict("records")
    assert (row["divergence"], row["welfare"], row["shortfall"]) == (14, 28, 16)
    took = ("evaluations", "replies", "tokens", "format_errors")
    assert [row[name] for name in took] == [9, 5, 900, 2]
    assert np.isnan(empty["divergence"]) and empty["evaluations"] == 0


def test_settings_come_from_the_unit_then_the_record_then_the_seats():
    record = search(entry(1, (0, 0)), chosen=(0, 0), feedback="score", rounds=5)
    given = {"coordinator": "model:a", "decisions": 99, "reasoning": "off"}
    frame = runs_of([(Unit("study", json.dumps(given), 4), record)])
    row = frame.iloc[0]
    names = ["coordinator", "people", "rounds", "repetition", "decisions"]
    assert row[names].tolist() == ["model:a (reasoning off)", "plain", 5, 4, 2]
    assert fairness.who(frame) == "coordinator: model:a (reasoning off); people: plain"
    assert row["instance"] == instance_key(np.array(GAINS, dtype=np.int32))
    assert row["instance"] != instance_key(np.array(GAINS)[:, ::-1])


@pytest.fixture
def record():
    """Divergences 6, 14, 14; it takes the first for the best, and stops with the third."""
    plans = [(0, 0), (0, 1), (1, 0)]
    rounds = [entry(i, plan, best=(0, 0)) for i, plan in enumerate(plans, start=1)]
    return search(*rounds, entry(4, (1, 0), finish=True), chosen=(1, 0))


def test_a_round_tells_its_plan_from_the_one_that_stands_and_from_the_best(record):
    frame = rounds_of([({}, record)])
    assert frame["divergence"].tolist() == [6, 14, 14, 14]
    assert frame["standing_divergence"].tolist() == [6, 6, 6, 14]
    assert frame["best_divergence"].tolist() == [6, 6, 6, 6]
    assert frame["evaluations"].tolist() == [3, 6, 9, 9]
    gap = rounds_of([({}, search(entry(1, errors=1), entry(2, (0, 0), best=(0, 0))))])
    assert gap["standing_divergence"].fillna(-1).tolist() == [-1, 6]


def test_a_trajectory_has_every_total_and_marks_the_plan_that_was_chosen(record):
    table = trajectory(record)
    first = table[table["round"] == 1][["total", "heard"]].to_numpy().tolist()
    assert first == [[14, 14], [8, 8], [10, 10]]
    chosen = table.groupby("round")["chosen"].first()
    assert chosen.tolist() == [False, False, True, True]


def test_how_a_search_fails_is_told_step_by_step_and_run_by_run():
    steps = rounds_of(along((0, 0), (0, 1), (1, 0), (1, 1), chosen=(0, 0)))[1:]
    assert steps["worse"].tolist() == [1, 0, 0] and steps["away"].tolist() == [1, 1, 0]
    assert steps["weakest"].tolist() == [0, 1, 1]  # 8 becomes 2, 2 to 18, 4 to 6
    assert steps["many"].tolist() == [0, 1, 0]
    assert steps["returned"].tolist() == [0, 0, 0]
    run = runs_of(along((0, 0), (0, 1), (0, 0), (0, 1), chosen=(0, 1))).iloc[0]
    wanted = {"away": 1, "undone": 1, "best 2": 0, "one": 0, "misled": 8, "local": 0}
    assert run[list(wanted)].to_dict() == wanted and run["returned"] == 1


@given(st.integers(0, 10**6), st.sampled_from(["divergence", "welfare"]))
def test_property_a_local_optimum_is_one_that_no_single_change_improves(
    seed, objective
):
    rng = np.random.default_rng(seed)
    problem = FairDecisions(rng.integers(0, 9, size=(3, 3, 3)))

    def worth(plan):
        return measures.value(objective, problem.totals(plan), problem.best)

    plan = tuple(rng.integers(3, size=3).tolist())
    near = [(*plan[:d], k, *plan[d + 1 :]) for d in range(3) for k in range(3)]
    assert is_local(problem, plan, objective) == (max(map(worth, near)) <= worth(plan))


def paths(**runs):
    """Rounds of runs, given by their evaluations and what stands after them."""
    rows = []
    for run, (name, path) in enumerate(runs.items()):
        about = {"coordinator": name.split("_")[0], "run": run}
        for t, (judged, standing) in enumerate(path, start=1):
            row = {"round": t, "evaluations": judged, "standing_divergence": standing}
            rows.append(about | row)
    return pd.DataFrame(rows)


def test_a_run_that_stops_early_keeps_what_it_has():
    long, short = [(3, 9.0), (6, 5.0), (9, 1.0)], [(3, 8.0), (3, 4.0)]
    frame = paths(mcts_1=long, mcts_2=short, pairs_1=[(0, np.nan), (6, 7.0)])
    table = budget(frame).query("coordinator == 'mcts'")
    wide = table.pivot(index="evaluations", columns="run", values="standing_divergence")
    assert wide.index.tolist() == [3, 6, 9] and wide[0].tolist() == [9, 5, 1]
    assert wide[1].tolist() == [4, 4, 4]  # the last of two rounds at 3 evaluations
    then = at_budget(frame, 6).set_index("run")["standing_divergence"]
    assert then.to_dict() == {0: 5.0, 1: 4.0, 2: 7.0}


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
    plans = ((0, 0), (0, 1))
    records = [
        ({"objective": objective}, search(entry(1, p), chosen=p, objective=objective))
        for p in plans
    ]
    frame = with_references(runs_of(records), records)
    row = frame.iloc[0]
    assert (row["optimum"], row["proven"]) == (better(worth), True)
    assert row["random"] == pytest.approx(np.mean(worth))
    pairs = [better(two) for two in combinations(worth, 2)]
    assert row["random_best"] == pytest.approx(np.mean(pairs))
    assert frame["regret"].tolist() == [0, abs(worth[1] - worth[0])]


def test_drawn_plans_come_near_the_listed_ones(monkeypatch):
    problem = instance("scores", 6, 3, 0, 2025)
    exact = random_plans(problem, "divergence", 5, 1, np.random.default_rng(0))
    monkeypatch.setattr(fairness, "LISTED", 10)
    drawn = random_plans(problem, "divergence", 5, 20_000, np.random.default_rng(0))
    assert drawn == pytest.approx(exact, rel=0.04)


FRAME = pd.DataFrame(
    [
        (n, f"{n}-{i}", name, (7 * i + n) % 11 + gap)
        for n in (3, 5)
        for i in range(4)
        for name, gap in (("mcts", 0), ("random", n * i))
    ],
    columns=["decisions", "instance", "coordinator", "divergence"],
)


def test_pairs_are_taken_on_the_same_instances_along_a_column():
    part = FRAME.drop(index=[0])
    table = paired(part, "coordinator", "mcts", "random", along="decisions")
    columns = ["decisions", "difference", "n", "left_out"]
    assert table[columns].to_numpy().tolist() == [[3, -6, 3, 1], [5, -7.5, 4, 0]]


def test_what_cannot_be_analysed_is_refused():
    with pytest.raises(InvalidInput, match="never occur together; there are: mcts, ra"):
        paired(FRAME, "coordinator", "mcts", "model")
    with pytest.raises(InvalidInput, match="2 given; expected at least 3"):
        at_budget(paths(a=[(3, 1.0)]), 2)
