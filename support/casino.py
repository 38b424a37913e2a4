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
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from support.data import shared

FILES = ("casino_valid.json.gz", "casino_test.json.gz")
GOODS = ("Food", "Water", "Firewood")
WORTH = {
    "High": 5,
    "Medium": 4,
    "Low": 3,
}
PARTIES = ("mturk_agent_1", "mturk_agent_2")


def deals() -> pd.DataFrame:
    """One row a negotiation of the splits valid and test, in the order of their files."""
    rows = []
    for file in FILES:
        content = gzip.decompress((shared("casino") / file).read_bytes())
        rows += [deal(dialogue) for dialogue in json.loads(content)]
    return pd.DataFrame(rows)


def deal(dialogue: Mapping[str, Any]) -> dict[str, Any]:
    """What became of a negotiation; `_a` is the first party.

    dialogue, points_a and points_b (recorded), plan (how many packages of each of
    `GOODS` the first one got, None after a walk-away), gains (nested tuples, shape
    (2, 3, 4)).
    """
    one, other = [dialogue["participant_info"][party] for party in PARTIES]
    packages = range(4)  # of a good, for the one; the other has what is left of 3
    return {
        "dialogue": int(dialogue["dialogue_id"]),
        "points_a": int(one["outcomes"]["points_scored"]),
        "points_b": int(other["outcomes"]["points_scored"]),
        "plan": _plan(dialogue["chat_logs"]),
        "gains": (_gains(one, packages), _gains(other, packages[::-1])),
    }


def _gains(person: Mapping[str, Any], packages: Sequence[int]) -> tuple[Any, ...]:
    """What so many packages of each good are worth to a person."""
    worth = {good: WORTH[level] for level, good in person["value2issue"].items()}
    each = [worth[good] for good in GOODS]
    return tuple(map(tuple, np.outer(each, packages).tolist()))


def _plan(chat: Sequence[Mapping[str, Any]]) -> tuple[int, ...] | None:
    """The deal from the first party's side; None where somebody walked away."""
    *_, offer, last = chat
    if last["text"] == "Walk-Away":
        return None
    side = ("issue2youget", "issue2theyget")[PARTIES.index(offer["id"])]
    packages = offer["task_data"][side]
    return tuple(int(packages[good]) for good in GOODS)
