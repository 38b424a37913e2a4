"""Every role is taken by a model's name.

Each model has the limits that its profile gives it.
"""

import asyncio

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
from support.roundtable.mechanism import Talk
from support.roundtable.records import View
from support.roundtable.seats import seat_all
from support.roundtable.study import roundtable_exchange
from support.seminar.acts import ORGANIZER, seat_detector
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

    def made(name):
        asked.append(name)
        return stand_in(name=name, profile=Profile(name="wide"))

    with serving(make=made):
        yield asked


def played(study, **settings):
    with collected() as calls:
        record = asyncio.run(study(np.random.default_rng(1), **settings))
    return record, {call.model for call in calls}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_taken_by_the_model_whose_name_is_given(role, names):
    study, settings, where = ROLES[role]
    name = "a@http://h/v1"
    given = settings | {where: f"model:{name}", "model": "b"}
    record, asked = played(study, **given)
    assert {*names} == asked == {name}
    assert f"model:{name}" in record.seats.values()


def test_models_and_rules_sit_at_one_table(names):
    given = {"Ana": "model", "Ben": "model:b", "Cleo": "linear"}
    told = {"rule": "majority", "rounds": 1, "seats": given, "model": "c"}
    record, asked = played(roundtable_exchange, **told)
    assert list(record.seats.values()) == ["model:c", "model:b", "linear"]
    assert asked == {"b", "c"}


def test_whoever_takes_a_model_takes_its_name(names):
    said = {"run": [1], "round": [1], "sender": ["Ana"], "text": ["Hello."]}
    who = LanguageModelAnnotator("model:chat")
    assert asyncio.run(who.label(pd.DataFrame(said)))[0]
    assert (who.name, names) == ("model chat", ["chat"])
    organizer = ORGANIZER.seat("model:x", np.random.default_rng(0))
    assert organizer.kind == "model:x"
    assert seat_detector("model:y").kind == "model:y"


NAMES = ("Ana", "Ben", "Cleo")
VIEW = View("Ana", NAMES, "majority", "vote", "most votes win", 1, 10, phase=Talk())


def seated(model, **settings):
    economy = exchange_economy("asymmetric", 2)
    kinds, rng = ["model", "linear"], np.random.default_rng(0)
    return seat_all(economy, kinds, rng, model=model, **settings)["Ana"]


@pytest.mark.parametrize(
    ("prompts", "limit"), [("plain", ""), ("guided", "in at most 50 words.")]
)
def test_only_guided_prompts_tell_a_model_how_much_to_say(prompts, limit):
    heard = []

    def reply(messages):
        heard.append(messages[-1]["content"])
        return {"target": ["Ben"], "message": "x" * 3000}

    profile = Profile(name="m", limits=Limits(message=400))
    speaker = seated(scripted(reply, profile=profile), prompts=prompts)
    assert len(asyncio.run(speaker.message(VIEW)).text) == 3000
    assert limit in heard[0] and bool(limit) == ("words" in heard[0])


def test_what_a_tight_model_is_not_told_stands_in_the_call():
    speaker = seated(scripted([{"target": ["Ben"], "message": "hi"}]))
    assert speaker.shown.text("x" * 500, 400).endswith(" […]")
    assert speaker.shown.last([1, 2, 3], 2, "mails") == [2, 3]
    with collected() as calls:
        asyncio.run(speaker.message(VIEW))
    [cut] = [call.cut for call in calls]
    assert cut == "400 of 500 characters of a text; 2 of 3 mails"
