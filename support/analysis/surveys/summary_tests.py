"""Tests between groups of which only mean, spread and n are printed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import nan, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.effects import small_sample_factor
from support.analysis.frames import check_level, need_columns, need_keys, numbers
from support.analysis.surveys.families import with_holm
from support.analysis.surveys.intervals import Convention, implied_sd
from support.analysis.surveys.printed import cells, check_n, need_groups, need_means
from support.analysis.surveys.sources import PUBLISHED, need_answers
from support.errors import InvalidInput


def summaries(means: pd.DataFrame, convention: Convention, level: float = 0.95) -> pd.DataFrame:
    """Mean, standard deviation and n of each printed cell, if its interval was computed by `convention`.

    Parameters
    ----------
    means : DataFrame
        item, group, mean, half (of a printed interval): see `printed_means`.

    Returns
    -------
    DataFrame
        assumed (the convention's name), item, group, n, mean, sd (with the divisor n - 1, whatever the convention's),
        source.
    """
    need_means(means, "half")
    rows = [
        {"assumed": convention.name, "item": cell.item, "group": cell.group, "n": convention.n[cell.group]}
        | {"mean": float(cell.mean), "sd": _sd(float(cell.half), str(cell.group), convention, level)}
        for cell in cells(means, need_groups(means, convention.n))
    ]
    return pd.DataFrame(rows).assign(source=PUBLISHED)


def welch(table: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """Welch's t between all pairs of groups of each item, from summaries.

    Parameters
    ----------
    table : DataFrame
        assumed, item, group, n, mean, sd, source: see `summaries`.

    Returns
    -------
    DataFrame
        source, assumed, item, a, b, n_a, n_b, difference (a - b), low, high, t, df, p, p_holm (over the pairs of an
        item under one assumption), hedges_g, note.

    Raises
    ------
    InvalidInput
        A missing column, a negative sd, or n below 2.
    """
    check_level(level)
    rows = [
        names | {"a": a["group"], "b": b["group"], "n_a": a["n"], "n_b": b["n"]} | _welch(a, b, level)
        for names, groups in _families(table)
        for a, b in combinations(groups, 2)
    ]
    if not rows:
        raise InvalidInput("the summaries have one group for each item; a comparison needs two or more.")
    return with_holm(pd.DataFrame(rows), ["source", "assumed", "item"])


def anova(table: pd.DataFrame) -> pd.DataFrame:
    """One-way analysis of variance of each item, from summaries; equal variances are assumed.

    Returns
    -------
    DataFrame
        source, assumed, item, groups, n, f, df_between, df_within, p, p_holm (over the items under one assumption),
        eta_squared, note.

    Raises
    ------
    InvalidInput
        As `welch`.
    """
    rows = [names | _anova(groups) for names, groups in _families(table)]
    return with_holm(pd.DataFrame(rows), ["source", "assumed"])


def under(means: pd.DataFrame, conventions: Mapping[str, Convention], level: float = 0.95) -> pd.DataFrame:
    """The summaries under each of several conventions, one below the other: ready for `welch` and `anova`."""
    if not conventions:
        raise InvalidInput("conventions is empty; expected at least one.")
    return pd.concat(
        [summaries(means, c, level).assign(assumed=name) for name, c in conventions.items()], ignore_index=True
    )


def _sd(half: float, group: str, by: Convention, level: float) -> float:
    n = by.n[group]
    sd = implied_sd(half, n, by.degrees(group), level)
    return sd * sqrt(n / (n - 1)) if by.divisor == "n" else sd


def _families(table: pd.DataFrame) -> list[tuple[dict[str, Any], list[dict[Any, Any]]]]:
    need_answers(table)
    keys = ["source", "assumed", "item"]
    need_columns(table, [*keys, "group", "n", "mean", "sd"], "the summaries")
    need_keys(table, [*keys, "group"], "the summaries")
    if numbers(table, "mean").isna().any() or not (numbers(table, "sd") >= 0).all():
        raise InvalidInput("the summaries hold a mean or sd that is empty or negative; leave such cells out.")
    for n in table["n"]:
        check_n(n, least=2)
    parts = table.groupby(keys, sort=False, observed=True)
    return [(dict(zip(keys, names, strict=True)), part.to_dict("records")) for names, part in parts]


def _welch(a: dict[str, Any], b: dict[str, Any], level: float) -> dict[str, Any]:
    difference, se = a["mean"] - b["mean"], sqrt(a["sd"] ** 2 / a["n"] + b["sd"] ** 2 / b["n"])
    if se == 0:
        missing = dict.fromkeys(("low", "high", "t", "df", "p", "hedges_g"), nan)
        return {"difference": difference} | missing | {"note": "no test: no spread on either side"}
    t, p = stats.ttest_ind_from_stats(a["mean"], a["sd"], a["n"], b["mean"], b["sd"], b["n"], equal_var=False)
    df = se**4 / sum((x["sd"] ** 2 / x["n"]) ** 2 / (x["n"] - 1) for x in (a, b))
    margin = float(stats.t.ppf((1 + level) / 2, df)) * se
    interval = {"difference": difference, "low": difference - margin, "high": difference + margin}
    return interval | {"t": float(t), "df": df, "p": float(p), "hedges_g": _hedges(a, b), "note": ""}


def _hedges(a: dict[str, Any], b: dict[str, Any]) -> float:
    """Hedges' g, as `support.analysis.effects.hedges_g` gives it for the answers themselves."""
    df = a["n"] + b["n"] - 2
    pooled = sqrt(((a["n"] - 1) * a["sd"] ** 2 + (b["n"] - 1) * b["sd"] ** 2) / df)
    return float((a["mean"] - b["mean"]) / pooled * small_sample_factor(df))


def _anova(groups: list[dict[Any, Any]]) -> dict[str, Any]:
    n, mean, sd = (np.array([group[name] for group in groups], dtype=float) for name in ("n", "mean", "sd"))
    between = float((n * (mean - np.average(mean, weights=n)) ** 2).sum())
    within = float(((n - 1) * sd**2).sum())
    df = len(groups) - 1, int(n.sum()) - len(groups)
    sizes = {"groups": len(groups), "n": int(n.sum())}
    if df[0] == 0 or within == 0:
        missing = dict.fromkeys(("f", "df_between", "df_within", "p", "eta_squared"), nan)
        return sizes | missing | {"note": "no test: one group" if df[0] == 0 else "no test: no spread within groups"}
    f = (between / df[0]) / (within / df[1])
    tested = {"f": f, "df_between": df[0], "df_within": df[1], "p": float(stats.f.sf(f, *df))}
    return sizes | tested | {"eta_squared": between / (between + within), "note": ""}
