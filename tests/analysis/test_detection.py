"""Selection and detection: each answer is a row beside the truth, whatever its form."""

import asyncio
import json

import pytest

from support.analysis import detection as det
from support.errors import MalformedReply
from support.models.stand_ins import scripted
from support.seminar.policies import applies, load_policies

POLICIES = load_policies("seed")


def said_by(say):
    """The verdicts of a detector of one's own on one reply."""

    class Detector:
        kind = "own"

        async def check(self, mail, desk):
            assert (mail.body, mail.says) == ("Who pays?", None)
            assert desk.policies == POLICIES
            return say()

    replies = [det.JudgedReply("a", "Who pays?", True, "a")]
    return asyncio.run(det.verdicts("mine", Detector(), replies, POLICIES))


def test_the_literal_reading_agrees_with_the_author_of_the_states():
    states = det.held_out_states()
    assert len(states) == 30
    for state in states:
        assert {*applies(POLICIES, state.books)} == {*state.applies}, state.id


@pytest.mark.parametrize("listed", [True, False])
def test_each_context_state_and_run_has_one_row_with_the_list_or_without(listed):
    states, texts = det.held_out_states()[:2], []

    def answer(messages):
        texts.append(" ".join(message["content"] for message in messages))
        return {"policies": [1]}

    made = det.model_selections(scripted(answer), states, POLICIES, listed)
    frame = asyncio.run(made)
    assert len(frame) == 4 * 2 * det.RUNS == len(texts)
    assert set(frame["selected"]) == {("begin",)}
    shown = [POLICIES["begin"].text in text for text in texts]
    assert sum(shown) == len(texts) * listed
    assert frame["technique"].nunique() == 4
    summaries = [any(one.summary[:40] in text for one in states) for text in texts]
    assert sum(summaries) == len(texts) // 4


def test_answers_off_their_form_select_nothing_and_flag_nothing_and_say_why():
    def breaks():
        raise MalformedReply("no verdict")

    [state] = det.held_out_states()[:1]

    def answer(messages):
        told = " ".join(message["content"] for message in messages)
        return "no numbers" if state.summary[:40] in told else {"policies": []}

    model = scripted(answer)
    frame = asyncio.run(det.model_selections(model, [state], POLICIES, True))
    off = frame["technique"] == "summary"
    assert set(frame["selected"]) == {()}
    assert frame["problem"].str.contains("3 attempts").tolist() == off.tolist()
    row = said_by(breaks).iloc[0]
    assert (row["flagged"], row["problem"]) == (False, "no verdict")
    assert said_by(lambda: "Who?").iloc[0]["right"]


@pytest.mark.parametrize(
    ("shots", "examples", "listed"),
    [("zero", False, False), ("few", True, False), ("few with policies", True, True)],
)
def test_each_setting_shows_what_the_paper_says(overheard, shots, examples, listed):
    model, heard = overheard(*[{"verdict": "flag", "question": "Who?"}] * 3)
    reply = det.edge_cases()[0]
    frame = asyncio.run(det.model_verdicts(model, [reply], POLICIES, shots))
    text = heard[0][0]["content"]
    assert f"> {reply.text}" in text and frame["flagged"].all()
    assert ("# Examples" in text) == examples
    assert ("written to three times" in text) == listed


def test_a_model_judges_one_voice_of_every_case_in_every_run_anew(tmp_path):
    replies = det.one_voice(det.edge_cases())
    voices = [reply.voice for reply in replies]
    assert len({reply.case for reply in replies}) == 20
    assert {voices.count(voice) for voice in voices} == {4}
    clear = json.dumps({"verdict": "clear"})
    model = scripted([clear] * 6, cache=tmp_path / "cache.sqlite")
    frame = asyncio.run(det.model_verdicts(model, replies[:2], POLICIES, "zero"))
    assert frame["run"].tolist() == [1, 1, 2, 2, 3, 3]
    assert len(model.cache) == 6  # with one seed and one repetition it would be two
