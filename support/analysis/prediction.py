"""Errors of predicted ratings, in stars: MAE@r and RMSE@r of a table, and of single predictors (section 4.2, Table 7).

A group that has not decided yet has no prediction. By default such cases are left out of the means, and `undecided`
says how many they are; the other convention counts the mean of all ratings in their place (`mean=`). A discussion
that was stopped early keeps its outcome for the rounds that were not played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.roundtable.records import Transcript
from support.runs.study import flat

if TYPE_CHECKING:
    from support.runs.study import Unit

MEASURES = ("mae", "rmse")


def predictions(transcript: Transcript, rounds: int = 10) -> np.ndarray:
    """The standing prediction after each round, in stars, shape (rounds,); NaN before the first decision."""
    if (name := transcript.environment.get("name")) != "movielens":
        raise InvalidInput(f"transcript: one on {name!r} given; expected one on 'movielens'")
    stars = [float(r.decision.value) if r.decision else np.nan for r in transcript.rounds[:rounds]]
    return np.array(stars + stars[-1:] * (rounds - len(stars)))


def errors_of(records: Iterable[tuple[Unit, Transcript]], rounds: int = 10) -> pd.DataFrame:
    """One row per discussion and round, from records as `Sweep.records` gives them.

    Returns
    -------
    DataFrame
        The settings, repetition, round, prediction and truth (stars), error (prediction - truth), absolute, squared,
        undecided; the errors are NaN while the group was undecided. The truth is data of GroupLens: never show rows.
    """
    frames = []
    for unit, transcript in records:
        head = {**flat(unit.settings), "repetition": unit.repetition}
        made = predictions(transcript, rounds)
        frame = pd.DataFrame({**head, "round": np.arange(1, rounds + 1), "prediction": made}, index=range(rounds))
        frames.append(measured(frame.assign(truth=float(transcript.environment["rating"]))))
    return pd.concat(frames, ignore_index=True)


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the errors of its column `prediction` against its column `truth`."""
    error = frame["prediction"] - frame["truth"]
    return frame.assign(error=error, absolute=error.abs(), squared=error**2, undecided=frame["prediction"].isna())


def with_undecided(errors: pd.DataFrame, mean: float | None = None) -> pd.DataFrame:
    """The decided rows; or all, with `mean` (of all ratings, in stars) as the prediction of the undecided."""
    if mean is None:
        return errors[~errors["undecided"].astype(bool)]
    filled = measured(errors.assign(prediction=errors["prediction"].fillna(mean)))
    return filled.assign(undecided=errors["undecided"])


def scores(errors: pd.DataFrame, by: str | Sequence[str]) -> pd.DataFrame:
    """MAE and RMSE by group with 95 % t intervals.

    The standard error of the RMSE is that of the mean squared error divided by twice the RMSE (delta method).

    Returns
    -------
    DataFrame
        The columns of `by`, column ("mae" or "rmse"), value, se, low, high (stars), n.
    """
    from scipy.stats import t

    keys = [by] if isinstance(by, str) else list(by)
    need_columns(errors, [*keys, "absolute", "squared"], "the errors")
    groups = errors.groupby(keys, sort=False)[["absolute", "squared"]]
    mean, se, n = groups.mean(), groups.sem(), groups.count()["absolute"]
    rmse = np.sqrt(mean["squared"])
    parts = {"mae": (mean["absolute"], se["absolute"]), "rmse": (rmse, se["squared"] / (2 * rmse))}
    wide = pd.concat({name: pd.DataFrame({"value": v, "se": s, "n": n}) for name, (v, s) in parts.items()})
    tidy = wide.rename_axis(["column", *keys]).reset_index()
    half = tidy["se"] * t.ppf(0.975, np.maximum(tidy["n"] - 1, 1))
    tidy = tidy.assign(low=tidy["value"] - half, high=tidy["value"] + half)
    return tidy[[*keys, "column", "value", "se", "low", "high", "n"]]


def mae_table(errors: pd.DataFrame, by: str = "rule", mean: float | None = None) -> pd.DataFrame:
    """MAE@r and RMSE@r for every round: row, column ("mae@1" … "rmse@10"), value, se, n, as Table 7 prints them.

    It fits `support.tables.against_published`. A round in which nobody of a row had decided has n = 0 and no value.
    """
    counted = scores(with_undecided(errors, mean), [by, "round"])
    tidy = counted.assign(row=counted[by], column=counted["column"] + "@" + counted["round"].astype(str))
    rounds = sorted(errors["round"].unique())
    cells = [(row, f"{measure}@{r}") for measure in MEASURES for row in errors[by].unique() for r in rounds]
    index = pd.MultiIndex.from_tuples(cells, names=["row", "column"])
    full = tidy.set_index(["row", "column"])[["value", "se", "n"]].reindex(index)
    return full.fillna({"n": 0}).astype({"n": int}).reset_index()


def undecided_share(errors: pd.DataFrame, by: str = "rule") -> pd.DataFrame:
    """Percent of cases without a decision after each round: `by`, round, undecided."""
    share = errors.groupby([by, "round"], sort=False)["undecided"].mean()
    return share.mul(100).reset_index()
