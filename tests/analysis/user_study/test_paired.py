"""Paired tests agree with scipy where scipy is exact, and say why where there is no test."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from support.analysis.user_study.paired import cohens_dz, paired_tests, signed_rank, smallest_shown
from support.analysis.user_study.points import POINTS
from support.errors import InvalidInput

BEFORE, AFTER = POINTS[0], POINTS[2]


@given(st.lists(st.integers(-6, 6), min_size=2, max_size=9))
@settings(max_examples=40, deadline=None)
def test_the_signed_rank_test_is_that_of_all_patterns_of_signs(moved):
    moved = np.array([m for m in moved if m] or [1.0], dtype=float)
    ranks = stats.rankdata(np.abs(moved))
    signs = np.array(np.meshgrid(*[[0, 1]] * len(moved))).reshape(len(moved), -1)
    sums, seen = ranks @ signs, ranks[moved > 0].sum()
    p = min(1.0, 2 * min((sums <= seen + 1e-9).mean(), (sums >= seen - 1e-9).mean()))
    assert signed_rank(moved).p == pytest.approx(p)


@given(st.permutations([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), st.lists(st.booleans(), min_size=7, max_size=7))
@settings(max_examples=30, deadline=None)
def test_without_ties_it_is_scipy_s(sizes, up):
    moved = np.where(up, sizes, -np.array(sizes))
    assert signed_rank(moved).p == pytest.approx(stats.wilcoxon(moved, method="exact").pvalue)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=40))
def test_turning_all_changes_round_turns_the_effect_and_keeps_the_p(moved):
    a, b = signed_rank(np.array(moved, float)), signed_rank(-np.array(moved, float))
    assert np.isclose(a.p, b.p, equal_nan=True) and np.isclose(a.rank_biserial, -b.rank_biserial, equal_nan=True)


def test_who_did_not_change_does_not_count():
    assert signed_rank(np.array([1.0, 0, 0, 2])) == signed_rank(np.array([1.0, 2]))
    assert np.isnan(signed_rank(np.zeros(4)).p)
    with pytest.raises(InvalidInput, match="at most 300"):
        signed_rank(np.ones(301))


def test_a_paired_test_is_scipy_s_with_both_effect_sizes(rising):
    frame = rising()
    row = paired_tests(frame, BEFORE, AFTER).set_index("item").loc["up"]
    wide = frame[frame["item"] == "up"].pivot(index="respondent", columns="point", values="answer")
    found = stats.ttest_rel(wide[AFTER], wide[BEFORE])
    moved = wide[AFTER] - wide[BEFORE]
    assert (row["t"], row["p"]) == pytest.approx((found.statistic, found.pvalue))
    assert row["difference"] == pytest.approx(moved.mean()) and row["after"] > row["before"]
    assert row["cohens_dz"] == pytest.approx(moved.mean() / moved.std())
    assert row["t"] == pytest.approx(row["cohens_dz"] * np.sqrt(row["n"]))
    assert row["p_wilcoxon"] == pytest.approx(signed_rank(moved.to_numpy()).p)


def test_both_corrections_run_over_the_items(rising):
    table = paired_tests(rising(), BEFORE, AFTER)
    p = table["p"].sort_values()
    assert table["p_holm"].min() == pytest.approx(min(1, 2 * p.iloc[0]))
    assert table.loc[p.index, "p_fdr"].tolist() == pytest.approx(stats.false_discovery_control(p))


def test_who_came_once_is_left_out_and_counted(rising):
    frame = rising(10)
    gone = frame["respondent"].isin(["P0", "P1"]) & (frame["point"] == AFTER)
    row = paired_tests(frame[~gone], BEFORE, AFTER, ("up",)).iloc[0]
    assert (row["n"], row["left_out"]) == (8, 2)
    nobody = frame[(frame["point"] != AFTER) ^ frame["respondent"].isin(["P0", "P1"])]
    assert paired_tests(nobody, BEFORE, AFTER)["note"].str.contains("both points").all()


def test_a_change_that_everybody_shares_has_no_t_but_a_rank_test():
    rows = [(f"P{i}", point, "same", 3 + step, "people") for i in range(6) for step, point in enumerate(POINTS)]
    frame = pd.DataFrame(rows, columns=["respondent", "point", "item", "answer", "source"])
    row = paired_tests(frame, BEFORE, AFTER).iloc[0]
    assert np.isnan(row["p"]) and "same in every pair" in row["note"] and row["p_wilcoxon"] == 2 / 2**6
    assert np.isnan(cohens_dz(np.ones(5)))


def test_the_smallest_effect_shown_has_the_power_it_was_asked_for():
    rng = np.random.default_rng(3)
    drawn = rng.normal(smallest_shown(8), 1, (20_000, 8))
    assert (stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean() == pytest.approx(0.8, abs=0.01)
    with pytest.raises(InvalidInput):
        smallest_shown(1)
    with pytest.raises(InvalidInput, match="expected 0 < alpha < power < 1"):
        smallest_shown(10, power=0.01)


def test_an_item_named_twice_is_one_test(rising):
    frame = rising()
    assert paired_tests(frame, BEFORE, AFTER, ("up", "up")).equals(paired_tests(frame, BEFORE, AFTER, ("up",)))
