"""Runs, rounds and steps of fair decisions, what an instance allows, and differences on the same instances."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from support.analysis.fairness import (
    at_budget,
    budget,
    expected_best,
    failures,
    instance_key,
    is_local,
    paired,
    random_plans,
    references,
    rounds_of,
    runs_of,
    steps_of,
    trajectory,
    with_references,
)
from support.analysis.stats import signed_rank
from support.errors import InvalidInput
from support.fair_decisions import measures
from support.fair_decisions.instances import instance
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Feedback, Planning, PlanningRound
from support.play import FormatError
from support.runs.study import Unit

GAINS = (((10, 0), (4, 6)), ((0, 10), (8, 2)), ((5, 5), (5, 5)))  # three participants, two decisions, two options


def entry(number, *plans, gains=GAINS, best=None, heard=True, finish=False, errors=0, replies=0, tokens=0):
    """A round with these plans, answered by everybody unless it ends the search."""
    problem = FairDecisions(np.array(gains))
    totals = tuple(tuple(problem.totals(plan).tolist()) for plan in plans)
    answered = () if finish or not plans else tuple(Feedback(name) for name in problem.participants)
    known = tuple(tuple(map(float, row)) for row in totals) if heard and answered else ()
    amiss = tuple(FormatError("coordinator", "propose", "no plan") for _ in range(errors))
    took = {"format_errors": amiss, "replies": replies, "tokens": tokens}
    return PlanningRound(number, plans, answered, known, totals, best, finish=finish, **took)


def search(*rounds, gains=GAINS, chosen=None, coordinator="mcts", **settings):
    """A whole search."""
    people = FairDecisions(np.array(gains)).participants
    return Planning(gains, people, {"coordinator": coordinator}, rounds, chosen, settings)


def test_a_run_has_the_quality_of_its_chosen_plan_in_truth():
    record = search(entry(1, (0, 0), best=(0, 0)), entry(2, (0, 1), best=(0, 0)), chosen=(0, 1))
    row = runs_of([({}, record)]).iloc[0]
    assert (row["divergence"], row["welfare"], row["least"], row["most"]) == (14, 28, 2, 16)  # totals 16, 2, 10
    assert row["shortfall"] == 16  # the second could have had 10 + 8
    assert row["nash"] == pytest.approx(320 ** (1 / 3))
    assert row["envy"] == pytest.approx((14 + 6 + 8) / 6)
    assert row["gini"] == pytest.approx(28 / (3 * 28))
    assert row["found"]


def test_what_a_run_took_is_counted():
    rounds = (
        entry(1, (0, 0), (1, 1), replies=4, tokens=900),
        entry(2, errors=2, replies=1, tokens=80),
        entry(3, (1, 1), finish=True),
    )
    row = runs_of([({}, search(*rounds, chosen=(1, 1)))]).iloc[0]
    assert (row["rounds_used"], row["evaluations"], row["replies"], row["format_errors"]) == (3, 6, 5, 2)
    assert row["tokens"] == 980 and row["stopped"]


def test_changes_are_counted_from_the_nearest_earlier_plan_and_a_stop_is_none():
    rounds = [entry(1, (0, 0)), entry(2, (1, 1)), entry(3, (1, 0)), entry(4, (1, 0), finish=True)]
    assert runs_of([({}, search(*rounds, chosen=(1, 0)))])["changed"][0] == 1.5
    assert np.isnan(runs_of([({}, search(entry(1, (0, 0)), chosen=(0, 0)))])["changed"][0])


def test_a_run_without_a_plan_has_no_quality_and_is_not_found():
    row = runs_of([({}, search(entry(1, errors=1)))]).iloc[0]
    assert np.isnan(row["divergence"]) and not row["found"] and row["evaluations"] == 0


def test_settings_come_from_the_unit_then_the_record_then_the_seats():
    record = search(entry(1, (0, 0)), chosen=(0, 0), coordinator="mcts (compiled)", feedback="score", rounds=5)
    unit = Unit("study", json.dumps({"coordinator": "mcts", "decisions": 99, "seats": {"Ana": "terse"}}), 4)
    row = runs_of([(unit, record)]).iloc[0]
    assert (row["coordinator"], row["feedback"], row["rounds"], row["estimator"]) == ("mcts", "score", 5, "none")
    assert (row["repetition"], row["seats"]) == (4, '{"Ana": "terse"}')
    assert (row["participants"], row["decisions"], row["options"]) == (3, 2, 2)  # as the gains have them
    assert runs_of([({}, record)])["coordinator"][0] == "mcts (compiled)"


def test_an_instance_is_named_by_its_gains_alone():
    other = tuple(tuple(row) for row in np.array(GAINS)[:, ::-1].tolist())
    assert instance_key(GAINS) == instance_key(np.array(GAINS, dtype=np.int32))
    assert instance_key(GAINS) != instance_key(other)
    assert instance_key(np.ones((1, 2, 3))) != instance_key(np.ones((1, 3, 2)))


@pytest.fixture
def record():
    """Divergences 6, 14, 0 in truth; the group takes the first for the best until it stops with the third."""
    rounds = (
        entry(1, (0, 0), best=(0, 0)),
        entry(2, (0, 1), best=(0, 0)),
        entry(3, (1, 0), best=(0, 0)),
        entry(4, (1, 0), best=(0, 0), finish=True),
    )
    return search(*rounds, chosen=(1, 0), coordinator="model")


def test_a_round_tells_its_plan_from_the_one_that_stands_and_from_the_best_in_truth(record):
    frame = rounds_of([({}, record)])
    # totals: (0, 0) 14, 8, 10; (0, 1) 16, 2, 10; (1, 0) 4, 18, 10
    assert frame["divergence"].tolist() == [6, 14, 14, 14]
    assert frame["standing_divergence"].tolist() == [6, 6, 6, 14]  # it stopped with a worse one
    assert frame["best_divergence"].tolist() == [6, 6, 6, 6]
    assert frame["evaluations"].tolist() == [3, 6, 9, 9]
    assert frame["standing_divergence"].iloc[-1] == runs_of([({}, record)])["divergence"][0]


def test_without_best_known_the_last_plan_stands(record):
    frame = rounds_of([({"final": "last"}, record)])
    assert frame["standing_divergence"].tolist() == [6, 14, 14, 14]


def test_the_objective_says_which_plan_is_the_better_one():
    gains = (((10, 0), (10, 0)), ((10, 0), (0, 0)))
    rounds = (entry(1, (0, 0), (1, 1), gains=gains, best=(0, 0)),)
    fair, rich = (rounds_of([({"objective": o}, search(*rounds, gains=gains))]) for o in ("divergence", "welfare"))
    assert (fair["divergence"][0], fair["welfare"][0]) == (0, 0)
    assert (rich["divergence"][0], rich["welfare"][0], rich["best_welfare"][0]) == (10, 30, 30)
    assert fair["plans"][0] == 2


def test_changed_counts_from_the_nearest_earlier_plan():
    rounds = [entry(1, (0, 0)), entry(2, (1, 1)), entry(3, (1, 0)), entry(4, (0, 0))]
    assert rounds_of([({}, search(*rounds))])["changed"].tolist()[1:] == [2, 1, 0]
    assert np.isnan(rounds_of([({}, search(*rounds))])["changed"][0])


def test_a_round_without_a_plan_keeps_what_stands():
    rounds = (entry(1, errors=1), entry(2, (0, 0), best=(0, 0)), entry(3, errors=1, best=(0, 0)))
    frame = rounds_of([({}, search(*rounds, chosen=(0, 0)))])
    assert np.isnan(frame["divergence"][[0, 2]]).all() and np.isnan(frame["standing_divergence"][0])
    assert frame["standing_divergence"].tolist()[1:] == [6, 6]


def paths(**runs):
    """Rounds of runs, given by their evaluations and what stands after them."""
    return pd.DataFrame(
        [
            {"coordinator": name.split("_")[0], "repetition": name, "instance": "i", "round": t, "evaluations": e,
             "standing_divergence": v}
            for name, path in runs.items()
            for t, (e, v) in enumerate(path, start=1)
        ]
    )  # fmt: skip


def test_a_run_that_stops_early_keeps_what_it_has():
    table = budget(paths(mcts_1=[(3, 9.0), (6, 5.0), (9, 1.0)], mcts_2=[(3, 8.0), (3, 4.0)]))
    wide = table.pivot(index="evaluations", columns="run", values="standing_divergence")
    assert wide.index.tolist() == [3, 6, 9]
    assert wide[1].tolist() == [4, 4, 4]  # the last of two rounds at 3 evaluations
    assert wide[0].tolist() == [9, 5, 1]


def test_no_evaluation_is_no_point_and_no_plan_no_value():
    table = budget(paths(mcts_1=[(0, np.nan), (3, np.nan), (6, 2.0)]))
    assert table["evaluations"].tolist() == [3, 6]
    assert np.isnan(table["standing_divergence"][0])


def test_runs_that_nothing_tells_apart_are_refused():
    frame = paths(mcts_1=[(3, 1.0)], mcts_2=[(3, 2.0)]).drop(columns="repetition")
    with pytest.raises(InvalidInput, match="two runs have the same settings"):
        budget(frame)


def test_at_a_budget_every_run_has_its_last_round_that_it_could_afford():
    frame = paths(mcts_1=[(3, 9.0), (6, 5.0), (9, 1.0)], mcts_2=[(3, 8.0), (3, 4.0)], pairs_1=[(6, 7.0), (12, 2.0)])
    values = at_budget(frame, 6).set_index("repetition")["standing_divergence"]
    assert values.to_dict() == {"mcts_1": 5.0, "mcts_2": 4.0, "pairs_1": 7.0}
    assert set(at_budget(frame, 3)["repetition"]) == {"mcts_1", "mcts_2"}
    with pytest.raises(InvalidInput, match="evaluations: 2 given; expected at least 3"):
        at_budget(frame, 2)
    with pytest.raises(InvalidInput, match="two runs have the same settings"):
        at_budget(frame.drop(columns="repetition"), 6)


def test_a_trajectory_has_every_participant_s_total_and_marks_the_plan_that_was_chosen(record):
    table = trajectory(record)
    first = table[table["round"] == 1]
    assert first["participant"].tolist() == ["Player 1", "Player 2", "Player 3"]
    assert first["total"].tolist() == [14, 8, 10]
    assert first["heard"].tolist() == [14, 8, 10]
    assert set(first["plan"]) == {"1 1"} and set(first["divergence"]) == {6}
    assert table.groupby("round")["chosen"].first().tolist() == [False, False, True, True]
    assert table.loc[table["round"] == 4, "heard"].isna().all()


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 6))
def test_property_the_best_of_k_is_the_mean_over_all_choices_of_k(values, k):
    ranked = np.sort(np.array(values, dtype=float))[::-1]
    best = [max(chosen) for chosen in combinations(values, min(k, len(values)))]
    assert expected_best(ranked, k) == pytest.approx(np.mean(best))


def test_references_of_an_instance_whose_plans_can_be_listed():
    plans = {"divergence": (6, 14, 14, 6), "welfare": (32, 28, 32, 28)}
    totals = FairDecisions(np.array(GAINS)).totals_of(np.array([(0, 0), (0, 1), (1, 0), (1, 1)]))
    assert np.ptp(totals, axis=1).tolist() == [6, 14, 14, 6]
    record = search(entry(1, (0, 1)), chosen=(0, 1))
    for objective, best in (("divergence", 6), ("welfare", 32)):
        row = references([({"objective": objective}, record)], k=2).iloc[0]
        assert (row["optimum"], row["exact"], row["proven"]) == (best, True, True)
        assert row["random"] == pytest.approx(np.mean(plans[objective]))
        better = min if objective == "divergence" else max
        pairs = [better(pair) for pair in combinations(plans[objective], 2)]
        assert row["random_best"] == pytest.approx(np.mean(pairs))
        assert row["random_low"] <= row["random"] <= row["random_high"]


def test_drawn_plans_come_near_the_listed_ones(monkeypatch):
    problem = instance("scores", 6, 3, 0, 2025)
    exact = random_plans(problem, "divergence", 5, 1, np.random.default_rng(0))
    monkeypatch.setattr("support.analysis.fairness.ALL", 10)
    drawn = random_plans(problem, "divergence", 5, 20_000, np.random.default_rng(0))
    assert exact["exact"] and not drawn["exact"]
    for name in ("random", "random_low", "random_high", "random_best"):
        assert drawn[name] == pytest.approx(exact[name], rel=0.04)


def test_regret_is_0_at_the_optimum_and_the_share_closed_1():
    chosen = {"divergence": [(0, 0), (0, 1)], "welfare": [(0, 0), (0, 1)]}
    for objective, plans in chosen.items():
        records = [({"objective": objective}, search(entry(1, p), chosen=p)) for p in plans]
        frame = with_references(runs_of(records), records)
        assert frame["regret"].tolist() == [0, 8 if objective == "divergence" else 4]
        assert frame["closed"].tolist() == [1, -1]  # a random plan is halfway


def test_records_that_are_not_the_frame_s_are_refused():
    records = [({}, search(entry(1, (0, 0)), chosen=(0, 0)))]
    frame = runs_of(records).assign(instance="another")
    with pytest.raises(InvalidInput, match="the instance another is in none of the records"):
        with_references(frame, records)
    with pytest.raises(InvalidInput, match="k: 0, draws: 20000 given"):
        references(records, k=0)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    rows = []
    for n in (3, 5, 7):
        for i in range(12):
            base = rng.uniform(20, 80)
            for coordinator, better in (("random", 0), ("mcts", 2 * n)):
                value = round(base - better + rng.normal(0, 4))
                rows.append({"decisions": n, "instance": f"{n}-{i}", "coordinator": coordinator, "divergence": value})
    return pd.DataFrame(rows)


def test_pairs_are_tested_on_their_differences(frame):
    table = paired(frame, "coordinator", "mcts", "random", along="decisions")
    for row in table.to_dict("records"):
        wide = frame[frame["decisions"] == row["decisions"]].pivot(
            index="instance", columns="coordinator", values="divergence"
        )
        gaps = wide["mcts"] - wide["random"]
        assert row["difference"] == pytest.approx(gaps.mean())
        assert (row["low"], row["high"]) == pytest.approx(stats.t.interval(0.95, 11, gaps.mean(), gaps.sem()))
        assert row["wilcoxon"] == pytest.approx(signed_rank(gaps, "pratt").p)
        assert (row["lower"], row["equal"], row["higher"]) == tuple(
            int(s) for s in ((gaps < 0).sum(), (gaps == 0).sum(), (gaps > 0).sum())
        )
    assert table["p_adjusted"].to_numpy() == pytest.approx(multipletests(table["p"], method="holm")[1])
    assert (table["hedges_g"] < 0).all()


def test_turning_the_pair_round_turns_the_sign(frame):
    one, other = (paired(frame, "coordinator", a, b).iloc[0] for a, b in (("mcts", "random"), ("random", "mcts")))
    assert (one["difference"], one["low"], one["lower"]) == (-other["difference"], -other["high"], other["higher"])
    assert one["wilcoxon"] == other["wilcoxon"]


def test_only_instances_of_both_are_pairs(frame):
    table = paired(frame.drop(index=[0, 3]), "coordinator", "mcts", "random").iloc[0]
    assert (table["n"], table["left_out"]) == (34, 2)


def test_what_cannot_be_paired_is_refused(frame):
    with pytest.raises(InvalidInput, match="no run with 'model'; there are: random, mcts"):
        paired(frame, "coordinator", "mcts", "model")
    with pytest.raises(InvalidInput, match="does not identify a pair"):
        paired(pd.concat([frame, frame]), "coordinator", "mcts", "random")
    apart = frame[(frame["decisions"] == 3) == (frame["coordinator"] == "mcts")]
    with pytest.raises(InvalidInput, match="never occur in the same decisions"):
        paired(apart, "coordinator", "mcts", "random", along="decisions")


def test_of_how_a_search_fails_steps_and_runs_say_the_same():
    # divergences 6, 14, 14, 6: the second plan is worse, the fourth is the first again
    plans = [(0, 0), (0, 1), (1, 0), (0, 0)]
    record = search(*(entry(i, plan) for i, plan in enumerate(plans, start=1)), chosen=(0, 0))
    steps = steps_of([({}, record)])
    assert steps["worse"].tolist() == [1, 0, 0] and steps["returned"].tolist() == [0, 0, 1]
    assert steps["one"].tolist() == [1, 0, 1] and steps["many"].tolist() == [0, 1, 0]
    row = runs_of([({}, record)]).iloc[0]
    assert (row["away"], row["undone"], row["local"]) == (0, 0, 1)
    moved_on = search(entry(1, (0, 0)), entry(2, (0, 1)), entry(3, (0, 0)), entry(4, (0, 1)), chosen=(0, 1))
    row = runs_of([({}, moved_on)]).iloc[0]
    assert (row["away"], row["undone"], row["left"], row["local"]) == (1, 1, 0, 0)


@given(st.integers(0, 10**6), st.sampled_from(["divergence", "welfare"]))
def test_property_a_local_optimum_is_one_that_no_single_change_improves(seed, objective):
    rng = np.random.default_rng(seed)
    problem = FairDecisions(rng.integers(0, 9, size=(3, 3, 3)))
    plan = tuple(rng.integers(3, size=3).tolist())
    near = [(*plan[:d], k, *plan[d + 1 :]) for d in range(3) for k in range(3)]
    best = max(measures.value(objective, problem.totals(one)) for one in near)
    assert is_local(problem, plan, objective) == (best <= measures.value(objective, problem.totals(plan)))


def test_failures_are_shares_of_steps_with_intervals_over_runs():
    records = [({"coordinator": c}, search(entry(1, (0, 0)), entry(2, (0, 1)), entry(3, last), chosen=(0, 0)))
               for c in ("here", "there") for last in ((0, 0), (1, 0))]  # fmt: skip
    table = failures(steps_of(records), "coordinator", np.random.default_rng(0)).set_index(["coordinator", "what"])
    assert table.loc[("here", "returned"), "mean"] == 0.25 and table.loc[("here", "returned"), "n"] == 4
    assert table.loc[("there", "worse"), "clusters"] == 2
