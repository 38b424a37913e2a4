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
    plot_heatmap(tidy, ax, "words")
    assert [text.get_text() for text in ax.texts] == ["10", "20", "30", "11", "21", "31"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["majority", "rated"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3"]


def test_a_difference_has_a_blank_first_round_and_its_unit_beside_the_scale(ax, tidy):
    plot_heatmap(tidy, ax, "difference", order=["rated", "majority"])
    assert [text.get_text() for text in ax.texts] == ["21.00", "31.00", "20.00", "30.00"]
    assert np.ma.getmaskarray(ax.collections[0].get_array()).ravel().tolist() == [True, False, False] * 2
    assert "cosine" in ax.figure.axes[-1].get_ylabel()


def test_cells_grow_brighter_with_their_value_so_that_grey_shows_it(ax, tidy):
    plot_heatmap(tidy, ax, "words", order=["majority"], colourbar=False)
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


def test_agents_and_people_can_be_told_apart_by_environment(ax, tidy):
    both = pd.concat([tidy[tidy["row"] == "rated"], tidy[tidy["row"] == "majority"].assign(environment="ami")])
    plot_rounds(both, ax, by="environment", order=["ami", "e"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ami", "e"]


@pytest.mark.parametrize("plot", [plot_heatmap, plot_rounds])
def test_a_feature_without_cells_is_refused_with_the_way_out(plot, ax, tidy):
    one_round = tidy[tidy["round"] == 1]
    with pytest.raises(InvalidInput, match=r"'difference' has no cell.*needs an encoder and a second round"):
        plot(one_round, ax, "difference")


@pytest.mark.parametrize("plot", [plot_heatmap, plot_rounds])
def test_two_environments_in_one_drawing_are_refused(plot, ax, tidy):
    with pytest.raises(InvalidInput, match="one environment at a time"):
        plot(pd.concat([tidy, tidy.assign(environment="f")]), ax)
