"""Voices and forms of dates: every act has words in every voice, and a date can be told from the others."""

import re
from datetime import date
from string import Formatter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.seminar.data import Persona, load_personas
from support.seminar.wordings import (
    ANY,
    FORMS,
    FRIEND,
    STARTING,
    VOICES,
    Voice,
    in_days,
    in_form,
    listed,
    ordinal,
    voice_of,
    wordings,
)

ANA = Persona("ana", "Ana Ray", "ana@example.org", "professor")
OCTOBER = [date(2027, 10, k) for k in (1, 2, 3, 5, 11, 12, 13, 22, 31)]
ACTS = sorted(set(wordings()) - {"issue", "about"})


@pytest.mark.parametrize("act", ACTS)
def test_every_act_has_several_wordings_in_every_voice(act):
    known = wordings()[act]
    assert set(known) in ({ANY}, set(VOICES))
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


def test_an_issue_that_the_wordings_do_not_know_is_told_in_its_own_words():
    other = Persona("b", "Bo", "b@example.org", "postdoc", issue="He needs a piano.", issue_kind="piano")
    assert "He needs a piano." in Voice(other, "Noor Halvard", np.random.default_rng(0)).issue(True)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("together", [True, False])
def test_every_form_holds_each_day_and_never_iso(form, together):
    text = listed(in_form(OCTOBER, form, together=together))
    assert [int(k) for k in re.findall(r"\d+", text)] == [d.day for d in OCTOBER]
    assert "2027" not in text and ("ct" in text) == (form != "the 13th")


def test_the_number_alone_is_not_used_where_another_date_has_it():
    voice = Voice(ANA, "Noor", np.random.default_rng(0))
    voice._form = "the 13th"
    twins = [date(2027, 10, 13), date(2027, 11, 13)]
    assert voice.dates(twins[:1], twins[:1]) == "the 13th"
    assert "October" in voice.dates(twins[:1], twins)


@given(st.integers(1, 31))
def test_ordinals_end_as_spoken(number):
    assert ordinal(number) in {f"{number}{e}" for e in ("st", "nd", "rd", "th")}
    assert (ordinal(number)[-2:] == "th") == (number in (11, 12, 13) or number % 10 not in (1, 2, 3))


def test_one_day_and_many_agree_with_their_verbs():
    for seed in range(40):
        voice = Voice(ANA, "Noor", np.random.default_rng(seed))
        one, two = voice.about("kept", OCTOBER[:1], []), voice.about("kept", OCTOBER[:2], [])
        assert " are " not in one and not re.search(r"\d\w* is ", two)


def test_the_five_voices_are_told_by_role_and_description():
    people = load_personas()
    voices = {name: voice_of(person) for name, person in people.items()}
    four = ("aurelio_brandvik", "ngozi_tarrant", "deepa_raghunandan", "jonas_felderhof", "sipho_ndlazi")
    assert tuple(voices[name] for name in four) == ("renowned", "junior", "finishing", FRIEND, STARTING)
    assert set(voices.values()) == set(VOICES)


def test_style_shows_in_the_letter():
    people = load_personas()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        assert Voice(people["jonas_felderhof"], "Noor Halvard", rng).letter(["I CAN."]).islower()
        assert Voice(people["aurelio_brandvik"], "Noor Halvard", rng).letter(["Fine."]).startswith("Fine.")


def test_durations_in_words():
    assert [in_days(k) for k in (1, 3, 7, 13)] == ["in a day", "in three days", "in a week", "in 13 days"]
