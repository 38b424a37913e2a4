"""RoundTable's figures draw the data that they are given."""

import pandas as pd

from support.plots import roundtable as figures


def test_utilities_are_means_and_printed_values_hollow_marks_in_the_look_of_their_line(
    ax,
):
    rows = [
        ("a", 1, 0.0),
        ("a", 1, 40.0),
        ("a", 2, 70.0),
        ("b", 1, 0.0),
        ("b", 2, 100.0),
    ]
    curves = pd.DataFrame(rows, columns=["rule", "round", "utility"]).assign(seats="x")
    cells = [("a", "utility@1", 33.0), ("a", "auc@1", 1.0), ("gpt", "utility@2", 44.0)]
    printed = pd.DataFrame(cells, columns=["row", "column", "value"])
    figures.plot_utility(curves, ax, printed=printed, even=63.0)
    a, b, silence, hollow = ax.lines
    assert [list(line.get_ydata()) for line in (a, b)] == [[20, 70], [0, 100]]
    assert set(silence.get_ydata()) == {63} and list(hollow.get_ydata()) == [33]
    assert hollow.get_fillstyle() == "none" and hollow.get_color() == a.get_color()


def test_an_allocation_is_stacked_to_its_endowment(ax):
    figures.plot_allocation([[80, 10], [20, 90]], ["Ana", "Ben"], ["A", "B"], ax)
    assert [bar.get_y() + bar.get_height() for bar in ax.patches] == [
        80,
        10,
        100,
        100,
    ]
