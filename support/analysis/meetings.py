"""Meeting coordination in numbers (Papachristou, Yang and Hsu 2023, sections 5.3 to 6.4, appendix C).

`satisfaction_ratio` is in percent, `satisfaction_score` in points of 0 to 3, `equity` a Gini coefficient (lower is more
even), `interactions` the members' mean number of turns. `true_ratio` is the same candidate's on the members' true
preferences, `chance_ratio` what a start drawn at random is worth by them, `best_ratio` the best one.

Cases that the paper leaves open: a round without any option satisfies nobody (ratio 0, score 0, equity 1); one whose
candidate has no scores has no metrics (NaN); where nothing was said `interactions` is NaN ("n/a" in Table 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

from support.analysis.consistency import identified
from support.analysis.frames import head
from support.analysis.stats import (
    describe,
    percentiles,
    resampled,
    tidy_means,
    weighted_kappa,
)
from support.meetings.records import Coordination, CoordinationRound, Score
from support.meetings.satisfaction import (
    HIGHEST,
    equity,
    satisfaction_ratio,
    satisfaction_score,
)
from support.meetings.study import MEETINGS
from support.runs.study import Unit

Records = Iterable[tuple[Unit | Mapping[str, Any], Coordination]]

METRICS = ("interactions", "satisfaction_ratio", "satisfaction_score", "equity")
"""The metrics of section 5.3, in the order of Figures 4 to 6."""

YARDSTICK = ("true_ratio", "chance_ratio", "best_ratio")
SHARES = ("satisfaction_ratio", "satisfaction_score", "interactions")
"""Metrics whose change is told in percent of round 1; a Gini coefficient near 0 has no such percentage."""


# -- one row for each run and round ----------------------------------------------------------------------------------


def rounds_of(records: Records) -> pd.DataFrame:
    """One row for each run and round, of pairs of a unit (or settings) and its record, as `Store.records` gives them.

    Columns: the settings, `repetition`, `meeting` (its id), `members` (n), `round`, those of `METRICS` and `YARDSTICK`.
    """
    return pd.DataFrame([
        {**head(unit), "meeting": record.meeting["id"], "members": len(record.members), "round": entry.number}
        | _measures(entry)
        | {name: 100 * known.get(name, np.nan) for name in YARDSTICK[1:]}
        for unit, record in records
        for entry, known in zip(record.rounds, record.settings.get("yardstick", [{}] * len(record.rounds)), strict=True)
    ])  # fmt: skip


def final(frame: pd.DataFrame) -> pd.DataFrame:
    """The last round of each run: what the group ends with."""
    last = frame.groupby(_run_columns(frame), dropna=False)["round"].idxmax()
    return frame.loc[last.sort_values()].reset_index(drop=True)


def _run_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that tell runs apart: all but the round and what was measured in it."""
    return [
        str(column) for column in frame if column not in (*METRICS, *YARDSTICK, "round")
    ]


def name_settings(frame: pd.DataFrame) -> pd.DataFrame:
    """With a column `setting`, as Table 1 heads its parts: "n = 5, K = 2", "n = 5, K = 4, database"."""
    names = (
        "n = " + frame["members"].astype(str) + ", K = " + frame["options"].astype(str)
    )
    return frame.assign(
        setting=names + frame["database"].map({True: ", database", False: ""})
    )


def _measures(entry: CoordinationRound) -> dict[str, float]:
    ours, true = (
        _of_candidate(scores, entry) for scores in (entry.scores, entry.audit)
    )
    turns = [conversation.interactions for conversation in entry.conversations]
    spoken = any(conversation.turns for conversation in entry.conversations)
    return {
        "interactions": float(np.mean(turns)) if spoken else np.nan,
        "satisfaction_ratio": 100 * satisfaction_ratio(ours) if ours else np.nan,
        "satisfaction_score": satisfaction_score(ours) if ours else np.nan,
        "equity": equity(ours) if ours else np.nan,
        "true_ratio": 100 * satisfaction_ratio(true) if true else np.nan,
    }


def _of_candidate(scores: Sequence[Score], entry: CoordinationRound) -> list[int]:
    """The candidate's scores; one of 0 in a round without options, which satisfies nobody."""
    return [s.value for s in scores if s.option == entry.candidate] or (
        [] if entry.options else [0]
    )


# -- changes from round 1, and the way from chance to the best (section 6, Figures 4 to 6) ---------------------------


def changes(frame: pd.DataFrame) -> pd.DataFrame:
    """Each metric's change from round 1, for each run and round, as the paper takes it: run by run, then the mean.

    In percent for those of `SHARES`, in the metric's own unit for the others. A metric that is 0 in round 1 has no
    percentage change: such a run is left out and counted.

    Columns: those that tell runs apart, round, metric, value, start (the value in round 1), change, left_out, unit.
    """
    keys = [*_run_columns(frame), "metric"]
    long = frame.melt(
        [*keys[:-1], "round"], METRICS, var_name="metric", value_name="value"
    )
    first = long.loc[long["round"] == 1, [*keys, "value"]].rename(
        columns={"value": "start"}
    )
    table = long.merge(first, on=keys, how="left", validate="many_to_one")
    gain, percent = table["value"] - table["start"], table["metric"].isin(SHARES)
    table["change"] = (100 * gain / table["start"].where(table["start"] != 0)).where(
        percent, gain
    )
    unit = np.where(percent, "% change from round 1", "difference from round 1")
    return table.assign(left_out=table["change"].isna(), unit=unit)


def mean_changes(table: pd.DataFrame) -> pd.DataFrame:
    """Mean change with its t interval, of a frame of `changes`: setting, metric, round, mean, low, high, n, left_out
    (runs without a change), start (the mean of all runs in round 1), unit."""
    keys = ["setting", "metric", "round"]
    means = describe(table, "change", keys).rename(columns={"missing": "left_out"})
    starts = (
        table.groupby(keys, sort=False)
        .agg(start=("start", "mean"), unit=("unit", "first"))
        .reset_index()
    )
    return means[[*keys, "mean", "low", "high", "n", "left_out"]].merge(starts, on=keys)


def gap_closed(frame: pd.DataFrame, by: Sequence[str] = ("setting",)) -> pd.DataFrame:
    """How much of the way from chance to the best start the candidates go, in truth: (true - chance) / (best - chance).

    A ratio of means over runs with the 95 % t interval of its linearised error: a single run's share explodes where all
    starts are worth nearly the same. Columns (percent): by..., round, chance, true, best (means), share, low, high, n.
    """
    keys, rows = [*by, "round"], []
    for key, group in frame.dropna(subset=list(YARDSTICK)).groupby(keys, sort=False):
        true, chance, best = (group[name].to_numpy() for name in YARDSTICK)
        gap, n = best.mean() - chance.mean(), len(group)
        share = (true.mean() - chance.mean()) / gap if gap > 0 else np.nan
        error = (
            np.std(true - chance - share * (best - chance), ddof=1) / np.sqrt(n) / gap
            if n > 1
            else np.nan
        )
        half = t.ppf(0.975, n - 1) * error if n > 1 else np.nan
        rows.append([*key, chance.mean(), true.mean(), best.mean(),
                     100 * share, 100 * (share - half), 100 * (share + half), n])  # fmt: skip
    return pd.DataFrame(
        rows, columns=[*keys, "chance", "true", "best", "share", "low", "high", "n"]
    )


# -- the rounds beside the two baselines (Table 1), and paraphrases (Table 2) ----------------------------------------


def table_1(frame: pd.DataFrame, by: Sequence[str] = ("design",)) -> pd.DataFrame:
    """Means of the last round of each design: row (of several `by` these), column, value, se, n."""
    tidy = tidy_means(final(frame), by, [*METRICS[1:], METRICS[0]])
    return tidy[tidy["n"] > 0].reset_index(
        drop=True
    )  # no turns without a conversation: "n/a" in the paper


def table_2(frame: pd.DataFrame) -> pd.DataFrame:
    """Means by the column `paraphrase` (0, 1, 2), with the rows and columns of Table 2."""
    means = tidy_means(
        final(frame).sort_values("paraphrase", kind="stable"),
        ["paraphrase"],
        METRICS[1:],
    )
    spread = (
        means.groupby("column", sort=False)["value"]
        .std(ddof=1)
        .rename_axis("column")
        .reset_index()
    )
    spread = spread.assign(row="std of the means", se=np.nan, n=means["row"].nunique())
    return pd.concat(
        [means.assign(row="perturbations " + means["row"].astype(str)), spread],
        ignore_index=True,
    )


def with_standard_errors(published: pd.DataFrame) -> pd.DataFrame:
    """Settings of Table 1, or Table 2, with standard errors in `spread`, in the place of the printed half-widths.

    The printed half-width h of m meetings is t(0.95; m - 1) sd / sqrt(m) with the population's sd (see
    `support.analysis.consistency.readings`): the standard error with n - 1 is h / t(0.95; m - 1) sqrt(m / (m - 1)).
    """
    found = identified(published)
    m = np.array(
        [
            found.get(key, MEETINGS)
            for key in zip(published["table"], published["row"], strict=True)
        ]
    )
    return published.assign(
        spread=published["spread"] / t.ppf(0.95, m - 1) * np.sqrt(m / (m - 1))
    )


# -- the evaluator in the loop against the exact one -----------------------------------------------------------------


def audit(records: Records) -> pd.DataFrame:
    """One row for each option, member and round that both evaluators scored: the settings, meeting, score, exact.

    They differ where the evaluator misjudges what was said, and where what was said is not all that is true.
    """
    rows = []
    for unit, record in records:
        for entry in record.rounds:
            exact = {(s.option, s.member): s.value for s in entry.audit}
            rows += [
                {
                    **head(unit),
                    "meeting": record.meeting["id"],
                    "score": s.value,
                    "exact": exact[s.option, s.member],
                }
                for s in entry.scores
                if (s.option, s.member) in exact
            ]
    return pd.DataFrame(rows)


def kappa(
    pairs: pd.DataFrame, rng: np.random.Generator, *, by: str, draws: int
) -> pd.DataFrame:
    """Cohen's quadratically weighted kappa of the scores and the exact ones, for each value of a column of the audit,
    with a 95 % interval that draws whole meetings: by, kappa, low, high, agreement (share of equal scores), n (pairs),
    meetings, note (why there is none)."""
    return pd.DataFrame(
        [
            {by: name} | _kappa(group, rng, draws)
            for name, group in pairs.groupby(by, sort=False)
        ]
    )


def _kappa(group: pd.DataFrame, rng: np.random.Generator, draws: int) -> dict[str, Any]:
    score, exact, meetings = (
        group["score"].to_numpy(),
        group["exact"].to_numpy(),
        group["meeting"].nunique(),
    )
    constant = [name for name in ("score", "exact") if group[name].nunique() == 1]
    note = "" if meetings > 1 else "one meeting: no interval"
    if constant:
        note = f"{' and '.join(constant)} never {'vary' if len(constant) > 1 else 'varies'}: agreement is not defined"
    if len(group) < 2:
        note = "fewer than two pairs"
    row: dict[str, Any] = dict.fromkeys(("kappa", "low", "high"), np.nan)
    row |= {
        "agreement": float((score == exact).mean()),
        "n": len(group),
        "meetings": meetings,
        "note": note,
    }
    if constant or len(group) < 2:
        return row
    times, place = resampled(group["meeting"].tolist(), rng, draws)
    counts = np.zeros((meetings, HIGHEST + 1, HIGHEST + 1), dtype=int)
    np.add.at(counts, (place, score, exact), 1)
    row["kappa"] = float(weighted_kappa(counts.sum(axis=0)))
    if meetings > 1:  # a draw in which one side happens not to vary has no kappa
        row["low"], row["high"] = map(
            float, percentiles(weighted_kappa(np.tensordot(times, counts, axes=1)))
        )
    return row
