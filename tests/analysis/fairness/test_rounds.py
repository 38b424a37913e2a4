"""One row a round, what evaluations buy, and one search as a story."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.fairness import at_budget, budget, rounds_of, runs_of, trajectory
from support.errors import InvalidInput


@pytest.fixture
def record(made):
    """Divergences 6, 14, 0 in truth; the group takes the first for the best until it stops with the third."""
    rounds = (
        made.entry(1, (0, 0), best=(0, 0)),
        made.entry(2, (0, 1), best=(0, 0)),
        made.entry(3, (1, 0), best=(0, 0)),
        made.entry(4, (1, 0), best=(0, 0), finish=True),
    )
    return made.search(*rounds, chosen=(1, 0), coordinator="model")


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


def test_the_objective_says_which_plan_is_the_better_one(made):
    gains = (((10, 0), (10, 0)), ((10, 0), (0, 0)))
    rounds = (made.entry(1, (0, 0), (1, 1), gains=gains, best=(0, 0)),)
    fair, rich = (rounds_of([({"objective": o}, made.search(*rounds, gains=gains))]) for o in ("divergence", "welfare"))
    assert (fair["divergence"][0], fair["welfare"][0]) == (0, 0)
    assert (rich["divergence"][0], rich["welfare"][0], rich["best_welfare"][0]) == (10, 30, 30)
    assert fair["plans"][0] == 2


def test_changed_counts_from_the_nearest_earlier_plan(made):
    rounds = [made.entry(1, (0, 0)), made.entry(2, (1, 1)), made.entry(3, (1, 0)), made.entry(4, (0, 0))]
    assert rounds_of([({}, made.search(*rounds))])["changed"].tolist()[1:] == [2, 1, 0]
    assert np.isnan(rounds_of([({}, made.search(*rounds))])["changed"][0])


def test_a_round_without_a_plan_keeps_what_stands(made):
    rounds = (made.entry(1, errors=1), made.entry(2, (0, 0), best=(0, 0)), made.entry(3, errors=1, best=(0, 0)))
    frame = rounds_of([({}, made.search(*rounds, chosen=(0, 0)))])
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


def test_a_run_that_stops_early_keeps_what_it_has(made):
    table = budget(paths(mcts_1=[(3, 9.0), (6, 5.0), (9, 1.0)], mcts_2=[(3, 8.0), (3, 4.0)]))
    wide = table.pivot(index="evaluations", columns="run", values="standing_divergence")
    assert wide.index.tolist() == [3, 6, 9]
    assert wide[1].tolist() == [4, 4, 4]  # the last of two rounds at 3 evaluations
    assert wide[0].tolist() == [9, 5, 1]


def test_a_coordinator_that_has_two_plans_judged_moves_twice_as_fast():
    table = budget(paths(pairs_1=[(6, 5.0)], mcts_1=[(3, 9.0), (6, 8.0)]))
    assert table.groupby("coordinator", sort=False)["evaluations"].apply(list).to_dict() == {
        "pairs": [6],
        "mcts": [3, 6],
    }


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
