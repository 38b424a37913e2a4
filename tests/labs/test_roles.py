"""A person leads a meeting, or judges plans: every question is answered in its fields, and what does not fit stays."""

import asyncio

import ipywidgets as w
import pytest

from support.errors import InvalidInput
from support.fair_decisions.problem import FEEDBACK
from support.labs.meeting import MeetingLab
from support.labs.plans import PlanningLab
from support.labs.roles import RoleForm

LEADS = {"interviewer": "human", "coordinator": "human", "evaluator": "human"}
WORDS = "I like most of this plan, the last part less."


@pytest.fixture
def forms(monkeypatch):
    """The forms for roles, in the order in which they were made."""
    made = []
    begin = RoleForm.__init__
    monkeypatch.setattr(RoleForm, "__init__", lambda self, *given: (begin(self, *given), made.append(self))[0])
    return made


def within(widget, kind):
    children = [found for child in getattr(widget, "children", ()) for found in within(child, kind)]
    return [widget, *children] if isinstance(widget, kind) else children


def played(lab, forms, fill):
    """Play to the end; `fill` fills the fields of each question. The status, and the phases that were asked."""
    phases = []

    async def run():
        task = asyncio.ensure_future(lab.advance(to_the_end=True))
        while not task.done():
            await asyncio.sleep(0)
            for form in [form for form in forms if form.waiting]:
                phases.append(form.waiting[0].phase)
                fill(form)
                form.send()

    asyncio.run(asyncio.wait_for(run(), 60))
    return lab.status.value, phases


def test_a_person_leads_a_whole_meeting_as_interviewer_coordinator_and_evaluator(store, forms):
    def fill(form):
        question, areas = form.waiting[0], within(form.asked, w.Textarea)
        if question.phase == "remark":
            areas[0].value = "" if question.view.turns else "When <b>does</b> it suit you?"
        if question.phase == "extract":
            areas[0].value = "mornings\nnot on Monday"
        if question.phase == "propose":
            assert "mornings; not on Monday" in form.asked.children[0].value
            for i, choice in enumerate(within(form.asked, w.Dropdown)):
                choice.index = 3 * i + 1
        if question.phase == "score":
            for i, mark in enumerate(within(form.asked, w.BoundedIntText)):
                mark.value = i % 4

    lab = MeetingLab(store, rounds=2, **LEADS)
    status, phases = played(lab, forms, fill)
    assert "Stored in" in status and set(phases) == {"remark", "extract", "propose", "score"}
    first, last = lab.finished
    assert first.options[0].start == last.options[0].start or len(last.options) == lab.settings["options"]
    assert [score.value for score in first.scores] == [i % 4 for i in range(len(first.scores))]
    assert "mornings" in str(first.conversations) and "When <b>does</b> it suit you?" in str(first.conversations)
    assert "lab.view  # a person is asked again" in lab.code


@pytest.mark.parametrize("feedback", [kind for kind in FEEDBACK if kind != "complete"])
def test_a_person_judges_plans_as_every_participant_and_sees_only_what_that_one_knows(store, forms, feedback):
    def fill(form):
        me, own, plans = form.waiting[0].view
        told = form.asked.children[0].value
        assert f"You are {me}." in told and all(f"worth {own.gains[j][k]} of" in told for j, k in enumerate(plans[0]))
        for area in within(form.asked, w.Textarea):
            area.value = WORDS
        for total in within(form.asked, w.BoundedIntText):
            total.value = own.totals(plans)[0]

    lab = PlanningLab(store, coordinator="local", seats="human", feedback=feedback, rounds=2, decisions=3, options=3)
    status, phases = played(lab, forms, fill)
    assert "Stored in" in status and set(phases) == {feedback} and len(phases) == 2 * len(lab.problem.participants)
    said = lab.finished[0].feedback
    assert all(answer.text == WORDS for answer in said) == ("words" in feedback)
    if feedback == "score":
        assert [answer.score for answer in said] == list(lab.finished[0].totals[0])


def test_an_answer_that_does_not_fit_stays_with_the_reason(store, forms):
    refused = []

    def fill(form):
        (area,) = within(form.asked, w.Textarea)
        if not refused:
            area.value = "It is worth 80 points to me."
            with pytest.raises(InvalidInput) as error:
                form.send()
            refused.append(str(error.value))
            assert area.value.startswith("It is worth") and form.waiting
        area.value = WORDS

    lab = PlanningLab(store, coordinator="local", seats="human", feedback="words", rounds=1, decisions=2, options=2)
    assert "Stored in" in played(lab, forms, fill)[0] and refused
