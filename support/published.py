"""The numbers that the studied papers print, in `data/inputs/published`; its README explains the columns."""

from __future__ import annotations

import pandas as pd

from support.data import inputs
from support.errors import InvalidInput

PAPERS = {
    "000": "Leveraging Large Language Models for Collective Decision-Making",
    "001": "RoundTable: Investigating Group Decision Making Mechanism in Multi-Agent "
    "Collaboration",
    "002": "DoubleAgents: Interactive Simulations for Alignment in Agentic AI",
    "003": "Investigating Language Models for Supporting Complex Group Decisions",
}


def number(paper: str) -> str:
    """A paper's number, from itself or from how its title begins.

    >>> number("001"), number("RoundTable")
    ('001', '001')
    """
    for known, title in PAPERS.items():
        if paper.startswith(known) or (paper and title.startswith(paper)):
            return known
    there = "; ".join(f"{known} ({title})" for known, title in PAPERS.items())
    raise InvalidInput(f"paper: {paper!r} given; expected one of: {there}")


def load(paper: str, table: str | None = None) -> pd.DataFrame:
    """The published numbers of a paper, or of one table of it: table, row, column, value and spread (floats, NaN where
    none is printed), unit, note."""
    path = inputs("published") / f"{number(paper)}.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    numbers = ["value", "spread"]
    frame[numbers] = frame[numbers].apply(pd.to_numeric)
    if table is None:
        return frame
    tables = frame["table"].unique()
    if table not in tables:
        there = ", ".join(tables)
        raise InvalidInput(f"{table!r} of {paper} is not recorded; there are: {there}")
    return frame[frame["table"] == table].reset_index(drop=True)


def statements(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows ("direction") that hold a statement in the place of a number: where it stands, in short, in words."""
    chosen = frame.loc[frame["column"] == "direction", ["table", "row", "note"]]
    names = {"table": "where", "row": "statement"}
    return chosen.rename(columns=names).reset_index(drop=True)
