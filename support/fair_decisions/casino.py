"""Real instances: campsite negotiations out of CaSiNo (Chawla et al. 2021, NAACL), with
the deal that people reached.

Two people share out 3 packages each of food, water and firewood. Each was told which
good matters most to them; a package of it is worth 5 points, 4 of the middle one, 3 of
the last. Nobody sees the other's order. As `FairDecisions` that is two participants,
three decisions (the goods) and four options: how many packages the first one gets.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from support.data import shared
from support.errors import DamagedFile, MissingData
from support.fair_decisions.records import Plan

FILES = ("casino_valid.json.gz", "casino_test.json.gz")
GOODS, UNITS = ("Food", "Water", "Firewood"), 3
WORTH = {"High": 5, "Medium": 4, "Low": 3}
PARTIES = ("mturk_agent_1", "mturk_agent_2")


def deals(folder: str | Path | None = None) -> pd.DataFrame:
    """One row a negotiation of the splits valid and test, in the order of their files;
    `_a` is the first party.

    dialogue, points_a and points_b (recorded), plan (how many packages of each of
    `GOODS` the first one got, None after a walk-away), gains (nested tuples, shape
    (2, 3, 4)).
    """
    where = shared("casino") if folder is None else Path(folder)
    rows = []
    for file in FILES:
        rows += _rows(where / file)
    return pd.DataFrame(rows)


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        dialogues = json.loads(gzip.decompress(path.read_bytes()))
        return [_row(dialogue) for dialogue in dialogues]
    except FileNotFoundError as error:
        source = "it comes with CaSiNo, https://github.com/kushalchawla/CaSiNo"
        told = f"{path} is not there; {source} (see DATA_LICENSES.md)"
        raise MissingData(told) from error
    except (OSError, EOFError, zlib.error, LookupError, TypeError, ValueError) as error:
        told = f"gzipped JSON as CaSiNo writes it ({type(error).__name__}: {error})"
        left = "it is left as it is, get the file again"
        raise DamagedFile(f"{path}: expected {told}; {left}") from error


def _row(dialogue: Mapping[str, Any]) -> dict[str, Any]:
    """The negotiation as a fair decision: what a package of each good is worth to each,
    times how many it gets."""
    row = {"dialogue": int(dialogue["dialogue_id"])}
    shares, gains = range(UNITS + 1), []
    for side, party, got in zip("ab", PARTIES, (shares, shares[::-1]), strict=True):
        person = dialogue["participant_info"][party]
        worth = {good: WORTH[level] for level, good in person["value2issue"].items()}
        gains.append(tuple(tuple(worth[good] * n for n in got) for good in GOODS))
        row[f"points_{side}"] = int(person["outcomes"]["points_scored"])
    return {**row, "plan": _deal(dialogue["chat_logs"]), "gains": tuple(gains)}


def _deal(chat: Sequence[Mapping[str, Any]]) -> Plan | None:
    """The deal from the first party's side; None where somebody walked away."""
    last = chat[-1]
    if last["text"] == "Walk-Away":
        return None
    offer = chat[-2]
    ending = offer["text"], last["text"]
    if ending != ("Submit-Deal", "Accept-Deal") or offer["id"] == last["id"]:
        raise ValueError(f"it ends with {' and '.join(ending)}")
    side = ("issue2youget", "issue2theyget")[PARTIES.index(offer["id"])]
    return tuple(int(offer["task_data"][side][good]) for good in GOODS)
