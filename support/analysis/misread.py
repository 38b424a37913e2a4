"""What an annotator's errors do to shares of acts: corrected, with intervals.

Sensitivity and specificity for each act are estimated on messages whose acts are known, of talk of the same kind, and
shares corrected in closed form (Rogan and Gladen, Am. J. Epidemiology 107, 1978). Errors are taken to be independent
from message to message, and as frequent in every round as over all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.agreement import counts
from support.analysis.dialogue_acts import LABELS, Labels, indicators
from support.analysis.stats import percentiles, resampled
from support.errors import InvalidInput

LEAST = (
    0.05  # sensitivity + specificity - 1 below which a label tells nothing of its act
)
DRAWS = 1000


def misreading(
    truth: Sequence[Labels], predicted: Sequence[Labels], clusters: Sequence[Any]
) -> np.ndarray:
    """How an annotator reads messages whose acts are known: `counts` (clusters, labels, 4) of those labelled."""
    kept = [i for i, labels in enumerate(predicted) if len(labels)]
    if not kept:
        raise InvalidInput(
            f"predicted: none of {len(predicted)} messages was labelled; its errors cannot be told"
        )
    real, given = (
        indicators([tuple(labels[i]) for i in kept]) for labels in (truth, predicted)
    )
    return counts(
        real, given, pd.factorize(pd.Series([str(clusters[i]) for i in kept]))[0]
    )


def rates(known: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sensitivity and specificity, each (draws, labels), of clusters drawn so often; NaN for acts that never occur.

    Half a message is added to each count (Jeffreys), so that a few messages without an error are no certainty.
    """
    both, missed, wrong, neither = np.moveaxis(
        np.tensordot(times, known, axes=1), -1, 0
    )
    occurs = (both + missed > 0) & (wrong + neither > 0)
    sensitivity = np.where(occurs, (both + 0.5) / (both + missed + 1), np.nan)
    return sensitivity, np.where(
        occurs, (neither + 0.5) / (wrong + neither + 1), np.nan
    )


def corrected(
    share: np.ndarray, sensitivity: np.ndarray, specificity: np.ndarray
) -> np.ndarray:
    """The true share behind an observed one (Rogan and Gladen 1978), from 0 to 1; NaN where labels tell nothing.

    >>> corrected(np.array([0.35]), np.array([0.8]), np.array([0.9])).round(3).tolist()
    [0.357]
    """
    told = sensitivity + specificity - 1
    return np.clip(
        (share + specificity - 1) / np.where(told > LEAST, told, np.nan), 0.0, 1.0
    )


def true_shares(
    messages: pd.DataFrame, labels: str, known: np.ndarray, rng: np.random.Generator
) -> pd.DataFrame:
    """Shares of messages that perform each act: act, labelled (as it is), value (corrected), low, high (95 %)."""
    times, _ = resampled(range(len(known)), rng, DRAWS)
    sensitivity, specificity = rates(
        known, np.vstack([np.ones(len(known)), times])
    )  # all clusters first
    given = pd.DataFrame(
        indicators([tuple(acts) for acts in messages[labels]]),
        columns=list(LABELS),
        dtype=float,
    )
    times, place = resampled(messages["run"], rng, DRAWS)
    drawn = (times @ given.groupby(place).sum().to_numpy()) / (
        times @ np.bincount(place)
    )[:, None]
    labelled = given.mean().to_numpy()
    found = corrected(np.vstack([labelled, drawn]), sensitivity, specificity)
    low, high = percentiles(found[1:])
    return pd.DataFrame(
        {
            "act": LABELS,
            "labelled": labelled,
            "value": found[0],
            "low": low,
            "high": high,
        }
    )
