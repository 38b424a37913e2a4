"""Sentences of rule-based participants, out of tables: by act, drawn at random, filled with slots."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import numpy as np

from support.data import inputs


@cache
def wordings(who: str) -> dict[str, list[str]]:
    """Templates by act, out of a table of `data/inputs/sentences`."""
    return tomllib.loads(inputs("sentences", f"{who}.toml").read_text("utf-8"))


def say(who: str, act: str, rng: np.random.Generator, /, **slots: Any) -> str:
    """One sentence that performs an act, drawn and filled."""
    known = wordings(who)[act]
    return known[rng.integers(len(known))].format(**slots)
