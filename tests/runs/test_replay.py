"""A record says what made it, and is played again from that alone."""

import asyncio
import json
import sqlite3
from contextlib import closing

import pytest

from support.errors import CacheMiss, InvalidInput
from support.models.replies import Cache
from support.models.stand_ins import scripted, stand_in
from support.roundtable.study import roundtable_exchange
from support.runs.replay import replay
from support.runs.study import Store
from support.runs.sweep import Sweep

GRID = {"rule": ["majority", "ranked"], "rounds": [2]}


def played(store, study=roundtable_exchange, grid=GRID, paired=("rule",), **context):
    what = Sweep("s", study, grid, 2, 7, paired)
    asyncio.run(what.run(store, progress=False, **context))
    return list(what.records(store))


def test_records_of_rules_are_played_again_from_what_they_say_made_them(store):
    for unit, record in played(store):
        assert asyncio.run(replay(record)) == record
        assert asyncio.run(replay(store.row(unit)["made"])) == record
    told = {"rule": "ranked", "noise": 0.05}
    assert told.items() <= record.made["settings"].items()
    assert set(record.made["versions"]) == {"convene", "python", "numpy"}


async def ask(rng, topic, model=None, by=2.0, judge=None, repetition=0):
    said = await model.reply(f"{topic} {rng.integers(9**9)}", repetition=repetition)
    return {"said": said.text, "by": by, "judge": judge and judge.name}


class Judge:
    name = "strict"


def test_a_model_replies_from_the_file_alone_and_objects_are_passed_by_name(store):
    asked = []

    def answer(messages):
        asked.append(messages)
        return f"re {messages[-1]['content']}"

    model = scripted(answer, cache=Cache(store.path))
    grid = {"topic": ["x"], "judge": [Judge]}
    rows = played(store, ask, grid, (), model=model)
    unit, record = rows[-1]
    made, before = store.row(unit)["made"], len(asked)
    own = {"study": ask, "judge": Judge, "model": scripted(answer)}
    assert asyncio.run(replay(made, store.path, **own)) == record
    assert len(asked) == before == 2
    for name in ("judge", "model"):
        fewer = {other: own[other] for other in own if other != name}
        with pytest.raises(InvalidInput, match=f"replay: {name} cannot be made"):
            asyncio.run(replay(made, store.path, **fewer))
    with pytest.raises(CacheMiss):
        asyncio.run(replay({**made, "seed": 1}, store.path, **own))
    with pytest.raises(InvalidInput, match="does not say what made it"):
        asyncio.run(replay(record))


def test_a_model_that_was_named_is_passed_by_its_name(store):
    from support.models import serving

    def make(name):
        model = stand_in(name=name)
        model.cache = Cache(store.path)
        return model

    grid = {**GRID, "seats": ["model:chat-b"], "rounds": [1]}
    with serving(make=make):
        rows = played(store, grid=grid)
    for _, record in rows:
        again = replay(record, store.path, **{"chat-b": stand_in(name="chat-b")})
        assert asyncio.run(again) == record


EARLIER = """
CREATE TABLE sweeps (name TEXT PRIMARY KEY, identity TEXT NOT NULL);
CREATE TABLE units (sweep TEXT NOT NULL, settings TEXT NOT NULL,
    repetition INTEGER NOT NULL, status TEXT NOT NULL, kind TEXT, record TEXT,
    error TEXT, replies INTEGER, format_errors INTEGER, seconds REAL,
    PRIMARY KEY (sweep, settings, repetition));
INSERT INTO units VALUES ('s', '{"rule": "a"}', 0, 'done', 'dict', '{"x": 1}',
    NULL, 0, 0, 1.0);
"""


def test_a_file_of_an_earlier_version_keeps_its_records_and_takes_new_ones(tmp_path):
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(EARLIER)

    async def study(rng, rule):
        return {"x": 2}

    what = Sweep("s", study, {"rule": ["a", "b"]}, 1, 7)
    with closing(Store(path)) as store:
        ended = asyncio.run(what.run(store, progress=False))
        assert (ended.skipped, ended.done) == (1, 1)
        made = {unit.text: store.row(unit)["made"] for unit in what.units()}
        assert made[json.dumps({"rule": "a"})] == {}
        assert made[json.dumps({"rule": "b"})]["settings"] == {"rule": "b"}
        assert [record["x"] for _, record in what.records(store)] == [1, 2]
