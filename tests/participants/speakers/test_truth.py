"""What is true of a simulated speaker is drawn once, and from the persona's numbers."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.seminar.data import Persona
from support.seminar.replies import CONDITIONAL, FIRM, LONGEST, NO, PERHAPS, TURNS, Truth

ANA = Persona("ana", "Ana Ray", "ana@example.org", "professor", share=0.6, vague=0.4, cancels=0.5)
SLOTS = tuple(date(2027, 9, 14) + timedelta(weeks=k) for k in range(400))


def truth(persona=ANA, seed=0, slots=SLOTS):
    return Truth(persona, slots, np.random.default_rng(seed))


def test_dates_suit_and_are_vague_as_often_as_the_persona_says():
    drawn = truth()
    moods = [drawn.mood(slot) for slot in SLOTS]
    assert np.mean([m != NO for m in moods]) == pytest.approx(0.6, abs=0.07)
    assert moods.count(PERHAPS) / (moods.count(PERHAPS) + moods.count(FIRM)) == pytest.approx(0.4, abs=0.08)


def test_a_vague_date_that_is_looked_up_stays_what_it_turned_out_to_be():
    drawn = truth()
    unsure = [slot for slot in SLOTS if drawn.mood(slot) == PERHAPS]
    kept = [slot for slot in unsure if drawn.settle(slot)]
    assert len(kept) / len(unsure) == pytest.approx(TURNS, abs=0.12)
    assert all(drawn.mood(slot) == (FIRM if slot in kept else NO) for slot in unsure)
    assert all(drawn.settle(slot) == (slot in kept) for slot in unsure)


@given(st.integers(0, 2**32), st.floats(0, 1), st.integers(0, 9))
def test_slower_or_vaguer_people_have_the_same_calendar(seed, vague, days):
    here, there = truth(seed=seed, slots=SLOTS[:9]), truth(replace(ANA, vague=vague, days=days), seed, SLOTS[:9])
    assert here.suiting(SLOTS[:9]) == there.suiting(SLOTS[:9])
    assert here.cancels_after == there.cancels_after


def test_a_date_that_nobody_knew_of_is_drawn_when_it_is_asked_for_and_kept():
    drawn, late = truth(slots=SLOTS[:4]), date(2028, 2, 1)
    first = drawn.mood(late)
    assert drawn.mood(late) == first and [drawn.mood(s) for s in SLOTS[:4]] == [truth().mood(s) for s in SLOTS[:4]]


def test_a_lost_date_does_not_suit_any_more():
    drawn = truth(replace(ANA, share=1.0))
    drawn.lose(SLOTS[0])
    assert SLOTS[0] not in drawn.suiting(SLOTS) and len(drawn.suiting(SLOTS)) == len(SLOTS) - 1


def test_who_cancels_does_so_as_often_as_the_persona_says_and_within_days():
    plans = [truth(seed=k, slots=()).cancels_after for k in range(400)]
    days = [plan for plan in plans if plan is not None]
    assert len(days) / 400 == pytest.approx(0.5, abs=0.08) and set(days) == set(range(1, LONGEST + 1))
    assert all(truth(replace(ANA, cancels=0.0), k, ()).cancels_after is None for k in range(50))


def test_only_who_has_an_issue_makes_conditions():
    assert not any(truth(seed=k, slots=()).conditional for k in range(30))
    drawn = [truth(replace(ANA, issue="She asks."), k, ()).conditional for k in range(200)]
    assert np.mean(drawn) == pytest.approx(CONDITIONAL, abs=0.1)
