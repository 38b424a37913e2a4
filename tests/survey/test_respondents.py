"""Respondents: traits do what their docstrings say, models answer in the form, people are asked for their consent."""

import asyncio
import hashlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import seats
from support.analysis.user_study import POINTS, collected, questionnaires
from support.errors import InvalidInput, MalformedReply
from support.models.stand_ins import scripted
from support.seats import Spoken
from support.survey import respondents
from support.survey.instruments import INSTRUMENTS, check_form, load
from support.survey.respondents import (
    RESPONDENT,
    Persona,
    RuleBased,
    filled_in,
    simulate,
    simulate_repeated,
)

SURVEY = load("meeting_survey")
SECTIONS = {section.id: section for section in SURVEY.sections}
OWN, ALL = "preferences_considered", "options_reflect_members"


def rng(seed=1):
    return np.random.default_rng(seed)


def filled(persona, group="A", seed=0, instrument=SURVEY):
    return asyncio.run(filled_in(RuleBased(persona, rng(seed)), instrument, group))


# ---- by rule


@given(seed=st.integers(0, 2**32))
@settings(max_examples=10)
def test_whatever_is_drawn_fits_the_instrument(seed):
    for instrument in map(load, INSTRUMENTS):
        answers = filled(
            respondents.draw_persona(rng(seed)), instrument.groups[-1], seed, instrument
        )
        asked = {
            item.id
            for section in instrument.asked
            for item in section.items
            if item.required
        }
        assert asked <= {cell.item.id for cell in check_form(instrument, answers)}


def test_traits_and_truth_move_ratings_as_they_say():
    def mean(item, group="A", **traits):
        return np.mean(
            [filled(Persona(**traits), group, seed)[item] for seed in range(40)]
        )

    assert all(
        mean(item, "B", leniency=1.0) > mean(item, "B") + 0.4 for item in (OWN, ALL)
    )
    assert mean(ALL, acquiescence=1.0) > mean(ALL) + 0.4 and mean(
        OWN, acquiescence=1.0
    ) == mean(OWN)
    fits = {
        group: np.mean([option.fit[group] for option in SURVEY.scenario.options])
        for group in SURVEY.groups
    }
    assert sorted(fits, key=fits.get) == sorted(
        fits, key=lambda group: mean(OWN, group, best=0)
    )


def test_simulate_fills_every_group_the_same_seed_gives_the_same_forms_and_no_person_appears(
    book,
):
    codes = asyncio.run(simulate(SURVEY, book, 4, rng(2)))
    forms, frame = book.forms(), book.frame(None)
    assert forms["respondent"].tolist() == codes and forms["group"].tolist() == [
        g for g in "ABC" for _ in range(4)
    ]
    assert set(forms["source"]) == {"simulated: rule-based"} and book.frame().empty
    said = frame.drop(columns="respondent").to_csv(index=False)
    assert hashlib.sha256(said.encode()).hexdigest().startswith("56d3a8f7")


# ---- at several points in time


def test_what_is_planted_is_found(book):
    asyncio.run(simulate_repeated(questionnaires(), book, 60, rng()))

    def rise(form, begins):
        frame = collected(book, form, "simulated: rule-based")
        part = (
            frame[frame["construct"].str.startswith(begins)]
            .groupby("point")["answer"]
            .mean()
        )
        return part[POINTS[2]] - part[POINTS[0]]

    assert (
        0.5 < rise("ai_comfort", "comfort") < 1.05
    )  # twice a half, less what is not read or cut off
    assert abs(rise("ai_comfort", "alignment")) < 0.25
    frame = collected(book, "system_perception", "simulated: rule-based")
    wide = frame.pivot(
        index=["respondent", "point"], columns="item", values="answer"
    ).corr("spearman")["reliance"]
    assert wide["user_control"] > 0.3 > wide["mental_demand"] - wide["overall"]


def test_a_sample_that_cannot_be_asked_is_refused(book):
    for play, message in (
        (simulate(SURVEY, book, 0, rng()), "a whole number from 1 up"),
        (
            simulate_repeated([SURVEY], book, 1, rng()),
            "meeting_survey has several groups",
        ),
        (simulate(SURVEY, book, 1, rng(), seats="human"), "nobody is here to answer"),
    ):
        with pytest.raises(InvalidInput, match=message):
            asyncio.run(play)


# ---- by a model

REPLIES = {
    "intake": {"role": "sales", "experience": 2, "meeting_size": 2, "meetings_per_day": 2, "uses": [1, 1, 3],
               "uses_other": ""},
    "part_1": {"preferences_considered": 4, "reasons_acceptable": 3, "reasons_why": "Short."},
    "part_2": {"preferences_considered_all": 4, "reasons_acceptable_all": 3, "options_reflect_members": 2},
    "part_3": {"options_wanted_3": 2, "options_wanted_5": 3, "confidence": 5, "confidence_why": "", "feedback": ""},
}  # fmt: skip


def answer(messages, heard=None):
    """Reply to the section that was asked last."""
    asked = next(
        m["content"]
        for m in reversed(messages)
        if m["role"] == "user" and m["content"].startswith("# ")
    )
    if heard is not None:
        heard.append([message["content"] for message in messages])
    return next(
        REPLIES[name] for name, section in SECTIONS.items() if section.title in asked
    )


def by_model(reply, persona, group):
    seat = RESPONDENT.seat("model", rng(), persona, Spoken(scripted(reply)))
    return asyncio.run(filled_in(seat, SURVEY, group)), seat.model


def test_a_model_reads_its_own_part_its_earlier_answers_and_no_truth():
    heard, group = [], "B"
    answers, _ = by_model(
        lambda messages: answer(messages, heard), Persona(attention=0.95), group
    )
    assert answers["uses"] == [1, 3], "a box that is ticked twice is ticked"
    briefing, *said = heard[-1]
    assert SURVEY.scenario.member(group).name in briefing and "read closely" in briefing
    assert len(said) == 7 and json.loads(said[3]) == REPLIES["part_1"]
    for member in (
        SURVEY.scenario.members
    ):  # part 1 shows one's own wishes only, part 2 those of all
        assert all(
            (wish in said[2]) == (member.group == group) and wish in said[4]
            for wish in member.wishes
        )
    assert not [text for text in heard[-1] if "sound" in text or "fit" in text.split()]


def test_a_reply_outside_the_scale_or_with_an_address_goes_back_to_the_model():
    wrong = [
        {**REPLIES["intake"], "experience": 9},
        {**REPLIES["intake"], "role": "me@example.org"},
    ]
    answers, model = by_model([*wrong, *REPLIES.values()], Persona(), "A")
    assert answers["role"] == "sales" and (model.calls, model.live_calls) == (4, 6)


def test_forms_before_a_failure_are_kept_under_the_models_name_and_the_failure_is_told(
    book,
):
    model = scripted(
        lambda m: "no JSON" if "part of Rosa Imani" in m[0]["content"] else answer(m),
        name="tiny",
    )
    with pytest.raises(MalformedReply):
        asyncio.run(simulate(SURVEY, book, 2, rng(), model))
    assert book.forms()[["group", "source"]].values.tolist() == [
        [g, "simulated: tiny"] for g in "AABB"
    ]


# ---- by a person


@pytest.mark.parametrize("consents", [True, False])
def test_a_person_answers_page_by_page_is_asked_for_consent_and_is_kept_as_people(
    book, consents
):
    interview = load("administrator_interview")
    gate = [section.kind for section in interview.sections].index("consent")

    def given(item):
        if item.passes is not None:
            return item.passes if consents or item.id != "consent" else 0
        choice = item.choices[0].value if item.choices else None
        return {"text": "Words.", "number": item.low, "multiple": [choice]}.get(
            item.kind, choice
        )

    async def asked():
        questions = asyncio.Queue()
        with seats.people(questions):
            play = asyncio.ensure_future(
                simulate(interview, book, 1, rng(), seats="human")
            )
            for section in interview.sections[: None if consents else gate + 1]:
                question = await asyncio.wait_for(questions.get(), 5)
                with pytest.raises(InvalidInput, match="no answer to"):
                    question.answer({})
                question.answer({item.id: given(item) for item in section.items})
            return await play

    codes = asyncio.run(asked())
    assert len(codes) == consents == len(book.frame()["respondent"].unique())
    assert book.refusals()["reason"].tolist() == ["no consent"] * (1 - consents)
