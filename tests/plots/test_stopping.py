"""Figures of stopping draw the means, the intervals and the shares that they are given."""

import numpy as np
import pandas as pd
import pytest

from support.errors import InvalidInput
from support.plots.stopping import plot_frontier, plot_stops


@pytest.fixture
def frontier():
    rows = [("@10", 0, 0.0), ("early", 60, 0.2), ("clever", 40, 0.05), ("poor", 30, 0.3), ("Oracle", 50, -0.1)]
    parts = [(name, "rounds saved", float(x)) for name, x, _ in rows] + [(name, "loss", y) for name, _, y in rows]
    table = pd.DataFrame(parts, columns=["stopping", "measure", "mean"])
    return table.assign(low=table["mean"] - 0.01, high=table["mean"] + 0.02)


def test_each_rule_is_a_mark_with_two_intervals(ax, frontier):
    plot_frontier(frontier, ax)
    marks = {c.get_label(): c.lines[0] for c in ax.containers}
    assert list(marks) == ["@10", "early", "clever", "poor", "Oracle"]
    assert (marks["clever"].get_xdata().item(), marks["clever"].get_ydata().item()) == (40, 0.05)
    assert marks["Oracle"].get_fillstyle() == "none" and marks["early"].get_fillstyle() == "full"
    bars = ax.containers[1].lines[2]
    assert np.allclose(bars[0].get_segments()[0][:, 0], [59.99, 60.02])
    assert np.allclose(bars[1].get_segments()[0][:, 1], [0.19, 0.22])


def test_the_line_joins_the_rules_that_no_other_beats_and_not_the_oracle(ax, frontier):
    plot_frontier(frontier, ax)
    line = next(line for line in ax.lines if line.get_drawstyle() == "steps-pre")
    assert line.get_xdata().tolist() == [0, 40, 60] and line.get_ydata().tolist() == [0, 0.05, 0.2]


def test_labels_carry_units(ax, frontier):
    plot_frontier(frontier, ax, unit="stars of error")
    assert ax.get_xlabel() == "rounds saved (%)" and "stars of error" in ax.get_ylabel()


def test_what_was_not_measured_cannot_be_drawn(ax, frontier):
    with pytest.raises(InvalidInput, match="'words saved' given; the frontier measures rounds saved, loss"):
        plot_frontier(frontier, ax, saving="words saved")
    with pytest.raises(InvalidInput, match="high"):
        plot_frontier(frontier.drop(columns="high"), ax)


def test_shares_of_stops_are_drawn_by_round(ax):
    tested = pd.DataFrame({"stopping": ["a"] * 4 + ["b"] * 2, "stop": [1, 1, 1, 3, 2, 2]})
    plot_stops(tested, ax, order=["b", "a"])
    assert ax.images[0].get_array().tolist() == [[0, 100, 0], [75, 0, 25]]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["b", "a"]
    assert sorted(t.get_text() for t in ax.texts) == ["100", "25", "75"]
    assert "%" in ax.get_xlabel()
