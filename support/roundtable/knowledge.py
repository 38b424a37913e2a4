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
from support.solvers.rating_baselines import STARS, fit_effects
from support.solvers.recommender import fit_factorisation

PENALTY = 10.0  # of the ridge regression: about ten ratings' worth, so that rare occupations and genres weigh little
AGE_BANDS = (
    18,
    25,
    35,
    45,
    50,
    56,
)  # lower ends above the first, as in GroupLens's later data sets
RANK, SEED, ITERATIONS = 10, 0, 500
"""Settings of scikit-learn's NMF (start: NNDSVD with zeros filled by the mean; coordinate descent).

The paper gives none. Of the ranks 3, 5, 8, 10, 15 and 20, rank 10 predicted a random tenth of u1.base best from
the neighbours' ratings. Which ranks give the similarities that the paper prints is measured in notebook 21.
"""


# ---- aggregates ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Priors:
    """Common knowledge of ratings, in stars: rating = mean + user + film + noise.

    `mean` and `sd` are those of all ratings of u1.base; `user_sd`, `film_sd` and `noise_sd` the standard deviations of
    the three components: noise_sd**2 / user_sd**2 ratings of a user weigh as much as the prior, and likewise for a
    film. `genre_means` are over all ratings of films of a genre, `offsets` the stars that a feature adds ("gender:F",
    "age:25", "genre:Drama", "decade:1990", "gender:F×genre:Drama"). `demographic_error` is the standard error of
    `demographic_estimate`, without the noise of a single rating. `film_mean` is expected of the average user for a film
    of which nothing is known, each film counting once: less than `mean`, because films that many rate are rated higher.
    """

    mean: float
    sd: float
    user_sd: float
    film_sd: float
    noise_sd: float
    genre_means: Mapping[str, float] = field(repr=False)
    offsets: Mapping[str, float] = field(repr=False)
    demographic_error: float
    film_mean: float

    def demographic_estimate(
        self, basic: Mapping[Any, Any] | pd.Series
    ) -> tuple[float, float]:
        """The rating expected of such a user for such a film, and its standard error, both in stars.

        `basic` is a row of the table of the agent BasicInfo.
        """
        who = user_features(basic["age"], basic["gender"], basic["occupation"])
        what = film_features(basic["release_date"], basic["genre"])
        estimate = self.mean + sum(
            self.offsets.get(name, 0.0) for name in (*who, *what, *_crossed(who, what))
        )
        return float(np.clip(estimate, *STARS)), self.demographic_error


def user_features(age: int, gender: str, occupation: str) -> list[str]:
    """Names of the features of a user.

    >>> user_features(29, "F", "artist")
    ['gender:F', 'age:25', 'occupation:artist']
    """
    band = max((low for low in AGE_BANDS if low <= age), default=0)
    return [f"gender:{gender}", f"age:{band}", f"occupation:{occupation}"]


def film_features(release: str, genres: Iterable[str]) -> list[str]:
    """Names of the features of a film.

    >>> film_features("19950101", ("Comedy", "Drama"))
    ['decade:1990', 'genre:Comedy', 'genre:Drama']
    """
    return [f"decade:{release[:3]}0"] * bool(release) + [
        f"genre:{genre}" for genre in genres
    ]


def _crossed(who: Iterable[str], what: Iterable[str]) -> list[str]:
    """Names of the features of a pair: gender by genre."""
    genders = [name for name in who if name.startswith("gender:")]
    return [
        f"{gender}×{genre}"
        for gender in genders
        for genre in what
        if genre.startswith("genre:")
    ]


@lru_cache(maxsize=4)
def priors(data: MovieLens100k) -> Priors:
    """Learn the aggregates from u1.base, the offsets by a ridge regression, in half a second."""
    from sklearn.linear_model import Ridge

    base, effects = data.base, fit_effects(data.base)
    columns, design = _design(data)
    deviations = base["rating"].to_numpy(dtype=float) - base["rating"].mean()
    fit = Ridge(PENALTY, fit_intercept=False, solver="cholesky").fit(design, deviations)
    residual = float((deviations - fit.predict(design)).std())
    rated = base.join(data.items["genres"], on="item").explode("genres")
    genres = {
        str(genre): float(value)
        for genre, value in rated.groupby("genres")["rating"].mean().items()
    }
    return Priors(
        mean=float(base["rating"].mean()),
        sd=float(base["rating"].std()),
        user_sd=effects.user_sd,
        film_sd=effects.item_sd,
        noise_sd=effects.noise_sd,
        genre_means=genres,
        offsets=dict(zip(columns, fit.coef_.tolist(), strict=True)),
        demographic_error=float(np.sqrt(max(residual**2 - effects.noise_sd**2, 0.0))),
        film_mean=effects.mean,
    )


def _design(data: MovieLens100k) -> tuple[list[str], sparse.csr_matrix]:
    people = [
        user_features(*row)
        for row in data.users[["age", "gender", "occupation"]].itertuples(index=False)
    ]
    films = [
        film_features(*row)
        for row in data.items[["release", "genres"]].itertuples(index=False)
    ]
    (names, who), (named, what) = _indicators(people), _indicators(films)
    blocks = [
        who[data.users.index.get_indexer(pd.Index(data.base["user"]))],
        what[data.items.index.get_indexer(pd.Index(data.base["item"]))],
    ]
    genres = [k for k, name in enumerate(named) if name.startswith("genre:")]
    crossed = [
        (column, gender)
        for column, gender in enumerate(names)
        if gender.startswith("gender:")
    ]
    names = [*names, *named]
    for column, gender in crossed:
        names += [f"{gender}×{named[k]}" for k in genres]
        blocks.append(blocks[1][:, genres].multiply(blocks[0][:, [column]]))
    return names, sparse.csr_matrix(sparse.hstack(blocks))


def _indicators(rows: list[list[str]]) -> tuple[list[str], sparse.csr_matrix]:
    """Names of the columns, sorted, and a table with 1 where a row has the feature."""
    from sklearn.preprocessing import MultiLabelBinarizer

    fit = MultiLabelBinarizer(sparse_output=True).fit(rows)
    return fit.classes_.tolist(), fit.transform(rows).astype(float)


# ---- likeness (C.4): the cosine of two users' factors in a non-negative factorisation --------------------------------


@lru_cache(maxsize=4)
def similarities(data: MovieLens100k) -> pd.DataFrame:
    """Cosines from 0 to 1 between the users of u1.base, whose empty cells are 0; about 1.5 s."""
    from sklearn.decomposition import NMF

    (u, users), (i, _) = (
        pd.factorize(data.base[name], sort=True) for name in ("user", "item")
    )
    table = sparse.csr_matrix((data.base["rating"].to_numpy(dtype=float), (u, i)))
    factors = NMF(
        RANK, init="nndsvda", random_state=SEED, max_iter=ITERATIONS
    ).fit_transform(table)
    lengths = np.linalg.norm(factors, axis=1, keepdims=True)
    unit = factors / np.where(lengths == 0, 1.0, lengths)
    return pd.DataFrame(np.clip(unit @ unit.T, 0.0, 1.0), users, users)


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
        return np.array(
            fit_factorisation(data.base).predict_with_error(
                *(pairs[name] for name in pairs)
            )
        )

    said = remembered("movielens-advice", _key(data.base, pairs), predicted)
    asked = zip(pairs["user"].tolist(), pairs["item"].tolist(), strict=True)
    return dict(zip(asked, zip(*said.tolist(), strict=True), strict=True))


def _key(base: pd.DataFrame, pairs: pd.DataFrame) -> str:
    """A sum over all that the predictions depend on: the ratings, the pairs, the library and the sources."""
    digest = hashlib.sha256(f"myfm {version('myfm')}".encode())
    for module in (recommender, rating_baselines):
        digest.update(Path(str(module.__file__)).read_bytes())
    for table in (base, pairs):
        digest.update(table.to_numpy().tobytes())
    return digest.hexdigest()
