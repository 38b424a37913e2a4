"""Selectors and detectors put to the test: each answer has its row, and nobody tested sees the truth."""

import asyncio
import json

import pytest

from support.analysis import organizing
from support.errors import InvalidInput, MalformedReply
from support.models.fakes import scripted
from support.seminar.rules import load_policies
from support.seminar.suite import JudgedReply, edge_cases, held_out_states
from support.seminar.views import Verdict


@pytest.fixture
def policies():
    return load_policies("seed")


@pytest.fixture
def states():
    return held_out_states()[:2]


class Hearing:
    """A detector that keeps what it was shown, and flags every text that asks something."""

    kind = "hearing"

    def __init__(self):
        self.shown = []

    async def check(self, reply, policies, context=""):
        self.shown.append((reply, context))
        if "broken" in reply:
            raise MalformedReply("no verdict")
        return Verdict("?" in reply, "what shall I say?" if "?" in reply else "")


def test_each_context_state_and_run_has_one_row_with_the_truth_beside_the_answer(policies, states):
    model = scripted([json.dumps({"policies": [1]})] * 24)
    frame = asyncio.run(organizing.model_selections(model, states, policies, runs=3))
    assert len(frame) == 4 * 2 * 3 == model.calls
    assert set(frame["technique"]) == {"speaker", "slot", "both", "summary"}
    assert set(frame["selected"]) == {("begin",)}
    assert dict(zip(frame["item"], frame["applies"], strict=True)) == {one.id: one.applies for one in states}


def test_the_control_shows_the_list_in_every_context_or_in_none(policies, states):
    first = policies["begin"].text
    names = {}
    for listed in (True, False):
        texts = []

        def answer(messages, texts=texts):
            texts.append(" ".join(message["content"] for message in messages))
            return {"policies": []}

        frame = asyncio.run(organizing.model_selections(scripted(answer), states, policies, listed=listed, runs=1))
        names[listed] = set(frame["technique"])
        assert len(texts) == 8 and all((first in text) is listed for text in texts)
    assert names[True] == {"speaker, listed", "slot, listed", "both, listed", "summary"}
    assert names[False] == {"speaker", "slot", "both", "summary, not listed"}


def test_an_answer_off_its_form_selects_nothing_and_says_why(policies, states):
    model = scripted(["no numbers here"] * 3)
    frame = asyncio.run(organizing.model_selections(model, states[:1], policies, runs=1, told=["slot"]))
    assert frame["selected"].tolist() == [()] and "3 attempts" in frame["problem"][0]


def test_the_literal_reading_is_told_the_state_and_not_the_truth(policies, states):
    from dataclasses import replace

    blind = [replace(one, applies=("vague",)) for one in states]
    mine = organizing.literal_selections(blind, policies).query("technique == 'literal'")
    assert mine["selected"].tolist() == [one.applies for one in states]
    assert set(mine["applies"]) == {("vague",)}


def test_the_floor_selects_every_policy(policies, states):
    floor = organizing.literal_selections(states, policies).query("technique == 'every policy'")
    assert all(len(chosen) == len(policies) for chosen in floor["selected"])


def test_a_detector_sees_the_reply_alone(policies):
    replies = [JudgedReply("a", "Who pays?", True, "a"), JudgedReply("b", "Yes, the 15th.", False, "b")]
    hearing = Hearing()
    frame = asyncio.run(organizing.verdicts("mine", hearing, replies, policies))
    assert hearing.shown == [("Who pays?", ""), ("Yes, the 15th.", "")]
    assert frame["flagged"].tolist() == [True, False] and set(frame["technique"]) == {"mine"}


def test_a_verdict_off_its_form_counts_as_clear_and_says_why(policies):
    frame = asyncio.run(organizing.verdicts("mine", Hearing(), [JudgedReply("a", "broken?", True, "a")], policies))
    assert not frame["flagged"][0] and frame["problem"][0] == "no verdict"


def test_what_is_no_verdict_is_refused_with_the_detectors_name(policies):
    class Says:
        kind = "says"

        async def check(self, reply, policies, context=""):
            return "Clear"

    one = [JudgedReply("a", "Who pays?", True, "a")]
    with pytest.raises(InvalidInput, match="check: 'Clear' given by 'mine'; expected a Verdict"):
        asyncio.run(organizing.verdicts("mine", Says(), one, policies))
    with pytest.raises(InvalidInput, match="check"):
        asyncio.run(organizing.verdicts("mine", object(), one, policies))


def test_a_model_judges_in_every_run_anew(policies, tmp_path):
    model = scripted([json.dumps({"verdict": "clear"})] * 6, cache=tmp_path / "cache.sqlite")
    frame = asyncio.run(organizing.model_verdicts(model, edge_cases()[:2], policies, "zero", runs=3))
    assert frame["run"].tolist() == [1, 1, 2, 2, 3, 3] and set(frame["technique"]) == {"zero"}
    assert len(model.cache) == 6  # with one seed and one repetition it would be two


def test_one_voice_of_every_case_and_every_voice_as_often():
    chosen = organizing.one_voice(edge_cases())
    assert len(chosen) == len({reply.case for reply in chosen}) == 20
    voices = [reply.voice for reply in chosen]
    assert {voices.count(voice) for voice in voices} == {4}
    assert sum(reply.flag for reply in chosen) == 10


def test_verdicts_that_are_there_already_get_the_same_rows():
    replies = edge_cases()[:3]
    frame = organizing.judged("given", [True, False, True], replies, run=2)
    assert frame["flagged"].tolist() == [True, False, True] and set(frame["run"]) == {2}
    assert organizing.detection_runs(frame)["n"].tolist() == [3]
