"""What a paper states, held against our results.

A statement is a row of `data/inputs/claims/<paper>.tsv`; the README beside it explains
the signs of a claim. A claim compares cells of tidy results: a value, its standard
error, and n, the cases behind it (NaN: exact, or not counted). Intervals are Student's
at 95 %, with Welch's degrees of freedom for several cells; those of shares are
Wilson's. Without a spread over its cases a cell has no interval and decides nothing,
unless it is a share.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import permutations
from math import ceil, floor, inf, nan, sqrt
from operator import attrgetter
from typing import NamedTuple

import pandas as pd
from scipy.stats import t

from support import published
from support.analysis.frames import need_columns
from support.analysis.stats import enough, equivalent, number
from support.data import inputs
from support.errors import InvalidInput
from support.models.profiles import is_model, reasons

YES = "yes"
NO = "no"
CLOSE = "too close to call"
UNTESTED = "not testable here"
VERDICTS = {
    YES: "agrees",
    NO: "differs",
    CLOSE: "too little data",
    UNTESTED: "not testable here",
}
"""The verdicts on statements, and what they are called of printed cells."""

Cell = tuple[float, float, float]
"""Value, standard error, n."""
Cells = dict[str, Cell]
"""Cells by "row | column"."""


# ---- differences


class Difference(NamedTuple):
    """A sum of cells.

    Value, standard error, degrees of freedom, fewest cases (NaN: not counted).
    """

    value: float
    se: float
    df: float
    n: float

    def half(self) -> float:
        """Half the width of its 95 % interval; NaN where its cases show no spread."""
        if self.n > 0 and not self.se > 0:
            return nan
        return float(t.ppf(0.975, self.df)) * self.se

    def near(self, margin: float) -> str:
        """Whether it is zero within a margin.

        Yes by two one-sided tests at 5 %; no if it is clearly not zero, and beyond.
        """
        gap = abs(self.value)
        if self.se > 0 and equivalent(gap, self.se, margin, self.df) < 0.05:
            return YES
        if gap > self.half() and gap > margin:
            return NO
        return CLOSE


def total(cells: Sequence[Cell]) -> Difference:
    """The sum of independent cells; errors that are not counted are taken as known."""
    value = variance = doubt = 0.0
    counts = []
    for one, se, n in cells:
        value += one
        if n > 0:
            counts.append(n)
        if se > 0:
            variance += se**2
        if se > 0 and n > 1:
            doubt += se**4 / (n - 1)
    df = variance**2 / doubt if doubt else inf
    return Difference(value, sqrt(variance), df, min(counts, default=nan))


TERM = re.compile(r"([+-]?) ?([\d.]*) ?(?:\[(.+?)\])?")


def difference(left: str, right: str, cells: Cells) -> Difference:
    """One side of a comparison less the other; KeyError names a missing cell."""
    summands = list[Cell]()
    terms = list[tuple[float, str]]()
    for side, text in ((1.0, left), (-1.0, right)):
        for sign, weight, key in TERM.findall(text):
            factor = side * float(sign + (weight or "1"))
            if key:
                terms.append((factor, _by_round(key, cells)))
            elif weight:
                summands.append((factor, 0.0, nan))
    for factor, key in _paired(terms, cells):
        value, se, n = _cell(key, cells)
        summands.append((factor * value, abs(factor) * se, n))
    return total(summands)


def _paired(terms: list[tuple[float, str]], cells: Cells) -> list[tuple[float, str]]:
    """Two columns of one row as the column "one - other", where the row has it."""
    if len(terms) == 2:
        (factor, first), (_, second) = terms
        row, _, one = first.partition(" | ")
        other = second.removeprefix(f"{row} | ")
        pairs = {f"{one} - {other}": factor, f"{other} - {one}": -factor}
        for pair, sign in pairs.items():
            if f"{row} | {pair}" in cells:
                return [(sign, f"{row} | {pair}")]
    return terms


def _by_round(key: str, cells: Cells) -> str:
    """A key with the number of the first, the last or the least round of its row.

    The least is a round between the others whose value is the smallest.
    """
    name, _, when = key.partition("@")
    if when not in ("first", "last", "least"):
        return key
    rounds = _matching(f"[{name}@#]", "#", cells)
    rounds.sort(key=int, reverse=when == "last")
    if when == "least":
        rounds = sorted(rounds[1:-1], key=lambda one: cells[f"{name}@{one}"][0])
    found = next(iter(rounds), when)
    return f"{name}@{found}"


def _cell(key: str, cells: Cells) -> Cell:
    """A cell, or the spread over its cases with an error, as if they were normal."""
    if "spread of " not in key:
        return cells[key]
    _, se, n = cells[key.replace("spread of ", "")]
    spread = se * sqrt(n)
    return spread, spread / sqrt(2 * (n - 1)), n


# ---- claims


def choices(claim: str, cells: Cells) -> Iterator[str]:
    """The claim once for each choice of names that its signs leave."""
    if braces := re.search(r"\{(.+?)\}", claim):
        for name in braces[1].split(" / "):
            yield from choices(claim.replace(braces[0], name), cells)
    elif "larger model" in claim:
        for larger, smaller in _by_size(cells):
            one = claim.replace("larger model", larger)
            yield from choices(one.replace("smaller model", smaller), cells)
    elif wild := re.search(r"[*#]", claim):
        for name in _matching(claim, wild[0], cells):
            yield from choices(claim.replace(wild[0], name), cells)
    else:
        yield claim


def _matching(claim: str, sign: str, cells: Cells) -> list[str]:
    """What a sign can stand for in every cell of a claim that has it."""
    meant = "([^|]+)" if sign == "*" else r"([\d.]+)"
    each = []
    for key in re.findall(r"\[(.+?)\]", claim):
        if sign in key:
            pattern = re.escape(key).replace(re.escape(sign), meant)
            matches = map(re.compile(pattern).fullmatch, cells)
            each.append({match[1] for match in matches if match})
    return sorted(set.intersection(*each))


SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])", re.IGNORECASE)


def _by_size(cells: Cells) -> Iterator[tuple[str, str]]:
    """Two models of a family, the larger first: by billions, or one is a "-mini"."""
    rows = dict.fromkeys(key.partition(" | ")[0] for key in cells)
    models = filter(is_model, rows)
    for one, other in permutations(models, 2):
        sizes = [float(size) for size in SIZE.findall(f"{one} {other}")]
        alike = SIZE.sub("", one) == SIZE.sub("", other)
        larger = len(sizes) == 2 and sizes[0] > sizes[1]
        if other == f"{one}-mini" or (alike and larger):
            yield one, other


class Judged(NamedTuple):
    """A verdict, what it rests on, and what comparisons are ordered by, the most favourable last."""

    verdict: str
    evidence: str
    favour: tuple[int, float]


FAVOUR = attrgetter("favour")


def judged(claim: str, cells: Cells, shares: bool = False) -> Judged:
    """The least favourable comparison of a claim whose names are written out."""
    comparisons = []
    for part in claim.split(" and "):
        sides = re.split(r"(?<=\]) ([<>=]) ", part)
        for at in range(0, len(sides) - 2, 2):
            left, sign, right = sides[at : at + 3]
            comparisons.append(_compared(left, sign, right, cells, shares))
    return min(comparisons, key=FAVOUR)


def _compared(
    left: str,
    sign: str,
    right: str,
    cells: Cells,
    shares: bool,
) -> Judged:
    other, _, margin = right.partition(" ± ")
    bound = 0.0 if "[" in other else float(other)
    gap = difference(left, other, cells)
    half = gap.half()
    low = gap.value - half
    high = gap.value + half
    if shares:
        low, high = _wilson(gap, bound)

    if margin:
        verdict = gap.near(float(margin))
        lead = -abs(gap.value)
        wanted = inf
        if gap.n > 0:
            wanted = enough(int(gap.n), gap.se, float(margin))
    else:
        half = gap.value - low if gap.value > 0 else high - gap.value
        lead = gap.value / (half or 1e-12) if half >= 0 else 0.0
        wanted = gap.n / lead**2 if lead else inf
        lead = -lead if sign == "<" else lead
        verdict = YES if lead > 1 else NO if lead < -1 else CLOSE

    evidence = f"{left} {sign} {right}: {number(gap.value + bound)}"
    if low < high:
        evidence += f" ({number(low + bound)} to {number(high + bound)})"
    if gap.n > 0:
        evidence += f", n = {gap.n:.0f}"
    if verdict == CLOSE and wanted < 1e6:
        evidence += f"; N = {ceil(wanted)} would tell"
    order = (NO, CLOSE, YES).index(verdict)  # by half widths within a verdict
    return Judged(verdict, evidence, (order, lead))


def _wilson(gap: Difference, bound: float) -> tuple[float, float]:
    """Wilson's interval of a share of n cases, less the bound it is held against."""
    from statsmodels.stats.proportion import proportion_confint

    count = (gap.value + bound) * gap.n
    low, high = proportion_confint(count, gap.n, method="wilson")
    return low - bound, high - bound


def answer(
    claim: str,
    need: str,
    given: str,
    cells: Cells,
) -> tuple[str, str]:
    """The verdict on a statement and what it rests on."""
    if "[" not in claim:
        return UNTESTED, claim
    if given:
        verdict, evidence = answer(given, "", "", cells)
        if verdict == UNTESTED:
            return verdict, evidence
        if verdict != YES:
            return CLOSE, f"{evidence}: that is not clear itself"

    results = list[Judged]()
    missing = ""
    for part in claim.split("; "):
        for choice in choices(part, cells):
            try:
                results.append(judged(choice, cells, need == "share"))
            except KeyError as error:
                missing = str(error.args[0])

    kind, _, least = need.partition(" ")
    wanted = len(results)
    if kind == "most":
        wanted = floor(float(least or 0.5) * wanted) + 1
    elif kind == "some":
        wanted = int(least or 1)
    elif missing and kind != "run":
        wanted = 0
    if not 0 < wanted <= len(results):
        return UNTESTED, f"no run has {missing or claim}"
    results.sort(key=FAVOUR)
    decisive = results[-wanted]
    if kind != "most":
        return decisive.verdict, decisive.evidence
    verdicts = [result.verdict for result in results]
    clear = f"clearly so: {verdicts.count(YES)}, clearly not: {verdicts.count(NO)}"
    return decisive.verdict, f"of {len(results)} {clear}"


# ---- tables

COLUMNS = ["where", "statement", "participant", "verdict", "evidence", "note"]


def check(paper: str, notebook: str, results: pd.DataFrame) -> pd.DataFrame:
    """Test on our results the statements of a paper ("001") that belong to a notebook.

    `results` has participant, row, column, value, se, n. `attrs["unseen"]` may name, by
    participant, dialogue acts that its labels cannot show: what reads them is not
    testable. Columns: where, statement, participant, verdict, evidence, note (of the
    paper's own numbers); in the published order for each participant.
    """
    cell = ["row", "column", "value", "se", "n"]
    need_columns(results, ["participant", *cell], "our results")
    stated = statements(paper).query("notebook == @notebook")
    if stated.empty:
        raise InvalidInput(
            f"notebook {notebook!r} tests no statement of {paper}: give one that "
            f"data/inputs/claims/{paper}.tsv names, or add its statements there"
        )
    unseen = results.attrs.get("unseen", {})
    figures = results.astype(dict.fromkeys(("value", "se", "n"), float))
    parts = []
    for who, part in figures.groupby("participant", sort=False):
        numbers = part.dropna(subset="value")[cell].itertuples(index=False)
        cells = {
            f"{row} | {column}": (value, se, n) for row, column, value, se, n in numbers
        }
        tested = [
            _tested(one, str(who), cells, unseen.get(who, ()))
            for one in stated.to_dict("records")
        ]
        both = stated.assign(participant=who)
        both[["verdict", "evidence"]] = tested
        parts.append(both[COLUMNS])
    return pd.concat(parts, ignore_index=True)


def _tested(
    one: Mapping[Hashable, str],
    who: str,
    cells: Cells,
    unseen: Sequence[str],
) -> tuple[str, str]:
    """The answer of a participant to a statement, if it speaks of that participant."""
    if one["who"] not in names(who):
        return UNTESTED, ""
    claim = one["claim"]
    given = one["given"]
    words = re.findall(r"\w+", claim + given)
    if hidden := [act for act in unseen if act in words]:
        acts = ", ".join(hidden)
        return UNTESTED, f"the labels of this talk cannot show: {acts}"
    return answer(claim, one["need"], given, cells)


def statements(paper: str) -> pd.DataFrame:
    """A paper's published statements in their order, and how each is tested."""
    printed = published.statements(published.load(paper))
    tested = pd.read_csv(
        inputs("claims", f"{paper}.tsv"),
        sep="\t",
        dtype=str,
        keep_default_na=False,
    )
    return printed.merge(tested, on="statement")


def names(participant: str) -> set[str]:
    """What a statement may call a participant: "" for everybody, its name, its kind."""
    every = {"", participant}
    if is_model(participant):
        kinds = {
            True: "reasoning models",
            False: "other models",
            None: "models",
        }
        every |= {"models", kinds[thinks(participant)], called(participant)}
    return every


def thinks(name: str) -> bool | None:
    """Whether a participant thinks before it answers; None where nobody knows.

    >>> thinks("model:a (reasoning high)"), thinks("model:a (reasoning off)")
    (True, False)
    """
    model, _, effort = name.partition(" (reasoning ")
    return reasons(model, effort.removesuffix(")") or None)


PRINTED = {
    "deepseek-reasoner": "DeepSeek-R1",
    "deepseek-r1": "DeepSeek-R1",
    "deepseek-chat": "DeepSeek-V3",
    "deepseek-v3": "DeepSeek-V3",
    "gemini-2.5-flash": "Gemini-2.5-Flash",
}
"""What the papers call models that go by another name elsewhere."""


def called(model: str) -> str:
    """A model as the papers call it; without its maker, date and address.

    >>> called("model:google/gemini-2.5-flash (reasoning off)")
    'Gemini-2.5-Flash without thinking'
    >>> called("model:o3-mini-2025-01-31")
    'o3-mini'
    """
    name = re.split(r" \(|@", model.lower().removeprefix("model:"))[0]
    name = re.sub(r".*/|-\d{4}(-\d\d-\d\d|\d{4})?$", "", name)
    name = PRINTED.get(name, name)
    if name.startswith("Gemini"):
        name += " with thinking" if thinks(model) else " without thinking"
    return name


def wide(checked: pd.DataFrame) -> pd.DataFrame:
    """The verdicts for a page: where, statement, a column for each participant."""
    keys = ["where", "statement"]
    table = checked.pivot_table("verdict", keys, "participant", "first", sort=False)
    return table.rename_axis(columns=None).reset_index()


def counted(judged: pd.DataFrame, by: str = "participant") -> pd.DataFrame:
    """How many statements, or printed cells, got which verdict in each level of `by`."""
    of = "statements" if "statement" in judged else "cells"
    verdicts = VERDICTS if of == "statements" else VERDICTS.values()
    counts = pd.crosstab(judged[by], judged["verdict"])
    counts = counts.reindex(judged[by].unique(), columns=[*verdicts], fill_value=0)
    counts[of] = counts.sum(axis=1)
    return counts.rename_axis(columns=None).reset_index()
