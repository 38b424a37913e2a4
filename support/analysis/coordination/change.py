"""Changes from round 1, run by run, and their means with t intervals (section 6, Figures 4 to 6).

The paper takes each meeting's percentage change and then the mean over meetings. Two properties of that summary
matter when it is read:

- A metric that is 0 in round 1 has no percentage change. Such a run is left out and counted (`zero="leave out"`), or
  all changes are differences in the metric's own unit (`zero="difference"`). The runs left out are those with the most
  to gain.
- A mean of percentages weighs a gain from a small start more than the same gain from a large one: where gains do not
  depend on the start, it is larger in size than the change of the mean (the mean of 1 / x exceeds 1 / the mean).
  `of_means` is that change, over all runs: 20 and 80 percent that become 60 and 100 are +112 percent on average, and
  +60 in means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from scipy.stats import t

from support.analysis.coordination.rounds import METRICS, run_columns
from support.analysis.frames import need_columns, need_keys
from support.analysis.stats import describe
from support.errors import InvalidInput

Zero = Literal["leave out", "difference"]
UNITS = {"leave out": "% change from round 1", "difference": "difference from round 1"}


def changes(frame: pd.DataFrame, *, zero: Zero = "leave out", metrics: Sequence[str] = METRICS) -> pd.DataFrame:
    """Each metric's change from round 1, for each run and round.

    Parameters
    ----------
    frame : as `rounds_of` gives it
    zero : what becomes of runs whose metric is 0 in round 1: "leave out", or "difference" for all runs

    Returns
    -------
    DataFrame
        The columns that tell runs apart, round, metric, start (the value in round 1), value, change, left_out, unit.
        `change` is NaN, and `left_out` true, where there is none.

    Raises
    ------
    InvalidInput
        An unknown `zero`, a run without a round 1, or two runs that no column tells apart.
    """
    if zero not in UNITS:
        raise InvalidInput(f"zero: {zero!r} given; expected one of {', '.join(map(repr, UNITS))}")
    need_columns(frame, ["round", *metrics], "rounds")
    runs = run_columns(frame)
    long = frame.melt([*runs, "round"], list(metrics), var_name="metric", value_name="value")
    table = _with_start(long, [*runs, "metric"])
    gain = table["value"] - table["start"]
    table["change"] = gain if zero == "difference" else 100 * gain / table["start"].where(table["start"] != 0)
    return table.assign(left_out=table["change"].isna(), unit=UNITS[zero])


def mean_changes(table: pd.DataFrame, by: str | Sequence[str] = "setting", *, level: float = 0.95) -> pd.DataFrame:
    """Mean change with its t interval, for each group of `by`, metric and round.

    Parameters
    ----------
    table : as `changes` gives it

    Returns
    -------
    DataFrame
        by..., metric, round, mean, low, high, se, n, left_out (runs without a change), start (the mean of all runs in
        round 1), of_means (the change of the mean, over all runs), unit.
    """
    keys = [*([by] if isinstance(by, str) else by), "metric", "round"]
    need_columns(table, [*keys, "change", "start", "value", "unit"], "changes")
    need_keys(table, keys, "changes")
    means = describe(table, "change", keys, level=level).rename(columns={"missing": "left_out"})
    groups = table.groupby(keys, sort=False)[["start", "value"]].mean().reset_index()
    merged = means.merge(groups, on=keys)
    unit = str(table["unit"].iloc[0])
    gain = merged["value"] - merged["start"]
    share = 100 * gain / merged["start"].replace(0, np.nan)
    merged["of_means"] = gain if unit == UNITS["difference"] else share
    return merged[[*keys, "mean", "low", "high", "se", "n", "left_out", "start", "of_means"]].assign(unit=unit)


def gap_closed(
    frame: pd.DataFrame, by: str | Sequence[str] = "setting", measure: str = "ratio", level: float = 0.95
) -> pd.DataFrame:
    """How much of the way from chance to the best start the candidates go, in truth: (true - chance) / (best - chance).

    A ratio of means over runs, in percent, with the t interval of its linearised error: a single run's share explodes
    where all starts are worth nearly the same.

    Parameters
    ----------
    frame : as `rounds_of` gives it
    measure : "ratio" or "score"

    Returns
    -------
    DataFrame
        by..., round, chance, true, best (means, in percent or points), share, low, high, n.
    """
    keys = [*([by] if isinstance(by, str) else by), "round"]
    names = [f"{kind}_{measure}" for kind in ("chance", "true", "best")]
    need_columns(frame, [*keys, *names], "rounds")
    need_keys(frame, keys, "rounds")
    rows = []
    for key, group in frame.dropna(subset=names).groupby(keys, sort=False):
        chance, true, best = (group[name].to_numpy() for name in names)
        gap, n = best.mean() - chance.mean(), len(group)
        share = (true.mean() - chance.mean()) / gap if gap > 0 else np.nan
        error = np.std(true - chance - share * (best - chance), ddof=1) / np.sqrt(n) / gap if n > 1 else np.nan
        half = t.ppf((1 + level) / 2, n - 1) * error if n > 1 else np.nan
        rows.append([*key, chance.mean(), true.mean(), best.mean(),
                     100 * share, 100 * (share - half), 100 * (share + half), n])  # fmt: skip
    return pd.DataFrame(rows, columns=[*keys, "chance", "true", "best", "share", "low", "high", "n"])


def _with_start(long: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    first = long.loc[long["round"] == 1, [*keys, "value"]].rename(columns={"value": "start"})
    if first.duplicated(keys).any():
        one = first.loc[first.duplicated(keys), keys].iloc[0].to_dict()
        raise InvalidInput(f"rounds: the run {one} occurs twice; keep a column that tells runs apart, as repetition")
    table = long.merge(first, on=keys, how="left", indicator=True)
    if (table["_merge"] != "both").any():
        one = table.loc[table["_merge"] != "both", keys].iloc[0].to_dict()
        raise InvalidInput(f"rounds: the run {one} has no round 1; changes are counted from it")
    return table.drop(columns="_merge")
