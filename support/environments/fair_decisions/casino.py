"""Real instances: campsite negotiations out of CaSiNo (Chawla et al. 2021, NAACL), with the deal that people reached.

Two people share out 3 packages each of food, water and firewood. Each was told which good matters most to them; a
package of it is worth 5 points, 4 of the middle one, 3 of the last. Nobody sees the other's order. As `FairDecisions`
that is two participants, three decisions (the goods) and four options: how many packages the first one gets.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support.data import shared
from support.environments.fair_decisions.measures import divergence, welfare
from support.environments.fair_decisions.problem import FairDecisions
from support.errors import DamagedFile, MissingData
from support.records.planning import Plan

if TYPE_CHECKING:
    import pandas as pd

FILES = {"valid": "casino_valid.json.gz", "test": "casino_test.json.gz"}
"""The splits of the corpus that are read here, and their files."""

GOODS = ("Food", "Water", "Firewood")
UNITS = 3
WORTH = {"High": 5, "Medium": 4, "Low": 3}
WALK_AWAY = 5
"""What each party scores when somebody walks away, as the corpus records it."""

SATISFACTION = (
    "Extremely dissatisfied",
    "Slightly dissatisfied",
    "Undecided",
    "Slightly satisfied",
    "Extremely satisfied",
)
"""Answers to how satisfied a party was with the outcome, from 1 to 5."""

PARTIES = ("mturk_agent_1", "mturk_agent_2")


@dataclass(frozen=True, slots=True)
class Party:
    """One side: what a package of each of `GOODS` is worth to it, what the corpus says it scored, how it felt.

    `satisfaction` is the answer in words, `level` its place in `SATISFACTION` from 1 to 5.
    """

    values: tuple[int, int, int]
    points: int
    satisfaction: str

    @property
    def level(self) -> int:
        """The satisfaction from 1 to 5."""
        return SATISFACTION.index(self.satisfaction) + 1


@dataclass(frozen=True, slots=True)
class Negotiation:
    """One dialogue's problem and outcome.

    `deal` says how many packages of each of `GOODS` the first party got, None when somebody walked away;
    `closed_by` is the place of who submitted the deal that the other accepted, or of who walked away.
    """

    dialogue: int
    split: str
    parties: tuple[Party, Party]
    deal: Plan | None
    closed_by: int

    @property
    def problem(self) -> FairDecisions:
        """The negotiation as a fair decision, gains of shape (2, 3, 4)."""
        first, second = (np.outer(party.values, np.arange(UNITS + 1)) for party in self.parties)
        names = ("First camper", "Second camper")
        options = tuple(f"{k} to the first and {UNITS - k} to the second" for k in range(UNITS + 1))
        return FairDecisions(np.stack([first, second[:, ::-1]]), names, GOODS, (options,) * len(GOODS))

    @property
    def points(self) -> tuple[int, int]:
        """The points of both parties, computed anew from the deal and their priorities."""
        if self.deal is None:
            return WALK_AWAY, WALK_AWAY
        a, b = self.problem.totals(self.deal).tolist()
        return a, b

    @property
    def agrees(self) -> bool:
        """Whether the corpus records just these points."""
        return self.points == tuple(party.points for party in self.parties)


def envy(problem: FairDecisions, deal: Sequence[int]) -> np.ndarray:
    """What the other's bundle is worth to each party by its own priorities, minus its own: above 0 it is envious.

    Proper envy, for a division between two (Foley 1967); `measures.envy` compares totals. Option k of a division gives
    k units to the first, so that swapping the bundles takes option m - 1 - k of every good. Int of shape (2,).
    """
    swapped = [problem.shape[2] - 1 - k for k in problem.check(deal)]
    return problem.totals(swapped) - problem.totals(deal)


def negotiations(folder: str | Path | None = None) -> tuple[Negotiation, ...]:
    """All negotiations, the splits valid and test in the order of their files; by default the registered ones.

    Raises
    ------
    MissingData
        A file is not there.
    DamagedFile
        A file is not the registered one, or a dialogue in it cannot be read.
    """
    return _negotiations(shared("casino") if folder is None else Path(folder))


@lru_cache(maxsize=2)
def _negotiations(folder: Path) -> tuple[Negotiation, ...]:
    return tuple(
        _negotiation(folder / file, split, number, row)
        for split, file in FILES.items()
        for number, row in enumerate(_rows(folder / file), start=1)
    )


def deals(given: Iterable[Negotiation] | None = None) -> pd.DataFrame:
    """One row a negotiation; `_a` is the first party, `_b` the second.

    Returns
    -------
    DataFrame
        dialogue, split, plan (None after a walk-away), gains (nested tuples, shape (2, 3, 4)), closed_by ("a", "b"),
        points_a and points_b (recorded), agrees (whether points computed anew are the same), satisfaction_a and
        satisfaction_b (1 to 5), words_a and words_b (the same in words); of the deal, NaN after a walk-away:
        divergence, welfare, envy_a, envy_b (see `envy`).
    """
    import pandas as pd

    return pd.DataFrame([_row(one) for one in (negotiations() if given is None else given)])


def _row(one: Negotiation) -> dict[str, Any]:
    problem = one.problem
    totals = None if one.deal is None else problem.totals(one.deal)
    envies = (np.nan, np.nan) if one.deal is None else envy(problem, one.deal).tolist()
    row: dict[str, Any] = {
        "dialogue": one.dialogue,
        "split": one.split,
        "plan": one.deal,
        "gains": tuple(tuple(tuple(row) for row in good) for good in problem.gains.tolist()),
        "closed_by": "ab"[one.closed_by],
        "agrees": one.agrees,
        "divergence": np.nan if totals is None else int(divergence(totals)),
        "welfare": np.nan if totals is None else int(welfare(totals)),
    }
    for side, party, more in zip("ab", one.parties, envies, strict=True):
        row |= {f"points_{side}": party.points, f"satisfaction_{side}": party.level}
        row |= {f"words_{side}": party.satisfaction, f"envy_{side}": more}
    return row


def _rows(path: Path) -> list[Any]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = json.load(file)
    except FileNotFoundError as error:
        raise MissingData(
            f"{path} is not there; it comes with CaSiNo, https://github.com/kushalchawla/CaSiNo (see DATA_LICENSES.md)"
        ) from error
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise DamagedFile(f"{path}: no gzipped JSON that can be read ({error}); it is left as it is") from error
    if not isinstance(rows, list):
        raise DamagedFile(f"{path}: {type(rows).__name__} given; expected a list of dialogues")
    return rows


def _negotiation(path: Path, split: str, number: int, row: Mapping[str, Any]) -> Negotiation:
    try:
        first, second = (_party(row["participant_info"][name]) for name in PARTIES)
        deal, closed_by = _outcome(row["chat_logs"])
        return Negotiation(int(row["dialogue_id"]), split, (first, second), deal, closed_by)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise DamagedFile(
            f"{path}, dialogue {number}: expected participant_info and chat_logs as CaSiNo writes them "
            f"({type(error).__name__}: {error}); get the file again"
        ) from error


def _party(info: Mapping[str, Any]) -> Party:
    worth = {good: WORTH[level] for level, good in info["value2issue"].items()}
    food, water, firewood = (worth[good] for good in GOODS)
    outcome = info["outcomes"]
    SATISFACTION.index(outcome["satisfaction"])  # refuses other words here, where the dialogue is known
    return Party((food, water, firewood), int(outcome["points_scored"]), outcome["satisfaction"])


def _outcome(chat: Sequence[Mapping[str, Any]]) -> tuple[Plan | None, int]:
    last = chat[-1]
    if last["text"] == "Walk-Away":
        return None, PARTIES.index(last["id"])
    offer = chat[-2]
    if (offer["text"], last["text"]) != ("Submit-Deal", "Accept-Deal") or offer["id"] == last["id"]:
        raise ValueError(f"it ends with {offer['text']!r} and {last['text']!r}")
    proposer = PARTIES.index(offer["id"])
    shares = (offer["task_data"]["issue2youget"], offer["task_data"]["issue2theyget"])
    if any(int(shares[0][good]) + int(shares[1][good]) != UNITS for good in GOODS):
        raise ValueError(f"its deal does not share out {UNITS} of every good")
    return tuple(int(shares[proposer][good]) for good in GOODS), proposer
