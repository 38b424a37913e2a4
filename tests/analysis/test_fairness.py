"""Runs, rounds and steps of fair decisions, what an instance allows, and differences on the same instances."""

import json
from itertools import combinations, zip_longest

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
    steps_of,
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

GAINS = (
    ((10, 0), (4, 6)),
    ((0, 10), (8, 2)),
    ((5, 5), (5, 5)),
)  # totals of (0, 0) 14, 8, 10; of (0, 1) 16, 2, 10


def entry(number, *plans, best=None, finish=False, errors=0, reason="", **took):
    """A round with these plans, answered by everybody unless it ends the search."""
    problem = FairDecisions(np.array(GAINS))
    totals = tuple(tuple(problem.totals(plan).tolist()) for plan in plans)
    answered = (
        ()
        if finish or not plans
        else tuple(Feedback(name) for name in problem.participants)
    )
    known = tuple(tuple(map(float, row)) for row in totals) if answered else ()
    took |= {
        "format_errors": (FormatError("coordinator", "propose", "no plan"),) * errors,
        "reason": reason,
    }
    return PlanningRound(
        number, plans, answered, known, totals, best, finish=finish, **took
    )


def search(*rounds, chosen=None, coordinator="mcts", **settings):
    people = FairDecisions(np.array(GAINS)).participants
    seats = {"coordinator": coordinator, **dict.fromkeys(people, "plain")}
    return Planning(GAINS, people, seats, rounds, chosen, settings)


def test_a_run_has_the_quality_of_its_chosen_plan_in_truth_and_what_it_took():
    first, broken = (
        entry(1, (0, 0), (1, 1), replies=4, tokens=900),
        entry(2, errors=2, replies=1),
    )
    row = runs_of(
        [({}, search(first, broken, entry(3, (0, 1), best=(0, 0)), chosen=(0, 1)))]
    ).iloc[0]
    assert (row["divergence"], row["welfare"]) == (14, 28)
    assert (
        row["evaluations"],
        row["replies"],
        row["tokens"],
        row["format_errors"],
    ) == (9, 5, 900, 2)
    nothing = runs_of([({}, search(entry(1, errors=1)))]).iloc[0]
    assert np.isnan(nothing["divergence"]) and nothing["evaluations"] == 0


def test_settings_come_from_the_unit_then_the_record_then_the_seats():
    record = search(entry(1, (0, 0)), chosen=(0, 0), feedback="score", rounds=5)
    unit = Unit(
        "study",
        json.dumps({"coordinator": "model:a", "decisions": 99, "reasoning": "off"}),
        4,
    )
    frame = runs_of([(unit, record)])
    row = frame.iloc[0]
    assert (row["coordinator"], row["people"], row["rounds"]) == (
        "model:a (reasoning off)",
        "plain",
        5,
    )
    assert (
        row["repetition"],
        row["participants"],
        row["decisions"],
        row["options"],
    ) == (4, 3, 2, 2)
    assert fairness.who(frame) == "coordinator: model:a (reasoning off); people: plain"
    assert (
        row["instance"]
        == instance_key(np.array(GAINS, dtype=np.int32))
        != instance_key(np.array(GAINS)[:, ::-1])
    )


@pytest.fixture
def record():
    """Divergences 6, 14, 14 in truth; the group takes the first for the best until it stops with the third."""
    rounds = [
        entry(i, plan, best=(0, 0))
        for i, plan in enumerate([(0, 0), (0, 1), (1, 0)], start=1)
    ]
    return search(*rounds, entry(4, (1, 0), best=(0, 0), finish=True), chosen=(1, 0))


def test_a_round_tells_its_plan_from_the_one_that_stands_and_from_the_best_in_truth(
    record,
):
    frame = rounds_of([({}, record)])
    assert frame["divergence"].tolist() == [6, 14, 14, 14]
    assert frame["standing_divergence"].tolist() == [
        6,
        6,
        6,
        14,
    ]  # it stopped with a worse one
    assert frame["best_divergence"].tolist() == [6, 6, 6, 6] and frame[
        "evaluations"
    ].tolist() == [3, 6, 9, 9]
    assert rounds_of([({"final": "last"}, record)])["standing_divergence"].tolist() == [
        6,
        14,
        14,
        14,
    ]
    gap = rounds_of(
        [
            (
                {},
                search(
                    entry(1, errors=1),
                    entry(2, (0, 0), best=(0, 0)),
                    entry(3, best=(0, 0)),
                ),
            )
        ]
    )
    assert gap["standing_divergence"].fillna(-1).tolist() == [-1, 6, 6] and np.isnan(
        gap["divergence"][2]
    )


def test_a_trajectory_has_every_participant_s_total_and_marks_the_plan_that_was_chosen(
    record,
):
    table = trajectory(record)
    assert table[table["round"] == 1][["total", "heard"]].to_numpy().tolist() == [
        [14, 14],
        [8, 8],
        [10, 10],
    ]
    assert table.groupby("round")["chosen"].first().tolist() == [
        False,
        False,
        True,
        True,
    ]
    assert (
        set(table["plan"][:3]) == {"1 1"}
        and table.loc[table["round"] == 4, "heard"].isna().all()
    )


def paths(**runs):
    """Rounds of runs, given by their evaluations and what stands after them."""
    rows = [
        {
            "coordinator": name.split("_")[0],
            "run": run,
            "round": t,
            "evaluations": e,
            "standing_divergence": v,
        }
        for run, (name, path) in enumerate(runs.items())
        for t, (e, v) in enumerate(path, start=1)
    ]
    return pd.DataFrame(rows)


def test_a_run_that_stops_early_keeps_what_it_has():
    frame = paths(
        mcts_1=[(3, 9.0), (6, 5.0), (9, 1.0)],
        mcts_2=[(3, 8.0), (3, 4.0)],
        pairs_1=[(0, np.nan), (6, 7.0)],
    )
    table = budget(frame)
    wide = table[table["coordinator"] == "mcts"].pivot(
        index="evaluations", columns="run", values="standing_divergence"
    )
    assert wide.index.tolist() == [3, 6, 9] and wide[0].tolist() == [9, 5, 1]
    assert wide[1].tolist() == [4, 4, 4]  # the last of two rounds at 3 evaluations
    assert at_budget(frame, 6).set_index("run")["standing_divergence"].to_dict() == {
        0: 5.0,
        1: 4.0,
        2: 7.0,
    }


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 6))
def test_property_the_best_of_k_is_the_mean_over_all_choices_of_k(values, k):
    ranked = np.sort(np.array(values, dtype=float))[::-1]
    best = [max(chosen) for chosen in combinations(values, min(k, len(values)))]
    assert expected_best(ranked, k) == pytest.approx(np.mean(best))


def test_references_and_regret_of_an_instance_whose_plans_can_be_listed(monkeypatch):
    monkeypatch.setattr(fairness, "K", 2)
    plans = {"divergence": (6, 14, 14, 6), "welfare": (32, 28, 32, 28)}
    for objective, best in (("divergence", 6), ("welfare", 32)):
        records = [
            ({"objective": objective}, search(entry(1, p), chosen=p))
            for p in ((0, 0), (0, 1))
        ]
        frame = with_references(runs_of(records), records)
        row = frame.iloc[0]
        assert (row["optimum"], row["exact"], row["proven"]) == (best, True, True)
        assert row["random"] == pytest.approx(np.mean(plans[objective]))
        better = min if objective == "divergence" else max
        assert row["random_best"] == pytest.approx(
            np.mean([better(two) for two in combinations(plans[objective], 2)])
        )
        assert frame["regret"].tolist() == [0, 8 if objective == "divergence" else 4]


def test_drawn_plans_come_near_the_listed_ones(monkeypatch):
    problem = instance("scores", 6, 3, 0, 2025)
    exact = random_plans(problem, "divergence", 5, 1, np.random.default_rng(0))
    monkeypatch.setattr(fairness, "ALL", 10)
    drawn = random_plans(problem, "divergence", 5, 20_000, np.random.default_rng(0))
    assert (
        exact.pop("exact")
        and not drawn.pop("exact")
        and drawn == pytest.approx(exact, rel=0.04)
    )


FRAME = pd.DataFrame([
    {"decisions": n, "instance": f"{n}-{i}", "coordinator": name, "divergence": (7 * i + n) % 11 + gap}
    for n in (3, 5) for i in range(4) for name, gap in (("mcts", 0), ("random", n * i))
])  # fmt: skip


def test_pairs_are_taken_on_the_same_instances_along_a_column():
    table = paired(
        FRAME.drop(index=[0]), "coordinator", "mcts", "random", along="decisions"
    ).set_index("decisions")
    assert table["difference"].tolist() == [-6, -7.5] and table["n"].tolist() == [3, 4]
    assert table["left_out"].tolist() == [1, 0] and set(table["a"]) == {"mcts"}


REFUSED = [
    (
        lambda: paired(FRAME, "coordinator", "mcts", "model"),
        "'mcts' and 'model' never occur; there are: mcts, random",
    ),
    (
        lambda: budget(pd.concat([paths(a=[(3, 1.0)])] * 2)),
        "two runs have the same number",
    ),
    (
        lambda: at_budget(paths(a=[(3, 1.0)]), 2),
        "evaluations: 2 given; expected at least 3",
    ),
    (
        lambda: with_references(
            FRAME.assign(welfare=0.0), [({}, search(entry(1, (0, 0))))]
        ),
        "in none of the records",
    ),
]


@pytest.mark.parametrize(("call", "said"), REFUSED)
def test_what_cannot_be_analysed_is_refused(call, said):
    with pytest.raises(InvalidInput, match=said):
        call()


def failed(*plans, chosen, reasons=()):
    said = zip_longest(plans, reasons, fillvalue="")
    return [
        (
            {},
            search(
                *(
                    entry(i, plan, reason=why)
                    for i, (plan, why) in enumerate(said, start=1)
                ),
                chosen=chosen,
            ),
        )
    ]


def test_how_a_search_fails_is_told_step_by_step_and_run_by_run():
    # divergences 6, 14, 14, 6
    steps = steps_of(failed((0, 0), (0, 1), (1, 0), (1, 1), chosen=(0, 0)))
    assert steps["worse"].tolist() == [1, 0, 0] and steps["away"].tolist() == [1, 1, 0]
    assert steps["weakest"].tolist() == [
        0,
        1,
        1,
    ]  # 8 becomes 2, 2 becomes 18, 4 becomes 6
    assert steps["many"].tolist() == [0, 1, 0] and steps["returned"].tolist() == [
        0,
        0,
        0,
    ]
    said = ("", "a smaller gap", "even more equal")
    back = runs_of(failed((0, 0), (0, 1), (0, 0), (0, 1), chosen=(0, 1), reasons=said))
    assert back.loc[
        0, ["away", "undone", "best 2", "one", "promises", "misled"]
    ].tolist() == [1, 1, 0, 0, 1, 8]
    assert (back["local"][0], back["returned"][0]) == (0, 1)


@given(st.integers(0, 10**6), st.sampled_from(["divergence", "welfare"]))
def test_property_a_local_optimum_is_one_that_no_single_change_improves(
    seed, objective
):
    rng = np.random.default_rng(seed)
    problem = FairDecisions(rng.integers(0, 9, size=(3, 3, 3)))
    plan = tuple(rng.integers(3, size=3).tolist())
    near = [(*plan[:d], k, *plan[d + 1 :]) for d in range(3) for k in range(3)]
    best = max(measures.value(objective, problem.totals(one)) for one in near)
    assert is_local(problem, plan, objective) == (
        best <= measures.value(objective, problem.totals(plan))
    )
    everywhere = problem.totals_of(np.indices((3, 3, 3)).reshape(3, -1).T)
    if objective == "welfare":  # a sum over decisions has no local optimum but the best
        assert is_local(problem, plan, objective) == (
            problem.totals(plan).sum() == everywhere.sum(axis=1).max()
        )
