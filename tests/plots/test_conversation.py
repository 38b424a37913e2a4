"""Figures of the conversation draw the cells that they are given."""

import numpy as np
import pandas as pd
import pytest

from support.errors import InvalidInput
from support.plots.conversation import plot_heatmap, plot_rounds


@pytest.fixture
def tidy():
    rows = [("e", rule, number, feature, 10.0 * number + i)
            for i, rule in enumerate(["majority", "rated"])
            for feature in ("words", "grade", "difference")
            for number in (1, 2, 3)
            if feature != "difference" or number > 1]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["environment", "row", "round", "feature", "value"])
    return frame.assign(low=frame["value"] - 2, high=frame["value"] + 2)


def test_each_cell_holds_its_number(ax, tidy):
    plot_heatmap(tidy, ax, "words", ["majority", "rated"])
    assert [text.get_text() for text in ax.texts] == ["10", "20", "30", "11", "21", "31"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["majority", "rated"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3"]


def test_a_difference_has_a_blank_first_round_and_its_unit_above(ax, tidy):
    plot_heatmap(tidy, ax, "difference", ["rated", "majority"])
    assert [text.get_text() for text in ax.texts] == ["21.00", "31.00", "20.00", "30.00"]
    assert np.ma.getmaskarray(ax.collections[0].get_array()).ravel().tolist() == [True, False, False] * 2
    assert "cosine" in ax.get_title()


def test_cells_grow_brighter_with_their_value_so_that_grey_shows_it(ax, tidy):
    plot_heatmap(tidy, ax, "words", ["majority"])
    ax.figure.canvas.draw()
    grey = ax.collections[0].get_facecolors()[:, :3] @ [0.299, 0.587, 0.114]
    assert (np.diff(grey) > 0.1).all()
    assert ax.get_title() == "message length (words)"


def test_lines_are_the_values_and_bands_the_intervals(ax, tidy):
    plot_rounds(tidy, ax, "grade")
    assert {line.get_label(): line.get_ydata().tolist() for line in ax.lines} == {
        "majority": [10, 20, 30],
        "rated": [11, 21, 31],
    }
    heights = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (8, 32)
    assert "school years" in ax.get_ylabel() and ax.get_xlabel() == "round"
    assert len({(line.get_linestyle(), line.get_marker()) for line in ax.lines}) == 2


@pytest.mark.parametrize("plot", [lambda *a: plot_heatmap(*a, ["rated"]), plot_rounds])
def test_a_feature_without_cells_and_two_environments_are_refused_with_the_way_out(plot, ax, tidy):
    with pytest.raises(InvalidInput, match=r"'difference' has no cell.*needs an encoder and a second round"):
        plot(tidy[tidy["round"] == 1], ax, "difference")
    with pytest.raises(InvalidInput, match="one environment at a time"):
        plot(pd.concat([tidy, tidy.assign(environment="f")]), ax, "words")
