"""Every role is taken by a model's name.

Each model has the limits that its profile gives it.
"""

import asyncio

import numpy as np
import pytest

from support.fair_decisions.study import fair_decisions
from support.meetings.study import meeting_coordination
from support.models import serving
from support.models.calls import collected
from support.models.profiles import Profile
from support.models.stand_ins import stand_in
from support.roundtable.study import roundtable_exchange
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
