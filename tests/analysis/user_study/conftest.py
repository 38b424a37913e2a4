"""Answers at three points whose truth is known."""

import numpy as np
import pandas as pd
import pytest

from support import published
from support.analysis.user_study.points import POINTS

SEED = "002_0d724da09908f95e"


@pytest.fixture
def rising():
    """A function to the answers of n people to two items: one rises by one at each point, the other does not."""

    def made(n=12, seed=1, points=POINTS, source="people"):
        rng = np.random.default_rng(seed)
        own = rng.normal(0, 0.5, n)
        rows = [
            (f"P{who}", point, item, np.clip(np.rint(3.2 + own[who] + step * gain + rng.normal(0, 0.6)), 1, 7))
            for who in range(n)
            for step, point in enumerate(points)
            for item, gain in (("up", 1.0), ("flat", 0.0))
        ]
        frame = pd.DataFrame(rows, columns=["respondent", "point", "item", "answer"])
        return frame.assign(construct="c", source=source)

    return made


@pytest.fixture(scope="session")
def text():
    """What section 5.3 prints."""
    return published.load(SEED, "text 5.3")
