"""An encoder without weights, and the real one."""

import hashlib
from functools import cache

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from support.analysis.embeddings import Encoder


@cache
def direction(word):
    digest = hashlib.sha256(word.encode()).hexdigest()
    return np.random.default_rng(int(digest[:8], 16)).normal(size=24)


class Words(Encoder):
    """Every word has a direction of its own, so that texts of the same words are near."""

    def encode(self, texts):
        made = np.zeros((len(texts), 24), dtype=np.float32)
        for row, text in zip(made, texts, strict=True):
            for word in text.lower().split():
                row += direction(word)
        return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """The matrices are small: threads would cost more than they give."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session")
def words():
    return Words(model="words")


@pytest.fixture(scope="session")
def encoder():
    """The real one, whose weights are loaded once."""
    return Encoder()
