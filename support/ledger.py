"""What each notebook found beside the papers: printed cells and statements, each participant's, and the verdicts.

A run keeps its own in `build/ledger` or `build/runs/…/ledger`; those of the committed notebooks are in `data/ledger`.
The findings notebook and the reports of `make paper` are made of them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from support.analysis.claims import answers_of
from support.data import ROOT, output, partial
from support.errors import InvalidInput

COMMITTED = ROOT / "data" / "ledger"
COLUMNS = {
    "cells": ("row", "column", "published", "published_se", "ours", "ours_se", "n", "difference", "low", "high",
              "margin", "verdict"),
    "statements": ("where", "statement", "verdict", "evidence", "note"),
    "results": ("row", "column", "value", "se", "n"),
}  # fmt: skip
"""What a row of each kind holds beside notebook, paper, what, participant, and what was unfinished (`partial`)."""
ABOUT = ("notebook", "paper", "what", "participant")
NUMBERS = (
    "published",
    "published_se",
    "ours",
    "ours_se",
    "n",
    "difference",
    "low",
    "high",
    "margin",
    "value",
    "se",
)


def keep(
    notebook: str, paper: str, what: str, frame: pd.DataFrame, participant: str = "",
    results: pd.DataFrame | None = None,
) -> None:  # fmt: skip
    """Keep a comparison of `tables.against_published`, or a table of `check_claims`, in the ledger of this run.

    `notebook` is its number ("20"), `paper` the stem of its published numbers, `what` the table as the paper calls it,
    or "statements", with the `results` that they were tested on. What was kept before under the three is replaced.
    """
    said = "statement" in frame
    if not said and (
        missing := [name for name in ("row", "column", "verdict") if name not in frame]
    ):
        raise InvalidInput(
            f"ledger: the frame has no {', '.join(missing)}; expected one of against_published"
        )
    rows = answers_of(frame, participant) if said and "verdict" not in frame else frame
    _write(notebook, paper, what, "statements" if said else "cells", rows, participant)
    if results is not None:
        _write(notebook, paper, what, "results", results, participant)


def _write(
    notebook: str,
    paper: str,
    what: str,
    kind: str,
    rows: pd.DataFrame,
    participant: str,
) -> None:
    if "participant" not in rows:
        if not participant:
            raise InvalidInput(
                "ledger: participant is empty; a result always says who produced it"
            )
        rows = rows.assign(participant=participant)
    rows = rows.assign(notebook=notebook, paper=paper, what=what, partial=partial())
    rows = rows.reindex(columns=[*ABOUT, *COLUMNS[kind], "partial"])
    numbers = [name for name in NUMBERS if name in rows]
    rows[numbers] = (
        rows[numbers].astype(float).map(lambda x: float(f"{x:.6g}"))
    )  # the same on every machine
    folder = Path(os.environ.get("CONVENE_LEDGER") or output("build", "ledger"))
    folder.mkdir(parents=True, exist_ok=True)
    name = "-".join("".join(c if c.isalnum() else " " for c in what.lower()).split())
    rows.to_csv(
        folder / f"{notebook}_{kind}_{name}.csv", index=False, lineterminator="\n"
    )


def load(kind: str, *folders: str | Path) -> pd.DataFrame:
    """All rows of a kind ("cells", "statements", "results") in the ledgers of folders, by default the committed one.

    A later folder adds the participants that the earlier ones do not have in the same notebook and table.
    """
    columns = [*ABOUT, *COLUMNS[kind], "partial"]
    found = [pd.DataFrame(columns=columns)]
    text = dict.fromkeys(set(columns) - set(NUMBERS), str)
    for folder in folders or (COMMITTED,):
        paths = sorted(Path(folder).glob(f"*_{kind}_*.csv"))
        blank = dict.fromkeys(NUMBERS, "")
        found += [
            pd.read_csv(path, dtype=text, keep_default_na=False, na_values=blank)
            for path in paths
        ]
    every = pd.concat([part for part in found if len(part)] or found, ignore_index=True)
    keys = [
        *ABOUT,
        *(("where", "statement") if kind == "statements" else ("row", "column")),
    ]
    return every.drop_duplicates(keys, ignore_index=True)


def folders() -> list[Path]:
    """Where ledgers are: the committed one, and that of every run on this machine."""
    runs = sorted(
        output("build", "runs").glob("*/ledger"), key=lambda path: path.stat().st_mtime
    )
    return [COMMITTED, *reversed(runs)]
