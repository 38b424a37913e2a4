"""How far two sets of labels agree, act by act, with intervals over whole groups (section 5.3.1 takes it for granted).

Every measure of an act is a closed form of four counts (both give it, only the one, only the other, neither), so
that the bootstrap resamples counts of groups, not messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts.acts import LABELS, checked_acts
from support.analysis.dialogue_acts.annotators import Labels
from support.analysis.frames import check_level
from support.errors import InvalidInput

DRAWS = 2000
MEAN = "mean of acts"


def precision(n: np.ndarray) -> np.ndarray:
    """Of the messages that were given the act, the share that perform it. `n` has shape (..., 4)."""
    return _ratio(n[..., 0], n[..., 0] + n[..., 2])


def recall(n: np.ndarray) -> np.ndarray:
    """Of the messages that perform the act, the share that were given it."""
    return _ratio(n[..., 0], n[..., 0] + n[..., 1])


def f1(n: np.ndarray) -> np.ndarray:
    """Harmonic mean of precision and recall."""
    return _ratio(2 * n[..., 0], 2 * n[..., 0] + n[..., 1] + n[..., 2])


def kappa(n: np.ndarray) -> np.ndarray:
    """Cohen's (1960) kappa: agreement beyond that of two labellers who draw from their own rates."""
    total = n.sum(axis=-1)
    first, second = n[..., 0] + n[..., 1], n[..., 0] + n[..., 2]
    chance = first * second + (total - first) * (total - second)
    return _ratio((n[..., 0] + n[..., 3]) * total - chance, total**2 - chance)


def alpha(n: np.ndarray) -> np.ndarray:
    """Krippendorff's (2011) alpha for two labellers and a yes or no: chance draws from the rate that they share."""
    total = n.sum(axis=-1)
    given = 2 * n[..., 0] + n[..., 1] + n[..., 2]  # of 2 * total labels
    observed, expected = n[..., 1] + n[..., 2], given * (2 * total - given)
    return _ratio(expected - observed * (2 * total - 1), expected)


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)


MEASURES: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "kappa": kappa,
    "alpha": alpha,
}
"""Measures over counts of shape (..., 4): both, truth only, prediction only, neither. NaN where one is undefined."""


def indicators(labels: Sequence[Labels], acts: Sequence[str]) -> np.ndarray:
    """Whether each message performs each act, bool of shape (messages, acts)."""
    for given in set(labels):
        checked_acts(given)
    return np.array([[act in given for act in acts] for given in labels], dtype=bool).reshape(len(labels), len(acts))


def counts(truth: np.ndarray, predicted: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Both, truth only, prediction only, neither: shape (clusters, acts, 4), from indicators and cluster numbers."""
    cells = np.stack([truth & predicted, truth & ~predicted, ~truth & predicted, ~truth & ~predicted], axis=-1)
    made = np.zeros((clusters.max() + 1, *cells.shape[1:]))
    np.add.at(made, clusters, cells)
    return made


def evaluate(
    truth: Sequence[Labels],
    predicted: Sequence[Labels],
    clusters: Sequence[Any],
    rng: np.random.Generator,
    *,
    acts: Sequence[str] = LABELS,
    covered: Sequence[str] = LABELS,
    level: float = 0.95,
    draws: int = DRAWS,
) -> pd.DataFrame:
    """Precision, recall, F1, Cohen's kappa and Krippendorff's alpha of every act, with bootstrap intervals.

    Parameters
    ----------
    truth, predicted : sequences of labels
        An empty `truth` performs none of `acts`. A message with an empty prediction could not be labelled: it is left
        out and counted.
    clusters : sequence
        The group, meeting or run of each message: whole ones are resampled, for their messages are not independent.
    rng : Generator
        Draws the resamples.
    acts : sequence of str
        Those that the truth can tell; covered: those that the predictor can.

    Returns
    -------
    DataFrame
        act, measure, value, low, high, level, n, left_out, truth, predicted (how many messages were given the act),
        clusters, covered. A last act, "mean of acts", averages over the acts where the measure is defined. Undefined
        values are NaN; so are the intervals of fewer than two clusters.

    Raises
    ------
    InvalidInput
        When lengths differ, nothing is left to compare, or a label is unknown.
    """
    kept = _kept(truth, [predicted], clusters)
    real = indicators([tuple(truth[i]) for i in kept], acts)
    given = indicators([tuple(predicted[i]) for i in kept], acts)
    numbers = np.unique([str(clusters[i]) for i in kept], return_inverse=True)[1]
    table = counts(real, given, numbers)
    rows = _rows(table, _resampled(table, _weights(len(table), rng, draws)), list(acts), check_level(level))
    facts = {"n": len(kept), "left_out": len(predicted) - len(kept), "clusters": len(table)}
    per_act = pd.DataFrame({"act": list(acts), "truth": real.sum(0), "predicted": given.sum(0),
                            "covered": [act in covered for act in acts]})  # fmt: skip
    made = pd.DataFrame(rows).assign(level=level, **facts).merge(per_act, on="act", how="left")
    order = "act measure value low high level n left_out truth predicted clusters covered"
    return made.astype({"truth": "Int64", "predicted": "Int64", "covered": "boolean"})[order.split()]


def difference(
    truth: Sequence[Labels],
    first: Sequence[Labels],
    second: Sequence[Labels],
    clusters: Sequence[Any],
    rng: np.random.Generator,
    *,
    acts: Sequence[str] = LABELS,
    level: float = 0.95,
    draws: int = DRAWS,
) -> pd.DataFrame:
    """How much better the first of two predictors agrees with the truth: paired, on messages that both labelled.

    Both are judged on the same resamples of clusters, so that what makes a meeting hard for both does not widen the
    interval.

    Returns
    -------
    DataFrame
        act, measure, value (first - second), low, high, level, n, clusters; with "mean of acts".

    Raises
    ------
    InvalidInput
        As `evaluate` does.
    """
    kept = _kept(truth, [first, second], clusters)
    real = indicators([tuple(truth[i]) for i in kept], acts)
    numbers = np.unique([str(clusters[i]) for i in kept], return_inverse=True)[1]
    tables = [counts(real, indicators([tuple(p[i]) for i in kept], acts), numbers) for p in (first, second)]
    weights = _weights(len(tables[0]), rng, draws)
    rows = []
    for name, measure in MEASURES.items():
        values = [_with_mean(measure(t.sum(axis=0))) for t in tables]
        resampled = [_with_mean(measure(_resampled(t, weights))) for t in tables]
        spread = resampled[0] - resampled[1]
        low, high = _interval(spread if len(tables[0]) > 1 else spread * np.nan, check_level(level))
        rows += [
            {"act": act, "measure": name, "value": values[0][i] - values[1][i], "low": low[i], "high": high[i]}
            for i, act in enumerate([*acts, MEAN])
        ]
    return pd.DataFrame(rows).assign(level=level, n=len(kept), clusters=len(tables[0]))


def _kept(truth: Sequence[Labels], predictions: Sequence[Sequence[Labels]], clusters: Sequence[Any]) -> list[int]:
    """Places of the messages that every predictor labelled."""
    sizes = [len(truth), *map(len, predictions), len(clusters)]
    if len(set(sizes)) != 1:
        raise InvalidInput(f"truth, predicted, clusters: {sizes} given; expected as many of each")
    kept = [i for i in range(len(truth)) if all(len(labels[i]) for labels in predictions)]
    if not kept:
        raise InvalidInput(f"predicted: none of {len(truth)} messages was labelled; agreement needs at least one")
    return kept


def _weights(size: int, rng: np.random.Generator, draws: int) -> np.ndarray:
    """How often each cluster is in each resample, shape (draws, clusters)."""
    return rng.multinomial(size, np.full(size, 1 / size), size=draws).astype(float)


def _resampled(table: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Counts of the resamples, shape (draws, acts, 4)."""
    return np.einsum("dc,cak->dak", weights, table)


def _rows(table: np.ndarray, resampled: np.ndarray, acts: list[str], level: float) -> list[dict[str, Any]]:
    rows = []
    for name, measure in MEASURES.items():
        values, draws = _with_mean(measure(table.sum(axis=0))), _with_mean(measure(resampled))
        low, high = _interval(draws if len(table) > 1 else draws * np.nan, level)
        rows += [
            {"act": act, "measure": name, "value": values[i], "low": low[i], "high": high[i]}
            for i, act in enumerate([*acts, MEAN])
        ]
    return rows


def _with_mean(values: np.ndarray) -> np.ndarray:
    known = ~np.isnan(values)
    total = np.where(known, values, 0.0).sum(axis=-1, keepdims=True)
    return np.concatenate([values, _ratio(total, known.sum(axis=-1, keepdims=True))], axis=-1)


def _interval(draws: np.ndarray, level: float) -> np.ndarray:
    """Percentiles over the draws in which the measure is defined; NaN where it never is."""
    tails = [50 * (1 - level), 50 * (1 + level)]
    columns = [column[~np.isnan(column)] for column in draws.T]
    return np.array([np.percentile(c, tails) if len(c) else (np.nan, np.nan) for c in columns]).T
