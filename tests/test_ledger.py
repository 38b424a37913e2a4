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
PRINTED = pd.DataFrame({"row": ["a", "b"], "column": "x", "value": 1.0, "spread": 0.1})


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("CONVENE_LEDGER", str(tmp_path))
    return tmp_path


def test_cells_of_each_participant_come_back_and_a_second_run_replaces_them(here):
    table = tables.against_published(OURS, PRINTED, margin=0.5)
    ledger.keep("20", "001", "Table 1", table.head(1))
    ledger.keep("20", "001", "Table 1", table)
    kept = ledger.load("cells", here)
    assert kept["participant"].tolist() == ["mixed"] * 2 + ["model:m"] * 2
    assert kept["verdict"].tolist() == ["agrees", "differs", "differs", "differs"]
    assert kept["ours"].tolist() == [1.0, 3.0, 2.0, 2.0]


def test_statements_come_back_with_the_results_they_rest_on_and_later_runs_add(here):
    checked = claims.check("001", "20", OURS)
    ledger.keep("20", "001", "statements", checked, results=OURS)
    kept = ledger.load("statements", here)
    columns = ["where", "statement", "participant", "verdict", "evidence"]
    assert kept[columns].equals(checked[columns])
    assert ledger.load("results", here)["value"].tolist() == OURS["value"].tolist()

    later = here / "later"
    later.mkdir()
    new = kept.head(2).assign(participant=["mixed", "new"], verdict="no")
    new.to_csv(later / "20_statements_x.csv", index=False)
    both = ledger.load("statements", here, later)
    assert both["verdict"].tolist() == [*kept["verdict"], "no"]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (OURS, "the cells has no column 'published'"),
        (claims.check("001", "20", OURS).drop(columns="participant"), "'participant'"),
    ],
)
def test_a_frame_that_is_neither_or_says_nobody_is_refused(frame, message):
    with pytest.raises(InvalidInput, match=message):
        ledger.keep("20", "001", "Table 1", frame)
