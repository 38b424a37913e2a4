"""The sentences of rule-based negotiators: varied templates, each performing one known dialogue act."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import numpy as np


@cache
def wordings(held_out: bool = False) -> dict[str, tuple[str, ...]]:
    """Templates by dialogue act. `held_out` ones share no sentence with the others: they test annotators."""
    text = files(__package__).joinpath("wordings.toml").read_text(encoding="utf-8")
    return {act: tuple(texts["held_out" if held_out else "open"]) for act, texts in tomllib.loads(text).items()}


def say(act: str, rng: np.random.Generator, held_out: bool = False, **slots: object) -> str:
    """One sentence that performs `act`, drawn from its templates and filled with `slots`."""
    templates = wordings(held_out)[act]
    return templates[rng.integers(len(templates))].format(**slots)
