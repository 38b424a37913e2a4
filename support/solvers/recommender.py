"""A recommender with temporal features: a Bayesian factorisation machine in the manner of timeSVD++.

It stands in the place of the paper's state of the art (Behera and Nain 2023, collaborative filtering with
temporal features). The features follow Rendle, Zhang and Koren (2019), "On the difficulty of evaluating
baselines": the user, the item, the week of the rating, the items that the user rated (SVD++), and the users
who rated the item; fitted with Gibbs sampling by the library myfm.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from support.errors import InvalidInput
from support.solvers.rating_baselines import STARS

RANK = 8
ITERATIONS = 100
SEED = 1
WEEK = 7 * 86_400  # seconds
"""Settings chosen on a random tenth of u1.base, never on u1.test.

Tried were ranks 4 to 12, 60 to 200 iterations, days and weeks, and leaving features out. The blocks of rated
items and of raters bring most of the gain (mean absolute error 0.704 to 0.688 stars), weeks a little (0.693
without them); beyond rank 8 and 60 iterations the differences are noise.
"""


@dataclass(frozen=True, eq=False)
class Recommender:
    """A fitted factorisation machine; make one with `fit_factorisation`."""

    encoder: _Encoder = field(repr=False)
    samples: tuple[Any, ...] = field(repr=False)
    noise_sd: float

    def predict(self, users: Any, items: Any, timestamps: Any = None) -> np.ndarray:
        """Expected ratings in stars, as an array of shape (n,).

        Parameters
        ----------
        users, items : array_like of int, shape (n,)
            An unseen user or item is taken as the average one.
        timestamps : array_like of int, shape (n,), optional
            Seconds since 1970, UTC. A time outside the fitted weeks counts as the nearest; None as no particular week.
        """
        return self.predict_with_error(users, items, timestamps)[0]

    def predict_with_error(self, users: Any, items: Any, timestamps: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Expected ratings and their standard errors, both in stars and of shape (n,).

        The error is the posterior standard deviation of the expectation; the noise of a single rating,
        `noise_sd`, is not in it.
        """
        weeks, related = self.encoder.encode(users, items, timestamps)
        scores = np.array([sample.predict_score(weeks, related) for sample in self.samples])
        return np.clip(scores.mean(axis=0), *STARS), scores.std(axis=0)


def fit_factorisation(
    base: pd.DataFrame, rank: int = RANK, iterations: int = ITERATIONS, seed: int = SEED
) -> Recommender:
    """Fit the recommender to ratings; 80,000 of them take about 6 s on one core.

    Parameters
    ----------
    base : DataFrame
        The columns user, item, rating (stars) and timestamp (seconds since 1970), one row for each rating.
    rank : int
        Number of factors of the pairwise interactions.
    iterations : int
        Gibbs samples drawn; the first fifth is discarded.
    seed : int
        Seed of the sampler: equal seeds give equal predictions.

    Raises
    ------
    InvalidInput
        On no ratings, a rank below 1, or fewer than 5 iterations.
    """
    if base.empty or rank < 1 or iterations < 5:
        raise InvalidInput(
            f"base, rank, iterations: {len(base)} ratings, rank {rank!r} and {iterations!r} iterations given; "
            "expected 1 rating or more, rank 1 or more and 5 iterations or more"
        )
    encoder = _Encoder.of(base)
    weeks, related = encoder.encode(base["user"], base["item"], base["timestamp"])
    with _quiet():
        import myfm

        machine = myfm.MyFMGibbsRegressor(rank=rank, random_seed=seed)
        machine.fit(
            weeks,
            base["rating"].to_numpy(dtype=float),
            X_rel=related,
            n_iter=iterations,
            n_kept_samples=iterations - iterations // 5,
            group_shapes=encoder.groups,
        )
    noise = [hyper.alpha**-0.5 for hyper in machine.history_.hypers[iterations // 5 :]]
    return Recommender(encoder, tuple(machine.predictor_.samples), float(np.mean(noise)))


@dataclass(frozen=True, eq=False)
class _Encoder:
    """Ratings as rows of a factorisation machine: a week, and a block each that all rows of a user or item share.

    Whoever was not seen is taken as the average of the seen, over ratings: the last row of each block.
    Likewise a rating without a time falls into every week in proportion to the week's ratings.
    """

    users: pd.Index
    items: pd.Index
    first: int
    weeks: np.ndarray
    user_block: sparse.csr_matrix
    item_block: sparse.csr_matrix

    @classmethod
    def of(cls, base: pd.DataFrame) -> _Encoder:
        """Learn who was seen, and who rated what."""
        (u, users), (i, items) = (pd.factorize(base[name], sort=True) for name in ("user", "item"))
        rated = sparse.csr_matrix((np.ones(len(base)), (u, i)), shape=(len(users), len(items)))
        first = int(base["timestamp"].min())
        weeks = np.bincount((base["timestamp"] - first) // WEEK) / len(base)
        blocks = (_block(rated), _block(rated.T.tocsr()))
        return cls(pd.Index(users), pd.Index(items), first, weeks, *blocks)

    @property
    def groups(self) -> list[int]:
        """Sizes of the groups of features, each of which has a prior of its own."""
        sizes = (len(self.users), len(self.items))
        return [len(self.weeks), *sizes, *reversed(sizes)]

    def encode(self, users: Any, items: Any, timestamps: Any = None) -> tuple[sparse.csr_matrix, list[Any]]:
        """The rows of the weeks, and the relation blocks of the users and the items."""
        with _quiet():
            from myfm import RelationBlock
        rows = _places(self.users, users), _places(self.items, items)
        blocks = self.user_block, self.item_block
        related = [RelationBlock(row.tolist(), block) for row, block in zip(rows, blocks, strict=True)]
        return self._weeks(len(rows[0]), timestamps), related

    def _weeks(self, n: int, timestamps: Any) -> sparse.csr_matrix:
        if timestamps is None:
            return sparse.csr_matrix(np.tile(self.weeks, (n, 1)))
        week = np.clip((np.atleast_1d(timestamps) - self.first) // WEEK, 0, len(self.weeks) - 1)
        return sparse.csr_matrix((np.ones(n), (np.arange(n), week)), shape=(n, len(self.weeks)))


def _places(index: pd.Index, ids: Any) -> np.ndarray:
    """Where each id stands in the index; behind its end for whoever is not in it."""
    places = index.get_indexer(pd.Index(np.atleast_1d(ids)))
    return np.where(places < 0, len(index), places)


def _block(rated: sparse.csr_matrix) -> sparse.csr_matrix:
    """Each row's own column, then what it is related to, scaled to length one; last, the average over ratings."""
    counts = rated.getnnz(axis=1)
    scaled = sparse.diags_array(1 / np.sqrt(counts)) @ rated
    rows = sparse.csr_matrix(sparse.hstack([sparse.eye_array(len(counts)), scaled]))
    return sparse.csr_matrix(sparse.vstack([rows, sparse.csr_matrix(counts / counts.sum()) @ rows]))


@contextlib.contextmanager
def _quiet() -> Any:
    """Without myfm's progress bars, and its warning about the age of its packaging."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
