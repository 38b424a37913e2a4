"""Do groups answer differently? Tests that use the order of the answers only (Kruskal-Wallis, Mann-Whitney)."""

from __future__ import annotations

from itertools import combinations
from math import nan
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.surveys.families import with_holm
from support.analysis.surveys.sources import Answers, by_source
from support.errors import InvalidInput

Family = Literal["item", "all"]
Sample = np.ndarray


def kruskal_wallis(data: Answers | pd.DataFrame) -> pd.DataFrame:
    """Kruskal and Wallis's test (1952) of each item between all groups, corrected for ties.

    Returns
    -------
    DataFrame
        source, item, groups, n, h, df, p (chi-squared approximation), p_holm (over the items of a source),
        epsilon_squared (H / (n - 1), 0 to 1: Tomczak and Tomczak 2014), note. Where no test exists p is NaN and
        `note` says why.

    Raises
    ------
    InvalidInput
        Reconstructions, or a source with one group only.
    """
    rows = [
        {"source": source, "item": item} | _kruskal(list(samples.values()))
        for source, answers in by_source(data).items()
        for item, samples in _samples(answers).items()
    ]
    return with_holm(pd.DataFrame(rows), ["source"])


def mann_whitney(data: Answers | pd.DataFrame, family: Family = "item") -> pd.DataFrame:
    """Mann and Whitney's test (1947) of each item between all pairs of groups, with Holm's correction.

    The p-value is the normal approximation with corrections for ties and continuity, at every size: answers on a
    scale are tied, which the exact tables do not know.

    Parameters
    ----------
    family : {"item", "all"}
        Holm over the pairs of one item, or over all pairs of all items of a source.

    Returns
    -------
    DataFrame
        source, item, a, b, n_a, n_b, u, p, p_holm, rank_biserial (2U / (n_a n_b) - 1, equal to Cliff's delta: above 0
        where a answers higher), note.

    Raises
    ------
    InvalidInput
        Reconstructions, a source with one group only, or another family.
    """
    if family not in ("item", "all"):
        raise InvalidInput(f"family is {family!r}; expected 'item' or 'all'.")
    rows = [
        {"source": source, "item": item, "a": a, "b": b} | _pair(samples[a], samples[b])
        for source, answers in by_source(data).items()
        for item, samples in _samples(answers).items()
        for a, b in combinations(samples, 2)
    ]
    return with_holm(pd.DataFrame(rows), ["source", "item"] if family == "item" else ["source"])


def _samples(answers: Answers) -> dict[Any, dict[Any, Sample]]:
    """From item to group to answers; groups in alphabetical order, so that the order of rows changes nothing."""
    frame = answers.frame
    groups = sorted(frame["group"].unique(), key=str)
    if len(groups) < 2:
        raise InvalidInput(f"source {answers.source!r} has one group, {groups[0]!r}; a comparison needs two or more.")
    given = frame.dropna(subset=["answer"])
    return {
        item: {g: given.loc[(given["item"] == item) & (given["group"] == g), "answer"].to_numpy() for g in groups}
        for item in frame["item"].unique()
    }


def _kruskal(samples: list[Sample]) -> dict[str, Any]:
    there = [sample for sample in samples if len(sample)]
    n = sum(map(len, there))
    sizes = {"groups": len(there), "n": n}
    note = _why_not(there)
    if note:
        return sizes | {"h": nan, "df": nan, "p": nan, "epsilon_squared": nan, "note": note}
    h, p = stats.kruskal(*there)
    return sizes | {
        "h": float(h),
        "df": len(there) - 1,
        "p": float(p),
        "epsilon_squared": float(h) / (n - 1),
        "note": "",
    }


def _pair(a: Sample, b: Sample) -> dict[str, Any]:
    sizes = {"n_a": len(a), "n_b": len(b)}
    note = _why_not([sample for sample in (a, b) if len(sample)])
    if note:
        return sizes | {"u": nan, "p": nan, "rank_biserial": nan, "note": note}
    u, p = stats.mannwhitneyu(a, b, method="asymptotic")
    return sizes | {"u": float(u), "p": float(p), "rank_biserial": 2 * float(u) / (len(a) * len(b)) - 1, "note": ""}


def _why_not(samples: list[Sample]) -> str:
    if len(samples) < 2:
        return "no test: fewer than two groups answered"
    if len(np.unique(np.concatenate(samples))) < 2:
        return "no test: all answers are the same"
    return ""
