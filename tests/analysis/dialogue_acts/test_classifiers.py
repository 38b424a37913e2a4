"""Annotators that learn from labelled sentences, and what they make of messages that nobody expected."""

import asyncio
import json

import numpy as np
import pandas as pd
import pytest

from support.analysis.dialogue_acts.classifiers import EmbeddingAnnotator, MajorityAnnotator, WordAnnotator, pieces
from support.analysis.embeddings import Encoder
from support.errors import DamagedFile, InvalidInput, MissingData

SAID = {
    "inform": ["good A is worth sixty to me", "my weight on B is twenty", "the rest is worth little"],
    "request": ["what do you need ?", "which good is yours ?", "how much do you want ?"],
    "others": ["hello", "well", "um"],
}


def taught():
    rows = [(text, (act,), f"run {i % 4}") for i in range(12) for act, texts in SAID.items() for text in texts]
    return pd.DataFrame(rows, columns=["text", "acts", "run"])


@pytest.fixture
def annotator(words):
    return EmbeddingAnnotator.fit(taught(), words)


def label(annotator, *texts):
    return asyncio.run(annotator.label(pd.DataFrame({"text": texts})))


@pytest.mark.parametrize("kind", ["embedding", "words"])
def test_a_message_performs_the_acts_of_its_sentences(kind, words):
    made = EmbeddingAnnotator.fit(taught(), words) if kind == "embedding" else WordAnnotator.fit(taught())
    assert made.covered == ("inform", "request", "others")
    assert label(made, "my weight on B is twenty. what do you need ?", "which good is yours ?", "hello") == [
        ("inform", "request"), ("request",), ("others",),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "   ", "🙂🎉👍", "?!"])
def test_a_message_without_a_letter_performs_others(annotator, text):
    assert label(annotator, text) == [("others",)]
    assert not annotator.problems


def test_a_message_in_another_script_stays_unlabelled_and_the_reason_is_kept(annotator):
    assert label(annotator, "hello", "我同意这个方案。", "what do you need ?") == [("others",), (), ("request",)]
    assert annotator.problems == {1: "not in Latin letters: it learnt from English"}
    label(annotator, "hello")
    assert not annotator.problems, "problems are those of the latest call"


def test_the_end_of_a_message_of_20000_characters_counts(annotator):
    text = "well um " * 2490 + ". what do you need ?"
    assert len(text) > 19_900
    assert "request" in label(annotator, text)[0]


def test_which_numbers_are_said_makes_no_difference():
    assert pieces("My weight on A is 33.34 % and on B 1,000.") == pieces("My weight on A is 7 % and on B 2.")


def test_no_messages_are_refused(annotator):
    with pytest.raises(InvalidInput, match="messages has no rows"):
        label(annotator)


def test_too_few_labels_are_refused_with_the_way_out(words):
    with pytest.raises(InvalidInput, match="label more messages"):
        EmbeddingAnnotator.fit(taught().head(3), words)


def test_what_was_learnt_survives_its_file(annotator, words, tmp_path):
    annotator.save(tmp_path / "heads.json", {"source": "a test"})
    again = EmbeddingAnnotator.load(words, tmp_path / "heads.json")
    texts = [text for texts in SAID.values() for text in texts]
    assert label(again, *texts) == label(annotator, *texts)
    assert np.allclose(again.heads.weights, annotator.heads.weights, atol=5e-5)
    assert json.loads((tmp_path / "heads.json").read_text())["source"] == "a test"


def test_heads_of_another_encoder_are_refused(annotator, tmp_path):
    annotator.save(tmp_path / "heads.json", {})
    with pytest.raises(InvalidInput, match="were fitted on words"):
        EmbeddingAnnotator.load(Encoder(), tmp_path / "heads.json")


def test_a_missing_and_a_damaged_file_say_how_to_get_one(tmp_path):
    with pytest.raises(MissingData, match=r"python -m support\.analysis\.dialogue_acts\.train"):
        EmbeddingAnnotator.load(path=tmp_path / "none.json")
    (tmp_path / "bad.json").write_text('{"heads": {"inform": {}}}')
    with pytest.raises(DamagedFile, match=r"bad\.json"):
        EmbeddingAnnotator.load(path=tmp_path / "bad.json")


def test_the_majority_label_is_the_most_frequent_one():
    frame = pd.DataFrame({"acts": [("inform", "request"), ("request",), ("others",)]})
    majority = MajorityAnnotator.fit(frame)
    assert label(majority, "anything", "") == [("request",)] * 2
    assert majority.covered == ("request",)
