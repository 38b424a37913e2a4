"""Metrics of RoundTable (section 4.1), with the conventions that fit its printed numbers, of any environment that says
what a decision is worth (`utilities`, `maximum`).

All are in percent. U_r is the total utility of the decision that stands after round r, divided by U_max once,
and 0 before the first decision (the paper's formula for the AUC divides again, its numbers do not).

- `utility@n`: U_n. A discussion that never decided counts as 0.
- `auc@n`: the mean of U_1 .. U_n.
- `min_max`: smallest over largest individual utility at the end. A discussion that never decided has none and is
  left out of the mean; so is one that left everybody with nothing.
- `rationality`: of all K x R chances to propose, the share that was used for a new proposal worth more to its
  proposer than the standing decision (worth 0 before the first one).
- `rigidity`: the share of rounds that end with the total utility with which they began, U_0 = 0.

A discussion that was stopped early keeps its outcome for the rounds that were not played, except in
`rationality` and `rigidity`, which are over the rounds that were.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import head
from support.analysis.stats import tidy_means
from support.errors import InvalidInput
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
    """Each agent's utility of the decision that stands after each round, shape (rounds, agents); 0 before the first."""
    environment = environment or environment_of(transcript)
    nothing = np.zeros(len(environment.agents))
    decided = [r.decision for r in transcript.rounds]
    return np.stack([environment.utilities(d.value) if d else nothing for d in decided])


def total_utility(transcript: Transcript, rounds: int | None = None) -> np.ndarray:
    """U_1 .. U_R in percent of U_max, shape (rounds,); the last value is kept for rounds that were not played."""
    environment = environment_of(transcript)
    if lacks := [
        name for name in ("utilities", "maximum") if not hasattr(environment, name)
    ]:
        name = transcript.environment.get("name")
        raise InvalidInput(
            f"environment: {name!r} has no `{lacks[0]}`, of which alone these metrics are defined"
        )
    shares = (
        100
        * standing_utilities(transcript, environment).sum(axis=1)
        / environment.maximum
    )
    missing = max((rounds or 0) - len(shares), 0)
    return np.concatenate([shares, np.repeat(shares[-1:], missing)])[:rounds]


def run_metrics(transcript: Transcript) -> dict[str, float]:
    """All metrics of one discussion in percent; NaN where one is undefined, or the environment lacks what it needs."""
    environment, values = (
        environment_of(transcript),
        dict.fromkeys(METRICS, float("nan")),
    )
    if hasattr(environment, "utilities"):
        standing = standing_utilities(transcript, environment)
        if (best := standing[-1].max()) > 0:
            values["min_max"] = 100 * float(standing[-1].min() / best)
        values["rationality"] = _rationality(transcript, environment, standing)
        changes = np.diff(standing.sum(axis=1), prepend=0.0)
        values["rigidity"] = 100 * float(np.isclose(changes, 0.0, atol=1e-9).mean())
        if hasattr(environment, "maximum"):
            curve = total_utility(transcript, 10)
            values |= {f"utility@{n}": float(curve[n - 1]) for n in (3, 5, 10)}
            values |= {f"auc@{n}": float(curve[:n].mean()) for n in (3, 5, 10)}
    return values


def _rationality(
    transcript: Transcript, environment: Any, standing: np.ndarray
) -> float:
    seat = {agent: k for k, agent in enumerate(environment.agents)}
    before = np.vstack([np.zeros(len(seat)), standing[:-1]])
    rational = sum(
        environment.utilities(p.value)[seat[p.agent]] > before[r, seat[p.agent]] + 1e-9
        for r, entry in enumerate(transcript.rounds)
        for p in entry.proposals
        if p.value is not None
    )
    return 100 * float(rational) / before.size


def format_errors(transcript: Transcript) -> dict[str, str]:
    """By phase, how many of the replies asked did not fit their form: "1 of 6". On an empty list no vote is asked."""
    seats = len(transcript.seats)
    asked = {"message": transcript.rounds, "propose": transcript.rounds}
    asked["vote"] = tuple(r for r in transcript.rounds if r.candidates)
    wrong = [error.phase for r in transcript.rounds for error in r.format_errors]
    return {
        phase: f"{wrong.count(phase)} of {seats * len(rounds)}"
        for phase, rounds in asked.items()
    }


def first_decision(transcript: Transcript) -> float:
    """The round of the first decision, NaN when there was none."""
    return float(
        next((r.number for r in transcript.rounds if r.decision), float("nan"))
    )


def runs_of(records: Iterable[tuple[Unit, Transcript]]) -> pd.DataFrame:
    """One row per discussion: its settings, repetition and metrics; `records` as `Sweep.records` gives them."""
    return pd.DataFrame(
        [{**head(unit), **run_metrics(transcript)} for unit, transcript in records]
    )


def curves_of(
    records: Iterable[tuple[Unit, Transcript]], rounds: int = 10
) -> pd.DataFrame:
    """One row per discussion and round: total `utility` in percent, and whether the group was still `undecided`."""
    rows = []
    for unit, transcript in records:
        first = first_decision(transcript)
        for number, value in enumerate(total_utility(transcript, rounds), start=1):
            rows.append(
                {
                    **head(unit),
                    "round": number,
                    "utility": value,
                    "undecided": not first <= number,
                }
            )
    return pd.DataFrame(rows)


def summary(runs: pd.DataFrame, by: str) -> pd.DataFrame:
    """Mean, standard error (with n - 1) and n of every metric, undefined values left out: row, column, value, se, n."""
    return tidy_means(runs, [by], METRICS)


def gains(runs: pd.DataFrame, by: str) -> pd.DataFrame:
    """How the utility grows, discussion by discussion: as `summary`, columns as "utility@5 - utility@3"."""
    pairs = combinations(("utility@3", "utility@5", "utility@10"), 2)
    grown = {f"{late} - {early}": runs[late] - runs[early] for early, late in pairs}
    return tidy_means(runs.assign(**grown), [by], list(grown))
