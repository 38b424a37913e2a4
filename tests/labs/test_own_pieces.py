"""A rule, an agent, an environment and templates of one's own come into the round table's menus, and are played."""

import asyncio
import json

import ipywidgets as w
import pytest

from support.choice import RULES, Rule
from support.labs.roundtable import RoundTableLab
from support.models.fakes import stand_in
from support.roundtable import negotiators, table
from support.roundtable.records import Ballot, Message, Proposal
from support.roundtable.seats import ACTS


class Borda(Rule):
    """Places count down."""

    name, form, explanation = "borda", "ranking", "Order all proposals."

    def weights(self, places):
        return range(places, 0, -1)


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
        first, *others = [candidate.id for candidate in view.candidates]
        return Ballot(self.me, (first, *others) if view.form == "ranking" else first)


class Drink:
    """Two people choose what to drink."""

    agents, maximum = ("Ana", "Ben"), 2.0

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
def registered(monkeypatch):
    monkeypatch.setitem(RULES, "borda", Borda())
    monkeypatch.setitem(negotiators.KINDS, "blunt", Blunt)
    monkeypatch.setitem(table.ENVIRONMENTS, "drink", lambda spec: Drink())


def test_what_is_registered_stands_in_the_menus_and_plays(registered, store):
    async def run():
        lab = RoundTableLab(store, rounds=2)
        assert "borda" in lab.controls["rule"].options and "blunt" in lab.seats.children[0].options
        assert lab.controls["environment"].options == ("exchange_economy", "drink")
        lab.controls["environment"].value, lab.controls["rule"].value = "drink", "borda"
        assert lab.kinds == {"Ana": "blunt", "Ben": "blunt"} and "preferences" not in lab.settings
        await lab.advance(to_the_end=True)
        return lab

    lab = asyncio.run(run())
    [(unit, record)] = store.records(lab.sweep)
    assert record.rule == "borda" and record.rounds[-1].decision.value == "tea"
    assert unit.settings["environment"] == "drink" and "environment='drink'" in lab.code
    assert "a pot of tea" in lab.talk.value and lab.draw().axes[1].texts[0].get_text() == "a pot of tea"
    lab.controls["environment"].value = "exchange_economy"
    assert set(lab.kinds.values()) == {"conceder"} and len(lab.kinds) == 3


def test_a_person_at_such_a_table_types_a_proposal_as_json(registered, store):
    async def run():
        lab = RoundTableLab(store, rounds=1, environment="drink", seats={"Ana": "human", "Ben": "blunt"}, rule="borda")
        playing = asyncio.ensure_future(lab.advance())
        for label, said in (("Send", "tea?"), ("Propose", "tea"), ("Propose", '"milk"'), ("Vote", None)):
            form = await _form(lab, label)
            assert "You like tea." in form.children[0].value
            if said:
                next(
                    field for field in form.children[1].children if isinstance(field, w.Text | w.Textarea)
                ).value = said
            form.children[2].children[0].click()
            await asyncio.sleep(0.05)
            if said == "tea":
                assert "expected a drink such as" in form.children[-1].value
        await asyncio.wait_for(playing, 5)
        return lab

    lab = asyncio.run(run())
    assert {p.value for p in lab.finished[0].proposals} == {"milk", "tea"}


async def _form(lab, label):
    for _ in range(200):
        await asyncio.sleep(0.01)
        for form in lab.forms.children:
            if form.children[2].layout.display == "" and form.children[2].children[0].description == label:
                return form
    raise AssertionError(lab.status.value)


def test_templates_of_ones_own_may_go_before_ours(store, tmp_path):
    (tmp_path / "roundtable").mkdir()
    (tmp_path / "roundtable" / "message.md.j2").write_text("Say it in verse, {{ me }}.")
    lab = RoundTableLab(store, stand_in(seed=1), rounds=1, seats=dict.fromkeys(("Ana", "Ben", "Cleo"), "model"),
                        prompts=tmp_path)  # fmt: skip
    asyncio.run(lab.advance())
    assert lab.people["Ana"].prompts == str(tmp_path) and json.dumps(lab.settings)
    assert "Say it in verse" in lab.people["Ana"].question(ACTS["message"], *_view())
    lab.controls["prompts"].value = None
    assert lab.settings["prompts"] is None and not lab.finished


def _view():
    from support.roundtable.records import View

    return (View("Ana", ("Ana", "Ben", "Cleo"), "majority", "vote", "", 1, 1),)
