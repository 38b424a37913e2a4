"""Figures of surveys draw the numbers that they are given."""

import numpy as np
import pandas as pd
import pytest

from support.errors import InvalidInput
from support.plots.surveys import plot_diverging, plot_grim, plot_means, plot_power


@pytest.fixture
def shares():
    rows = [
        (item, answer, share)
        for item, row in {"reasons": [0.1, 0.2, 0.4, 0.2, 0.1], "trust_it": [0, 0, 0.2, 0.3, 0.5]}.items()
        for answer, share in enumerate(row, 1)
    ]
    frame = pd.DataFrame(rows, columns=["item", "answer", "share"])
    return frame.assign(group="all", n=20, source="people")


@pytest.fixture
def means():
    rows = [
        (item, group, 3 + i + j / 10) for i, item in enumerate(["reasons", "trust"]) for j, group in enumerate("AB")
    ]
    frame = pd.DataFrame(rows, columns=["item", "group", "mean"])
    return frame.assign(low=frame["mean"] - 0.3, high=frame["mean"] + 0.4, source="people")


def test_bars_are_the_shares_in_percent_and_the_middle_straddles_zero(ax, shares):
    plot_diverging(shares, ax)
    bars = [[(b.get_x(), b.get_width()) for b in container] for container in ax.containers]
    widths = np.array([[width for _, width in bar] for bar in bars])
    assert widths.T.tolist() == pytest.approx(np.array([[10, 20, 40, 20, 10], [0, 0, 20, 30, 50]]))
    assert [x for x, _ in bars[2]] == pytest.approx([-20, -10])
    assert bars[0][0][0] == pytest.approx(-50)


def test_an_even_scale_has_no_middle(ax, shares):
    four = shares[shares["answer"] != 3]
    plot_diverging(four, ax)
    assert ax.containers[2][0].get_x() == pytest.approx(0)


def test_labels_carry_n_and_the_source_and_small_pieces_no_number(ax, shares):
    plot_diverging(shares, ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["reasons (n = 20)", "trust it (n = 20)"]
    assert "people" in ax.get_legend().get_title().get_text() and "%" in ax.get_xlabel()
    assert [t.get_text() for t in ax.texts] == ["10", "20", "40", "20", "20", "30", "10", "50"]
    assert all(not t.get_text().startswith("−") for t in ax.get_xticklabels())


def test_the_low_side_is_hatched_and_shades_differ_in_grey(ax, shares):
    plot_diverging(shares, ax)
    assert [bool(c[0].get_hatch()) for c in ax.containers] == [True, True, False, False, False]
    grey = [np.dot(c[0].get_facecolor()[:3], [0.299, 0.587, 0.114]) for c in ax.containers]
    assert grey[0] < grey[1] - 0.1 < grey[2] - 0.2 and grey[4] < grey[3] - 0.1 < grey[2] - 0.2


def test_groups_are_bars_of_their_own_and_sources_are_never_in_one(ax, shares):
    plot_diverging(pd.concat([shares.assign(group="A"), shares.assign(group="B")]), ax, order=["trust_it"])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["trust it, A (n = 20)", "trust it, B (n = 20)"]
    with pytest.raises(InvalidInput, match="draw one source an Axes"):
        plot_diverging(pd.concat([shares, shares.assign(source="simulated: tiny")]), ax)
    with pytest.raises(InvalidInput, match="twice"):
        plot_diverging(pd.concat([shares, shares]), ax)
    with pytest.raises(InvalidInput, match="order names none of the items"):
        plot_diverging(shares, ax, order=["speed"])


def test_means_stand_at_their_value_with_published_ones_hollow_beside_them(ax, means):
    published = means.assign(mean=means["mean"] + 0.5, half=0.2, source="published")
    plot_means(means, ax, published)
    marks = {c.get_label(): c for c in ax.containers}
    assert list(marks) == ["A, people", "A, published", "B, people", "B, published"]
    assert marks["A, people"][0].get_xdata().tolist() == pytest.approx([3, 4])
    assert marks["A, published"][0].get_xdata().tolist() == pytest.approx([3.5, 4.5])
    ends = marks["A, people"][2][0].get_segments()[0][:, 0]
    assert ends.tolist() == pytest.approx([2.7, 3.4])
    assert marks["A, published"][0].get_markerfacecolor() == "white" != marks["A, people"][0].get_markerfacecolor()
    places = [c[0].get_ydata()[0] for c in ax.containers]
    assert len(set(np.round(places, 6))) == 4 and max(np.abs(places)) < 0.5


def test_sources_are_marks_of_their_own(ax, means):
    plot_means(pd.concat([means, means.assign(source="simulated: tiny")]), ax)
    assert "A, simulated: tiny" in [t.get_text() for t in ax.get_legend().get_texts()]


def test_the_grid_is_filled_where_a_mean_fits_and_framed_at_the_stated_n(ax):
    fits = pd.DataFrame(
        [("trust", "A", 3.64, n, n == 11) for n in (10, 11, 12)] + [("trust", "B", 3.17, n, n != 11) for n in (11, 12)],
        columns=["item", "group", "mean", "n", "fits"],
    )
    plot_grim(fits, ax, stated={"A": 12, "B": 30})
    values = ax.collections[0].get_array()
    assert np.ma.filled(values, -1).reshape(2, 3).tolist() == [[0, 1, 0], [-1, 0, 1]]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A: trust, 3.64", "B: trust, 3.17"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["10", "11", "12"]
    assert [p.get_xy() for p in ax.patches] == [(2, 0)]


def test_power_is_a_line_for_each_difference(ax):
    frame = pd.DataFrame({"difference": [0.5, 0.5, 1, 1], "n": [20, 10, 10, 20], "power": [0.4, 0.2, 0.5, 0.9]})
    plot_power(frame, ax, wanted=0.9)
    assert ax.lines[0].get_xydata().tolist() == [[10, 0.2], [20, 0.4]]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["0.5", "1"]
    assert set(ax.lines[2].get_ydata()) == {0.9}


@pytest.mark.parametrize("plot", [plot_diverging, plot_means, plot_grim, plot_power])
def test_a_frame_of_another_form_is_refused(plot, ax):
    with pytest.raises(InvalidInput, match="has no column"):
        plot(pd.DataFrame({"x": [1]}), ax)
