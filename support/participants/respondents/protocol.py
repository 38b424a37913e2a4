"""What a respondent is, and what it writes into."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from support.instruments import Instrument

Filled = dict[str, Any]
"""Item ids and answers, as `support.instruments.check_form` takes them."""


class Respondent(Protocol):
    """Somebody who fills in an instrument. `source` says what: "simulated: rule-based", "simulated: <model>"."""

    source: str

    async def fill(self, instrument: Instrument, group: str) -> Filled:
        """Answer every item from the perspective of a group."""
        ...


class Book(Protocol):
    """Where forms go: `support.answers.AnswerBook`, which lies above this room."""

    def submit(
        self,
        instrument: Instrument,
        group: str,
        answers: Filled,
        *,
        source: str,
        rng: np.random.Generator,
    ) -> str:
        """Keep a form and return its code."""
        ...


def passed(instrument: Instrument) -> Filled:
    """The answers that let a form through eligibility and consent, which ask about people and nobody simulated."""
    return {name: item.passes for name, item in instrument.items.items() if item.passes is not None}
