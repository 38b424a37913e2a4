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
from support.solvers.recommender import Recommender, fit_factorisation

PENALTY = 10.0  # of the ridge regression: about ten ratings' worth, so that rare occupations and genres weigh little
AGE_BANDS = (18, 25, 35, 45, 50, 56)  # lower ends above the first, as in GroupLens's later data sets
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
    film. `genre_means` holds the mean rating over all ratings of films of a genre, `offsets` the stars that a feature
    of user or film adds ("gender:F", "age:25", "genre:Drama", "decade:1990", "gender:F×genre:Drama").
    `demographic_error` is the standard error of `demographic_estimate` as an expectation: the noise of a single rating
    is not in it. `film_mean` is expected of the average user for a film of which nothing is known, each film counting
    once: less than `mean`, because films that many rate are rated higher.
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

    def demographic_estimate(self, basic: pd.DataFrame | Mapping[str, Any] | pd.Series) -> tuple[float, float]:
        """The rating expected of such a user for such a film, and its standard error, both in stars.

        `basic` is the table of the agent BasicInfo, or its one row. An empty table gives the mean of all.
        """
        if isinstance(basic, pd.DataFrame):
            if basic.empty:
                return self.mean, float(np.hypot(self.user_sd, self.film_sd))
            basic = {str(name): column.iloc[0] for name, column in basic.items()}
        who = user_features(basic["age"], basic["gender"], basic["occupation"])
        what = film_features(basic["release_date"], basic["genre"])
        estimate = self.mean + sum(self.offsets.get(name, 0.0) for name in (*who, *what, *_crossed(who, what)))
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
    decade = [f"decade:{release[:3]}0"] if release else []
    return [*decade, *(f"genre:{genre}" for genre in genres)]


def _crossed(who: Iterable[str], what: Iterable[str]) -> list[str]:
    """Names of the features of a pair: gender by genre."""
    genders = [name for name in who if name.startswith("gender:")]
    return [f"{gender}×{genre}" for gender in genders for genre in what if genre.startswith("genre:")]


@lru_cache(maxsize=4)
def priors(data: MovieLens100k) -> Priors:
    """Learn the aggregates from u1.base, about half a second; `data.test` is not looked at."""
    base = data.base
    effects, mean = fit_effects(base), float(base["rating"].mean())
    offsets, residual = _ridge(data)
    error = float(np.sqrt(max(residual**2 - effects.noise_sd**2, 0.0)))
    rated = base.join(data.items["genres"], on="item").explode("genres")
    genres = {str(genre): float(value) for genre, value in rated.groupby("genres")["rating"].mean().items()}
    spreads = (float(base["rating"].std()), effects.user_sd, effects.item_sd, effects.noise_sd)
    return Priors(mean, *spreads, genres, offsets, error, effects.mean)


def _ridge(data: MovieLens100k) -> tuple[dict[str, float], float]:
    """Offsets of the features from a ridge regression on u1.base, and its residual standard deviation.

    The features of a pair of user and film are sums of columns, so that the 80,000 rows come from the tables of
    943 users and 1,682 films.
    """
    from sklearn.linear_model import Ridge

    columns, design = _design(data)
    deviations = data.base["rating"].to_numpy(dtype=float) - data.base["rating"].mean()
    fit = Ridge(PENALTY, fit_intercept=False, solver="cholesky").fit(design, deviations)
    return dict(zip(columns, fit.coef_.tolist(), strict=True)), float((deviations - fit.predict(design)).std())


def _design(data: MovieLens100k) -> tuple[list[str], sparse.csr_matrix]:
    people = [user_features(*row) for row in data.users[["age", "gender", "occupation"]].itertuples(index=False)]
    films = [film_features(*row) for row in data.items[["release", "genres"]].itertuples(index=False)]
    u = data.users.index.get_indexer(pd.Index(data.base["user"]))
    i = data.items.index.get_indexer(pd.Index(data.base["item"]))
    who, what = _indicators(people), _indicators(films)
    names, blocks = [*who[0], *what[0]], [who[1][u], what[1][i]]
    for column, gender in enumerate(who[0]):
        if gender.startswith("gender:"):
            genres = [k for k, name in enumerate(what[0]) if name.startswith("genre:")]
            names += [f"{gender}×{what[0][k]}" for k in genres]
            blocks.append(blocks[1][:, genres].multiply(blocks[0][:, [column]]))
    return names, sparse.csr_matrix(sparse.hstack(blocks))


def _indicators(rows: list[list[str]]) -> tuple[list[str], sparse.csr_matrix]:
    """Names of the columns, and a table with 1 where a row has the feature."""
    names = sorted({name for row in rows for name in row})
    place = {name: k for k, name in enumerate(names)}
    cells = [(k, place[name]) for k, row in enumerate(rows) for name in row]
    return names, sparse.csr_matrix((np.ones(len(cells)), tuple(np.array(cells).T)), shape=(len(rows), len(names)))


# ---- likeness (C.4): the cosine of two users' factors in a non-negative factorisation --------------------------------


@dataclass(frozen=True, eq=False)
class Similarities:
    """Cosines from 0 to 1 between the users of u1.base, shape (users, users)."""

    users: pd.Index = field(repr=False)
    cosines: np.ndarray = field(repr=False)

    def of(self, user: int, others: np.ndarray) -> np.ndarray:
        """Likeness of `user` to each of `others`, shape (others,); 0 where either has no ratings in u1.base."""
        row, columns = self.users.get_indexer(pd.Index([user]))[0], self.users.get_indexer(pd.Index(others))
        return np.where((columns < 0) | (row < 0), 0.0, self.cosines[row, columns])


@lru_cache(maxsize=4)
def similarities(data: MovieLens100k, rank: int = RANK) -> Similarities:
    """Factorise the table of users by films, whose empty cells are 0, and compare users; about 1.5 s."""
    from sklearn.decomposition import NMF

    (u, users), (i, _) = (pd.factorize(data.base[name], sort=True) for name in ("user", "item"))
    table = sparse.csr_matrix((data.base["rating"].to_numpy(dtype=float), (u, i)))
    factors = NMF(rank, init="nndsvda", random_state=SEED, max_iter=ITERATIONS).fit_transform(table)
    lengths = np.linalg.norm(factors, axis=1, keepdims=True)
    unit = factors / np.where(lengths == 0, 1.0, lengths)
    return Similarities(pd.Index(users), np.clip(unit @ unit.T, 0.0, 1.0))


# ---- a recommender's word --------------------------------------------------------------------------------------------


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
    if (said := _rows(data).get((user, item))) is not None:
        return said
    prediction, error = fitted(data).predict_with_error([user], [item])
    return float(prediction[0]), float(error[0])


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
