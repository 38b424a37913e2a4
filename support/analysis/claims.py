"""What a paper's text claims, as checks of our own results: yes, no, too close to call, or not testable here.

A check is a function of tidy results (row, column, value, se, and n where it is known) that gives an `Answer`.
Intervals are Student's where the cases are counted, with Welch's degrees of freedom for a difference, and normal where
they are not. A cell of one case has no interval, so that nothing is decided by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import ceil, hypot, inf, isfinite, isnan, nan
from typing import NamedTuple, Self

import pandas as pd
from scipy.stats import t

from support.analysis.frames import need_columns
from support.analysis.stats import enough, equivalent, number
from support.errors import InvalidInput

YES, NO, CLOSE, UNTESTED = "yes", "no", "too close to call", "not testable here"


class Answer(str):
    """One of the four answers, as which it compares, and the `evidence` that it rests on, in words."""

    evidence: str

    def __new__(cls, verdict: str, evidence: str = "") -> Self:
        """The answer."""
        answer = super().__new__(cls, verdict)
        answer.evidence = evidence
        return answer


Check = Callable[[pd.DataFrame], Answer]
Key = tuple[str, str]
"""A row and a column."""


def every(gaps: Callable[[Cells], Iterable[Gap]], sign: int = 1) -> Check:
    """The claim that each difference that `gaps` reads from the results is above (`sign` 1) or below (-1) zero.

    "no" when one of their 95 % intervals lies on the other side; the evidence is the difference that decides.
    """
    return read(
        gaps,
        lambda found: _decided(
            [gap._replace(value=sign * gap.value) for gap in found], sign
        ),
    )


def most(gaps: Callable[[Cells], Iterable[Gap]], share: float = 0.5) -> Check:
    """The claim that more than a `share` of the differences are above zero, each by its 95 % interval."""

    def judge(found: list[Gap]) -> Answer:
        clear = [gap.side() for gap in found]
        up, down = clear.count(1), clear.count(-1)
        verdict = (
            YES
            if up > share * len(found)
            else NO
            if len(found) - down <= share * len(found)
            else CLOSE
        )
        return Answer(
            verdict, f"of {len(found)} clearly above 0: {up}, clearly below: {down}"
        )

    return read(gaps, judge)


def read(
    gaps: Callable[[Cells], Iterable[Gap]], judge: Callable[[list[Gap]], Answer]
) -> Check:
    """A claim on the differences that `gaps` reads; "not testable here" where a cell is missing."""

    def check(ours: pd.DataFrame) -> Answer:
        try:
            found = list(gaps(Cells(ours)))
        except KeyError as missing:
            return Answer(UNTESTED, f"no run has {missing.args[0]}")
        return (
            judge(found) if found else Answer(UNTESTED, "there is nothing to compare")
        )

    return check


def above(higher: Sequence[str], lower: Sequence[str], *columns: str) -> Check:
    """The claim that each row of `higher` lies above each row of `lower`, in every one of `columns`; as `every`."""
    return every(
        lambda cells: [
            cells.between(h, low, c) for h in higher for low in lower for c in columns
        ]
    )


def moves(sign: int, rows: Sequence[str], column: str, bound: float = 0.0) -> Check:
    """The claim that a cell is above (`sign` 1) or below (-1) a bound in every one of `rows`; as `every`."""
    name = f"{column} - {bound:g}" if bound else column
    return every(
        lambda cells: [
            cells.gap(f"{row}, {name}", [(row, column)], bound=bound) for row in rows
        ],
        sign,
    )


def rises(name: str, *rows: str, sign: int = 1) -> Check:
    """The claim that "name@r" of the last round is above (`sign` 1) or below (-1) that of the first, in all `rows`."""

    def gaps(cells: Cells) -> Iterable[Gap]:
        rounds = cells.rounds(name, *rows)
        return [
            cells.within(row, f"{name}@{rounds[-1]}", f"{name}@{rounds[0]}")
            for row in rows
        ]

    return every(gaps, sign)


def alike(
    one: Sequence[str], other: Sequence[str], margin: float, *columns: str
) -> Check:
    """The claim that each row of `one` is as each row of `other`, within `margin`: two one-sided tests at 5 %.

    "no" when an interval of a difference excludes 0 and its estimate is beyond the margin, else "too close to call".
    """
    pairs = [(a, b, c) for a in one for b in other for c in columns if a != b]
    return read(
        lambda cells: [cells.between(*pair) for pair in pairs],
        partial(_near, margin=margin),
    )


def flat(rows: Sequence[str], column: str, margin: float) -> Check:
    """The claim that a cell is near zero in every one of `rows`, within `margin`: two one-sided tests, as `alike`."""
    return read(
        lambda cells: [cells.gap(f"{row}, {column}", [(row, column)]) for row in rows],
        partial(_near, margin=margin),
    )


def _near(gaps: Sequence[Gap], margin: float) -> Answer:
    answers = []
    for gap in gaps:
        told = f"{gap.name}: {gap.interval()}, margin {number(margin)}"
        if gap.se > 0 and equivalent(gap.value, gap.se, margin, gap.df) < 0.05:
            answers.append(Answer(YES, told))
        elif abs(gap.value) > max(gap.half(), margin):
            answers.append(Answer(NO, told))
        else:
            needed = enough(int(gap.n), gap.se, margin) if gap.n and gap.se > 0 else inf
            answers.append(
                Answer(
                    CLOSE,
                    told
                    + (f"; N = {needed:.0f} would tell" if isfinite(needed) else ""),
                )
            )
    return _worst(answers)


def combined(*checks: Check) -> Check:
    """ "yes" when all say so, "no" when one does, "not testable here" when one is not."""
    return lambda ours: _worst([one(ours) for one in checks])


def either(*checks: Check) -> Check:
    """The most favourable of the answers."""
    return lambda ours: _worst(
        [one(ours) for one in checks], (YES, CLOSE, NO, UNTESTED)
    )


def untested(why: str) -> Check:
    """A claim that no run can decide, and why."""
    return lambda _: Answer(UNTESTED, why)


class Gap(NamedTuple):
    """A difference with its standard error, the cases behind its smaller side (None: not counted), and its df."""

    name: str
    value: float
    se: float
    n: float | None
    df: float

    def half(self) -> float:
        """Half the width of its 95 % interval; NaN where no spread over the counted cases is known."""
        if self.n and not self.se > 0:
            return nan
        return float(t.ppf(0.975, self.df)) * self.se

    def times(self) -> float:
        """How many half widths it lies from zero: beyond 1 it is told from it; 0 where it has no interval."""
        half = self.half()
        return 0.0 if isnan(half) else self.value / (half or 1e-12)

    def side(self) -> int:
        """1 where it is clearly above zero, -1 clearly below, else 0."""
        return (self.times() > 1) - (self.times() < -1)

    def verdict(self) -> str:
        """Whether it is above zero: yes, no, or too close to call."""
        return {1: YES, 0: CLOSE, -1: NO}[self.side()]

    def interval(self, sign: int = 1) -> str:
        """Its value and interval in words, times `sign`."""
        value, half = sign * self.value, self.half()
        shown = (
            f"({number(value - half)} to {number(value + half)})"
            if half > 0
            else "(no interval)"
        )
        return f"{value:+.2f} {shown}"


class Cells:
    """Results (row, column, value, se, n) as differences of them are read; a KeyError names what is missing."""

    def __init__(self, ours: pd.DataFrame) -> None:
        there = ours[ours["value"].notna()]
        names = ("row", "column", "value", "se", "n")
        columns = [
            there[name].tolist() if name in there else [None] * len(there)
            for name in names
        ]
        self._cells = {
            (row, column): figures
            for row, column, *figures in zip(*columns, strict=True)
        }

    def __contains__(self, key: Key) -> bool:
        return key in self._cells

    def rows(self) -> list[str]:
        """The rows, in their order."""
        return list(dict.fromkeys(row for row, _ in self._cells))

    def rounds(self, name: str, *rows: str) -> list[int]:
        """The rounds r in which every one of `rows` has a value in "name@r", ascending."""
        there = [{int(c.rpartition("@")[2]) for r, c in self._cells if r == row and c.rpartition("@")[0] == name}
                 for row in rows]  # fmt: skip
        if not (shared := set.intersection(*there)):
            raise KeyError(f"{name} of {' and '.join(rows)}")
        return sorted(shared)

    def shared(self, *rows: str) -> list[str]:
        """The columns in which every one of `rows` has a value, in their order."""
        return [
            c
            for r, c in self._cells
            if r == rows[0] and all((row, c) in self._cells for row in rows)
        ]

    def names(self, row: str) -> list[str]:
        """What is measured by rounds in a row: the names before "@"."""
        return list(
            dict.fromkeys(c.rpartition("@")[0] for c in self.shared(row) if "@" in c)
        )

    def between(self, row: str, other: str, column: str) -> Gap:
        """How far a row lies above another."""
        return self.gap(
            f"{row} - {other}, {column}", [(row, column)], [(other, column)]
        )

    def within(self, row: str, column: str, other: str) -> Gap:
        """How far a column lies above another in the same row; by pairs, where the column "one - other" has them."""
        name = f"{row}, {column} - {other}"
        for one, two, sign in ((column, other, 1), (other, column, -1)):
            if (paired := (row, f"{one} - {two}")) in self:
                gap = self.gap(name, [paired])
                return gap._replace(value=sign * gap.value)
        return self.gap(name, [(row, column)], [(row, other)])

    def gap(
        self,
        name: str,
        over: Sequence[Key],
        under: Sequence[Key] = (),
        bound: float = 0.0,
    ) -> Gap:
        """The mean of some cells minus that of others, minus `bound`.

        Cells of one mean hang together, so that its standard error is the mean of theirs.
        """
        (one, error, n), (other, other_error, m) = (
            self._mean(over),
            self._mean(under) if under else (0.0, 0.0, inf),
        )
        se = hypot(error, other_error)
        if n is None or m is None:
            return Gap(name, one - other - bound, se, None, inf)
        parts = [
            (e**2, count)
            for e, count in ((error, n), (other_error, m))
            if e > 0 and count > 1
        ]
        df = (
            se**4 / sum(part**2 / (count - 1) for part, count in parts)
            if se > 0 and parts
            else nan
        )  # Welch's
        return Gap(name, one - other - bound, se, min(n, m), df)

    def _mean(self, keys: Sequence[Key]) -> tuple[float, float, float | None]:
        if missing := [key for key in keys if key not in self._cells]:
            raise KeyError(", ".join(missing[0]))
        found = [self._cells[key] for key in keys]
        value, se = (
            sum(figures) / len(found)
            for figures in zip(*(cell[:2] for cell in found), strict=True)
        )
        n = None if found[0][2] is None else min(float(cell[2]) for cell in found)
        return (
            value,
            (0.0 if n is None and isnan(se) else se),
            n,
        )  # where nobody counted, no error means none


def _decided(gaps: Sequence[Gap], sign: int = 1) -> Answer:
    """The answer of the difference that is least in favour."""
    least, more = min(gaps, key=Gap.times), ""
    verdict, told = least.verdict(), least.times()
    if verdict == CLOSE and least.n and abs(told) > 1e-3:
        more = f"; N = {ceil(least.n / told**2)} would tell a difference of this size from none"
    count = "" if least.n is None else f", n = {least.n:.0f}"
    return Answer(verdict, f"{least.name}: {least.interval(sign)}{count}{more}")


def _worst(
    answers: Sequence[Answer], order: Sequence[str] = (UNTESTED, NO, CLOSE, YES)
) -> Answer:
    """The first answer in an order of answers, with its evidence; "not testable here" of none."""
    return next(
        (one for verdict in order for one in answers if one == verdict),
        Answer(UNTESTED),
    )


def check_claims(
    ours: pd.DataFrame, published: pd.DataFrame, checks: Mapping[str, Check]
) -> pd.DataFrame:
    """Test each published statement on our results, for each participant in them.

    `ours` are tidy results: row, column, value, se, and n and participant where there are several; `published` is as
    `support.published.statements` gives it. Columns: where, statement, `holds here` (of several participants, one by
    the name of each instead), evidence, `of the paper's own numbers` (the note).
    """
    need_columns(ours, ["row", "column", "value", "se"], "our results")
    if without := [s for s in published["statement"] if s not in checks]:
        raise InvalidInput(
            f"statement: {without[0]!r} has no check; add one to the checks that you pass"
        )
    parts = {HERE: ours}
    if "participant" in ours:
        parts = {
            str(name): part for name, part in ours.groupby("participant", sort=False)
        }
    told = [
        {name: checks[s](part) for name, part in parts.items()}
        for s in published["statement"]
    ]
    table = pd.DataFrame(
        [{name: str(answer) for name, answer in row.items()} for row in told],
        columns=list(parts),
    )
    table.insert(0, "where", published["table"].to_numpy())
    table.insert(1, "statement", published["statement"].to_numpy())
    return table.assign(
        evidence=list(map(_grounds, told)), **{OWN: published["note"].to_numpy()}
    )


def _grounds(answers: Mapping[str, Answer]) -> str:
    """What the answers rest on: once where it is the same for all, else each participant's."""
    each = {
        name: why
        for name, answer in answers.items()
        if (why := getattr(answer, "evidence", ""))
    }  # or a bare word
    if len(set(each.values())) < 2 and len(each) in (0, len(answers)):
        return next(iter(each.values()), "")
    return "; ".join(f"{name}: {why}" for name, why in each.items())


HERE, OWN = "holds here", "of the paper's own numbers"
_BESIDE = ("where", "statement", "evidence", OWN)


def answers_of(table: pd.DataFrame, participant: str = "") -> pd.DataFrame:
    """A table of `check_claims`, a row for each statement and participant, with the participant's own evidence.

    `participant` is whom the column `holds here` speaks of.
    """
    named = [str(name) for name in table if name not in _BESIDE]
    known = table.rename(columns={OWN: "note"})
    who = re.compile(
        rf"(?:^|; )({'|'.join(map(re.escape, named))}): "
    )  # as `_grounds` joins them
    told = [who.split(text) for text in known["evidence"]]
    parts = [
        known.assign(
            verdict=known[name], participant=participant if name == HERE else name,
            evidence=[dict(zip(t[1::2], t[2::2], strict=True)).get(name, "") if len(t) > 1 else t[0] for t in told],
        )
        for name in named
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)[
        ["where", "statement", "participant", "verdict", "evidence", "note"]
    ]


def testable(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table of `check_claims` that some participant's runs could decide."""
    return table[
        (table[[name for name in table if name not in _BESIDE]] != UNTESTED).any(axis=1)
    ]


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """How many statements of a table of `check_claims` got which answer: participant, the four answers, statements."""
    named = [name for name in table if name not in _BESIDE]
    counts = pd.DataFrame({name: table[name].value_counts() for name in named}).T
    counts = counts.reindex(columns=[YES, NO, CLOSE, UNTESTED]).fillna(0).astype(int)
    return counts.assign(statements=len(table)).rename_axis("participant").reset_index()
