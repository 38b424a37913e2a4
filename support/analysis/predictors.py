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
from support.errors import InvalidInput
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

    Parameters
    ----------
    cases : sequence of Case, optional
        All 20,000 ratings of u1.test by default.

    Returns
    -------
    DataFrame
        One row per method and case: method, case (its place in `cases`), prediction, truth, error, absolute, squared,
        undecided (never). `prediction.scores(frame, "method")` gives MAE and RMSE with intervals.
    """
    users, items, truth = _columns(cases)
    made = {**_simple(users, items), "recommender": _recommended(users, items)}
    frames = [
        pd.DataFrame({"method": method, "case": np.arange(len(truth)), "prediction": stars, "truth": truth})
        for method, stars in made.items()
    ]
    return measured(pd.concat(frames, ignore_index=True))


def _columns(cases: Sequence[Case] | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from support.roundtable.ratings import load

    if cases is None:
        test = load().test
        return test["user"].to_numpy(), test["item"].to_numpy(), test["rating"].to_numpy(dtype=float)
    if not len(cases):
        raise InvalidInput("cases: none given; expected one or more, such as draw_cases(100), or None for all")
    users, items = (np.array([getattr(c, name) for c in cases], dtype=int) for name in ("user", "item"))
    return users, items, np.array([c.rating for c in cases], dtype=float)


def _simple(users: np.ndarray, items: np.ndarray) -> dict[str, np.ndarray]:
    from support.roundtable.ratings import load
    from support.solvers import rating_baselines as fit

    base = load().base
    models = {
        "always 4": fit.constant(4),
        "global mean": fit.fit_global_mean(base),
        "user mean": fit.fit_user_means(base),
        "film mean": fit.fit_item_means(base),
        "user mean, shrunken": fit.fit_user_means(base, SHRINK),
        "film mean, shrunken": fit.fit_item_means(base, SHRINK),
        "user and film effects": fit.fit_effects(base),
    }
    return {method: model.predict(users, items) for method, model in models.items()}


def _recommended(users: np.ndarray, items: np.ndarray) -> np.ndarray:
    from support.roundtable.knowledge import advice
    from support.roundtable.ratings import load

    data = load()
    return np.array([advice(data, int(u), int(i))[0] for u, i in zip(users, items, strict=True)])


def group_on_all(
    rule: str = "majority",
    cases: int | None = None,
    *,
    rounds: int = 10,
    seed: int = 1,
    workers: int = 1,
    progress: bool = True,
    **settings: Any,
) -> pd.DataFrame:
    """Errors of rule-based groups on all of u1.test, as `errors_of` gives them; no transcript is kept.

    Every rating of u1.test is one discussion, in processes of their own; the numbers do not depend on how many.

    Parameters
    ----------
    cases : int, optional
        How many, in the order of `draw_cases`; all 20,000 by default: about 20 ms each on one core.
    seed : int
        The discussion of case i draws from `default_rng([seed, i])`, under every rule.
    workers : int
        Processes. In a script they need `if __name__ == "__main__":`.
    settings
        Of `roundtable_movielens`: seats, consult, noise, tie_break, cases_seed.
    """
    from tqdm import tqdm

    from support.roundtable.ratings import load

    total = len(load().test) if cases is None else cases
    job = {"rule": rule, "rounds": rounds, "seed": seed, **settings}
    pieces = [range(start, min(start + PIECE, total)) for start in range(0, total, PIECE)]
    with (
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
        tqdm(total=total, desc=f"{rule}, all cases", disable=not progress, ncols=110) as bar,
    ):
        frames = []
        for frame in pool.map(_play_piece, [job] * len(pieces), pieces):
            frames.append(frame)
            bar.update(frame["case"].nunique())
    return pd.concat(frames, ignore_index=True)


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
