"""The meeting's controls: a run by steps and to its end, what is refused, what a person may see, what is stored."""

import asyncio
import re

import pytest

from support.errors import CallFailed
from support.models.fakes import scripted
from support.widgets import chat, coordination
from support.widgets.coordination import SWEEP, CoordinationLab


@pytest.fixture(autouse=True)
def quick(monkeypatch, request):
    monkeypatch.setattr(chat, "SETTLE", 0)
    if "drawn" not in request.node.name:
        monkeypatch.setattr(coordination, "png", lambda figure: b"")
        monkeypatch.setattr(coordination, "draw_coordination", lambda *given: None)


def played(store, talk=None, **settings):
    """A lab whose run is played to the end, or by a talk."""

    async def run():
        lab = CoordinationLab(store, **settings)
        await (talk(lab) if talk else lab.advance(to_the_end=True))
        lab.restart()  # ends what still listens
        return lab

    return asyncio.run(run())


async def until(found):
    for _ in range(500):
        if found():
            return
        await asyncio.sleep(0.01)
    pytest.fail("nothing happened for five seconds")


def test_a_run_is_played_to_the_end_drawn_and_stored_with_its_settings(store):
    async def talk(lab):
        empty = lab.figure.value
        await lab.advance(to_the_end=True)
        assert "Stored in study.sqlite" in lab.status.value
        assert lab.figure.value != empty
        assert "Round 3" in lab.talk.value and lab.talk.value.index("Round 3") < lab.talk.value.index("Round 1")

    lab = played(store, talk, rounds=3, members=4)
    [(unit, run)] = store.records(SWEEP)
    assert len(run.rounds) == 3 and len(run.members) == 4 and run.rounds[-1].audit
    assert set(run.seats) == {*run.members, "interviewer", "coordinator", "evaluator"}
    assert f'"meeting": "{lab.meeting.value}"' in unit.text and run.meeting["id"] == lab.meeting.value


def test_a_run_step_by_step_is_the_run_to_the_end(store):
    async def steps(lab):
        for number in (1, 2):
            await lab.advance()
            assert len(lab.finished) == number and ("Stored" in lab.status.value) == (number == 2)

    played(store, steps, rounds=2)
    played(store, rounds=2)
    (_, first), (_, second) = store.records(SWEEP)
    assert first == second


@pytest.mark.parametrize(("members", "options"), [(3, 3), (3, 4), (4, 4)])
def test_as_many_options_as_members_are_refused_before_and_when_a_round_is_asked_for(store, members, options):
    async def talk(lab):
        told = f"expected 1 to {members - 1}, fewer than the {members} members"
        assert f"K = {options} given" in lab.status.value and told in lab.status.value
        await lab.advance()
        assert told in lab.status.value and lab.finished == []
        lab.options.value = 2
        await lab.advance()
        assert len(lab.finished) == 1, "a smaller K is enough to go on"

    played(store, talk, members=members, options=options)


def test_other_members_and_meetings_bring_their_own_seats(store):
    async def talk(lab):
        first = list(lab.kinds)
        lab.members.value = 5
        assert len(lab.kinds) == 5 == len(lab.scenario.members) and lab.kinds.keys() != first
        lab.meeting.value = lab.meeting.options[1][1]
        assert list(lab.kinds) == list(lab.scenario.members) == list(lab.scenario.meeting.members)

    played(store, talk)


def test_models_are_offered_when_there_is_one_only(store):
    async def none(lab):
        assert "model" not in lab.coordinator.options and "model" not in lab.seats.children[0].options

    async def some(lab):
        for control in (lab.coordinator, lab.interviewer, lab.evaluator, lab.seats.children[0]):
            assert "model" in control.options

    played(store, none)
    played(store, some, model=scripted([]))


def test_a_model_that_does_not_answer_stops_the_run_with_words(store):
    async def talk(lab):
        lab.interviewer.value = "model"
        await lab.advance()
        assert "CallFailed" not in lab.status.value and "endpoint is down" in lab.status.value

    played(store, talk, model=scripted(lambda _: CallFailed("the endpoint is down")))


def test_a_person_talks_and_agrees_and_sees_the_own_conversation_and_private_text_only(store):
    async def talk(lab):
        me = lab.seats.children[0].description
        lab.seats.children[0].value = "human"
        lab.start(to_the_end=True)
        await until(lambda: lab.forms.children)
        form = lab.chats[me]
        assert lab.scenario.private[me].texts[0][:20] in form.view.children[0].value.replace("&#x27;", "'")
        for answer in ("Between nine and eleven, please.", "No, that is all."):
            await until(lambda: form.question)
            form.field.value = answer
            await form.submit()
        await until(lambda: form.options.children)
        form.options.children[0].click()
        await until(lambda: "Stored" in lab.status.value)
        others = [c for r in lab.finished for c in r.conversations if c.member != me]
        assert "Between nine and eleven" in lab.talk.value
        heard = re.sub(r"\s+", " ", lab.talk.value)
        assert not any(f'own">{t.text}<' in heard for c in others for t in c.turns if t.speaker == c.member)
        assert "2 other conversations" in lab.talk.value

    played(store, talk, rounds=2)
    [(_, run)] = store.records(SWEEP)
    me = run.members[0]
    said = [t.text for t in run.rounds[0].conversations[0].turns if t.speaker == me]
    assert run.seats[me] == "human" and said[0] == "Between nine and eleven, please."
    assert run.rounds[1].conversations[0].agreed == run.rounds[0].options[0].id


def test_a_second_press_while_a_person_is_waited_for_starts_no_second_round(store):
    async def talk(lab):
        lab.seats.children[0].value = "human"
        lab.start(to_the_end=False)
        await until(lambda: lab.forms.children)
        first = lab.task
        lab.start(to_the_end=False)
        assert lab.task is first and "waits for the conversation" in lab.status.value

    played(store, talk)


def test_a_new_coordination_gives_up_the_one_at_hand(store):
    async def talk(lab):
        lab.seats.children[0].value = "human"
        lab.start(to_the_end=True)
        await until(lambda: lab.forms.children)
        lab.new_button.click()
        assert lab.task is None and lab.forms.children == () and lab.finished == []

    played(store, talk)
    assert store.sweeps() == []
