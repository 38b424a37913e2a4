"""Laws that the measures of fairness and welfare keep."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.environments.fair_decisions import FairDecisions, measures
from support.environments.fair_decisions.measures import (
    divergence,
    envy,
    gini,
    leximin,
    nash_welfare,
    price_of_fairness,
    shortfall,
    value,
    welfare,
)
from support.errors import InvalidInput

totals = st.lists(st.integers(0, 10_000), min_size=1, max_size=6).map(np.array)
SPREADS = (divergence, gini, envy)
SYMMETRIC = (*SPREADS, welfare, nash_welfare, leximin)
HOMOGENEOUS = (divergence, envy, welfare, nash_welfare)


def problems(most=(4, 4, 4), highest=100):
    """Small problems of any whole gains, as a strategy."""
    sizes = st.tuples(*(st.integers(1, n) for n in most))
    return sizes.flatmap(lambda shape: _gains(shape, highest)).map(FairDecisions)


def _gains(shape, highest):
    values = st.lists(st.integers(0, highest), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))
    return values.map(lambda flat: np.reshape(flat, shape))


def every_plan(problem):
    _, n, m = problem.shape
    return np.array(list(product(range(m), repeat=n)))


@pytest.mark.parametrize("spread", SPREADS)
@given(v=totals)
def test_property_a_spread_is_never_negative_and_zero_only_when_all_have_the_same(spread, v):
    assert spread(v) >= 0
    assert (spread(v) == 0) == (len(set(v.tolist())) == 1)


@pytest.mark.parametrize("measure", SYMMETRIC)
@given(v=totals, seed=st.integers(0, 99))
def test_property_no_measure_depends_on_who_has_what(measure, v, seed):
    assert measure(np.random.default_rng(seed).permutation(v)) == pytest.approx(measure(v))


@pytest.mark.parametrize("measure", HOMOGENEOUS)
@given(v=totals, factor=st.integers(1, 50))
def test_property_measures_in_points_grow_with_the_points(measure, v, factor):
    assert measure(factor * v) == pytest.approx(factor * measure(v))


@given(v=totals, factor=st.integers(1, 50))
def test_property_gini_is_the_same_in_every_currency(v, factor):
    assert gini(factor * v) == pytest.approx(gini(v))


@given(v=totals, gift=st.integers(0, 1000))
def test_property_a_gift_to_everybody_leaves_divergence_and_envy(v, gift):
    assert divergence(v + gift) == divergence(v)
    assert envy(v + gift) == pytest.approx(envy(v))


@given(v=totals)
def test_property_gini_reaches_its_bound_when_one_has_it_all(v):
    bound = 1 - 1 / len(v)
    assert -1e-12 <= gini(v) <= bound + 1e-12
    alone = np.zeros(len(v))
    alone[0] = 5
    assert gini(alone) == pytest.approx(bound)


@given(v=totals)
def test_property_gini_is_the_mean_envy_as_a_share(v):
    """Both sum |V_i - V_j|: over n (n - 1) ordered pairs, or over 2 n times the total and both orders."""
    assert gini(v) * welfare(v) == pytest.approx((len(v) - 1) * envy(v))


@given(v=totals)
def test_property_nash_welfare_lies_between_the_worst_and_the_mean(v):
    assert v.min() - 1e-6 <= nash_welfare(v) <= v.mean() + 1e-6


def test_nash_welfare_is_nothing_when_somebody_has_nothing():
    assert nash_welfare(np.array([0, 100])) == 0


def test_gini_and_envy_of_nothing_and_of_one_are_zero():
    assert gini(np.zeros(3)) == 0 and envy(np.array([7])) == 0 and gini(np.array([7])) == 0


@given(v=totals, w=totals)
def test_property_leximin_looks_at_the_worst_off_first(v, w):
    if v.min() > w.min():
        assert leximin(v) > leximin(w)


@pytest.mark.parametrize("measure", [divergence, gini, envy, welfare, nash_welfare])
def test_many_plans_are_measured_at_once(measure):
    many = np.random.default_rng(3).integers(0, 50, (4, 5, 3))
    assert measure(many).shape == (4, 5)
    assert measure(many)[2, 3] == pytest.approx(measure(many[2, 3]))


def test_the_published_divergences():
    """The worked example of appendix A: 133 for the first menu, 79 for the second."""
    assert divergence(np.array([[83, 210, 77], [150, 135, 71]])).tolist() == [133, 79]


@given(problem=problems())
def test_property_shortfall_is_the_largest_distance_from_what_each_could_have(problem):
    plans = every_plan(problem)
    reached = problem.totals_of(plans)
    best = reached.max(axis=0)
    expected = [max(best[i] - row[i] for i in range(len(row))) for row in reached]
    assert shortfall(problem, reached).tolist() == expected


def test_shortfall_and_divergence_are_two_things(two_meals):
    both = two_meals.totals((0, 0)), two_meals.totals((2, 2))
    assert [int(divergence(v)) for v in both] == [23, 21]
    assert [int(shortfall(two_meals, v)) for v in both] == [22, 22]


@given(problem=problems())
def test_property_the_price_of_fairness_is_a_share_and_nothing_for_the_best_plan(problem):
    plans = every_plan(problem)
    prices = [price_of_fairness(problem, tuple(plan)) for plan in plans.tolist()]
    assert all(0 <= price <= 1 for price in prices)
    best = int(welfare(problem.totals_of(plans)).argmax())
    assert prices[best] == pytest.approx(0)


def test_the_price_of_fairness_is_the_share_given_up(two_meals):
    assert price_of_fairness(two_meals, (0, 2)) == 0  # 33 + 34, the most there is
    assert price_of_fairness(two_meals, (2, 0)) == pytest.approx(1 - 31 / 67)


def test_values_are_larger_for_better_plans():
    v = np.array([[10, 14], [3, 3]])
    assert value("divergence", v).tolist() == [-4, 0]
    assert value("welfare", v).tolist() == [24, 6]
    assert set(measures.OBJECTIVES) == {"divergence", "welfare"}


def test_another_objective_is_refused():
    with pytest.raises(InvalidInput, match="objective: 'luck' given; expected one of divergence, welfare"):
        value("luck", np.array([1, 2]))
