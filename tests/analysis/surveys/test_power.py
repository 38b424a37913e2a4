"""Sizes of surveys, against printed tables and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from support.analysis.surveys import power
from support.errors import InvalidInput


def test_sizes_are_those_of_cohens_table():
    # Cohen 1988, Table 2.4.1, two-sided alpha .05, power .80: d = 0.2, 0.5, 0.8.
    assert [power.sample_size_t(d, 1.0) for d in (0.2, 0.5, 0.8)] == [394, 64, 26]


def test_the_anova_of_two_groups_is_the_t_test():
    assert power.power_anova([3, 3.5], 1.1, 40) == pytest.approx(power.power_t(0.5, 1.1, 40), abs=1e-6)


def test_the_anova_sees_what_simulated_surveys_see():
    rng, means = np.random.default_rng(1), [3.0, 3.3, 3.8]
    draws = [stats.f_oneway(*(rng.normal(m, 1.1, 25) for m in means)).pvalue < 0.05 for _ in range(1200)]
    assert power.power_anova(means, 1.1, 25) == pytest.approx(np.mean(draws), abs=0.035)
    assert power.power_anova([3, 3, 3], 1.1, 25) == 0.05


@settings(deadline=None, max_examples=25)
@given(st.floats(0.2, 2), st.floats(0.5, 1.5), st.floats(0.3, 0.95))
def test_property_the_size_is_the_smallest_that_suffices(difference, sd, wanted):
    n = power.sample_size_t(difference, sd, wanted)
    assert power.power_t(difference, sd, n) >= wanted
    assert n == 2 or power.power_t(difference, sd, n - 1) < wanted


@settings(deadline=None, max_examples=25)
@given(st.floats(0.05, 1), st.floats(0.3, 1.5))
def test_property_the_half_width_is_met_and_not_with_one_less(half, sd):
    n = power.sample_size_half_width(half, sd)
    width = [sd * stats.t.ppf(0.975, m - 1) / np.sqrt(m) for m in (n, max(n - 1, 2))]
    assert width[0] <= half and (n == 2 or width[1] > half)


def test_mann_whitney_errs_at_its_level_and_sees_what_noether_says():
    rng, flat = np.random.default_rng(2), [0.1, 0.2, 0.4, 0.2, 0.1]
    assert power.power_mann_whitney(flat, flat, 30, 30, rng) == pytest.approx(0.05, abs=0.015)
    fine = np.full(200, 1 / 200)  # hardly any ties: where the formula holds
    shifted = np.r_[np.zeros(60), np.full(140, 1 / 140)]
    n = power.sample_size_noether(power.superiority(shifted, fine))
    assert power.power_mann_whitney(shifted, fine, n, n, rng, draws=1500) == pytest.approx(0.8, abs=0.06)


def test_a_simulation_repeats_with_its_seed():
    a, b = [0.2] * 5, [0.1, 0.1, 0.2, 0.3, 0.3]
    first, again = (power.power_mann_whitney(a, b, 20, 25, np.random.default_rng(9), 500) for _ in range(2))
    assert first == again


def test_surveys_in_which_all_say_the_same_see_nothing():
    assert power.power_mann_whitney([0, 1], [0, 1], 5, 5, np.random.default_rng(1), 20) == 0


@given(st.lists(st.integers(1, 9), min_size=2, max_size=7), st.data())
def test_property_superiority_of_the_two_sides_adds_up_to_one(weights, data):
    other = data.draw(st.lists(st.integers(1, 9), min_size=len(weights), max_size=len(weights)))
    a, b = (np.array(w) / sum(w) for w in (weights, other))
    assert power.superiority(a, b) + power.superiority(b, a) == pytest.approx(1)


def test_the_curve_rises_with_size_and_difference():
    curve = power.power_curve([10, 20, 40], [0.25, 0.5], 1.1).pivot(index="n", columns="difference", values="power")
    assert (np.diff(curve, axis=0) > 0).all() and (np.diff(curve, axis=1) > 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: power.sample_size_t(0, 1), "the difference is 0"),
        (lambda: power.sample_size_t(0.5, 0), "sd is 0"),
        (lambda: power.sample_size_t(0.5, 1, power=1), "power is 1"),
        (lambda: power.sample_size_t(0.5, 1, power=0.01), "more than alpha"),
        (lambda: power.power_t(0.5, 1, 1), "n is 1"),
        (lambda: power.power_t(float("nan"), 1, 9), "the difference is nan"),
        (lambda: power.power_anova([3], 1, 9), "two or more numbers"),
        (lambda: power.sample_size_half_width(0, 1), "half is 0"),
        (lambda: power.sample_size_half_width(1e-9, 1), "billion"),
        (lambda: power.superiority([0.5, 0.6], [0.5, 0.5]), "add up to 1"),
        (lambda: power.superiority([0.5, 0.5], [1.0]), "expected the same scale"),
        (lambda: power.sample_size_noether(1.2), "superior is 1.2"),
        (lambda: power.sample_size_noether(0.5), "no size of a survey sees it"),
        (lambda: power.power_curve([], [1], 1), "ns or differences is empty"),
    ],
)
def test_what_cannot_be_planned_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
