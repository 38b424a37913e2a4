"""Texts become unit vectors, once; the file keeps them, and says when something in it is wrong."""

import sqlite3

import numpy as np
import pytest

from support.analysis import embeddings
from support.analysis.embeddings import Encoder
from support.errors import DamagedFile, MissingData


class Counting:
    """In the place of a transformer: a vector by length, and a list of what was asked."""

    def __init__(self):
        self.asked = []

    def encode(self, texts, **options):
        if "KeyboardInterrupt" in texts:
            raise KeyboardInterrupt
        self.asked.append(list(texts))
        vectors = np.ones((len(texts), 3)) * np.array([[len(t) % 5] for t in texts])
        vectors[:, 0] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def counting(monkeypatch):
    transformer = Counting()
    monkeypatch.setattr(embeddings, "_load", lambda model: transformer)
    return transformer


def test_a_text_is_computed_once_for_each_model_and_file(counting, tmp_path):
    encoder = Encoder(tmp_path / "vectors.sqlite")
    found = encoder.encode(["bb", "a", "bb"])
    assert counting.asked == [["a", "bb"]]
    assert (found[0] == found[2]).all() and not (found[0] == found[1]).all()
    assert (encoder.encode(["a"])[0] == found[1]).all()
    assert (
        Encoder(tmp_path / "vectors.sqlite").encode(["bb", "a", "bb"]) == found
    ).all()
    assert len(counting.asked) == 1 and encoder.encode([]).shape[0] == 0
    Encoder(tmp_path / "vectors.sqlite", model="another").encode(["a"])
    assert len(counting.asked) == 2


def test_what_was_computed_before_an_interruption_stays(
    counting, tmp_path, monkeypatch
):
    monkeypatch.setattr(embeddings, "KEPT_EVERY", 2)
    with pytest.raises(KeyboardInterrupt):
        Encoder(tmp_path / "vectors.sqlite").encode(
            ["KeyboardInterrupt", "a", "bb", "ccc"]
        )
    Encoder(tmp_path / "vectors.sqlite").encode(["a", "bb", "ccc", "cccc"])
    assert counting.asked == [["a", "bb"], ["ccc", "cccc"]]


@pytest.mark.parametrize("bytes_", [b"\0\0", b"\0"])
def test_a_vector_that_is_cut_off_is_said(counting, tmp_path, bytes_):
    path = tmp_path / "vectors.sqlite"
    Encoder(path).encode(["a", "bb"])
    with sqlite3.connect(path) as database:
        database.execute("UPDATE embeddings SET vector = ? WHERE rowid = 1", (bytes_,))
    database.close()
    with pytest.raises(DamagedFile, match="that was cut off; move it away"):
        Encoder(path).encode(["a", "bb"])


def test_a_model_that_is_not_there_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(
        MissingData,
        match=r"'/nowhere' cannot be loaded .*all-MiniLM-L6-v2.*make .venv/installed",
    ):
        Encoder(model="/nowhere").encode(["a"])


def test_texts_that_mean_the_same_are_closer_and_every_text_has_a_vector_of_length_one(
    encoder,
):
    found = encoder.encode(
        [
            "I accept your offer.",
            "I accept the offer you made.",
            "The remote control is yellow.",
        ]
    )
    assert found.dtype == np.float32 and found.shape == (3, 384)
    assert found[0] @ found[1] > found[0] @ found[2] + 0.2
    odd = encoder.encode(
        [
            "",
            " ",
            "👍🎉",
            "我同意安娜的建议",
            "أوافق",
            "no. " * 5000,
            "\ud800 half a pair",
            "\0",
        ]
    )
    assert np.linalg.norm(np.vstack([found, odd]), axis=1) == pytest.approx(1, abs=1e-3)
