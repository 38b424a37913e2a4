"""Kruskal-Wallis and Mann-Whitney are scipy's, with corrections and effect sizes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from support.analysis.effects import cliffs_delta
from support.analysis.surveys.rank_tests import kruskal_wallis, mann_whitney
from support.errors import InvalidInput

SAMPLE = st.lists(st.integers(1, 5), min_size=2, max_size=12)


def tidy(samples, item="i"):
    rows = [(f"{g}{i}", g, item, a, "people") for g, sample in samples.items() for i, a in enumerate(sample)]
    return pd.DataFrame(rows, columns=["respondent", "group", "item", "answer", "source"])


@settings(deadline=None, max_examples=40)
@given(SAMPLE, SAMPLE, SAMPLE)
def test_property_kruskal_wallis_is_scipys(a, b, c):
    row = kruskal_wallis(tidy({"A": a, "B": b, "C": c})).iloc[0]
    if len({*a, *b, *c}) == 1:
        assert np.isnan(row["p"]) and "all answers are the same" in row["note"]
        return
    h, p = stats.kruskal(a, b, c)
    n = len(a) + len(b) + len(c)
    assert [row["h"], row["p"], row["epsilon_squared"]] == pytest.approx([h, p, h * (n + 1) / (n**2 - 1)])
    assert -1e-9 <= row["epsilon_squared"] <= 1 + 1e-9 and row["df"] == 2


@settings(deadline=None, max_examples=40)
@given(SAMPLE, SAMPLE)
def test_property_the_rank_biserial_is_cliffs_delta_and_turns_with_the_sides(a, b):
    row, turned = mann_whitney(tidy({"A": a, "B": b})).iloc[0], mann_whitney(tidy({"A": b, "B": a})).iloc[0]
    if len({*a, *b}) == 1:
        assert np.isnan(row["p"])
        return
    assert row["rank_biserial"] == pytest.approx(cliffs_delta(np.array(a, float), np.array(b, float)))
    assert row["rank_biserial"] == pytest.approx(-turned["rank_biserial"]) and row["p"] == pytest.approx(turned["p"])


def test_holm_corrects_within_an_item_or_over_all(survey):
    within, over = mann_whitney(survey), mann_whitney(survey, family="all")
    assert len(within) == 6 and within[["a", "b"]].iloc[:3].to_numpy().tolist() == [["A", "B"], ["A", "C"], ["B", "C"]]
    trust = within[within["item"] == "trust"]
    assert trust["p_holm"].min() == pytest.approx(3 * trust["p"].min())
    assert over["p_holm"].min() == pytest.approx(6 * over["p"].min())


def test_a_difference_that_is_there_is_seen(survey):
    assert (kruskal_wallis(survey)["p_holm"] < 0.05).all()
    pairs = mann_whitney(survey).set_index(["item", "a", "b"])
    assert pairs.loc[("trust", "A", "C"), "rank_biserial"] > 0.3


def test_a_test_that_does_not_exist_is_no_member_of_its_family():
    flat = tidy({"A": [3, 3], "B": [3, 3]}, "flat")
    varied = tidy({"A": [1, 2, 1, 2, 1], "B": [4, 5, 4, 5, 5]}, "varied")
    table = kruskal_wallis(pd.concat([flat, varied])).set_index("item")
    assert np.isnan(table.loc["flat", "p_holm"])
    assert table.loc["varied", "p_holm"] == table.loc["varied", "p"]


def test_an_item_that_one_group_left_blank_is_noted(survey):
    blank = survey.assign(answer=survey["answer"].where((survey["item"] != "trust") | (survey["group"] == "A")))
    table = kruskal_wallis(blank).set_index("item")
    assert "fewer than two groups" in table.loc["trust", "note"] and table.loc["reasons", "note"] == ""


def test_one_group_or_another_family_is_refused(survey):
    with pytest.raises(InvalidInput, match="has one group, 'A'"):
        kruskal_wallis(survey[survey["group"] == "A"])
    with pytest.raises(InvalidInput, match="family is 'pairs'"):
        mann_whitney(survey, family="pairs")
