"""Correlations with reliance agree with scipy, are corrected within a kind of forms, and printed ones are bounded."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from support.analysis.user_study.correlations import CHANGE, POOLED, largest_family, p_of, spearman
from support.analysis.user_study.points import POINTS
from support.errors import InvalidInput


@pytest.fixture
def linked():
    """Twelve people at two points; `follows` goes with reliance, `apart` does not."""
    rng = np.random.default_rng(3)
    rows = []
    for who in range(12):
        for point in POINTS[1:]:
            base = int(rng.integers(1, 8))
            answers = {
                "reliance": base,
                "follows": np.clip(base + rng.integers(-1, 2), 1, 7),
                "apart": rng.integers(1, 8),
            }
            rows += [(f"P{who}", point, item, float(value), "people") for item, value in answers.items()]
    return pd.DataFrame(rows, columns=["respondent", "point", "item", "answer", "source"])


def test_a_correlation_is_scipy_s(linked):
    table = spearman(linked).set_index(["forms", "item"])
    wide = linked.pivot(index=["respondent", "point"], columns="item", values="answer")
    found = stats.spearmanr(wide["reliance"], wide["follows"])
    assert table.loc[(POOLED, "follows"), ["rho", "p"]].tolist() == pytest.approx([found.statistic, found.pvalue])
    change = wide.xs(POINTS[2], level="point") - wide.xs(POINTS[1], level="point")
    found = stats.spearmanr(change["reliance"], change["apart"])
    assert table.loc[(CHANGE, "apart"), "rho"] == pytest.approx(found.statistic)
    assert table.loc[(POOLED, "follows"), "n"] == 24 and table.loc[(CHANGE, "follows"), "n"] == 12


def test_what_goes_with_reliance_is_found_after_the_correction(linked):
    pooled = spearman(linked).query("forms == 'pooled'").set_index("item")
    assert pooled.loc["follows", "p_fdr"] < 0.001 and pooled.loc["apart", "p_fdr"] > 0.05
    assert (pooled["p"] <= pooled["p_fdr"] + 1e-12).all() and (pooled["p_fdr"] <= pooled["p_holm"] + 1e-12).all()


def test_without_spread_or_with_three_forms_there_is_no_test(linked):
    flat = linked.assign(answer=linked["answer"].where(linked["item"] != "apart", 4.0))
    table = spearman(flat).query("item == 'apart'")
    assert table["p"].isna().all() and table["note"].str.contains("no spread").all()
    few = linked[linked["respondent"].isin(["P0", "P1", "P2"])]
    assert spearman(few).query("forms == 'change'")["note"].str.contains("fewer than four").all()


def test_an_item_that_is_not_there_is_refused(linked):
    with pytest.raises(InvalidInput, match="trust"):
        spearman(linked, target="trust")


@given(st.lists(st.floats(0.4, 0.6), min_size=1, max_size=8), st.integers(12, 25), st.integers(0, 10))
def test_in_the_largest_family_all_pass_and_in_the_next_one_they_do_not(rhos, n, more):
    family = largest_family(rhos, n, more)
    weakest = p_of(min(rhos) + 0.005, n)
    kept = len(rhos) + more
    for size, passes in ((family, True), (family + 1, False)):
        if size >= kept:
            p = [weakest] * kept + [1.0] * (size - kept)
            assert (stats.false_discovery_control(p)[:kept] <= 0.05 + 1e-9).all() == passes


def test_the_printed_correlations_need_more_than_ten_forms_and_a_small_family(text):
    from support.analysis.user_study.printed import printed_correlations

    rhos = list(printed_correlations(text)["rho"])
    assert [largest_family(rhos, n) for n in (10, 18, 20)] == [0, 6, 8]
    with pytest.raises(InvalidInput):
        largest_family(rhos, 3)


def test_correlations_that_bound_nothing_are_refused():
    with pytest.raises(InvalidInput, match=r"correlations: \[\] given"):
        largest_family([], 20)
    with pytest.raises(InvalidInput, match="from -1 to 1"):
        largest_family([2.0], 20)
    with pytest.raises(InvalidInput, match="no family is too large"):
        largest_family([1.0, -1.0], 20)


def test_an_item_named_twice_is_tested_once_and_the_target_not_at_all(linked):
    once, twice = spearman(linked, items=["follows", "apart"]), spearman(linked, items=["follows", "follows", "apart"])
    assert once.equals(twice)
    with pytest.raises(InvalidInput, match="items: nothing but 'reliance' given"):
        spearman(linked, items=["reliance"])


def test_a_family_may_come_as_a_column_of_a_table():
    assert largest_family(pd.Series([0.78, 0.51, -0.47]), 20) == largest_family([0.78, 0.51, -0.47], 20)
    with pytest.raises(InvalidInput, match="correlations: "):
        largest_family(pd.Series([], dtype=float), 20)
