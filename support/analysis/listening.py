"""How well words are read that the reader's author did not write: the blind test of `fair_decisions.reader`.

`wordings` are answers that another author wrote and judged (`data/inputs/fair_decisions/WORDINGS.md`), by voice; `told`
is what rule-based participants say, by style and noise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from support.data import inputs
from support.fair_decisions.deciders import satisfaction, tell, vocabularies
from support.fair_decisions.instances import instance
from support.fair_decisions.problem import SCORES, Table, table_of
from support.fair_decisions.reader import read
from support.fair_decisions.records import Plan

NOISES = (0.0, 0.1, 0.2)
SIZES = tuple(range(3, 11))


@dataclass(frozen=True, slots=True)
class Judged:
    """A text on a plan, how satisfied its speaker is with each decision of it (by number, 0 to 1), and who speaks."""

    text: str
    table: Table
    plan: Plan
    levels: Mapping[int, float]
    about: Mapping[str, Any]  # voice, or style and noise


def wordings() -> list[Judged]:
    """The texts of another author with their judged levels; their `about` holds the voice."""
    made = []
    for entry in tomllib.loads(
        inputs("fair_decisions", "wordings.toml").read_text(encoding="utf-8")
    )["feedback"]:
        decisions = tuple(entry["decisions"])
        table = Table(
            ("Speaker",),
            decisions,
            tuple((option,) for option in entry["options"]),
            SCORES,
            100,
        )
        levels = {
            decisions.index(name): float(level)
            for name, level in entry["levels"].items()
        }
        made.append(
            Judged(
                entry["text"],
                table,
                (0,) * len(decisions),
                levels,
                {"voice": entry["voice"]},
            )
        )
    return made


def told(rng: np.random.Generator, texts: int) -> list[Judged]:
    """What rule-based participants say of random plans, `texts` times in each style and noise.

    The levels are the satisfaction with the option, which noise does not touch. Every decision counts as spoken of: a
    text names it or leaves it to "the rest". Text i is on instance i, in every style.
    """
    made = []
    for style, vocabulary in vocabularies().items():
        for noise in NOISES:
            for i in range(texts):
                problem = instance(SCORES, SIZES[i % len(SIZES)], 3, i, 0, 1)
                plan = tuple(rng.integers(3, size=problem.shape[1]).tolist())
                levels = satisfaction(problem.gains[0], SCORES)[
                    np.arange(len(plan)), list(plan)
                ]
                felt = levels + noise * rng.standard_normal(len(plan))
                text, about = (
                    tell(problem.decisions, felt, vocabulary, rng),
                    {"style": style, "noise": noise},
                )
                made.append(
                    Judged(
                        text,
                        table_of(problem, SCORES),
                        plan,
                        dict(enumerate(levels.tolist())),
                        about,
                    )
                )
    return made


def heard(texts: Iterable[Judged]) -> pd.DataFrame:
    """One row for each decision that a text speaks of, or was taken to speak of.

    Columns: those of `about`, text (its number), decision, level (NaN where nothing was said) and read (NaN where
    nothing was read).
    """
    rows = []
    for number, text in enumerate(texts):
        found = read(text.text, text.plan, text.table).levels
        for d, name in enumerate(text.table.decisions):
            level, read_ = text.levels.get(d), found.get((d, text.plan[d]))
            if not (level is None and read_ is None):
                rows.append(
                    {
                        **text.about,
                        "text": number,
                        "decision": name,
                        "level": level,
                        "read": read_,
                    }
                )
    return pd.DataFrame(rows)


def read_well(rows: pd.DataFrame, by: str | list[str]) -> pd.DataFrame:
    """How well levels are read, of rows of `heard`: by..., coverage (the share that was read) and spearman (of those;
    NaN where either does not vary)."""
    groups = rows.dropna(subset=["level"]).groupby(by, sort=False)
    spearman = groups[["level", "read"]].apply(
        lambda part: part["level"].corr(part["read"], method="spearman")
    )
    return pd.DataFrame(
        {"coverage": groups["read"].count() / groups.size(), "spearman": spearman}
    ).reset_index()
