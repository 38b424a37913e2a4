"""What each notebook found beside the papers: printed cells and statements, each participant's, and the verdicts.

A run keeps its own beside its notebooks (`build/ledger`, or `build/runs/…/ledger`); those of the committed notebooks
are in `data/ledger`. The findings notebook and the reports of `make paper` are made of them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from support.analysis.claims import answers_of
from support.data import ROOT, output, partial
from support.errors import InvalidInput

COMMITTED = ROOT / "data" / "ledger"
CELLS = ("notebook", "paper", "what", "participant", "row", "column", "published", "ours", "n", "difference", "low",
         "high", "margin", "verdict", "partial")  # fmt: skip
NUMBERS = ("published", "ours", "n", "difference", "low", "high", "margin")
STATEMENTS = (
    "notebook",
    "paper",
    "what",
    "participant",
    "where",
    "statement",
    "verdict",
    "evidence",
    "note",
    "partial",
)


def keep(notebook: str, paper: str, what: str, frame: pd.DataFrame, participant: str = "") -> None:
    """Keep a comparison of `tables.against_published`, or a table of `check_claims`, in the ledger of this run.

    `notebook` is its number ("20"), `paper` the stem of its published numbers, `what` the table as the paper calls it,
    or "statements". What was kept before under the three is replaced. Columns that a comparison lacks stay empty.
    """
    said = "statement" in frame
    if not said and (missing := [name for name in ("row", "column", "verdict") if name not in frame]):
        raise InvalidInput(f"ledger: the frame has no {', '.join(missing)}; expected one of against_published")
    rows = answers_of(frame, participant) if said else frame
    if "participant" not in rows:
        if not participant:
            raise InvalidInput("ledger: participant is empty; a result always says who produced it")
        rows = rows.assign(participant=participant)
    rows = rows.assign(notebook=notebook, paper=paper, what=what, partial=partial())
    rows = rows.reindex(columns=STATEMENTS if said else CELLS).round(6)
    folder = Path(os.environ.get("CONVENE_LEDGER") or output("build", "ledger"))
    folder.mkdir(parents=True, exist_ok=True)
    name = "-".join("".join(c if c.isalnum() else " " for c in what.lower()).split())
    path = folder / f"{notebook}_{'statements' if said else 'cells'}_{name}.csv"
    rows.to_csv(path, index=False, lineterminator="\n")


def load(kind: str, *folders: str | Path) -> pd.DataFrame:
    """All rows of a kind ("cells" or "statements") in the ledgers of some folders, by default the committed one.

    A later folder adds the participants that the earlier ones do not have in the same notebook and table.
    """
    columns = {"cells": CELLS, "statements": STATEMENTS}[kind]
    found = [pd.DataFrame(columns=columns)]
    for folder in folders or (COMMITTED,):
        text = dict.fromkeys(set(columns) - set(NUMBERS), str)
        paths = sorted(Path(folder).glob(f"*_{kind}_*.csv"))
        found += [
            pd.read_csv(path, dtype=text, keep_default_na=False, na_values=dict.fromkeys(NUMBERS, "")) for path in paths
        ]
    every = pd.concat([part for part in found if len(part)] or found, ignore_index=True)
    keys = ["notebook", "what", "participant", *(("row", "column") if kind == "cells" else ("where", "statement"))]
    return every.drop_duplicates(keys, ignore_index=True)


def folders() -> list[Path]:
    """Where ledgers are: the committed one, and that of every run on this machine."""
    runs = sorted(output("build", "runs").glob("*/ledger"), key=lambda path: path.stat().st_mtime)
    return [COMMITTED, *reversed(runs)]
