"""Errors of predicted ratings, in stars: MAE@r and RMSE@r of a table, and of single predictors (section 4.2, Table 7).

A group that has not decided yet has no prediction. By default such cases are left out of the means, and `undecided`
says how many they are; the other convention counts the mean of all ratings in their place (`mean=`). A discussion
that was stopped early keeps its outcome for the rounds that were not played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.roundtable.records import Transcript
from support.runs.study import flat

if TYPE_CHECKING:
    from support.runs.study import Unit

MEASURES = ("mae", "rmse")
PAIR = ("user", "item")
"""Whose ratings hang together: one user's, and those of one film."""


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
        The settings, repetition, round, prediction and truth (stars), user and item (numbers), error (prediction -
        truth), absolute, squared, undecided; the errors are NaN while the group was undecided. The truth is data of
        GroupLens: never show rows.
    """
    frames = []
    for unit, transcript in records:
        head = {**flat(unit.settings), "repetition": unit.repetition}
        made = predictions(transcript, rounds)
        frame = pd.DataFrame({**head, "round": np.arange(1, rounds + 1), "prediction": made}, index=range(rounds))
        case = {name: transcript.environment[name] for name in PAIR if name in transcript.environment}
        frames.append(measured(frame.assign(truth=float(transcript.environment["rating"]), **case)))
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

    Ratings of one user hang together, and so do those of one film: with the columns `user` and `item` standard errors
    are clustered both ways, V = V(users) + V(films) - V(ratings) (Cameron, Gelbach and Miller 2011), and t has the
    smaller number of clusters less 1 as its degrees of freedom. Where that V is less than V(ratings), as few ratings
    may have it, the latter is taken. Without the columns rows count as independent. The standard error of the RMSE is
    that of the mean squared error divided by twice the RMSE (delta method).

    Returns
    -------
    DataFrame
        The columns of `by`, column ("mae" or "rmse"), value, se, low, high (stars), n.
    """
    from scipy.stats import t

    keys = [by] if isinstance(by, str) else list(by)
    need_columns(errors, [*keys, "absolute", "squared"], "the errors")
    rows = []
    for names, group in errors.groupby(keys, sort=False):
        head: dict[str, Any] = dict(zip(keys, names, strict=True))
        for column, values in (("mae", group["absolute"]), ("rmse", group["squared"])):
            there = group[values.notna()]
            se, freedom = clustered(values.dropna(), [there[name] for name in PAIR if name in there])
            value = values.mean() if column == "mae" else np.sqrt(values.mean())
            se = se if column == "mae" else se / (2 * value) if value else np.nan
            half = se * t.ppf(0.975, max(freedom, 1))
            rows.append({**head, "column": column, "value": value, "se": se, "low": value - half, "high": value + half,
                         "n": len(there)})  # fmt: skip
    tidy = pd.DataFrame(rows)
    order = pd.Categorical(tidy["column"], MEASURES, ordered=True)
    return tidy.assign(order=order).sort_values("order", kind="stable").drop(columns="order").reset_index(drop=True)


def clustered(values: pd.Series[float], clusters: Sequence[pd.Series[Any]]) -> tuple[float, int]:
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
    parts = [float((part**2).sum() * len(part) / max(len(part) - 1, 1)) for part in (*sums, both)]
    return float(np.sqrt(max(parts[0] + parts[1] - parts[2], alone)) / n), min(map(len, sums)) - 1


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


def mae_changes(errors: pd.DataFrame, by: str = "rule") -> pd.DataFrame:
    """How the error changes between rounds, case by case, clustered as in `scores`, for `support.analysis.claims`.

    Columns row, column ("mae@10 - mae@1", each later round minus each earlier one), value, se (stars), n (cases that
    had decided in both).
    """
    keys = [by, "repetition", *(name for name in PAIR if name in errors)]
    wide = errors.dropna(subset="absolute").pivot_table("absolute", keys, "round", sort=False)
    rows = []
    for early, late in combinations(sorted(wide.columns), 2):
        gaps = (wide[late] - wide[early]).dropna().rename("gap").reset_index()
        for name, group in gaps.groupby(by, sort=False):
            se, _ = clustered(group["gap"], [group[one] for one in PAIR if one in group])
            rows.append((name, f"mae@{late} - mae@{early}", group["gap"].mean(), se, len(group)))
    return pd.DataFrame(rows, columns=["row", "column", "value", "se", "n"])


def undecided_share(errors: pd.DataFrame, by: str = "rule") -> pd.DataFrame:
    """Percent of cases without a decision after each round: `by`, round, undecided."""
    share = errors.groupby([by, "round"], sort=False)["undecided"].mean()
    return share.mul(100).reset_index()
