"""Laws of the scores of a meeting's option, equations (1) to (5)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.meetings.satisfaction import (
    candidate,
    equity,
    satisfaction_ratio,
    satisfaction_score,
    score,
)

SCORES = st.lists(st.integers(0, 3), min_size=1, max_size=8)
OPTIONS = st.integers(1, 5).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1, max_size=5
    )
)


@given(SCORES)
def test_property_equity_is_the_mean_difference_over_twice_the_mean_and_bounds_the_others(
    scores,
):
    values, n = np.array(scores, dtype=float), len(scores)
    ratio, mean, printed = (
        satisfaction_ratio(scores),
        satisfaction_score(scores),
        equity(scores, printed=True),
    )
    assert (
        1 - ratio - 1e-12 <= equity(scores) <= 1
        and ratio - 1e-12 <= mean <= 3 * ratio + 1e-12
    )
    if values.any():
        mean_difference = np.mean([abs(a - b) for a in values for b in values])
        assert (
            equity(scores)
            == pytest.approx(mean_difference / (2 * mean))
            == pytest.approx(n * printed)
        )


def test_the_ceiling_for_five_members_is_0_16_where_table_1_prints_0_67():
    assert equity([3, 0, 0, 0, 0], printed=True) == pytest.approx(0.16)
    assert (
        equity([1, 0, 0, 0, 0]) > 0.67 and equity([2] * 5) == 0 and equity([0] * 5) == 1
    )


def test_exactly_half_counts_as_two_and_nothing_as_the_lowest():
    assert [score(k, 4) for k in range(5)] == [0, 1, 2, 2, 3] and score(
        0, 0, lowest=1
    ) == 1


@given(OPTIONS)
def test_property_the_candidate_is_that_of_equation_4_and_of_equal_options_the_first(
    rows,
):
    scores = {f"O{i}": row for i, row in enumerate(rows)}
    most = max(sum(s > 0 for s in row) for row in rows)
    best = max(sum(row) for row in rows if sum(s > 0 for s in row) == most)
    chosen = candidate(scores)
    assert (sum(s > 0 for s in scores[chosen]), sum(scores[chosen])) == (most, best)
    assert candidate({**scores, "late": scores[chosen]}) == chosen
