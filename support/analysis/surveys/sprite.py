"""SPRITE: which samples of whole answers print as a given mean and standard deviation? (Heathers et al. 2018)

`enumerate_samples` finds all of them, by algebra: with the sum and the sum of squares fixed, all but three of the
counts are free. `sprite` is the published random search, for scales and sizes where all are too many.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from support.analysis.surveys.intervals import Convention, Divisor, Moments, factor, possible_moments, spread
from support.analysis.surveys.printed import Printed, cells, check_n, exact, half_unit, need_groups, need_means
from support.analysis.surveys.sources import HIGH, LOW, Reconstructed
from support.errors import InvalidInput

MANY = 20_000_000
"""Free counts that `enumerate_samples` is willing to go through."""
STEPS = 2_000
"""Steps of the random search before a start is given up."""
_EDGE = 1e-9


class Spread(NamedTuple):
    """A standard deviation, and how far from it the true one may lie."""

    sd: float
    tolerance: float
    divisor: Divisor = "n-1"


def printed_spread(sd: Printed, decimals: int = 2, divisor: Divisor = "n-1") -> Spread:
    """The standard deviation as a paper prints it."""
    return Spread(float(exact(sd, decimals, "sd")), float(half_unit(decimals)), divisor)


def interval_spread(
    half: Printed, n: int, df: float | None = None, level: float = 0.95, decimals: int = 2, divisor: Divisor = "n-1"
) -> Spread:
    """The standard deviation behind a printed half-width, with the tolerance that its rounding leaves.

    Examples
    --------
    >>> sd, tolerance, _ = interval_spread(0.59, 11, divisor="n")
    >>> round(sd, 3), round(tolerance, 4)
    (0.878, 0.0074)
    """
    scale = factor(n, n - 1 if df is None else df, level)
    return Spread(float(exact(half, decimals, "half")) / scale, float(half_unit(decimals)) / scale, divisor)


def fitting_moments(
    mean: Printed, target: Spread, n: int, decimals: int = 2, low: int = LOW, high: int = HIGH
) -> list[Moments]:
    """The sums and sums of squares of n whole answers that print as `mean` and fit the spread.

    Raises
    ------
    InvalidInput
        There are none; the message says whether the mean or the spread is impossible, and which ones come closest.
    """
    options = possible_moments(mean, check_n(n, least=2), decimals, low, high)
    if not options:
        raise InvalidInput(
            f"mean {mean} cannot come from {n} whole answers on {low}..{high} (GRIM): another n, or a slip."
        )
    sds = [spread(m, n, target.divisor) for m in options]
    found = [m for m, sd in zip(options, sds, strict=True) if abs(sd - target.sd) <= target.tolerance + _EDGE]
    if not found:
        near = sorted({round(sd, 4) for sd in sds}, key=lambda sd: abs(sd - target.sd))[:2]
        raise InvalidInput(
            f"mean {mean}, sd {target.sd:.4f} ± {target.tolerance:.4f} (divisor {target.divisor}) and n = {n} "
            f"cannot go together on {low}..{high}: the nearest possible sds are {', '.join(map(str, sorted(near)))}."
        )
    return found


def enumerate_samples(
    mean: Printed,
    target: Spread,
    n: int,
    decimals: int = 2,
    low: int = LOW,
    high: int = HIGH,
    label: str = "",
) -> Reconstructed:
    """All samples of n whole answers on low..high that print as `mean` and fit the spread, each once.

    Parameters
    ----------
    target : Spread
        From `printed_spread` or `interval_spread`.
    label : str
        Names the cell in every frame of the result.

    Raises
    ------
    InvalidInput
        No sample fits, or there are more than `MANY` free counts to go through (use `sprite`).
    """
    moments = fitting_moments(mean, target, n, decimals, low, high)
    _check_size(n, high - low + 1)
    free = _compositions(n, max(high - low - 2, 0))
    counts = np.concatenate([_solved(free, m, n, low, high) for m in moments])
    if not len(counts):
        raise InvalidInput(_no_sample(mean, target, n, low, high))
    return Reconstructed(counts[np.lexsort(counts.T[::-1])], low, label, complete=True)


def reconstruct(
    means: pd.DataFrame, convention: Convention, level: float = 0.95
) -> dict[tuple[str, str], Reconstructed]:
    """All samples behind every cell of a printed table, if its intervals were computed by `convention`.

    Parameters
    ----------
    means : DataFrame
        item, group, mean, half: see `printed_means`. Groups that the convention does not name are left out.

    Returns
    -------
    dict
        From (item, group) to `enumerate_samples` of the cell.

    Raises
    ------
    InvalidInput
        When a cell has no sample; `interval_check` shows which ones have.
    """
    need_means(means, "half")
    made = {}
    for cell in cells(means, need_groups(means, convention.n)):
        n = convention.n[cell.group]
        target = interval_spread(cell.half, n, convention.degrees(cell.group), level, divisor=convention.divisor)
        label = f"{cell.item}, group {cell.group}"
        made[cell.item, cell.group] = enumerate_samples(cell.mean, target, n, label=label)
    return made


def sprite(
    mean: Printed,
    target: Spread,
    n: int,
    rng: np.random.Generator,
    samples: int = 100,
    decimals: int = 2,
    low: int = LOW,
    high: int = HIGH,
    label: str = "",
) -> Reconstructed:
    """Distinct samples that print as `mean` and fit the spread, by random search.

    Each start is a random sample with a fitting sum. Two answers then move by one in opposite directions, which keeps
    the sum, towards the wanted sum of squares, until it is met (Heathers et al. 2018). `samples` is what is looked
    for; there may be fewer, and a search cannot tell that there are no more.

    Raises
    ------
    InvalidInput
        Mean, spread and n cannot go together; or nothing was found, which is no proof.
    """
    if samples < 1:
        raise InvalidInput(f"samples is {samples!r}; expected 1 or more.")
    moments = fitting_moments(mean, target, n, decimals, low, high)
    found: dict[tuple[int, ...], None] = {}
    for start in range(5 * samples + 50):
        counts = _search(moments[start % len(moments)], n, low, high, rng)
        if counts is not None:
            found[tuple(counts)] = None
        if len(found) == samples:
            break
    if not found:
        raise InvalidInput(
            f"{_no_sample(mean, target, n, low, high)} The search proves nothing: use enumerate_samples."
        )
    return Reconstructed(np.array(list(found)), low, label)


def _no_sample(mean: Printed, target: Spread, n: int, low: int, high: int) -> str:
    return f"no {n} whole answers on {low}..{high} with mean {mean} and sd {target.sd:.4f} ± {target.tolerance:.4f}."


def _check_size(n: int, width: int) -> None:
    free = comb(n + max(width - 3, 0), n)
    if free > MANY:
        raise InvalidInput(f"{n} answers on {width} values leave {free:.1e} free counts; expected {MANY}: use sprite.")


def _compositions(n: int, parts: int) -> np.ndarray:
    """All non-negative whole numbers of shape (…, parts) whose row sums are at most n."""
    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(parts):
        room = n - rows.sum(axis=1) + 1
        last = np.arange(room.sum()) - np.repeat(np.cumsum(room) - room, room)
        rows = np.column_stack([np.repeat(rows, room, axis=0), last])
    return rows


def _solved(free: np.ndarray, moments: Moments, n: int, low: int, high: int) -> np.ndarray:
    """Complete the free counts (of the lowest answers) by the three that follow, where whole numbers do.

    With the values shifted so that the third last is 0, the last three counts x, y, z solve
    x + y + z = N, y + 2z = S, y + 4z = Q.
    """
    width = max(high - low + 1, 3)  # a shorter scale is a longer one whose last answers nobody gives
    origin = low + width - 3
    values = np.arange(low, low + width - 3) - origin
    rest = n - free.sum(axis=1)
    total = moments.sum - origin * n - free @ values
    squares = moments.squares - 2 * origin * moments.sum + origin**2 * n - free @ values**2
    z = (squares - total) // 2  # without a rest: whole numbers and their squares are odd together
    y = total - 2 * z
    x = rest - y - z
    counts = np.column_stack([free, x, y, z])[(x >= 0) & (y >= 0) & (z >= 0)]
    inside = (counts[:, high - low + 1 :] == 0).all(axis=1)
    return counts[inside, : high - low + 1]


def _search(moments: Moments, n: int, low: int, high: int, rng: np.random.Generator) -> list[int] | None:
    """One start of the random search: counts with these moments, or None where the steps did not suffice."""
    answers = _start(moments.sum, n, low, high, rng)
    missing = moments.squares - int((answers**2).sum())
    for i, j in rng.integers(n, size=(STEPS, 2)):
        if missing == 0:
            break
        change = 2 * int(answers[i] - answers[j]) + 2  # of the squares, when i goes up and j goes down
        if i != j and answers[i] < high and answers[j] > low and _helps(change, missing, rng):
            answers[i] += 1
            answers[j] -= 1
            missing -= change
    return np.bincount(answers - low, minlength=high - low + 1).tolist() if missing == 0 else None


def _helps(change: int, missing: int, rng: np.random.Generator) -> bool:
    # A step that overshoots or leads away is taken now and then, or the search would stay in a dead end.
    return abs(missing - change) < abs(missing) or rng.random() < 0.1


def _start(total: int, n: int, low: int, high: int, rng: np.random.Generator) -> np.ndarray:
    """Random answers with the sum `total`: uniform ones, moved by one until the sum is right."""
    answers = rng.integers(low, high + 1, size=n)
    while (gap := total - int(answers.sum())) != 0:
        step = 1 if gap > 0 else -1
        room = np.flatnonzero(answers < high if gap > 0 else answers > low)
        answers[rng.choice(room, size=min(abs(gap), len(room)), replace=False)] += step
    return answers


def spread_of(counts: Iterable[int], low: int = LOW, divisor: Divisor = "n-1") -> float:
    """The standard deviation of answers given as counts; NaN for a single answer.

    Examples
    --------
    >>> round(spread_of([0, 1, 0, 1, 0]), 3)
    1.414
    """
    counts = np.asarray(list(counts), dtype=np.int64)
    values, n = np.arange(low, low + len(counts)), int(counts.sum())
    if n < 2:
        return nan
    return spread(Moments(int(counts @ values), int(counts @ values**2)), n, divisor)
