"""What each notebook found beside the papers: cells and statements, with verdicts.

A run keeps its own in `build/ledger` or `build/runs/…/ledger`; those of the committed
notebooks are in `data/ledger`. The findings notebook and the reports of `make paper`
are made of them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from support import published
from support.analysis.frames import need_columns
from support.data import ROOT, output, partial

COMMITTED = ROOT / "data" / "ledger"
ABOUT = ("notebook", "paper", "what", "participant")
FIGURES = (
    "published",
    "published_se",
    "ours",
    "ours_se",
    "n",
    "difference",
    "low",
    "high",
    "margin",
)
COLUMNS = {
    "cells": ("row", "column", *FIGURES, "verdict"),
    "statements": ("where", "statement", "verdict", "evidence", "note"),
    "results": ("row", "column", "value", "se", "n"),
}
"""What a row of each kind holds beside `ABOUT` and what was unfinished (`partial`)."""
NUMBERS = (*FIGURES, "value", "se")


def keep(
    notebook: str,
    paper: str,
    what: str,
    frame: pd.DataFrame,
    results: pd.DataFrame | None = None,
) -> None:
    """Keep cells of `against_published`, or statements of `claims.check`, of this run.

    `notebook` is its number ("20"), `paper` that of the paper ("001"), `what` the table
    as the paper calls it, or "statements", with the `results` that they were tested on.
    What was kept before under the three is replaced.
    """
    kinds = {"statements" if "statement" in frame else "cells": frame}
    if results is not None:
        kinds["results"] = results
    folder = Path(os.environ.get("CONVENE_LEDGER") or output("build", "ledger"))
    folder.mkdir(parents=True, exist_ok=True)
    letters = "".join(c if c.isalnum() else " " for c in what.lower())
    name = "-".join(letters.split())
    for kind, rows in kinds.items():
        columns = COLUMNS[kind]
        need_columns(rows, ["participant", *columns], f"ledger: the {kind}")
        about = {"notebook": notebook, "what": what}
        about["paper"] = published.number(paper)
        rows = rows.assign(**about, partial=partial())[[*ABOUT, *columns, "partial"]]
        for number in set(NUMBERS) & set(rows):  # the same on every machine
            rows[number] = rows[number].astype(float).map("{:.6g}".format).astype(float)
        path = folder / f"{notebook}_{kind}_{name}.csv"
        rows.to_csv(path, index=False, lineterminator="\n")


def load(kind: str, *folders: str | Path) -> pd.DataFrame:
    """All rows of a kind ("cells", "statements", "results") in folders' ledgers.

    By default the committed one. A later folder adds the participants that the earlier
    ones do not have in the same notebook and table.
    """
    columns = [*ABOUT, *COLUMNS[kind], "partial"]
    found = [pd.DataFrame(columns=columns)]
    for folder in folders or (COMMITTED,):
        for path in sorted(Path(folder).glob(f"*_{kind}_*.csv")):
            rows = pd.read_csv(path, dtype=str, keep_default_na=False)
            numbers = [name for name in NUMBERS if name in rows]
            rows[numbers] = rows[numbers].apply(pd.to_numeric)
            found.append(rows)
    every = pd.concat(found[1:] or found, ignore_index=True)
    keys = ["where", "statement"] if kind == "statements" else ["row", "column"]
    return every.drop_duplicates([*ABOUT, *keys], ignore_index=True)


def folders() -> list[Path]:
    """Where ledgers are: the committed one, and those of runs here, the last first."""
    runs = output("build", "runs").glob("*/ledger")
    last = sorted(runs, key=lambda path: path.stat().st_mtime, reverse=True)
    return [COMMITTED, *last]
