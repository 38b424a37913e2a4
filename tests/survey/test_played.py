"""A meeting that was played becomes the scenario that respondents judge."""

import asyncio

import numpy as np
import pytest

from support.meetings.scenario import load_group
from support.meetings.study import meeting_coordination
from support.played import played
from support.survey.instruments import load

SURVEY = load("meeting_survey")


def test_the_members_of_a_run_are_the_groups_and_its_truth_is_the_fit():
    playing = meeting_coordination(np.random.default_rng(3), members=5, repetition=2)
    meeting, coordination = load_group(2, 5), asyncio.run(playing)
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
