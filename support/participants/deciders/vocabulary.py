"""The vocabularies of rule-based participants, by style: levels of satisfaction and their wordings."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How one style talks; the fields are those of a table in `vocabulary.toml`, explained at its top."""

    cuts: tuple[float, ...]
    joins: tuple[str, ...]
    contrast: str
    openings: tuple[str, ...]
    most: int
    brief: bool
    levels: tuple[tuple[str, ...], ...]

    def level(self, satisfaction: np.ndarray) -> np.ndarray:
        """The level of each satisfaction, int from 0, the worst, up; never lower for a larger satisfaction.

        >>> vocabularies()["plain"].level(np.array([0.0, 0.5, 1.0])).tolist()
        [0, 2, 4]
        """
        return np.searchsorted(self.cuts, satisfaction, side="right")

    def side(self, level: float) -> float:
        """How far a level lies above the middle, negative below."""
        return level - (len(self.levels) - 1) / 2


@cache
def vocabularies() -> dict[str, Vocabulary]:
    """The vocabulary of each style."""
    text = files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8")
    return {
        style: Vocabulary(**{key: _frozen(value) for key, value in table.items()})
        for style, table in tomllib.loads(text).items()
    }


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
