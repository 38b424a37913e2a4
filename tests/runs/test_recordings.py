"""Recorded runs of the embedded model replay without the model, with the replies that were recorded."""

import asyncio
import gzip
import json

import numpy as np
import pytest

from support.data import shared
from support.errors import CacheMiss, InvalidInput
from support.models import local
from support.models.stand_ins import scripted
from support.runs import recordings
from support.simulations import available

NEEDS = {
    "dialogue_acts": "ami",
    "natural_plan": "natural_plan",
}  # the data that a recording's questions quote


@pytest.fixture(autouse=True)
def _no_model(monkeypatch):
    """A replay starts no server."""
    monkeypatch.setattr(
        local, "start", lambda *given: pytest.fail("the embedded model was started")
    )


@pytest.mark.parametrize("name", recordings.RECORDINGS)
def test_a_recording_replays_whole_and_uses_every_reply(name, store, have):
    if name == "roundtable_movielens" and (lacking := available()["movielens"]):
        pytest.skip(lacking)
    if name in NEEDS:
        have(lambda: shared(NEEDS[name]))
    model, about = recordings.replayed(name, store.path), recordings.note(name)
    count = asyncio.run(recordings.recording(name).play(store, model))
    told = ("done", "replies", "format_errors")
    got = (
        count
        if isinstance(count, dict)
        else {what: getattr(count, what) for what in (*told, "failed")}
    )
    assert [got[what] for what in told] == [about["units"][what] for what in told]
    assert (
        got["failed"] == model.live_calls == 0 and len(model.cache) == about["replies"]
    )
    assert about["model"] == local.FILE and about["weights sha256"] == local.SHA256


def test_the_sweep_by_another_model_has_a_name_of_its_own_and_the_same_random_streams():
    for chosen in recordings.RECORDINGS.values():
        if type(chosen) is recordings.Recording:
            ours, other = chosen.sweep(), chosen.sweep(by="chat")
            assert (
                ours.name == chosen.sweep(by="embedded").name != other.name
                and "chat" in other.name
            )
            for one, same in zip(ours.units(), other.units(), strict=True):
                assert (one.text, one.repetition) == (same.text, same.repetition)
                assert np.array_equal(
                    ours.rng(one).random(3), other.rng(same).random(3)
                )


def test_a_question_that_was_not_recorded_and_an_unknown_recording_are_refused(
    tmp_path,
):
    with pytest.raises(CacheMiss):
        asyncio.run(
            recordings.replayed("start_here", tmp_path / "s.sqlite").reply(
                "Something that nobody asked."
            )
        )
    with pytest.raises(
        InvalidInput, match=r"'nothing' given.*start_here, roundtable_exchange"
    ):
        recordings.recording("nothing")


def test_the_origin_of_replies_says_whether_they_were_asked_now():
    live, idle = scripted(["hello"]), scripted([])
    asyncio.run(live.reply("hi"))
    said = [recordings.origin(model, "start_here")["replies"] for model in (live, idle)]
    assert said[0].startswith("asked on 20") and said[1].startswith("not asked now")


@pytest.mark.parametrize(
    "name", [n for n, r in recordings.RECORDINGS.items() if r.private]
)
def test_a_private_recording_holds_no_question(name):
    lines = (
        gzip.decompress((recordings.FOLDER / f"{name}.jsonl.gz").read_bytes())
        .decode()
        .splitlines()
    )
    assert lines and all(
        set(json.loads(line)["request"]) == {"endpoint", "model"} for line in lines
    )


@pytest.mark.parametrize(("reply", "found"), {
    "It says: 7 | 4.5 | F there.": "7 | 4.5 | F", "user 7, 4.5, F, writer": "7 | 4.5 | F", "the user likes 4.5": "",
    "user | mean | gender": "", "The user gave Night Train four stars.": "Night Train",
    "It was rated on 19980331.": "19980331", "About Day Break I know nothing.": "",
}.items())  # fmt: skip
def test_a_reply_that_repeats_a_row_of_the_question_is_found(reply, found):
    table = "The film is Day Break.\nuser | mean | gender | job\n7 | 4.5 | F | writer\n8 | 2.5 | M | none"
    assert (
        recordings.quoted(
            reply, f"{table}\nNight Train | 3 | 19980331\nDay Break | 4 | 19990101"
        )
        == found
    )
