"""The rounds beside the two baselines (Table 1), paraphrased preferences (Table 2), and tests between designs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import t

from support.analysis.consistency import identified, setting_of
from support.analysis.coordination.rounds import METRICS, final, head
from support.analysis.frames import need_columns, need_keys
from support.analysis.stats import compare
from support.errors import InvalidInput
from support.meetings.records import Coordination
from support.meetings.study import MEETINGS
from support.runs.study import Unit

TABLE_1 = ("satisfaction_ratio", "satisfaction_score", "equity", "interactions")


def table_1(frame: pd.DataFrame, by: str | Sequence[str] = "design") -> pd.DataFrame:
    """Means of the last round of each design: row, column, value, se, n, as `tables.against_published` takes them.

    Parameters
    ----------
    frame : as `rounds_of` gives it, with a column `design` that holds names of `DESIGNS`
        One setting; for several give `by=["setting", "design"]`, which keeps both columns in the place of row.
    """
    return _means(final(frame), by, TABLE_1)


def table_2(frame: pd.DataFrame, by: str = "paraphrase") -> pd.DataFrame:
    """Means by the number of paraphrases, with the rows and columns of Table 2.

    The row "std of the means" is the standard deviation (n - 1) of the means, and has no standard error.

    Parameters
    ----------
    frame : as `rounds_of` gives it, of the design without conversation, with a column `paraphrase` that holds 0, 1, 2
    """
    means = _means(final(frame), by, TABLE_1[:3]).sort_values("row", kind="stable", key=lambda c: c.astype(str))
    spread = means.groupby("column", sort=False)["value"].std(ddof=1).rename_axis("column").reset_index()
    named = means.assign(row="perturbations " + means["row"].astype(str))
    return pd.concat([named, spread.assign(row="std of the means", se=np.nan, n=len(named["row"].unique()))])[
        ["row", "column", "value", "se", "n"]
    ].reset_index(drop=True)


def compare_designs(
    frame: pd.DataFrame,
    by: str = "design",
    paired_by: str | Sequence[str] = "meeting",
    metrics: Sequence[str] = METRICS,
) -> pd.DataFrame:
    """Student's paired t between the designs' last rounds, for each metric, with Holm's correction within a metric.

    The same meeting is a pair; `support.analysis.stats.compare` says what the columns hold.
    """
    need_columns(frame, [by, "round", *metrics], "rounds")
    last = final(frame)
    tests = [compare(last, metric, by, paired_by=paired_by, show=False) for metric in metrics]
    return pd.concat(tests, ignore_index=True)


def other_options(records: Iterable[tuple[Unit | Mapping[str, Any], Coordination]], by: str) -> pd.DataFrame:
    """Whether a setting changes what is proposed: one row for each pair of runs that differ in `by` alone.

    Returns
    -------
    DataFrame
        The other settings, repetition, meeting, changed (whether any round has another option), required (whether the
        organiser demands somebody's attendance in one of the two).
    """
    pairs: dict[str, list[tuple[dict[str, Any], Coordination]]] = {}
    for unit, record in records:
        same = {name: value for name, value in head(unit).items() if name != by} | {"meeting": record.meeting["id"]}
        pairs.setdefault(json.dumps(same, sort_keys=True), []).append((same, record))
    rows = []
    for (same, one), (_, other) in (pair for pair in pairs.values() if len(pair) == 2):
        proposed = [[{option.start for option in entry.options} for entry in run.rounds] for run in (one, other)]
        required = any(run.meeting.get("required") for run in (one, other))
        rows.append(same | {"changed": proposed[0] != proposed[1], "required": required})
    return pd.DataFrame(rows)


def in_a_sentence(pairs: pd.DataFrame, what: str) -> str:
    """What `other_options` found, as a figure says it."""
    changed, n = int(pairs["changed"].sum()), len(pairs)
    told = f"with {what}, other options in {changed} of {n} meetings" if changed else (
        f"{what} changes nothing: the same options in {n} of {n} meetings")  # fmt: skip
    return f"{told}; somebody is required in {int(pairs['required'].sum())}"


def with_standard_errors(published: pd.DataFrame, reading: Literal["numbers", "text"] = "numbers") -> pd.DataFrame:
    """Tables 1 or 2 with standard errors in `spread`, in the place of the printed half-widths.

    Parameters
    ----------
    published : table, row, column, value, spread
        One or several settings of Table 1, or Table 2, as `support.published.load` gives them.
    reading : what the printed half-width h of m meetings is
        - "text": 95 percent, Student's t with 19 degrees of freedom (the paper's footnote 9), h / t(0.975; 19).
        - "numbers": t(0.95; m - 1) sd / sqrt(m), with the population's sd and m as the ratio of the same row has it.
          All printed ratios have that form and none the other (`support.analysis.consistency.readings`): the printed
          intervals cover 90 percent. The standard error with n - 1 is h / t(0.95; m - 1) sqrt(m / (m - 1)).
    """
    if reading not in ("numbers", "text"):
        raise InvalidInput(f"reading: {reading!r} given; expected 'numbers' or 'text'")
    need_columns(published, ["table", "row", "column", "value", "spread"], "the published numbers")
    if reading == "text":
        return published.assign(spread=published["spread"] / t.ppf(0.975, MEETINGS - 1))
    known = published[published["table"].map(lambda name: setting_of(name) is not None)]
    found = identified(known).set_index(["table", "row"])["meetings"].dropna().to_dict()
    m = np.array([found.get(key, MEETINGS) for key in zip(published["table"], published["row"], strict=True)])
    return published.assign(spread=published["spread"] / t.ppf(0.95, m - 1) * np.sqrt(m / (m - 1)))


def _means(last: pd.DataFrame, by: str | Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    keys = [by] if isinstance(by, str) else list(by)
    need_columns(last, [*keys, *metrics], "rounds")
    need_keys(last, keys, "rounds")
    groups = last.groupby(keys, sort=False)[list(metrics)]
    parts = {"value": groups.mean(), "se": groups.sem(), "n": groups.count()}
    stacked = pd.concat({name: part.stack() for name, part in parts.items()}, axis=1)
    stacked = stacked[stacked["n"] > 0]  # no turns without a conversation: "n/a" in the paper
    return stacked.rename_axis([*(["row"] if len(keys) == 1 else keys), "column"]).reset_index()
