"""A meeting that was played becomes the scenario that respondents judge."""

import asyncio

import numpy as np
import pytest

from support.meetings.scenario import load_group
from support.meetings.study import meeting_coordination
from support.played import played
from support.survey.instruments import load
from support.survey.respondents import sample

SURVEY = load("meeting_survey")


@pytest.fixture(scope="module")
def run():
    playing = meeting_coordination(np.random.default_rng(3), members=5, repetition=2)
    return load_group(2, 5), asyncio.run(playing)


def test_the_members_of_a_run_are_the_groups_and_its_truth_is_the_fit(run):
    meeting, coordination = run
    entry = coordination.rounds[-1]
    form = SURVEY.about(played(meeting, entry), "group 2")
    names = [member.name for member in form.scenario.members]
    assert names == list(coordination.members) and form.groups == tuple("ABCDE")
    for option, shown in zip(entry.options, form.scenario.options, strict=True):
        truth = [pi / 3 for pi in entry.audit[option.id].values()]
        assert list(shown.fit.values()) == pytest.approx(truth)
        about = [names[form.groups.index(reason.about)] for reason in shown.reasons]
        assert about == list(option.reasons)
    asked = form.items["options_reflect_members"].text
    assert "what the five members asked for" in form.wording(asked, "A")


def test_respondents_in_the_place_of_members_rate_by_what_is_true_for_each(run):
    meeting, coordination = run
    form = SURVEY.about(played(meeting, coordination.rounds[0]), "group 2")
    plans = [[(form, group)] for group in form.groups for _ in range(40)]
    found = asyncio.run(sample(plans, np.random.default_rng(1))).answers
    rated = found[found["item"] == "preferences_considered"]
    rated = rated.groupby("group")["answer"].mean()
    options = form.scenario.options
    truth = [np.mean([option.fit[group] for option in options]) for group in "ABCDE"]
    assert np.corrcoef(rated, truth)[0, 1] > 0.9
