"""Figures of surveys draw the numbers that they are given."""

import numpy as np
import pandas as pd
import pytest

from support.errors import InvalidInput
from support.plots.surveys import plot_diverging, plot_grim


@pytest.fixture
def shares():
    given = {"reasons": [0.1, 0.2, 0.4, 0.2, 0.1], "trust_it": [0, 0, 0.2, 0.3, 0.5]}
    rows = [
        (item, answer, share)
        for item, row in given.items()
        for answer, share in enumerate(row, 1)
    ]
    return pd.DataFrame(rows, columns=["item", "answer", "share"]).assign(
        group="A", n=20, source="people"
    )


def test_bars_are_the_shares_in_percent_of_one_source_and_the_middle_straddles_zero(
    ax, shares
):
    plot_diverging(shares, ax)
    bars = [
        [(b.get_x(), b.get_width()) for b in container] for container in ax.containers
    ]
    widths = np.array([[width for _, width in bar] for bar in bars])
    assert widths.T.tolist() == pytest.approx(
        np.array([[10, 20, 40, 20, 10], [0, 0, 20, 30, 50]])
    )
    assert [x for x, _ in bars[2]] == pytest.approx([-20, -10]) and bars[0][0][
        0
    ] == pytest.approx(-50)
    assert sorted(t.get_text() for t in ax.texts) == [
        "10",
        "10",
        "20",
        "20",
        "20",
        "30",
        "40",
        "50",
    ]
    assert [t.get_text() for t in ax.get_yticklabels()] == [
        "reasons, A (n = 20)",
        "trust it, A (n = 20)",
    ]
    assert "people" in ax.get_legend().get_title().get_text()
    with pytest.raises(InvalidInput, match="draw one source an Axes"):
        plot_diverging(pd.concat([shares, shares.assign(source="simulated: tiny")]), ax)


def test_an_even_scale_has_no_middle_and_its_low_side_is_hatched(ax, shares):
    plot_diverging(shares[shares["answer"] != 3], ax)
    assert ax.containers[2][0].get_x() == pytest.approx(0)
    assert [bool(c[0].get_hatch()) for c in ax.containers] == [True, True, False, False]


def test_the_grid_is_filled_where_a_mean_fits_and_framed_at_the_stated_n(ax):
    fits = [("trust", "A", 3.64, n, n == 11) for n in (10, 11, 12)] + [
        ("trust", "B", 3.17, n, n != 11) for n in (11, 12)
    ]
    plot_grim(
        pd.DataFrame(fits, columns=["item", "group", "mean", "n", "fits"]),
        ax,
        stated={"A": 12, "B": 30},
    )
    values = np.ma.filled(ax.collections[0].get_array(), -1).reshape(2, 3)
    assert values.tolist() == [[0, 1, 0], [-1, 0, 1]]
    assert [t.get_text() for t in ax.get_yticklabels()] == [
        "A: trust, 3.64",
        "B: trust, 3.17",
    ]
    assert [p.get_xy() for p in ax.patches] == [(2, 0)]
