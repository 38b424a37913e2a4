"""Figures draw the data that they are given, and are saved with where they come from."""

import numpy as np
import pandas as pd
import pytest

from support.draw import png
from support.errors import InvalidInput
from support.plots import roundtable as figures


@pytest.fixture
def curves():
    utility = {("a", 1): (0.0, 40.0), ("a", 2): (60.0, 80.0), ("b", 1): (0.0, 0.0), ("b", 2): (0.0, 100.0)}
    rows = [(rule, i, number, u, u == 0) for (rule, number), pair in utility.items() for i, u in enumerate(pair)]
    return pd.DataFrame(rows, columns=["rule", "repetition", "round", "utility", "undecided"])


def test_lines_are_the_means_and_bars_the_share_undecided(ax, curves):
    figures.plot_utility(curves, ax)
    lines = {line.get_label(): line.get_ydata().tolist() for line in ax.lines if line.get_label() in "ab"}
    assert lines == {"a": [20.0, 70.0], "b": [0.0, 50.0]}
    bars = next(other for other in ax.figure.axes if other is not ax)
    assert [bar.get_height() for bar in bars.patches] == [50.0, 0.0, 100.0, 50.0]


def test_published_values_are_hollow_marks_at_their_rounds(ax, curves):
    printed = pd.DataFrame(
        [("a", "utility@1", 33.0), ("a", "auc@1", 1.0), ("gpt", "utility@2", 44.0)], columns=["row", "column", "value"]
    )
    figures.plot_utility(curves, ax, published=printed)
    hollow = [line for line in ax.lines if line.get_fillstyle() == "none"]
    assert [(list(h.get_xdata()), list(h.get_ydata())) for h in hollow] == [([1 - 0.035], [33.0]), ([2], [44.0])]
    assert {"paper (hollow marks)", "paper: gpt"} <= {t.get_text() for t in ax.get_legend().get_texts()}


def test_labels_carry_units_and_the_order_can_be_chosen(ax, curves):
    figures.plot_utility(curves, ax, order=["b"])
    assert "%" in ax.get_ylabel() and ax.get_xlabel() == "round"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["b"]


def test_a_frame_without_a_needed_column_is_refused(ax, curves):
    with pytest.raises(InvalidInput, match="undecided"):
        figures.plot_utility(curves.drop(columns="undecided"), ax)


def test_an_allocation_is_stacked_to_its_endowment(ax):
    figures.plot_allocation([[80, 10], [20, 90]], ["Ana", "Ben"], ["A", "B"], ax)
    tops = [bar.get_y() + bar.get_height() for bar in ax.patches]
    assert tops == [80, 10, 100, 100]


def test_a_discussion_is_drawn_beside_simulated_ones():
    fig = figures.draw_discussion([0.0, 50.0], None, ["Ana"], ["A"], 3, np.array([[0, 10, 20], [0, 30, 40.0]]))
    lines = {line.get_label(): list(line.get_ydata()) for line in fig.axes[0].lines}
    assert lines["this discussion"] == [0.0, 50.0]
    assert lines["rule-based, mean of 2"] == [0.0, 20.0, 30.0]
    assert png(fig).startswith(b"\x89PNG")
