"""All comparisons in one table."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.fairness_claims import results
from support.errors import InvalidInput


def runs(sizes=(3, 5, 7, 9), count=10, **changes):
    """Runs of one cell; `changes` are settings, and `divergence` a function of n and the instance."""
    level = changes.pop("divergence", lambda n, i: 10.0 + i)
    rows = [
        {"coordinator": "mcts", "feedback": "score", "decisions": n, "instance": f"{n}-{i}", "divergence": level(n, i),
         "welfare": 100.0 - level(n, i)} | changes
        for n in sizes
        for i in range(count)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def cell(ours, row, column):
    (found,) = ours[(ours["row"] == row) & (ours["column"] == column)].to_dict("records")
    return found


def test_a_cell_is_named_by_what_is_not_as_usual():
    frame = pd.concat(
        [
            runs(),
            runs(feedback="words", preferences="rankings"),
            runs(coordinator="model", objective="welfare"),
            runs(coordinator="model", feedback="complete", solver=True),
            runs(rounds=9),
            runs(coordinator="model", prompt="no example"),
            runs(participants=4),
        ]
    )
    filled = frame.fillna(
        {"preferences": "scores", "objective": "divergence", "solver": False, "rounds": 5, "prompt": "full",
         "participants": 3}
    )  # fmt: skip
    assert set(results(filled)["row"]) == {
        "mcts, score", "mcts, words, rankings", "model, score, welfare", "model, complete, solver",
        "mcts, score, 9 rounds", "model, score, no example",
        "mcts, score, 4 participants",
    }  # fmt: skip


def test_a_gain_is_a_paired_difference_in_the_objective_s_favour():
    frame = pd.concat([runs(), runs(feedback="words", divergence=lambda n, i: 10.0 + i + n + i % 2)])
    ours = results(frame)
    gain = cell(ours, "mcts: score - words", "gain")
    assert gain["value"] == pytest.approx(6.5) and gain["n"] == 40
    assert gain["se"] < 0.6  # of the differences; the values spread by 3
    assert cell(ours, "mcts: score - words", "gain at n = 5")["value"] == pytest.approx(5.5)
    assert cell(ours, "mcts: score - words", "gain at smaller n")["value"] == pytest.approx(4.5)
    assert cell(ours, "mcts: score - words", "gain at larger n")["value"] == pytest.approx(8.5)
    assert cell(ours, "mcts: score - words", "slope of gain")["value"] == pytest.approx(1)
    assert cell(ours, "mcts: words - score", "gain")["value"] == pytest.approx(-6.5)


def test_more_welfare_is_a_gain():
    frame = pd.concat(
        [runs(objective="welfare"), runs(objective="welfare", feedback="words", divergence=lambda n, i: 4.0 + i)]
    )
    ours = results(frame)
    assert cell(ours, "mcts, welfare: words - score", "gain")["value"] == pytest.approx(6)
    assert cell(ours, "mcts, score, welfare", "quality")["value"] == pytest.approx(85.5)


def test_a_seat_s_kind_says_whether_there_was_a_solver():
    kinds = pd.concat([runs(feedback="complete", solver=s) for s in ("none", "exact on estimates")])
    assert set(results(kinds)["row"]) == {
        "mcts, complete",
        "mcts, complete, solver",
        "mcts, complete: solver - no solver",
    }


def test_references_say_what_random_plans_and_the_optimum_are_worth():
    frame = runs().assign(
        random=40.0, random_best=20.0, optimum=2.0, proven=True, regret=lambda f: f["divergence"] - 10
    )
    ours = results(frame)
    assert cell(ours, "mcts, score", "beats random")["value"] == pytest.approx(40 - 14.5)
    assert cell(ours, "mcts, score", "beats best of k")["value"] == pytest.approx(20 - 14.5)
    assert cell(ours, "mcts, score", "optimal")["value"] == pytest.approx(0.1)
    rich = results(frame.assign(objective="welfare", optimum=171.0))
    assert cell(rich, "mcts, score, welfare", "share of the optimum")["value"] == pytest.approx(0.5)
    assert cell(rich, "mcts, score, welfare", "beats random")["value"] == pytest.approx(85.5 - 40)


def test_an_optimum_that_is_not_proven_does_not_count():
    frame = runs().assign(random=40.0, random_best=20.0, optimum=2.0, regret=0.0, proven=[True, False] * 20)
    assert cell(results(frame), "mcts, score", "optimal")["n"] == 20


def test_runs_without_a_plan_and_single_pairs_are_left_out():
    words = runs(feedback="words").assign(divergence=lambda f: f["divergence"].where(f.index == 0))
    rows = set(results(pd.concat([runs(), words]))["row"])
    assert rows == {"mcts, score"}  # nothing of fewer than two


def test_two_runs_of_an_instance_in_one_cell_are_refused():
    with pytest.raises(InvalidInput, match="'mcts, score' has two runs of the instance 3-0; choose one estimator"):
        results(pd.concat([runs(noise=0.0), runs(noise=0.2)]))


def test_costs_that_were_kept_are_there():
    ours = results(runs().assign(seconds=0.5, tokens=np.nan))
    assert cell(ours, "mcts, score", "seconds")["value"] == 0.5
    assert "tokens" not in set(ours["column"])


def test_the_middle_size_is_in_neither_half():
    ours = results(runs(sizes=(3, 5, 7), divergence=lambda n, i: float(n)))
    halves = [cell(ours, "mcts, score", f"quality at {half} n")["value"] for half in ("smaller", "larger")]
    assert halves == [3, 7]


def test_every_model_has_a_table_of_its_own_beside_those_that_are_none():
    frame = pd.concat(
        [
            runs(),
            runs(coordinator="model:quick", feedback="complete", divergence=lambda n, i: 20.0 + i),
            runs(coordinator="model:slow", feedback="complete", reasoning="high", divergence=lambda n, i: 10.0 + i / 2),
        ]
    )
    ours = results(frame)
    assert set(ours["participant"]) == {"model:quick", "model:slow, reasoning high"}
    slow = ours[ours["participant"] == "model:slow, reasoning high"]
    assert cell(slow, "model", "reasons")["value"] == 1 and cell(slow, "mcts, score", "quality")["n"] == 40
    assert cell(slow, "model, complete", "quality")["value"] == pytest.approx(12.25)
    assert cell(slow, "model, complete: reasoning - no reasoning", "gain")["value"] == pytest.approx(12.25)
    assert cell(slow, "model, complete: reasoning - no reasoning", "steadier")["value"] == pytest.approx(np.log(2))
    assert cell(slow, "model, complete: quick - slow, reasoning high", "gain")["value"] == pytest.approx(-12.25)
