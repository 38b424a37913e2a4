"""Evaluations as tables for the page: one row for each technique, or for each pair of techniques."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.analysis.organizing.evaluating import detection_runs, selection_runs, selection_scores, with_right
from support.analysis.organizing.repeating import (
    bootstrap_difference,
    bootstrap_mean,
    mcnemar_test,
    printed_test,
    runs_test,
)


def selection_table(selections: pd.DataFrame) -> pd.DataFrame:
    """What each technique selected, over its runs.

    Parameters
    ----------
    selections : as `judging.model_selections` gives them

    Returns
    -------
    DataFrame
        technique, f1, f1_sd (between runs; NaN of one), micro_f1, right (share of states with the very set), selected
        (policies a state), none (share of states with none), misfits (answers that did not fit their form).
    """
    need_columns(selections, ["problem"], "the selections")
    runs = selection_runs(selections).groupby("technique", sort=False)
    means = runs[["f1", "micro_f1", "right"]].mean()
    means.insert(1, "f1_sd", runs["f1"].std(ddof=1))
    counted = selections.assign(
        selected=[len(set(ids)) for ids in selections["selected"]], misfits=selections["problem"] != ""
    )
    each = counted.assign(none=counted["selected"] == 0).groupby("technique", sort=False)
    return means.join(each.agg({"selected": "mean", "none": "mean", "misfits": "sum"})).reset_index()


def detection_table(
    verdicts: pd.DataFrame, rng: np.random.Generator, draws: int = 2000, level: float = 0.95
) -> pd.DataFrame:
    """What each technique said of replies, over its runs.

    Parameters
    ----------
    verdicts : as `judging.verdicts` gives them

    Returns
    -------
    DataFrame
        technique, accuracy, sd (between runs; NaN of one), low and high (a bootstrap that draws whole cases anew, as
        many of either label as there are),
        sensitivity, specificity, misfits (answers that did not fit their form).
    """
    need_columns(verdicts, ["problem"], "the verdicts")
    runs = detection_runs(verdicts).groupby("technique", sort=False)
    means = runs[["accuracy", "sensitivity", "specificity"]].mean()
    around = bootstrap_mean(with_right(verdicts), "right", rng, draws=draws, level=level, within="flag").set_index(
        "technique"
    )
    misfits = (verdicts["problem"] != "").groupby(verdicts["technique"]).sum().rename("misfits")
    table = means.assign(sd=runs["accuracy"].std(ddof=1)).join(around[["low", "high"]]).join(misfits)
    return table[["accuracy", "sd", "low", "high", "sensitivity", "specificity", "misfits"]].reset_index()


def pairs_table(
    frame: pd.DataFrame,
    pairs: Sequence[tuple[str, str]],
    rng: np.random.Generator,
    published: pd.DataFrame | None = None,
    draws: int = 2000,
) -> pd.DataFrame:
    """Each pair of techniques by every test: the paper's t over runs, on its numbers and ours; McNemar's; a bootstrap.

    Parameters
    ----------
    frame : selections (then F1 is compared, and states are drawn anew) or verdicts (accuracy, and cases)
    pairs : techniques a and b; the difference is a - b
    published : Table 1 or 2 as `support.published.load` gives it; a pair that is not in it has no such numbers

    Returns
    -------
    DataFrame
        a, b, published_difference, student_p, welch_p (both of what is printed, three runs), difference, runs_p
        (Student's t over our runs), mcnemar_p (over items), low, high (95 %, bootstrap).
    """
    return pd.DataFrame([_pair(frame, a, b, rng, published, draws) for a, b in pairs])


def _pair(
    frame: pd.DataFrame, a: str, b: str, rng: np.random.Generator, published: pd.DataFrame | None, draws: int
) -> dict[str, Any]:
    if "flagged" in frame:
        runs, value, cluster, scored, measured = detection_runs(frame), "accuracy", "case", with_right(frame), "right"
    else:
        runs, value, cluster, scored, measured = selection_runs(frame), "f1", "item", selection_scores(frame), "f1"
        scored = scored.assign(right=scored["right"].astype(float))
    printed: dict[str, Any] = {}
    if published is not None and {a, b} <= set(published["row"]):
        printed = printed_test(published, a, b)
    within = "flag" if "flagged" in frame else None
    drawn = bootstrap_difference(scored, measured, a, b, rng, cluster=cluster, draws=draws, within=within)
    return {
        "a": a,
        "b": b,
        "published_difference": printed.get("difference", float("nan")),
        "student_p": printed.get("p", float("nan")),
        "welch_p": printed.get("welch_p", float("nan")),
        "difference": drawn["difference"],
        "runs_p": runs_test(runs, value, a, b)["p"],
        "mcnemar_p": mcnemar_test(scored, "right", a, b)["p"],
        "low": drawn["low"],
        "high": drawn["high"],
    }
