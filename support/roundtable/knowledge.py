"""What anybody may know of MovieLens at large, from u1.base alone: aggregates, likeness, a recommender's word.

The paper leaves consulting a recommender for future work; here one agent may. Of u1.test it sees who is asked about
which film, and when the rating was made, never the rating.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from support.downloads import remembered
from support.roundtable.ratings import MovieLens100k
from support.solvers import rating_baselines, recommender
from support.solvers.rating_baselines import (
    STARS,
    fit_effects,
)
from support.solvers.recommender import fit_factorisation

PENALTY = 10.0  # of the ridge regression: about ten ratings' worth, so that rare occupations and genres weigh little
FEATURES = [
    "age",
    "gender",
    "occupation",
    "release_date",
    "genre",
]
AGE_BANDS = (18, 25, 35, 45, 50, 56)
"""Lower ends above the first, as in GroupLens's later data sets."""
RANK = 10
SEED = 0
ITERATIONS = 500
"""Settings of scikit-learn's NMF (start: NNDSVD with zeros filled by the mean; coordinate descent).

The paper gives none. Of the ranks 3, 5, 8, 10, 15 and 20, rank 10 predicted a random tenth of u1.base best from
the neighbours' ratings. Which ranks give the similarities that the paper prints is measured in notebook 21.
"""


# ---- aggregates ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Priors:
    """Common knowledge of ratings, in stars: rating = mean + user + film + noise.

    `mean` is that of all ratings of u1.base; `user_sd`, `film_sd` and `noise_sd` are the standard deviations of the
    three components: noise_sd**2 / user_sd**2 ratings of a user weigh as much as the prior, and likewise for a film.
    `genre_means` are over all ratings of films of a genre, `offsets` the stars that one of the `features` adds.
    `demographic_error` is the standard error of `demographic_estimate`, without the noise of a single rating.
    `film_mean` is expected of the average user for a film of which nothing is known, each film counting once: less than
    `mean`, because films that many rate are rated higher.
    """

    mean: float
    user_sd: float
    film_sd: float
    noise_sd: float
    genre_means: Mapping[str, float] = field(repr=False)
    offsets: Mapping[str, float] = field(repr=False)
    demographic_error: float
    film_mean: float

    def demographic_estimate(self, basic: Mapping[Any, Any]) -> tuple[float, float]:
        """The rating expected of such a user for such a film, and its standard error, in stars.

        `basic` is a row of the table of the agent BasicInfo.
        """
        known = features(*basic[FEATURES])
        estimate = self.mean + sum(self.offsets.get(name, 0.0) for name in known)
        return float(np.clip(estimate, *STARS)), self.demographic_error


def features(
    age: int,
    gender: str,
    occupation: str,
    release: str,
    genres: Iterable[str],
) -> list[str]:
    """Names of the features of a user and a film.

    >>> features(29, "F", "artist", "1995", ("Drama",))
    ['by gender:F', 'by age:25', 'by occupation:artist', 'of decade:1990', 'of genre:Drama', 'taste F:Drama']
    """
    band = max((low for low in AGE_BANDS if low <= age), default=0)
    user = [
        f"by gender:{gender}",
        f"by age:{band}",
        f"by occupation:{occupation}",
    ]
    decade = [f"of decade:{release[:3]}0"] if release else []
    of_genre = [f"of genre:{genre}" for genre in genres]
    return user + decade + of_genre + [f"taste {gender}:{genre}" for genre in genres]


@lru_cache(maxsize=4)
def priors(data: MovieLens100k) -> Priors:
    """Learn the aggregates from u1.base, the offsets by a ridge regression, in a second."""
    from sklearn.linear_model import Ridge
    from sklearn.preprocessing import MultiLabelBinarizer

    base, effects = data.base, fit_effects(data.base)
    rated = base.join(data.users, on="user").join(data.items, on="item")
    by_genre = rated.explode("genres").groupby("genres")["rating"].mean()
    rows = rated[["age", "gender", "occupation", "release", "genres"]].to_numpy()
    named = [features(*row) for row in rows]
    for gender in "FM":  # also those that nobody rated
        named.append([f"taste {gender}:{genre}" for genre in by_genre.index])
    binary = MultiLabelBinarizer(sparse_output=True)
    design = binary.fit_transform(named)[: len(base)].astype(float)
    deviations = (base["rating"] - base["rating"].mean()).to_numpy(dtype=float)
    fit = Ridge(PENALTY, fit_intercept=False, solver="cholesky")
    residual = deviations - fit.fit(design, deviations).predict(design)
    unexplained = residual.std() ** 2 - effects.noise_sd**2
    return Priors(
        mean=float(base["rating"].mean()),
        user_sd=effects.user_sd,
        film_sd=effects.item_sd,
        noise_sd=effects.noise_sd,
        genre_means=dict(zip(by_genre.index, by_genre.tolist(), strict=True)),
        offsets=dict(
            zip(
                binary.classes_,
                fit.coef_.tolist(),
                strict=True,
            )
        ),
        demographic_error=float(np.sqrt(max(unexplained, 0.0))),
        film_mean=effects.mean,
    )


# ---- likeness (C.4): the cosine of two users' factors in a non-negative factorisation --------------------------------


@lru_cache(maxsize=4)
def similarities(data: MovieLens100k) -> pd.DataFrame:
    """Cosines from 0 to 1 between the users of u1.base, whose empty cells are 0; about 1.5 s."""
    from sklearn.decomposition import NMF
    from sklearn.metrics.pairwise import cosine_similarity

    users, user = np.unique(data.base["user"], return_inverse=True)
    _, item = np.unique(data.base["item"], return_inverse=True)
    table = sparse.csr_matrix((data.base["rating"].astype(float), (user, item)))
    how: Any = {
        "init": "nndsvda",
        "random_state": SEED,
        "max_iter": ITERATIONS,
    }
    factors = NMF(RANK, **how).fit_transform(table)
    return pd.DataFrame(cosine_similarity(factors), users, users)


# ---- a recommender's word --------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def recommendations(
    data: MovieLens100k,
) -> Mapping[tuple[int, int], tuple[float, float]]:
    """The expected rating and its standard error, in stars, of every (user, item) of u1.test.

    The noise of a single rating is not in the error. Fitted once per machine, about 6 s, then kept in the cache folder.
    """
    pairs = data.test[["user", "item", "timestamp"]]

    def predicted() -> np.ndarray:
        model = fit_factorisation(data.base)
        columns = (pairs[name] for name in pairs)
        return np.array(model.predict_with_error(*columns))

    key = _key(data.base, pairs)
    values, errors = remembered("movielens-advice", key, predicted).tolist()
    asked = zip(
        pairs["user"].tolist(),
        pairs["item"].tolist(),
        strict=True,
    )
    return dict(
        zip(
            asked,
            zip(values, errors, strict=True),
            strict=True,
        )
    )


def _key(base: pd.DataFrame, pairs: pd.DataFrame) -> str:
    """A sum over all that the predictions depend on: the ratings, the pairs, the library and the sources."""
    digest = hashlib.sha256(f"myfm {version('myfm')}".encode())
    for module in (recommender, rating_baselines):
        digest.update(Path(str(module.__file__)).read_bytes())
    for table in (base, pairs):
        digest.update(table.to_numpy().tobytes())
    return digest.hexdigest()
