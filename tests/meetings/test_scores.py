"""Equations (1) to (5), by hand and as laws."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.meetings.preferences import Hours, Notice, Window
from support.meetings.scores import best, equity, pi, ratio, satisfied, score

FOR = Window(start="09:00", end="12:00")
AGAINST = Window(start="12:00", end="13:00", avoid=True)
TOLD = Notice(hours=24)
MUST = Window(start="09:00", end="17:00", priority=3)
HOURS = Hours(start="09:00", end="17:00")
Scored = st.dictionaries(
    st.sampled_from("abcde"), st.sampled_from([0, 1, 2, 3, None]), min_size=1
)


@pytest.mark.parametrize(
    ("met", "ours", "printed"),
    [
        ([], None, None),
        ([(FOR, True), (AGAINST, True)], 3, 3),
        ([(FOR, False), (AGAINST, True), (TOLD, True)], 0, 2),
        ([(FOR, True), (AGAINST, False)], 2, 2),
        ([(FOR, True), (AGAINST, False), (TOLD, False)], 1, 1),
        ([(FOR, True), (MUST, False)], 0, 2),
        ([(FOR, True), (HOURS, False)], 0, 3),
        ([(AGAINST, True)], 3, 3),
        ([(HOURS, True)], 3, None),
    ],
)
def test_pi_is_nothing_where_something_binding_is_broken_or_nothing_supports(
    met, ours, printed
):
    assert pi(met) == ours
    assert pi(met, printed=True) == printed


@given(Scored)
def test_the_gini_coefficient_follows_from_the_ratio_up_to_the_spread_of_the_satisfied(
    scores,
):
    """g = (1 - r) + r G+, and G+ of scores 1 to 3 is at most 2 - sqrt(3)."""
    g, r, above = equity(scores), ratio(scores), satisfied(scores)
    if not above:
        assert g == 1.0 or isnan(r)
        return
    spread = equity(above)
    assert g == pytest.approx((1 - r) + r * spread)
    assert 0 <= spread <= 2 - 3**0.5
    assert r - 1e-9 <= score(scores) <= 3 * r + 1e-9


@given(Scored, st.integers(1, 5))
def test_who_is_unknown_changes_no_metric(scores, more):
    fuller = {**scores, **{f"unknown {k}": None for k in range(more)}}
    for metric in (ratio, score, equity):
        assert metric(fuller) == pytest.approx(metric(scores), nan_ok=True)


def test_the_candidate_has_the_largest_ratio_then_score_then_comes_first():
    scores = {
        "O1": {"a": 3, "b": 3, "c": 0},
        "O2": {"a": 1, "b": 1, "c": 1},
        "O3": {"a": 2, "b": 1, "c": 1},
        "O4": {"a": 1, "b": 2, "c": 1},
    }
    assert best(scores) == "O3"
    assert best({"O1": {"a": None}}) is None
