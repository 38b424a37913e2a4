"""Cronbach's alpha and Feldt's interval."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from support.analysis.surveys.reliability import alpha_table, cronbach_alpha, wide_answers
from support.analysis.surveys.sources import Answers
from support.errors import InvalidInput

WIDE = st.tuples(st.integers(2, 12), st.integers(2, 6)).flatmap(lambda s: arrays(int, s, elements=st.integers(1, 5)))


def hoyt(values):
    """Hoyt 1941: alpha by analysis of variance, 1 - residual / between respondents."""
    n, k = values.shape
    rows, columns, grand = values.mean(axis=1), values.mean(axis=0), values.mean()
    between = k * ((rows - grand) ** 2).sum() / (n - 1)
    rest = ((values - rows[:, None] - columns + grand) ** 2).sum() / ((n - 1) * (k - 1))
    return between, rest


@settings(deadline=None)
@given(WIDE)
def test_property_alpha_is_that_of_the_analysis_of_variance(values):
    assume(values.sum(axis=1).var() > 0)
    n, k = values.shape
    between, rest = hoyt(values)
    found = cronbach_alpha(pd.DataFrame(values))
    assert found.alpha == pytest.approx(1 - rest / between)
    assert found.low == pytest.approx(1 - rest / between * stats.f.isf(0.025, n - 1, (n - 1) * (k - 1)))
    assert found.low <= found.alpha <= found.high or n < 4


@given(st.lists(st.integers(1, 5), min_size=2, max_size=20).filter(lambda a: len(set(a)) > 1), st.integers(2, 6))
def test_property_identical_items_have_alpha_1(answers, items):
    found = cronbach_alpha(pd.DataFrame(dict.fromkeys(range(items), answers)))
    assert [found.alpha, found.low, found.high] == pytest.approx([1, 1, 1])


def test_two_items_of_equal_variance_follow_spearman_and_brown():
    wide = pd.DataFrame({"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 5]})
    r = np.corrcoef(wide["a"], wide["b"])[0, 1]
    assert cronbach_alpha(wide).alpha == pytest.approx(2 * r / (1 + r))


def test_the_interval_covers_as_often_as_it_says():
    rng, truth = np.random.default_rng(1), 3 * 0.5 / (1 + 2 * 0.5)  # three parallel items, correlation 0.5
    covered = 0
    for _ in range(400):
        wide = rng.normal(size=(25, 1)) + rng.normal(size=(25, 3))
        found = cronbach_alpha(pd.DataFrame(wide))
        covered += found.low <= truth <= found.high
    assert 0.92 < covered / 400 < 0.98


def test_a_respondent_with_a_blank_is_left_out_and_counted():
    wide = pd.DataFrame({"a": [1, 2, 4, None], "b": [1, 3, 5, 4.0]})
    found = cronbach_alpha(wide)
    assert (found.respondents, found.left_out) == (3, 1)
    assert found.alpha == cronbach_alpha(wide.dropna()).alpha


def test_without_spread_there_is_no_alpha_and_the_reason_is_told():
    found = cronbach_alpha(pd.DataFrame({"a": [1, 5], "b": [5, 1]}))
    assert np.isnan(found.alpha) and "same sum" in found.note


@pytest.mark.parametrize("wide", [pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1], "b": [2]})])
def test_alpha_needs_two_of_each(wide):
    with pytest.raises(InvalidInput, match="two of each"):
        cronbach_alpha(wide)


def test_the_table_can_be_of_some_items(survey):
    wide = wide_answers(Answers(survey))
    assert wide.shape == (30, 2)
    assert alpha_table(survey).loc[0, "alpha"] == cronbach_alpha(wide).alpha
    with pytest.raises(InvalidInput, match="'speed' is none of the survey's, which are: reasons, trust"):
        alpha_table(survey, ["speed", "trust"])
