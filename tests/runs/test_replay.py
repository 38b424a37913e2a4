"""A record says what made it, and is played again from that alone."""

import asyncio

import pytest

from support.errors import CacheMiss, InvalidInput
from support.models.replies import Cache
from support.models.stand_ins import scripted
from support.roundtable.study import roundtable_exchange
from support.runs.replay import replay
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
