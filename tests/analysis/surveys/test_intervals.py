"""Printed intervals: which n, degrees of freedom and divisor can have produced them."""

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from support.analysis.surveys.intervals import (
    Convention,
    Moments,
    implied_sd,
    interval_check,
    pooled_interval_check,
    possible_moments,
    spread,
)
from support.errors import InvalidInput


def fits(table, convention):
    return interval_check(table, convention).groupby("group")["fits"].sum().to_dict()


def test_no_group_of_table_3_has_the_interval_that_the_text_describes(table3, stated):
    assert fits(table3, Convention("stated", stated)) == {"A": 1, "B": 1, "C": 0}


def test_the_sizes_that_fit_the_means_do_not_fit_the_intervals_with_an_unbiased_sd(table3, stated, fitting):
    assert fits(table3, Convention("fitting", fitting)) == {"A": 0, "B": 0, "C": 0}
    stated_df = {group: n - 1 for group, n in stated.items()}
    assert fits(table3, Convention("fitting n, stated df", fitting, stated_df)) == {"A": 0, "B": 0, "C": 0}


def test_all_eighteen_intervals_fit_with_the_fitting_sizes_their_df_and_divisor_n(table3, printing):
    checked = interval_check(table3, printing)
    assert checked["fits"].all() and len(checked) == 18
    assert checked["moments"].map(len).eq(1).all()  # each interval names one sum of squares
    assert set(checked["df"]) == {10, 11, 17}


def test_the_degrees_of_freedom_of_the_text_are_not_those_of_the_table(table3, stated, fitting):
    stated_df = {group: n - 1 for group, n in stated.items()}
    assert fits(table3, Convention("13, 12, 17", fitting, stated_df, "n")) == {"A": 0, "B": 1, "C": 6}


def test_the_pooled_intervals_need_the_normal_distribution_and_divisor_n(table3, printing):
    groups = interval_check(table3, printing)
    found = {
        (df, divisor): int(pooled_interval_check(groups, table3, df, divisor=divisor)["fits"].sum())
        for df in (40, 44, inf)
        for divisor in ("n-1", "n")
    }
    assert found[inf, "n"] == 6
    assert max(found[40, "n-1"], found[44, "n-1"], found[40, "n"], found[44, "n"], found[inf, "n-1"]) < 6
    table = pooled_interval_check(groups, table3, inf, divisor="n")
    assert table["t_low"].max() < stats.norm.ppf(0.975) < table["t_high"].min()
    assert table["t_high"].min() < stats.t.ppf(0.975, 44)


def test_a_pooled_interval_whose_groups_have_no_moments_does_not_fit(table3, stated):
    groups = interval_check(table3, Convention("stated", stated))
    assert not pooled_interval_check(groups, table3, 44)["fits"].any()


@given(
    st.lists(st.integers(1, 5), min_size=2, max_size=40), st.sampled_from(["n-1", "n"]), st.sampled_from([None, inf])
)
def test_property_the_interval_of_real_answers_fits_its_own_convention(answers, divisor, df):
    import pandas as pd

    n, sd = len(answers), np.std(answers, ddof=1 if divisor == "n-1" else 0)
    half = stats.t.ppf(0.975, n - 1 if df is None else df) * sd / sqrt(n)
    cell = {"item": ["i"], "group": ["g"], "mean": [round(np.mean(answers), 2)], "half": [round(half, 2)]}
    convention = Convention("own", {"g": n}, None if df is None else {"g": df}, divisor)
    checked = interval_check(pd.DataFrame(cell), convention).iloc[0]
    assert checked["fits"]
    assert Moments(sum(answers), sum(a * a for a in answers)) in checked["moments"]
    assert checked["sd_low"] - 1e-9 <= sd <= checked["sd_high"] + 1e-9


@given(st.lists(st.integers(1, 7), min_size=1, max_size=30))
def test_property_the_moments_of_real_answers_are_possible(answers):
    moments = possible_moments(round(np.mean(answers), 2), len(answers), low=1, high=7)
    assert Moments(sum(answers), sum(a * a for a in answers)) in moments


@given(st.lists(st.integers(1, 5), min_size=2, max_size=30))
def test_property_the_spread_of_moments_is_numpys(answers):
    moments = Moments(sum(answers), sum(a * a for a in answers))
    assert spread(moments, len(answers)) == pytest.approx(np.std(answers, ddof=1))
    assert spread(moments, len(answers), "n") == pytest.approx(np.std(answers))


def test_a_scale_of_one_answer_has_one_pair_of_moments():
    assert possible_moments(3.0, 4, low=3, high=3) == [Moments(12, 36)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: implied_sd(0.5, 1), "n is 1"),
        (lambda: implied_sd(0.5, 10, df=0), "df is 0"),
        (lambda: implied_sd(0.5, 10, level=1), "level is 1"),
        (lambda: spread(Moments(4, 8), 2, "n+1"), r"divisor is 'n\+1'"),
    ],
)
def test_what_has_no_interval_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
