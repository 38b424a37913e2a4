"""What anybody may know of ratings at large, as aggregates of u1.base: no film's and no user's own numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from support.environments.movielens.ratings import MovieLens100k
from support.solvers.rating_baselines import STARS, fit_effects

PENALTY = 10.0  # of the ridge regression: about ten ratings' worth, so that rare occupations and genres weigh little
AGE_BANDS = (18, 25, 35, 45, 50, 56)
"""Lower ends of the age bands above the first, as in GroupLens's later data sets."""


@dataclass(frozen=True, eq=False)
class Priors:
    """Common knowledge of ratings, in stars: rating = mean + user + film + noise.

    Attributes
    ----------
    mean, sd : float
        Of all ratings of u1.base.
    user_sd, film_sd, noise_sd : float
        Standard deviations of the three components; noise_sd**2 / user_sd**2 ratings of a user weigh as much
        as the prior, and likewise for a film.
    genre_means : mapping of str to float
        Mean rating over all ratings of films of a genre.
    offsets : mapping of str to float
        Stars that a feature of user or film adds, such as "gender:F", "age:25", "genre:Drama", "decade:1990" or
        "gender:F×genre:Drama".
    demographic_error : float
        Standard error, in stars, of `demographic_estimate` as an expectation: the noise of a single rating is
        not in it.
    film_mean : float
        Rating expected of the average user for a film of which nothing is known, each film counting once: less
        than `mean`, because films that many rate are rated higher.
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
        estimate = self.mean + sum(self.offsets.get(name, 0.0) for name in (*who, *what, *crossed(who, what)))
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


def crossed(who: Iterable[str], what: Iterable[str]) -> list[str]:
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
    spreads = (float(base["rating"].std()), effects.user_sd, effects.item_sd, effects.noise_sd)
    return Priors(mean, *spreads, _genre_means(data), offsets, error, effects.mean)


def _genre_means(data: MovieLens100k) -> dict[str, float]:
    rated = data.base.join(data.items["genres"], on="item").explode("genres")
    means = rated.groupby("genres")["rating"].mean()
    return {str(genre): float(value) for genre, value in means.items()}


def _ridge(data: MovieLens100k) -> tuple[dict[str, float], float]:
    """Offsets of the features from a ridge regression on u1.base, and its residual standard deviation.

    The features of a pair of user and film are sums of columns, so that the 80,000 rows come from the tables of
    943 users and 1,682 films.
    """
    from sklearn.linear_model import Ridge

    columns, design = _design(data)
    deviations = data.base["rating"].to_numpy(dtype=float) - data.base["rating"].mean()
    fitted = Ridge(PENALTY, fit_intercept=False, solver="cholesky").fit(design, deviations)
    residuals = deviations - fitted.predict(design)
    return dict(zip(columns, fitted.coef_.tolist(), strict=True)), float(residuals.std())


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
    at = tuple(np.array(cells).T)
    return names, sparse.csr_matrix((np.ones(len(cells)), at), shape=(len(rows), len(names)))
