"""Simulated respondents of several points: the planted truth is there, one code each, the same seed the same forms."""

import asyncio
import json

import numpy as np
import pytest

from support.analysis.user_study.points import POINTS, collected, questionnaires
from support.answers import AnswerBook
from support.errors import InvalidInput
from support.instruments import load
from support.models.fakes import scripted
from support.participants.respondents import Persona
from support.participants.respondents.repeated import RepeatedRespondent, simulate_repeated


def answers(book, name="ai_comfort", n=60, seed=1, **more):
    asyncio.run(simulate_repeated(questionnaires(), book, n, np.random.default_rng(seed), **more))
    return collected(book, name, "simulated: rule-based")


def rise(frame, begins):
    part = frame[frame["construct"].str.startswith(begins)].groupby("point")["answer"].mean()
    return part[POINTS[2]] - part[POINTS[0]]


def test_comfort_rises_by_the_gain_and_wishes_do_not(book):
    frame = answers(book)
    assert 0.5 < rise(frame, "comfort") < 1.05  # twice a half, less what is not read or cut off
    assert abs(rise(frame, "alignment")) < 0.25


def test_without_a_gain_nothing_rises(book):
    assert abs(rise(answers(book, gain=0.0), "comfort")) < 0.2


def test_reliance_goes_with_control_and_not_with_workload(book):
    frame = answers(book, "system_perception")
    wide = frame.pivot(index=["respondent", "point"], columns="item", values="answer").corr("spearman")["reliance"]
    assert wide["user_control"] > 0.3 > wide["mental_demand"] - wide["overall"]
    assert wide["user_control"] > wide["daily_plan"]


def test_the_same_seed_gives_the_same_forms(tmp_path):
    one, two, other = (AnswerBook(tmp_path / f"{i}.sqlite") for i in range(3))
    first, second, third = answers(one, n=2), answers(two, n=2), answers(other, n=2, seed=2)
    assert first.equals(second) and not first["answer"].equals(third["answer"])
    for each in (one, two, other):
        each.close()


def test_what_is_expected_is_what_the_docstring_says():
    seat = RepeatedRespondent(Persona(leniency=0.5), np.random.default_rng(0), POINTS, gain=0.4)
    assert seat.expected("comfort: sending", POINTS[2]) == pytest.approx(4 + 0.5 + 0.8)
    assert seat.expected("workload", POINTS[2]) == 4.5
    assert seat.expected("reliance", POINTS[1]) == pytest.approx(4.5 + 0.4 + seat.trait)
    with pytest.raises(InvalidInput, match=r"point: 'later' given; .* before session 1, after session 1"):
        seat.expected("workload", "later")


def test_a_form_of_several_groups_and_nobody_are_refused(book):
    with pytest.raises(InvalidInput, match="meeting_survey"):
        asyncio.run(simulate_repeated([load("meeting_survey")], book, 1, np.random.default_rng(0)))
    with pytest.raises(InvalidInput, match="n: 0"):
        asyncio.run(simulate_repeated(questionnaires(), book, 0, np.random.default_rng(0)))


def test_a_model_fills_in_every_form_knows_the_point_and_is_named(book):
    heard = []

    def reply(messages):
        heard.append(messages[0]["content"])
        asked = [line.split('"')[1] for line in messages[-1]["content"].splitlines() if line.startswith('- "')]
        return json.dumps({item: "" if item.endswith("_why") else 6 for item in asked})

    [code] = asyncio.run(
        simulate_repeated(questionnaires(), book, 1, np.random.default_rng(0), scripted(reply, name="tiny"))
    )
    assert set(collected(book, "system_perception", "simulated: tiny")["answer"]) == {6.0}
    assert book.forms()["respondent"].tolist() == [code] * 5
    assert all(any(point in text for text in heard) for point in POINTS)


def test_answers_are_rounded_to_the_nearest_step_of_a_normal_noise():
    seat = RepeatedRespondent(Persona(leniency=0.0, attention=1.0), np.random.default_rng(0), POINTS)
    form = questionnaires()[0]
    item = form.items["wants_alignment"]
    given = [seat._answer(item, None, POINTS[0], []) for _ in range(3000)]
    assert np.mean(given) == pytest.approx(4.0, abs=0.06)
    assert np.std(given) == pytest.approx(np.sqrt(0.8**2 + 1 / 12), abs=0.05)
