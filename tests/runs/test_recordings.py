"""Recorded runs replay without the model, with the replies that were recorded."""

import asyncio
import gzip
import json
import re
from itertools import chain

import numpy as np
import pytest

from support.errors import CacheMiss
from support.models import local
from support.runs import recordings
from support.simulations import available


@pytest.fixture(autouse=True)
def _no_model(monkeypatch):
    """A replay starts no server."""
    started = lambda *given: pytest.fail("the embedded model was started")
    monkeypatch.setattr(local, "start", started)


def plain(text):
    return " ".join(re.findall(r"[^\s|,]+", text.lower()))


def quoted(reply, question):
    """What a reply repeats of a table in its question: three neighbouring cells of a row."""
    rows = [line.split(" | ") for line in question.splitlines()]
    threes = [zip(row, row[1:], row[2:], strict=False) for row in rows[1:]]
    return [three for three in chain(*threes) if plain(" ".join(three)) in plain(reply)]


@pytest.mark.parametrize("name", recordings.RECORDINGS)
def test_a_recording_replays_whole_uses_every_reply_and_quotes_no_outside_data(
    name, store, monkeypatch
):
    if name == "roundtable_movielens" and (lacking := available()["movielens"]):
        pytest.skip(lacking)
    model = recordings.replayed(name, store.path)
    about = json.loads((recordings.FOLDER / f"{name}.json").read_text())
    made, asked, get = recordings.recording(name), [], model.cache.get
    monkeypatch.setattr(model.cache, "get", lambda one: asked.append(one) or get(one))
    ended = asyncio.run(made.sweep().run(store, model=model, progress=False))
    assert ended.missing == 0, ended.error
    assert model.calls == about["units"]["replies"] and model.live_calls == 0
    assert len(model.cache) == about["replies"]
    assert about["model"].startswith(local.FILE)
    assert local.SHA256[:12] in str(about)
    with gzip.open(recordings.FOLDER / f"{name}.jsonl.gz", "rt") as lines:
        kept = [*map(json.loads, lines)]
    assert {"messages" in line["request"] for line in kept} == {not made.private}
    for request in asked if made.private else ():
        question = "\n".join(text for _, text in request.messages)
        assert not quoted(get(request).text, question)


def test_a_row_of_a_table_that_a_reply_repeats_is_found():
    assert quoted("I read 7 | 4.5 | F", "user | mean | sex\n7 | 4.5 | F")


def test_another_model_plays_under_another_name_with_the_same_streams():
    made = recordings.recording("meeting_evaluator")
    ours, other = made.sweep(), made.sweep(by="chat")
    assert ours.name != other.name
    for one, same in zip(ours.units(), other.units(), strict=True):
        drawn = ours.rng(one).random(3)
        assert np.array_equal(drawn, other.rng(same).random(3))


def test_what_was_not_recorded_is_refused(tmp_path):
    model = recordings.replayed("start_here", tmp_path / "s.sqlite")
    with pytest.raises(CacheMiss):
        asyncio.run(model.reply("Something that nobody asked."))
