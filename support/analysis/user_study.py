"""The user study of a coordinating agent: two questionnaires, given two or three times to the same people.

Answers are tidy: respondent (the code), point, item, construct, answer (1 to 7), source, of one source in every
analysis. The last part holds the means that the paper's text prints, and which numbers of answers can give them.
p_fdr is by Benjamini and Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 57 (1995).
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from math import nan, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.answers import need_answers
from support.analysis.frames import need_columns
from support.analysis.printed import (
    PUBLISHED,
    Printed,
    Scale,
    cells,
    check_n,
    grim_table,
    possible_sums,
    printed_means,
)
from support.analysis.stats import adjusted, compare, percentiles, resampled, with_holm
from support.data import inputs
from support.errors import InvalidInput
from support.survey.instruments import Instrument, read

QUESTIONNAIRES = ("ai_comfort", "system_perception")
POINTS = ("before session 1", "after session 1", "after session 2")
SEVEN = Scale(1, 7)
ROUNDINGS = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN}

# ---- The two questionnaires at their points in time, and the answers that were collected with them


def questionnaire(name: str, point: str) -> Instrument:
    """One questionnaire as it is given at one point: its name and title say when, and it has that group alone."""
    if name not in QUESTIONNAIRES:
        raise InvalidInput(
            f"name: {name!r} given; the questionnaires are {', '.join(QUESTIONNAIRES)}"
        )
    whole = read(inputs("instruments", f"{name}.toml"))
    whole.check_group(point)
    return replace(
        whole,
        name=f"{name}, {point}",
        title=f"{whole.title} ({point})",
        groups=(point,),
    )


def questionnaires() -> list[Instrument]:
    """All five forms of the study, in the order in which one person fills them in."""
    given = [(name, point) for point in POINTS for name in QUESTIONNAIRES]
    return [
        questionnaire(*form)
        for form in given
        if form != ("system_perception", POINTS[0])
    ]


def collected(answers: pd.DataFrame, name: str) -> pd.DataFrame:
    """The 7-point answers to a questionnaire at all of its points, from tidy answers."""
    forms = [form for form in questionnaires() if form.name.startswith(name)]
    rated = [
        item.id for item in forms[0].items.values() if len(item.choices) == SEVEN.high
    ]
    given = answers["instrument"].isin([form.name for form in forms])
    rows = answers[given & answers["item"].isin(rated)]
    columns = ["respondent", "point", "item", "construct", "answer", "source"]
    return rows.rename(columns={"group": "point"})[columns].reset_index(drop=True)


def need_repeated(
    data: pd.DataFrame, points: Sequence[str] = (), items: Iterable[str] = ()
) -> pd.DataFrame:
    """The answers, checked: one source, from 1 to 7, each respondent, point and item once; `points`, `items` there."""
    need_columns(
        data, ["respondent", "point", "item", "answer", "source"], "the answers"
    )
    # An item at three points is three items to `need_answers`, which lets nobody answer one twice.
    keyed = data.assign(
        group=data["point"],
        item=data["item"].astype(str) + " @ " + data["point"].astype(str),
    )
    checked = data.assign(answer=need_answers(keyed, SEVEN)["answer"].to_numpy())
    if len(sources := checked["source"].unique()) > 1:
        raise InvalidInput(
            f"source: {', '.join(sources)} given together; they are never pooled: pass one at a time."
        )
    for column, wanted in (("point", points), ("item", items)):
        if unknown := [name for name in wanted if name not in set(checked[column])]:
            there = ", ".join(dict.fromkeys(checked[column]))
            raise InvalidInput(
                f"{column}: {', '.join(unknown)} given; there are answers to {there}"
            )
    return checked


def _in_order(points: Iterable[str]) -> list[str]:
    return sorted(
        dict.fromkeys(points),
        key=lambda point: POINTS.index(point) if point in POINTS else len(POINTS),
    )


# ---- Two points, the same people


def paired_tests(data: pd.DataFrame, before: str, after: str) -> pd.DataFrame:
    """What changed between two points: for each item that was answered at both, Student's paired t-test.

    Returns source, item, n (pairs), left_out (answers without a partner), before, after (means), difference with its
    95 % interval low, high, t, df, p, p_holm, correction, p_fdr (both over the items), hedges_g, g_low, g_high, note.
    """
    checked = need_repeated(data, [before, after]).dropna(subset=["answer"])
    parts = checked[checked["point"].isin([before, after])].groupby("item", sort=False)
    table = pd.concat([
        compare(part, "answer", "point", "respondent", reference=before).assign(item=item)
        for item, part in parts if part["point"].nunique() == 2
    ], ignore_index=True)  # fmt: skip
    table = table.rename(columns={"n_a": "n", "mean_a": "after", "mean_b": "before"})
    table = table.assign(source=checked["source"].iloc[0])
    order = "source item n left_out before after difference low high t df p hedges_g g_low g_high note"
    table = with_holm(table[order.split()])
    return table.assign(p_fdr=adjusted(table["p"], "fdr_bh"))


def error_rates(
    data: pd.DataFrame, before: str, after: str, n: int, changing: Collection[str]
) -> pd.DataFrame:
    """How often would such a study mislead? Cut respondents into studies of n, test every item in each, and count.

    `data` of one simulated source; `changing`: the items that truly change. Respondents left over are not used.

    Returns source, correction ("none", "Benjamini-Hochberg", "Holm"; over the items of a study), found (share of the
    changing items with p < 0.05), false (share of the others), any_false (share of studies with at least one of them),
    rise (mean change of the changing items, points), studies, n.
    """
    checked = need_repeated(data, [before, after], changing)
    wide = checked.pivot(index="respondent", columns=["point", "item"], values="answer")
    moved = (wide[after] - wide[before]).dropna()
    studies = len(moved) // n if n >= 2 else 0
    if not studies:
        raise InvalidInput(
            f"n is {n!r}, and {len(moved)} answered everything; expected 2 to {len(moved)}."
        )
    cut = moved.to_numpy()[: studies * n].reshape(studies, n, -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = cut.mean(axis=1) / cut.std(axis=1, ddof=1) * sqrt(n)
    # Where all changes are equal there is no test, and no find.
    p = np.where(np.isfinite(t), 2 * stats.t.sf(np.abs(t), n - 1), 1.0)
    true = moved.columns.isin(list(changing))
    ways = {"none": p, "Benjamini-Hochberg": np.apply_along_axis(adjusted, 1, p, "fdr_bh"),
            "Holm": np.apply_along_axis(adjusted, 1, p)}  # fmt: skip
    rows = []
    for name, corrected in ways.items():
        found, others = (corrected < 0.05)[:, true], (corrected < 0.05)[:, ~true]
        told = {
            "found": found.mean() if found.size else nan,
            "false": others.mean() if others.size else nan,
        }
        rows.append(
            {"correction": name}
            | told
            | {"any_false": others.any(axis=1).mean() if others.size else nan}
        )
    rise = moved.loc[:, true].to_numpy().mean() if true.any() else nan
    table = pd.DataFrame(rows).assign(rise=rise, studies=studies, n=n)
    table.insert(0, "source", checked["source"].iloc[0])
    return table


# ---- Three points at once


def mixed_model(data: pd.DataFrame) -> pd.DataFrame:
    """For each item: answer = point + respondent, a linear mixed model fitted by restricted maximum likelihood.

    Who missed a point stays in with the others. Tests take t with n - respondents - (points - 1) degrees of freedom:
    with statsmodels' normal distribution ten people find too much. Where everybody answers everything this is the
    repeated-measures ANOVA, unless respondents differ by less than the rest would make them: their variance is then 0.

    Returns source, item, term (each later point against the first; then "all points", the joint test, with F in `t`),
    estimate, se, low, high (95 %), t, df, p, p_holm (over the items, within a term), correction, n (answers),
    respondents, sd_respondents, sd_rest, note (what the fit complained of, or why there is none).
    """
    checked = need_repeated(data).dropna(subset=["answer"])
    order = "source item term estimate se low high t df p n respondents sd_respondents sd_rest note"
    rows = [
        row for _, part in checked.groupby("item", sort=False) for row in _fitted(part)
    ]
    table = (
        pd.DataFrame(rows)
        .assign(source=checked["source"].iloc[0])
        .reindex(columns=order.split())
    )
    return with_holm(table, ["term"])


def _fitted(part: pd.DataFrame) -> list[dict[str, Any]]:
    from statsmodels.regression.mixed_linear_model import MixedLM

    first, *later = _in_order(part["point"])
    terms, people = (
        [f"{point} - {first}" for point in later],
        part["respondent"].nunique(),
    )
    df = len(part) - people - len(terms)
    told: dict[str, Any] = {
        "item": part["item"].iloc[0],
        "n": len(part),
        "respondents": people,
        "p": nan,
    }
    wide = part.pivot(index="respondent", columns="point", values="answer")
    still = (
        wide.sub(wide.mean(axis=1), axis=0).var(ddof=0).fillna(0).max() < 1e-12
    )  # nothing is left for the residual
    if not later or df < 1 or still:
        why = (
            "one point only"
            if not later
            else "too few answers"
            if df < 1
            else "everybody moved alike, or not at all"
        )
        return [
            told | {"term": term, "note": f"no fit: {why}"}
            for term in [*terms, "all points"]
        ]
    design = np.column_stack(
        [
            np.ones(len(part)),
            *((part["point"] == point).astype(float) for point in later),
        ]
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = MixedLM(
            part["answer"].to_numpy(),
            pd.DataFrame(design),
            groups=part["respondent"].to_numpy(),
        )
        # Without a gradient, which is singular where respondents do not differ: the other methods stop short of it.
        fit = model.fit(reml=True, method="powell")
    complaints = {str(warning.message) for warning in caught}
    if any(
        "boundary" in text for text in complaints
    ):  # the complaint about the Hessian then says the same
        complaints = {
            text
            for text in complaints
            if "boundary" not in text and "Hessian" not in text
        }
        complaints.add("respondents do not differ beyond the rest (variance 0)")
    spreads = {
        "sd_respondents": sqrt(fit.cov_re.iloc[0, 0]),
        "sd_rest": sqrt(fit.scale),
    }
    told |= spreads | {"df": df, "note": "; ".join(sorted(complaints - {""}))}
    effects, errors = fit.fe_params.to_numpy()[1:], fit.bse_fe.to_numpy()[1:]
    rows = []
    for term, estimate, se in zip(terms, effects, errors, strict=True):
        reach, t = float(stats.t.ppf(0.975, df)) * se, estimate / se
        found = {
            "estimate": estimate,
            "se": se,
            "low": estimate - reach,
            "high": estimate + reach,
            "t": t,
        }
        rows.append(told | {"term": term, "p": 2 * stats.t.sf(abs(t), df)} | found)
    spread = np.asarray(fit.cov_params())[1 : len(terms) + 1, 1 : len(terms) + 1]
    f = float(effects @ np.linalg.solve(spread, effects)) / len(terms)
    return [
        *rows,
        told
        | {"term": "all points", "t": f, "p": float(stats.f.sf(f, len(terms), df))},
    ]


# ---- What goes with reliance


def spearman(data: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Spearman's correlation of reliance with all items: of the pooled forms, and of the changes (last minus first).

    Pooled forms come in pairs from one person, which the test takes for twice as many people: its p is too small. The
    interval draws people, with all of their forms.

    Returns source, forms ("pooled" or "change"), item, n, rho, low, high (95 %), p (t with n - 2 degrees of freedom),
    p_holm, correction, p_fdr (over the items, within `forms`); NaN with fewer than four forms or no spread.
    """
    checked = need_repeated(data, items=["reliance"])
    wide = checked.pivot(index=["respondent", "point"], columns="item", values="answer")
    first, *later = _in_order(checked["point"])
    parts: dict[str, Any] = {"pooled": wide}
    if later:
        parts["change"] = wide.xs(later[-1], level="point") - wide.xs(
            first, level="point"
        )
    rows: list[dict[str, Any]] = []
    for forms, part in parts.items():
        for item in (
            item for item in dict.fromkeys(checked["item"]) if item != "reliance"
        ):
            both = part[["reliance", item]].dropna()
            rho = low = high = p = nan
            values = both.to_numpy(dtype=float)
            if len(values) > 3 and (np.ptp(values, axis=0) > 0).all():
                times, place = resampled(
                    both.index.get_level_values("respondent").tolist(), rng
                )
                rho = float(_weighted(values, np.ones((1, len(values))))[0])
                low, high = percentiles(_weighted(values, times[:, place]))
                p = p_of(rho, len(both))
            found = {"n": len(both), "rho": rho, "low": low, "high": high, "p": p}
            rows.append(
                {"source": checked["source"].iloc[0], "forms": forms, "item": item}
                | found
            )
    table = with_holm(pd.DataFrame(rows), ["forms"])
    return table.assign(
        p_fdr=table.groupby("forms", sort=False)["p"].transform(adjusted, "fdr_bh")
    )


def _weighted(both: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Spearman's rho of two columns of answers (n, 2), each row taken so often (draws, n); NaN without a spread."""
    a, b = (np.unique(column, return_inverse=True)[1] for column in both.T)
    ranks = []
    for codes in (a, b):
        counts = times @ np.eye(codes.max() + 1)[codes]
        middle = (counts.cumsum(axis=1) - counts / 2)[:, codes]
        ranks.append(
            middle
            - (times * middle).sum(axis=1, keepdims=True)
            / times.sum(axis=1, keepdims=True)
        )
    x, y = ranks
    with np.errstate(invalid="ignore", divide="ignore"):
        products = [
            (times * left * right).sum(axis=1)
            for left, right in ((x, y), (x, x), (y, y))
        ]
        return np.asarray(products[0] / np.sqrt(products[1] * products[2]))


def p_of(rho: float, n: int) -> float:
    """The two-sided p of Spearman's correlation by t with n - 2 degrees of freedom.

    >>> round(p_of(0.54, 10), 3), round(p_of(0.54, 20), 3)
    (0.107, 0.014)
    """
    return (
        0.0
        if abs(rho) >= 1
        else float(2 * stats.t.sf(abs(rho) * sqrt((n - 2) / (1 - rho**2)), n - 2))
    )


def largest_family(correlations: Iterable[float], n: int, unprinted: int = 0) -> int:
    """How many tests may have been corrected together, if all of these printed correlations stayed below 0.05.

    Benjamini and Hochberg keep the k smallest p-values of m tests where the k-th is at most 0.05 k / m: m is at most
    0.05 k / p(k). Each printed number is taken at the rounding edge that favours it; `unprinted` more are taken to have
    been significant, with smaller p-values. 0 where not even the printed ones alone pass.

    >>> largest_family([0.78, 0.51, -0.47], 20), largest_family([0.78, 0.51, -0.47], 18)
    (4, 3)
    """
    given = list(correlations)
    if check_n(n, least=4) and (not given or not 0 < min(map(abs, given)) < 0.995):
        raise InvalidInput(
            f"correlations: {given} given; expected one or more printed ones between -1 and 1."
        )
    kept = len(given) + unprinted
    largest = int(kept * 0.05 / max(p_of(abs(r) + 0.005, n) for r in given) + 1e-9)
    return largest if largest >= kept else 0


# ---- What the text prints, and how many answers can have given it (GRIM)


def study_means(published: pd.DataFrame) -> pd.DataFrame:
    """The printed means of section 5.3: item, group (the point), mean, half (NaN), source, about (an approximation,
    which GRIM must not judge)."""
    part = published[published["column"].isin(POINTS)]
    loose = set(part.loc[part["note"].str.contains(r"\babout\b"), "row"])
    means = printed_means(part).sort_values(
        "group", key=lambda group: group.map(POINTS.index), kind="stable"
    )
    means = means.reset_index(drop=True)
    return means.assign(about=means["item"].isin(loose))


def rounds_to(mean: Printed, n: int, rounding: str) -> bool:
    """Whether n whole answers can have a mean that is printed so under one rule of `ROUNDINGS`.

    >>> [rounds_to("6.62", 8, rule) for rule in ROUNDINGS], [rounds_to("2.13", 8, rule) for rule in ROUNDINGS]
    ([False, True], [True, False])
    """
    wanted = Decimal(str(mean))
    means = (Decimal(total) / n for total in possible_sums(mean, n, SEVEN))
    return any(
        value.quantize(Decimal("0.01"), ROUNDINGS[rounding]) == wanted
        for value in means
    )


def which_n(means: pd.DataFrame, ns: Iterable[int]) -> pd.DataFrame:
    """For each printed mean (but those marked `about`) and n: can it come from n answers, and by which rounding?

    Returns item, group, mean, n, fits, source, half_up, half_even.
    """
    exact, candidates = means[~means["about"]], list(ns)
    table = grim_table(exact, dict.fromkeys(exact["group"].unique(), candidates), SEVEN)
    for rule in ROUNDINGS:
        table[rule] = [
            rounds_to(m, n, rule)
            for m, n in zip(table["mean"], table["n"], strict=True)
        ]
    return table


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """How many means of `which_n` fit each point and n: group, n, means, fit, half_up, half_even, all_fit."""
    groups = table.groupby(["group", "n"], sort=False)
    sums = (
        groups[["fits", *ROUNDINGS]].sum().reset_index().rename(columns={"fits": "fit"})
    )
    sums.insert(2, "means", groups.size().to_numpy())
    return sums.assign(all_fit=sums["fit"] == sums["means"])


def difference_bounds(
    before: Printed, n_before: int, after: Printed, n_after: int
) -> tuple[float, float]:
    """Between what bounds the mean change of the pairs lies, when only `n_after` of the `n_before` came again.

    The earlier answers of who stayed away can be anything on the scale; NaN where a mean cannot come from its n.

    >>> difference_bounds("4.90", 10, "5.75", 8)
    (-0.125, 1.375)
    """
    away = check_n(n_before) - check_n(n_after)
    if away < 0:
        raise InvalidInput(
            f"n_after is {n_after}, n_before {n_before}; expected at most as many after as before."
        )
    first, second = (
        possible_sums(m, n, SEVEN) for m, n in ((before, n_before), (after, n_after))
    )
    if not first or not second:
        return nan, nan
    least = max(first[0] - SEVEN.high * away, SEVEN.low * n_after)
    most = min(first[-1] - SEVEN.low * away, SEVEN.high * n_after)
    return (second[0] - most) / n_after, (second[-1] - least) / n_after


def bounds_table(
    means: pd.DataFrame, before: str, after: str, n_before: int, n_after: int
) -> pd.DataFrame:
    """The bounds of every item's paired change, where both means are exact and their n can give them: item, printed
    (difference of means), low, high, sign_known, source."""
    exact = means[~means["about"]]
    first, second = (
        {cell.item: cell.mean for cell in cells(exact, [point])}
        for point in (before, after)
    )
    rows = [(item, round(second[item] - mean, 2), *difference_bounds(mean, n_before, second[item], n_after))
            for item, mean in first.items() if item in second]  # fmt: skip
    table = pd.DataFrame(rows, columns=["item", "printed", "low", "high"]).dropna(
        ignore_index=True
    )
    return table.assign(
        sign_known=(table["low"] > 0) | (table["high"] < 0), source=PUBLISHED
    )
