"""A person leads a meeting, or judges plans: every question is answered in its fields, and what does not fit stays."""

import ipywidgets as w
import pytest

from support.errors import InvalidInput
from support.fair_decisions.problem import FEEDBACK
from support.labs.meeting import MeetingLab
from support.labs.plans import PlanningLab

LEADS = {"interviewer": "human", "coordinator": "human", "evaluator": "human"}
WORDS = "I like most of this plan, the last part less."


def test_a_person_leads_a_whole_meeting_as_interviewer_coordinator_and_evaluator(
    store, answered, within
):
    def fill(form, view):
        for area in within(form.asked, w.Textarea):
            asked = (
                "" if getattr(view, "turns", ()) else "When <b>does</b> it suit you?"
            )
            area.value = (
                "mornings\nnot on Monday" if "wishes" in area.description else asked
            )
        if "option 1" in [
            choice.description for choice in within(form.asked, w.Dropdown)
        ]:
            assert "mornings; not on Monday" in form.asked.children[0].value
            for i, choice in enumerate(within(form.asked, w.Dropdown)):
                choice.index = 3 * i + 1
        for i, mark in enumerate(within(form.asked, w.BoundedIntText)):
            mark.value = i % 4

    lab = MeetingLab(store, rounds=2, **LEADS)
    assert set(answered(lab, fill)) == {"remark", "extract", "propose", "score"}
    first, last = lab.finished
    assert (
        first.options[0].start == last.options[0].start
        or len(last.options) == lab.settings["options"]
    )
    assert [score.value for score in first.scores] == [
        i % 4 for i in range(len(first.scores))
    ]
    assert "mornings" in str(
        first.conversations
    ) and "When <b>does</b> it suit you?" in str(first.conversations)
    assert "lab.view  # a person is asked again" in lab.code


@pytest.mark.parametrize("feedback", [kind for kind in FEEDBACK if kind != "complete"])
def test_a_person_judges_plans_as_every_participant_and_sees_only_what_that_one_knows(
    store, answered, within, feedback
):
    def fill(form, view):
        me, own, plans = view
        told = form.asked.children[0].value
        assert f"You are {me}." in told and all(
            f"worth {own.gains[j][k]} of" in told for j, k in enumerate(plans[0])
        )
        for area in within(form.asked, w.Textarea):
            area.value = "It is worth 80 points to me."
            with pytest.raises(InvalidInput):
                form.send()
            assert (
                area.value.startswith("It is worth") and form.waiting[0].view is view
            ), "it stays"
            area.value = WORDS
        for total in within(form.asked, w.BoundedIntText):
            total.value = own.totals(plans)[0]

    lab = PlanningLab(
        store,
        coordinator="local",
        seats="human",
        feedback=feedback,
        rounds=2,
        decisions=3,
        options=3,
    )
    phases = answered(lab, fill)
    assert set(phases) == {feedback} and len(phases) == 2 * len(
        lab.problem.participants
    )
    said = lab.finished[0].feedback
    assert all(answer.text == WORDS for answer in said) == ("words" in feedback)
    if feedback == "score":
        assert [answer.score for answer in said] == list(lab.finished[0].totals[0])
