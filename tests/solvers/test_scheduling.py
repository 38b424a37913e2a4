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
    conflict,
    feasible_starts,
    merged,
    solve,
)

PEOPLE = ("Ana", "Ben", "Cem", "Dia")
DAY = ((540, 1020),)
MORNING = Wish(((540, 720),), 2, "a morning")


def spans(most=240):
    return st.tuples(st.integers(0, 1500), st.integers(1, most)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@st.composite
def problems(draw):
    people = ["", *PEOPLE]
    blocks = draw(st.lists(st.tuples(spans(), st.sampled_from(["x", "y", "z"]), st.sampled_from(people)), max_size=6))
    wishes = st.builds(
        Wish,
        st.lists(spans(600), min_size=1, max_size=3).map(tuple),
        st.integers(1, 4),
        st.sampled_from(["u", "v", "w"]),
        st.sampled_from(people),
        st.booleans(),
    )
    return SchedulingProblem(
        duration=draw(st.integers(1, 120)),
        horizon=tuple(draw(st.lists(spans(600), min_size=1, max_size=3))),
        step=draw(st.sampled_from([1, 7, 15, 30])),
        required=("Ana", "Ben"),
        optional=(("Cem", draw(st.integers(1, 3))), ("Dia", 1)),
        blocks=tuple(Block(*span, label, person) for span, label, person in blocks),
        wishes=tuple(draw(st.lists(wishes, max_size=4))),
    )


def minutes_of(intervals):
    return {minute for low, high in intervals for minute in range(low, high)}


def values_minute_by_minute(problem):
    """The value of every allowed start: every minute of the meeting is looked at."""
    inside, taken = minutes_of(problem.horizon), {p: minutes_of(problem.busy(p)) for p in ("", *PEOPLE)}
    wished = [(wish, minutes_of(wish.intervals)) for wish in problem.wishes]
    closed, values = set().union(*(taken[p] for p in ("", *problem.required))), {}
    for start in range(0, 2200, problem.step):
        meeting = set(range(start, start + problem.duration))
        if meeting <= inside - closed:
            here = {p: worth for p, worth in problem.optional if not meeting & taken[p]}
            held = [w.weight for w, when in wished if (meeting <= when if w.wanted else not meeting & when)
                    and w.person in ("", *problem.required, *here)]  # fmt: skip
            values[start] = sum(here.values()) + sum(held)
    return values


def by_hand(problem, k, spacing):
    left, chosen = values_minute_by_minute(problem), []
    while left and len(chosen) < k:
        best = max(left, key=lambda s: (left[s], -s))
        chosen.append((best, left[best]))
        left = {s: v for s, v in left.items() if abs(s - best) >= max(spacing, 1)}
    return chosen


@settings(max_examples=80, deadline=None)
@given(problems(), st.integers(1, 4), st.sampled_from([0, 1, 30, 100]))
def test_it_chooses_what_a_look_at_every_minute_chooses(problem, k, spacing):
    found = solve(problem, k, spacing)
    assert [(slot.start, slot.value) for slot in found.slots] == by_hand(problem, k, spacing)
    assert (found.conflict is None) == bool(found.slots)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_the_conflict_cannot_be_made_smaller_and_what_is_to_drop_frees_its_start(problem):
    found = conflict(problem)
    if found is None or found.start is None:
        return
    assert not len(feasible_starts(without(problem, set(problem.hard) - set(found.labels))))
    for label in found.labels:
        rest = set(found.labels) - {label}
        assert len(feasible_starts(without(problem, set(problem.hard) - rest)))
    assert found.start in feasible_starts(without(problem, set(found.drop)))


def without(problem, labels):
    return replace(problem, blocks=tuple(block for block in problem.blocks if block.label not in labels))


@settings(max_examples=40, deadline=None)
@given(problems(), st.integers(1, 3), st.sampled_from([0, 60]))
def test_the_slots_for_k_are_the_first_of_those_for_one_more(problem, k, spacing):
    assert solve(problem, k + 1, spacing).slots[:k] == solve(problem, k, spacing).slots


# -- one thing at a time ----------------------------------------------------------------------------------------------


def test_the_earliest_of_equal_starts_is_taken():
    assert solve(SchedulingProblem(60, DAY, blocks=(Block(500, 601, "early"),))).best.start == 630


def test_a_wish_moves_the_meeting_and_is_named():
    late = SchedulingProblem(
        60, DAY, wishes=(Wish(((900, 1020),), 1, "late"), Wish(((930, 990),), 1, "no tea", "", False))
    )
    best = solve(late).best
    assert (best.start, best.value, best.held, best.broken) == (540, 1, ("no tea",), ("late",))
    heavier = SchedulingProblem(60, DAY, wishes=(Wish(((900, 1020),), 2, "late"), *late.wishes[1:]))
    assert (solve(heavier).best.start, solve(heavier).best.broken) == (900, ("no tea",))


def test_an_optional_person_who_is_worth_less_than_a_wish_is_left_out_with_all_wishes():
    problem = SchedulingProblem(
        60, DAY, required=("Ana",), optional=(("Ben", 1),),
        blocks=(Block(540, 800, "Ben's calendar", "Ben"),),
        wishes=(MORNING, Wish(((540, 600),), 1, "Ben likes nine", "Ben")),
    )  # fmt: skip
    best = solve(problem).best
    assert (best.start, best.value, best.attends, best.held, best.broken) == (540, 2, ("Ana",), ("a morning",), ())


def test_slots_keep_their_distance_and_the_best_is_among_them():
    slots = solve(SchedulingProblem(60, DAY, wishes=(MORNING,)), k=3, spacing=180).slots
    assert [slot.start for slot in slots] == [540, 720, 900]
    assert [slot.value for slot in slots] == [2, 0, 0]


def test_there_are_fewer_slots_where_the_distance_leaves_no_more():
    assert len(solve(SchedulingProblem(60, DAY), k=9, spacing=300).slots) == 2


def test_touching_parts_of_the_horizon_are_one():
    assert solve(SchedulingProblem(60, ((540, 570), (570, 600)))).best.start == 540


def test_the_conflict_names_only_those_who_are_part_of_it_and_the_least_to_give_up():
    problem = SchedulingProblem(
        60, DAY, required=("Ana", "Ben", "Cem"),
        blocks=(
            Block(540, 800, "Ana's calendar", "Ana"),
            Block(600, 630, "Ben's calendar", "Ben"),
            Block(760, 1020, "Cem's calendar", "Cem"),
        ),
    )  # fmt: skip
    found = solve(problem)
    assert found.best is None
    assert found.conflict.labels == ("Ana's calendar", "Cem's calendar")
    assert (found.conflict.drop, found.conflict.start) == (("Ana's calendar",), 540)
    assert "because of: Ana's calendar; Cem's calendar." in found.conflict.text
    assert "give up: Ana's calendar." in found.conflict.text


def test_a_meeting_longer_than_the_allowed_hours_says_so():
    found = solve(SchedulingProblem(600, DAY)).conflict
    assert (found.labels, found.start) == ((HORIZON,), None)
    assert "Shorten it, or widen the hours." in found.text


def test_minutes_since_1970_fit():
    origin = 29_000_000
    problem = SchedulingProblem(
        30, ((origin, origin + 480),), step=5, wishes=(Wish(((origin + 60, origin + 90),), 10**6, "w"),)
    )
    assert solve(problem).best.start == origin + 60


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"duration": 0}, "duration: 0 given; expected a whole number from 1"),
        ({"duration": True}, "duration: True"),
        ({"step": 2.5}, "step: 2.5 given"),
        ({"horizon": ()}, "horizon: no interval"),
        ({"horizon": ((60, 60),)}, r"horizon: \(60, 60\) ends before it begins"),
        ({"required": ("Ana", "Ana")}, r"\['Ana'\] given; name everybody once"),
        ({"required": ("Ana",), "optional": (("Ana", 1),)}, "name everybody once"),
        ({"optional": (("Ana", 0),)}, "weight of Ana: 0 given"),
        ({"blocks": (Block(0, 30, "b", "Zoe"),)}, "'Zoe' is not invited"),
        ({"blocks": (Block(30, 0, "b"),)}, "'b': .* ends before"),
        ({"wishes": (Wish(((0, 30),), 0, "w"),)}, "weight of 'w': 0 given"),
        ({"wishes": (Wish((), 1, "w"),)}, "'w': no interval"),
        ({"wishes": (Wish(((0, 30),), 1, "w", "Zoe"),)}, "'Zoe' is not invited"),
    ],
)
def test_a_field_that_does_not_fit_is_named(fields, said):
    with pytest.raises(InvalidInput, match=said):
        SchedulingProblem(**{"duration": 60, "horizon": DAY, **fields})


@pytest.mark.parametrize("request_", [{"k": 0}, {"k": 1.0}, {"spacing": -1}])
def test_a_request_that_makes_no_sense_is_refused(request_):
    with pytest.raises(InvalidInput, match=next(iter(request_))):
        solve(SchedulingProblem(60, DAY), **request_)


@given(st.lists(spans()))
def test_merging_keeps_every_minute_and_leaves_gaps_only(intervals):
    made = merged(intervals)
    assert minutes_of(made) == minutes_of(intervals)
    assert all(high < low for (_, high), (low, _) in pairwise(made))
