"""The printed means of section 5.3: which numbers of answers they fit, under which rounding, and what stays open."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis.printed import Scale, grim
from support.analysis.user_study.points import POINTS, questionnaire
from support.analysis.user_study.printed import (
    COUNTERPARTS,
    FIGURE_7A,
    FIGURE_7B,
    FIGURE_8,
    ROUNDINGS,
    bounds_table,
    counted,
    difference_bounds,
    p_marks,
    printed_correlations,
    rounds_to,
    study_means,
    which_n,
)
from support.errors import InvalidInput


@pytest.fixture(scope="module")
def tried(text):
    return which_n(study_means(text), range(1, 21))


def sizes(tried, point, column="fits"):
    """The n up to ten that every mean of a point fits."""
    part = tried[(tried["group"] == point) & (tried["n"] <= 10)]
    every = part.groupby("n")[column].all()
    return list(every[every].index)


def test_every_mean_up_to_session_1_fits_ten_answers_and_no_smaller_number(tried):
    assert sizes(tried, POINTS[0]) == [10] and sizes(tried, POINTS[1]) == [10]


def test_after_session_2_all_but_one_fit_eight_and_that_one_fits_ten(tried):
    last = tried[tried["group"] == POINTS[2]]
    eight = last[last["n"] == 8].set_index("item")["fits"]
    assert list(eight[~eight].index) == ["draft and send: clarification"]
    assert last[last["n"] == 10].set_index("item").loc["draft and send: clarification", "fits"]
    others = last[last["item"] != "draft and send: clarification"]
    assert sizes(others, POINTS[2]) == [8]


def test_neither_rule_of_rounding_alone_makes_eight_fit(tried):
    eight = tried[(tried["group"] == POINTS[2]) & (tried["n"] == 8)].set_index("item")
    only_even = eight.index[eight["half_even"] & ~eight["half_up"]]
    only_up = eight.index[eight["half_up"] & ~eight["half_even"]]
    assert list(only_even) == ["overall"] and list(only_up) == ["mental demand", "physical demand"]


def test_counts_are_those_of_the_rows(tried):
    table = counted(tried).set_index(["group", "n"])
    row = table.loc[(POINTS[2], 8)]
    assert (row["means"] - row["fit"], row["fit"] - row["half_up"], row["fit"] - row["half_even"]) == (1, 1, 2)
    assert table["all_fit"].sum() == 4  # ten and twenty, at the first two points


@given(st.integers(1, 30), st.data())
def test_a_mean_that_is_computed_and_rounded_fits_its_rule_and_grim(n, data):
    total = data.draw(st.integers(n, 7 * n))
    for rule, how in zip(ROUNDINGS, (ROUND_HALF_UP, ROUND_HALF_EVEN), strict=True):
        shown = str((Decimal(total) / n).quantize(Decimal("0.01"), how))
        assert rounds_to(shown, n, rule) and grim(shown, n, Scale(1, 7))


def test_an_approximation_is_marked_and_not_judged(text, tried):
    means = study_means(text)
    assert set(means.loc[means["about"], "item"]) == {"draft only", "draft and send: invitation"}
    assert not set(tried["item"]) & {"draft only", "draft and send: invitation"}


def test_the_change_of_the_pairs_lies_between_bounds_that_can_be_reached():
    low, high = difference_bounds("4.90", 10, "5.75", 8)
    assert (low, high) == ((46 - 47) / 8, (46 - 35) / 8)
    with pytest.raises(InvalidInput, match="as many after"):
        difference_bounds("4.90", 8, "5.75", 10)
    with pytest.raises(InvalidInput, match="cannot be"):
        difference_bounds("4.90", 10, "3.90", 8)


@given(st.lists(st.integers(1, 7), min_size=10, max_size=10), st.lists(st.integers(1, 7), min_size=8, max_size=8))
def test_bounds_hold_whoever_stays_away(first, second):
    before, after = (str((Decimal(sum(x)) / len(x)).quantize(Decimal("0.01"))) for x in (first, second))
    low, high = difference_bounds(before, 10, after, 8)
    assert low - 1e-9 <= (sum(second) - sum(first[:8])) / 8 <= high + 1e-9


def test_even_the_sign_of_most_changes_is_open_between_the_sessions(text):
    table = bounds_table(study_means(text), POINTS[1], POINTS[2], 10, 8)
    assert list(table.loc[table["sign_known"], "item"]) == ["effort"]
    assert (table["low"] <= table["high"]).all() and "draft and send: clarification" not in set(table["item"])


def test_the_marks_are_the_printed_ones(text):
    marks = p_marks(text)
    assert marks["reliance"] == "p = 0.02" and marks["decide next steps"] == "p < 0.005"
    assert len(printed_correlations(text)) == 6 and printed_correlations(text)["below"].min() == 0.01


def test_the_figures_name_printed_items_and_our_items_are_there(text):
    printed = set(study_means(text)["item"])
    assert {*FIGURE_7A, *FIGURE_7B, *FIGURE_8, *COUNTERPARTS} <= printed
    ours = {*questionnaire("ai_comfort", POINTS[2]).items, *questionnaire("system_perception", POINTS[2]).items}
    assert set(COUNTERPARTS.values()) <= ours


def test_a_frame_without_means_and_an_unknown_rule_are_refused(text):
    with pytest.raises(InvalidInput, match="no means"):
        study_means(text[text["column"] == "p"])
    with pytest.raises(InvalidInput, match="half up"):
        rounds_to("2.13", 8, "down")


def test_bounds_of_a_change_keep_those_who_stayed_on_the_scale():
    assert difference_bounds("1.20", 10, "2.00", 8) == (0.75, 1.0)  # ten answers with the sum 12: eight have 8 to 10
    assert difference_bounds("6.80", 10, "6.00", 8) == (-1.0, -0.75)


def test_a_change_that_may_be_none_has_no_known_sign(text):
    table = bounds_table(study_means(text), POINTS[0], POINTS[2], 10, 8).set_index("item")
    assert table.loc["explanations before acting", "low"] == 0
    assert not table.loc["explanations before acting", "sign_known"]
