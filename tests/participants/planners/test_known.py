"""What is known of plans: the best one, the unknown ones, and which moves are allowed."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.environments.fair_decisions.views import Heard, Move
from support.errors import InvalidInput
from support.participants.planners.known import LISTED, best_known, checked_move, nameless, new_move, unknown

GAINS = [[[80, 10], [50, 50]], [[20, 70], [30, 70]], [[40, 60], [50, 50]]]
ALL = [(0, 0), (0, 1), (1, 0), (1, 1)]


@given(st.integers(0, 2**32 - 1), st.sets(st.sampled_from(list(product(range(3), repeat=3)))))
def test_an_unknown_plan_is_not_known_and_there_is_one_until_all_are(seed, known):
    found = unknown(np.random.default_rng(seed), 3, 3, known)
    assert (found is None) == (len(known) == 27)
    assert found is None or (found not in known and len(found) == 3 and set(found) <= {0, 1, 2})


def test_unknown_plans_are_drawn_uniformly_whether_they_are_listed_or_found():
    rng = np.random.default_rng(1)
    for n, m in ((1, 4), (13, 2)):
        assert (m**n <= LISTED) == (n == 1)
        drawn = np.array([unknown(rng, n, m, {(0,) * n}) for _ in range(600)])
        counts = np.bincount(drawn[:, 0], minlength=m)
        expected = [0, 200, 200, 200] if n == 1 else [300, 300]
        assert (abs(counts - expected) < 60).all()


def test_the_best_known_plan_is_the_earlier_of_equals_and_the_last_where_nothing_is_known(briefed):
    history = briefed(GAINS, (0, 0), (1, 1), (1, 0)).history
    assert best_known(history, "divergence") == (1, 0)
    assert best_known(history[:2], "divergence") == (0, 0) and best_known(history, "welfare") == (1, 1)
    mute = [Heard(((0, 1),), ()), Heard(((1, 1), (0, 0)), ())]
    assert best_known(mute, "divergence") == (0, 0) and best_known([], "divergence") is None
    assert best_known([*history, *mute], "divergence") == (1, 0)


def test_a_new_move_is_new_and_under_comparison_is_set_against_the_best(briefed):
    def first(known):
        return next((plan for plan in ALL if plan not in known), None)

    assert new_move(briefed(GAINS, (0, 0)), first, "why") == Move(((0, 1),), "why")
    assert new_move(briefed(GAINS, plans=2), first, "why").plans == ((0, 0), (0, 1))
    assert new_move(briefed(GAINS, ((0, 0), (1, 0)), plans=2), first, "why").plans == ((1, 0), (0, 1))


@pytest.mark.parametrize("plans", [1, 2])
def test_when_every_plan_is_known_the_best_one_ends_the_search(plans, briefed):
    rounds = ALL if plans == 1 else [(ALL[0], ALL[1]), (ALL[2], ALL[3])]
    move = new_move(briefed(GAINS, *rounds, plans=plans), lambda known: None, "why")
    assert move.finish and move.plans == ((0, 1),)


def test_where_there_is_but_one_plan_it_is_compared_with_itself(briefed):
    brief = briefed([[[3]], [[4]]], plans=2)
    move = new_move(brief, lambda known: None if (0,) in known else (0,), "why")
    assert move.plans == ((0,), (0,)) and checked_move(brief, move) == move


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (Move(((0, 0),)), "Meal 1: Option 1, Meal 2: Option 1 is known already"),
        (Move(((0, 1),), finish=True), "Meal 1: Option 1, Meal 2: Option 2 is not known yet; to stop"),
        (Move(((0, 1), (1, 1))), "plans: 2 given; expected 1"),
        (Move(((0, 2),)), "option 2 given; expected a whole number from 0 to 1"),
        (((0, 1),), "expected a Move"),
    ],
)
def test_a_move_that_is_not_allowed_is_refused_with_the_plan_in_words(move, said, briefed):
    with pytest.raises(InvalidInput, match=said):
        checked_move(briefed(GAINS, (0, 0)), move)


def test_under_comparison_the_first_plan_may_be_known_and_the_second_may_not(briefed):
    brief = briefed(GAINS, ((0, 0), (1, 0)), plans=2)
    for plans in (((1, 0), (0, 1)), ((1, 1), (0, 1))):
        assert checked_move(brief, Move(plans)).plans == plans
    with pytest.raises(InvalidInput, match="is known already"):
        checked_move(brief, Move(((0, 1), (1, 0))))
    with pytest.raises(InvalidInput, match="given twice; expected two different plans"):
        checked_move(brief, Move(((0, 1), (0, 1))))
    assert checked_move(brief, Move(((0, 0),), finish=True)).finish


def test_a_known_plan_is_allowed_when_no_other_is_left(briefed):
    assert checked_move(briefed(GAINS, *ALL), Move(((0, 0),))).plans == ((0, 0),)


def test_the_nameless_problem_keeps_the_names_and_tells_no_gain(briefed):
    table = briefed(GAINS).table
    assert nameless(table).words((0, 1)) == "Meal 1: Option 1, Meal 2: Option 2"
    assert not nameless(table).gains.any() and nameless(table).shape == table.shape
