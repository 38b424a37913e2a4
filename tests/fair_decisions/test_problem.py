"""The problem, the laws of its measures, and what a user sees when a problem or a plan does not fit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.fair_decisions.measures import divergence, envy, gini, shortfall, welfare
from support.fair_decisions.problem import FairDecisions

ONES = np.ones((2, 2, 3), dtype=int)
totals = st.lists(st.integers(0, 10_000), min_size=1, max_size=6).map(np.array)


def test_the_worked_example_of_the_papers_appendix_a():
    """The example in the coordinator's prompt: the third player's apple is worth 35, and 31 in the sum below it."""
    plan_1 = FairDecisions(
        [[[3], [30], [50]], [[80], [70], [60]], [[35], [1], [45]]]
    ).totals((0, 0, 0))
    plan_2 = FairDecisions(
        [[[70], [30], [50]], [[5], [70], [60]], [[25], [1], [45]]]
    ).totals((0, 0, 0))
    assert plan_1.tolist() == [83, 210, 81]  # printed: 83, 210, 77
    assert plan_2.tolist() == [150, 135, 71]
    assert divergence(np.array([[83, 210, 77], plan_2])).tolist() == [133, 79]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            [ONES - 2],
            "gains: -1 given for participant 1, decision 1, option 1; expected a whole number of 0 or more",
        ),
        ([ONES, ("Ana", "Ana")], "participants: .* given; expected 2 different names"),
        ([ONES, "AB"], "participants: 'AB' given"),
        (
            [ONES, (), (), (("a", "b", "c"),)],
            "options: names for 1 decisions given; expected 2",
        ),
        (
            [ONES, (), (), ((), ("a", "b", "b"))],
            "options of Meal 2: .* given; expected 3 different names",
        ),
    ],
)
def test_a_problem_that_does_not_fit_is_refused(given, message):
    with pytest.raises(InvalidInput, match=message):
        FairDecisions(*given)


@pytest.mark.parametrize("plan", [(0,), (0, 3), (0, -1), (0, 1.0), None])
def test_a_plan_that_does_not_fit_is_refused(plan):
    with pytest.raises(
        InvalidInput,
        match=r"expected an option for each of 2 decisions|Meal 2: .* from 0 to 2",
    ):
        FairDecisions(ONES).check(plan)


@pytest.mark.parametrize("spread", [divergence, gini, envy])
@given(v=totals, gift=st.integers(0, 1000), factor=st.integers(1, 50))
def test_property_a_spread_is_zero_only_when_all_have_the_same_and_knows_its_unit(
    spread, v, gift, factor
):
    assert (spread(v) == 0) == (len(set(v.tolist())) == 1) and spread(v) >= 0
    assert spread(factor * v) == pytest.approx(
        spread(v) * (1 if spread is gini else factor)
    )
    if spread is not gini:
        assert spread(v + gift) == pytest.approx(spread(v))


def test_the_shortfall_is_the_largest_distance_from_what_each_could_have():
    problem = FairDecisions([[[3, 4, 5], [10, 20, 30]], [[30, 20, 10], [6, 5, 4]]])
    assert (
        shortfall(problem, problem.totals((0, 1))) == 35 - 23
    )  # the first could have 5 + 30, the second 30 + 6


@given(v=totals)
def test_property_gini_is_the_mean_envy_as_a_share_and_reaches_its_bound_when_one_has_it_all(
    v,
):
    """Both sum |V_i - V_j|: over n (n - 1) ordered pairs, or over 2 n times the total and both orders."""
    assert gini(v) * welfare(v) == pytest.approx((len(v) - 1) * envy(v))
    assert gini(np.eye(1, len(v))[0] * 5) == pytest.approx(1 - 1 / len(v))
