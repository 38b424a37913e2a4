"""The ledger of what is printed and what each participant made of it."""

import pandas as pd
import pytest

from support import ledger, tables
from support.analysis import claims
from support.errors import InvalidInput

OURS = pd.DataFrame(
    {
        "row": ["a", "b"] * 2,
        "column": "x",
        "value": [1.0, 3.0, 2.0, 2.0],
        "se": 0.1,
        "n": 30,
        "participant": ["mixed", "mixed", "model:m", "model:m"],
    }
)
PRINTED = OURS.head(2).assign(value=1.0, spread=0.1)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("CONVENE_LEDGER", str(tmp_path))
    return tmp_path


def test_cells_of_each_participant_come_back_and_a_second_run_replaces_them(here):
    table = tables.against_published(OURS, PRINTED, margin=0.5)
    ledger.keep("20", "001", "Table 1", table.head(1))
    ledger.keep("20", "001", "Table 1", table)
    kept = ledger.load("cells", here)
    columns = ["participant", "ours", "verdict"]
    assert kept[columns].equals(table[columns])


def test_statements_come_back_with_their_results_and_later_runs_add_participants(
    here, tmp_path_factory
):
    checked = claims.check("001", "20", OURS)
    ledger.keep("20", "001", "statements", checked, results=OURS)
    kept = ledger.load("statements", here)
    columns = ["where", "statement", "participant", "verdict", "evidence"]
    assert kept[columns].equals(checked[columns])
    assert ledger.load("results", here)["value"].equals(OURS["value"])

    later = tmp_path_factory.mktemp("later")
    new = kept.head(2).assign(participant=["mixed", "new"], verdict="no")
    new.to_csv(later / "20_statements_x.csv", index=False)
    both = ledger.load("statements", here, later)
    assert both["verdict"].tolist() == [*kept["verdict"], "no"]


def test_a_frame_that_is_neither_is_refused():
    with pytest.raises(InvalidInput, match="the cells has no column 'published'"):
        ledger.keep("20", "001", "Table 1", OURS)
