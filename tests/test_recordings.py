"""Recorded runs of the embedded model replay without the model, with the replies that were recorded."""

import asyncio
import gzip
import json

import pytest

from support import recordings
from support.data import shared
from support.errors import CacheMiss, InvalidInput
from support.llm import embedded, scripted
from support.simulations import available
from support.store import Store

NEEDS = {"dialogue_acts": "ami", "natural_plan": "natural_plan"}
"""The data that a recording's questions quote."""


@pytest.fixture(params=recordings.RECORDINGS)
def name(request, have):
    """Each recording; those whose questions quote outside data need it to ask them again."""
    if request.param == "roundtable_movielens" and available()["movielens"]:
        pytest.skip(available()["movielens"])
    if request.param in NEEDS:
        have(lambda: shared(NEEDS[request.param]))
    return request.param


@pytest.fixture(autouse=True)
def no_model(monkeypatch):
    """A replay starts no server."""
    monkeypatch.setattr(embedded, "start", lambda: pytest.fail("the embedded model was started"))


def test_a_recording_replays_whole_and_uses_every_reply(name, tmp_path):
    store = Store(tmp_path / "study.sqlite")
    model = recordings.replayed(name, store.path)
    count = asyncio.run(recordings.recording(name).play(store, model))
    about = recordings.note(name)
    assert (count["done"], count["failed"], model.live_calls) == (about["units"]["done"], 0, 0)
    assert count["replies"] == about["units"]["replies"]
    assert count["format_errors"] == about["units"]["format_errors"]
    assert len(model.cache) == about["replies"]


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


@pytest.mark.parametrize("name", [n for n, r in recordings.RECORDINGS.items() if r.private])
def test_a_private_recording_holds_no_question(name):
    lines = gzip.decompress((recordings.FOLDER / f"{name}.jsonl.gz").read_bytes()).decode().splitlines()
    assert lines and all(set(json.loads(line)["request"]) == {"endpoint", "model"} for line in lines)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("It says: 7 | 4.5 | F there.", "7 | 4.5 | F"),
        ("user 7, 4.5, F, writer", "7 | 4.5 | F"),
        ("the user likes 4.5", ""),
        ("user | mean | gender", ""),
        ("The user gave Night Train four stars.", "Night Train"),
        ("It was rated on 19980331.", "19980331"),
        ("About Day Break I know nothing.", ""),
    ],
)
def test_a_reply_that_repeats_a_row_of_the_question_is_found(reply, found):
    table = "The film is Day Break.\nuser | mean | gender | job\n7 | 4.5 | F | writer\n8 | 2.5 | M | none"
    table += "\nNight Train | 3 | 19980331\nDay Break | 4 | 19990101"
    assert recordings.quoted(reply, table) == found


def test_an_unknown_recording_is_named():
    with pytest.raises(InvalidInput, match="start_here, roundtable_exchange"):
        recordings.recording("nothing")
