"""Texts become unit vectors, once; the file keeps them, and says when something in it is wrong."""

import numpy as np
import pytest

from support.analysis import embeddings
from support.analysis.embeddings import Encoder


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
