"""What the recommender says: fitted once on u1.base, its predictions for u1.test kept in the cache folder.

The paper leaves consulting a recommender for future work; here one agent may. It sees of u1.test who is
asked about which film, and when the rating was made, never the rating.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from support.downloads import remembered
from support.environments.movielens.ratings import MovieLens100k
from support.solvers import rating_baselines, recommender
from support.solvers.recommender import Recommender, fit_factorisation


@lru_cache(maxsize=2)
def fitted(data: MovieLens100k) -> Recommender:
    """The recommender of this process: about 6 s the first time."""
    return fit_factorisation(data.base)


@lru_cache(maxsize=2)
def recommendations(data: MovieLens100k) -> pd.DataFrame:
    """The recommender's word on every pair of u1.test, indexed by user and item.

    The column `prediction` holds the expected rating and `error` its standard error, both in stars; the noise
    of a single rating is not in the error. Fitted once per machine, then read from the cache folder.
    """
    pairs = data.test[["user", "item", "timestamp"]]
    said = remembered("movielens-advice", _key(data.base, pairs), lambda: _predict(data, pairs))
    index = pd.MultiIndex.from_frame(pairs[["user", "item"]])
    return pd.DataFrame({"prediction": said[0], "error": said[1]}, index=index)


def advice(data: MovieLens100k, user: int, item: int) -> tuple[float, float]:
    """The recommender's expected rating and its standard error, in stars, for one pair.

    A pair outside u1.test has no known time: the recommender is then fitted in this process.
    """
    row = _rows(data).get((user, item))
    if row is None:
        prediction, error = fitted(data).predict_with_error([user], [item])
        return float(prediction[0]), float(error[0])
    return row


@lru_cache(maxsize=2)
def _rows(data: MovieLens100k) -> dict[tuple[int, int], tuple[float, float]]:
    table = recommendations(data)
    said = zip(table["prediction"].tolist(), table["error"].tolist(), strict=True)
    return dict(zip(table.index.tolist(), said, strict=True))


def _predict(data: MovieLens100k, pairs: pd.DataFrame) -> np.ndarray:
    return np.array(fitted(data).predict_with_error(pairs["user"], pairs["item"], pairs["timestamp"]))


def _key(base: pd.DataFrame, pairs: pd.DataFrame) -> str:
    """A sum over all that the predictions depend on: the ratings, the pairs, the library and the sources."""
    digest = hashlib.sha256(f"myfm {version('myfm')}".encode())
    for module in (recommender, rating_baselines):
        digest.update(Path(str(module.__file__)).read_bytes())
    for table in (base, pairs):
        digest.update(table.to_numpy().tobytes())
    return digest.hexdigest()
