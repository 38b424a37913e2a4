"""What the paper's text prints of its user study, and how many answers can have given it (GRIM).

`support.analysis.printed` takes an exact half either way. Here each rule of rounding is asked alone, in decimal
arithmetic: a mean of eight answers often ends in a half (6.625), and which digit is printed tells the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from typing import Any

import pandas as pd

from support.analysis.frames import need_columns
from support.analysis.printed import PUBLISHED, Printed, Scale, cells, check_n, grim_table, possible_sums, printed_means
from support.analysis.user_study.points import POINTS, SEVEN
from support.errors import InvalidInput

ROUNDINGS = {"half up": ROUND_HALF_UP, "half to even": ROUND_HALF_EVEN}
ABOUT = "about"
"""The word in the note of a number that the text prints as an approximation."""

FIGURE_7A = ("visualize the status", "propose time assignments", "decide next steps", "monitor and flag issues")
FIGURE_7B = ("draft only", "draft and send: invitation", "draft and send: clarification")
FIGURE_8 = ("actions align with my values", "stay in control", "explanations before acting", "trust to act for me")
COUNTERPARTS = {
    "overall": "overall",
    "effective plans, actions and mails": "effective",
    "robust": "robust",
    "mental demand": "mental_demand",
    "physical demand": "physical_demand",
    "performance": "performance",
    "frustration": "frustration",
    "effort": "effort",
    "reliance": "reliance",
    "simulations: robustness": "simulation_robust",
    "simulations: realistic": "simulation_realistic",
    "simulations: surface problems": "simulation_problems",
    "visualize the status": "plan_status",
    "propose time assignments": "plan_times",
    "decide next steps": "plan_next",
    "monitor and flag issues": "plan_flags",
    "draft and send: invitation": "send_invitation",
    "draft and send: clarification": "send_clarification",
    "actions align with my values": "wants_alignment",
    "stay in control": "wants_control",
    "explanations before acting": "wants_explanations",
    "trust to act for me": "trusts_acting",
}
"""From a printed mean to our item."""


def study_means(published: pd.DataFrame) -> pd.DataFrame:
    """The printed means of the study: item, group (the point), mean, half (NaN), about, source "published".

    Parameters
    ----------
    published : DataFrame
        `support.published.load("002_0d724da09908f95e", "text 5.3")`.

    Returns
    -------
    DataFrame
        By point, then in the order of the text; `about` marks what is printed as an approximation, which GRIM must
        not judge.

    Raises
    ------
    InvalidInput
        No mean at any of the three points.
    """
    need_columns(published, ["row", "column", "value", "spread", "note"], "the published numbers")
    part = published[published["column"].isin(POINTS)]
    if part.empty:
        raise InvalidInput(f"the published numbers have no means; expected a column {' or '.join(map(repr, POINTS))}.")
    loose = set(part.loc[part["note"].str.contains(rf"\b{ABOUT}\b"), "row"])
    means = printed_means(part).sort_values("group", key=lambda group: group.map(POINTS.index), kind="stable")
    means = means.reset_index(drop=True)
    return means.assign(about=means["item"].isin(loose))


def p_marks(published: pd.DataFrame) -> dict[str, str]:
    """What is printed of each item's p: "p = 0.02", "p < 0.05".

    Examples
    --------
    >>> rows = pd.DataFrame({"row": ["effort"], "column": ["p"], "value": [0.054]})
    >>> p_marks(rows)
    {'effort': 'p = 0.054'}
    """
    signs = {"p": "=", "p below": "<"}
    part = published[published["column"].isin(signs)]
    columns = part["row"], part["column"], part["value"]
    return {row: f"p {signs[column]} {value:g}" for row, column, value in zip(*columns, strict=True)}


def printed_correlations(published: pd.DataFrame) -> pd.DataFrame:
    """The printed correlations with reliance: item, rho, below (the p under which it is said to lie), source."""
    part = published[published["column"] == "r"]
    below = published[published["column"] == "p below"].set_index("row")["value"]
    rows = {
        "item": part["row"].str.removeprefix("reliance with ").to_list(),
        "rho": part["value"].to_list(),
        "below": below.reindex(part["row"]).to_list(),
    }
    return pd.DataFrame(rows).assign(source=PUBLISHED)


def rounds_to(mean: Printed, n: int, rounding: str, scale: Scale = SEVEN) -> bool:
    """Whether n whole answers can have a mean that is printed so under one rule of rounding.

    Parameters
    ----------
    rounding : str
        "half up" or "half to even".

    Examples
    --------
    >>> [rounds_to("6.62", 8, rule) for rule in ROUNDINGS], [rounds_to("2.13", 8, rule) for rule in ROUNDINGS]
    ([False, True], [True, False])
    """
    if rounding not in ROUNDINGS:
        raise InvalidInput(f"rounding is {rounding!r}; expected one of {', '.join(ROUNDINGS)}.")
    wanted, unit = Decimal(str(mean)), Decimal(1).scaleb(-scale.decimals)
    with localcontext() as context:
        context.prec = 50
        means = (Decimal(total) / n for total in possible_sums(mean, n, scale))
        return any(value.quantize(unit, ROUNDINGS[rounding]) == wanted for value in means)


def which_n(means: pd.DataFrame, ns: Iterable[int], scale: Scale = SEVEN) -> pd.DataFrame:
    """For each printed mean and candidate n: can it come from n whole answers, under either rule and under each?

    Parameters
    ----------
    means : DataFrame
        item, group, mean: see `study_means`; rows marked `about` are left out.

    Returns
    -------
    DataFrame
        item, group, mean, n, fits, half_up, half_even, nearest, source; `plots.surveys.plot_grim` draws it.
    """
    exact = means[~means["about"]] if "about" in means else means
    candidates = list(ns)
    table = grim_table(exact, dict.fromkeys(exact["group"].unique(), candidates), scale)
    for rule, column in zip(ROUNDINGS, ("half_up", "half_even"), strict=True):
        fit = [rounds_to(m, n, rule, scale) for m, n in zip(table["mean"], table["n"], strict=True)]
        table.insert(list(table.columns).index("nearest"), column, fit)
    return table


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """Of each point and n, how many of its means fit: group, n, means, fit, half_up, half_even, all_fit, source.

    Parameters
    ----------
    table : DataFrame
        From `which_n`.
    """
    groups = table.groupby(["group", "n"], sort=False)
    sums = groups[["fits", "half_up", "half_even"]].sum().reset_index().rename(columns={"fits": "fit"})
    sums.insert(2, "means", groups.size().to_numpy())
    return sums.assign(all_fit=sums["fit"] == sums["means"], source=PUBLISHED)


def difference_bounds(
    before: Printed, n_before: int, after: Printed, n_after: int, scale: Scale = SEVEN
) -> tuple[float, float]:
    """Between what bounds the mean change of the pairs lies, when only `n_after` of the `n_before` came again.

    Who stayed away is not printed, so that their earlier answers can be anything on the scale.

    Raises
    ------
    InvalidInput
        More answers after than before, or a mean that its n cannot give.

    Examples
    --------
    >>> difference_bounds("4.90", 10, "5.75", 8)
    (-0.125, 1.375)
    """
    away = check_n(n_before) - check_n(n_after)
    if away < 0:
        raise InvalidInput(f"n_after is {n_after}, n_before {n_before}; expected at most as many after as before.")
    first, second = (possible_sums(m, n, scale) for m, n in ((before, n_before), (after, n_after)))
    if not first or not second:
        raise InvalidInput(f"{before} of {n_before} and {after} of {n_after} answers: one cannot be (see which_n).")
    least, most = (
        max(first[0] - scale.high * away, scale.low * n_after),
        min(first[-1] - scale.low * away, scale.high * n_after),
    )
    return (second[0] - most) / n_after, (second[-1] - least) / n_after


def bounds_table(
    means: pd.DataFrame, before: str, after: str, n_before: int, n_after: int, scale: Scale = SEVEN
) -> pd.DataFrame:
    """The bounds of every item's paired change between two points: item, printed (difference of means), low, high.

    Items without a mean at both points, printed as an approximation, or with a mean that its n cannot give, are left
    out.
    """
    exact = means[~means["about"]] if "about" in means else means
    by_point: dict[str, dict[Any, Any]] = {p: {c.item: c.mean for c in cells(exact, [p])} for p in (before, after)}
    rows = []
    for item, mean in by_point[before].items():
        pair: Sequence[Any] = (mean, by_point[after].get(item))
        possible = pair[1] is not None and all(
            possible_sums(m, n, scale) for m, n in zip(pair, (n_before, n_after), strict=True)
        )
        if possible:
            low, high = difference_bounds(pair[0], n_before, pair[1], n_after, scale)
            rows.append({"item": item, "printed": round(pair[1] - pair[0], scale.decimals), "low": low, "high": high})
    table = pd.DataFrame(rows, columns=["item", "printed", "low", "high"])
    return table.assign(sign_known=(table["low"] > 0) | (table["high"] < 0), source=PUBLISHED)
