"""Sentences of rule-based participants, out of tables: by act, drawn at random, filled with slots."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np


@cache
def wordings(who: str) -> dict[str, tuple[str, ...]]:
    """Templates by act, out of a file below `support` ("roundtable/negotiators")."""
    text = files("support").joinpath(f"{who}.toml").read_text(encoding="utf-8")
    return {act: tuple(texts["open"]) for act, texts in tomllib.loads(text).items()}


def say(who: str, act: str, rng: np.random.Generator, /, **slots: Any) -> str:
    """One sentence that performs an act, drawn and filled."""
    templates = wordings(who)[act]
    return templates[rng.integers(len(templates))].format(**slots)
