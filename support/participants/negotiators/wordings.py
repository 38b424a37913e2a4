"""The sentences of rule-based negotiators: varied templates, each performing one known dialogue act."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import numpy as np


@cache
def wordings(held_out: bool = False, package: str = __package__) -> dict[str, tuple[str, ...]]:
    """Templates by dialogue act, of the participants in `package`.

    `held_out` ones share no sentence with the others: they test annotators.
    """
    text = files(package).joinpath("wordings.toml").read_text(encoding="utf-8")
    return {act: tuple(texts["held_out" if held_out else "open"]) for act, texts in tomllib.loads(text).items()}


def say(
    act: str, rng: np.random.Generator, held_out: bool = False, package: str = __package__, /, **slots: object
) -> str:
    """One sentence that performs `act`, drawn from the templates of `package` and filled with `slots`."""
    templates = wordings(held_out, package)[act]
    return templates[rng.integers(len(templates))].format(**slots)
