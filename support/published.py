"""The numbers that the studied papers print, in `data/inputs/published`; its README explains the columns."""

from __future__ import annotations

import pandas as pd

from support.data import inputs
from support.errors import InvalidInput


def known() -> list[str]:
    """The papers whose numbers are recorded."""
    return sorted(path.stem for path in inputs("published").glob("*.csv"))


def load(seed: str, table: str | None = None) -> pd.DataFrame:
    """The published numbers of a paper, or of one table of it: table, row, column, value and spread (floats, NaN where
    none is printed), unit, note."""
    if seed not in known():
        raise InvalidInput(
            f"no published numbers of {seed!r} are recorded; there are: {', '.join(known())}."
        )
    frame = pd.read_csv(
        inputs("published") / f"{seed}.csv", dtype=str, keep_default_na=False
    )
    frame = frame.assign(
        **{name: pd.to_numeric(frame[name]) for name in ("value", "spread")}
    )
    if table is None:
        return frame
    if table not in set(frame["table"]):
        raise InvalidInput(
            f"{table!r} of {seed} is not recorded; there are: {', '.join(frame['table'].unique())}."
        )
    return frame[frame["table"] == table].reset_index(drop=True)


def statements(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows ("direction") that hold a statement in the place of a number: where it stands, in short, in words."""
    chosen = frame.loc[frame["column"] == "direction", ["table", "row", "note"]]
    return chosen.rename(columns={"table": "where", "row": "statement"}).reset_index(
        drop=True
    )
