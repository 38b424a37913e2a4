"""Three points at once: a linear mixed model with an intercept for each respondent."""

from __future__ import annotations

import warnings
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import check_level
from support.analysis.stats import with_holm
from support.analysis.user_study.points import in_order, need_repeated
from support.errors import InvalidInput

TERMS = ("source", "item", "term", "estimate", "se", "low", "high", "t", "df", "p", "n", "respondents",
         "sd_respondents", "sd_rest", "note")  # fmt: skip
FITTED = ("estimate", "se", "low", "high", "t", "df", "p", "sd_respondents", "sd_rest")
"""The columns that are NaN where there is no fit."""


def mixed_model(data: pd.DataFrame, items: tuple[str, ...] = (), level: float = 0.95) -> pd.DataFrame:
    """For each item: answer = point + respondent, fitted by restricted maximum likelihood.

    Who missed a point stays in with the others, which a paired test cannot do. Tests take t with
    n - respondents - (points - 1) degrees of freedom, not the normal distribution that statsmodels takes: for ten
    people the latter finds too much. Where everybody answers everything this is the repeated-measures ANOVA, unless
    respondents differ by less than the rest would make them: their variance is then 0 (`note`), in the ANOVA negative.

    Parameters
    ----------
    data : DataFrame
        As `points.collected` gives it, of one source.

    Returns
    -------
    DataFrame
        source, item, term ("after session 1 - before session 1", ...: each later point against the first; then "all
        points", the joint test, with F in `t`), estimate (points of the scale), se, low, high, t, df, p, p_holm (over
        the items, within a term), n (answers), respondents, sd_respondents, sd_rest (standard deviations of intercepts
        and residuals), note (what the fit complained of, or why there is none).

    Raises
    ------
    InvalidInput
        Several sources, answers off the scale, a single point, or a level not between 0 and 1.
    """
    check_level(level)
    checked = need_repeated(data, items).dropna(subset=["answer"])
    points = in_order(checked["point"])
    if len(points) < 2:
        raise InvalidInput(f"the answers have one point, {points[0]!r}; a change needs two or more.")
    rows = [row for _, part in checked.groupby("item", sort=False) for row in _rows(part, points, level)]
    table = pd.DataFrame(rows).assign(source=checked["source"].iloc[0])[list(TERMS)]
    return with_holm(table, ["term"])


def _rows(part: pd.DataFrame, points: list[str], level: float) -> list[dict[str, Any]]:
    there = [point for point in points if point in set(part["point"])]
    terms = [f"{point} - {there[0]}" for point in there[1:]]
    n, people = len(part), part["respondent"].nunique()
    shared = {"item": part["item"].iloc[0], "n": n, "respondents": people}
    df = n - people - len(terms)
    if why := _why_not(part, there, df):
        return [shared | dict.fromkeys(FITTED, nan) | {"term": term, "note": why} for term in _all(terms)]
    fitted, note = _fit(part, there)
    spreads = {"sd_respondents": float(np.sqrt(fitted.cov_re.iloc[0, 0])), "sd_rest": float(np.sqrt(fitted.scale))}
    shared |= spreads | {"df": df, "note": note}
    quantile = float(stats.t.ppf((1 + level) / 2, df))
    rows = [
        shared | {"term": term} | _term(fitted.fe_params.iloc[i], fitted.bse_fe.iloc[i], df, quantile)
        for i, term in enumerate(terms, 1)
    ]
    return [*rows, shared | {"term": _all(terms)[-1]} | _joint(fitted, len(terms), df)] if len(terms) > 1 else rows


def _all(terms: list[str]) -> list[str]:
    return [*terms, "all points"] if len(terms) > 1 else terms


def _why_not(part: pd.DataFrame, there: list[str], df: int) -> str:
    if len(there) < 2:
        return "no fit: one point only"
    if df < 1:
        return "no fit: too few answers"
    if part["answer"].nunique() == 1:
        return "no fit: all answers are the same"
    # Where everybody moves alike nothing is left for the residual, and there is no test.
    wide = part.pivot(index="respondent", columns="point", values="answer")
    if wide.sub(wide.mean(axis=1), axis=0).var(ddof=0).fillna(0).max() < 1e-12:
        return "no fit: everybody moved alike"
    return ""


def _fit(part: pd.DataFrame, points: list[str]) -> tuple[Any, str]:
    """The fitted model, and the warnings of its fit in one line."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    design = np.column_stack([np.ones(len(part)), *((part["point"] == point).astype(float) for point in points[1:])])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = MixedLM(part["answer"].to_numpy(), pd.DataFrame(design), groups=part["respondent"].to_numpy())
        # Without a gradient, which is singular where respondents do not differ: the other methods stop short of it.
        fitted = model.fit(reml=True, method="powell")
    return fitted, _said([str(w.message) for w in caught], bool(fitted.converged))


def _said(warned: list[str], converged: bool) -> str:
    if any("boundary" in text for text in warned):  # the complaint about the Hessian then says the same
        others = [text for text in warned if "boundary" not in text and "Hessian" not in text]
        warned = ["respondents do not differ beyond the rest (variance 0)", *others]
    return "; ".join(dict.fromkeys([*([] if converged else ["the fit did not converge"]), *warned]))


def _term(estimate: float, se: float, df: int, quantile: float) -> dict[str, float]:
    t = estimate / se
    bounds = {"low": estimate - quantile * se, "high": estimate + quantile * se}
    return {"estimate": float(estimate), "se": float(se), **bounds, "t": t, "p": float(2 * stats.t.sf(abs(t), df))}


def _joint(fitted: Any, terms: int, df: int) -> dict[str, float]:
    effects = fitted.fe_params.to_numpy()[1:]
    spread = np.asarray(fitted.cov_params())[1 : terms + 1, 1 : terms + 1]
    f = float(effects @ np.linalg.solve(spread, effects)) / terms
    return dict.fromkeys(("estimate", "se", "low", "high"), nan) | {"t": f, "p": float(stats.f.sf(f, terms, df))}
