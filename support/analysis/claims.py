"""What a paper's text claims, as checks of our own results: yes, no, too close to call, or not testable here.

A check is a function of tidy results (row, column, value, se, and n where it is known) that gives an `Answer`. The
combinators below make most of them; each study's dictionary of checks stands in its own file of `support.analysis`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, hypot, isfinite
from typing import Any, Self

import pandas as pd
from scipy.stats import norm

from support.analysis.frames import check_level, need_columns
from support.analysis.stats import enough, equivalent, number
from support.errors import InvalidInput

YES, NO, CLOSE, UNTESTED = "yes", "no", "too close to call", "not testable here"


class Answer(str):
    """One of the four answers, and the `evidence` that it rests on, in words; a bare string is one without evidence."""

    evidence: str

    def __new__(cls, verdict: str, evidence: str = "") -> Self:
        """The answer, which compares as its verdict does."""
        answer = super().__new__(cls, verdict)
        answer.evidence = evidence
        return answer


def evidence(answer: str) -> str:
    """What an answer rests on, "" where it does not say."""
    return str(getattr(answer, "evidence", ""))


Check = Callable[[pd.DataFrame], str]
"""A claim as a function of tidy results (row, column, value, se) that gives one of the four answers."""


def above(higher: Sequence[str], lower: Sequence[str], *columns: str, level: float = 0.95) -> Check:
    """The claim that each row of `higher` lies above each row of `lower`, in every one of `columns`.

    "yes" when all the differences exceed the normal interval of `level` around zero, "no" when one of them lies
    below it, "too close to call" otherwise. The evidence is the difference that decides.
    """

    def check(ours: pd.DataFrame) -> str:
        cells = ours.set_index(["row", "column"])
        pairs = [((h, c), (low, c)) for h in higher for low in lower for c in columns]
        if absent := _absent(cells, [cell for pair in pairs for cell in pair]):
            return absent
        return _decided([(f"{h} - {low}, {c}", *_gap(cells, (h, c), (low, c))) for (h, c), (low, _) in pairs], level)

    return check


def moves(sign: int, rows: Sequence[str], column: str, level: float = 0.95) -> Check:
    """The claim that a cell is above (`sign` 1) or below (-1) zero in every one of `rows`, judged as `above` does."""

    def check(ours: pd.DataFrame) -> str:
        cells = ours[ours["column"] == column].set_index("row")
        if absent := _absent(cells, rows):
            return absent
        errors, counts = cells["se"].fillna(0.0), cells.get("n")
        told = [(f"{row}, {column}", sign * cells["value"][row], errors[row], None if counts is None else counts[row])
                for row in rows]  # fmt: skip
        return _decided(told, level, sign)

    return check


def alike(one: Sequence[str], other: Sequence[str], margin: float, *columns: str, level: float = 0.95) -> Check:
    """The claim that each row of `one` is as each row of `other`, within `margin`: two one-sided tests at 1 - `level`.

    "no" when an interval of a difference excludes 0 and its estimate is beyond the margin, else "too close to call".
    """
    z = float(norm.ppf((1 + check_level(level)) / 2))

    def check(ours: pd.DataFrame) -> str:
        cells = ours.set_index(["row", "column"])
        pairs = [((a, c), (b, c)) for a in one for b in other for c in columns if a != b]
        if absent := _absent(cells, [cell for pair in pairs for cell in pair]):
            return absent
        answers = []
        for (a, c), (b, _) in pairs:
            gap, se, n = _gap(cells, (a, c), (b, c))
            told = f"{a} - {b}, {c}: {_interval(gap, se, z)}, margin {number(margin)}"
            if se > 0 and equivalent(gap, se, margin) < 1 - level:
                answers.append(Answer(YES, told))
            elif abs(gap) > max(z * se, margin):
                answers.append(Answer(NO, told))
            else:
                needed = enough(int(n or 1), se, margin, alpha=1 - level) if se > 0 else float("inf")
                times = f"; N = {needed:.0f} would tell" if n and isfinite(needed) else ""
                answers.append(Answer(CLOSE, told + times))
        return _worst(answers)

    return check


def flat(rows: Sequence[str], column: str, margin: float, level: float = 0.95) -> Check:
    """The claim that a cell is near zero in every one of `rows`, within `margin`: two one-sided tests, as `alike`."""

    def check(ours: pd.DataFrame) -> str:
        zero = pd.DataFrame({"row": "nothing", "column": [column], "value": 0.0, "se": 0.0})
        cells = pd.concat([ours[ours["column"] == column], zero.assign(n=ours["n"].max()) if "n" in ours else zero])
        return alike(rows, ["nothing"], margin, column, level=level)(cells)

    return check


def holds(test: Callable[[pd.DataFrame], bool], *rows: str) -> Check:
    """A claim on the table of means (rows by columns) of `rows`, without a margin of error."""

    def check(ours: pd.DataFrame) -> str:
        means = ours.pivot(index="row", columns="column", values="value")
        if missing := [row for row in rows if row not in means.index]:
            return Answer(UNTESTED, f"no run has {missing[0]}")
        try:
            return Answer(YES if bool(test(means.loc[list(rows)])) else NO, "by the means, without an interval")
        except (IndexError, KeyError):  # no round in which every row has a value: a group that never decides
            return Answer(UNTESTED, "a row has no value where another has one")

    return check


def combined(*checks: Check) -> Check:
    """ "yes" when all say so, "no" when one does, "not testable here" when one is not."""
    return lambda ours: _worst([one(ours) for one in checks], (UNTESTED, NO, CLOSE, YES))


def either(*checks: Check) -> Check:
    """The most favourable of the answers."""
    return lambda ours: _worst([one(ours) for one in checks], (YES, CLOSE, NO, UNTESTED))


def untested(why: str) -> Check:
    """A claim that no run can decide, and why."""
    return lambda _: Answer(UNTESTED, why)


def across(test: Check) -> Check:
    """A claim that compares participants: it is given the results of all of them, with the column `participant`."""

    def check(ours: pd.DataFrame) -> str:
        return test(ours)

    check.across = True  # type: ignore[attr-defined]
    return check


def _absent(cells: pd.DataFrame, wanted: Sequence[Any]) -> Answer | None:
    missing = [cell for cell in wanted if cell not in cells.index or pd.isna(cells["value"][cell])]
    if not missing:
        return None
    named = ", ".join(missing[0]) if isinstance(missing[0], tuple) else str(missing[0])
    return Answer(UNTESTED, f"no run has {named}")


def _gap(cells: pd.DataFrame, a: tuple[str, str], b: tuple[str, str]) -> tuple[float, float, float | None]:
    """The difference of two cells, its standard error, and how many cases stand behind the smaller one."""
    values, errors = cells["value"], cells["se"].fillna(0.0)
    n = float(min(cells["n"][a], cells["n"][b])) if "n" in cells else None
    return float(values[a] - values[b]), hypot(errors[a], errors[b]), n


def _decided(told: Sequence[tuple[str, float, float, float | None]], level: float, sign: int = 1) -> Answer:
    """The answer of the difference that is least in favour: name, value, standard error, number of cases."""
    z = float(norm.ppf((1 + check_level(level)) / 2))
    # Without a spread over n cases, which are then one case repeated, there is no interval and nothing is decided.
    ratios = [0.0 if n and not se else gap / (z * se or 1e-12) for _, gap, se, n in told]
    ratio = min(ratios)
    name, gap, se, n = told[ratios.index(ratio)]
    verdict = NO if ratio < -1 else YES if ratio > 1 else CLOSE
    more = ""
    if verdict == CLOSE and n and abs(ratio) > 1e-3:
        more = f"; N = {ceil(n / ratio**2)} would tell a difference of this size from none"
    return Answer(verdict, f"{name}: {_interval(sign * gap, se, z)}{'' if n is None else f', n = {n:.0f}'}{more}")


def _interval(gap: float, se: float, z: float) -> str:
    return f"{gap:+.2f} ({number(gap - z * se)} to {number(gap + z * se)})" if se > 0 else f"{gap:+.2f} (no interval)"


def _worst(answers: Sequence[str], order: Sequence[str] = (UNTESTED, NO, CLOSE, YES)) -> str:
    """The first answer in an order of answers, with its evidence; "not testable here" of none."""
    return next((one for verdict in order for one in answers if one == verdict), UNTESTED)


def check_claims(ours: pd.DataFrame, published: pd.DataFrame, checks: Mapping[str, Check]) -> pd.DataFrame:
    """Test each published statement on our results, for each participant in them.

    Parameters
    ----------
    ours : row, column, value, se, and n and participant where there are several
        Tidy results; statements on rows that are not there are "not testable here".
    published : table, statement, note
        As `support.published.statements` gives them.

    Returns
    -------
    DataFrame
        where, statement, `holds here` (with a column `participant`, one by the name of each instead), evidence, `of
        the paper's own numbers` (the note).

    Raises
    ------
    InvalidInput
        When a statement has no check.
    """
    need_columns(ours, ["row", "column", "value", "se"], "our results")
    if without := [s for s in published["statement"] if s not in checks]:
        raise InvalidInput(f"statement: {without[0]!r} has no check; add one to the checks that you pass")
    parts = {"holds here": ours}
    if "participant" in ours:
        parts = {str(name): part for name, part in ours.groupby("participant", sort=False)}
    told = [
        {name: checks[s](ours if hasattr(checks[s], "across") else part) for name, part in parts.items()}
        for s in published["statement"]
    ]
    grounds = [_grounds(row) for row in told]
    table = pd.DataFrame([{name: str(answer) for name, answer in row.items()} for row in told], columns=list(parts))
    table.insert(0, "where", published["table"].to_numpy())
    table.insert(1, "statement", published["statement"].to_numpy())
    return table.assign(evidence=grounds, **{"of the paper's own numbers": published["note"].to_numpy()})


def _grounds(answers: Mapping[str, str]) -> str:
    """What the answers rest on: once where it is the same for all, else each participant's."""
    each = {name: why for name, answer in answers.items() if (why := evidence(answer))}
    if len(set(each.values())) < 2 and len(each) in (0, len(answers)):
        return next(iter(each.values()), "")
    return "; ".join(f"{name}: {why}" for name, why in each.items())


_BESIDE = ("where", "statement", "evidence", "of the paper's own numbers")


def testable(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table of `check_claims` that some participant's runs could decide."""
    return table[(table[[name for name in table if name not in _BESIDE]] != UNTESTED).any(axis=1)]


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """How many statements of a table of `check_claims` got which answer: participant, the four answers, statements."""
    named = [name for name in table if name not in _BESIDE]
    counts = pd.DataFrame({name: table[name].value_counts() for name in named}).T
    counts = counts.reindex(columns=[YES, NO, CLOSE, UNTESTED]).fillna(0).astype(int)
    return counts.assign(statements=len(table)).rename_axis("participant").reset_index()
