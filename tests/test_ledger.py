"""The ledger of what is printed and what each participant made of it."""

import pandas as pd
import pytest

from support import ledger, tables
from support.analysis.claims import above, check_claims
from support.errors import InvalidInput

OURS = pd.DataFrame({"row": ["a", "b"] * 2, "column": "x", "value": [1.0, 3.0, 2.0, 2.0], "se": 0.1, "n": 30,
                     "participant": ["mixed", "mixed", "model:m", "model:m"]})  # fmt: skip
PRINTED = pd.DataFrame(
    {
        "row": ["a", "b"],
        "column": "x",
        "value": [1.0, 1.0],
        "spread": [0.1, 0.1],
        "note": "",
    }
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("CONVENE_LEDGER", str(tmp_path))
    return tmp_path


def test_cells_of_each_participant_come_back_and_a_second_run_replaces_them(here):
    table = tables.against_published(OURS, PRINTED, margin=0.5)
    ledger.keep("20", "001", "Table 1", table.head(1))
    ledger.keep("20", "001", "Table 1", table)
    kept = ledger.load("cells", here)
    assert list(kept["participant"]) == [
        "mixed",
        "mixed",
        "model:m",
        "model:m",
    ] and set(kept["what"]) == {"Table 1"}
    assert list(kept["verdict"]) == ["agrees", "differs", "differs", "differs"]
    shown = tables.wide(table)
    assert (
        list(shown["source"]) == ["paper", "mixed", "model:m"] * 2
        and shown["x"].iloc[5] == "2.00 (0.10)"
    )


def test_statements_get_a_row_for_each_participant(here):
    said = pd.DataFrame({"table": ["5.1"], "statement": ["b leads"], "note": ["yes"]})
    checks = {"b leads": above(["b"], ["a"], "x")}
    ledger.keep(
        "20", "001", "statements", check_claims(OURS, said, checks), results=OURS
    )
    ledger.keep(
        "21",
        "001",
        "statements",
        check_claims(OURS[:2].drop(columns="participant"), said, checks),
        "linear",
    )
    kept = ledger.load("statements", here)
    assert list(zip(kept["participant"], kept["verdict"], strict=True)) == [
        ("mixed", "yes"), ("model:m", "too close to call"), ("linear", "yes")]  # fmt: skip
    assert list(ledger.load("results", here)["value"]) == [1.0, 3.0, 2.0, 2.0]
    assert (
        set(kept["note"]) == {"yes"} and kept["evidence"].str.startswith("b - a").all()
    )
    assert len(set(kept["evidence"][:2])) == 2, "each has its own numbers"


def test_a_frame_that_is_neither_or_says_nobody_is_refused(here):
    with pytest.raises(InvalidInput, match="no verdict"):
        ledger.keep("20", "001", "Table 1", OURS)
    with pytest.raises(InvalidInput, match="who produced it"):
        ledger.keep(
            "20",
            "001",
            "Table 1",
            tables.against_published(OURS, PRINTED).drop(columns="participant"),
        )
