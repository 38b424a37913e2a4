"""Stopping on pairs of dialogue acts that go with a good performance (section 4.5 and appendix C.7).

1. Every round of every training discussion is a row: which pairs of acts occur in it (`pairs`), a constant, and the
   group's performance after it, its sign turned when it is an error, and centred: the solution of smallest norm
   would else spread the level of the performance over pairs that always occur.
2. Least squares (`least_squares`) gives each pair a coefficient and a p-value.
3. Of the pairs with a positive coefficient whose p-value is at most `p_value`, the `top_da` largest are candidates.
4. A candidate scores one point in a round in which it occurs at least `count_per_round` times; the discussion
   stops after the first round with `score` points or more.
5. Of all 180 settings, the one with the best mean training performance is kept; the first among equals.

What the paper leaves open: columns that always occur together share their coefficient evenly (the solution of
smallest norm); a pair that never occurs in training has no column, a coefficient of NaN, and is no candidate; a
coefficient at or below zero is no signal to stop, however few candidates are left; where the performance does not
vary, as when no discussion ever decides, there is nothing to learn, and the rule never stops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from support.analysis.stopping.least_squares import Fit, fast_ols, ols_from_sums
from support.analysis.stopping.pairs import pair_names
from support.analysis.stopping.study import Study, check_known

P_VALUES = (0.05, 0.1, 0.2, None)
COUNTS = (1, 2, 3)
TOPS = (1, 2, 3, 4, 5)
NEGLIGIBLE = 1e-9
"""A smaller difference in performance, and a coefficient below it, is taken for none."""


@dataclass(frozen=True)
class Setting:
    """One point of the grid; `p_value` None puts no bound on the p-value."""

    top_da: int
    p_value: float | None
    count_per_round: int
    score: int


def grid() -> Iterator[Setting]:
    """The 180 settings, in the order in which equals are preferred.

    >>> len(list(grid()))
    180
    """
    for p_value in P_VALUES:
        for count in COUNTS:
            for top in TOPS:
                yield from (Setting(top, p_value, count, score) for score in range(1, top + 1))


@dataclass(frozen=True, eq=False)
class PairEffects:
    """How each pair goes with the performance: float arrays of shape (pairs,), NaN for pairs without a column."""

    coefficients: np.ndarray
    pvalues: np.ndarray

    def candidates(self, p_value: float | None, most: int = TOPS[-1]) -> np.ndarray:
        """Indices of the pairs with the largest positive coefficients, the largest first; ties in the order of pairs.

        Coefficients are compared to nine decimals: collinear pairs share theirs, and rounding must not order them.
        """
        with np.errstate(invalid="ignore"):
            enough = (self.coefficients > NEGLIGIBLE) & ((self.pvalues <= p_value) if p_value is not None else True)
        there = np.flatnonzero(enough)
        return there[np.argsort(-np.round(self.coefficients[there], 9), kind="stable")][:most]


def effects(study: Study) -> PairEffects:
    """Least squares of performance on the pairs present, a constant included.

    Raises
    ------
    InvalidInput
        Without acts, or when no performance is known.
    """
    check_known(study)
    sums = study.sums
    occurs = sums.square[0] > 0
    coefficients, pvalues = np.full((2, len(occurs)), np.nan)
    if _varies(study) and occurs[1:].any():
        fit = _regression(study, occurs)
        coefficients[occurs], pvalues[occurs] = fit.params, fit.pvalues
    return PairEffects(coefficients[1:], pvalues[1:])


def _varies(study: Study) -> bool:
    known = study.gain[np.isfinite(study.gain)]
    return bool(np.ptp(known) > NEGLIGIBLE)


def _regression(study: Study, occurs: np.ndarray) -> Fit:
    """Least squares on the columns that occur, the constant first; from the sums, or from the rows if need be."""
    sums = study.sums
    square, mean = sums.square[np.ix_(occurs, occurs)], sums.total / sums.rows
    moment, squares = sums.moment[occurs] - mean * square[0], sums.squares - mean * sums.total
    return ols_from_sums(square, moment, squares, sums.rows) or fast_ols(*design(study))


def design(study: Study) -> tuple[np.ndarray, np.ndarray]:
    """The regression as a table: a constant and the pairs that occur, a row for each known round; centred gain."""
    known = np.isfinite(study.gain)
    present = study.pairs[known] > 0
    present = present[:, present.any(axis=0)]
    X = np.ones((len(present), 1 + present.shape[1]))
    X[:, 1:] = present
    return X, study.gain[known] - study.gain[known].mean()


@dataclass(frozen=True)
class DialogueAct:
    """Stops on learnt pairs of dialogue acts."""

    name: str = "Dialogue Act"

    def fit(self, train: Study) -> ActPairs:
        """Regress, and search the grid."""
        found = effects(train)
        return ActPairs(*search(found, train), effects=found, name=self.name)


@dataclass(frozen=True, eq=False)
class ActPairs:
    """The chosen setting, its candidate pairs (indices into `pair_names`), and the regression that they come from."""

    setting: Setting
    candidates: np.ndarray
    effects: PairEffects
    name: str = "Dialogue Act"

    @property
    def threshold(self) -> float:
        """The score at which it stops."""
        return float(self.setting.score)

    @property
    def pairs(self) -> tuple[str, ...]:
        """The candidates in words, the largest coefficient first."""
        names = pair_names()
        return tuple(" → ".join(names[i]) for i in self.candidates)

    def fires(self, study: Study) -> np.ndarray:
        """In each round with enough points."""
        points = study.pairs[..., self.candidates] >= self.setting.count_per_round
        return points.sum(axis=-1) >= self.setting.score


def search(found: PairEffects, train: Study) -> tuple[Setting, np.ndarray]:
    """The best setting of the grid on the training discussions and its candidates, all settings at once.

    p-values that let the same candidates pass are one case. Points are arranged as (rounds, cases, counts, top_da,
    runs); summed over candidates they are the points of every `top_da`, and their running maximum over rounds is
    below a score exactly in the rounds before the stop, so that counting those finds it.
    """
    lists = [tuple(found.candidates(p).tolist()) for p in P_VALUES]
    cases = list(dict.fromkeys(lists))
    means = _means(_points(cases, train), train)
    by_p = means[[cases.index(one) for one in lists]]  # p-value, count, top_da, score: the order of the grid
    p, count, top, score = map(int, np.unravel_index(by_p.argmax(), by_p.shape))
    setting = Setting(TOPS[top], P_VALUES[p], COUNTS[count], score + 1)
    return setting, np.array(lists[p][: setting.top_da], dtype=int)


def _points(cases: Sequence[tuple[int, ...]], train: Study) -> np.ndarray:
    """The most points of any round so far, int8 of shape (rounds, cases, counts, top_da, runs)."""
    runs, rounds = train.performance.shape
    chosen = sorted({pair for case in cases for pair in case})
    often = train.pairs[:, :, chosen].transpose(2, 1, 0)
    passes = often[:, :, None] >= np.array(COUNTS, dtype=np.uint8)[:, None]
    points = np.zeros((rounds, len(cases), len(COUNTS), len(TOPS), runs), dtype=np.int8)
    for i, case in enumerate(cases):
        for place, pair in enumerate(case):
            points[:, i, :, place] = passes[chosen.index(pair)]
    for top in range(1, len(TOPS)):
        points[:, :, :, top] += points[:, :, :, top - 1]
    for number in range(1, rounds):
        np.maximum(points[number], points[number - 1], out=points[number])
    return points


def _means(best: np.ndarray, train: Study) -> np.ndarray:
    """Mean performance of every setting, shape (cases, counts, top_da, scores); -inf where top_da < score."""
    tops, scores = np.nonzero(np.tril(np.ones((len(TOPS), len(TOPS)), dtype=bool)))
    below = best[:, :, :, tops] < (scores[:, None] + 1)
    last = np.minimum(below.sum(axis=0, dtype=np.int32), train.played - 1)  # after its end all is below
    reached = train.gain.ravel()[last + np.arange(len(train.gain)) * train.rounds]
    means = np.full((*reached.shape[:2], len(TOPS), len(TOPS)), -np.inf)
    means[:, :, tops, scores] = mean_known(reached)
    return means


def mean_known(reached: np.ndarray) -> np.ndarray:
    """The mean along the last axis over what is known, to twelve decimals, so that equals compare as equals."""
    known = np.isfinite(reached)
    if known.all():
        return np.round(reached.mean(axis=-1), 12)
    total = np.where(known, reached, 0.0).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        mean = np.round(total / known.sum(axis=-1), 12)
    return np.where(known.any(axis=-1), mean, -np.inf)
