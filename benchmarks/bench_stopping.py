"""How fast learned stopping is beside statsmodels and beside a loop over the grid, in one run, on the same discussions.

    python benchmarks/bench_stopping.py

100 discussions of rule-based agents in the exchange economy under plurality, 10 rounds each, 5 folds. Two ratios,
each of the best of several runs:

- the regression of one training set: `fast_ols` against statsmodels' `OLS(y, X).fit(method="pinv")` with its
  p-values; fitted values have to agree within 1e-8, for the design has fewer independent columns than columns.
- the whole search of appendix C.7, five fits included: 180 settings against a plain loop over the same settings,
  discussions and rounds, which fits each fold once (with statsmodels) and looks no further than the stop. Two
  better loops are beside it: one on lists, one over settings alone that leaves discussions and rounds to numpy.
  All have to choose the same settings.

The exit status is 1 when a result differs, the ratio of the regression with every pair as a column (as one-hot
encoding gives it) is below 10, or that of the search to the plain loop is below 40.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # both sides: threads cost more than they give on matrices of this size
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from threadpoolctl import threadpool_limits

from support.analysis.stopping.building import studies_of
from support.analysis.stopping.dialogue_act import PairEffects, Setting, design, effects, grid, search
from support.analysis.stopping.least_squares import fast_ols
from support.analysis.stopping.study import Study
from support.simulations import simulations

RULE, RUNS, FOLDS, SEED = "plurality", 100, 5, 20_240_501


def main() -> int:
    """Print both ratios; 0 when they are reached with the same results."""
    study = simulated()
    with threadpool_limits(1):
        return 0 if regression(study) & whole_search(study) else 1


def simulated() -> Study:
    """Rule-based discussions, played here."""
    sweep = simulations("exchange_economy", RUNS, SEED)
    units = [unit for unit in sweep.units() if unit.settings["rule"] == RULE]
    records = [(unit, asyncio.run(sweep.study(**unit.settings, rng=sweep.rng(unit)))) for unit in units]
    return studies_of(records, folds=FOLDS, seed=SEED)[RULE]


def regression(study: Study) -> bool:
    """Time one fit both ways, with all pairs as columns and with those that occur."""
    train = study.training(0)
    X, y = design(train)
    everything = np.column_stack([np.ones(len(y)), train.pairs.reshape(len(y), -1) > 0]).astype(float)
    ratios = [fitted("pairs that occur", X, y), fitted("every pair a column", everything, y)]
    return five_fits(study) > 0 and min(ratios) >= 10


def five_fits(study: Study) -> float:
    """The regressions of a cross-validation as it makes them, from sums that the folds share; 0 if fitted otherwise."""
    ours, mine = best_of(30, lambda: [effects(train) for train in trains_of(study)])
    trains = trains_of(study)
    theirs, reference = best_of(10, lambda: [statsmodels_fit(*design(train)) for train in trains])
    apart = max(differ(train, found, fit[2]) for train, found, fit in zip(trains, mine, reference, strict=True))
    print(f"the five fits of a cross-validation: {ours * 1e3:.2f} ms, statsmodels OLS(pinv) {theirs * 1e3:.1f} ms: "
          f"{theirs / ours:.1f} times; fitted values apart by {apart:.1e}")  # fmt: skip
    return theirs / ours if apart < 1e-8 else 0.0


def differ(train: Study, found: PairEffects, reference: np.ndarray) -> float:
    """How far our fitted values are from the reference's; the constant makes the residuals sum to nothing."""
    X, y = design(train)
    fitted_values = X[:, 1:] @ found.coefficients[(train.pairs > 0).any(axis=(0, 1))]
    return float(np.abs(fitted_values + (y - fitted_values).mean() - reference).max())


def fitted(what: str, X: np.ndarray, y: np.ndarray) -> float:
    """The ratio, 0 when the results are not the same."""
    ours, mine = best_of(100, lambda: fast_ols(X, y))
    theirs, reference = best_of(30, lambda: statsmodels_fit(X, y))
    apart = np.abs(mine.fittedvalues - reference[2]).max()
    there = X.any(axis=0)
    p_apart = np.abs(mine.pvalues - reference[1])[there].max()
    print(f"regression, {what}: {X.shape[0]} rows, {X.shape[1]} columns of rank {mine.rank}")
    print(f"  fast_ols {ours * 1e3:.2f} ms, statsmodels OLS(pinv) {theirs * 1e3:.1f} ms: {theirs / ours:.1f} times")
    print(f"  fitted values apart by {apart:.1e}, p-values by {p_apart:.1e}")
    return theirs / ours if apart < 1e-8 else 0.0


def whole_search(study: Study) -> bool:
    """Time the search over all folds four ways; the pairs of acts are counted beforehand, once for all."""
    trains = [study.take(study.folds != fold) for fold in range(FOLDS)]
    ours, mine = best_of(10, lambda: our_search(study))
    print(f"search: 180 settings, {FOLDS} folds, fits included: {ours * 1e3:.1f} ms")
    ratios = {}
    for name, loop in LOOPS.items():
        theirs, chosen = best_of(3, lambda loop=loop: [loop(statsmodels_effects(train), train) for train in trains])
        ratios[name] = theirs / ours
        same = "the same settings" if chosen == mine else "DIFFERENT SETTINGS"
        print(f"  {name}: {theirs * 1e3:.0f} ms, {ratios[name]:.0f} times, {same}")
        if chosen != mine:
            return False
    return ratios["plain loop"] >= 40


def our_search(study: Study) -> list[Setting]:
    """What `cross_validate` does to fit the Dialogue Act rule, nothing kept from the time before."""
    return [search(effects(train), train)[0] for train in trains_of(study)]


def trains_of(study: Study) -> list[Study]:
    """The training parts of the folds, of a study that keeps nothing from before but its counted pairs."""
    fresh = replace(study)
    fresh.__dict__["pairs"] = study.pairs
    return [fresh.training(fold) for fold in range(FOLDS)]


def statsmodels_fit(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients, p-values and fitted values of the reference."""
    import statsmodels.api as sm

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that the design is rank-deficient, as it is meant to be
        fit = sm.OLS(y, X).fit(method="pinv")
        return fit.params, fit.pvalues, fit.fittedvalues


def statsmodels_effects(train: Study) -> PairEffects:
    """The regression of the loop's side."""
    occurs = (train.pairs > 0).any(axis=(0, 1))
    coefficients, pvalues = np.full((2, len(occurs)), np.nan)
    params, p, _ = statsmodels_fit(*design(train))
    coefficients[occurs], pvalues[occurs] = params[1:], p[1:]
    return PairEffects(coefficients, pvalues)


def plain_search(found: PairEffects, train: Study) -> Setting:
    """The loop that one would write: 180 settings, every discussion, every round until it stops."""
    return looped(found, train.pairs, train.gain)


def list_search(found: PairEffects, train: Study) -> Setting:
    """The same on lists, which Python reads faster than arrays."""
    return looped(found, train.pairs.tolist(), train.gain.tolist())


def looped(found: PairEffects, counts: Any, gain: Any) -> Setting:
    """The best setting, the first among equals."""
    best, chosen = -np.inf, None
    for setting in grid():
        candidates = found.candidates(setting.p_value, setting.top_da).tolist()
        total = 0.0
        for said, values in zip(counts, gain, strict=True):
            total += values[stop_of(said, candidates, setting)]
        mean = round(total / len(gain), 12)
        if mean > best:
            best, chosen = mean, setting
    assert chosen is not None
    return chosen


def stop_of(said: Any, candidates: list[int], setting: Setting) -> int:
    """The index of the round in which a setting stops one discussion."""
    for number, often in enumerate(said):
        score = 0
        for candidate in candidates:
            if often[candidate] >= setting.count_per_round:
                score += 1
        if score >= setting.score:
            return number
    return len(said) - 1


def numpy_search(found: PairEffects, train: Study) -> Setting:
    """A loop over settings only."""
    best, chosen = -np.inf, None
    for setting in grid():
        candidates = found.candidates(setting.p_value, setting.top_da)
        signal = (train.pairs[..., candidates] >= setting.count_per_round).sum(axis=-1) >= setting.score
        last = np.where(signal.any(axis=1), signal.argmax(axis=1), train.rounds - 1)
        mean = round(train.gain[np.arange(len(last)), last].mean(), 12)
        if mean > best:
            best, chosen = mean, setting
    assert chosen is not None
    return chosen


LOOPS = {"plain loop": plain_search, "on lists": list_search, "over settings, numpy within": numpy_search}


def best_of(runs: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """The shortest CPU time in seconds, and the result; one thread, so that threads that wait do not count."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return min(times), result


if __name__ == "__main__":
    sys.exit(main())
