"""Runs of coordination as tidy frames (Papachristou, Yang and Hsu 2023, sections 5, 6).

Of an option `ratio` (percent), `score` and `gini` are equations (1) to (3), `top` the
percentage of members with the highest score. `depth` and `gini_plus` are the score and
the Gini coefficient of those whom it satisfies: score = ratio * depth, and gini =
(1 - ratio) + ratio * gini_plus, with the ratio as a share.
They are what the loop sees, by its notes; with `true_` before them, what members want.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import head
from support.meetings.records import Coordination, Round
from support.meetings.scores import (
    HIGHEST,
    ByMember,
    equity,
    known,
    ratio,
    satisfied,
    score,
)
from support.runs.study import Unit

Records = Iterable[tuple[Unit | Mapping[str, Any], Coordination]]

MEASURES = [
    "interactions",
    "ratio",
    "score",
    "gini",
    "depth",
    "gini_plus",
]


def measures(scores: ByMember) -> dict[str, float]:
    """What an option is worth, by the scores of the members."""
    content = satisfied(scores)
    values = known(scores)
    top = float((values == HIGHEST).mean()) if len(values) else np.nan
    return {
        "ratio": 100 * ratio(scores),
        "score": score(scores),
        "gini": equity(scores),
        "top": 100 * top,
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
    n, k = len(record.members), record.settings["options"]
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
    turns = [entry.turns(member) for member in members]
    agreed = Counter[str | None]()
    for talk in entry.talks.values():
        agreed.update({turn.agrees for turn in talk} - {None})
    return {
        "round": entry.number,
        "interactions": np.mean(turns) if entry.talks else np.nan,
        **measures(noted),
        **{f"true_{name}": value for name, value in truth.items()},
        "offered": len(entry.options),
        "breaches": len(entry.breaches),
        "missing": list(noted.values()).count(None),
        "agreed": 100 * max(agreed.values(), default=0) / len(members),
    }


# ---- what the paper's statements compare

NAMES = [
    {
        "n = 3": "n = 3, K = 2",
        "n = 4": "n = 4, K = 2",
        "n = 5": "n = 5, K = 2",
    },
    {
        "K = 2": "n = 5, K = 2",
        "K = 3": "n = 5, K = 3",
        "K = 4": "n = 5, K = 4",
    },
    {
        "without database": "n = 5, K = 2",
        "database": "n = 5, K = 2, database",
    },
]
"""What sections 6.1 to 6.3 call their settings."""


def results(rounds: pd.DataFrame) -> pd.DataFrame:
    """What statements read of rounds with a `setting` and a `design`: row, column, value, se, n.

    Rows "<measure>" (of the last round), "<measure>@1" and "change of <measure>" have
    settings as columns, rows "<measure> of <setting>" designs. Between two columns
    stands their difference over the same groups, "<one> - <other>". Interactions change
    in percent of round 1, the others in their own units. "correlation with the change
    of ratio" is Spearman's, over groups and settings.
    """
    group = ["setting", "design", "repetition"]
    last = rounds.loc[rounds.groupby(group)["round"].idxmax()].set_index(group)
    first = rounds[rounds["round"] == 1].set_index(group)
    ends = last[MEASURES].xs("rounds", level="design")
    starts = first[MEASURES].xs("rounds", level="design")
    change: Any = ends - starts
    change["interactions"] *= 100 / starts["interactions"]
    when = {"{}": ends, "{}@1": starts, "change of {}": change}

    tables = {}
    for measure in MEASURES:
        for form, values in when.items():
            wide = values[measure].unstack("setting")
            families = []
            for names in NAMES:
                family = wide.reindex(columns=list(names.values()))
                family.columns = pd.Index(names)
                families.append(with_pairs(family))
            tables[form.format(measure)] = pd.concat(families, axis="columns")
        designs = last[measure].unstack("design")
        for setting, wide in designs.groupby("setting"):
            tables[f"{measure} of {setting}"] = with_pairs(wide.droplevel("setting"))
    cells = means(pd.concat(tables, axis="columns", names=["row", "column"]))
    return pd.concat([cells, _correlations(change)], ignore_index=True)


def with_pairs(wide: pd.DataFrame) -> pd.DataFrame:
    """A table of groups by conditions, and the differences of each two conditions."""
    pairs = {f"{a} - {b}": wide[a] - wide[b] for a, b in combinations(wide, 2)}
    return wide.assign(**pairs)


def means(wide: pd.DataFrame) -> pd.DataFrame:
    """Mean, standard error and count of each column that has values: value, se, n."""
    found = {
        "value": wide.mean(),
        "se": wide.sem(),
        "n": wide.count(),
    }
    return pd.DataFrame(found).dropna(subset=["value"]).reset_index()


def _correlations(change: pd.DataFrame) -> pd.DataFrame:
    """With the error of a correlation near zero (Fisher's) of so many groups."""
    found = change.corr("spearman", min_periods=4)["ratio"]
    found = found.drop("ratio").dropna().rename_axis("column")
    groups = change.index.get_level_values("repetition").nunique()
    table = found.rename("value").reset_index()
    table["row"] = "correlation with the change of ratio"
    table["se"] = 1 / np.sqrt(max(groups - 3, 1))
    return table.assign(n=groups)
