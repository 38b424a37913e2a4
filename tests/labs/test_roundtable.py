"""The round table's lab: a stop, the talk of one round, clicks that become a cell, and pieces of one's own in it."""

import asyncio

import pytest

from support.choice import RULES
from support.errors import InvalidInput
from support.labs.roundtable import RoundTableLab
from support.models.stand_ins import stand_in
from support.roundtable import negotiators, table
from support.roundtable.mechanism import Talk
from support.roundtable.records import Ballot, Message, Proposal, View
from support.roundtable.seats import ACTS


def test_a_stop_ends_after_the_round_at_hand_and_the_rest_is_played_later(store):
    async def run():
        lab = RoundTableLab(store, rounds=9)
        lab.start(to_the_end=True)
        while not lab.finished:
            await asyncio.sleep(0)
        lab.stop_button.click()
        await lab.task
        stopped = len(lab.finished)
        await lab.advance(to_the_end=True)
        return stopped, lab

    stopped, lab = asyncio.run(run())
    assert 1 <= stopped < 9 == len(lab.finished) == lab.progress.value
    lab.shown.value = "4"
    assert "Round 4" in lab.talk.value and "Round 5" not in lab.talk.value


def test_what_was_played_becomes_a_cell(store, repeats):
    lab = RoundTableLab(
        store, rule="ranked", agents=4, rounds=2, seats={"Dev": "linear"}
    )
    asyncio.run(lab.advance())
    repeats(lab, "rule='ranked'", "'Dev': 'linear'", "advance(rounds=1)", store=store)


class Blunt:
    """Says the same, proposes the same, votes for the first."""

    kind = "blunt"

    def __init__(self, me, rng):
        self.me = me

    async def message(self, view):
        return Message(self.me, (), "Mine.")

    async def propose(self, view):
        return Proposal(self.me, "tea")

    async def vote(self, view):
        return Ballot(self.me, view.candidates[0].id)


class Drink:
    """Two people choose what to drink."""

    agents, maximum = ("Ana", "Ben"), 2.0
    shape, reply = "a drink", str

    def task(self):
        return "What will you drink?"

    def validate(self, proposal):
        return str(proposal)

    def describe(self, value):
        return f"a pot of {value}"

    def utilities(self, value):
        return [1.0 if value == "tea" else 0.0] * 2

    def spec(self):
        return {"name": "drink"}

    def goal(self, me, shown):
        return "You like tea."

    def form(self):
        return 'a drink such as "tea"'


@pytest.fixture
def registered(monkeypatch, last):
    monkeypatch.setitem(RULES, "last", last)
    monkeypatch.setitem(negotiators.KINDS, "blunt", Blunt)
    monkeypatch.setitem(table.ENVIRONMENTS, "drink", lambda spec: Drink())


def test_what_is_registered_stands_in_the_menus_and_plays(registered, store, played):
    async def talk(lab):
        assert (
            "last" in lab.controls["rule"].options
            and "blunt" in lab.seats.children[0].options
        )
        assert lab.controls["environment"].options == ("exchange_economy", "drink")
        lab.controls["environment"].value, lab.controls["rule"].value = "drink", "last"
        assert (
            lab.kinds == {"Ana": "blunt", "Ben": "blunt"}
            and "preferences" not in lab.settings
        )
        await lab.advance(to_the_end=True)
        assert "environment='drink'" in lab.code and "a pot of tea" in lab.talk.value
        assert lab.draw().axes[1].texts[0].get_text() == "a pot of tea"

    lab = played(RoundTableLab, talk, rounds=2)
    [(unit, record)] = store.records(lab.sweep)
    assert record.rule == "last" and record.rounds[-1].decision.value == "tea"
    assert unit.settings["environment"] == "drink"
    lab.controls["environment"].value = "exchange_economy"
    assert set(lab.kinds.values()) == {"conceder"} and len(lab.kinds) == 3


def sat(lab, answers):
    """Play a lab to the end; its people answer by phase."""

    async def run():
        playing = asyncio.ensure_future(lab.advance(to_the_end=True))
        while not playing.done():
            await asyncio.sleep(0)
            for person in lab.persons.values():
                for question in person.waiting[:1]:
                    question.answer(answers[question.phase])
                    person.waiting.pop(0)

    asyncio.run(asyncio.wait_for(run(), 60))
    assert "Stored in" in lab.status.value


def test_people_sit_at_a_table_of_ones_own_and_answer_in_its_terms(registered, store):
    seats = {"Ana": "human", "Ben": "blunt"}
    settings = {"environment": "drink", "rule": "last"}
    lab = RoundTableLab(store, rounds=1, seats=seats, **settings)
    answers = {"message": {"message": "Mine."}, "propose": {"proposal": "milk"}}
    sat(lab, {**answers, "vote": {"vote": None}})
    assert {p.value for p in lab.finished[0].proposals} == {"milk", "tea"}


def test_a_misspelt_setting_is_refused(store):
    with pytest.raises(InvalidInput, match="'ruel'"):
        RoundTableLab(store, ruel="ranked")


def test_templates_of_ones_own_may_go_before_ours(store, tmp_path):
    (tmp_path / "roundtable").mkdir()
    (tmp_path / "roundtable" / "message.md.j2").write_text(
        "Say it in verse, {{ seat.me }}."
    )
    names = ("Ana", "Ben", "Cleo")
    lab = RoundTableLab(
        store,
        stand_in(seed=1),
        rounds=1,
        seats=dict.fromkeys(names, "model"),
        prompts=tmp_path,
    )
    asyncio.run(lab.advance())
    view = View("Ana", names, "majority", "vote", "", 1, 1, phase=Talk())
    assert "Say it in verse" in lab.people["Ana"].question(ACTS["message"], view)
    assert lab.settings["prompts"] == str(tmp_path) == lab.people["Ana"].prompts
    lab.controls["prompts"].value = "guided"
    assert lab.settings["prompts"] == "guided" and not lab.finished
