"""When to meet: the search over all starts agrees with a loop that one would write."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.solvers.scheduling import (
    HORIZON,
    Block,
    SchedulingProblem,
    Wish,
    feasible_starts,
    merged,
    solve,
    values,
)

PEOPLE = ("Ana", "Ben", "Cem", "Dia")
DAY = ((540, 1020),)


def spans(most=240):
    return st.tuples(st.integers(0, 1500), st.integers(1, most)).map(
        lambda pair: (pair[0], pair[0] + pair[1])
    )


@st.composite
def problems(draw):
    person, parts = (
        st.sampled_from(PEOPLE),
        st.lists(spans(600), min_size=1, max_size=3).map(tuple),
    )
    blocks = draw(
        st.lists(
            st.tuples(spans(), st.sampled_from(["x", "y", "z"]), person), max_size=6
        )
    )
    return SchedulingProblem(
        duration=draw(st.integers(1, 120)),
        horizon=draw(parts),
        step=draw(st.sampled_from([1, 7, 15, 30])),
        required=("Ana", "Ben"),
        optional=(("Cem", draw(st.integers(1, 3))), ("Dia", 1)),
        blocks=tuple(Block(*span, label, who) for span, label, who in blocks),
        wishes=tuple(
            draw(
                st.lists(st.builds(Wish, parts, st.integers(1, 4), person), max_size=4)
            )
        ),
    )


def minutes_of(intervals):
    return {minute for low, high in intervals for minute in range(low, high)}


def values_minute_by_minute(problem):
    """The value of every allowed start: every minute of the meeting is looked at."""
    inside, taken = (
        minutes_of(problem.horizon),
        {p: minutes_of(problem.busy(p)) for p in PEOPLE},
    )
    wished = [(wish, minutes_of(wish.intervals)) for wish in problem.wishes]
    closed, found = set().union(*(taken[p] for p in problem.required)), {}
    for start in range(0, 2200, problem.step):
        meeting = set(range(start, start + problem.duration))
        if meeting <= inside - closed:
            here = {p: worth for p, worth in problem.optional if not meeting & taken[p]}
            held = [
                w.weight
                for w, when in wished
                if meeting <= when and w.person in (*problem.required, *here)
            ]
            found[start] = sum(here.values()) + sum(held)
    return found


@settings(max_examples=80)
@given(problems(), st.integers(1, 4), st.sampled_from([0, 1, 30, 100]))
def test_it_chooses_what_a_look_at_every_minute_chooses_or_says_what_conflicts(
    problem, k, spacing
):
    left, chosen = values_minute_by_minute(problem), []
    starts = feasible_starts(problem)
    assert (
        dict(zip(starts.tolist(), values(problem, starts).tolist(), strict=True))
        == left
    )
    while left and len(chosen) < k:
        chosen.append(max(left, key=lambda s: (left[s], -s)))
        left = {s: v for s, v in left.items() if abs(s - chosen[-1]) >= max(spacing, 1)}
    found, why = solve(problem, k, spacing)
    assert found == chosen and (why is None) == bool(chosen)
    assert solve(problem, k + 1, spacing)[0][:k] == found
    if (
        why is not None and why.start is not None
    ):  # it cannot be made smaller, and what is to drop frees its start
        assert not len(
            feasible_starts(without(problem, set(problem.hard) - set(why.labels)))
        )
        for label in why.labels:
            assert len(
                feasible_starts(
                    without(problem, set(problem.hard) - set(why.labels) | {label})
                )
            )
        assert why.start in feasible_starts(without(problem, set(why.drop)))


def without(problem, labels):
    return replace(
        problem,
        blocks=tuple(block for block in problem.blocks if block.label not in labels),
    )


def test_the_conflict_names_only_those_who_are_part_of_it_and_the_least_to_give_up():
    blocks = (
        Block(540, 800, "Ana's", "Ana"),
        Block(600, 630, "Ben's", "Ben"),
        Block(760, 1020, "Cem's", "Cem"),
    )
    starts, found = solve(
        SchedulingProblem(60, DAY, required=("Ana", "Ben", "Cem"), blocks=blocks)
    )
    assert (starts, found.labels, found.drop, found.start) == (
        [],
        ("Ana's", "Cem's"),
        ("Ana's",),
        540,
    )
    assert "because of: Ana's; Cem's. The least to give up: Ana's." in found.text
    starts, found = solve(SchedulingProblem(600, DAY))
    assert (starts, found.labels, found.start) == ([], (HORIZON,), None)


@pytest.mark.parametrize(
    "blocks", [(Block(30, 0, "b", "Ana"),), (Block(0, 30, "b", "Zoe"),)]
)
def test_intervals_that_end_before_they_begin_and_strangers_are_refused(blocks):
    with pytest.raises(InvalidInput):
        SchedulingProblem(60, DAY, required=("Ana",), blocks=blocks)


@given(st.lists(spans()))
def test_merging_keeps_every_minute_and_leaves_gaps_only(intervals):
    made = merged(intervals)
    assert minutes_of(made) == minutes_of(intervals)
    assert all(high < low for (_, high), (low, _) in pairwise(made))
