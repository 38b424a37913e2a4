"""Figures of surveys draw the numbers that they are given."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.printed import Scale
from support.plots.surveys import plot_diverging, plot_grim


def given(counts, item):
    answers = np.repeat(np.arange(1, len(counts) + 1), counts)
    people = [f"P{i}" for i in range(len(answers))]
    return pd.DataFrame({"respondent": people, "item": item, "answer": answers}).assign(
        group="A", source="people"
    )


def test_bars_are_shares_in_percent_and_the_middle_straddles_zero(ax):
    one, other = given([2, 4, 8, 4, 2], "trust_it"), given([0, 0, 4, 6, 10], "reasons")
    plot_diverging(pd.concat([one, other]), ax)
    widths = np.array([[bar.get_width() for bar in step] for step in ax.containers])
    expected = [[10, 20, 40, 20, 10], [0, 0, 20, 30, 50]]
    assert pytest.approx(np.array(expected)) == widths.T
    assert [bar.get_x() for bar in ax.containers[2]] == pytest.approx([-20, -10])
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["trust it, A (20)", "reasons, A (20)"]
    with pytest.raises(ValueError, match="unpack"):
        plot_diverging(pd.concat([one, other.assign(source="simulated: x")]), ax)


def test_an_even_scale_has_no_middle(ax):
    plot_diverging(given([1, 1, 1, 1], "trust"), ax, Scale(1, 4))
    assert ax.containers[2][0].get_x() == pytest.approx(0)


def test_the_grid_is_filled_where_a_mean_fits_and_framed_at_the_stated_n(ax):
    fits = [("trust", "A", 3.64, n, n == 11) for n in (10, 11, 12)]
    fits += [("trust", "B", 3.17, n, n != 11) for n in (11, 12)]
    frame = pd.DataFrame(fits, columns=["item", "group", "mean", "n", "fits"])
    plot_grim(frame, ax, stated={"A": 12, "B": 30})
    values = np.ma.filled(ax.collections[0].get_array(), -1).reshape(2, 3)
    assert values.tolist() == [[0, 1, 0], [-1, 0, 1]]
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["A: trust, 3.64", "B: trust, 3.17"]
    assert [frame.get_xy() for frame in ax.patches] == [(2, 0)]
