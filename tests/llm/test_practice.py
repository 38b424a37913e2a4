"""A provider to practise with: recorded replies, a pretended price, faults that are survived."""

import asyncio

import pytest

from support import recordings
from support.errors import InvalidInput, MissingData
from support.llm.practice import practice
from support.store import Store

FILE = recordings.FOLDER / "start_here.jsonl.gz"


def played(tmp_path, **options):
    store = Store(tmp_path / f"{len(list(tmp_path.iterdir()))}.sqlite")
    sweep = recordings.recording("start_here").sweep()
    model = practice(FILE, latency=0.0, **options)
    asyncio.run(sweep.run(store, model=model, progress=False))
    [unit] = sweep.units()
    return store.record(unit), store.calls(unit)


def test_it_replies_what_was_recorded_at_a_pretended_price(tmp_path):
    record, calls = played(tmp_path)
    replayed = Store(tmp_path / "replayed.sqlite")
    sweep = recordings.recording("start_here").sweep()
    asyncio.run(sweep.run(replayed, model=recordings.replayed("start_here", replayed.path), progress=False))
    [(_, recorded)] = sweep.records(replayed)
    for what in ("messages", "proposals", "ballots", "replies"):  # format errors name the model
        assert [getattr(r, what) for r in record.rounds] == [getattr(r, what) for r in recorded.rounds]
    tokens = [(c.prompt_tokens, c.completion_tokens) for c in calls]
    assert [c.usd for c in calls] == [pytest.approx((0.15 * p + 0.6 * r) / 1e6) for p, r in tokens] and calls[0].usd > 0


def test_its_faults_are_survived_and_change_nothing(tmp_path, monkeypatch):
    async def at_once(seconds):
        return None

    monkeypatch.setattr("support.llm.attempts.FIRST_WAIT", 0.001)
    monkeypatch.setattr("support.llm.practice.FAULTS", {"429": (False, 0.001), "time-out": (True, None)})
    record, calls = played(tmp_path, faults=0.5)
    assert record.rounds == played(tmp_path)[0].rounds
    assert {fault.kind for call in calls for fault in call.faults} == {"429", "time-out"}


def test_a_question_that_was_not_recorded_is_refused():
    with pytest.raises(InvalidInput, match=r"start_here\.jsonl\.gz holds no reply to 'Something else"):
        asyncio.run(practice(FILE, latency=0).reply("Something else"))


@pytest.mark.parametrize("faults", [1, -0.1, "a third", True])
def test_a_share_of_faults_has_to_be_one(faults):
    with pytest.raises(InvalidInput, match="faults="):
        practice(FILE, faults=faults)


def test_a_recording_without_questions_or_without_a_file_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="without its questions"):
        practice(recordings.FOLDER / "dialogue_acts.jsonl.gz")
    with pytest.raises(MissingData, match="no recording at"):
        practice(tmp_path / "nothing.gz")
