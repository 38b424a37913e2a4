"""What a printed table can mean: GRIM for means and for intervals, every sample behind a cell, tests of summaries.

Published means, reconstructed samples (nobody gave them) and answers stay apart; `source` says which a table holds.
A printed number is taken as rounded to the nearest, an exact half either way; one that was cut off may fail here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import combinations, product
from math import ceil, floor, nan, prod, sqrt
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import need_columns, need_keys, numbers
from support.analysis.stats import small_sample_factor, with_holm
from support.errors import InvalidInput

PUBLISHED, RECONSTRUCTED, OPEN = "published", "reconstructed", "open"
TOTAL = "all"  # the group of everybody, as Table 3 names it
MANY = 5_000_000  # combinations, of sizes, of counts or of reconstructions, that are tried
EDGE = 1e-9  # for binary fractions: a number exactly between two printed ones may be printed as either

Printed = float | str | Decimal
Divisor = Literal["n-1", "n"]
Verdict = bool | int | str


@dataclass(frozen=True)
class Scale:
    """Whole answers from `low` to `high`, whose means are printed with `decimals`."""

    low: int = 1
    high: int = 5
    decimals: int = 2

    @property
    def half(self) -> Fraction:
        """Half of the last printed digit: how far a printed number can lie from the one that was rounded."""
        return Fraction(1, 2 * 10**self.decimals)

    def exact(self, value: Printed, what: str = "mean") -> Fraction:
        """A printed number without binary rounding; InvalidInput where it is none, or has more decimals."""
        try:
            # The shortest text that reads back as this float is what was printed.
            number = Fraction(Decimal(value if isinstance(value, str | Decimal) else str(float(value))))
        except (InvalidOperation, TypeError, ValueError, OverflowError) as error:
            raise InvalidInput(f"{what} is {value!r}; expected a number as printed, such as 3.51 or '3.51'.") from error
        if (number * 10**self.decimals).denominator != 1:
            raise InvalidInput(f"{what} is {value!r}; expected at most {self.decimals} decimals: round it, or say so.")
        return number


FIVE = Scale()


@dataclass(frozen=True)
class Convention:
    """How a 95 % interval may have been computed: mean ± t(df) * sd / sqrt(n).

    `n` and `df` by group; df is infinity for the normal distribution, n - 1 unless given; `divisor` is that of the sd.
    """

    name: str
    n: Mapping[str, int]
    df: Mapping[str, float] | None = None
    divisor: Divisor = "n-1"

    def factor(self, group: str) -> float:
        """Half-width over standard deviation, t(df) / sqrt(n)."""
        n = check_n(self.n[group], least=2)
        return float(stats.t.ppf(0.975, n - 1 if self.df is None else self.df[group])) / sqrt(n)


class Moments(NamedTuple):
    """What fixes the mean and the standard deviation of n whole answers: their sum and the sum of their squares."""

    sum: int
    squares: int

    def sd(self, n: int, divisor: Divisor) -> float:
        """The standard deviation of n >= 2 answers with these moments."""
        return sqrt((n * self.squares - self.sum**2) / n / {"n-1": n - 1, "n": n}[divisor])


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


def cells(means: pd.DataFrame, groups: Iterable[str]) -> list[Any]:
    """The rows of printed means (item, group, mean, and half where it is printed) of some groups, checked."""
    need_columns(means, ["item", "group", "mean"], "means")
    if unknown := sorted(set(groups) - set(means["group"])):
        there = ", ".join(map(str, means["group"].unique()))
        raise InvalidInput(f"ns names {unknown}; the groups of means are: {there}.")
    if means.duplicated(["item", "group"]).any():
        raise InvalidInput("means has an item and group twice; pass one table at a time.")
    return list(means[means["group"].isin(list(groups))].itertuples())


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
        for cell, n in product(cells(means, [group]), list(tried) if isinstance(tried, Iterable) else [tried]):
            fits = grim(cell.mean, n, scale)
            nearest = min(max(round(scale.exact(cell.mean) * n), scale.low * n), scale.high * n) / n
            rows.append((cell.item, group, cell.mean, n, fits, nearest))
    return pd.DataFrame(rows, columns=["item", "group", "mean", "n", "fits", "nearest"]).assign(source=PUBLISHED)


def pooled(means: pd.DataFrame, ns: Mapping[str, Iterable[int]], scale: Scale = FIVE) -> pd.DataFrame:
    """Which sizes of the groups explain all means of the groups, and how many of the pooled means of "all", too?

    A pooled mean fits where some choice of the groups' whole sums, added up, prints as it does. Returns a column for
    each group with its n; then n (their sum), means, fit, all_fit, source; the best first; empty where there is none.
    """
    wide = pd.DataFrame(cells(means, [*ns, TOTAL])).pivot(index="item", columns="group", values="mean")
    if wide.isna().any(axis=None):
        lacking = wide.index[wide.isna().any(axis=1)][0]
        raise InvalidInput(f"item {lacking!r} has no mean in every one of {', '.join(map(str, wide))}; leave it out.")
    kept = {g: [n for n in tried if all(grim(m, n, scale) for m in wide[g])] for g, tried in ns.items()}
    if prod(map(len, kept.values())) > MANY:
        raise InvalidInput(f"ns leaves {prod(map(len, kept.values()))} combinations; narrow the candidates.")
    rows = []
    for sizes in product(*kept.values()):
        fit = 0
        for row in wide.to_dict(
            "records"
        ):  # the groups' possible sums, without gaps each, reach one of the pooled mean
            sums = [possible_sums(row[group], n, scale) for group, n in zip(kept, sizes, strict=True)]
            wanted = possible_sums(row[TOTAL], sum(sizes), scale)
            fit += bool(wanted) and sum(s[0] for s in sums) <= wanted[-1] and sum(s[-1] for s in sums) >= wanted[0]
        rows.append((*sizes, sum(sizes), len(wide), fit, fit == len(wide)))
    table = pd.DataFrame(rows, columns=[*kept, "n", "means", "fit", "all_fit"]).assign(source=PUBLISHED)
    return table.sort_values(["fit", "n"], ascending=False, kind="stable", ignore_index=True)


# ---- Intervals: the idea of GRIMMER (Anaya 2016). Few sums of squares go with n whole answers and a printed mean.


def possible_moments(mean: Printed, n: int, scale: Scale = FIVE) -> list[Moments]:
    """All sums and sums of squares that n whole answers with this printed mean can have, and a few that they cannot.

    The squares run in steps of 2 (a number and its square are both even or both odd) between the least, all answers
    beside the mean, and the most, all answers at the ends; `enumerate_samples` settles which occur.
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

    Returns convention, item, group, n, mean, half, sd (implied by the interval), moments (that fit), fits, source.
    """
    rows = []
    for cell in cells(means, convention.n):
        n, factor = convention.n[cell.group], convention.factor(cell.group)
        half, reach = float(scale.exact(cell.half, "half")), float(scale.half) + EDGE
        options = possible_moments(cell.mean, n, scale)
        fitting = tuple(m for m in options if abs(m.sd(n, convention.divisor) * factor - half) <= reach)
        rows.append((convention.name, cell.item, cell.group, n, cell.mean, cell.half, half / factor, fitting))
    columns = ["convention", "item", "group", "n", "mean", "half", "sd", "moments"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(fits=table["moments"].map(len) > 0, source=PUBLISHED)


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
        """Tidy: sample, answer, count, label, source."""
        scale = range(self.low, self.low + self.counts.shape[1])
        wide = pd.DataFrame(self.counts, columns=list(scale)).rename_axis("sample").reset_index()
        long = wide.melt("sample", var_name="answer", value_name="count")
        return long.assign(label=self.label, source=RECONSTRUCTED)


def enumerate_samples(
    mean: Printed, sd: Printed, n: int, scale: Scale = FIVE, divisor: Divisor = "n-1"
) -> Reconstructed:
    """All samples of n whole answers that print as this mean and standard deviation, each once.

    >>> enumerate_samples("4.09", "0.79", 11, divisor="n").counts.tolist()
    [[0, 0, 3, 4, 4], [0, 1, 0, 7, 3]]
    """
    if not (options := possible_moments(mean, check_n(n, least=2), scale)):
        raise InvalidInput(f"mean {mean} cannot come from {n} whole answers on {scale.low}..{scale.high} (GRIM).")
    off = {m: abs(m.sd(n, divisor) - float(scale.exact(sd, "sd"))) for m in options}
    fitting = [m for m in options if off[m] <= float(scale.half) + EDGE]
    if not fitting:
        near = sorted({round(m.sd(n, divisor), 4) for m in sorted(options, key=off.__getitem__)[:2]})
        raise InvalidInput(f"mean {mean}, sd {sd} and n {n} cannot go together on {scale.low}..{scale.high}: "
                           f"the nearest possible sds are {', '.join(map(str, near))}.")  # fmt: skip
    return _every(fitting, n, scale, f"mean {mean}, sd {sd}")


def reconstruct(
    means: pd.DataFrame, convention: Convention, scale: Scale = FIVE
) -> dict[tuple[str, str], Reconstructed]:
    """All samples behind every cell of a printed table, by (item, group), if its intervals came by `convention`."""
    made = {}
    checked: Any = interval_check(means, convention, scale)
    for cell in checked.itertuples():
        label = f"{cell.item}, group {cell.group}"
        if not cell.moments:
            raise InvalidInput(
                f"{label}: {cell.mean} ± {cell.half} is none of {cell.n} answers by {cell.convention!r}."
            )
        made[cell.item, cell.group] = _every(cell.moments, cell.n, scale, label)
    return made


def _every(moments: Sequence[Moments], n: int, scale: Scale, label: str) -> Reconstructed:
    """The samples with these moments: the counts of the three highest answers follow from those of the others.

    With the values shifted so that the third highest is 0, the last three counts x, y, z solve
    x + y + z = N, y + 2z = S, y + 4z = Q. A shorter scale is a longer one whose last answers nobody gives.
    """
    answers = scale.high - scale.low + 1
    free = max(answers, 3) - 3
    if (n + 1) ** free > MANY:
        raise InvalidInput(f"{label}: {n} answers on {answers} values leave {(n + 1) ** free:.1e} counts to try.")
    others = np.array(list(product(range(n + 1), repeat=free)), dtype=np.int64).reshape(-1 if free else 1, free)
    values = np.arange(-free, 0)
    found = []
    for total, squares in moments:
        origin = scale.low + free
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


class Conclusion(NamedTuple):
    """What all combinations of reconstructions say: the share of each verdict (no probability), how many, in words."""

    verdicts: dict[Verdict, float]
    asked: int
    sentence: str


def conclusions(several: Sequence[Reconstructed], question: Callable[..., Verdict]) -> Conclusion:
    """Ask every combination of the reconstructions of independent cells: one verdict of all of them is proven.

    `question` takes an int array of answers for each cell, and returns a bool, a whole number or a text.

    >>> cell = enumerate_samples("4.09", "0.79", 11, divisor="n")
    >>> conclusions([cell], lambda answers: bool(answers.min() > 1)).sentence
    'all 2 reconstructions agree: True'
    """
    if not several or not all(isinstance(cell, Reconstructed) for cell in several):
        raise InvalidInput("expected reconstructions, as reconstruct makes them; for answers see analysis.answers.")
    if (asked := prod(map(len, several))) > MANY:
        raise InvalidInput(f"there are {asked} combinations; expected at most {MANY}: ask fewer cells together.")
    counted: Counter[Verdict] = Counter(question(*samples) for samples in product(*several))
    verdicts = {verdict: count / asked for verdict, count in counted.most_common()}
    if len(verdicts) == 1:
        return Conclusion(verdicts, asked, f"all {asked} reconstructions agree: {next(iter(verdicts))}")
    shares = ", ".join(f"{verdict} in {share:.1%}" for verdict, share in verdicts.items())
    told = f"all {asked} reconstructions disagree ({shares}): the printed numbers leave it open"
    return Conclusion(verdicts, asked, told)


def between_groups(made: Mapping[tuple[str, str], Reconstructed], question: Callable[..., Verdict]) -> pd.DataFrame:
    """The conclusions for each item and pair of its groups, of what `reconstruct` made.

    Returns item, a, b, verdict (of all reconstructions; "open" where they disagree), asked, source.
    """
    rows = []
    for (item, a), (other, b) in combinations(made, 2):
        if item == other:
            found = conclusions([made[item, a], made[item, b]], question)
            verdict = str(next(iter(found.verdicts))) if len(found.verdicts) == 1 else OPEN
            rows.append((item, a, b, verdict, found.asked))
    return pd.DataFrame(rows, columns=["item", "a", "b", "verdict", "asked"]).assign(source=RECONSTRUCTED)


# ---- Tests of which only mean, spread and n are printed


def summaries(means: pd.DataFrame, conventions: Mapping[str, Convention]) -> pd.DataFrame:
    """Mean, standard deviation and n of each printed cell under each convention: what `welch` and `anova` take.

    Returns assumed (the name of the convention), item, group, n, mean, sd (divisor n - 1 always), source.
    """
    rows = []
    for assumed, by in conventions.items():
        for cell in cells(means, by.n):
            n, sd = by.n[cell.group], float(cell.half) / by.factor(cell.group)
            unbiased = sd * sqrt(n / (n - 1)) if by.divisor == "n" else sd
            rows.append((assumed, cell.item, cell.group, n, float(cell.mean), unbiased))
    return pd.DataFrame(rows, columns=["assumed", "item", "group", "n", "mean", "sd"]).assign(source=PUBLISHED)


def welch(table: pd.DataFrame) -> pd.DataFrame:
    """Welch's t between all pairs of groups of each item, from summaries; Holm over all tests under one assumption.

    Returns source, assumed, item, a, b, difference (a - b), se, its 95 % interval low, high, t, df, p, p_holm,
    correction, hedges_g; NaN where neither side has a spread.
    """
    rows = []
    for names, groups in _families(table):
        for a, b in combinations(groups, 2):
            u, v = (x["sd"] ** 2 / x["n"] for x in (a, b))
            gap, se, shared = a["mean"] - b["mean"], sqrt(u + v), a["n"] + b["n"] - 2
            tested = [nan] * 6
            if se:
                sides = (a["mean"], a["sd"], a["n"], b["mean"], b["sd"], b["n"])
                t, p = stats.ttest_ind_from_stats(*sides, equal_var=False)
                df = se**4 / (u**2 / (a["n"] - 1) + v**2 / (b["n"] - 1))
                margin = float(stats.t.ppf(0.975, df)) * se
                spread = sqrt(((a["n"] - 1) * a["sd"] ** 2 + (b["n"] - 1) * b["sd"] ** 2) / shared)
                tested = [
                    gap - margin,
                    gap + margin,
                    float(t),
                    df,
                    float(p),
                    gap / spread * small_sample_factor(shared),
                ]
            rows.append([*names, a["group"], b["group"], gap, se, *tested])
    columns = ["source", "assumed", "item", "a", "b", "difference", "se", "low", "high", "t", "df", "p", "hedges_g"]
    return with_holm(pd.DataFrame(rows, columns=columns), ["source", "assumed"])


def anova(table: pd.DataFrame) -> pd.DataFrame:
    """One-way analysis of variance of each item, from summaries, with equal variances; Holm under one assumption.

    Returns source, assumed, item, n, f, df_between, df_within, p, p_holm, correction, eta_squared; NaN without spread.
    """
    rows = []
    for names, groups in _families(table):
        n, mean, sd = (np.array([group[name] for group in groups], dtype=float) for name in ("n", "mean", "sd"))
        between = float((n * (mean - np.average(mean, weights=n)) ** 2).sum())
        within, df = float(((n - 1) * sd**2).sum()), (len(groups) - 1, int(n.sum()) - len(groups))
        f = (between / df[0]) / (within / df[1]) if within else nan
        tested = [f, *df, float(stats.f.sf(f, *df)), between / (between + within) if within else nan]
        rows.append([*names, int(n.sum()), *tested])
    columns = ["source", "assumed", "item", "n", "f", "df_between", "df_within", "p", "eta_squared"]
    return with_holm(pd.DataFrame(rows, columns=columns), ["source", "assumed"])


def _families(table: pd.DataFrame) -> list[tuple[Any, list[dict[Any, Any]]]]:
    keys = ["source", "assumed", "item"]
    need_columns(table, [*keys, "group", "n", "mean", "sd"], "the summaries")
    need_keys(table, [*keys, "group"], "the summaries")
    if numbers(table, "mean").isna().any() or not (numbers(table, "sd") >= 0).all() or not (table["n"] >= 2).all():
        raise InvalidInput("the summaries hold a mean or sd that is empty or negative, or an n below 2; leave it out.")
    parts = table.groupby(keys, sort=False, observed=True)
    if (parts.size() < 2).any():
        raise InvalidInput("the summaries have one group for an item; a comparison needs two or more.")
    return [(names, part.to_dict("records")) for names, part in parts]
