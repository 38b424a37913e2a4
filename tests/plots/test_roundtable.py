"""RoundTable's figures draw the data that they are given."""

import numpy as np
import pandas as pd

from support.plots import roundtable as figures


def test_utilities_are_means_bars_the_share_undecided_and_printed_values_hollow_marks(
    axes,
):
    values = {
        ("a", 1): (0, 40),
        ("a", 2): (60, 80),
        ("b", 1): (0, 0),
        ("b", 2): (0, 100),
    }
    rows = []
    for (rule, number), pair in values.items():
        rows += [(rule, number, float(u), u == 0) for u in pair]
    columns = ["rule", "round", "utility", "undecided"]
    curves = pd.DataFrame(rows, columns=columns)
    cells = [("a", "utility@1", 33.0), ("a", "auc@1", 1.0), ("gpt", "utility@2", 44.0)]
    printed = pd.DataFrame(cells, columns=["row", "column", "value"])
    ax, below = axes(2)
    figures.plot_utility(
        curves, ax, below, order=["a", "b"], published=printed, even=63.0
    )
    lines = {line.get_label(): list(line.get_ydata()) for line in ax.lines}
    assert (lines["a"], lines["b"]) == ([20, 70], [0, 50])
    assert lines["even split, nobody talks"] == [63, 63]
    heights = {round(bar.get_x(), 1): bar.get_height() for bar in below.patches}
    assert heights == {0.6: 50, 1.0: 100, 1.6: 0, 2.0: 50}
    hollow = [line for line in ax.lines if line.get_fillstyle() == "none"]
    assert [list(mark.get_ydata()) for mark in hollow] == [[33], [44]]
    assert hollow[0].get_color() == ax.lines[0].get_color() != hollow[1].get_color()


def test_an_allocation_is_stacked_to_its_endowment(ax):
    figures.plot_allocation([[80, 10], [20, 90]], ["Ana", "Ben"], ["A", "B"], ax)
    assert [bar.get_y() + bar.get_height() for bar in ax.patches] == [80, 10, 100, 100]


def test_a_discussion_is_drawn_beside_simulated_ones_and_an_even_split():
    crowd = np.array([[0, 10, 20], [0, 30, 40.0]])
    fig = figures.draw_discussion([0.0, 50.0], None, ["Ana"], ["A"], 3, crowd, even=63)
    drawn = [list(line.get_ydata()) for line in fig.axes[0].lines]
    assert drawn == [[0, 20, 30], [0, 50], [100, 100], [63, 63]]
