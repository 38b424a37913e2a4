"""The numbers that the studied papers print, read from `data/inputs/published` and checked."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from support.data import inputs
from support.errors import DamagedFile, InvalidInput

COLUMNS = ("table", "row", "column", "value", "spread", "unit", "note")
STATEMENT = "direction"
"""The `column` of rows that hold what a text states without a number."""


def load(seed: str, table: str | None = None) -> pd.DataFrame:
    """The published numbers of one paper, or of one table of it.

    Returns
    -------
    DataFrame
        table, row, column, value, spread, unit, note; value and spread are floats, NaN where the
        paper prints none. `data/inputs/published/README.md` explains the columns.

    Raises
    ------
    InvalidInput
        No such paper or table; the message lists those that exist.
    DamagedFile
        The file has other columns, a value that is no number, or the same cell twice.
    """
    path = _path(seed)
    raw = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    _check_columns(raw, path)
    _check_cells(raw, path)
    frame = raw.assign(value=_numbers(raw, "value", path), spread=_numbers(raw, "spread", path))
    return frame if table is None else _one_table(frame, table, seed)


def statements(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that hold a statement in the place of a number: where it stands, in short, in words."""
    chosen = frame.loc[frame["column"] == STATEMENT, ["table", "row", "note"]]
    return chosen.rename(columns={"row": "statement"}).reset_index(drop=True)


def _path(seed: str) -> Path:
    folder = inputs("published")
    known = sorted(path.stem for path in folder.glob("*.csv"))
    if seed not in known:
        raise InvalidInput(f"no published numbers of {seed!r} are recorded; there are: {', '.join(known) or 'none'}.")
    return folder / f"{seed}.csv"


def _one_table(frame: pd.DataFrame, table: str, seed: str) -> pd.DataFrame:
    chosen = frame[frame["table"] == table].reset_index(drop=True)
    if chosen.empty:
        known = ", ".join(frame["table"].unique())
        raise InvalidInput(f"{table!r} of {seed} is not recorded; there are: {known}.")
    return chosen


def _check_columns(raw: pd.DataFrame, path: Path) -> None:
    if tuple(raw.columns) != COLUMNS:
        raise DamagedFile(f"{path} has the columns {', '.join(raw.columns)}; expected: {', '.join(COLUMNS)}.")


def _check_cells(raw: pd.DataFrame, path: Path) -> None:
    for name in ("table", "row", "column"):
        if (raw[name] == "").any():
            raise DamagedFile(f"{path}, line {_line(raw[name] == '')}: {name} is empty; every row names its place.")
    twice = raw.duplicated(["table", "row", "column"])
    if twice.any():
        where = ", ".join(raw.loc[twice, ["table", "row", "column"]].iloc[0])
        raise DamagedFile(f"{path}, line {_line(twice)}: {where} is there twice; one row per printed number.")
    bare = (raw["value"] == "") != (raw["column"] == STATEMENT)
    if bare.any():
        raise DamagedFile(f"{path}, line {_line(bare)}: a statement has no value, and every other row has one.")


def _numbers(raw: pd.DataFrame, name: str, path: Path) -> pd.Series[float]:
    values = pd.to_numeric(raw[name], errors="coerce")
    wrong = (raw[name] != "") & ~values.between(-1e9, 1e9)
    if wrong.any():
        row = raw[wrong].iloc[0]
        cell = f"{row['table']}, {row['row']}, {row['column']}"
        raise DamagedFile(f"{path}, line {_line(wrong)} ({cell}): {name} {row[name]!r} is no number.")
    return values


def _line(wrong: pd.Series[bool]) -> int:
    # The header is line 1; no cell of these files holds a line break.
    return int(wrong.to_numpy().argmax()) + 2
