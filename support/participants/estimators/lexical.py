"""EstimateGain by reading: words of satisfaction become levels, levels become gains, gains are averaged over rounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from support.environments.fair_decisions.views import Heard, Table
from support.participants.estimators.hearing import Answers, answers, averaged
from support.participants.estimators.priors import Prior, prior_for
from support.participants.estimators.targets import Pair


class LexicalEstimator:
    """What a participant said of an option, as the prior's quantile at that level; the prior mean for all else.

    A remark on the plan as a whole counts for its options of which nothing is said in any round: the total at that
    level, in equal parts. Reported totals and comparisons are no words, and change nothing here (`BayesianEstimator`
    uses them); what cannot be read changes nothing either.
    """

    kind = "lexical"

    async def estimate(self, table: Table, feedback: str, history: Sequence[Heard]) -> np.ndarray:
        """Expected gains, float of shape (participants, decisions, options).

        Raises
        ------
        InvalidInput
            On another kind of feedback or preferences, or the answer of somebody who is not at the table.
        """
        prior, n = prior_for(table), table.shape[1]
        return np.array([_gains(mine, prior, n) for mine in answers(table, feedback, history)])


def _gains(mine: Answers, prior: Prior, n: int) -> np.ndarray:
    told: dict[Pair, list[float]] = {}
    for plan, level in mine.wholes:
        for pair in enumerate(plan):
            told.setdefault(pair, []).append(float(prior.total(level, n)) / n)
    told |= {pair: prior.quantile(np.array(levels)).tolist() for pair, levels in mine.levels.items()}
    return averaged(prior.mean, n, told)
