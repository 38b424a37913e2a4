"""Figures of surveys draw the numbers that they are given."""

import pandas as pd
import pytest

from support.plots.surveys import plot_diverging


def given(counts, when, who="mixed"):
    rows = []
    for answer, count in enumerate(counts, start=1):
        rows += [(when, answer, who)] * count
    return pd.DataFrame(rows, columns=["when", "answer", "participant"])


def test_bars_are_shares_in_percent_in_their_order_and_the_middle_straddles_zero(ax):
    first = given([2, 4, 8, 4, 2], "late, though first")
    plot_diverging(ax, pd.concat([first, given([0, 0, 4, 6, 10], "early")]), "when")
    expected = [[10, 0], [20, 0], [40, 20], [20, 30], [10, 50]]
    for step, widths in zip(ax.containers, expected, strict=True):
        assert [bar.get_width() for bar in step] == pytest.approx(widths)
    assert [bar.get_x() for bar in ax.containers[2]] == pytest.approx([-20, -10])
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["late, though first", "early"]


def test_an_even_scale_has_no_middle(ax):
    plot_diverging(ax, given([1, 1, 1, 1], "once"), "when", steps=4)
    assert ax.containers[2][0].get_x() == pytest.approx(0)


def test_each_participant_has_a_panel_whose_first_bar_stands_on_top(ax):
    both = [given([1, 0, 1], "a"), given([1, 1, 0], "b")]
    models = [part.assign(participant="model:x") for part in both]
    fig = ax.figure
    plot_diverging(ax, pd.concat(both + models), "when", steps=3, col="participant")
    titles = [panel.get_title("left") for panel in fig.axes]
    assert titles == ["mixed", "model:x"]
    assert [panel.get_ylim() for panel in fig.axes] == [(1.5, -0.5)] * 2
