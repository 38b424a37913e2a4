"""The user study of a coordinating agent: two questionnaires, given two or three times to
the same people, the means that the paper's text prints, and which numbers of answers can
give them (002, section 5.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pandas as pd

from support.analysis.printed import (
    Printed,
    Scale,
    grim_table,
    possible_sums,
    printed_means,
)
from support.data import inputs
from support.errors import InvalidInput
from support.survey.instruments import Instrument, read

QUESTIONNAIRES = COMFORT, PERCEPTION = "ai_comfort", "system_perception"
POINTS = ("before session 1", "after session 1", "after session 2")
SEVEN = Scale(1, 7)
ROUNDINGS = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN}


def questionnaire(name: str, point: str) -> Instrument:
    """One questionnaire as it is given at one point: its name and title say when, and it
    has that group alone."""
    if name not in QUESTIONNAIRES:
        known = ", ".join(QUESTIONNAIRES)
        raise InvalidInput(f"name: {name!r} given; the questionnaires are {known}")
    whole = read(inputs("instruments", f"{name}.toml"))
    whole.check_group(point)
    title = f"{whole.title} ({point})"
    return replace(whole, name=f"{name}, {point}", title=title, groups=(point,))


def questionnaires() -> list[Instrument]:
    """All five forms of the study, in the order in which one person fills them in."""
    forms = [questionnaire(COMFORT, POINTS[0])]
    for point in POINTS[1:]:
        forms += [questionnaire(name, point) for name in QUESTIONNAIRES]
    return forms


def collected(answers: pd.DataFrame, name: str) -> pd.DataFrame:
    """The 7-point answers to a questionnaire at all of its points, from tidy answers:
    respondent, point, item, construct, answer, source."""
    forms = [form for form in questionnaires() if form.name.startswith(name)]
    items = forms[0].items.values()
    rated = [item.id for item in items if len(item.choices) == SEVEN.high]
    given = answers["instrument"].isin([form.name for form in forms])
    rows = answers[given & answers["item"].isin(rated)]
    columns = ["respondent", "point", "item", "construct", "answer", "source"]
    return rows.rename(columns={"group": "point"})[columns].reset_index(drop=True)


# ---- what the text prints, and how many answers can have given it (GRIM) ---------------


def study_means(published: pd.DataFrame) -> pd.DataFrame:
    """The printed means: item, group (the point), mean, half (NaN), source, about (an
    approximation, which GRIM must not judge)."""
    part = published[published["column"].isin(POINTS)]
    loose = set(part.loc[part["note"].str.contains(r"\babout\b"), "row"])
    means = printed_means(part)
    order = means["group"].map(POINTS.index).sort_values(kind="stable").index
    means = means.loc[order].reset_index(drop=True)
    return means.assign(about=means["item"].isin(loose))


def rounds_to(mean: Printed, n: int, rounding: str) -> bool:
    """Whether n whole answers can have a mean that is printed so under one rule of
    `ROUNDINGS`.

    >>> [rounds_to("6.62", 8, rule) for rule in ROUNDINGS]
    [False, True]
    """
    rule, wanted = ROUNDINGS[rounding], Decimal(str(mean))
    means = (Decimal(total) / n for total in possible_sums(mean, n, SEVEN))
    return any(value.quantize(Decimal("0.01"), rule) == wanted for value in means)


def which_n(means: pd.DataFrame, ns: Iterable[int]) -> pd.DataFrame:
    """For each printed mean (but those marked `about`) and n: can it come from n answers,
    and by which rounding? Returns item, group, mean, n, fits, source, half_up, half_even.
    """
    exact, candidates = means[~means["about"]], list(ns)
    table = grim_table(exact, dict.fromkeys(exact["group"].unique(), candidates), SEVEN)
    pairs = list(zip(table["mean"], table["n"], strict=True))
    for rule in ROUNDINGS:
        table[rule] = [rounds_to(mean, n, rule) for mean, n in pairs]
    return table


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """How many means of `which_n` fit each point and n: group, n, means, fit, half_up,
    half_even, all_fit."""
    groups = table.groupby(["group", "n"], sort=False)
    sums = groups[["fits", *ROUNDINGS]].sum().rename(columns={"fits": "fit"})
    sums.insert(0, "means", groups.size())
    return sums.assign(all_fit=sums["fit"] == sums["means"]).reset_index()
