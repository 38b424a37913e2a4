"""What a printed table can mean: GRIM for means and for intervals, every sample behind a cell, tests of summaries.

Three kinds of numbers stay apart, and every table says in `source` which it holds: published means, reconstructed
samples that would print as them and that nobody gave, and answers (`support.analysis.answers`).
A printed number is taken as rounded to the nearest, an exact half either way (programs differ: half up, half to even,
and binary floats that lie just beside the half); a number that was cut off instead may fail here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, floor, nan, prod, sqrt
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import check_level, need_columns, need_keys, numbers
from support.analysis.stats import small_sample_factor, with_holm
from support.errors import InvalidInput

PUBLISHED, RECONSTRUCTED = "published", "reconstructed"
OPEN = "open"
"""The verdict of `between_groups` where reconstructions disagree."""
MANY = 1_000_000
"""Combinations, of sizes or of reconstructions, that are tried."""
FREE = 20_000_000
"""Free counts that `enumerate_samples` goes through."""
EDGE = 1e-9
"""For binary fractions: a number exactly between two printed ones may be printed as either."""

Printed = float | str | Decimal
"""A number as a paper prints it; text keeps its trailing zeros, which do not matter here."""
Divisor = Literal["n-1", "n"]
Verdict = bool | int | str


@dataclass(frozen=True)
class Scale:
    """Whole answers from `low` to `high`, whose means are printed with `decimals`."""

    low: int = 1
    high: int = 5
    decimals: int = 2

    def __post_init__(self) -> None:
        if not all(isinstance(end, Integral) for end in (self.low, self.high)) or self.low > self.high:
            raise InvalidInput(
                f"low is {self.low!r} and high is {self.high!r}; expected the ends of a scale of whole numbers."
            )
        if not isinstance(self.decimals, Integral) or self.decimals < 0:
            raise InvalidInput(f"decimals is {self.decimals!r}; expected a whole number from 0.")

    @property
    def half(self) -> Fraction:
        """Half of the last printed digit: how far a printed number can lie from the one that was rounded."""
        return Fraction(1, 2 * 10**self.decimals)

    def exact(self, value: Printed, what: str = "mean") -> Fraction:
        """A printed number without binary rounding; InvalidInput where it is none, or has more decimals."""
        try:
            # The shortest text that reads back as this float is what was printed.
            number = Decimal(value if isinstance(value, str | Decimal) else str(float(value)))
        except (InvalidOperation, TypeError, ValueError) as error:
            raise InvalidInput(f"{what} is {value!r}; expected a number as printed, such as 3.51 or '3.51'.") from error
        if not number.is_finite():
            raise InvalidInput(f"{what} is {value!r}; expected a finite number; leave cells without one out.")
        if (Fraction(number) * 10**self.decimals).denominator != 1:
            raise InvalidInput(f"{what} is {value!r}; expected at most {self.decimals} decimals: round it, or say so.")
        return Fraction(number)


FIVE = Scale()


@dataclass(frozen=True)
class Convention:
    """How an interval may have been computed: mean ± t(df) * sd / sqrt(n).

    Parameters
    ----------
    n : from a group to the answers that were averaged.
    df : from a group to degrees of freedom, infinity for the normal distribution; n - 1 unless given.
    divisor : of the squared deviations.
    level : the coverage.
    """

    name: str
    n: Mapping[str, int]
    df: Mapping[str, float] | None = None
    divisor: Divisor = "n-1"
    level: float = 0.95

    def __post_init__(self) -> None:
        check_level(self.level)
        for group, n in self.n.items():
            check_n(n, least=2)
            if not self.degrees(group) > 0:
                raise InvalidInput(f"df is {self.degrees(group)!r} for {group!r}; expected more than 0, or infinity.")

    def degrees(self, group: str) -> float:
        """The degrees of freedom of a group."""
        return self.n[group] - 1 if self.df is None else self.df[group]

    def factor(self, group: str) -> float:
        """Half-width over standard deviation, t(df) / sqrt(n)."""
        return float(stats.t.ppf((1 + self.level) / 2, self.degrees(group))) / sqrt(self.n[group])


class Moments(NamedTuple):
    """What fixes the mean and the standard deviation of n whole answers: their sum and the sum of their squares."""

    sum: int
    squares: int

    def sd(self, n: int, divisor: Divisor) -> float:
        """The standard deviation of n >= 2 answers with these moments."""
        if divisor not in ("n-1", "n"):
            raise InvalidInput(f"divisor is {divisor!r}; expected 'n-1' or 'n'.")
        return sqrt((n * self.squares - self.sum**2) / n / (n - 1 if divisor == "n-1" else n))


def check_n(n: int, least: int = 1) -> int:
    """The number of answers as an int; InvalidInput unless it is a whole number from `least`."""
    if isinstance(n, bool) or not isinstance(n, Integral) or n < least:
        raise InvalidInput(f"n is {n!r}; expected a whole number of answers, {least} or more.")
    return int(n)


def printed_means(published: pd.DataFrame) -> pd.DataFrame:
    """The means of a table of `support.published.load`: item, group, mean, half (of the interval), source."""
    need_columns(published, ["row", "column", "value", "spread"], "the published table")
    names = {"row": "item", "column": "group", "value": "mean", "spread": "half"}
    rows = published.dropna(subset=["value"]).rename(columns=names)
    return rows[list(names.values())].reset_index(drop=True).assign(source=PUBLISHED)


def cells(means: pd.DataFrame, groups: Iterable[str], *more: str) -> list[Any]:
    """The rows of printed means (item, group, mean, and the columns `more`) of some groups, checked."""
    need_columns(means, ["item", "group", "mean", *more], "means")
    need_keys(means, ["item", "group"], "means")
    wanted, there = list(groups), list(means["group"].unique())
    if not wanted or not set(wanted) <= set(there):
        unknown = [group for group in wanted if group not in there]
        raise InvalidInput(f"ns names {unknown or 'no group'}; the groups of means are: {', '.join(map(str, there))}.")
    twice = means.duplicated(["item", "group"])
    if twice.any():
        item, group = means.loc[twice, ["item", "group"]].iloc[0]
        raise InvalidInput(f"means has item {item!r} of group {group!r} twice; pass one table at a time.")
    return list(means[means["group"].isin(wanted)].itertuples())


# ---- GRIM (Brown and Heathers 2017)


def possible_sums(mean: Printed, n: int, scale: Scale = FIVE) -> range:
    """The sums of n whole answers whose mean prints as `mean`; empty where there is none.

    >>> list(possible_sums(3.64, 11)), list(possible_sums(3.64, 300))[:2], len(possible_sums(3.91, 14))
    ([40], [1091, 1092], 0)
    """
    n, centre = check_n(n), scale.exact(mean)
    first, last = ceil((centre - scale.half) * n), floor((centre + scale.half) * n)
    return range(max(first, scale.low * n), min(last, scale.high * n) + 1)


def grim(mean: Printed, n: int, scale: Scale = FIVE) -> bool:
    """Can `mean`, as printed, be the mean of n whole answers? A mean outside the scale is False, not an error.

    >>> grim(3.64, 11), grim(3.91, 14), grim("3.91", 11)
    (True, False, True)
    """
    return bool(possible_sums(mean, n, scale))


def grim_table(means: pd.DataFrame, ns: Mapping[str, int | Iterable[int]], scale: Scale = FIVE) -> pd.DataFrame:
    """GRIM for each printed mean of the groups in `ns`, at one n or at several candidates.

    Returns item, group, mean, n, fits, nearest (the mean of n answers that comes closest), source.
    """
    rows = []
    for group, tried in ns.items():
        for cell, n in product(cells(means, [group]), _candidates(tried)):
            nearest = min(max(round(scale.exact(cell.mean) * n), scale.low * n), scale.high * n) / n
            rows.append((cell.item, group, cell.mean, n, grim(cell.mean, n, scale), nearest))
    return pd.DataFrame(rows, columns=["item", "group", "mean", "n", "fits", "nearest"]).assign(source=PUBLISHED)


def consistent_ns(means: pd.DataFrame, ns: Mapping[str, int | Iterable[int]], scale: Scale = FIVE) -> pd.DataFrame:
    """For each group and candidate n, how many of the group's means fit: group, n, means, fit, all_fit, source."""
    fits = grim_table(means, ns, scale).groupby(["group", "n"], sort=False)["fits"]
    table = fits.agg(means="size", fit="sum").reset_index()
    return table.assign(all_fit=table["fit"] == table["means"], source=PUBLISHED)


def pooled(
    means: pd.DataFrame, ns: Mapping[str, int | Iterable[int]], total: str = "all", scale: Scale = FIVE
) -> pd.DataFrame:
    """Which sizes of the groups explain all means of the groups, and how many of the pooled means of `total`, too?

    A pooled mean fits where some choice of the groups' whole sums, added up, prints as it does.

    Returns
    -------
    DataFrame
        A column for each group with its n; then n (their sum), means, fit, all_fit, source; the best first. Empty
        where some group has no size that fits all its means.
    """
    held = cells(means, [*ns, total])
    wide = pd.DataFrame(held).pivot(index="item", columns="group", values="mean")
    if wide.isna().any(axis=None):
        lacking = wide.index[wide.isna().any(axis=1)][0]
        raise InvalidInput(f"item {lacking!r} has no mean in every one of {', '.join(map(str, wide))}; leave it out.")
    kept = {g: [n for n in _candidates(tried) if all(grim(m, n, scale) for m in wide[g])] for g, tried in ns.items()}
    if prod(map(len, kept.values())) > MANY:
        raise InvalidInput(f"ns leaves {prod(map(len, kept.values()))} combinations; narrow the candidates.")
    rows = []
    for sizes in product(*kept.values()):
        fit = sum(_adds_up(row, dict(zip(kept, sizes, strict=True)), total, scale) for _, row in wide.iterrows())
        rows.append((*sizes, sum(sizes), len(wide), fit, fit == len(wide)))
    table = pd.DataFrame(rows, columns=[*kept, "n", "means", "fit", "all_fit"]).assign(source=PUBLISHED)
    return table.sort_values(["fit", "n"], ascending=False, kind="stable", ignore_index=True)


def _candidates(ns: int | Iterable[int]) -> list[int]:
    return [check_n(n) for n in (ns if isinstance(ns, Iterable) else [ns])]


def _adds_up(row: pd.Series, sizes: Mapping[str, int], total: str, scale: Scale) -> bool:
    """Whether the groups' possible sums, without gaps each, reach one of the pooled mean."""
    sums = [possible_sums(row[group], n, scale) for group, n in sizes.items()]
    wanted = possible_sums(row[total], sum(sizes.values()), scale)
    return bool(wanted) and sum(s[0] for s in sums) <= wanted[-1] and sum(s[-1] for s in sums) >= wanted[0]


# ---- Intervals: the idea of GRIMMER (Anaya 2016). Few sums of squares go with n whole answers and a printed mean.


def possible_moments(mean: Printed, n: int, scale: Scale = FIVE) -> list[Moments]:
    """All sums and sums of squares of n whole answers with this printed mean.

    The squares run in steps of 2 (a number and its square are both even or both odd) between the least, all answers
    beside the mean, and the most, all answers at the ends. All of these occur but for a few; `enumerate_samples`
    settles which.
    """
    low, high = scale.low, scale.high
    found = []
    for total in possible_sums(mean, n, scale):
        base, more = divmod(total - low * n, n)
        top, rest = divmod(total - low * n, max(high - low, 1))
        least = (n - more) * (low + base) ** 2 + more * (low + base + 1) ** 2
        most = top * high**2 + (n - top) * low**2 + (low + rest) ** 2 - low**2
        found += [Moments(total, squares) for squares in range(least, most + 1, 2)]
    return found


def interval_check(means: pd.DataFrame, convention: Convention, scale: Scale = FIVE) -> pd.DataFrame:
    """Can each printed interval (`half`: its half-width) come from whole answers, if it was computed by `convention`?

    Returns
    -------
    DataFrame
        convention, item, group, n, df, divisor, mean, half, sd (implied by the interval), nearest (the sd of whole
        answers that comes closest), fits, moments (those that fit), source. Groups that the convention does not name
        are left out.
    """
    rows = []
    for cell in cells(means, convention.n, "half"):
        n, factor = convention.n[cell.group], convention.factor(cell.group)
        sd, reach = float(scale.exact(cell.half, "half")) / factor, float(scale.half) / factor
        options = {m: m.sd(n, convention.divisor) for m in possible_moments(cell.mean, n, scale)}
        fitting = tuple(m for m, s in options.items() if abs(s - sd) * factor <= reach * factor + EDGE)
        names = {"convention": convention.name, "item": cell.item, "group": cell.group, "n": n}
        told = {"df": convention.degrees(cell.group), "divisor": convention.divisor, "mean": cell.mean}
        nearest = min(options.values(), key=lambda s: abs(s - sd), default=nan)
        rows.append(names | told | {"half": cell.half, "sd": sd, "nearest": nearest, "fits": bool(fitting)})
        rows[-1]["moments"] = fitting
    return pd.DataFrame(rows).assign(source=PUBLISHED)


def pooled_interval_check(
    checked: pd.DataFrame, means: pd.DataFrame, df: float, divisor: Divisor = "n-1", total: str = "all",
    level: float = 0.95, scale: Scale = FIVE
) -> pd.DataFrame:  # fmt: skip
    """Do the groups' moments of `interval_check`, added up, give the pooled interval, if it has `df` and `divisor`?

    Returns item, n, df, divisor, mean, half, computed (the half-width that comes closest; NaN where some group has no
    moments), fits, source.
    """
    rows = []
    for cell in cells(means, [total], "half"):
        groups = checked[checked["item"] == cell.item]
        by = Convention("", {total: int(groups["n"].sum())}, {total: df}, divisor, level)
        together = {Moments(0, 0)}
        for moments in groups["moments"]:
            together = {Moments(a.sum + b.sum, a.squares + b.squares) for a, b in product(together, moments)}
        half = float(scale.exact(cell.half, "half"))
        halves = [m.sd(by.n[total], divisor) * by.factor(total) for m in together]
        computed = min(halves, key=lambda h: abs(h - half), default=nan)
        fits = abs(computed - half) <= float(scale.half) + EDGE
        rows.append((cell.item, by.n[total], df, divisor, cell.mean, cell.half, computed, fits))
    columns = ["item", "n", "df", "divisor", "mean", "half", "computed", "fits"]
    return pd.DataFrame(rows, columns=columns).assign(source=PUBLISHED)


# ---- Every sample behind a cell (as SPRITE looks for, Heathers et al. 2018), and what all of them say


@dataclass(frozen=True, eq=False)
class Reconstructed:
    """All samples that would print as one published cell. Nobody gave them: ask `conclusions` what all of them say.

    `counts` (samples, answers of the scale) says how often each answer occurs; its first column counts `low`.
    """

    counts: np.ndarray
    label: str = ""
    low: int = 1

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[np.ndarray]:
        """The answers of each sample, ascending, int of shape (n,)."""
        return (np.repeat(np.arange(self.low, self.low + len(row)), row) for row in self.counts)

    def frame(self) -> pd.DataFrame:
        """Tidy: label, sample, answer, count, source."""
        scale = range(self.low, self.low + self.counts.shape[1])
        wide = pd.DataFrame(self.counts, columns=list(scale))
        long: Any = wide.rename_axis(index="sample", columns="answer").stack()
        return long.reset_index(name="count").assign(label=self.label, source=RECONSTRUCTED)


def enumerate_samples(
    mean: Printed, sd: Printed, n: int, scale: Scale = FIVE, divisor: Divisor = "n-1"
) -> Reconstructed:
    """All samples of n whole answers that print as this mean and standard deviation, each once.

    >>> enumerate_samples("4.09", "0.79", 11, divisor="n").counts.tolist()
    [[0, 0, 3, 4, 4], [0, 1, 0, 7, 3]]
    """
    options = possible_moments(mean, check_n(n, least=2), scale)
    if not options:
        raise InvalidInput(f"mean {mean} cannot come from {n} whole answers on {scale.low}..{scale.high} (GRIM).")
    wanted, reach = float(scale.exact(sd, "sd")), float(scale.half) + EDGE
    fitting = [m for m in options if abs(m.sd(n, divisor) - wanted) <= reach]
    if not fitting:
        near = sorted({round(m.sd(n, divisor), 4) for m in options}, key=lambda s: abs(s - wanted))[:2]
        raise InvalidInput(f"mean {mean}, sd {sd} and n {n} cannot go together on {scale.low}..{scale.high}: "
                           f"the nearest possible sds are {', '.join(map(str, sorted(near)))}.")  # fmt: skip
    return _every(fitting, n, scale, f"mean {mean}, sd {sd}")


def reconstruct(
    means: pd.DataFrame, convention: Convention, scale: Scale = FIVE
) -> dict[tuple[str, str], Reconstructed]:
    """All samples behind every cell of a printed table, by (item, group), if its intervals came by `convention`.

    InvalidInput where a cell has none; `interval_check` shows which have.
    """
    made = {}
    checked: Any = interval_check(means, convention, scale)
    for cell in checked.itertuples():
        label = f"{cell.item}, group {cell.group}"
        if not cell.moments:
            raise InvalidInput(
                f"{label}: {cell.mean} ± {cell.half} cannot come from {cell.n} answers by {cell.convention!r}."
            )
        made[cell.item, cell.group] = _every(cell.moments, cell.n, scale, label)
    return made


def _every(moments: Sequence[Moments], n: int, scale: Scale, label: str) -> Reconstructed:
    """The samples with these moments: the counts of the three highest answers follow from those of the others.

    With the values shifted so that the third highest is 0, the last three counts x, y, z solve
    x + y + z = N, y + 2z = S, y + 4z = Q. A shorter scale is a longer one whose last answers nobody gives.
    """
    answers = scale.high - scale.low + 1
    width = max(answers, 3)
    if (free := comb(n + width - 3, n)) > FREE:
        raise InvalidInput(f"{label}: {n} answers on {answers} values leave {free:.1e} counts to try; expected {FREE}.")
    others = _at_most(n, width - 3)
    origin = scale.low + width - 3
    values = np.arange(scale.low, origin) - origin
    found = []
    for total, squares in moments:
        s = total - origin * n - others @ values
        q = squares - 2 * origin * total + origin**2 * n - others @ values**2
        z = (q - s) // 2  # without a rest: whole numbers and their squares are odd together
        y = s - 2 * z
        counts = np.column_stack([others, n - others.sum(axis=1) - y - z, y, z])
        found.append(counts[(counts >= 0).all(axis=1) & (counts[:, answers:] == 0).all(axis=1), :answers])
    counts = np.concatenate(found)
    if not len(counts):
        raise InvalidInput(f"{label}: no {n} whole answers on {scale.low}..{scale.high} have these moments.")
    return Reconstructed(counts[np.lexsort(counts.T[::-1])], label, scale.low)


def _at_most(n: int, parts: int) -> np.ndarray:
    """All non-negative whole numbers of shape (…, parts) whose row sums are at most n."""
    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(parts):
        room = n - rows.sum(axis=1) + 1
        last = np.arange(room.sum()) - np.repeat(np.cumsum(room) - room, room)
        rows = np.column_stack([np.repeat(rows, room, axis=0), last])
    return rows


class Conclusion(NamedTuple):
    """What all combinations of reconstructions say: from a verdict to its share of them, and how many were asked.

    Reconstructions are not equally likely: a share is no probability.
    """

    verdicts: dict[Verdict, float]
    asked: int

    @property
    def agree(self) -> bool:
        """All give the same verdict, which is then proven."""
        return len(self.verdicts) == 1

    @property
    def sentence(self) -> str:
        """The conclusion in words."""
        if self.agree:
            return f"all {self.asked} reconstructions agree: {next(iter(self.verdicts))}"
        shares = ", ".join(f"{verdict} in {share:.1%}" for verdict, share in self.verdicts.items())
        return f"all {self.asked} reconstructions disagree ({shares}): the printed numbers leave it open"


def conclusions(several: Sequence[Reconstructed], question: Callable[..., Verdict]) -> Conclusion:
    """Ask every combination of the reconstructions of independent cells, and see whether they agree.

    `question` takes an int array of answers for each cell; it returns a bool, a whole number or a text. How one
    respondent's answers to two items go together is lost in a printed table, and with it alpha or a paired test.

    >>> cell = enumerate_samples("4.09", "0.79", 11, divisor="n")
    >>> conclusions([cell], lambda answers: bool(answers.min() > 1)).sentence
    'all 2 reconstructions agree: True'
    """
    if not several or not all(isinstance(cell, Reconstructed) for cell in several):
        raise InvalidInput(
            "expected reconstructions, as reconstruct makes them; for answers see support.analysis.answers."
        )
    if (asked := prod(map(len, several))) > MANY:
        raise InvalidInput(f"there are {asked} combinations; expected at most {MANY}: ask fewer cells together.")
    counted: Counter[Verdict] = Counter(_verdict(question(*samples)) for samples in product(*several))
    return Conclusion({verdict: count / asked for verdict, count in counted.most_common()}, asked)


def between_groups(made: Mapping[tuple[str, str], Reconstructed], question: Callable[..., Verdict]) -> pd.DataFrame:
    """The conclusions for each item and pair of its groups, of what `reconstruct` made.

    Returns item, a, b, verdict (of all reconstructions; "open" where they disagree), agree, asked (combinations),
    share (of them that give the most frequent verdict), source.
    """
    rows = []
    for (item, a), (other, b) in combinations(made, 2):
        if item == other:
            found = conclusions([made[item, a], made[item, b]], question)
            verdict, share = next(iter(found.verdicts.items()))
            rows.append((item, a, b, str(verdict) if found.agree else OPEN, found.agree, found.asked, share))
    columns = ["item", "a", "b", "verdict", "agree", "asked", "share"]
    return pd.DataFrame(rows, columns=columns).assign(source=RECONSTRUCTED)


def _verdict(value: object) -> Verdict:
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, bool | int | str):
        raise InvalidInput(f"question returned {value!r}; expected a bool, a whole number or a text, such as p < 0.05.")
    return plain


# ---- Tests of which only mean, spread and n are printed


def summaries(means: pd.DataFrame, conventions: Mapping[str, Convention]) -> pd.DataFrame:
    """Mean, standard deviation and n of each printed cell under each convention: what `welch` and `anova` take.

    Returns assumed (the name of the convention), item, group, n, mean, sd (divisor n - 1, whatever the convention's),
    source.
    """
    rows = []
    for assumed, by in conventions.items():
        for cell in cells(means, by.n, "half"):
            n, sd = by.n[cell.group], float(cell.half) / by.factor(cell.group)
            unbiased = sd * sqrt(n / (n - 1)) if by.divisor == "n" else sd
            rows.append((assumed, cell.item, cell.group, n, float(cell.mean), unbiased))
    return pd.DataFrame(rows, columns=["assumed", "item", "group", "n", "mean", "sd"]).assign(source=PUBLISHED)


def welch(table: pd.DataFrame) -> pd.DataFrame:
    """Welch's t between all pairs of groups of each item, from summaries.

    Returns source, assumed, item, a, b, n_a, n_b, difference (a - b), its 95 % interval low, high, t, df, p, p_holm,
    correction (over all pairs of all items under one assumption), hedges_g, note; without a test NaN, and why in note.
    """
    rows = [
        names | {"a": a["group"], "b": b["group"], "n_a": a["n"], "n_b": b["n"]} | _welch(a, b)
        for names, groups in _families(table)
        for a, b in combinations(groups, 2)
    ]
    if not rows:
        raise InvalidInput("the summaries have one group for each item; a comparison needs two or more.")
    return with_holm(pd.DataFrame(rows), ["source", "assumed"])


def anova(table: pd.DataFrame) -> pd.DataFrame:
    """One-way analysis of variance of each item, from summaries; equal variances are assumed.

    Returns source, assumed, item, groups, n, f, df_between, df_within, p, p_holm, correction (over the items under
    one assumption), eta_squared, note.
    """
    return with_holm(
        pd.DataFrame([names | _anova(groups) for names, groups in _families(table)]), ["source", "assumed"]
    )


def _families(table: pd.DataFrame) -> list[tuple[dict[str, Any], list[dict[Any, Any]]]]:
    keys = ["source", "assumed", "item"]
    need_columns(table, [*keys, "group", "n", "mean", "sd"], "the summaries")
    need_keys(table, [*keys, "group"], "the summaries")
    if numbers(table, "mean").isna().any() or not (numbers(table, "sd") >= 0).all():
        raise InvalidInput("the summaries hold a mean or sd that is empty or negative; leave such cells out.")
    for n in table["n"]:
        check_n(n, least=2)
    parts = table.groupby(keys, sort=False, observed=True)
    return [(dict(zip(keys, names, strict=True)), part.to_dict("records")) for names, part in parts]


def _welch(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    difference, (u, v) = a["mean"] - b["mean"], (x["sd"] ** 2 / x["n"] for x in (a, b))
    if u + v == 0:
        empty = dict.fromkeys(("low", "high", "t", "df", "p", "hedges_g"), nan)
        return {"difference": difference} | empty | {"note": "no test: no spread on either side"}
    t, p = stats.ttest_ind_from_stats(a["mean"], a["sd"], a["n"], b["mean"], b["sd"], b["n"], equal_var=False)
    df = (u + v) ** 2 / (u**2 / (a["n"] - 1) + v**2 / (b["n"] - 1))
    margin, shared = float(stats.t.ppf(0.975, df)) * sqrt(u + v), a["n"] + b["n"] - 2
    spread = sqrt(((a["n"] - 1) * a["sd"] ** 2 + (b["n"] - 1) * b["sd"] ** 2) / shared)
    interval = {"difference": difference, "low": difference - margin, "high": difference + margin}
    effect = difference / spread * small_sample_factor(shared)
    return interval | {"t": float(t), "df": df, "p": float(p), "hedges_g": effect, "note": ""}


def _anova(groups: list[dict[Any, Any]]) -> dict[str, Any]:
    n, mean, sd = (np.array([group[name] for group in groups], dtype=float) for name in ("n", "mean", "sd"))
    between = float((n * (mean - np.average(mean, weights=n)) ** 2).sum())
    within = float(((n - 1) * sd**2).sum())
    df = len(groups) - 1, int(n.sum()) - len(groups)
    sizes = {"groups": len(groups), "n": int(n.sum())}
    if df[0] == 0 or within == 0:
        empty = dict.fromkeys(("f", "df_between", "df_within", "p", "eta_squared"), nan)
        return sizes | empty | {"note": "no test: one group" if df[0] == 0 else "no test: no spread within groups"}
    f = (between / df[0]) / (within / df[1])
    tested = {"f": f, "df_between": df[0], "df_within": df[1], "p": float(stats.f.sf(f, *df))}
    return sizes | tested | {"eta_squared": between / (between + within), "note": ""}
