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
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

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
    """A fitted factorisation machine; make one with `fit_factorisation`.

    Its rows are a week, and a block each that all rows of a user or an item share.
    Whoever was not seen is taken as the average of the seen, over ratings: the last row
    of each block.
    """

    users: pd.Index = field(repr=False)
    items: pd.Index = field(repr=False)
    first: int  # seconds since 1970 of the first week's begin
    weeks: int
    blocks: tuple[sparse.csr_matrix, sparse.csr_matrix] = field(repr=False)
    samples: tuple[Any, ...] = field(default=(), repr=False)

    def predict_with_error(
        self,
        users: Any,
        items: Any,
        timestamps: Any,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Expected ratings and their standard errors, both in stars, of shape (n,).

        `timestamps` are seconds since 1970, UTC: a time outside the fitted weeks counts
        as the nearest. The error is the posterior standard deviation of the
        expectation; the noise of a single rating is not in it.
        """
        weeks, related = self.encode(users, items, timestamps)
        each = [sample.predict_score(weeks, related) for sample in self.samples]
        return np.clip(np.mean(each, axis=0), *STARS), np.std(each, axis=0)

    def encode(
        self,
        users: Any,
        items: Any,
        timestamps: Any,
    ) -> tuple[sparse.csr_matrix, list[Any]]:
        """The rows of the weeks, and the relation blocks of the users and the items."""
        with _quiet():
            from myfm import RelationBlock
        known = ((self.users, users), (self.items, items))
        related = []
        for (index, ids), block in zip(known, self.blocks, strict=True):
            places = index.get_indexer(pd.Index(ids))
            places[places < 0] = len(index)
            related.append(RelationBlock(places.tolist(), block))
        n = len(users)
        passed = (np.asarray(timestamps) - self.first) // WEEK
        cells = np.arange(n), np.clip(passed, 0, self.weeks - 1)
        return sparse.csr_matrix((np.ones(n), cells), (n, self.weeks)), related


def fit_factorisation(
    base: pd.DataFrame,
    rank: int = RANK,
    iterations: int = ITERATIONS,
    seed: int = SEED,
) -> Recommender:
    """Fit the recommender to ratings; 80,000 of them take about 6 s on one core.

    `base` has the columns user, item, rating (stars) and timestamp (seconds since
    1970), `rank` is the number of factors of the pairwise interactions; of the Gibbs
    samples the first fifth is discarded. Equal seeds give equal predictions.
    """
    u, users = pd.factorize(base["user"], sort=True)
    i, items = pd.factorize(base["item"], sort=True)
    shape = len(users), len(items)
    rated = sparse.csr_matrix((np.ones(len(base)), (u, i)), shape)
    blocks = _block(rated), _block(rated.T.tocsr())
    first, last = base["timestamp"].agg(["min", "max"]).astype(int)
    spanned = (last - first) // WEEK + 1
    unfitted = Recommender(users, items, first, spanned, blocks)
    weeks, related = unfitted.encode(base["user"], base["item"], base["timestamp"])
    groups = [spanned, *shape, *shape[::-1]]  # of features, each with its own prior
    with _quiet():
        import myfm

        machine = myfm.MyFMGibbsRegressor(rank=rank, random_seed=seed)
        machine.fit(
            weeks,
            base["rating"].to_numpy(dtype=float),
            X_rel=related,
            n_iter=iterations,
            n_kept_samples=iterations - iterations // 5,
            group_shapes=groups,
        )
    return replace(unfitted, samples=tuple(machine.predictor_.samples))


def _block(rated: sparse.csr_matrix) -> sparse.csr_matrix:
    """Each row's own column, then what it is related to; last, the average over ratings.

    What a row is related to is scaled to length one.
    """
    counts = rated.getnnz(axis=1)
    scaled = sparse.diags_array(1 / np.sqrt(counts)) @ rated
    rows = sparse.csr_matrix(sparse.hstack([sparse.eye_array(len(counts)), scaled]))
    average = sparse.csr_matrix(counts / counts.sum()) @ rows
    return sparse.csr_matrix(sparse.vstack([rows, average]))


@contextlib.contextmanager
def _quiet() -> Any:
    """Without myfm's progress bars, and its warning about the age of its packaging."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
