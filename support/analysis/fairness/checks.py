"""Checks that the statements of 003 are made of: functions of the table of `contrasts.results` that give an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from support.analysis.claims import CLOSE, NO, UNTESTED, YES, Check
from support.analysis.claims_coordination import moves

MOST = 0.5  # our reading of "most", as a share
MARGINAL = 0.5  # our reading of a marginal gain: less than this share of the gain from 3 to 5 rounds
BESIDE_THE_USUAL = ("rankings", "counts", "welfare", "solver", "no example", "no objective")


def compared(
    comparison: str, column: str = "gain", *, who: Sequence[str] = (), more: Sequence[str] = (), sign: int = 1
) -> Check:
    """The claim that a comparison comes out above 0 (`sign` 1) or below (-1), for everybody that it was made for.

    "yes" when all 95 percent normal intervals lie on that side, "no" when one lies on the other, "too close to call"
    otherwise; "not testable here" where nobody's was made.

    Parameters
    ----------
    comparison : the end of the row's name, such as "score - words"; or "" for rows of runs, as "model, words"
    who : names that the row must have, such as a coordinator or a kind of feedback
    more : what the row names besides coordinator and feedback, such as "welfare"; by default nothing
    """

    def check(ours: pd.DataFrame) -> str:
        rows = matching(ours, comparison, column, who, more)
        return moves(sign, rows, column)(ours) if rows else UNTESTED

    return check


def matching(
    ours: pd.DataFrame, comparison: str, column: str, who: Sequence[str], more: Sequence[str] = ()
) -> list[str]:
    """The rows that `compared` reads."""
    found = []
    for row in ours.loc[ours["column"] == column, "row"].unique():
        where, _, what = row.rpartition(": ") if ": " in row else (row, "", "")
        said = where.split(", ")
        rare = {name for name in said if name in BESIDE_THE_USUAL or name.endswith((" rounds", " participants"))}
        if what == comparison and rare == set(more) and set(who) <= set(said):
            found.append(row)
    return found


def _cells(ours: pd.DataFrame, comparison: str, who: Sequence[str] = (), more: Sequence[str] = ()) -> pd.DataFrame:
    """The gains of a comparison at each n, for everybody that it was made for."""
    rows = matching(ours, comparison, "gain", who, more)
    return ours[ours["row"].isin(rows) & ours["column"].str.startswith("gain at n = ")]


def at_every_n(comparison: str, who: Sequence[str] = ()) -> Check:
    """`compared`, at each number of decisions by itself."""

    def check(ours: pd.DataFrame) -> str:
        columns = _cells(ours, comparison, who)["column"].unique()
        answers = {compared(comparison, column, who=who)(ours) for column in columns}
        return UNTESTED if not answers else NO if NO in answers else YES if answers == {YES} else CLOSE

    return check


def in_most(*comparisons: str, who: Sequence[str] = ()) -> Check:
    """The claim that the mean gain is above 0 in most settings: numbers of decisions, and coordinators."""

    def check(ours: pd.DataFrame) -> str:
        cells = pd.concat([_cells(ours, comparison, who) for comparison in comparisons])
        return UNTESTED if cells.empty else YES if (cells["value"] > 0).mean() > MOST else NO

    return check


def no_difference(comparison: str, column: str, *, who: Sequence[str] = (), more: Sequence[str] = ()) -> Check:
    """The claim that nobody's interval excludes 0."""

    def check(ours: pd.DataFrame) -> str:
        rows = matching(ours, comparison, column, who, more)
        answers = {moves(sign, [row], column)(ours) for row in rows for sign in (1, -1)}
        return UNTESTED if not rows else NO if YES in answers else YES

    return check


def combined(*checks: Check) -> Check:
    """ "yes" when all say so, "no" when one does, "not testable here" when one is not."""

    def check(ours: pd.DataFrame) -> str:
        answers = [one(ours) for one in checks]
        for answer in (UNTESTED, NO, CLOSE):
            if answer in answers:
                return answer
        return YES

    return check


def share_above(column: str, above: float, *who: str, more: Sequence[str] = ()) -> Check:
    """The claim that every mean of a column is above a number, in the rows of runs that `compared` would read."""

    def check(ours: pd.DataFrame) -> str:
        rows = matching(ours, "", column, who, more)
        values = ours[ours["row"].isin(rows) & (ours["column"] == column)]["value"]
        return UNTESTED if values.empty else YES if (values > above).all() else NO

    return check


def marginal(*later: str) -> Check:
    """The gains by later rounds are less than `MARGINAL` of that from 3 to 5, which has to be clear."""

    def check(ours: pd.DataFrame) -> str:
        first = {row.rpartition(": ")[0]: row for row in matching(ours, "5 rounds - 3 rounds", "gain", ())}
        gains = ours[ours["column"] == "gain"].set_index("row")["value"]
        pairs = [(gains[row], gains.get(f"{who}: {name}")) for who, row in first.items() for name in later]
        if not pairs or any(gain is None for _, gain in pairs):
            return UNTESTED
        if compared("5 rounds - 3 rounds")(ours) != YES:
            return CLOSE
        return YES if all(gain < MARGINAL * before for before, gain in pairs) else NO

    return check


def cost_of_nine_rounds(column: str, test: Callable[[float], bool]) -> Check:
    """Cost of 9 rounds over that of 3, for every coordinator that had both, and for whom it was above 0."""

    def check(ours: pd.DataFrame) -> str:
        means = ours[ours["column"] == column].set_index("row")["value"]
        ends = ", 9 rounds"
        several = [row.removesuffix(ends) for row in means.index if row.endswith(ends)]
        ratios = [means[row + ends] / first for row in several if (first := means.get(row + ", 3 rounds", 0)) > 0]
        ratios = [ratio for ratio in ratios if np.isfinite(ratio)]
        return UNTESTED if not ratios else YES if all(test(ratio) for ratio in ratios) else NO

    return check


def rises_without_solver(ours: pd.DataFrame) -> str:
    """Divergence rises with n for whoever has a counterpart with a solver, under complete information."""
    rows = [r.rpartition(": ")[0] for r in matching(ours, "solver - no solver", "gain", ["complete"])]
    return moves(1, rows, "slope of quality")(ours) if rows else UNTESTED


def closer_to_random(ours: pd.DataFrame) -> str:
    """For each coordinator, words are nearer than scores to what a random plan has; by means, without intervals."""
    means = ours[ours["column"] == "beats random"].set_index("row")["value"].abs()
    pairs = [(row, row.replace(", words", ", score")) for row in matching(ours, "", "beats random", ["words"])]
    there = [means[words] < means[score] for words, score in pairs if score in means]
    return UNTESTED if not there else YES if all(there) else NO


def either(*checks: Check) -> Check:
    """The most favourable of the answers."""

    def check(ours: pd.DataFrame) -> str:
        answers = [one(ours) for one in checks]
        return next(answer for answer in (YES, CLOSE, NO, UNTESTED) if answer in answers)

    return check


def needs_every_gain(ours: pd.DataFrame) -> str:
    """No: where a solver on estimated gains improves somebody's plans."""
    answers = [compared("solver - no solver", who=[kind])(ours) for kind in ("score", "words", "comparison")]
    answers += [compared("exact - random", who=[kind])(ours) for kind in ("score", "words", "comparison")]
    tested = [answer for answer in answers if answer != UNTESTED]
    return UNTESTED if not tested else NO if YES in tested else CLOSE


def untested(_: pd.DataFrame) -> str:
    """On what is not measured here."""
    return UNTESTED
