"""Metrics of RoundTable (section 4.1), with the conventions that fit its printed numbers,
of any environment that says what a decision is worth (`utilities`, `maximum`).

All are in percent. U_r is the total utility of the decision that stands after round r,
divided by U_max once, and 0 before the first decision (the paper's formula for the AUC
divides again, its numbers do not).

- `utility@n`: U_n. A discussion that never decided counts as 0.
- `auc@n`: the mean of U_1 .. U_n.
- `min_max`: smallest over largest individual utility at the end. A discussion that never
  decided has none and is left out of the mean; so is one that left everybody with nothing.
- `rationality`: of all chances to propose, the share that was used for a new proposal
  worth more to its proposer than the standing decision (worth 0 before the first one).
- `rigidity`: the share of rounds that end with the total utility with which they began,
  U_0 = 0.

A discussion that was stopped early keeps its outcome for the rounds that were not played,
except in `rationality` and `rigidity`, which are over the rounds that were; where a
decision does not last (`Mechanism.lasting`), those rounds are worth NaN.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import head
from support.errors import InvalidInput
from support.roundtable.mechanism import MECHANISMS, ROUNDTABLE
from support.roundtable.records import Transcript
from support.roundtable.table import environment_of
from support.runs.study import Unit

METRICS = (
    *(f"{name}@{n}" for name in ("utility", "auc") for n in (3, 5, 10)),
    "rationality",
    "min_max",
    "rigidity",
)


def standing_utilities(transcript: Transcript, environment: Any = None) -> np.ndarray:
    """Each agent's utility of the decision that stands after each round, shape (rounds,
    agents); 0 before the first."""
    environment = environment or environment_of(transcript)
    worth = np.zeros((len(transcript.rounds), len(environment.agents)))
    for row, entry in zip(worth, transcript.rounds, strict=True):
        if entry.decision:
            row[:] = environment.utilities(entry.decision.value)
    return worth


def total_utility(transcript: Transcript, rounds: int | None = None) -> np.ndarray:
    """U_1 .. U_R in percent of U_max, shape (rounds,); the last value is kept for rounds
    that were not played, where decisions last."""
    environment = environment_of(transcript)
    if not hasattr(environment, "maximum"):
        matter = transcript.environment["name"]
        raise InvalidInput(
            f"environment: {matter!r} has no `maximum`; total utility is a share of it"
        )
    totals = standing_utilities(transcript, environment).sum(axis=1)
    shares = 100 * totals / environment.maximum
    missing = max((rounds or 0) - len(shares), 0)
    *_, (_, name, _) = transcript.settings.get("stages", [(1, "", "")])
    lasts = MECHANISMS.get(name, ROUNDTABLE).lasting
    later = shares[-1] if lasts else nan
    return np.append(shares, np.repeat(later, missing))[:rounds]


def even_split(environment: Any) -> float | None:
    """What an even split is worth, without a word, in percent of U_max; None where an
    environment has none. The yardstick of every utility that is drawn."""
    if not hasattr(environment, "even_split"):
        return None
    worth = environment.utilities(environment.even_split)
    return 100 * float(worth.sum()) / environment.maximum


def run_metrics(transcript: Transcript) -> dict[str, float]:
    """All metrics of one discussion in percent, and the total utility after each round
    that was played; NaN where one is undefined, or the environment lacks what it needs."""
    environment = environment_of(transcript)
    values = dict.fromkeys(METRICS, nan)
    if not hasattr(environment, "utilities"):
        return values
    standing = standing_utilities(transcript, environment)
    last = standing[-1]
    if last.any():
        values["min_max"] = 100 * last.min() / last.max()
    values["rationality"] = _rationality(transcript, environment, standing)
    changes = np.diff(standing.sum(axis=1), prepend=0.0)
    values["rigidity"] = 100 * np.isclose(changes, 0.0, atol=1e-9).mean()
    if hasattr(environment, "maximum"):
        played = total_utility(transcript)
        curve = total_utility(transcript, 10)
        values |= {f"utility@{n}": worth for n, worth in enumerate(played, start=1)}
        for n in (3, 5, 10):
            values[f"utility@{n}"] = curve[n - 1]
            values[f"auc@{n}"] = curve[:n].mean()
    return values


def _rationality(
    transcript: Transcript,
    environment: Any,
    standing: np.ndarray,
) -> float:
    seats = {agent: k for k, agent in enumerate(environment.agents)}
    before = np.vstack([np.zeros(len(seats)), standing[:-1]])
    rational = chances = 0
    for entry, stood in zip(transcript.rounds, before, strict=True):
        chances += entry.questions(len(seats)).get("propose", 0)
        for proposal in entry.proposals:
            mine = seats[proposal.agent]
            worth = environment.utilities(proposal.value)[mine]
            rational += worth > stood[mine] + 1e-9
    return 100 * rational / chances if chances else nan


def runs_of(records: Iterable[tuple[Unit, Transcript]]) -> pd.DataFrame:
    """One row a discussion: its settings, repetition and metrics; `records` as
    `Sweep.records` gives them."""
    return pd.DataFrame([{**head(unit), **run_metrics(talk)} for unit, talk in records])


def curves_of(
    records: Iterable[tuple[Unit, Transcript]], rounds: int = 10
) -> pd.DataFrame:
    """One row a discussion and round: total `utility` in percent, and whether the group
    was still `undecided`."""
    rows = []
    for unit, talk in records:
        played = len(talk.rounds)
        for number, value in enumerate(total_utility(talk, rounds), start=1):
            entry = talk.rounds[min(number, played) - 1]
            row = {
                "round": number,
                "utility": value,
                "undecided": entry.decision is None,
            }
            rows.append({**head(unit), **row})
    return pd.DataFrame(rows)
