"""What a group's error is compared with: simple predictors and a recommender, on some cases or on all of u1.test."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.prediction import errors_of, measured
from support.roundtable.study import roundtable_movielens
from support.runs.study import Unit

if TYPE_CHECKING:
    from support.roundtable.movielens import Case

SHRINK = 10.0  # ratings of the mean that a user's or a film's mean is drawn to: about noise_sd**2 / film_sd**2 of them
PIECE = 250  # discussions that a process plays between two reports


def baselines(cases: Sequence[Case] | None = None) -> pd.DataFrame:
    """Errors of simple predictors and of the recommender, all fitted to u1.base.

    They are: always 4 stars, the mean of all ratings, the film's and the user's (plain, and drawn to the mean of all
    by `SHRINK` ratings), the sum of user and film effects, and the factorisation machine.

    Returns
    -------
    DataFrame
        One row per method and case (all 20,000 ratings of u1.test by default): method, case (its place), prediction,
        truth, error, absolute, squared, undecided (never). `prediction.scores(frame, "method")` gives MAE and RMSE.
    """
    from support.roundtable.knowledge import advice
    from support.roundtable.ratings import load
    from support.solvers import rating_baselines as fit

    data = load()
    rows = [(c.user, c.item, c.rating) for c in cases] if cases is not None else data.test[["user", "item", "rating"]]
    users, items, truth = np.array(rows, dtype=float).T
    users, items, base = users.astype(int), items.astype(int), data.base
    models = {
        "always 4": fit.constant(4),
        "global mean": fit.fit_global_mean(base),
        "user mean": fit.fit_user_means(base),
        "film mean": fit.fit_item_means(base),
        "user mean, shrunken": fit.fit_user_means(base, SHRINK),
        "film mean, shrunken": fit.fit_item_means(base, SHRINK),
        "user and film effects": fit.fit_effects(base),
    }
    made = {method: model.predict(users, items) for method, model in models.items()}
    made["recommender"] = np.array([advice(data, int(u), int(i))[0] for u, i in zip(users, items, strict=True)])
    frames = [
        pd.DataFrame(
            {
                "method": method,
                "case": np.arange(len(truth)),
                "user": users,
                "item": items,
                "prediction": stars,
                "truth": truth,
            }
        )
        for method, stars in made.items()
    ]
    return measured(pd.concat(frames, ignore_index=True))


def group_on_all(
    rule: str = "majority", cases: int | None = None, *, seed: int = 1, workers: int = 1, **settings: Any
) -> pd.DataFrame:
    """Errors of rule-based groups on all of u1.test, as `errors_of` gives them; no transcript is kept.

    Every rating of u1.test is one discussion, in processes of their own; the numbers do not depend on how many. A
    script needs `if __name__ == "__main__":`. `cases` says how many of 20,000 (20 ms each on one core), `seed` that
    case i draws from `default_rng([seed, i])` under every rule; `settings` are those of `roundtable_movielens`.
    """
    from tqdm import tqdm

    from support.roundtable.ratings import load

    total = len(load().test) if cases is None else cases
    job = {"rule": rule, "rounds": 10, "seed": seed, **settings}
    pieces = [range(start, min(start + PIECE, total)) for start in range(0, total, PIECE)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        played = pool.map(_play_piece, [job] * len(pieces), pieces)
        return pd.concat(tqdm(played, f"{rule}, pieces of {PIECE}", len(pieces), ncols=110), ignore_index=True)


def _play_piece(job: dict[str, Any], numbers: Sequence[int]) -> pd.DataFrame:
    return asyncio.run(play_cases(job, numbers))


async def play_cases(job: dict[str, Any], numbers: Sequence[int]) -> pd.DataFrame:
    """Errors of the discussions of some cases; `job` holds the rule, rounds, seed and further settings."""
    settings = {name: value for name, value in job.items() if name != "seed"}
    records = []
    for number in numbers:
        rng = np.random.default_rng([job["seed"], number])
        records.append((Unit("", "{}", 0), await roundtable_movielens(rng, case=number, **settings)))
    errors = errors_of(records, job["rounds"]).drop(columns="repetition")
    return errors.assign(rule=str(job["rule"]), case=np.repeat(list(numbers), job["rounds"]))
