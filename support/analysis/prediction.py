"""Errors of predicted ratings, in stars: MAE@r and RMSE@r of a table, and of single
predictors (section 4.2, Table 7).

A group that has not decided yet counts as if it had said the mean of all ratings of
u1.base: left out, each round would be a mean over other cases, and a stopping rule could
win by ending the hard ones undecided. `undecided` marks these rows. A discussion that was
stopped early keeps its outcome for the rounds that were not played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from support.analysis.frames import head
from support.roundtable.records import Transcript
from support.runs.study import Unit

MEASURES = {"mae": "absolute", "rmse": "squared"}
PAIR = ["user", "item"]
"""Whose ratings hang together: one user's, and those of one film."""


def stars_of(transcript: Transcript) -> np.ndarray:
    """What the group says after each round, in stars, shape (rounds,)."""
    from support.roundtable.ratings import load

    decisions = [r.decision for r in transcript.rounds]
    mean = np.nan
    if None in decisions:
        mean = float(load().base["rating"].mean())
    return np.array([float(d.value) if d else mean for d in decisions])


def errors_of(
    records: Iterable[tuple[Unit, Transcript]], rounds: int = 10
) -> pd.DataFrame:
    """A row for each discussion and round, of records as `Sweep.records` gives them.

    The settings, repetition, user and item (numbers), round, undecided, and the columns
    of `measured`. The truth is data of GroupLens: never show rows.
    """
    rows = []
    for unit, transcript in records:
        about = transcript.environment
        stars = stars_of(transcript)
        for number in range(1, rounds + 1):
            last = min(number, len(stars)) - 1
            row = {
                **head(unit),
                "user": about["user"],
                "item": about["item"],
                "round": number,
                "undecided": transcript.rounds[last].decision is None,
                "prediction": stars[last],
                "truth": float(about["rating"]),
            }
            rows.append(row)
    return measured(pd.DataFrame(rows))


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame, with prediction and truth, and its error, absolute, squared."""
    error = frame["prediction"] - frame["truth"]
    return frame.assign(
        error=error,
        absolute=error.abs(),
        squared=error**2,
    )


def scores(errors: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """MAE and RMSE by group with 95 % t intervals: by..., column ("mae" or "rmse"),
    value, se, low, high (stars), n.

    Standard errors are clustered by user and film (Cameron, Gelbach and Miller 2011), at
    least those of independent ratings; t has the smaller number of clusters less 1 as its
    degrees of freedom. That of the RMSE is the mean squared error's, by the delta method.
    """
    from scipy.stats import t

    rows = []
    for names, group in errors.groupby([*by], sort=False):
        about = dict(zip(by, names, strict=True))
        freedom = group[PAIR].nunique().min() - 1
        for column, measure in MEASURES.items():
            value = group[measure].mean()
            se = clustered(group, measure)
            if column == "rmse":
                value = np.sqrt(value)
                se = se / (2 * value)
            half = se * t.ppf(0.975, freedom)
            rows.append(
                {
                    **about,
                    "column": column,
                    "value": value,
                    "se": se,
                    "low": value - half,
                    "high": value + half,
                    "n": len(group),
                }
            )
    return pd.DataFrame(rows)


def clustered(errors: pd.DataFrame, measure: str) -> float:
    """The standard error of a mean, clustered by `PAIR`; see `scores`."""
    from statsmodels.regression.linear_model import OLS

    if len(errors) < 2:
        return float("nan")
    values = errors[measure].to_numpy()
    fit = OLS(values, np.ones(len(values))).fit()
    variance = fit.cov_params()[0, 0]
    if errors[PAIR].nunique().min() > 1:
        both = fit.get_robustcov_results("cluster", groups=errors[PAIR].to_numpy())
        variance = max(variance, both.cov_params()[0, 0])
    return float(np.sqrt(variance))
