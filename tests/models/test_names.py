"""Every role is taken by a model's name, and each model has the limits that its profile gives it."""

import asyncio
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from support.analysis.annotators import LanguageModelAnnotator
from support.fair_decisions.study import fair_decisions
from support.meetings.study import meeting_coordination
from support.models import serving
from support.models.calls import collected
from support.models.profiles import Limits, Profile
from support.models.stand_ins import scripted, stand_in
from support.roundtable.economy import exchange_economy
from support.roundtable.records import View
from support.roundtable.seats import seat_all
from support.roundtable.study import roundtable_exchange
from support.seminar.organizer_seat import ORGANIZER
from support.seminar.seats import seat_detector
from support.seminar.study import seminar

ONE = {"rounds": 1, "decisions": 3, "feedback": "words"}
ROLES = {
    "negotiator": (roundtable_exchange, {"rule": "majority", "rounds": 1}, "seats"),
    "member": (meeting_coordination, {"rounds": 1}, "seats"),
    "interviewer": (meeting_coordination, {"rounds": 1}, "interviewer"),
    "coordinator": (meeting_coordination, {"rounds": 1}, "coordinator"),
    "evaluator": (meeting_coordination, {"rounds": 1}, "evaluator"),
    "decider": (fair_decisions, ONE, "seats"),
    "planner": (fair_decisions, {**ONE, "feedback": "score"}, "coordinator"),
    "estimator": (fair_decisions, ONE, "estimator"),
    "speaker": (seminar, {"until": 2}, "seats"),
    "organizer": (seminar, {"until": 1}, "organizer"),
    "detector": (seminar, {"until": 4, "seats": "prompt"}, "detector"),
}


@pytest.fixture
def names():
    """The names that are asked for; each is a model that draws its replies."""
    asked = []
    with serving(
        make=lambda name: (
            asked.append(name) or stand_in(name=name, profile=Profile(name="wide"))
        )
    ):
        yield asked


def played(study, **settings):
    with collected() as calls:
        record = asyncio.run(study(np.random.default_rng(1), **settings))
    return record, {call.model for call in calls}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_taken_by_the_model_whose_name_is_given(role, names):
    study, settings, where = ROLES[role]
    record, asked = played(
        study, **settings, **{where: "model:a@http://h/v1"}, model="b"
    )
    assert (
        {n.partition("@")[0] for n in names}
        == {"a"}
        == {n.partition("@")[0] for n in asked}
    )
    assert any(seat.startswith("model:a") for seat in record.seats.values())


def test_models_and_rules_sit_at_one_table_and_whoever_takes_a_model_takes_its_name(
    names,
):
    given = {"Ana": "model", "Ben": "model:b", "Cleo": "linear"}
    record, asked = played(
        roundtable_exchange, rule="majority", rounds=1, seats=given, model="c"
    )
    assert list(record.seats.values()) == [
        "model:c",
        "model:b",
        "linear",
    ] and asked == {"b", "c"}
    names.clear()
    frame = pd.DataFrame(
        {"run": [1], "round": [1], "sender": ["Ana"], "text": ["Hello."]}
    )
    who = LanguageModelAnnotator("model:chat")
    assert asyncio.run(who.label(frame))[0] and (who.name, names) == (
        "model chat",
        ["chat"],
    )
    seats = (
        ORGANIZER.seat("model:x", np.random.default_rng(0)),
        seat_detector("model:y"),
    )
    assert [seat.kind for seat in seats] == ["model:x", "model:y"]


VIEW = View("Ana", ("Ana", "Ben", "Cleo"), "majority", "vote", "most votes win", 1, 10)


@pytest.mark.parametrize(
    ("limits", "length", "kept"),
    [(Limits(), 1200, True), (Limits(message=400), 401, False)],
)
def test_a_model_is_told_its_limits_and_held_to_them(limits, length, kept):
    economy, heard = exchange_economy("asymmetric", 2), []
    reply = {"target": ["Ben"], "message": "x" * length}
    model = scripted(
        lambda messages: heard.append(messages) or reply,
        profile=Profile(name="m", limits=limits),
    )
    speaker = seat_all(
        economy, ["model", "linear"], np.random.default_rng(0), model=model
    )["Ana"]
    with (
        nullcontext()
        if kept
        else pytest.raises(Exception, match="MessageReply in 3 attempts")
    ):
        assert asyncio.run(speaker.message(VIEW)).text == "x" * length
    assert f"in at most {limits.message // 8} words." in heard[0][-1]["content"]


def test_what_a_tight_model_is_not_told_stands_in_the_call():
    model = scripted([{"target": ["Ben"], "message": "hi"}])
    speaker = seat_all(
        exchange_economy("asymmetric", 2),
        "model",
        np.random.default_rng(0),
        model=model,
    )["Ana"]
    shown = speaker.shown
    assert shown.text("x" * 500, 400).endswith(" […]") and shown.last(
        [1, 2, 3], 2, "mails"
    ) == [2, 3]
    with collected() as calls:
        asyncio.run(speaker.message(VIEW))
    assert [call.cut for call in calls] == [
        "400 of 500 characters of a text; 2 of 3 mails"
    ]
