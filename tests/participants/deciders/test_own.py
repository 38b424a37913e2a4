"""What participants share: gains that fit, totals, satisfaction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from support.environments.fair_decisions.views import PREFERENCES
from support.errors import InvalidInput
from support.participants.deciders.own import check_asked, own_gains, satisfaction

SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 6))


@given(SHAPES.flatmap(lambda shape: arrays(int, shape, elements=st.integers(0, 100))), st.sampled_from(PREFERENCES))
def test_a_larger_gain_never_satisfies_less_and_equal_gains_satisfy_alike(gains, preferences):
    felt = satisfaction(gains, preferences)
    assert ((felt >= 0) & (felt <= 1)).all()
    for row, own in zip(gains, felt, strict=True):
        order = np.argsort(row, kind="stable")
        assert (np.diff(own[order]) >= -1e-12).all()
        assert (own[order][1:] == own[order][:-1])[np.diff(row[order]) == 0].all()


@pytest.mark.parametrize("m", [2, 3, 7])
def test_an_equal_share_is_halfway_and_all_points_are_the_top(m):
    assert satisfaction(np.full((1, m), 10), "scores") == pytest.approx(0.5)
    assert satisfaction(np.eye(m, dtype=int)[:1] * 100, "scores")[0].tolist() == [1.0] + [0.0] * (m - 1)


def test_ranks_satisfy_in_equal_steps_whatever_the_numbers_that_rank():
    assert satisfaction(np.array([[4, 1, 2, 3]]), "rankings") == pytest.approx(np.array([[3, 0, 1, 2]]) / 3)
    assert satisfaction(np.array([[9, 9, 0]]), "rankings").tolist() == [[0.75, 0.75, 0.0]]


def test_counts_satisfy_by_their_place_in_the_decisions_range():
    assert satisfaction(np.array([[10, 20, 15], [3, 3, 3]]), "counts").tolist() == [[0, 1, 0.5], [0.5] * 3]


@pytest.mark.parametrize("preferences", PREFERENCES)
def test_where_nothing_can_be_chosen_nothing_is_better_or_worse(preferences):
    assert satisfaction(np.array([[100], [0]]), preferences).tolist() == [[0.5], [0.5]]


@pytest.mark.parametrize(
    ("name", "gains", "message"),
    [
        ("Cleo", np.ones((3, 3), int), "'Cleo' given; expected one of Ana, Ben"),
        ("Ana", np.ones((2, 3), int), r"shape \(2, 3\) given"),
        ("Ana", np.full((3, 3), 0.5), "float64 values"),
        ("Ana", np.full((3, 3), -1), "0 or more"),
    ],
)
def test_gains_that_do_not_fit_the_table_are_refused(sit, name, gains, message):
    with pytest.raises(InvalidInput, match=message):
        own_gains(name, sit(), gains)
    with pytest.raises(InvalidInput, match="'tastes' given; expected one of scores"):
        own_gains("Ana", sit(preferences="tastes"), np.ones((3, 3), int))


def test_own_gains_are_a_copy_that_cannot_be_changed(sit):
    given = np.ones((3, 3), int)
    own = own_gains("Ana", sit(), given)
    given[0, 0] = 9
    assert own[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        own[0, 0] = 2


@pytest.mark.parametrize(
    ("plans", "feedback", "message"),
    [
        ([(0, 0, 0)], "complete", "'complete' given; expected one of score, words, comparison"),
        ([(0, 0, 0)], "comparison", "1 given; expected 2"),
        ([(0, 0, 0), (0, 0, 1)], "words", "2 given; expected 1"),
        ([(0, 0)], "score", "each of 3 decisions"),
        ([(0, 0, 3)], "score", "an option below 3"),
        ([(0, 0, -1)], "score", "an option below 3"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(sit, plans, feedback, message):
    with pytest.raises(InvalidInput, match=message):
        check_asked(plans, feedback, sit())
