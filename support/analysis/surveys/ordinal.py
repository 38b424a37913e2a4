"""Ordinal regression: how much more likely is a higher answer in one group than in another?

The proportional-odds model (McCullagh 1980): one odds ratio a term, the same at every step of the scale.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from math import exp, nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import linprog

from support.analysis.frames import check_level, need_columns
from support.analysis.surveys.sources import Answers, by_source
from support.errors import InvalidInput

_NUMBERS = ("log_odds", "se", "odds_ratio", "low", "high", "z", "p")


class Design(NamedTuple):
    """The terms of a regression, float of shape (respondents, terms), and the answers as codes from 0."""

    terms: pd.DataFrame
    codes: np.ndarray


def ordinal_regression(
    data: Answers | pd.DataFrame,
    item: str,
    covariates: Sequence[str] = (),
    reference: Hashable | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Regress the answers to one item on the group and on `covariates` (cumulative logit).

    Parameters
    ----------
    covariates : names of further columns of the answers; numbers enter as they are, text as one term a level.
    reference : the group that the others are compared with; by default the first in alphabetical order.

    Returns
    -------
    DataFrame
        source, item, term, n, left_out (a blank answer or covariate), log_odds, se, odds_ratio (above 1: higher
        answers than the reference), low, high (Wald), z, p, note. Where no estimate exists the numbers are NaN and
        `note` says why: one category only, separation (some term orders the answers without overlap, so that the
        likelihood has no maximum), or a fit that did not converge.

    Raises
    ------
    InvalidInput
        An unknown item, covariate or reference, no second group and no covariate, or terms that determine each other.
    """
    check_level(level)
    tables = [_regressed(answers, item, list(covariates), reference, level) for answers in by_source(data).values()]
    return pd.concat(tables, ignore_index=True)


def _regressed(
    answers: Answers, item: str, covariates: list[str], reference: Hashable | None, level: float
) -> pd.DataFrame:
    frame = answers.frame
    if item not in set(frame["item"]):
        raise InvalidInput(
            f"item {item!r} is none of the survey's, which are: {', '.join(map(str, frame['item'].unique()))}."
        )
    need_columns(frame, covariates, "the answers")
    asked = frame[frame["item"] == item]
    used = asked.dropna(subset=["answer", *covariates])
    told = {"source": answers.source, "item": item}
    sizes = {"n": len(used), "left_out": len(asked) - len(used)}
    design = _design(used, covariates, reference)
    rows = [told | {"term": name} | sizes | row for name, row in _estimates(design, level).items()]
    return pd.DataFrame(rows)


def _design(used: pd.DataFrame, covariates: list[str], reference: Hashable | None) -> Design:
    parts = [_dummies(used["group"], "group", reference)]
    for name in covariates:
        numeric = pd.api.types.is_numeric_dtype(used[name]) and not pd.api.types.is_bool_dtype(used[name])
        parts.append(used[[name]].astype(float) if numeric else _dummies(used[name], name, None))
    terms = pd.concat(parts, axis=1)
    if terms.shape[1] == 0:
        raise InvalidInput("group has one level and there are no covariates: nothing to regress on.")
    if np.linalg.matrix_rank(np.column_stack([np.ones(len(terms)), terms])) < terms.shape[1] + 1:
        raise InvalidInput(
            f"the terms {', '.join(map(str, terms))} determine each other, or one does not vary; leave one out."
        )
    return Design(terms, pd.Categorical(used["answer"], ordered=True).codes.astype(int))


def _dummies(values: pd.Series, name: str, reference: Hashable | None) -> pd.DataFrame:
    levels = sorted(values.unique(), key=str)
    base = levels[0] if reference is None and levels else reference
    if base not in levels:
        raise InvalidInput(f"reference {reference!r} is none of the levels of {name}: {', '.join(map(str, levels))}.")
    return pd.DataFrame(
        {f"{name} {x} (vs {base})": (values == x).astype(float) for x in levels if x != base}, values.index
    )


def _estimates(design: Design, level: float) -> dict[str, dict[str, Any]]:
    note = _why_not(design)
    fit = None if note else _fit(design)
    if fit is None:
        empty = dict.fromkeys(_NUMBERS, nan) | {"note": note or "no estimate: the fit did not converge"}
        return {str(name): dict(empty) for name in design.terms}
    margin = float(stats.norm.ppf((1 + level) / 2))
    return {str(name): _estimate(beta, se, margin) for name, beta, se in zip(design.terms, *fit, strict=True)}


def _estimate(beta: float, se: float, margin: float) -> dict[str, Any]:
    z = beta / se
    interval = {"low": exp(beta - margin * se), "high": exp(beta + margin * se)}
    tested = {"z": z, "p": 2 * float(stats.norm.sf(abs(z))), "note": ""}
    return {"log_odds": beta, "se": se, "odds_ratio": exp(beta)} | interval | tested


def _why_not(design: Design) -> str:
    if len(set(design.codes)) < 2:
        return "no estimate: all answers are in one category"
    apart = separated(design)
    if apart:
        return f"no estimate: separation by {', '.join(apart)}; compare the groups by mann_whitney instead"
    return ""


def separated(design: Design) -> list[str]:
    """The terms along which the answers are ordered without overlap, so that a coefficient grows without bound.

    A direction of coefficients and thresholds that lowers no respondent's likelihood and raises some is looked for by
    a linear program, as Konis (2007) does for two categories.
    """
    terms, steps = design.terms.to_numpy(dtype=float), int(design.codes.max())
    scaled = terms / np.maximum(np.abs(terms).max(axis=0), 1e-12)
    above, below = design.codes < steps, design.codes > 0  # a threshold above the answer; one below it
    slacks = np.vstack(
        [
            _slack(scaled[above], design.codes[above], steps, 1),
            _slack(scaled[below], design.codes[below] - 1, steps, -1),
        ]
    )
    found = linprog(-slacks.sum(axis=0), A_ub=-slacks, b_ub=np.zeros(len(slacks)), bounds=(-1, 1))
    if found.x is None or (slacks @ found.x).sum() < 1e-7:
        return []
    return [str(name) for name, beta in zip(design.terms, found.x, strict=False) if abs(beta) > 1e-7]


def _slack(terms: np.ndarray, threshold: np.ndarray, steps: int, side: int) -> np.ndarray:
    """Rows of side * (threshold - terms @ coefficients), in the unknowns (coefficients, thresholds)."""
    return side * np.column_stack([-terms, np.eye(steps)[threshold]])


def _fit(design: Design) -> tuple[list[float], list[float]] | None:
    """Coefficients and standard errors of the terms, or None where the fit did not converge."""
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    centred = (design.terms - design.terms.mean()) / design.terms.std(ddof=0)  # bfgs wants terms of one size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence is read from the result
        model = OrderedModel(design.codes, centred.to_numpy(), distr="logit")
        result = model.fit(method="bfgs", maxiter=500, disp=0)
    size, k = design.terms.std(ddof=0).to_numpy(), design.terms.shape[1]
    beta, se = np.asarray(result.params)[:k] / size, np.asarray(result.bse)[:k] / size
    if not result.mle_retvals["converged"] or not np.isfinite([beta, se]).all():
        return None
    return beta.tolist(), se.tolist()
