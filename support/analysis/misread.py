"""What an annotator's errors do to shares of acts and to transitions: corrected, with intervals.

An annotator's sensitivity and specificity for each act are estimated on messages whose acts are known, of talk of the
same kind. Shares are corrected in closed form (Rogan and Gladen, Am. J. Epidemiology 107, 1978), and transitions too:
a label's score of which the true act is the mean takes the place of the label in equation (1). Whole clusters of the
known sample, and whole runs of the talk, are drawn anew, so that the intervals hold both: how little is known of the
annotator, and how few runs there are.

Errors are taken to be independent from message to message, and as frequent in every round as over all. Where an
annotator tends to miss the answer together with what it answers, the corrected transitions are wrong as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.agreement import counts
from support.analysis.dialogue_acts import LABELS, Labels, indicators
from support.analysis.frames import need_columns
from support.analysis.stats import percentiles, resampled
from support.analysis.transitions import NAMES, Coded, ratio, transitions
from support.errors import InvalidInput

DRAWS = 200
LEAST = 0.05  # sensitivity + specificity - 1 below which a label tells nothing of its act


@dataclass(frozen=True, eq=False)
class Misreading:
    """How an annotator reads messages whose acts are known: shape (clusters, labels, 4), as `agreement.counts`.

    `name` says whose labels were held against whose.
    """

    counts: np.ndarray
    name: str

    def rates(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sensitivity and specificity, each (draws, labels), of resampled clusters; NaN for acts that never occur.

        Half a message is added to each count (Jeffreys), so that a few messages without an error are no certainty.
        """
        both, missed, wrong, neither = np.moveaxis(np.tensordot(times, self.counts, axes=1), -1, 0)
        occurs = (both + missed > 0) & (wrong + neither > 0)
        sensitivity = np.where(occurs, (both + 0.5) / (both + missed + 1), np.nan)
        return sensitivity, np.where(occurs, (neither + 0.5) / (wrong + neither + 1), np.nan)

    def table(self) -> pd.DataFrame:
        """Sensitivity and specificity over all clusters: act, sensitivity, specificity, known (messages that do it)."""
        sensitivity, specificity = self.rates(np.ones((1, len(self.counts))))
        known = self.counts[..., :2].sum(axis=(0, 2)).astype(int)
        rates = {"sensitivity": sensitivity[0], "specificity": specificity[0]}
        return pd.DataFrame({"act": LABELS, **rates, "known": known})


def misreading(
    truth: Sequence[Labels], predicted: Sequence[Labels], clusters: Sequence[Any], name: str = ""
) -> Misreading:
    """What an annotator made of messages whose acts are known; `clusters` are their groups, which are drawn whole.

    Messages that the annotator could not label are left out.
    """
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
    told = sensitivity + specificity - 1
    told = np.where(told > LEAST, told, np.nan)
    return np.clip((share + specificity - 1) / told, 0.0, 1.0)


def true_shares(
    messages: pd.DataFrame, labels: str, known: Misreading, rng: np.random.Generator, by: Sequence[str] = (),
    draws: int = 1000,
) -> pd.DataFrame:  # fmt: skip
    """Shares of messages that perform each act, as labelled, and as they are behind the annotator's errors.

    Parameters
    ----------
    messages : run, and tuples of labels in the column `labels`
    by : columns of groups, such as environment and round

    Returns
    -------
    DataFrame
        by..., act, labelled (the plain share), value, low, high (95 %, NaN where labels tell nothing), n (messages).
    """
    need_columns(messages, ["run", labels, *by], "messages")
    chosen, _ = resampled(range(len(known.counts)), rng, draws)
    sensitivity, specificity = known.rates(chosen)
    once = known.rates(np.ones((1, len(known.counts))))
    rows = []
    for names, group in messages.groupby(list(by), sort=False) if by else [((), messages)]:
        given = indicators([tuple(labels) for labels in group[labels]], LABELS).astype(float)
        times, place = resampled(group["run"].tolist(), rng, draws)
        sums = np.zeros((times.shape[1], given.shape[1]))
        np.add.at(sums, place, given)
        drawn = (times @ sums) / (times @ np.bincount(place))[:, None]
        low, high = percentiles(corrected(drawn, sensitivity, specificity))
        value = corrected(given.mean(axis=0), once[0][0], once[1][0])
        head: dict[str, Any] = dict(zip(by, names, strict=True))
        parts = {"act": LABELS, "labelled": given.mean(axis=0), "value": value, "low": low, "high": high}
        rows.append(pd.DataFrame(parts).assign(n=len(group), **head)[[*by, *parts, "n"]])
    return pd.concat(rows, ignore_index=True)


def pairs_behind(coded: Coded, sensitivity: np.ndarray, specificity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numerators (runs, names, names) and denominators (runs, names) of equation (1), corrected for the errors.

    (label + specificity - 1) / (sensitivity + specificity - 1) has the true act, 0 or 1, as its mean; where errors are
    independent, a product of such scores has the product of the true acts as its mean. That an agent performs A, and
    some other one B in the next round, is A times one minus the product of "does not perform B" over the others. Acts
    of which the labels tell nothing are NaN.
    """
    told = sensitivity + specificity - 1
    told = np.where(told > LEAST, told, np.nan)
    runs, rounds, agents, labels = coded.values.shape
    said = np.asarray(coded.values.any(axis=3))[..., None]
    score = np.zeros((runs, rounds + 2, agents, labels + 2))
    score[:, 1 : rounds + 1, :, 1:-1] = np.where(said, (coded.values + specificity - 1) / told, 0.0)
    speaks = coded.values.any(axis=(1, 3))
    score[:, 0, :, 0] = speaks
    score[np.arange(runs), coded.played + 1, :, -1] = speaks
    source = score[:, :-1].copy()
    source[..., -1] = 0.0  # nothing follows the end
    numerator = np.zeros((runs, labels + 2, labels + 2))
    for agent in range(agents):
        others = [other for other in range(agents) if other != agent]
        answered = 1 - np.prod(1 - score[:, 1:, others], axis=2)
        numerator += np.einsum("rta,rtb->rab", source[:, :, agent], answered)
    return numerator, source.sum(axis=(1, 2))


def true_transitions(coded: Coded, known: Misreading, rng: np.random.Generator, draws: int = DRAWS) -> pd.DataFrame:
    """Transition probabilities as labelled, and as they are behind the annotator's errors.

    Returns
    -------
    DataFrame
        source, target, labelled (the plain probability), value, low, high (95 %, for the errors and the choice of runs;
        NaN where the labels tell nothing), occurrences (of the source, as labelled).
    """
    plain = transitions(coded)
    chosen, _ = resampled(range(len(known.counts)), rng, draws)
    rates, once = known.rates(chosen), known.rates(np.ones((1, len(known.counts))))
    runs, _ = resampled(range(len(coded.played)), rng, draws)
    drawn = np.array([_probability(*pairs_behind(coded, s, c), weights)
                      for s, c, weights in zip(*rates, runs, strict=True)])  # fmt: skip
    value = _probability(*pairs_behind(coded, once[0][0], once[1][0]), np.ones(len(coded.played)))
    low, high = percentiles(drawn)
    parts = {"labelled": plain.probability.to_numpy(), "value": value, "low": low, "high": high}
    columns = {name: np.asarray(values).ravel() for name, values in parts.items()}
    occurs = np.repeat(plain.denominator.sum(axis=0), len(NAMES))
    square = [(a, b) for a in NAMES for b in NAMES]
    return pd.DataFrame(square, columns=["source", "target"]).assign(**columns, occurrences=occurs)


def _probability(numerator: np.ndarray, denominator: np.ndarray, weights: np.ndarray) -> np.ndarray:
    below = weights @ denominator
    return np.clip(ratio(np.tensordot(weights, numerator, 1), np.where(below > 0, below, np.nan)), 0.0, 1.0)
