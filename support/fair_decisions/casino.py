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

import numpy as np
import pandas as pd

from support.data import shared
from support.errors import DamagedFile, MissingData
from support.fair_decisions.records import Plan

FILES = ("casino_valid.json.gz", "casino_test.json.gz")
GOODS = ("Food", "Water", "Firewood")
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
        content = gzip.decompress(path.read_bytes())
        dialogues = json.loads(content)
        return [_row(dialogue) for dialogue in dialogues]
    except FileNotFoundError as error:
        raise MissingData(
            f"{path} is not there; it comes with CaSiNo, "
            "https://github.com/kushalchawla/CaSiNo (see DATA_LICENSES.md)"
        ) from error
    except (OSError, EOFError, zlib.error, LookupError, TypeError, ValueError) as error:
        raise DamagedFile(
            f"{path}: expected gzipped JSON as CaSiNo writes it ({error!r}); "
            "it is left as it is, get the file again"
        ) from error


def _row(dialogue: Mapping[str, Any]) -> dict[str, Any]:
    one, other = [dialogue["participant_info"][party] for party in PARTIES]
    packages = range(4)  # of a good, for the one; the other has what is left of 3
    return {
        "dialogue": int(dialogue["dialogue_id"]),
        "points_a": int(one["outcomes"]["points_scored"]),
        "points_b": int(other["outcomes"]["points_scored"]),
        "plan": _deal(dialogue["chat_logs"]),
        "gains": (_gains(one, packages), _gains(other, packages[::-1])),
    }


def _gains(person: Mapping[str, Any], packages: Sequence[int]) -> tuple[Any, ...]:
    """What so many packages of each good are worth to a person."""
    worth = {good: WORTH[level] for level, good in person["value2issue"].items()}
    each = [worth[good] for good in GOODS]
    return tuple(map(tuple, np.outer(each, packages).tolist()))


def _deal(chat: Sequence[Mapping[str, Any]]) -> Plan | None:
    """The deal from the first party's side; None where somebody walked away."""
    last = chat[-1]
    if last["text"] == "Walk-Away":
        return None
    offer = chat[-2]
    ending = offer["text"], last["text"]
    if ending != ("Submit-Deal", "Accept-Deal") or offer["id"] == last["id"]:
        raise ValueError(f"it ends with {ending}")
    side = ("issue2youget", "issue2theyget")[PARTIES.index(offer["id"])]
    packages = offer["task_data"][side]
    return tuple(int(packages[good]) for good in GOODS)
