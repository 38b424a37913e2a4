"""What an instance allows: its optimum, random plans, and how far a run is behind."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis.fairness import references, runs_of, with_references
from support.analysis.fairness.instances import ALL, expected_best, random_plans
from support.errors import InvalidInput
from support.fair_decisions.instances import instance
from support.fair_decisions.problem import FairDecisions


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 6))
def test_property_the_best_of_k_is_the_mean_over_all_choices_of_k(values, k):
    ranked = np.sort(np.array(values, dtype=float))[::-1]
    best = [max(chosen) for chosen in combinations(values, min(k, len(values)))]
    assert expected_best(ranked, k) == pytest.approx(np.mean(best))


def test_references_of_an_instance_whose_plans_can_be_listed(made):
    plans = {"divergence": (6, 14, 14, 6), "welfare": (32, 28, 32, 28)}
    totals = FairDecisions(np.array(made.gains)).totals_of(np.array([(0, 0), (0, 1), (1, 0), (1, 1)]))
    assert np.ptp(totals, axis=1).tolist() == [6, 14, 14, 6]
    record = made.search(made.entry(1, (0, 1)), chosen=(0, 1))
    for objective, best in (("divergence", 6), ("welfare", 32)):
        row = references([({"objective": objective}, record)], k=2, solve=made.listed).iloc[0]
        assert (row["optimum"], row["exact"], row["proven"]) == (best, True, True)
        assert row["random"] == pytest.approx(np.mean(plans[objective]))
        better = min if objective == "divergence" else max
        pairs = [better(pair) for pair in combinations(plans[objective], 2)]
        assert row["random_best"] == pytest.approx(np.mean(pairs))
        assert row["random_low"] <= row["random"] <= row["random_high"]


def test_every_instance_is_solved_once_for_each_objective(made):
    asked = []

    def counting(gains, objective, **given):
        asked.append(objective)
        return made.listed(gains, objective, **given)

    record = made.search(made.entry(1, (0, 1)), chosen=(0, 1))
    records = [({"objective": o, "repetition": i}, record) for o in ("divergence", "welfare") for i in range(3)]
    assert len(references(records, solve=counting)) == 2
    assert asked == ["divergence", "welfare"]


def test_drawn_plans_come_near_the_listed_ones(monkeypatch):
    problem = instance("scores", 6, 3, 0, 2025)
    exact = random_plans(problem, "divergence", 5, 1, np.random.default_rng(0))
    monkeypatch.setattr("support.analysis.fairness.instances.ALL", 10)
    drawn = random_plans(problem, "divergence", 5, 20_000, np.random.default_rng(0))
    assert exact["exact"] and not drawn["exact"]
    for name in ("random", "random_low", "random_high", "random_best"):
        assert drawn[name] == pytest.approx(exact[name], rel=0.04)


def test_the_order_of_the_records_changes_no_draw(made):
    assert ALL < 3**11
    records = []
    for i in range(2):
        gains = tuple(tuple(tuple(row) for row in g) for g in instance("scores", 11, 3, i, 2025).gains.tolist())
        records.append(({}, made.search(made.entry(1, (0,) * 11, gains=gains), gains=gains, chosen=(0,) * 11)))
    one, other = (references(r, draws=50, solve=lambda g, *_, **__: _first(g)) for r in (records, records[::-1]))
    assert one.equals(other.iloc[::-1].reset_index(drop=True))


def _first(gains):
    from types import SimpleNamespace

    return SimpleNamespace(plan=(0,) * gains.shape[1], proven=False)


def test_regret_is_0_at_the_optimum_and_the_share_closed_1(made):
    chosen = {"divergence": [(0, 0), (0, 1)], "welfare": [(0, 0), (0, 1)]}
    for objective, plans in chosen.items():
        records = [({"objective": objective}, made.search(made.entry(1, p), chosen=p)) for p in plans]
        frame = with_references(runs_of(records), records, solve=made.listed)
        assert frame["regret"].tolist() == [0, 8 if objective == "divergence" else 4]
        assert frame["closed"].tolist() == [1, -1]  # a random plan is halfway


def test_a_run_without_a_plan_has_no_regret(made):
    records = [({}, made.search(made.entry(1, errors=1)))]
    assert np.isnan(with_references(runs_of(records), records, solve=made.listed)["regret"][0])


def test_records_that_are_not_the_frame_s_are_refused(made):
    records = [({}, made.search(made.entry(1, (0, 0)), chosen=(0, 0)))]
    frame = runs_of(records).assign(instance="another")
    with pytest.raises(InvalidInput, match="the instance another is in none of the records"):
        with_references(frame, records, solve=made.listed)
    with pytest.raises(InvalidInput, match="k: 0 given"):
        references(records, k=0, solve=made.listed)


def test_the_solver_of_the_house_finds_the_optimum(made):
    record = made.search(made.entry(1, (0, 1)), chosen=(0, 1))
    for objective in ("divergence", "welfare"):
        records = [({"objective": objective}, record)]
        assert references(records).equals(references(records, solve=made.listed))
