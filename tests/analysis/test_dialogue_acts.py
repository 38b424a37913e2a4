"""Labels of people as our acts, who labels what, and what annotators make of messages that nobody expected."""

import asyncio

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis import annotators as an
from support.analysis import dialogue_acts as da
from support.corpora import AMI_LABELS, delidata
from support.errors import (
    ContextOverflow,
    ModelUnavailable,
)
from support.models import serving
from support.models.stand_ins import scripted

TAUGHT = {
    "good A is worth sixty to me": "inform",
    "my weight on B is twenty": "inform",
    "what do you need ?": "request",
    "which good is yours ?": "request",
    "hello": "others",
    "well": "others",
}
TAUGHT = pd.DataFrame({"text": TAUGHT.keys(), "acts": TAUGHT.values()})


def label(annotator, *texts):
    return asyncio.run(annotator.label(pd.DataFrame({"text": texts})))


@pytest.fixture
def taught(words):
    return an.SentenceAnnotator("taught", an.learn(TAUGHT, words))


def test_every_label_of_people_is_mapped(have):
    assert set(da.bridge("ami")["label"]) == set(AMI_LABELS)
    chats, known = have(delidata), set(da.bridge("delidata")["label"])
    assert set(chats["kind"] + "/" + chats["target"]) <= known
    columns = {
        "kind": "Non-probing-deliberation",
        "target": ["Solution", "Reasoning"],
        "additional": ["solution_summary,x", ""],
    }
    acts = da.acts_of_delidata(pd.DataFrame(columns))
    assert acts == [("summarize", "propose"), ()]


# ---- who labels ----------------------------------------------------------------------------------------------------

TALK = pd.DataFrame(
    [
        (1, 1, "Ana", ("inform",), "I value A."),
        (1, 1, "Ben", (), "And what is yours?"),
        (1, 2, "Cleo", (), "Let us split A."),
    ],
    columns=["run", "round", "sender", "acts", "text"],
    index=[7, 5, 9],
)
TALK = TALK.assign(
    kind=["linear", "model:chat", "model:embedded"],
    seats=["rules", "chat", "small"],
)


def labelled(words, annotators=None, talk=TALK, *meanings):
    with serving(make=lambda name: scripted(lambda chat: {"acts": ["request"]})):
        return asyncio.run(an.labelled(talk, annotators, words, *meanings))


def test_what_is_known_stays_a_model_labels_its_own_talk_and_the_embedded_one_is_not_asked(
    words,
):
    made = labelled(words)
    assert made.index.tolist() == [7, 5, 9]
    assert made["acts"].tolist()[:2] == [("inform",), ("request",)]
    assert made["labelled_by"].iloc[[0, 2]].tolist() == [an.TRUE, an.OFFLINE]
    unseen = made.attrs["unseen"]
    assert unseen.keys() == {"chat", "small"}
    assert unseen["chat"] == () and "decline" in unseen["small"]
    assert "decline" in an.whose(made)


def test_who_is_named_labels_and_whoever_cannot_be_asked_is_stood_in_for(words, taught):
    made = labelled(words, {"chat": taught, "model:embedded": "model:chat"})
    assert made["labelled_by"].iloc[1] == taught.name
    assert made.attrs["unseen"] == {"chat": taught.unseen, "small": ()}
    people = labelled(words, talk=TALK.drop(columns=["kind", "seats"]))
    assert people.attrs["unseen"] == {an.PEOPLE: da.LABELS}

    def nobody(name):
        raise ModelUnavailable("no key")

    with serving(make=nobody):
        assert an.annotator_for("model:chat", encoder=words).name == an.OFFLINE
        with pytest.raises(ModelUnavailable):
            an.annotator_for("linear", "model:chat")


# ---- sentences -----------------------------------------------------------------------------------------------------


@given(st.text(alphabet="ab .?!\n", max_size=3000))
def test_property_no_letter_is_lost_between_sentences_and_none_is_too_long(text):
    read = an.pieces(text)
    assert [c for c in "".join(read) if c in "ab"] == [c for c in text if c in "ab"]
    assert max(map(len, read), default=0) <= an.LONGEST


def test_nothing_to_read_is_others_and_another_script_stays_unlabelled(taught):
    assert label(taught, "", "  \n ", "🙂🎉👍", "?!") == [("others",)] * 4
    assert label(taught, "我同意", "Я за") == [()] * 2


# ---- a language model ----------------------------------------------------------------------------------------------


def asked_of(reply, messages=TALK, talk=None, **scheme):
    asked = []

    def script(chat):
        asked.append("\n".join(turn["content"] for turn in chat))
        return reply

    annotator = an.LanguageModelAnnotator(scripted(script), **scheme)
    return asyncio.run(annotator.label(messages, talk)), asked


def test_a_model_is_given_every_meaning_the_message_and_the_round_before_it_only():
    reply = {"acts": ["request", "inform", "others"]}
    acts, [asked] = asked_of(reply, TALK[2:], TALK)
    assert acts == [("inform", "request")]
    before = "Ana: I value A.", "Ben: And what is yours?"
    for told in (*da.MEANINGS.values(), *before, "Let us split A."):
        assert told in asked
    *_, other_run = asked_of(reply, TALK.assign(run=[1, 1, 2]))[1]
    assert "I value" not in other_run


def test_a_reply_that_does_not_fit_and_a_message_too_long_leave_it_unlabelled():
    for reply in ({"acts": ["agree"]}, ContextOverflow("too long")):
        assert asked_of(reply, TALK[:1])[0] == [()]
    with pytest.raises(ModelUnavailable):
        asked_of(ModelUnavailable("no such model"))
