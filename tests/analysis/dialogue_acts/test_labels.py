"""Labels that people give: kept, compared, and used."""

import sqlite3

import numpy as np
import pandas as pd
import pytest

from support.analysis.dialogue_acts.agreement import MEAN
from support.analysis.dialogue_acts.classifiers import EmbeddingAnnotator
from support.analysis.dialogue_acts.labels import LabelFile, coder_agreement, draw_sample, load_labels, settled
from support.errors import DamagedFile, InvalidInput, MissingData


def message(i, text="hello"):
    return {"run": i // 3, "round": 1, "sender": "Ana", "text": f"{text} {i}"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "labels.sqlite"


def give(path, coder, labels, text="hello"):
    file = LabelFile(path)
    for i, acts in labels.items():
        file.add(message(i, text), coder, acts)
    file.close()


def test_labels_survive_and_the_latest_counts_while_none_is_erased(path):
    give(path, "Kim", {0: ["inform"], 1: ["request", "inform"]})
    give(path, "Kim", {0: ["propose"]})
    labels = load_labels(path)
    assert dict(zip(labels["text"], labels["acts"], strict=True)) == {
        "hello 0": ("propose",), "hello 1": ("inform", "request"),
    }  # fmt: skip
    assert sqlite3.connect(path).execute("SELECT count(*) FROM labels").fetchone() == (3,)


@pytest.mark.parametrize(
    ("acts", "said"),
    [([], "tick at least one"), (["agree"], "'agree' given"), (["others", "inform"], "no other fits")],
)
def test_a_label_that_says_nothing_or_two_things_is_refused(path, acts, said):
    file = LabelFile(path)
    with pytest.raises(InvalidInput, match=said):
        file.add(message(0), "Kim", acts)
    assert file.read().empty


def test_a_label_of_nobody_is_refused(path):
    with pytest.raises(InvalidInput, match="expected a name"):
        LabelFile(path).add(message(0), " ", ["inform"])


@pytest.mark.parametrize("text", ["", "我同意", "🙂", "x" * 20_000, "<b>&'\"; DROP TABLE labels"])
def test_any_text_is_kept_as_it_is(path, text):
    LabelFile(path).add({**message(0), "text": text}, "Kim", ["others"])
    assert load_labels(path)["text"].item() == text


def test_two_coders_are_compared_on_what_both_labelled(path):
    give(path, "Kim", {i: ["inform"] if i % 2 else ["request"] for i in range(12)})
    give(path, "Lee", {i: ["inform"] if i % 2 else ["request"] for i in range(1, 10)})
    frame = coder_agreement(load_labels(path), np.random.default_rng(1), draws=50)
    assert frame["n"].eq(9).all()
    values = frame.set_index(["act", "measure"])["value"]
    assert values["inform", "kappa"] == values["inform", "alpha"] == values[MEAN, "kappa"] == 1


def test_labels_of_one_coder_have_no_agreement_and_it_says_what_to_do(path):
    give(path, "Kim", {0: ["inform"]})
    with pytest.raises(InvalidInput, match="only Kim has labelled: agreement needs a second person on the same"):
        coder_agreement(load_labels(path), np.random.default_rng(1))
    give(path, "Lee", {1: ["inform"]})
    with pytest.raises(InvalidInput, match="no message in common"):
        coder_agreement(load_labels(path), np.random.default_rng(1))


def test_what_is_settled_is_what_all_coders_give(path):
    give(path, "Kim", {0: ["inform", "request"], 1: ["accept"], 2: ["others"]})
    give(path, "Lee", {0: ["request", "propose"], 1: ["decline"]})
    made = settled(load_labels(path)).set_index("text")
    assert made["acts"].to_dict() == {"hello 0": ("request",), "hello 2": ("others",)}
    assert made["coders"].to_dict() == {"hello 0": 2, "hello 2": 1}


def test_labels_of_people_train_an_annotator(path, words):
    give(path, "Kim", {i: ["inform"] for i in range(0, 24, 2)}, "I value good A")
    give(path, "Kim", {i: ["request"] for i in range(1, 24, 2)}, "what do you need ?")
    annotator = EmbeddingAnnotator.fit(settled(load_labels(path)), words)
    assert annotator.heads.acts == ("inform", "request")


def test_no_file_and_another_file_are_told_apart(path):
    with pytest.raises(MissingData, match="LabellingDesk"):
        load_labels(path)
    path.write_text("a text")
    with pytest.raises(DamagedFile):
        load_labels(path)


def test_a_label_in_the_file_that_is_none_is_named(path):
    give(path, "Kim", {0: ["inform"]})
    with sqlite3.connect(path) as db:
        db.execute("UPDATE labels SET acts = '[\"chat\"]'")
    with pytest.raises(DamagedFile, match="chat"):
        load_labels(path)


def test_a_sample_is_drawn_without_return_in_the_order_of_the_frame():
    frame = pd.DataFrame({"text": list("abcdefgh")})
    places = draw_sample(frame, 5, np.random.default_rng(2))
    assert places == sorted(set(places)) and len(places) == 5
    assert places == draw_sample(frame, 5, np.random.default_rng(2))
    assert draw_sample(frame, 99, np.random.default_rng(2)) == list(range(8))
    with pytest.raises(InvalidInput, match="n: 0"):
        draw_sample(frame, 0, np.random.default_rng(2))
