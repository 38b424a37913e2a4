"""Statistics as sentences that can go into a paper."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

import pandas as pd

CORRECTIONS = {"holm": "Holm", "fdr_bh": "Benjamini-Hochberg", "none": "uncorrected"}
INTERVALS = {"t": "t", "bootstrap": "BCa bootstrap"}

Row = Mapping[Any, Any] | pd.Series


def p_text(p: float) -> str:
    """A p-value in the manner of the APA.

    >>> p_text(0.0304), p_text(0.00004)
    ('p = .030', 'p < .001')
    """
    if isnan(p):
        return "p undefined"
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def number(value: float, decimals: int = 2) -> str:
    """A number that never shows a minus sign on zero.

    >>> number(-0.0001), number(31.128)
    ('0.00', '31.13')
    """
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def range_text(low: float, high: float) -> str:
    """An interval in brackets, or the words for an interval that does not exist."""
    return "undefined" if isnan(low) or isnan(high) else f"[{number(low)}, {number(high)}]"


def description(row: Row, name: str) -> str:
    """One group of `describe` in words; `name` is empty where there are no groups."""
    lead = f"{name} " if name else ""
    if row["n"] == 0:
        return f"{lead}has no values" + _left_out(row["missing"], "missing")
    spread = f"SE = {number(row['se'])}, {row['level']:.0%} {INTERVALS[row['method']]} interval "
    body = spread + range_text(row["low"], row["high"]) if row["n"] > 1 else "interval undefined for a single value"
    return f"{lead}M = {number(row['mean'])}, {body}, n = {row['n']}" + _left_out(row["missing"], "missing")


def sentence(row: Row) -> str:
    """One comparison of `compare` in words; `row` is a row of its frame, as a mapping or a Series.

    The verb follows the adjusted p: only a difference that survives the correction at 1 - level is
    said to exceed or to fall below.
    """
    return f"On {row['value']}, {_sides(row)}: {_difference(row)}." + _left_out(row["left_out"], "values not used")


def _sides(row: Row) -> str:
    verb = "did not differ reliably from"
    if row["p_adjusted"] < 1 - row["level"]:
        verb = "exceeded" if row["difference"] > 0 else "fell below"
    if isnan(row["p"]):
        verb = "could not be tested against"
    return f"{_side(row, 'a')} {verb} {_side(row, 'b')}"


def _side(row: Row, side: str) -> str:
    if row[f"n_{side}"] == 0:
        return f"{row[side]} (no values)"
    error = row[f"se_{side}"]
    shown = "SE undefined" if isnan(error) else f"SE = {number(error)}"
    return f"{row[side]} (M = {number(row[f'mean_{side}'])}, {shown}, n = {row[f'n_{side}']})"


def _difference(row: Row) -> str:
    if isnan(row["p"]):
        return str(row["note"])
    df = f"{row['df']:.0f}" if row["test"] == "paired t" else number(row["df"])
    return (
        f"difference {number(row['difference'])}, {row['level']:.0%} CI {range_text(row['low'], row['high'])}, "
        f"{row['test']}({df}) = {number(row['t'])}, {p_text(row['p_adjusted'])} ({CORRECTIONS[row['correction']]}), "
        f"g = {number(row['hedges_g'])} {range_text(row['g_low'], row['g_high'])}, "
        f"Cliff's delta = {number(row['cliffs_delta'])}"
    )


def _left_out(count: int, what: str) -> str:
    return f" ({count} {what})" if count else ""
