"""Errors of predicted ratings, in stars: MAE@r and RMSE@r of a table, and of single predictors (section 4.2, Table 7).

A group that has not decided yet has no prediction: such cases are left out of the means, or count as the mean of all
ratings (`mean=`). A discussion that was stopped early keeps its outcome for the rounds that were not played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import head
from support.roundtable.movielens import Case
from support.roundtable.records import Transcript
from support.roundtable.study import roundtable_movielens
from support.runs.study import Unit

MEASURES = ("mae", "rmse")
PAIR = ("user", "item")
"""Whose ratings hang together: one user's, and those of one film."""
SHRINK = 10.0  # ratings of the mean that a user's or a film's mean is drawn to: about noise_sd**2 / film_sd**2 of them


def errors_of(
    records: Iterable[tuple[Unit, Transcript]], rounds: int = 10
) -> pd.DataFrame:
    """One row per discussion and round, from records as `Sweep.records` gives them: the settings, repetition, round,
    user and item (numbers), and the columns of `measured` in stars. The truth is data of GroupLens: never show rows."""
    frames = []
    for unit, transcript in records:
        about = transcript.environment
        stars = [
            float(r.decision.value) if r.decision else np.nan
            for r in transcript.rounds[:rounds]
        ]
        stars += stars[-1:] * (rounds - len(stars))
        case = {name: about[name] for name in PAIR if name in about}
        row = {
            **head(unit),
            "round": np.arange(1, rounds + 1),
            "prediction": stars,
            "truth": float(about["rating"]),
        }
        frames.append(measured(pd.DataFrame({**row, **case}, index=range(rounds))))
    return pd.concat(frames, ignore_index=True)


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame, with prediction and truth, and error (prediction - truth), absolute, squared, undecided."""
    error = frame["prediction"] - frame["truth"]
    return frame.assign(
        error=error,
        absolute=error.abs(),
        squared=error**2,
        undecided=frame["prediction"].isna(),
    )


def with_undecided(errors: pd.DataFrame, mean: float | None = None) -> pd.DataFrame:
    """The decided rows; or all, with `mean` (of all ratings, in stars) as the prediction of the undecided."""
    if mean is None:
        return errors[~errors["undecided"].astype(bool)]
    filled = measured(errors.assign(prediction=errors["prediction"].fillna(mean)))
    return filled.assign(undecided=errors["undecided"])


def scores(errors: pd.DataFrame, by: str | Sequence[str]) -> pd.DataFrame:
    """MAE and RMSE by group with 95 % t intervals: by..., column ("mae" or "rmse"), value, se, low, high (stars), n.

    With the columns `user` and `item` standard errors are clustered both ways, V = V(users) + V(films) - V(ratings)
    (Cameron, Gelbach and Miller 2011), but V(ratings) at least, and t has the smaller number of clusters less 1 as its
    degrees of freedom. The standard error of the RMSE is that of the mean squared error by the delta method.
    """
    from scipy.stats import t

    keys = [by] if isinstance(by, str) else list(by)
    rows = []
    for column, measure in zip(MEASURES, ("absolute", "squared"), strict=True):
        for names, group in errors.groupby(keys, sort=False):
            there = group[group[measure].notna()]
            se, freedom = _clustered(
                there[measure], [there[name] for name in PAIR if name in there]
            )
            value = there[measure].mean()
            if column == "rmse":
                value = np.sqrt(value)
                se = se / (2 * value) if value else np.nan
            half = se * t.ppf(0.975, max(freedom, 1))
            rows.append({**dict(zip(keys, names, strict=True)), "column": column, "value": value, "se": se,
                         "low": value - half, "high": value + half, "n": len(there)})  # fmt: skip
    return pd.DataFrame(rows)


def _clustered(
    values: pd.Series[float], clusters: Sequence[pd.Series[Any]]
) -> tuple[float, int]:
    """Standard error of a mean, clustered by each of two groupings, and degrees of freedom; see `scores`."""
    n = len(values)
    if n < 2:
        return float("nan"), 0
    residual = values - values.mean()
    alone = float((residual**2).sum() * n / (n - 1))
    if len(clusters) < 2:
        return float(np.sqrt(alone) / n), n - 1
    sums = [residual.groupby(ids.to_numpy()).sum() for ids in clusters]
    both = residual.groupby([ids.to_numpy() for ids in clusters]).sum()
    users, items, pairs = (
        float((part**2).sum() * len(part) / max(len(part) - 1, 1))
        for part in (*sums, both)
    )
    return float(np.sqrt(max(users + items - pairs, alone)) / n), min(
        map(len, sums)
    ) - 1


def mae_table(errors: pd.DataFrame, mean: float | None = None) -> pd.DataFrame:
    """MAE@r and RMSE@r for every round as Table 7 has them: row (rule), column ("mae@1" … "rmse@10"), value, se, n (0
    where nobody of a row had decided)."""
    counted = scores(with_undecided(errors, mean), ["rule", "round"])
    tidy = counted.assign(
        row=counted["rule"],
        column=counted["column"] + "@" + counted["round"].astype(str),
    )
    rounds = sorted(errors["round"].unique())
    cells = [
        (row, f"{measure}@{r}")
        for measure in MEASURES
        for row in errors["rule"].unique()
        for r in rounds
    ]
    index = pd.MultiIndex.from_tuples(cells, names=["row", "column"])
    full = tidy.set_index(["row", "column"])[["value", "se", "n"]].reindex(index)
    return full.fillna({"n": 0}).astype({"n": int}).reset_index()


def mae_changes(errors: pd.DataFrame) -> pd.DataFrame:
    """How the error changes between rounds, case by case, clustered as in `scores`: row, column ("mae@10 - mae@1"),
    value, se (stars), n (cases that had decided in both)."""
    keys = ["rule", "repetition", *(name for name in PAIR if name in errors)]
    wide = errors.dropna(subset="absolute").pivot_table(
        "absolute", keys, "round", sort=False
    )
    rows = []
    for early, late in combinations(sorted(wide.columns), 2):
        gaps = (wide[late] - wide[early]).dropna().rename("gap").reset_index()
        for name, group in gaps.groupby("rule", sort=False):
            se, _ = _clustered(
                group["gap"], [group[one] for one in PAIR if one in group]
            )
            rows.append(
                (name, f"mae@{late} - mae@{early}", group["gap"].mean(), se, len(group))
            )
    return pd.DataFrame(rows, columns=["row", "column", "value", "se", "n"])


def undecided_share(errors: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Percent of cases without a decision after each round: by..., round, undecided."""
    return (
        errors.groupby([*by, "round"], sort=False)["undecided"]
        .mean()
        .mul(100)
        .reset_index()
    )


def baselines(cases: Sequence[Case] | None = None) -> pd.DataFrame:
    """Errors of simple predictors and of the recommender, all fitted to u1.base.

    One row per method and case (by default all of u1.test): method, case (its place), user, item, those of `measured`.
    """
    from support.roundtable.knowledge import recommendations
    from support.roundtable.ratings import load
    from support.solvers.rating_baselines import Offsets, fit_effects, fit_means

    data = load()
    rows = (
        [(c.user, c.item, c.rating) for c in cases]
        if cases is not None
        else data.test[["user", "item", "rating"]]
    )
    asked = pd.DataFrame(np.array(rows, dtype=float), columns=["user", "item", "truth"])
    asked = asked.astype({"user": int, "item": int}).rename_axis("case").reset_index()
    models = {
        "always 4": Offsets(4.0),
        "global mean": Offsets(float(data.base["rating"].mean())),
        "user mean": fit_means(data.base, "user"),
        "film mean": fit_means(data.base, "item"),
        "user mean, shrunken": fit_means(data.base, "user", SHRINK),
        "film mean, shrunken": fit_means(data.base, "item", SHRINK),
        "user and film effects": fit_effects(data.base),
    }
    made = {
        method: model.predict(asked["user"], asked["item"])
        for method, model in models.items()
    }
    pairs, said = zip(asked["user"], asked["item"], strict=True), recommendations(data)
    made["recommender"] = np.array([said[pair][0] for pair in pairs])
    frames = [
        asked.assign(method=method, prediction=stars) for method, stars in made.items()
    ]
    return measured(pd.concat(frames, ignore_index=True))


async def play_cases(job: dict[str, Any], numbers: Sequence[int]) -> pd.DataFrame:
    """Errors of the discussions of some cases of u1.test, by a `job` of rule, rounds, seed and other settings.

    Case i draws from `default_rng([seed, i])` under every rule, whatever else is played.
    """
    settings = {name: value for name, value in job.items() if name != "seed"}
    records = []
    for number in numbers:
        rng = np.random.default_rng([job["seed"], number])
        records.append(
            (
                Unit("", "{}", 0),
                await roundtable_movielens(rng, case=number, **settings),
            )
        )
    errors = errors_of(records, job["rounds"]).drop(columns="repetition")
    return errors.assign(
        rule=str(job["rule"]), case=np.repeat(list(numbers), job["rounds"])
    )
