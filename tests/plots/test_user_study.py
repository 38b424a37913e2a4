"""Figures of the user study draw the numbers that they are given."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from support.errors import InvalidInput
from support.plots.user_study import plot_bounds, plot_correlations, plot_points

POINTS = ("first", "second", "third")


@pytest.fixture
def means():
    rows = [("plan", "first", 4.0), ("plan", "second", 5.0), ("plan", "third", 6.0), ("send", "first", 2.0),
            ("send", "third", 3.5)]  # fmt: skip
    return pd.DataFrame(rows, columns=["item", "group", "mean"]).assign(source="published", about=False)


def test_each_mean_is_a_mark_of_its_point_and_joined_in_order(ax, means):
    plot_points(means, ax, order=["plan", "send"], points=POINTS)
    marks = {c.get_label(): c.get_offsets()[:, 0] for c in ax.collections}
    assert marks["first"].tolist() == [4.0, 2.0] and np.isnan(np.ma.filled(marks["second"], np.nan)).tolist() == [
        False,
        True,
    ]
    assert [line.get_xdata().tolist() for line in ax.lines] == [[4, 5, 6], [2, 3.5]]
    assert "points" in ax.get_xlabel() and ax.get_ylim()[0] > ax.get_ylim()[1]


def test_an_approximation_is_hollow_and_a_mark_is_written_beside(ax, means):
    means.loc[means["item"] == "send", "about"] = True
    plot_points(means, ax, order=["plan", "send"], points=POINTS, marks={"send": "p < 0.1"})
    faces = [to_hex(c) for c in ax.collections[0].get_facecolors()]
    assert faces[1] == "#ffffff" != faces[0]
    assert [t.get_text() for t in ax.texts] == ["p < 0.1"]


def test_intervals_are_drawn_where_there_are_any(ax, means):
    plot_points(means.assign(low=means["mean"] - 1, high=means["mean"] + 1), ax, order=["plan"], points=POINTS)
    assert ax.collections[0].get_segments()[0][:, 0].tolist() == [3.0, 5.0]


def test_two_sources_or_a_cell_twice_are_refused(ax, means):
    with pytest.raises(InvalidInput, match="people, published"):
        plot_points(
            pd.concat([means.head(1).assign(source="people"), means.tail(1)]), ax, order=["plan"], points=POINTS
        )
    with pytest.raises(InvalidInput, match="twice"):
        plot_points(pd.concat([means, means.head(1)]), ax, order=["plan"], points=POINTS)


def test_a_correlation_is_filled_where_its_corrected_p_is_small(ax):
    rows = [("a", 0.2, 0.4), ("b", -0.8, 0.01)]
    frame = pd.DataFrame(rows, columns=["item", "rho", "p_fdr"]).assign(forms="pooled", source="people")
    plot_correlations(frame, ax)
    marks = ax.collections[0]
    assert marks.get_offsets()[:, 0].tolist() == [0.2, -0.8]
    assert [to_hex(c) == "#ffffff" for c in marks.get_facecolors()] == [True, False]
    assert ax.get_xlabel() == "Spearman's correlation with reliance (-1 to 1); filled: FDR-corrected p < 0.05"


def test_bounds_run_from_end_to_end_and_the_printed_difference_is_marked(ax):
    frame = pd.DataFrame({"item": ["x", "y"], "printed": [1.0, 0.2], "low": [0.5, -0.3], "high": [1.5, 0.6]})
    plot_bounds(frame.assign(sign_known=[True, False]), ax)
    assert [c.get_segments()[0][:, 0].tolist() for c in ax.collections] == [[0.5, 1.5], [-0.3, 0.6]]
    assert ax.lines[0].get_xdata().tolist() == [1.0, 0.2]
