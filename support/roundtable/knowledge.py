"""What anybody may know of MovieLens at large, from u1.base alone: aggregates, likeness, a recommender's word.

The paper leaves consulting a recommender for future work; here one agent may. Of u1.test it sees who is asked about
which film, and when the rating was made, never the rating.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import pandas as pd

from support.roundtable.ratings import FILM, PAIR, USER, MovieLens100k, rated
from support.solvers.rating_baselines import fit_effects
from support.solvers.recommender import fit_factorisation


class Priors(NamedTuple):
    """Common knowledge of ratings, in stars: rating = mean + user + film + noise.

    `mean` is that of all ratings of u1.base; `user_sd`, `film_sd` and `noise_sd` are the standard deviations of the
    three components. `regression` predicts ratings from rows of BasicInfo's table, each a mapping; its
    `regression_error` is that of the expected rating, without the noise of a single one.
    """

    mean: float
    user_sd: float
    film_sd: float
    noise_sd: float
    regression: Any
    regression_error: float


@cache
def priors(data: MovieLens100k) -> Priors:
    """Learn the aggregates from u1.base, the regression by ridge on who rated what kind of film; about 3 s."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    base = rated(data)
    rows = base[[*FILM[1:], *USER]].to_dict("records")
    ratings = base["rating"]
    # The penalty is about ten ratings' worth, so that rare occupations and genres weigh little.
    model = make_pipeline(DictVectorizer(), Ridge(10.0, tol=1e-6))
    residual = ratings - model.fit(rows, ratings).predict(rows)
    effects = fit_effects(data.base)
    unexplained = (residual**2).mean() - effects.noise_sd**2
    return Priors(
        float(ratings.mean()),
        effects.user_sd,
        effects.item_sd,
        effects.noise_sd,
        model,
        max(unexplained, 0.0) ** 0.5,
    )


@cache
def similarities(data: MovieLens100k) -> pd.DataFrame:
    """Preference similarity (C.4): cosines from 0 to 1 between the users' factors in a non-negative factorisation of
    u1.base, whose empty cells are 0; about 1 s.

    The paper gives no settings. Of the ranks 3, 5, 8, 10, 15 and 20, rank 10 predicted a random tenth of u1.base best
    from the neighbours' ratings. Which ranks give the similarities that the paper prints is measured in notebook 21.
    """
    from scipy.sparse import csr_matrix
    from sklearn.decomposition import NMF
    from sklearn.metrics.pairwise import cosine_similarity

    table = data.base.pivot(
        index="user",
        columns="item",
        values="rating",
    ).fillna(0.0)
    model = NMF(
        10,
        init="nndsvda",
        random_state=0,
        max_iter=500,
    )
    factors = model.fit_transform(csr_matrix(table))
    return pd.DataFrame(cosine_similarity(factors), table.index, table.index)


@cache
def recommendations(data: MovieLens100k) -> pd.DataFrame:
    """What the recommender expects of every (user, item) of u1.test: `value` and standard `error`, in stars; about 6 s.

    The noise of a single rating is not in the error.
    """
    asked = data.test[[*PAIR, "timestamp"]]
    model = fit_factorisation(data.base)
    values, errors = model.predict_with_error(*asked.to_numpy().T)
    index = pd.MultiIndex.from_frame(asked[PAIR])
    return pd.DataFrame({"value": values, "error": errors}, index)
