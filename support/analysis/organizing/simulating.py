"""Why three runs a side make a weak t-test: techniques that are equal on cases in general, compared on some cases."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.organizing.repeating import RUNS
from support.errors import InvalidInput


def three_runs(
    rng: np.random.Generator,
    *,
    runs: int = RUNS,
    cases: int = 20,
    voices: int = 5,
    accuracy: float = 0.88,
    difference: float = 0.0,
    steadiness: float = 0.9,
    likeness: float = 0.5,
    simulations: int = 2000,
    level: float = 0.05,
) -> pd.DataFrame:
    """How often each test calls two techniques different that are `difference` apart on cases in general.

    Every case has, for either technique, a probability of being judged rightly, drawn from a beta distribution with
    mean `accuracy` (+ or - half of `difference`); its voices and runs are drawn with that probability. The
    distribution's spread is that with which two answers to one case correlate `steadiness`: near 1 a technique gives
    the same answer every time, and its runs hardly differ. A case is as hard for the one as for the other (the same
    quantile) with the probability `likeness`. With `difference` 0 the result is a share of false alarms, which should
    be `level`; with another it is power.

    Returns
    -------
    DataFrame
        test, difference, runs, cases, voices, steadiness, likeness, significant (share of simulations), se, sd (mean
        SD between runs), simulations. The tests: "t over runs", "Welch's t over runs", "McNemar over items", "paired t
        over cases".

    Raises
    ------
    InvalidInput
        On an accuracy, a steadiness or a level not strictly between 0 and 1, a likeness outside of 0 to 1, fewer than
        2 runs or cases, no voice, or no simulation.
    """
    if not 0 < level < 1:
        raise InvalidInput(f"level: {level!r} given; expected one strictly between 0 and 1, such as 0.05")
    if simulations < 1:
        raise InvalidInput(f"simulations: {simulations!r} given; expected at least 1, and a thousand or more to tell")
    means = _need_sizes(runs, cases, voices, accuracy, difference, steadiness, likeness)
    right = [
        (rng.random((simulations, runs, cases, voices)) < p[:, None, :, None]).astype(np.int16)
        for p in _hardness(rng, means, (simulations, cases), steadiness, likeness)
    ]
    setting = {"difference": difference, "runs": runs, "cases": cases, "voices": voices}
    setting |= {"steadiness": steadiness, "likeness": likeness}
    sd = float(np.mean([r.mean(axis=(2, 3)).std(axis=1, ddof=1).mean() for r in right]))
    rows = []
    for name, p in _p_values(*right).items():
        share = float((p < level).mean())
        error = sqrt(share * (1 - share) / simulations)
        rows.append({"test": name, **setting, "significant": share, "se": error, "sd": sd, "simulations": simulations})
    return pd.DataFrame(rows)


def _hardness(
    rng: np.random.Generator, means: tuple[float, float], size: tuple[int, int], steadiness: float, likeness: float
) -> list[np.ndarray]:
    spread = 1 / steadiness - 1  # a + b of the beta distribution
    one, other = rng.random(size), rng.random(size)
    places = one, np.where(rng.random(size) < likeness, one, other)
    return [stats.beta.ppf(u, m * spread, (1 - m) * spread) for u, m in zip(places, means, strict=True)]


def _need_sizes(
    runs: int, cases: int, voices: int, accuracy: float, difference: float, steadiness: float, likeness: float
) -> tuple[float, float]:
    means = accuracy + difference / 2, accuracy - difference / 2
    for name, value in (("accuracy", means[0]), ("accuracy", means[1]), ("steadiness", steadiness)):
        if not 0 < value < 1:
            raise InvalidInput(f"{name}: {value!r} comes out; expected a number strictly between 0 and 1")
    if not 0 <= likeness <= 1:
        raise InvalidInput(f"likeness: {likeness!r} given; expected a number from 0 to 1")
    if runs < 2 or cases < 2 or voices < 1:
        raise InvalidInput(f"runs, cases, voices: {runs}, {cases}, {voices} given; expected at least 2, 2 and 1")
    return means


def _p_values(a: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """One p for each simulation; arrays of shape (simulations, runs, cases, voices)."""
    n = a.shape[1]
    one, other = (r.sum(axis=(2, 3)).astype(float) for r in (a, b))  # whole numbers: equal runs have a spread of 0
    gap, u, v = one.mean(axis=1) - other.mean(axis=1), one.var(axis=1, ddof=1) / n, other.var(axis=1, ddof=1) / n
    welch = (u + v) ** 2 * (n - 1) / np.where(u + v, u**2 + v**2, 1.0)
    cases = (a - b).sum(axis=(1, 3)).astype(float)
    error = cases.std(axis=1, ddof=1) / sqrt(cases.shape[1])
    most, more = ((2 * r.sum(axis=1) > n).reshape(len(r), -1) for r in (a, b))
    fewer, pairs = np.minimum((most & ~more).sum(1), (~most & more).sum(1)), (most != more).sum(1)
    return {
        "t over runs": _two_sided(gap, np.sqrt(u + v), 2 * n - 2),
        "Welch's t over runs": _two_sided(gap, np.sqrt(u + v), np.maximum(welch, 1.0)),
        "McNemar over items": np.minimum(1.0, 2 * stats.binom.cdf(fewer, pairs, 0.5)),
        "paired t over cases": _two_sided(cases.mean(axis=1), error, cases.shape[1] - 1),
    }


def _two_sided(gap: np.ndarray, error: np.ndarray, df: np.ndarray | int) -> np.ndarray:
    """Without any spread, p is 1 of no difference and 0 of another, as t is then 0 or infinite."""
    t = np.divide(np.abs(gap), error, out=np.where(gap == 0, 0.0, np.inf), where=error > 0)
    return np.asarray(2 * stats.t.sf(t, df))
