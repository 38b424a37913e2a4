"""What is true of a simulated speaker is drawn once, from the persona's numbers; and how each of them words it."""

import re
from dataclasses import replace
from datetime import date, timedelta
from string import Formatter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.seminar.data import Persona, load_personas
from support.seminar.replies import CONDITIONAL, FIRM, LONGEST, NO, PERHAPS, TURNS, Truth
from support.seminar.wordings import (
    FORMS,
    VOICES,
    Voice,
    in_form,
    listed,
    wordings,
)

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


def test_who_cancels_does_so_as_often_as_the_persona_says_and_within_days():
    plans = [truth(seed=k, slots=()).cancels_after for k in range(400)]
    days = [plan for plan in plans if plan is not None]
    assert len(days) / 400 == pytest.approx(0.5, abs=0.08) and set(days) == set(range(1, LONGEST + 1))
    assert all(truth(replace(ANA, cancels=0.0), k, ()).cancels_after is None for k in range(50))


def test_only_who_has_an_issue_makes_conditions():
    assert not any(truth(seed=k, slots=()).conditional for k in range(30))
    drawn = [truth(replace(ANA, issue="She asks."), k, ()).conditional for k in range(200)]
    assert np.mean(drawn) == pytest.approx(CONDITIONAL, abs=0.1)


PLAIN = Persona("ana", "Ana Ray", "ana@example.org", "professor")


OCTOBER = [date(2027, 10, k) for k in (1, 2, 3, 5, 11, 12, 13, 22, 31)]


ACTS = sorted(set(wordings()) - {"issue", "about"})


@pytest.mark.parametrize("act", ACTS)
def test_every_act_has_several_wordings_in_every_voice(act):
    known = wordings()[act]
    assert set(known) in ({"any"}, set(VOICES))
    assert all(len(set(texts)) >= 3 for texts in known.values())


def test_no_gap_of_a_wording_is_unknown():
    slots = {"dates", "maybe", "month", "wait", "first", "full", "issue", "name", "me", "initials"}
    slots |= {"be", "dont", "have"}
    texts = [t for act in ACTS for texts in wordings()[act].values() for t in texts]
    assert {name for text in texts for _, name, _, _ in Formatter().parse(text) if name} <= slots


def test_no_wording_names_a_date_of_its_own():
    texts = [t for act in ACTS for texts in wordings()[act].values() for t in texts]
    assert not [text for text in texts if re.search(r"\d", text)]


def test_every_issue_of_the_personas_can_be_raised_both_ways_and_is_recognised_in_an_answer():
    kinds = {p.issue_kind for p in load_personas().values() if p.issue_kind}
    assert kinds <= set(wordings()["issue"]) and set(wordings()["issue"]) == set(wordings()["about"])
    for texts in wordings()["issue"].values():
        assert all("?" in text for text in texts["ask"] + texts["only"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("together", [True, False])
def test_every_form_holds_each_day_and_never_iso(form, together):
    text = listed(in_form(OCTOBER, form, together=together))
    assert [int(k) for k in re.findall(r"\d+", text)] == [d.day for d in OCTOBER]
    assert "2027" not in text and ("ct" in text) == (form != "the 13th")


def test_the_number_alone_is_not_used_where_another_date_has_it():
    voice = Voice(PLAIN, "Noor", np.random.default_rng(0))
    voice._form = "the 13th"
    twins = [date(2027, 10, 13), date(2027, 11, 13)]
    assert voice.dates(twins[:1], twins[:1]) == "the 13th"
    assert "October" in voice.dates(twins[:1], twins)
