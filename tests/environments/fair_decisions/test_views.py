"""What a coordinator knows when it is asked."""

import pytest

from support.environments.fair_decisions import FairDecisions
from support.environments.fair_decisions.views import SCORE, Brief, Heard, Table, table_of
from support.errors import InvalidInput


def test_a_table_says_how_large_the_problem_is(two_meals):
    table = Table(two_meals.participants, two_meals.decisions, two_meals.options, "counts", 30)
    assert table.shape == two_meals.shape


def test_known_plans_are_those_of_all_rounds_in_order(two_meals):
    table = Table(two_meals.participants, two_meals.decisions, two_meals.options, "counts", 30)
    history = (Heard(((0, 1), (1, 1)), ()), Heard(((2, 0),), ()))
    assert Brief(table, SCORE, "divergence", 3, 5, history=history).known == ((0, 1), (1, 1), (2, 0))


@pytest.mark.parametrize(("preferences", "highest"), [("scores", 100), ("rankings", 2), ("counts", 7)])
def test_the_table_tells_the_largest_gain_that_the_rules_allow_and_not_the_hidden_one(preferences, highest):
    problem = FairDecisions([[[7, 0]], [[1, 2]]])
    assert table_of(problem, preferences).highest == highest


def test_another_kind_of_preferences_is_refused():
    with pytest.raises(InvalidInput, match="'tastes' given; expected one of scores, rankings, counts"):
        table_of(FairDecisions([[[1, 0]]]), "tastes")
