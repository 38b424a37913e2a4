"""Pairs of dialogue acts, one of a round and one of the next, as the features of learned stopping (C.7).

A pair A→B occurs in round r once for each two different speakers of whom the one performed A in round r - 1 and the
other B in round r: pairs across speakers, as in the transitions of equation (1). In round 0 everybody performs
Start (section C.6), so that round 1 has pairs too: without them its performance could teach nothing, and no
discussion could ever stop there, which is where many rating tasks are at their best. Everybody is who speaks in
round 1: who else sits there is not known from what was said so far, and a rule may look at no more.
"""

from __future__ import annotations

import numpy as np

from support.analysis.dialogue_acts.acts import LABELS, START


def pair_names(labels: tuple[str, ...] = LABELS) -> tuple[tuple[str, str], ...]:
    """The pairs in the order of the features: Start first, then the acts.

    >>> len(pair_names()), pair_names()[0]
    (132, ('start', 'inform'))
    """
    return tuple((a, b) for a in (START, *labels) for b in labels)


def pair_counts(acts: np.ndarray) -> np.ndarray:
    """Occurrences of each pair in each round.

    Parameters
    ----------
    acts : bool array, shape (runs, rounds, agents, labels)

    Returns
    -------
    uint8 array, shape (runs, rounds, (labels + 1) * labels)
        At most 255, which sixteen agents cannot exceed.
    """
    runs, rounds, agents, labels = acts.shape
    now = acts.astype(np.float32)
    before = np.zeros((runs, rounds, agents, labels + 1), dtype=np.float32)
    before[:, 0, :, 0] = now[:, 0].any(axis=-1)
    before[:, 1:, :, 1:] = now[:, :-1]
    anybody = before.sum(axis=2)[..., :, None] * now.sum(axis=2)[..., None, :]
    same = np.swapaxes(before, 2, 3) @ now  # one speaker after itself is no pair
    return np.minimum(anybody - same, 255).reshape(runs, rounds, -1).astype(np.uint8)
