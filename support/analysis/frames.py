"""What every analysis of a tidy frame begins with: a row's settings, and checks of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from support.errors import InvalidInput
from support.runs.frames import cells as flat
from support.runs.frames import head as labelled
from support.runs.study import Unit

PEOPLE = "participants"
SEATED = (PEOPLE, "members", "people", "agents")  # where records name them


def head(unit: Unit | Mapping[str, Any]) -> dict[str, Any]:
    """What a row of an analysis begins with: the settings of a unit as cells, with its repetition."""
    return labelled(unit) if isinstance(unit, Unit) else flat(unit)


def need_columns(
    frame: pd.DataFrame,
    columns: Sequence[str],
    what: str = "the frame",
) -> None:
    """Raise InvalidInput unless `frame` has rows and all of `columns`."""
    absent = [column for column in columns if column not in frame.columns]
    if absent:
        there = ", ".join(map(str, frame.columns)) or "none"
        raise InvalidInput(
            f"{what} has no column {', '.join(map(repr, absent))}; its columns are: {there}."
        )
    if frame.empty:
        raise InvalidInput(
            f"{what} has no rows; {', '.join(map(repr, columns))} need at least one."
        )


def need_keys(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Raise InvalidInput where one of the columns that name a row's group is empty."""
    for column in columns:
        empty = int(frame[column].isna().sum())
        if empty:
            raise InvalidInput(
                f"column {column!r} of the frame is empty in {empty} rows; name the group or drop them."
            )


def numbers(frame: pd.DataFrame, column: str) -> pd.Series[float]:
    """The column as floats; NaN stays, text and infinities raise InvalidInput."""
    try:
        values = frame[column].astype(float)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"column {column!r} must hold numbers: {error}.") from error
    if np.isinf(values).any():
        raise InvalidInput(
            f"column {column!r} holds infinite values; only finite numbers and NaN have a mean."
        )
    return values


def participants(records: Iterable[Any]) -> str:
    """Who sat where in stored records, with or without their units: role by role, in words for a title.

    Everybody who has a name of their own is one of the participants; a role that nobody took is left out.

    >>> from types import SimpleNamespace as Record
    >>> participants([Record(seats={"Ana": "model:gpt-4o", "coordinator": kind}, members=("Ana",)) for kind in "xy"])
    'participants: model:gpt-4o; coordinator: x, y'
    """
    roles: dict[str, list[str]] = {}
    for given in records:
        record = given[1] if isinstance(given, tuple) else given
        there = [name for name in SEATED if hasattr(record, name)]
        people = getattr(record, there[0]) if there else record.seats
        named = set()
        for who in people:
            name = who["name"] if isinstance(who, Mapping) else who
            named.add(getattr(who, "name", name))
        for seat, kind in record.seats.items():
            kinds = roles.setdefault(PEOPLE if seat in named else seat, [])
            if kind not in (*kinds, "none", ""):
                kinds.append(kind)
    told = []
    for role, kinds in roles.items():
        if kinds:
            told.append(f"{role}: {_kinds(kinds, role == PEOPLE)}")
    return "; ".join(told)


def _kinds(kinds: Sequence[str], people: bool = False) -> str:
    """Kinds in words, the styles of rule-based ones in brackets behind them: people are that who are nothing else.

    >>> _kinds(["rule-based terse", "model:gpt-4o", "rule-based plain"]), _kinds(["linear", "human"], people=True)
    ('rule-based (terse, plain), model:gpt-4o', 'rule-based (linear), human')
    """
    rules = []
    for kind in kinds:
        other = people and not kind.startswith(("model", "human"))
        if other or kind.startswith("rule-based"):
            rules.append(kind)
    styles = [kind.removeprefix("rule-based").strip() for kind in rules]
    shown = ", ".join(filter(None, styles))
    told = [f"rule-based ({shown})" if shown else "rule-based"] if rules else []
    return ", ".join([*told, *(kind for kind in kinds if kind not in rules)])
