"""Runs of coordination as tidy frames (Papachristou, Yang and Hsu 2023, sections 5, 6).

Of an option `ratio` (percent), `score` and `gini` are equations (1) to (3). `depth` and
`gini_plus` are the score and the Gini coefficient of those whom it satisfies: score =
ratio * depth, and gini = (1 - ratio) + ratio * gini_plus, with the ratio as a share.
They are what the loop sees, by its notes; with `true_` before them, what members want.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import head
from support.meetings.records import Coordination, Round
from support.meetings.scores import (
    ByMember,
    equity,
    ratio,
    satisfied,
    score,
)
from support.runs.study import Unit

Records = Iterable[tuple[Unit | Mapping[str, Any], Coordination]]


def measures(scores: ByMember) -> dict[str, float]:
    """What an option is worth, by the scores of the members."""
    content = satisfied(scores)
    return {
        "ratio": 100 * ratio(scores),
        "score": score(scores),
        "gini": equity(scores),
        "depth": score(content),
        "gini_plus": equity(content),
    }


def rounds_of(records: Records) -> pd.DataFrame:
    """One row for each round of each run: its settings, and what the candidate is worth.

    `setting` is as Table 1 has it ("n = 5, K = 2, database"). Beside the measures
    `interactions` (a member's mean number of turns; NaN without a talk), how many
    `offered` options, `breaches` and `missing` members (of whom nothing is known),
    whether the candidate was `replaced`, `agreed` (the largest share, in percent, that
    agreed to one option), `chance` and `optimum` (percent). A round without an option
    satisfies nobody.
    """
    rows = []
    for unit, record in records:
        about = _about(unit, record)
        before = None
        for entry in record.rounds:
            row = about | _worth(entry, record.members)
            row["replaced"] = before is not None and entry.candidate != before
            before = entry.candidate
            rows.append(row)
    return pd.DataFrame(rows)


def scores_of(records: Records) -> pd.DataFrame:
    """One row for each option, member and round: settings, score and exact score."""
    rows = []
    for unit, record in records:
        about = _about(unit, record)
        for entry in record.rounds:
            for option, exact in entry.audit.items():
                given = entry.scores.get(option, {})
                for member, value in exact.items():
                    row = dict(about)
                    row["round"] = entry.number
                    row["option"] = option
                    row["candidate"] = option == entry.candidate
                    row["member"] = member
                    row["score"] = given.get(member)
                    row["exact"] = value
                    rows.append(row)
    return pd.DataFrame(rows)


def _about(unit: Unit | Mapping[str, Any], record: Coordination) -> dict[str, Any]:
    n = len(record.members)
    k = record.settings["options"]
    database = ", database" if record.settings["database"] else ""
    return {
        **head(unit),
        "setting": f"n = {n}, K = {k}{database}",
        "meeting": record.meeting["id"],
        "chance": 100 * record.chance,
        "optimum": 100 * record.optimum,
    }


def _worth(entry: Round, members: tuple[str, ...]) -> dict[str, Any]:
    nobody: ByMember = dict.fromkeys(members, 0)
    noted = entry.scores.get(entry.candidate or "", nobody)
    truth = measures(entry.audit.get(entry.candidate or "", nobody))
    turns = 0
    agreed = Counter[str | None]()
    for member, talk in entry.talks.items():
        turns += sum(turn.speaker == member for turn in talk)
        agreed.update({turn.agrees for turn in talk} - {None})
    return {
        "round": entry.number,
        "interactions": turns / len(members) if entry.talks else np.nan,
        **measures(noted),
        **{f"true_{name}": value for name, value in truth.items()},
        "offered": len(entry.options),
        "breaches": len(entry.breaches),
        "missing": list(noted.values()).count(None),
        "agreed": 100 * max(agreed.values(), default=0) / len(members),
    }
