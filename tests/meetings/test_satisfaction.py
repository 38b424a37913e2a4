"""Laws of the scores of a meeting's option, equations (1) to (5)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.meetings.satisfaction import candidate, equity, satisfaction_ratio, satisfaction_score, score

SCORES = st.lists(st.integers(0, 3), min_size=1, max_size=8)
METRICS = (equity, satisfaction_ratio, satisfaction_score)
OPTIONS = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1, max_size=5)
)


@given(SCORES, st.integers(2, 50), st.randoms(use_true_random=False))
def test_property_equity_depends_on_neither_scale_nor_size_and_no_metric_on_who_is_who(scores, factor, random):
    assert equity([factor * s for s in scores]) == pytest.approx(equity(scores))
    assert equity(scores * 3) == pytest.approx(equity(scores))
    other = random.sample(scores, len(scores))
    assert [m(other) for m in METRICS] == pytest.approx([m(scores) for m in METRICS])


@given(SCORES)
def test_property_equity_is_the_mean_difference_over_twice_the_mean_and_as_printed_divided_by_n(scores):
    values, n = np.array(scores, dtype=float), len(scores)
    printed = equity(scores, printed=True)
    if not values.any():
        assert equity(scores) == printed == 1 and satisfaction_ratio(scores) == 0
        return
    mean_difference = np.mean([abs(a - b) for a in values for b in values])
    assert equity(scores) == pytest.approx(mean_difference / (2 * values.mean()))
    assert printed == pytest.approx(equity(scores) / n) and printed <= (n - 1) / n**2 + 1e-12


def test_the_ceiling_for_five_members_is_0_16_where_table_1_prints_0_67():
    assert equity([3, 0, 0, 0, 0], printed=True) == pytest.approx(0.16)
    assert equity([1, 0, 0, 0, 0]) > 0.67 and equity([2] * 5) == 0


@given(SCORES)
def test_property_the_three_measures_bound_each_other(scores):
    ratio, mean = satisfaction_ratio(scores), satisfaction_score(scores)
    assert 1 - ratio - 1e-12 <= equity(scores) <= 1
    assert ratio - 1e-12 <= mean <= 3 * ratio + 1e-12


@given(st.integers(1, 20), st.data())
def test_property_a_score_says_which_share_is_fulfilled_and_exactly_half_counts_as_two(of, data):
    k = data.draw(st.integers(0, of))
    assert score(k, of) == (0 if k == 0 else 3 if k == of else 2 if k / of >= 0.5 else 1)
    assert [score(k, of) for k in range(of + 1)] == sorted(score(k, of) for k in range(of + 1))


@given(OPTIONS)
def test_property_the_candidate_is_that_of_equation_4_and_of_equal_options_the_first(rows):
    scores = {f"O{i}": row for i, row in enumerate(rows)}
    most = max(sum(s > 0 for s in row) for row in rows)
    best = max(sum(row) for row in rows if sum(s > 0 for s in row) == most)
    chosen = candidate(scores)
    assert (sum(s > 0 for s in scores[chosen]), sum(scores[chosen])) == (most, best)
    assert candidate({**scores, "late": scores[chosen]}) == chosen
