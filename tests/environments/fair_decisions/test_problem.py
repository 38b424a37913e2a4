"""The problem, and what a user sees when a problem or a plan does not fit."""

import numpy as np
import pytest

from support.environments.fair_decisions import FairDecisions
from support.environments.fair_decisions.problem import LARGEST
from support.errors import InvalidInput

ONES = np.ones((2, 2, 3), dtype=int)


def changed(value, place=(1, 0, 2)):
    gains = ONES.astype(type(value))
    gains[place] = value
    return gains


def test_totals_sum_what_each_participant_gains(two_meals):
    assert two_meals.totals((0, 1)).tolist() == [23, 35]
    assert two_meals.totals_of(np.array([[0, 1], [2, 2]])).tolist() == [[23, 35], [35, 14]]


def test_totals_of_many_plans_are_the_totals_of_each():
    rng = np.random.default_rng(5)
    problem = FairDecisions(rng.integers(0, 100, (3, 6, 4)))
    plans = rng.integers(0, 4, (20, 6))
    assert np.array_equal(problem.totals_of(plans), [problem.totals(plan) for plan in plans])


def test_the_worked_example_of_the_papers_appendix_a():
    """The example in the coordinator's prompt: the third player's apple is worth 35, and 31 in the sum below it."""
    plan_1 = FairDecisions([[[3], [30], [50]], [[80], [70], [60]], [[35], [1], [45]]]).totals((0, 0, 0))
    plan_2 = FairDecisions([[[70], [30], [50]], [[5], [70], [60]], [[25], [1], [45]]]).totals((0, 0, 0))
    assert plan_1.tolist() == [83, 210, 81]  # printed: 83, 210, 77
    assert plan_2.tolist() == [150, 135, 71]


def test_names_are_numbered_when_none_are_given(two_meals):
    assert two_meals.participants == ("Player 1", "Player 2")
    assert two_meals.words((0, 1)) == "Meal 1: Option 1, Meal 2: Option 2"


def test_names_that_are_given_are_used():
    problem = FairDecisions(
        ONES, ("Ana", "Ben"), ("tea", "supper"), [["mint", "black", "green"], ("pie", "soup", "rice")]
    )
    assert problem.words([2, 1]) == "tea: green, supper: soup"


def test_gains_are_a_copy_that_cannot_be_written_to():
    given = ONES.copy()
    problem = FairDecisions(given)
    given[:] = 7
    assert problem.gains.max() == 1
    with pytest.raises(ValueError, match="read-only"):
        problem.gains[0, 0, 0] = 5


def test_one_option_leaves_one_plan():
    problem = FairDecisions([[[4], [5]]])
    assert problem.shape == (1, 2, 1) and problem.totals((0, 0)).tolist() == [9]
    with pytest.raises(InvalidInput, match="option 1 given; expected a whole number from 0 to 0"):
        problem.check((0, 1))


def test_whole_numbers_may_come_as_floats():
    assert FairDecisions(ONES * 2.0).gains.dtype == np.int64
    assert FairDecisions(changed(LARGEST)).gains.max() == LARGEST


@pytest.mark.parametrize("value", [-1, 0.5, float("nan"), float("inf"), LARGEST + 1, 1e300])
def test_a_gain_that_does_not_fit_is_named_with_its_place(value):
    with pytest.raises(InvalidInput) as error:
        FairDecisions(changed(value))
    assert str(error.value) == (
        f"gains: {changed(value)[1, 0, 2]} given for participant 2, decision 1, option 3; expected a whole number "
        "from 0 to 1,000,000,000 (multiply fractions up)"
    )


@pytest.mark.parametrize("shape", [(0, 2, 3), (2, 0, 3), (2, 2, 0), (2, 3), (1, 1, 1, 1), ()])
def test_no_participant_no_decision_no_option_and_other_dimensions_are_refused(shape):
    with pytest.raises(InvalidInput, match=r"gains: shape .* given; expected \(participants, decisions, options\)"):
        FairDecisions(np.ones(shape, dtype=int))


@pytest.mark.parametrize("gains", [[[["many"]]], [[[None]]], [[[True]]], [[[1 + 2j]]]])
def test_gains_that_are_no_numbers_are_refused(gains):
    with pytest.raises(InvalidInput, match=r"gains: values of type .* given; expected whole numbers"):
        FairDecisions(gains)


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(InvalidInput, match="gains: rows of different lengths given"):
        FairDecisions([[[1, 2], [3]]])


@pytest.mark.parametrize("names", [("Ana",), ("Ana", "Ana"), ("Ana", ""), ("Ana", 2), (["Ana"], ["Ben"]), "AB"])
def test_names_that_do_not_fit_are_refused(names):
    with pytest.raises(InvalidInput, match=r"participants: .* given; expected 2 different names"):
        FairDecisions(ONES, names)
    with pytest.raises(InvalidInput, match=r"decisions: .* given; expected 2 different names"):
        FairDecisions(ONES, decisions=names)


def test_options_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match="options: names for 1 decisions given; expected 2"):
        FairDecisions(ONES, options=(("a", "b", "c"),))
    with pytest.raises(InvalidInput, match=r"options of Meal 2: .* given; expected 3 different names"):
        FairDecisions(ONES, options=(("a", "b", "c"), ("a", "b", "b")))


def test_options_without_names_are_numbered_where_others_have_some():
    problem = FairDecisions(ONES, options=(("a", "b", "c"), ()))
    assert problem.options[1] == ("Option 1", "Option 2", "Option 3")


def test_a_plan_for_a_missing_decision_is_refused(two_meals):
    with pytest.raises(InvalidInput, match="plan: no option for Meal 2; expected one for each of 2 decisions"):
        two_meals.check((0,))
    with pytest.raises(InvalidInput, match="plan: 3 options given for 2 decisions; expected one for each"):
        two_meals.totals((0, 0, 0))


@pytest.mark.parametrize("option", [3, -1, 1.0, "1", None, True])
def test_an_option_that_there_is_not_is_refused(two_meals, option):
    with pytest.raises(InvalidInput, match=r"plan, Meal 2: option .* given; expected a whole number from 0 to 2"):
        two_meals.check((0, option))


@pytest.mark.parametrize("plan", [None, 1, {0: 1, 1: 2}, {0, 1}])
def test_what_is_no_sequence_is_no_plan(two_meals, plan):
    with pytest.raises(InvalidInput, match="expected a sequence of options, one for each of 2 decisions"):
        two_meals.check(plan)


def test_a_checked_plan_is_a_tuple_of_plain_numbers(two_meals):
    plan = two_meals.check(np.array([1, 2]))
    assert plan == (1, 2) and {type(option) for option in plan} == {int}
