"""Paired tests agree with scipy where scipy is exact, and say why where there is no test."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support.analysis.stats import signed_rank
from support.analysis.user_study.paired import cohens_dz, paired_tests, smallest_shown
from support.analysis.user_study.points import POINTS
from support.errors import InvalidInput

BEFORE, AFTER = POINTS[0], POINTS[2]


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
