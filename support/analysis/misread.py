"""What an annotator's errors do to shares of acts and to transitions: corrected, with intervals.

Sensitivity and specificity for each act are estimated on messages whose acts are known, of talk of the same kind.
Shares are corrected in closed form (Rogan and Gladen, Am. J. Epidemiology 107, 1978), and transitions too: a score of
which the true act is the mean takes the place of the label in equation (1). Whole clusters of the known sample, and
whole runs of the talk, are drawn anew. Errors are taken to be independent from message to message, and as frequent in
every round as over all: where an annotator tends to miss the answer together with what it answers, the corrected
transitions are wrong as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.agreement import counts
from support.analysis.dialogue_acts import LABELS, Labels, indicators
from support.analysis.stats import percentiles, resampled
from support.errors import InvalidInput

LEAST = 0.05  # sensitivity + specificity - 1 below which a label tells nothing of its act


@dataclass(frozen=True, eq=False)
class Misreading:
    """How an annotator reads messages whose acts are known."""

    counts: np.ndarray  # of shape (clusters, labels, 4), as `agreement.counts`
    name: str  # whose labels were held against whose

    def rates(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sensitivity and specificity, each (draws, labels), of clusters drawn so often; NaN for acts that never occur.

        Half a message is added to each count (Jeffreys), so that a few messages without an error are no certainty.
        """
        both, missed, wrong, neither = np.moveaxis(np.tensordot(times, self.counts, axes=1), -1, 0)
        occurs = (both + missed > 0) & (wrong + neither > 0)
        sensitivity = np.where(occurs, (both + 0.5) / (both + missed + 1), np.nan)
        return sensitivity, np.where(occurs, (neither + 0.5) / (wrong + neither + 1), np.nan)

    def drawn(self, rng: np.random.Generator, draws: int) -> tuple[np.ndarray, np.ndarray]:
        """`rates` over all clusters in the first row, of clusters drawn anew in the others."""
        times, _ = resampled(range(len(self.counts)), rng, draws)
        return self.rates(np.vstack([np.ones(len(self.counts)), times]))

    def table(self) -> pd.DataFrame:
        """Sensitivity and specificity over all clusters: act, sensitivity, specificity, known (messages that do it)."""
        [sensitivity], [specificity] = self.rates(np.ones((1, len(self.counts))))
        known = self.counts[..., :2].sum(axis=(0, 2)).astype(int)
        return pd.DataFrame({"act": LABELS, "sensitivity": sensitivity, "specificity": specificity, "known": known})


def misreading(
    truth: Sequence[Labels], predicted: Sequence[Labels], clusters: Sequence[Any], name: str = ""
) -> Misreading:
    """What an annotator made of messages of such groups, which are drawn whole; unlabelled ones are left out."""
    kept = [i for i, labels in enumerate(predicted) if len(labels)]
    if not kept:
        raise InvalidInput(f"predicted: none of {len(predicted)} messages was labelled; its errors cannot be told")
    real, given = (indicators([tuple(labels[i]) for i in kept], LABELS) for labels in (truth, predicted))
    return Misreading(counts(real, given, pd.factorize(pd.Series([str(clusters[i]) for i in kept]))[0]), name)


def corrected(share: np.ndarray, sensitivity: np.ndarray, specificity: np.ndarray) -> np.ndarray:
    """The true share behind an observed one (Rogan and Gladen 1978), from 0 to 1; NaN where labels tell nothing.

    >>> corrected(np.array([0.35]), np.array([0.8]), np.array([0.9])).round(3).tolist()
    [0.357]
    """
    return np.clip(_score(share, sensitivity, specificity), 0.0, 1.0)


def _score(labelled: np.ndarray, sensitivity: np.ndarray, specificity: np.ndarray) -> np.ndarray:
    told = sensitivity + specificity - 1
    return (labelled + specificity - 1) / np.where(told > LEAST, told, np.nan)


def true_shares(messages: pd.DataFrame, labels: str, known: Misreading, rng: np.random.Generator) -> pd.DataFrame:
    """Shares of messages that perform each act: act, labelled (as it is), value (corrected), low, high (95 %), n."""
    sensitivity, specificity = known.drawn(rng, 1000)
    given = pd.DataFrame(indicators([tuple(acts) for acts in messages[labels]]), columns=list(LABELS), dtype=float)
    times, place = resampled(messages["run"], rng, 1000)
    drawn = (times @ given.groupby(place).sum().to_numpy()) / (times @ np.bincount(place))[:, None]
    labelled = given.mean().to_numpy()
    found = corrected(np.vstack([labelled, drawn]), sensitivity, specificity)
    low, high = percentiles(found[1:])
    made = pd.DataFrame({"act": LABELS, "labelled": labelled, "value": found[0], "low": low, "high": high})
    return made.assign(n=len(messages))
