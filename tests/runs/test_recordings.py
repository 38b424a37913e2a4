"""Recorded runs replay without the model, with the replies that were recorded."""

import asyncio
import gzip
import json

import numpy as np
import pytest

from support.errors import CacheMiss
from support.models import local
from support.runs import recordings
from support.simulations import available

STUDIES = recordings.RECORDINGS.values()


@pytest.fixture(autouse=True)
def _no_model(monkeypatch):
    """A replay starts no server."""
    started = lambda *given: pytest.fail("the embedded model was started")
    monkeypatch.setattr(local, "start", started)


@pytest.mark.parametrize("name", recordings.RECORDINGS)
def test_a_recording_replays_whole_and_uses_every_reply(name, store):
    if name == "roundtable_movielens" and (lacking := available()["movielens"]):
        pytest.skip(lacking)
    model, about = recordings.replayed(name, store.path), recordings.note(name)
    sweep = recordings.recording(name).sweep()
    ended = asyncio.run(sweep.run(store, model=model, progress=False))
    assert ended.missing == 0, ended.error
    assert model.calls == about["units"]["replies"] and model.live_calls == 0
    assert len(model.cache) == about["replies"]
    assert about["model"].startswith(local.FILE)
    assert local.SHA256[:12] in str(about)


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


PRIVATE = [made.name for made in STUDIES if made.private]


@pytest.mark.parametrize("name", PRIVATE)
def test_a_private_recording_holds_no_question(name):
    packed = (recordings.FOLDER / f"{name}.jsonl.gz").read_bytes()
    lines = gzip.decompress(packed).decode().splitlines()
    assert lines
    for line in lines:
        assert set(json.loads(line)["request"]) == {"endpoint", "model"}
