"""What a paper's text claims, as checks of our own results: yes, no, too close to call, or not testable here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt

import pandas as pd
from scipy.stats import norm

from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.roundtable.economy import exchange_economy

YES, NO, CLOSE, UNTESTED = "yes", "no", "too close to call", "not testable here"
ONE_VOTE, SCORE = ("unanimous", "majority", "plurality"), ("rated", "ranked", "cumulative")
UTILITIES, AREAS = ("utility@3", "utility@5", "utility@10"), ("auc@3", "auc@5", "auc@10")
HIGH, LOW = 75.0, 50.0  # our reading of a "high" utility and a "low" rationality, in percent

Check = Callable[[pd.DataFrame], str]
"""A claim as a function of tidy results (row, column, value, se) that gives one of the four answers."""


def above(higher: Sequence[str], lower: Sequence[str], *columns: str, level: float = 0.95) -> Check:
    """The claim that each row of `higher` lies above each row of `lower`, in every one of `columns`.

    "yes" when all the differences exceed the normal interval of `level` around zero, "no" when one of them lies
    below it, "too close to call" otherwise.
    """

    def check(ours: pd.DataFrame) -> str:
        pairs = [(h, low, c) for h in higher for low in lower for c in columns]
        values, errors = ours.set_index(["row", "column"])["value"], ours.set_index(["row", "column"])["se"]
        if any((row, c) not in values.index for h, low, c in pairs for row in (h, low)):
            return UNTESTED
        z = float(norm.ppf((1 + level) / 2))
        gaps = [
            (values[h, c] - values[low, c]) / (z * sqrt(errors[h, c] ** 2 + errors[low, c] ** 2) or 1e-12)
            for h, low, c in pairs
        ]
        return NO if min(gaps) < -1 else YES if min(gaps) > 1 else CLOSE

    return check


def holds(test: Callable[[pd.DataFrame], bool], *rows: str) -> Check:
    """A claim on the table of means (rows by columns) of `rows`, without a margin of error."""

    def check(ours: pd.DataFrame) -> str:
        means = ours.pivot(index="row", columns="column", values="value")
        if not set(rows) <= set(means.index):
            return UNTESTED
        try:
            return YES if bool(test(means.loc[list(rows)])) else NO
        except (IndexError, KeyError):  # no round in which every row has a value: a group that never decides
            return UNTESTED

    return check


def _more_spread_early(ours: pd.DataFrame) -> str:
    spread = ours[ours["column"] == "utility@3"].set_index("row")["se"]
    if not {*ONE_VOTE, *SCORE} <= set(spread.index):
        return UNTESTED
    return YES if spread[list(ONE_VOTE)].min() > spread[list(SCORE)].max() else NO


def _even_split_is_near_best(preferences: str) -> Check:
    economy = exchange_economy(preferences, 3)
    share = float(economy.utilities(economy.even_split).sum()) / economy.maximum
    return lambda _: YES if share > 0.99 else NO


def _untested(_: pd.DataFrame) -> str:
    return UNTESTED


RULES_OF_PAPER = (*ONE_VOTE, *SCORE)
ROUNDTABLE: Mapping[str, Check] = {
    "score rules > one-vote rules: utility early": above(SCORE, ONE_VOTE, "auc@3"),
    "one-vote rules > score rules: spread of early utility": _more_spread_early,
    "all rules: high utility@10": holds(lambda m: m["utility@10"].min() > HIGH, *RULES_OF_PAPER),
    "most rules: utility peaks in middle rounds": holds(
        lambda m: (m["utility@5"] > m["utility@10"]).sum() > 3, *RULES_OF_PAPER
    ),
    "unanimous lowest of one-vote rules: utility": above(ONE_VOTE[1:], ONE_VOTE[:1], *UTILITIES),
    "majority > plurality: utility": above(["majority"], ["plurality"], *UTILITIES),
    "unanimous > majority > plurality: min_max": holds(
        lambda m: m["min_max"].is_monotonic_decreasing, "unanimous", "majority", "plurality"
    ),
    "one-vote rules > score rules: rigidity": above(ONE_VOTE, SCORE, "rigidity"),
    "unanimous highest: rigidity": above(["unanimous"], RULES_OF_PAPER[1:], "rigidity"),
    "all rules: low rationality": holds(lambda m: m["rationality"].max() < LOW, *RULES_OF_PAPER),
    "unanimous highest: min_max": above(["unanimous"], RULES_OF_PAPER[1:], "min_max"),
    "unanimous non-decreasing: utility": holds(
        lambda m: m[list(UTILITIES)].iloc[0].is_monotonic_increasing, "unanimous"
    ),
    "all models: high utility": _untested,
    "larger model > smaller model: utility@10": _untested,
    "larger model > smaller model: efficiency": _untested,
    "K = 3 > K = 4, K = 5: utility, auc": above(["K = 3"], ["K = 4", "K = 5"], *UTILITIES, *AREAS),
    "K = 5 > K = 4: utility": above(["K = 5"], ["K = 4"], *UTILITIES),
    "symmetric: even split nearly optimal": _even_split_is_near_best("symmetric"),
    "uniform: even split nearly optimal": _even_split_is_near_best("uniform"),
}
"""A check for every statement of `data/inputs/published/001_5dc2ef75221ed897.csv`."""


def check_claims(ours: pd.DataFrame, published: pd.DataFrame, checks: Mapping[str, Check] = ROUNDTABLE) -> pd.DataFrame:
    """Test each published statement on our results.

    Parameters
    ----------
    ours : row, column, value, se
        Tidy results; statements on rows that are not there are "not testable here".
    published : table, statement, note
        As `support.published.statements` gives them.

    Returns
    -------
    DataFrame
        where, statement, `holds here`, `of the paper's own numbers` (the note).

    Raises
    ------
    InvalidInput
        When a statement has no check.
    """
    need_columns(ours, ["row", "column", "value", "se"], "our results")
    without = [s for s in published["statement"] if s not in checks]
    if without:
        raise InvalidInput(f"statement: {without[0]!r} has no check; add one to the checks that you pass")
    return pd.DataFrame(
        {
            "where": published["table"],
            "statement": published["statement"],
            "holds here": [checks[s](ours) for s in published["statement"]],
            "of the paper's own numbers": published["note"],
        }
    ).reset_index(drop=True)
