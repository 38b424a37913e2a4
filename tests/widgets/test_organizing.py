"""The rehearsal's controls: days by steps and to the end, what each setting does, what is stored and taken along."""

import asyncio

import numpy as np
import pytest

from support.errors import CallFailed
from support.labs import base as chat
from support.models.fakes import scripted
from support.seminar.artefacts import import_artefacts
from support.seminar.study import seminar
from support.widgets.organizing import lab as rehearsing
from support.widgets.organizing.lab import REHEARSAL, SWEEP, RehearsalLab

FIVE_DAYS = "Write again when five working days have gone by without an answer."


@pytest.fixture(autouse=True)
def quick(monkeypatch, request):
    monkeypatch.setattr(chat, "SETTLE", 0)
    if "drawn" not in request.node.name:
        monkeypatch.setattr(rehearsing, "png", lambda figure: b"")
        monkeypatch.setattr(rehearsing, "draw_rehearsal", lambda *given: None)


def played(store, talk=None, **settings):
    """A lab whose rehearsal is played to the end, or by a talk."""

    async def run():
        lab = RehearsalLab(store, **settings)
        await (talk(lab) if talk else lab.advance(to_the_end=True))
        told, lab.last_status = lab.status.value, lab.status.value
        lab.restart()  # ends what still listens
        lab.status.value = told
        return lab

    return asyncio.run(run())


async def until(found):
    for _ in range(500):
        if found():
            return
        await asyncio.sleep(0.005)
    pytest.fail("nothing happened for seconds")


def alone(store):
    [(unit, run)] = store.records(SWEEP)
    return unit, run


@pytest.mark.parametrize(("name", "seed"), [("four", 1), ("four", 7), ("series", 1)])
def test_a_rehearsal_is_that_of_the_study_with_its_seed_and_ends_when_that_does(store, name, seed):
    lab = played(store, scenario=name, seed=seed)
    unit, run = alone(store)
    same = asyncio.run(seminar(np.random.default_rng(seed), name))
    assert run.days == same.days and run.seats == same.seats and run.hooks == same.hooks
    assert "Stored in study.sqlite" in lab.last_status and f"after {len(run.days)} days" in lab.last_status
    assert f'"scenario": "{name}"' in unit.text and f'"seed": {seed}' in unit.text


def test_one_rehearsal_ends_before_its_deadline():
    same = asyncio.run(seminar(np.random.default_rng(1), "series"))
    assert len(same.days) < 33, "the test above needs one that ends because all is settled"


def test_a_rehearsal_is_played_by_days_drawn_and_stored_once(store):
    async def talk(lab):
        assert lab.figure.layout.display == "none" and lab.talk.value == ""
        assert lab.draw() is not None
        for number in (1, 2):
            before = lab.figure.value
            await lab.advance()
            assert len(lab.finished) == number and lab.figure.value != before
            assert ("Stored" in lab.status.value) == (number == 2)
        assert lab.talk.value.index("Day 2") < lab.talk.value.index("Day 1<")
        assert "Wed 15 Sep 2027" in lab.table.value and "open" in lab.table.value
        await lab.advance()

    played(store, talk, rounds=2)
    unit, run = alone(store)
    assert len(run.days) == 2 and '"until": 2' in unit.text


def test_a_policy_that_is_not_ticked_is_not_followed_and_not_in_the_record(store):
    async def talk(lab):
        lab.policies.ticks["begin"].value = False
        lab.policies.ticks["weekend"].value = True
        await lab.advance()

    played(store, talk, rounds=1)
    unit, run = alone(store)
    assert [name for name, _ in run.policies] == [
        "follow_up",
        "give_up",
        "ask_more",
        "vague",
        "faculty_first",
        "weekend",
    ]
    assert "begin" not in run.days[0].selected and '"policies": "follow_up' in unit.text


def test_selected_policies_stand_out_in_the_diary(store):
    async def talk(lab):
        await lab.advance()
        assert 'class="chip on"' in lab.talk.value and "✓ begin<" in lab.talk.value and "✓ vague" not in lab.talk.value

    played(store, talk)


def test_a_policy_of_ones_own_is_shown_as_it_is_understood_and_counts_until_it_is_removed(store):
    async def talk(lab):
        panel = lab.policies
        panel.ticks["follow_up"].value = False
        panel.field.value = FIVE_DAYS
        assert "follow_up" in panel.heard.value and "5 working days" in panel.heard.value
        panel.add_button.click()
        await until(lambda: panel.own)
        panel.field.value = "Be <script>kind</script>."
        assert "will not follow it" in panel.heard.value
        panel.add_button.click()
        await until(lambda: len(panel.own) == 2)
        assert panel.field.value == "" and len(panel.listed.children) == 2
        shown = panel.listed.children[1].children[1].value
        assert "<script>" not in shown and "&lt;script&gt;" in shown and "will not follow it" in shown
        panel.listed.children[1].children[0].click()
        await lab.advance()

    played(store, talk, rounds=1)
    _, run = alone(store)
    assert run.policies[-1] == ("own_1", FIVE_DAYS) and not any("kind" in text for _, text in run.policies)


def test_a_contradiction_is_told_in_the_status_and_nothing_is_lost(store):
    async def talk(lab):
        panel = lab.policies
        panel.field.value = FIVE_DAYS
        panel.add_button.click()
        await until(lambda: "contradicts" in panel.error.value)
        assert panel.field.value == FIVE_DAYS and panel.own == []
        panel.ticks["follow_up"].value = False
        panel.add_button.click()
        await until(lambda: panel.own)
        panel.ticks["follow_up"].value = True
        assert "contradicts" in lab.status.value and "follow_up" in lab.status.value
        await lab.advance()
        assert lab.finished == [] and "contradicts" in lab.status.value and panel.own and panel.ticks["follow_up"].value
        panel.ticks["follow_up"].value = False
        assert "contradicts" not in lab.status.value
        await lab.advance()
        assert len(lab.finished) == 1

    played(store, talk)


def test_settings_changed_in_a_rehearsal_hold_from_the_next_one_on(store):
    async def talk(lab):
        await lab.advance()
        lab.policies.ticks["begin"].value = False
        lab.setup.people.everybody.value = "slow"
        assert len(lab.finished) == 1 and "Begin anew" in lab.note.value
        await lab.advance()
        assert lab.organizing.policies[0][0] == "begin" and "rule-based slow" not in lab.organizing.seats.values()
        lab.new_button.click()
        assert lab.finished == [] and lab.note.value == ""
        await lab.advance()
        assert lab.organizing.policies[0][0] == "follow_up" and "rule-based slow" in lab.organizing.seats.values()

    played(store, talk)


def test_people_are_chosen_one_by_one_or_all_at_once(store):
    async def talk(lab):
        people = lab.setup.people
        lab.seats.children[0].value = "vague"
        assert people.everybody.value == "various" and people.unfold.layout.display == "none"
        people.everybody.value = "prompt"
        assert set(lab.kinds.values()) == {"prompt"} and len(lab.kinds) == 4
        lab.setup.scenario.value = "series"
        assert len(lab.kinds) == 23 and set(lab.kinds.values()) == {"prompt"} and lab.rounds.value == 33
        assert lab.seats.layout.display == "none"
        people.unfold.value = True
        assert lab.seats.layout.display == "grid"
        lab.setup.scenario.value = "four"
        lab.seats.children[1].value = "slow"
        await lab.advance()
        kinds = lab.organizing.seats
        assert kinds["Ngozi Tarrant"] == "rule-based slow" and kinds["Jonas Felderhof"] == "rule-based prompt"

    played(store, talk)


def test_delegation_is_set_one_by_one_or_all_at_once(store):
    async def talk(lab):
        panel = lab.setup.delegation
        assert set(panel.value.values()) == {"always ask"}
        panel.levels["plan"].value = "automatic"
        assert panel.everything.value == "various"
        panel.everything.value = "ask when flagged"
        assert set(panel.value.values()) == {"ask when flagged"}
        await lab.advance()
        assert lab.organizing.settings["delegation"]["plan"] == "ask when flagged"

    played(store, talk)


def test_models_are_offered_when_there_is_one_only(store):
    async def none(lab):
        offers = (lab.setup.organizer, lab.setup.detector, lab.seats.children[0], lab.setup.people.everybody)
        assert not any("model" in control.options for control in offers)

    async def some(lab):
        offers = (lab.setup.organizer, lab.setup.detector, lab.seats.children[0], lab.setup.people.everybody)
        assert all("model" in control.options for control in offers)

    played(store, none)
    played(store, some, model=scripted([]))


def test_a_model_that_does_not_answer_stops_the_rehearsal_with_words(store):
    async def talk(lab):
        lab.setup.organizer.value = "model"
        await lab.advance()
        assert "CallFailed" not in lab.status.value and "endpoint is down" in lab.status.value
        await lab.advance()
        assert "broke off before; press Begin anew" in lab.status.value

    played(store, talk, model=scripted(lambda _: CallFailed("the endpoint is down")))


def test_playing_turns_to_the_rehearsal(store):
    async def talk(lab):
        assert lab.tabs.selected_index != REHEARSAL
        lab.step_button.click()
        await until(lambda: lab.finished)
        assert lab.tabs.selected_index == REHEARSAL

    played(store, talk)


def test_artefacts_are_written_beside_the_store_and_carried_into_the_next_rehearsal(store):
    async def talk(lab):
        lab.policies.ticks["weekend"].value = True
        for _ in range(4):
            await lab.advance()
        flags = [flag for day in lab.finished for flag in day.flags]
        assert flags, "seed 1 asks something in four days"
        for number in (1, 2):
            lab.take.write_button.click()
            path = store.path.with_name(f"study_artefacts_{number}.yaml")
            assert str(path) in lab.status.value
        assert import_artefacts(path) == lab.artefacts
        assert [hook.question for hook in lab.artefacts.hooks] == [flag.question for flag in flags]
        assert "weekend" in {policy.id for policy in lab.artefacts.policies}
        lab.take.next.value = "panel"
        lab.take.carry_button.click()
        assert lab.finished == [] and lab.setup.scenario.value == "panel" and "stop hook" in lab.take.said.value
        await lab.advance()
        assert lab.organizing.scenario["id"] == "panel" and lab.organizing.hooks[: len(flags)] == lab.begun.hooks
        assert {hook.day for hook in lab.begun.hooks} == {0} and "weekend" in dict(lab.organizing.policies)
        lab.take.forget_button.click()
        lab.new_button.click()
        await lab.advance()
        assert lab.begun.hooks == () and "Nothing was brought" in lab.take.said.value

    played(store, talk)


def test_artefacts_whose_policies_contradict_each_other_are_not_written(store):
    async def talk(lab):
        panel = lab.policies
        panel.ticks["follow_up"].value = False
        panel.field.value = FIVE_DAYS
        panel.add_button.click()
        await until(lambda: panel.own)
        panel.ticks["follow_up"].value = True
        lab.take.write_button.click()
        assert "contradicts" in lab.status.value and not list(store.path.parent.glob("*.yaml"))

    played(store, talk)


class Letters:
    """An encoder that counts letters."""

    def __init__(self, *given):
        pass

    def encode(self, texts):
        counted = np.array([[text.casefold().count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for text in texts], float)
        return counted / np.linalg.norm(counted, axis=1, keepdims=True)


def asked(lab, question):
    lab.log.field.value, lab.log.error.value, lab.log.answer.value = question, "", ""
    lab.log.button.click()
    return until(lambda: "convene-diary" in lab.log.answer.value or lab.log.error.value)


def test_a_question_about_the_mails_is_answered_with_the_mails_that_it_rests_on(store, monkeypatch):
    monkeypatch.setattr("support.analysis.embeddings.Encoder", Letters)

    async def talk(lab):
        await asked(lab, "What did we write to Tarrant last?")
        assert "play a day first" in lab.log.error.value
        await lab.advance()
        await asked(lab, "What did we write to Tarrant last?")
        assert "invitation to Ngozi Tarrant" in lab.log.answer.value and lab.log.error.value == ""
        assert "Felderhof" not in lab.log.answer.value
        await asked(lab, "Is there anything about a hall?")
        assert lab.log.answer.value.count('<details class="mail') == 3
        lab.restart()
        assert lab.log.answer.value == ""

    played(store, talk)


def test_an_encoder_without_its_weights_says_so(store, monkeypatch):
    from support.errors import MissingData

    class Bare(Letters):
        def encode(self, texts):
            raise MissingData("the weights of the encoder are not there; make models fetches them")

    monkeypatch.setattr("support.analysis.embeddings.Encoder", Bare)

    async def talk(lab):
        await lab.advance()
        await asked(lab, "Is there anything about a hall?")
        assert "weights of the encoder are not there" in lab.log.error.value and lab.log.answer.value == ""

    played(store, talk)


def test_a_connected_model_answers_questions(store):
    async def talk(lab):
        await lab.advance()
        await asked(lab, "Whom did we ask?")
        assert "Four <b>people" not in lab.log.answer.value and "Four &lt;b&gt;people" in lab.log.answer.value
        assert "model" in lab.log.answer.value and lab.log.answer.value.count('<details class="mail') == 1

    played(store, talk, model=scripted(['{"answer": "Four <b>people</b>.", "mails": [2]}']))
