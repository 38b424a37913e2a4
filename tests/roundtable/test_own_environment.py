"""An environment of one's own: four people share out a budget of 100 among five projects; all else works on it."""

import asyncio

import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure

from support.analysis.metrics import METRICS, curves_of, runs_of
from support.data import ROOT
from support.errors import InvalidInput
from support.models.stand_ins import scripted
from support.plots.roundtable import plot_utility
from support.roundtable import table
from support.roundtable.seats import seat_all
from support.runs.pages import to_html
from support.runs.sweep import Sweep

# The environment that notebook 50 shows, four people and a budget of 100, and the agent that sits there.
CELLS = nbformat.read(ROOT / "notebooks" / "50_your_own_data.ipynb", 4).cells
SHOWN: dict = {"np": np}
for cell in CELLS:
    if cell.id in ("own-40", "own-41", "own-45", "own-46"):
        exec(cell.source, SHOWN)
Budget, Wishful = SHOWN["Budget"], SHOWN["Softening"]


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
