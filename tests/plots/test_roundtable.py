"""RoundTable's figures draw the data that they are given."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.prediction import measured, scores
from support.plots import roundtable as figures


def test_utilities_are_means_bars_the_share_undecided_and_printed_values_hollow_marks(
    axes,
):
    utility = {
        ("a", 1): (0.0, 40.0),
        ("a", 2): (60.0, 80.0),
        ("b", 1): (0.0, 0.0),
        ("b", 2): (0.0, 100.0),
    }
    rows = [
        (rule, i, number, u, u == 0)
        for (rule, number), pair in utility.items()
        for i, u in enumerate(pair)
    ]
    curves = pd.DataFrame(
        rows, columns=["rule", "repetition", "round", "utility", "undecided"]
    )
    ax, below = axes(2)
    cells = [("a", "utility@1", 33.0), ("a", "auc@1", 1.0), ("gpt", "utility@2", 44.0)]
    printed = pd.DataFrame(cells, columns=["row", "column", "value"])
    figures.plot_utility(curves, ax, below, order=["a", "b"], published=printed)
    lines = {
        line.get_label(): line.get_ydata().tolist()
        for line in ax.lines
        if line.get_label() in "ab"
    }
    assert lines == {"a": [20.0, 70.0], "b": [0.0, 50.0]}
    assert [bar.get_height() for bar in below.patches] == [50.0, 0.0, 100.0, 50.0]
    hollow = [line for line in ax.lines if line.get_fillstyle() == "none"]
    assert [(list(h.get_xdata()), list(h.get_ydata())) for h in hollow] == [
        ([1 - 0.035], [33.0]),
        ([2], [44.0]),
    ]
    assert {"paper (hollow marks)", "paper: gpt"} <= {
        t.get_text() for t in ax.get_legend().get_texts()
    }
    assert "%" in ax.get_ylabel() and below.get_xlabel() == "round"


def test_errors_are_those_of_the_decided_beside_printed_ones_and_other_predictors(ax):
    rows = [(rule, r, np.nan if (r, case) == (1, 0) else 3.0 + case, 4.0)
            for rule in ("majority", "rated") for r in (1, 2) for case in (0, 1, 2)]  # fmt: skip
    errors = measured(
        pd.DataFrame(rows, columns=["rule", "round", "prediction", "truth"])
    )
    others = scores(errors.assign(method="always 4"), "method")
    printed = pd.DataFrame(
        [("rated", "mae@1", 0.9)], columns=["row", "column", "value"]
    )
    figures.plot_error(
        errors, ax, order=["majority", "rated"], published=printed, references=others
    )
    ours, _, hollow, reference = ax.lines
    assert ours.get_ydata()[0] == pytest.approx(0.5) and hollow.get_ydata() == [0.9]
    assert (
        hollow.get_color() == ax.lines[1].get_color()
        and hollow.get_fillstyle() == "none"
    )
    assert reference.get_ydata()[0] == others.set_index("column")["value"]["mae"]
    bars = [
        patch.get_height()
        for other in ax.figure.axes
        if other is not ax
        for patch in other.patches
    ]
    assert (
        bars == pytest.approx([100 / 3, 0, 100 / 3, 0]) and "stars" in ax.get_ylabel()
    )


def test_a_frontier_joins_the_rules_that_no_other_beats_and_not_the_oracle(ax):
    rows = [
        ("@10", 0, 0.0),
        ("early", 60, 0.2),
        ("clever", 40, 0.05),
        ("poor", 30, 0.3),
        ("Oracle", 50, -0.1),
    ]
    parts = [(name, "words saved", float(x)) for name, x, _ in rows] + [
        (name, "loss", y) for name, _, y in rows
    ]
    frontier = pd.DataFrame(parts, columns=["stopping", "measure", "mean"])
    frontier = frontier.assign(
        low=frontier["mean"] - 0.01, high=frontier["mean"] + 0.02
    )
    figures.plot_frontier(frontier, ax, "stars of error")
    marks = {c.get_label(): c.lines[0] for c in ax.containers}
    assert list(marks) == ["@10", "early", "clever", "poor", "Oracle"]
    assert (marks["clever"].get_xdata().item(), marks["clever"].get_ydata().item()) == (
        40,
        0.05,
    )
    assert (
        marks["Oracle"].get_fillstyle() == "none"
        and marks["early"].get_fillstyle() == "full"
    )
    bars = ax.containers[1].lines[2]
    assert np.allclose(bars[0].get_segments()[0][:, 0], [59.99, 60.02])
    assert np.allclose(bars[1].get_segments()[0][:, 1], [0.19, 0.22])
    line = next(line for line in ax.lines if line.get_drawstyle() == "steps-pre")
    assert line.get_xdata().tolist() == [0, 40, 60] and line.get_ydata().tolist() == [
        0,
        0.05,
        0.2,
    ]
    assert "stars of error" in ax.get_ylabel()


def test_an_allocation_is_stacked_to_its_endowment(ax):
    figures.plot_allocation([[80, 10], [20, 90]], ["Ana", "Ben"], ["A", "B"], ax)
    assert [bar.get_y() + bar.get_height() for bar in ax.patches] == [80, 10, 100, 100]


def test_a_discussion_is_drawn_beside_simulated_ones():
    fig = figures.draw_discussion(
        [0.0, 50.0], None, ["Ana"], ["A"], 3, np.array([[0, 10, 20], [0, 30, 40.0]])
    )
    lines = {line.get_label(): list(line.get_ydata()) for line in fig.axes[0].lines}
    assert lines["this discussion"] == [0.0, 50.0]
    assert lines["rule-based, mean of 2"] == [0.0, 20.0, 30.0]
