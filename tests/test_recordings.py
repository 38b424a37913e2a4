"""Recorded runs of the embedded model replay without the model, with the replies that were recorded."""

import asyncio

import pytest

from support import recordings
from support.errors import CacheMiss, InvalidInput
from support.llm import embedded, scripted
from support.store import Store


@pytest.fixture(autouse=True)
def no_model(monkeypatch):
    """A replay starts no server."""
    monkeypatch.setattr(embedded, "start", lambda: pytest.fail("the embedded model was started"))


@pytest.mark.parametrize("name", recordings.RECORDINGS)
def test_a_recording_replays_whole_and_uses_every_reply(name, tmp_path):
    store = Store(tmp_path / "study.sqlite")
    model = recordings.replayed(name, store.path)
    sweep = recordings.recording(name).sweep()
    count = asyncio.run(sweep.run(store, model=model, progress=False))
    about = recordings.note(name)
    assert (count["done"], count["failed"], model.live_calls) == (about["units"]["done"], 0, 0)
    assert count["replies"] == about["units"]["replies"]
    assert count["format_errors"] == about["units"]["format_errors"]
    assert len(model.cache) == about["replies"]


@pytest.mark.parametrize("name", recordings.RECORDINGS)
def test_a_recording_says_which_model_gave_it_and_when(name):
    about = recordings.note(name)
    assert about["model"] == embedded.FILE and about["weights sha256"] == embedded.SHA256
    assert about["date"].startswith("20")


def test_a_question_that_was_not_recorded_is_refused(tmp_path):
    model = recordings.replayed("start_here", tmp_path / "study.sqlite")
    with pytest.raises(CacheMiss):
        asyncio.run(model.reply("Something that nobody asked."))


def test_the_origin_of_replies_says_whether_they_were_asked_now():
    live, idle = scripted(["hello"]), scripted([])
    asyncio.run(live.reply("hi"))
    assert recordings.origin(live, "start_here")["replies"].startswith("asked on 20")
    assert recordings.origin(idle, "start_here")["replies"].startswith("not asked now")


def test_an_unknown_recording_is_named():
    with pytest.raises(InvalidInput, match="start_here, roundtable_exchange"):
        recordings.recording("nothing")
