"""Printed means: a table of a paper in the form that the checks of this package read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import nan
from numbers import Integral
from typing import Any, NamedTuple

import pandas as pd

from support.analysis.frames import need_columns, need_keys
from support.analysis.surveys.sources import PUBLISHED
from support.errors import InvalidInput

Printed = float | str | Decimal
"""A number as a paper prints it; text keeps its trailing zeros, which do not matter here."""


class Cell(NamedTuple):
    """One printed mean; `half` is NaN where the table has no interval."""

    item: Any
    group: Any
    mean: Any
    half: Any


def printed_means(published: pd.DataFrame) -> pd.DataFrame:
    """The means of a published table: item, group, mean, half (the half-width of the interval), source "published".

    Parameters
    ----------
    published : DataFrame
        As `support.published.load` gives it: row (the item), column (the group), value, spread.
    """
    need_columns(published, ["row", "column", "value", "spread"], "the published table")
    part = published.dropna(subset=["value"])
    names = {"row": "item", "column": "group", "value": "mean", "spread": "half"}
    return part[list(names)].rename(columns=names).reset_index(drop=True).assign(source=PUBLISHED)


def exact(value: Printed, decimals: int, what: str = "mean") -> Fraction:
    """A printed number as a fraction, free of binary rounding.

    Raises
    ------
    InvalidInput
        No number, NaN, infinite, or more decimals than it is said to be printed with.

    Examples
    --------
    >>> exact(3.51, 2), exact("3.50", 2)
    (Fraction(351, 100), Fraction(7, 2))
    """
    check_decimals(decimals)
    try:
        # The shortest text that reads back as this float is what was printed.
        number = (
            value if isinstance(value, Decimal) else Decimal(value if isinstance(value, str) else str(float(value)))
        )
    except (InvalidOperation, TypeError, ValueError) as error:
        raise InvalidInput(
            f"{what} is {value!r}; expected a number as it is printed, such as 3.51 or '3.51'."
        ) from error
    if not number.is_finite():
        raise InvalidInput(f"{what} is {value!r}; expected a finite number; leave cells without one out.")
    result = Fraction(number)
    if (result * 10**decimals).denominator != 1:
        raise InvalidInput(f"{what} is {value!r}; expected at most {decimals} decimals: round it, or raise decimals.")
    return result


def half_unit(decimals: int) -> Fraction:
    """Half of the last printed digit: how far a printed number can lie from the one that was rounded."""
    return Fraction(1, 2 * 10**decimals)


def check_decimals(decimals: int) -> None:
    """Raise InvalidInput unless `decimals` is a whole number from 0."""
    if isinstance(decimals, bool) or not isinstance(decimals, Integral) or decimals < 0:
        raise InvalidInput(f"decimals is {decimals!r}; expected a whole number from 0.")


def check_n(n: int, least: int = 1) -> int:
    """The number of answers as an int; InvalidInput unless it is a whole number from `least`."""
    if isinstance(n, bool) or not isinstance(n, Integral) or n < least:
        raise InvalidInput(f"n is {n!r}; expected a whole number of answers, {least} or more.")
    return int(n)


def check_scale(low: int, high: int) -> None:
    """Raise InvalidInput unless `low` and `high` are whole numbers in this order."""
    if not all(isinstance(end, Integral) for end in (low, high)) or low > high:
        raise InvalidInput(f"low is {low!r} and high is {high!r}; expected the ends of a scale of whole numbers.")


def need_means(means: pd.DataFrame, *more: str) -> None:
    """Raise InvalidInput unless `means` is a frame of printed means, each cell once, with the columns `more`."""
    need_columns(means, ["item", "group", "mean", *more], "means")
    need_keys(means, ["item", "group"], "means")
    twice = means.duplicated(["item", "group"])
    if twice.any():
        item, group = means.loc[twice, ["item", "group"]].iloc[0]
        raise InvalidInput(f"means has item {item!r} of group {group!r} twice; pass one table at a time.")


def cells(means: pd.DataFrame, groups: Collection[str]) -> list[Cell]:
    """The printed means of `groups`, in the order of the table."""
    part = means[means["group"].isin(list(groups))]
    halves = part["half"] if "half" in part else [nan] * len(part)
    return [Cell(*values) for values in zip(part["item"], part["group"], part["mean"], halves, strict=True)]


def need_groups(means: pd.DataFrame, ns: Mapping[str, object]) -> list[str]:
    """The groups of `ns`, each of which `means` must hold.

    Raises
    ------
    InvalidInput
        An empty mapping, or a group without printed means.
    """
    there = list(means["group"].unique())
    unknown = [group for group in ns if group not in there]
    if unknown or not ns:
        raise InvalidInput(f"ns names {unknown or 'no group'}; the groups of means are: {', '.join(map(str, there))}.")
    return list(ns)
