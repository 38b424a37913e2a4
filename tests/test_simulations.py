"""The simulations that several notebooks analyse: the same groups, instances and people in whatever is compared."""

import asyncio
from functools import partial

import pytest

from support import simulations as room
from support.analysis.metrics import curves_of
from support.choice import RULES
from support.errors import InvalidInput, MissingData
from support.runs.sweep import Sweep

DESK = {
    "organizer": ["rule-based", "model"],
    "detector": ["lexical", "model"],
    "reviewer": ["automatic"],
}


@pytest.mark.parametrize(
    ("sweep", "units"),
    [
        (room.simulations("exchange_economy", 2, 7), len(RULES)),
        (room.simulations("movielens", 2, 7, temperature=[0.7]), len(RULES)),
        (
            room.plannings(
                "feedback", 2, 1, decisions=[3], coordinator=["mcts", "random"]
            ),
            8,
        ),
        (
            room.rehearsals(
                "panel", 2, 1, delegation=["automatic", "always ask"], **DESK
            ),
            16,
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_is_compared_meets_the_same_draws(sweep, units):
    drawn = {u.text: sweep.rng(u).random() for u in sweep.units() if u.repetition == 0}
    assert len(drawn) == units and len(set(drawn.values())) == 1


def test_an_environment_without_its_data_says_why_and_an_unknown_part_names_the_known_ones(
    monkeypatch,
):
    def missing():
        raise MissingData("MovieLens-100k is not here; get it")

    monkeypatch.setattr("support.roundtable.ratings.load", missing)
    assert room.available() == {
        "exchange_economy": "",
        "movielens": "MovieLens-100k is not here; get it",
    }
    with pytest.raises(InvalidInput, match="'exchange' given; expected one of exch"):
        room.simulations("exchange", 1, 1)
    with pytest.raises(
        InvalidInput,
        match="part: 'taste' given; expected one of decisions, options, feedback",
    ):
        room.plannings("taste", 2, 1)


@pytest.mark.parametrize(
    "made",
    [
        partial(room.simulations, "movielens", 2, 7),
        partial(room.coordinations, "size", 2, 7),
        partial(room.plannings, "rounds", 2, 7),
        partial(room.rehearsals, "panel", 2, 7),
    ],
    ids=lambda made: made.func.__name__,
)
def test_all_name_a_temperature_which_changes_no_stream_of_a_rule_based_participant(
    made,
):
    usual, cold = made(), made(temperature=[0.0])
    assert [*usual.grid["temperature"], *cold.grid["temperature"]] == [0.7, 0.0]
    assert usual.name == cold.name
    grid = {name: usual.grid[name] for name in usual.grid if name != "temperature"}
    paired = [name for name in usual.paired if name in grid]
    plain = Sweep("plain", usual.study, grid, 2, 7, paired)
    streams = [
        [one.rng(unit).random() for unit in one.units()] for one in (plain, usual, cold)
    ]
    assert streams[0] == streams[1] == streams[2] and len(streams[0]) > 2


def test_tables_of_mixed_seats_stand_in_frames_by_their_label(store):
    tables = ["mixed", {"two and one": ["boulware", "linear", "linear"]}]
    sweep = room.simulations("exchange_economy", 1, 7, tables, 2)
    asyncio.run(sweep.run(store, progress=False))
    curves = curves_of(sweep.records(store), 2)
    assert curves["seats"].unique().tolist() == ["mixed", "two and one"]
    assert next(sweep.units()).settings["seats"] == "mixed"
    unit, record = list(sweep.records(store))[-1]
    assert [*record.seats.values()] == tables[1]["two and one"]
    again = sweep.study(**sweep.arguments(unit, {}))
    assert asyncio.run(again) == record
