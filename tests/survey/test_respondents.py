"""Respondents: traits do as they say, models answer in the form, people may refuse."""

import asyncio
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.user_study import POINTS, collected, questionnaires
from support.models.stand_ins import scripted
from support.seats import Spoken
from support.survey.instruments import check_form, load
from support.survey.respondents import (
    RESPONDENT,
    Persona,
    RuleBased,
    draw_persona,
    filled_in,
    sample,
)

SURVEY, INTERVIEW = load("meeting_survey"), load("administrator_interview")
OWN, ALL = "preferences_considered", "options_reflect_members"


def rng(seed=1):
    return np.random.default_rng(seed)


def filled(persona, group="A", seed=0, instrument=SURVEY):
    return asyncio.run(filled_in(RuleBased(persona, rng(seed)), instrument, group))


@given(seed=st.integers(0, 2**32))
@settings(max_examples=10)
def test_property_whatever_is_drawn_fits_the_form_that_people_fill_in(seed):
    for instrument in (SURVEY, INTERVIEW):
        gates = {name: i.passes for name, i in instrument.items.items() if i.passes}
        persona, group = draw_persona(rng(seed)), instrument.groups[-1]
        answers = filled(persona, group, seed, instrument)
        assert check_form(instrument, answers | gates).items() >= answers.items()


def test_traits_and_truth_move_ratings_as_they_say():
    def mean(item, group="A", **traits):
        persona = Persona(**traits)
        return np.mean([filled(persona, group, seed)[item] for seed in range(40)])

    assert mean(OWN, leniency=-1.0) < mean(OWN) - 0.4
    assert mean(ALL, acquiescence=1.0) > mean(ALL) + 0.4
    fits = [option.fit for option in SURVEY.scenario.options]
    truth = {group: sum(fit[group] for fit in fits) for group in "ABC"}
    said = {group: mean(OWN, group, best=0.0) for group in "ABC"}
    assert sorted("ABC", key=truth.get) == sorted("ABC", key=said.get)


def test_what_is_planted_over_time_is_found_and_the_same_seed_gives_the_same():
    plan = [(form, form.groups[0]) for form in questionnaires()]
    found, again = (asyncio.run(sample([plan] * 60, rng())) for _ in range(2))
    assert found.answers.equals(again.answers) and not found.missing
    comfort = collected(found.answers, "ai_comfort")
    kind = comfort["construct"].str.partition(":")[0]
    at = comfort.pivot_table("answer", kind, "point")
    rise = at[POINTS[2]] - at[POINTS[0]]
    assert 0.5 < rise["comfort"] < 1.05 and abs(rise["alignment"]) < 0.25


# ---- by a model

REPLIES = [
    {
        "role": "sales",
        "experience": 2,
        "meeting_size": 2,
        "meetings_per_day": 2,
        "uses": [1, 1, 3],
        "uses_other": "",
    },
    {OWN: 4, "reasons_acceptable": 3, "reasons_why": "Short."},
    {"preferences_considered_all": 4, "reasons_acceptable_all": 3, ALL: 2},
    {
        "options_wanted_3": 2,
        "options_wanted_5": 3,
        "confidence": 5,
        "confidence_why": "",
        "feedback": "",
    },
]


def test_a_model_reads_its_own_part_its_earlier_answers_and_no_truth():
    heard = []

    def answer(messages):
        heard.append([message["content"] for message in messages])
        return REPLIES[len(heard) - 1]

    spoken = Spoken(scripted(answer))
    seat = RESPONDENT.seat("model", rng(), Persona(attention=0.95), spoken)
    answers = asyncio.run(filled_in(seat, SURVEY, "B"))
    assert answers["uses"] == [1, 3], "a box that is ticked twice is ticked"
    briefing, *said = heard[-1]
    assert "Pavel Lindqvist" in briefing and "read closely" in briefing
    assert len(said) == 7 and json.loads(said[3]) == REPLIES[1]
    for member in SURVEY.scenario.members:
        for wish in member.wishes:  # part 1 shows one's own, part 2 those of all
            assert (wish in said[2]) == (member.group == "B") and wish in said[4]
    assert not [text for text in heard[-1] if "sound" in text or "fit" in text.split()]


def test_a_reply_that_does_not_fit_goes_back_and_who_never_fits_is_missing():
    wrong = [REPLIES[0] | {"experience": 9}, REPLIES[0] | {"role": "me@example.org"}]
    spoken = Spoken(scripted([*wrong, *REPLIES, *wrong, wrong[0]]))
    plans = [[(SURVEY, "A")]]
    found = asyncio.run(sample(plans, rng(), "model", spoken))
    assert found.answers.set_index("item").loc["role", "text"] == "sales"
    lost = asyncio.run(sample(plans, rng(), "model", spoken))
    assert lost.answers.empty and "experience" in lost.missing["respondent 1"]


# ---- by a person


@pytest.mark.parametrize(("consents", "pages"), [(1, 6), (0, 3)])
def test_a_person_is_asked_for_consent_and_a_refusal_ends_the_form(consents, pages):
    first = {name: next(iter(i.choices), "") for name, i in SURVEY.items.items()}
    first |= {"uses": [], "consent": consents}
    seat = RESPONDENT.person("Ana")

    async def answering():
        for _ in range(pages):
            question = await seat.questions.get()
            assert "JSON" not in question.text
            question.answer({name: first[name] for name in question.form.model_fields})

    async def both():
        return await asyncio.gather(filled_in(seat, SURVEY, "B"), answering())

    answers, _ = asyncio.run(both())
    assert ("confidence" in answers) == bool(consents)
