"""Tests from summaries are the tests of the answers behind them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from support.analysis.effects import hedges_g
from support.analysis.surveys.intervals import Convention
from support.analysis.surveys.summary_tests import anova, summaries, under, welch
from support.errors import InvalidInput

SAMPLE = st.lists(st.integers(1, 5), min_size=2, max_size=15)


def summary(samples):
    rows = [(g, len(s), np.mean(s), np.std(s, ddof=1)) for g, s in samples.items()]
    frame = pd.DataFrame(rows, columns=["group", "n", "mean", "sd"])
    return frame.assign(source="published", assumed="own", item="i")


@pytest.mark.filterwarnings("ignore:Precision loss")  # scipy's, on a side without spread
@settings(deadline=None, max_examples=40)
@given(SAMPLE, SAMPLE)
def test_property_welch_is_scipys_on_the_answers(a, b):
    row = welch(summary({"A": a, "B": b})).iloc[0]
    if len(set(a)) == 1 and len(set(b)) == 1:
        assert np.isnan(row["p"]) and "no spread" in row["note"]
        return
    expected = stats.ttest_ind(a, b, equal_var=False)
    interval = expected.confidence_interval()
    assert [row["t"], row["df"], row["p"]] == pytest.approx([expected.statistic, expected.df, expected.pvalue])
    assert [row["low"], row["high"]] == pytest.approx([interval.low, interval.high])
    assert row["hedges_g"] == pytest.approx(hedges_g(np.array(a, float), np.array(b, float)))


@settings(deadline=None, max_examples=40)
@given(SAMPLE, SAMPLE, SAMPLE)
def test_property_the_analysis_of_variance_is_scipys_on_the_answers(a, b, c):
    row = anova(summary({"A": a, "B": b, "C": c})).iloc[0]
    if all(len(set(s)) == 1 for s in (a, b, c)):
        assert np.isnan(row["p"])
        return
    f, p = stats.f_oneway(a, b, c)
    f, p = (f, p) if f >= 0 else (0.0, 1.0)  # equal means: rounding takes scipy's F just below 0, and its p is NaN
    assert [row["f"], row["p"]] == pytest.approx([f, p], abs=1e-9)
    assert 0 <= row["eta_squared"] <= 1 and row["df_within"] == len(a) + len(b) + len(c) - 3


def test_summaries_of_table_3_have_the_unbiased_sd_of_their_convention(table3, printing):
    table = summaries(table3, printing).set_index(["item", "group"])
    # 11 answers with sum 45 and squares 191 are the only ones that print 4.09 ± 0.53.
    assert table.loc[("confidence", "A"), "sd"] == pytest.approx(np.sqrt((191 - 45**2 / 11) / 10), abs=0.008)
    assert len(table) == 18 and (table["source"] == "published").all()


def test_both_sizes_are_tested_side_by_side_and_corrected_apart(table3, stated, printing):
    table = welch(under(table3, {"stated n": Convention("stated", stated), "fitting n": printing}))
    assert len(table) == 2 * 6 * 3 and table["assumed"].unique().tolist() == ["stated n", "fitting n"]
    family = table[(table["assumed"] == "fitting n") & (table["item"] == "confidence")]
    assert family["p_holm"].min() == pytest.approx(3 * family["p"].min())
    assert {"A", "C"} == set(family.loc[family["p"].idxmin(), ["a", "b"]])


def test_the_order_of_rows_changes_nothing(table3, printing):
    table = summaries(table3, printing)
    keys = ["item", "a", "b"]
    a, b = (
        welch(t.sort_values(["item", "group"]).reset_index(drop=True))
        for t in (table, table.sample(frac=1, random_state=1))
    )
    pd.testing.assert_frame_equal(a.sort_values(keys), b.sort_values(keys))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sd": -1.0}, "empty or negative"),
        ({"mean": np.nan}, "empty or negative"),
        ({"n": 1}, "n is 1"),
        ({"group": None}, "'group' of the summaries is empty"),
    ],
)
def test_bad_summaries_are_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        welch(summary({"A": [1, 2], "B": [3, 4]}).assign(**change))


def test_one_group_has_nothing_to_be_compared_with(table3):
    alone = summary({"A": [1, 2, 3]})
    with pytest.raises(InvalidInput, match="one group for each item"):
        welch(alone)
    assert "one group" in anova(alone).loc[0, "note"]
    with pytest.raises(InvalidInput, match="conventions is empty"):
        under(table3, {})
