"""Participant codes, which are no names, and sources, which say who answered."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from support.errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np

PEOPLE, SIMULATED = "people", "simulated: "
CODE = re.compile(r"(?=.*[0-9])[A-Z0-9]{4,12}")
LETTERS, DIGITS = "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789"  # without those that are mistaken for each other
DRAWS = 1000


def draw_code(rng: np.random.Generator, in_use: Callable[[str], bool]) -> str:
    """A code that is not in use: three letters and three digits in turn.

    Examples
    --------
    >>> import numpy as np
    >>> len(draw_code(np.random.default_rng(1), in_use=lambda code: False))
    6
    """
    for _ in range(DRAWS):
        code = "".join(LETTERS[rng.integers(len(LETTERS))] + DIGITS[rng.integers(len(DIGITS))] for _ in range(3))
        if not in_use(code):
            return code
    raise InvalidInput(f"code: {DRAWS} codes drawn, all in use; give codes of your own")


def check_code(code: str) -> None:
    """Raise InvalidInput for what is no participant code, such as a name or an e-mail address."""
    if not isinstance(code, str) or not CODE.fullmatch(code):
        raise InvalidInput(
            f"code: {code!r} given; expected 4 to 12 capital letters and digits, one digit at least, such as 'K7Q2M9'. "
            "A code must not be a name or an address."
        )


def check_source(source: Any) -> None:
    """Raise InvalidInput for what is no source of answers."""
    simulated = isinstance(source, str) and source.startswith(SIMULATED) and source != SIMULATED
    if source != PEOPLE and not simulated:
        raise InvalidInput(f"source: {source!r} given; expected {PEOPLE!r}, or {SIMULATED!r} and what answered")
