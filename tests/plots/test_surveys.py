"""Figures of surveys draw the numbers that they are given."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.printed import Scale
from support.plots.surveys import plot_diverging, plot_grim


def given(counts, item):
    rows = []
    for answer, count in enumerate(counts, start=1):
        for _ in range(count):
            rows.append((f"P{len(rows)}", item, answer, "A", "people"))
    names = ["respondent", "item", "answer", "group", "source"]
    return pd.DataFrame(rows, columns=names)


def test_bars_are_shares_in_percent_and_the_middle_straddles_zero(ax):
    one = given([2, 4, 8, 4, 2], "trust_it")
    other = given([0, 0, 4, 6, 10], "reasons")
    plot_diverging(pd.concat([one, other]), ax)
    expected = [[10, 0], [20, 0], [40, 20], [20, 30], [10, 50]]
    for step, widths in zip(ax.containers, expected, strict=True):
        assert [bar.get_width() for bar in step] == pytest.approx(widths)
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
