"""Real instances: campsite negotiations out of CaSiNo (Chawla et al. 2021, NAACL), with the deal that people reached.

Two people share out 3 packages each of food, water and firewood. Each was told which good matters most to them; a
package of it is worth 5 points, 4 of the middle one, 3 of the last. Nobody sees the other's order. As `FairDecisions`
that is two participants, three decisions (the goods) and four options: how many packages the first one gets.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from support.data import shared
from support.errors import DamagedFile, MissingData
from support.fair_decisions.measures import divergence, welfare
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Plan

FILES = {"valid": "casino_valid.json.gz", "test": "casino_test.json.gz"}
GOODS, UNITS = ("Food", "Water", "Firewood"), 3
WORTH = {"High": 5, "Medium": 4, "Low": 3}
WALK_AWAY = 5  # what each party scores when somebody walks away, as the corpus records it
SATISFACTION = (
    "Extremely dissatisfied", "Slightly dissatisfied", "Undecided", "Slightly satisfied", "Extremely satisfied"
)  # fmt: skip
"""Answers to how satisfied a party was with the outcome, from 1 to 5."""

PARTIES = ("mturk_agent_1", "mturk_agent_2")


def deals(folder: str | Path | None = None) -> pd.DataFrame:
    """One row a negotiation of the splits valid and test, in the order of their files; `_a` is the first party.

    dialogue, split, plan (how many packages of each of `GOODS` the first one got, None after a walk-away), gains
    (nested tuples, shape (2, 3, 4)), closed_by ("a", "b"), points_a and points_b (recorded), agrees (whether points
    computed anew are the same), satisfaction_a and satisfaction_b (1 to 5), words_a and words_b (the same in words); of
    the deal, NaN after a walk-away: divergence, welfare, envy_a, envy_b (see `envy`).
    """
    where = shared("casino") if folder is None else Path(folder)
    return pd.DataFrame([row for split, file in FILES.items() for row in _rows(where / file, split)])


def envy(problem: FairDecisions, deal: Sequence[int]) -> np.ndarray:
    """What the other's bundle is worth to each party by its own priorities, minus its own (Foley 1967): shape (2,).

    Option k gives k units to the first, so that swapping the bundles takes option m - 1 - k of every good.
    """
    return problem.totals([problem.shape[2] - 1 - k for k in deal]) - problem.totals(deal)


def _rows(path: Path, split: str) -> list[dict[str, Any]]:
    try:
        dialogues = list(json.loads(gzip.decompress(path.read_bytes())))
    except FileNotFoundError as error:
        source = "it comes with CaSiNo, https://github.com/kushalchawla/CaSiNo (see DATA_LICENSES.md)"
        raise MissingData(f"{path} is not there; {source}") from error
    except (OSError, EOFError, zlib.error, ValueError, TypeError) as error:
        raise DamagedFile(f"{path}: no gzipped JSON that can be read ({error}); it is left as it is") from error
    rows: list[dict[str, Any]] = []
    try:
        rows.extend(_row(dialogue, split) for dialogue in dialogues)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        told = f"as CaSiNo writes them ({type(error).__name__}: {error}); get the file again"
        raise DamagedFile(
            f"{path}, dialogue {len(rows) + 1}: expected participant_info and chat_logs {told}"
        ) from error
    return rows


def _row(dialogue: Mapping[str, Any], split: str) -> dict[str, Any]:
    people = [dialogue["participant_info"][name] for name in PARTIES]
    problem, (deal, closed_by) = _problem(people), _outcome(dialogue["chat_logs"])
    recorded = [int(person["outcomes"]["points_scored"]) for person in people]
    felt = [person["outcomes"]["satisfaction"] for person in people]
    totals = None if deal is None else problem.totals(deal)
    row: dict[str, Any] = {
        "dialogue": int(dialogue["dialogue_id"]),
        "split": split,
        "plan": deal,
        "gains": tuple(tuple(tuple(row) for row in good) for good in problem.gains.tolist()),
        "closed_by": "ab"[closed_by],
        "agrees": recorded == ([WALK_AWAY] * 2 if totals is None else totals.tolist()),
        "divergence": np.nan if totals is None else int(divergence(totals)),
        "welfare": np.nan if totals is None else int(welfare(totals)),
    }
    envies = (np.nan, np.nan) if deal is None else envy(problem, deal).tolist()
    for side, points, words, more in zip("ab", recorded, felt, envies, strict=True):
        row |= {f"points_{side}": points, f"satisfaction_{side}": SATISFACTION.index(words) + 1}
        row |= {f"words_{side}": words, f"envy_{side}": more}
    return row


def _problem(people: Sequence[Mapping[str, Any]]) -> FairDecisions:
    """The negotiation as a fair decision: what a package of each good is worth to each, times how many it gets."""
    worth = [{good: WORTH[level] for level, good in person["value2issue"].items()} for person in people]
    first, second = (np.outer([each[good] for good in GOODS], np.arange(UNITS + 1)) for each in worth)
    return FairDecisions(np.stack([first, second[:, ::-1]]))


def _outcome(chat: Sequence[Mapping[str, Any]]) -> tuple[Plan | None, int]:
    """The deal from the first party's side, and who submitted it; or None, and who walked away."""
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
