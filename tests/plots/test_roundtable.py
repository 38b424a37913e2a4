"""RoundTable's figures draw the data that they are given."""

import pandas as pd

from support.plots import roundtable as figures


def test_utilities_are_means_bars_the_share_undecided_and_printed_values_hollow_marks(
    axes,
):
    rows = [
        ("a", 1, 0.0, True),
        ("a", 1, 40.0, False),
        ("a", 2, 70.0, False),
        ("b", 1, 0.0, True),
        ("b", 2, 100.0, False),
    ]
    cells = [
        ("a", "utility@1", 33.0),
        ("a", "auc@1", 1.0),
        ("gpt", "utility@2", 44.0),
    ]
    printed = pd.DataFrame(cells, columns=["row", "column", "value"])
    ax, below = axes(2)
    curves = pd.DataFrame(rows, columns=["rule", "round", "utility", "undecided"])
    figures.plot_utility(curves, ax, below, order=["a", "b"], published=printed)
    assert [list(line.get_ydata()) for line in ax.lines[:2]] == [
        [20, 70],
        [0, 100],
    ]
    assert [bar.get_height() for bar in below.patches] == [
        50,
        0,
        100,
        0,
    ]
    ours, other = (line for line in ax.lines if line.get_fillstyle() == "none")
    assert [*ours.get_ydata(), *other.get_ydata()] == [33, 44]
    assert ours.get_color() == ax.lines[0].get_color() != other.get_color()


def test_an_allocation_is_stacked_to_its_endowment(ax):
    figures.plot_allocation([[80, 10], [20, 90]], ["Ana", "Ben"], ["A", "B"], ax)
    assert [bar.get_y() + bar.get_height() for bar in ax.patches] == [
        80,
        10,
        100,
        100,
    ]
