"""EstimateGain of Algorithm 2: what the options are worth to everybody, from what was answered so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from support.environments.fair_decisions.views import Heard, Table


class Estimator(Protocol):
    """Turns feedback into expected gains."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def estimate(self, table: Table, feedback: str, history: Sequence[Heard]) -> np.ndarray:
        """Expected gains, float of shape (participants, decisions, options), from all rounds so far."""
