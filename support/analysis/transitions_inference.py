"""How sure a transition graph is: bootstrap over runs, and permutation tests between conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from support.analysis.frames import check_level, need_columns
from support.analysis.inference import Correction
from support.analysis.transitions import Transitions, ratio
from support.errors import InvalidInput


@dataclass(frozen=True)
class Bootstrap:
    """Transition probabilities of runs drawn anew.

    Attributes
    ----------
    labels : tuple of str
        Names of the last two axes of `draws`.
    draws : array, shape (draws, labels, labels)
        Equation (1) on each draw; NaN where the act does not occur in it.
    """

    labels: tuple[str, ...]
    draws: np.ndarray

    def bounds(self, level: float = 0.95) -> dict[str, np.ndarray]:
        """Percentile bounds "low" and "high", and `leads`, each of shape (labels, labels): for `most_probable`."""
        tail = (1 - check_level(level)) / 2
        bounds = np.full((2, *self.draws.shape[1:]), np.nan)
        seen = ~np.isnan(self.draws).all(axis=0)
        bounds[:, seen] = np.nanquantile(self.draws[:, seen], (tail, 1 - tail), axis=0)
        return {"low": bounds[0], "high": bounds[1], "leads": self.leads.to_numpy()}

    @property
    def leads(self) -> pd.DataFrame:
        """In which share of the draws an edge is its source's most probable one, self-loops left out."""
        share = np.mean(self._leading(), axis=0)
        return pd.DataFrame(share, index=list(self.labels), columns=list(self.labels))

    @property
    def centres(self) -> pd.Series[float]:
        """In which share of the draws more acts lead to this one than to any other (Start and End lead nowhere)."""
        arrows = self._leading()[:, 1:-1].sum(axis=1)
        best = arrows == arrows.max(axis=1, keepdims=True)
        alone = best & (best.sum(axis=1, keepdims=True) == 1)
        return pd.Series(alone.mean(axis=0), index=list(self.labels))

    def _leading(self) -> np.ndarray:
        """Which edge leads in each draw, shape (draws, labels, labels); none where nothing follows."""
        p = np.nan_to_num(self.draws, nan=0.0)
        p[:, np.arange(len(self.labels)), np.arange(len(self.labels))] = 0.0
        first = np.arange(len(self.labels)) == p.argmax(axis=2)[..., None]
        return first & (p > 0)


def bootstrap(
    t: Transitions, rng: np.random.Generator, draws: int = 2000, cluster: str | Sequence[str] = ()
) -> Bootstrap:
    """Draw runs with replacement and compute the probabilities anew (Efron 1979), all draws at once.

    Parameters
    ----------
    cluster : column or columns of `t.runs`, optional
        What is drawn in the place of a run: where the same group talks under six rules its six runs are no six
        independent ones, and `cluster="repetition"` draws groups.

    Raises
    ------
    InvalidInput
        With fewer than two runs or clusters, or no draws.
    """
    numerator, denominator = _clustered(t, [cluster] if isinstance(cluster, str) else list(cluster))
    count, size = len(denominator), len(t.labels)
    if count < 2 or draws < 1:
        raise InvalidInput(f"{count} runs and {draws} draws given; intervals need at least 2 runs and 1 draw")
    weights = rng.multinomial(count, np.full(count, 1 / count), size=draws).astype(float)
    drawn = (weights @ numerator.reshape(count, -1)).reshape(draws, size, size)
    return Bootstrap(t.labels, ratio(drawn, weights @ denominator))


def _clustered(t: Transitions, keys: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Numerators and denominators summed within clusters, in the order in which these first occur."""
    if not keys:
        return t.numerator, t.denominator
    need_columns(t.runs, keys, "runs")
    place = t.runs.groupby(keys, sort=False).ngroup().to_numpy()
    member = (np.arange(place.max() + 1)[:, None] == place).astype(np.int64)
    return np.tensordot(member, t.numerator, 1), member @ t.denominator


@dataclass(frozen=True)
class Difference:
    """A permutation test between two conditions.

    Attributes
    ----------
    statistic : float
        Sum of squared differences of the probabilities, each act weighted by its share of all acts of both.
    p : float
        Share of permutations, the observed one among them, in which the statistic is at least as large.
    edges : DataFrame
        source, target, probability_a, probability_b, difference (a - b), p, p_adjusted: the transitions that occur in
        either condition, the largest differences first.
    runs : tuple of int
        Runs of a and of b that were used.
    """

    statistic: float
    p: float
    edges: pd.DataFrame
    runs: tuple[int, int]


def permutation_test(
    a: Transitions,
    b: Transitions,
    rng: np.random.Generator,
    draws: int = 10_000,
    paired_by: str | None = None,
    correction: Correction = "holm",
) -> Difference:
    """Whether two conditions have the same transition probabilities: runs change places (Fisher 1935).

    Without pairs the labels of all runs are shuffled. With `paired_by`, a column that names a run's partner in the
    other condition (the same group under another rule), the two runs of a pair change places or not, and runs without
    a partner are left out. An act that does not occur on one side has no difference there: it counts as 0.

    p is (1 + as large) / (1 + draws), so that it is never 0 (Phipson and Smyth 2010). The p of the edges are two-sided,
    adjusted for the number of edges.

    Raises
    ------
    InvalidInput
        On other labels or another count in a than in b, a pair that occurs twice, fewer than two runs on a side, or
        no draws.
    """
    if (a.labels, a.count) != (b.labels, b.count) or draws < 1:
        raise InvalidInput(f"a and b: labels, count ({a.count}, {b.count}) have to agree; draws {draws} at least 1")
    if paired_by is not None:
        a, b = _partners(a, b, paired_by)
    if min(len(a.runs), len(b.runs)) < 2:
        raise InvalidInput(f"{len(a.runs)} and {len(b.runs)} runs given; a test needs at least 2 of each")
    moved = _swapped(a, b, rng, draws) if paired_by is not None else _shuffled(a, b, rng, draws)
    size, cells_a = len(a.labels), _cells(a).sum(axis=0)
    total = cells_a + _cells(b).sum(axis=0)
    differences = _differences(np.vstack([cells_a, moved]), total, size)  # what was observed is the first row
    statistics = (differences**2).sum(axis=2) @ (total[-size:] / total[-size:].sum())
    p = float((statistics >= statistics[0] - 1e-12).mean())
    by_edge = (np.abs(differences) >= np.abs(differences[0]) - 1e-12).mean(axis=0)
    return Difference(float(statistics[0]), p, _edge_frame(a, b, by_edge, correction), (len(a.runs), len(b.runs)))


def _partners(a: Transitions, b: Transitions, key: str) -> tuple[Transitions, Transitions]:
    """The runs of a and b that have a partner, in the same order."""
    keys = []
    for side in (a, b):
        need_columns(side.runs, [key], "runs")
        if side.runs[key].duplicated().any():
            twice = side.runs.loc[side.runs[key].duplicated(), key].iloc[0]
            raise InvalidInput(f"paired_by {key!r}: {twice!r} occurs twice in one condition; choose one run for each")
        keys.append(side.runs[key])
    both = sorted(set(keys[0]) & set(keys[1]))
    return _rows(a, both, key), _rows(b, both, key)


def _rows(t: Transitions, values: list, key: str) -> Transitions:
    order = t.runs.reset_index().set_index(key)["index"].loc[values].to_numpy(dtype=int)
    return Transitions(t.labels, t.numerator[order], t.denominator[order], t.runs.iloc[order], t.count)


def _cells(t: Transitions) -> np.ndarray:
    """Numerators and denominators of each run side by side, shape (runs, labels * labels + labels)."""
    return np.hstack([t.numerator.reshape(len(t.runs), -1), t.denominator]).astype(float)


def _shuffled(a: Transitions, b: Transitions, rng: np.random.Generator, draws: int) -> np.ndarray:
    """Counts of condition a when the labels of all runs are shuffled, shape (draws, cells)."""
    is_a = np.repeat([1.0, 0.0], [len(a.runs), len(b.runs)])
    return rng.permuted(np.tile(is_a, (draws, 1)), axis=1) @ np.vstack([_cells(a), _cells(b)])


def _swapped(a: Transitions, b: Transitions, rng: np.random.Generator, draws: int) -> np.ndarray:
    """Counts of condition a when pairs change places by the toss of a coin, shape (draws, cells)."""
    coins = rng.integers(2, size=(draws, len(a.runs))).astype(float)
    return _cells(a).sum(axis=0) + coins @ (_cells(b) - _cells(a))


def _differences(cells_a: np.ndarray, total: np.ndarray, size: int) -> np.ndarray:
    """Probabilities of a minus those of the rest, shape (draws, size, size); 0 where an act is on one side only."""
    sides = [
        ratio(side[:, : size * size].reshape(-1, size, size), side[:, size * size :])
        for side in (cells_a, total - cells_a)
    ]
    return np.nan_to_num(sides[0] - sides[1], nan=0.0)


def _edge_frame(a: Transitions, b: Transitions, p: np.ndarray, correction: Correction) -> pd.DataFrame:
    """The edges that occur in either condition with their tests, the largest differences first."""
    from statsmodels.stats.multitest import multipletests

    occurs = np.argwhere(a.numerator.sum(axis=0) + b.numerator.sum(axis=0) > 0)
    rows, columns = occurs.T
    names = np.array(a.labels)
    p_a, p_b = (side.probability.to_numpy()[rows, columns] for side in (a, b))
    frame = pd.DataFrame(
        {
            "source": names[rows],
            "target": names[columns],
            "probability_a": p_a,
            "probability_b": p_b,
            "difference": p_a - p_b,
            "p": p[rows, columns],
            "p_adjusted": multipletests(p[rows, columns], method=correction)[1],
        }
    )
    return frame.sort_values("difference", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def compare_levels(
    t: Transitions,
    by: str,
    rng: np.random.Generator,
    draws: int = 10_000,
    paired_by: str | None = None,
    correction: Correction = "holm",
) -> pd.DataFrame:
    """`permutation_test` between all pairs of levels of a column of the runs, p adjusted for the number of pairs.

    Returns
    -------
    DataFrame
        a, b, runs_a, runs_b, statistic, p, p_adjusted, edge (the one with the largest difference) and difference.
    """
    from statsmodels.stats.multitest import multipletests

    need_columns(t.runs, [by], "runs")
    levels = list(dict.fromkeys(t.runs[by]))
    if len(levels) < 2:
        raise InvalidInput(f"by {by!r}: one level, {levels[0]!r}; a comparison needs two or more")
    rows = []
    for a, b in combinations(levels, 2):
        test = permutation_test(t.where(**{by: a}), t.where(**{by: b}), rng, draws, paired_by, correction)
        edge = test.edges.iloc[0]
        rows.append(
            {"a": a, "b": b, "runs_a": test.runs[0], "runs_b": test.runs[1], "statistic": test.statistic, "p": test.p,
             "edge": f"{edge['source']} → {edge['target']}", "difference": edge["difference"]}
        )  # fmt: skip
    frame = pd.DataFrame(rows)
    frame.insert(6, "p_adjusted", multipletests(frame["p"], method=correction)[1])
    return frame
