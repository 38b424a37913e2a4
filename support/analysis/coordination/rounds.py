"""From records to one row for each run and round: the four metrics of section 5.3, and the same on the truth.

`satisfaction_ratio` is in percent, `satisfaction_score` in points of 0 to 3, `equity` a Gini coefficient (lower is more
even), `interactions` the members' mean number of turns. `true_ratio`, `true_score` and `true_equity` are the
same candidate's on the audit, that is on the members' true preferences; `chance_ratio` and `chance_score` what a start
drawn at random is worth by the same preferences, `best_ratio` and `best_score` what the best one is.

Cases that the paper leaves open: a round without any option satisfies nobody (ratio 0, score 0, equity 1). A round
whose candidate has no scores, because the evaluator's reply did not fit its form, has no metrics (NaN). Where nothing
was said, as in the design without conversation, `interactions` is NaN ("n/a" in Table 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.meetings.records import Coordination, CoordinationRound, Score
from support.meetings.satisfaction import equity, satisfaction_ratio, satisfaction_score
from support.runs.study import Unit, flat

METRICS = ("interactions", "satisfaction_ratio", "satisfaction_score", "equity")
"""The metrics of section 5.3, in the order of Figures 4 to 6."""

TRUE = ("true_ratio", "true_score", "true_equity")
COUNTS = ("proposed", "breaches", "format_errors")
YARDSTICK = ("chance_ratio", "best_ratio", "chance_score", "best_score")
MEASURES = (*METRICS, *TRUE, *YARDSTICK, *COUNTS)


def rounds_of(
    records: Iterable[tuple[Unit | Mapping[str, Any], Coordination]], *, printed: bool = False
) -> pd.DataFrame:
    """One row for each run and round.

    Parameters
    ----------
    records : pairs of a unit and its record, as `Store.records` gives them; or settings as a mapping
    printed : bool
        Equity as equation (3) is printed, divided by n once more, in the place of the Gini coefficient.

    Returns
    -------
    DataFrame
        The settings, `repetition`, `meeting` (its id), `members` (n), `round`, and the columns of `MEASURES`:
        the metrics, the same on the truth, and how many options were `proposed`, how many `breaches` of the protocol
        and `format_errors` there were.
    """
    rows = [
        {**head(unit), "meeting": record.meeting["id"], "members": len(record.members), "round": r.number}
        | _measures(r, record.members, printed)
        | _yardstick(record, i)
        for unit, record in records
        for i, r in enumerate(record.rounds)
    ]
    return pd.DataFrame(rows)


def final(frame: pd.DataFrame) -> pd.DataFrame:
    """The last round of each run: what the group ends with."""
    need_columns(frame, ["round"], "rounds")
    return frame.loc[frame.groupby(run_columns(frame), dropna=False)["round"].idxmax().sort_values()].reset_index(
        drop=True
    )


def run_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that tell runs apart: all but the round and what was measured in it."""
    return [str(column) for column in frame if column not in (*MEASURES, "round")]


def name_settings(frame: pd.DataFrame) -> pd.DataFrame:
    """With a column `setting`, as Table 1 heads its parts: "n = 5, K = 2", "n = 5, K = 4, database".

    Parameters
    ----------
    frame : members (n), options (K) and, where it is there, database (whether the coordinator sees it)
    """
    need_columns(frame, ["members", "options"], "rounds")
    names = "n = " + frame["members"].astype(str) + ", K = " + frame["options"].astype(str)
    if "database" in frame:
        names += frame["database"].map({True: ", database", False: ""}).fillna("")
    return frame.assign(setting=names)


def head(unit: Unit | Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a unit as cells, with its repetition."""
    if isinstance(unit, Unit):
        return {**flat(unit.settings), "repetition": unit.repetition}
    return flat(unit)


def _measures(entry: CoordinationRound, members: Sequence[str], printed: bool) -> dict[str, float]:
    nobody = [] if entry.options else [0] * len(members)
    ours, true = (_values(scores, entry.candidate) or nobody for scores in (entry.scores, entry.audit))
    return {
        "interactions": _interactions(entry),
        **dict(zip(METRICS[1:], _satisfaction(ours, printed), strict=True)),
        **dict(zip(TRUE, _satisfaction(true, printed), strict=True)),
        "proposed": len(entry.options),
        "breaches": len(entry.breaches),
        "format_errors": len(entry.format_errors),
    }


def _yardstick(record: Coordination, place: int) -> dict[str, float]:
    """Of one round, ratios in percent; NaN for a run that was kept without."""
    known = record.settings.get("yardstick") or []
    of_round = known[place] if place < len(known) else {}
    return {name: of_round.get(name, np.nan) * (100 if name.endswith("ratio") else 1) for name in YARDSTICK}


def _values(scores: Sequence[Score], option: str | None) -> list[int]:
    return [score.value for score in scores if score.option == option]


def _satisfaction(values: Sequence[int], printed: bool) -> tuple[float, float, float]:
    if not values:
        return float("nan"), float("nan"), float("nan")
    return 100 * satisfaction_ratio(values), satisfaction_score(values), equity(values, printed=printed)


def _interactions(entry: CoordinationRound) -> float:
    if not any(conversation.turns for conversation in entry.conversations):
        return float("nan")
    return float(np.mean([conversation.interactions for conversation in entry.conversations]))
