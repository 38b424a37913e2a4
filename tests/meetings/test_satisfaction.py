"""Laws of the scores of a meeting's option, equations (1) to (5)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.meetings.satisfaction import (
    candidate,
    equity,
    satisfaction_ratio,
    satisfaction_score,
    score,
)

SCORES = st.lists(st.integers(0, 3), min_size=1, max_size=8)
OPTIONS = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1, max_size=5)
)


@given(SCORES, st.integers(2, 50))
def test_property_equity_does_not_depend_on_the_scale(scores, factor):
    assert equity([factor * s for s in scores]) == pytest.approx(equity(scores))


@given(SCORES, st.randoms(use_true_random=False))
def test_property_no_metric_depends_on_who_is_who(scores, random):
    other = random.sample(scores, len(scores))
    for metric in (equity, satisfaction_ratio, satisfaction_score):
        assert metric(other) == pytest.approx(metric(scores))


@given(SCORES, st.integers(2, 6))
def test_property_equity_does_not_change_when_every_member_is_there_several_times(scores, times):
    assert equity(scores * times) == pytest.approx(equity(scores))


@given(SCORES)
def test_property_equity_as_printed_is_the_gini_coefficient_divided_by_n(scores):
    expected = 1.0 if not any(scores) else equity(scores) / len(scores)
    assert equity(scores, printed=True) == pytest.approx(expected)


def test_equity_as_printed_is_halved_when_every_member_is_there_twice():
    assert equity([3, 0, 0] * 2, printed=True) == pytest.approx(equity([3, 0, 0], printed=True) / 2)


@given(st.integers(2, 8).flatmap(lambda n: st.lists(st.integers(0, 3), min_size=n, max_size=n)))
def test_property_equity_as_printed_stays_below_its_ceiling(scores):
    n = len(scores)
    if any(scores):
        assert equity(scores, printed=True) <= (n - 1) / n**2 + 1e-12


def test_the_ceiling_for_five_members_is_0_16_where_table_1_prints_0_67():
    assert equity([3, 0, 0, 0, 0], printed=True) == pytest.approx(0.16)
    assert equity([1, 0, 0, 0, 0]) > 0.67


@given(SCORES)
def test_property_equity_is_the_mean_difference_over_twice_the_mean(scores):
    values = np.array(scores, dtype=float)
    if values.any():
        mean_difference = np.mean([abs(a - b) for a in values for b in values])
        assert equity(scores) == pytest.approx(mean_difference / (2 * values.mean()))


@given(SCORES)
def test_property_zeros_force_the_gini_coefficient_up(scores):
    assert 1 - satisfaction_ratio(scores) - 1e-12 <= equity(scores) <= 1


@given(SCORES)
def test_property_the_score_lies_between_the_ratio_and_three_times_the_ratio(scores):
    ratio, mean = satisfaction_ratio(scores), satisfaction_score(scores)
    assert ratio - 1e-12 <= mean <= 3 * ratio + 1e-12


@given(st.integers(1, 8))
def test_property_nobody_satisfied_is_an_equity_of_one_in_both_forms(n):
    assert satisfaction_ratio([0] * n) == 0
    assert equity([0] * n) == equity([0] * n, printed=True) == 1


@given(st.integers(1, 8), st.integers(1, 3))
def test_property_equal_scores_are_an_equity_of_zero(n, value):
    assert equity([value] * n) == 0


@given(st.integers(1, 20))
def test_property_a_score_never_falls_as_more_is_fulfilled(of):
    values = [score(k, of) for k in range(of + 1)]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (0, 3)


@given(st.integers(1, 20), st.data())
def test_property_a_score_says_which_share_is_fulfilled(of, data):
    k = data.draw(st.integers(0, of))
    expected = 0 if k == 0 else 3 if k == of else 2 if k / of >= 0.5 else 1
    assert score(k, of) == expected


@given(st.integers(1, 20))
def test_property_exactly_half_counts_as_two(half):
    assert score(half, 2 * half) == 2


def test_on_the_scale_of_the_printed_prompt_nobody_is_ever_unsatisfied():
    scores = [score(k, 4, lowest=1) for k in range(5)]
    assert scores == [1, 1, 2, 2, 3]
    assert satisfaction_ratio(scores) == 1


def test_a_member_of_whom_nothing_is_known_has_the_lowest_score():
    assert (score(0, 0), score(0, 0, lowest=1)) == (0, 1)


@given(OPTIONS)
def test_property_the_candidate_is_that_of_equation_4(rows):
    scores = {f"O{i}": row for i, row in enumerate(rows)}
    most = max(sum(s > 0 for s in row) for row in rows)
    best = max(sum(row) for row in rows if sum(s > 0 for s in row) == most)
    chosen = scores[candidate(scores)]
    assert (sum(s > 0 for s in chosen), sum(chosen)) == (most, best)


@given(OPTIONS)
def test_property_of_equal_options_the_first_is_the_candidate(rows):
    scores = {f"O{i}": row for i, row in enumerate(rows)}
    chosen = candidate(scores)
    again = {**scores, "late": scores[chosen]}
    assert candidate(again) == chosen


@pytest.mark.parametrize("wrong", [[], [1, -1], [1, float("nan")], [[1, 2], [0, 1]]])
def test_scores_that_are_none_are_refused(wrong):
    for metric in (equity, satisfaction_ratio, satisfaction_score):
        with pytest.raises(InvalidInput, match="expected one number of 0 or more for each member"):
            metric(wrong)
