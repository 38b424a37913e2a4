"""An environment of one's own: four people share out a budget of 100 among five projects; all else works on it."""

import asyncio
from typing import Annotated

import numpy as np
import pytest
from matplotlib.figure import Figure
from pydantic import Field

from support.analysis.metrics import METRICS, curves_of, runs_of
from support.errors import InvalidInput, InvalidProposal
from support.models.stand_ins import scripted
from support.plots.roundtable import plot_utility
from support.roundtable import table
from support.roundtable.records import Ballot, Message, Proposal
from support.roundtable.seats import seat_all
from support.runs.pages import to_html
from support.runs.sweep import Sweep

PROJECTS = ("park", "school", "buses", "library", "pool")


class Budget:
    """Each of four people wants two of the projects, side by side in the list."""

    agents, maximum, shape = ("Ana", "Ben", "Cleo", "Dev"), 200.0, "five amounts"
    reply = Annotated[list[float], Field(min_length=5, max_length=5)]

    def validate(self, proposal):
        shares = tuple(round(float(x), 2) for x in proposal)
        if len(shares) != 5 or min(shares) < 0 or abs(sum(shares) - 100) > 0.5:
            raise InvalidProposal(f"{proposal!r}; expected five amounts, 100 in all")
        return shares

    def utilities(self, value):
        return np.array([value[k] + value[k + 1] for k in range(4)])

    def describe(self, value):
        parts = zip(value, PROJECTS, strict=True)
        return ", ".join(f"{amount:g} for the {name}" for amount, name in parts)

    def spec(self):
        return {"name": "budget"}

    def task(self):
        return f"You share out 100 among {', '.join(PROJECTS)}."

    def goal(self, me, shown):
        k = self.agents.index(me)
        return f"You want as much as you can get for {PROJECTS[k : k + 2]}."

    def form(self):
        return f"a list of amounts for {', '.join(PROJECTS)}"


class Wishful:
    """Wants all for its two projects, a little less in each round."""

    kind = "wishful"

    def __init__(self, me, rng):
        self.me, self.index = me, Budget.agents.index(me)

    async def message(self, view):
        return Message(self.me, (), "My two, please.")

    async def propose(self, view):
        low = 20 * (view.round - 1) / max(view.rounds - 1, 1)
        shares = [low] * 5
        shares[self.index] = shares[self.index + 1] = (100 - 3 * low) / 2
        return Proposal(self.me, shares)

    async def vote(self, view):
        worth = {c.id: Budget().utilities(c.value)[self.index] for c in view.candidates}
        return Ballot(self.me, max(worth, key=worth.get))


async def shared(rng, rule="plurality", seats=Wishful, model=None):
    people = seat_all(Budget(), seats, rng, model=model)
    return await table.play(Budget(), people, rule, rounds=4, rng=rng)


def test_metrics_curves_export_and_pages_are_drawn_from_it(monkeypatch, store):
    monkeypatch.setitem(table.ENVIRONMENTS, "budget", lambda spec: Budget())
    sweep = Sweep("budget", shared, {"rule": ["plurality", "majority"]}, 2, 1)
    assert asyncio.run(sweep.run(store, progress=False)).done == 4
    records = list(sweep.records(store))
    assert runs_of(records)[list(METRICS)].notna().any(axis=None)
    assert curves_of(records, 4)["utility"].between(0, 100).all()
    assert "50 for the park" in to_html(records[0][1])
    plot_utility(curves_of(records, 4), Figure().subplots(), col=None)


def test_a_model_proposes_what_its_type_and_its_validate_take():
    def said(messages):
        first = 100 if len(messages) > 2 else 90  # that does not add up: asked again
        return {"target": [], "message": None, "proposal": [first, 0, 0, 0, 0]}

    seats = ["model", Wishful, Wishful, Wishful]
    rng = np.random.default_rng(1)
    record = asyncio.run(shared(rng, seats=seats, model=scripted(said)))
    first = record.rounds[0]
    assert first.proposals[0].value == (100, 0, 0, 0, 0)
    assert ("Ana", "propose", 1) in first.repairs


LACKS = "has no `background`, from which that kind knows its task"


@pytest.mark.parametrize(
    ("environment", "seats", "said"),
    [
        (Budget(), "linear", f"'linear' given for Ana, but Budget {LACKS}"),
        (object(), Wishful, "environment: object has no `agents`, `validate`, `spec`"),
    ],
)
def test_what_cannot_sit_there_is_told_before_the_first_round(environment, seats, said):
    with pytest.raises(InvalidInput, match=said):
        seat_all(environment, seats, np.random.default_rng(1), model=scripted([]))
