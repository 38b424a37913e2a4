"""What is asked of the solvers: gains are checked, values computed."""

import numpy as np
import pytest

from support.errors import InvalidInput
from support.solvers.fair.problem import checked, valued

GOOD = [[[1, 2], [3, 4]], [[5, 0], [1, 1]]]


@pytest.mark.parametrize(
    ("gains", "message"),
    [
        ([[[1, 2], [3]]], "gains: decisions with unequal numbers of options given"),
        ([[1, 2]], r"gains: shape \(1, 2\) given; expected \(participants, decisions, options\)"),
        (np.zeros((0, 2, 2)), r"gains: shape \(0, 2, 2\) given"),
        (np.zeros((2, 0, 2)), r"gains: shape \(2, 0, 2\) given"),
        (np.zeros((2, 2, 0)), r"gains: shape \(2, 2, 0\) given"),
        ([[[1, 2], [3, -4]]], "gains: -4 given for participant 1, decision 2, option 2; expected a whole number of 0"),
        ([[[1, 2.5]]], "gains: 2.5 given for participant 1, decision 1, option 2"),
        ([[[1, np.nan]]], "gains: nan given for participant 1, decision 1, option 2"),
        ([[[np.inf, 1]]], "gains: inf given for participant 1, decision 1, option 1"),
        ([[["a", "b"]]], "gains: values of type <U1 given"),
        ([[[True, False]]], "gains: values of type bool given"),
        ([[[2**60, 0]]], r"gains: 1152921504606846976 given with 1 decisions; expected totals below 2\*\*53"),
    ],
)
def test_gains_that_do_not_fit_are_named(gains, message):
    with pytest.raises(InvalidInput, match=message):
        checked(gains)


def test_whole_floats_are_taken_and_the_callers_array_is_left_alone():
    given = np.array(GOOD, dtype=float)
    made = checked(given)
    made += 1
    assert made.dtype == np.int64
    assert (given == GOOD).all()


def test_values_of_a_plan_by_each_objective():
    plan, gains = (0, 1), np.array(GOOD)  # totals 5 and 6
    assert valued("divergence", gains, plan) == 1
    assert valued("welfare", gains, plan) == 11
    assert valued("leximin", gains, plan) == (5, 6)
    assert valued("divergence then welfare", gains, plan) == (1, 11)
