"""Results of meetings as statements read them, and statements on what breaks them."""

import pandas as pd
import pytest

from support import published
from support.analysis import claims
from support.analysis.claims import NO, UNTESTED, YES
from support.analysis.meetings_claims import results

PAPER = published.load("000_cf17db17b5f2de1a")


def verdicts(frame):
    checked = claims.check("000", "10", frame.assign(participant="p"))
    return checked.drop_duplicates("statement").set_index("statement")["verdict"]


@pytest.fixture
def printed():
    """Tables 1 and 2 and the changes that section 6 prints, as if they were exact."""
    frame = PAPER.dropna(subset=["value"]).assign(se=0.0, n=float("nan"))
    tables = frame[frame["table"].str.startswith("Table 1")]
    settings = tables["table"].str.removeprefix("Table 1 ")
    changes = frame[frame["table"].isin(["text 6.1", "text 6.2", "text 6.3"])]
    changes = changes.assign(column="change of " + changes["column"])
    parts = [
        tables.assign(row=settings + ": " + tables["row"]),
        frame[frame["table"] == "Table 2"],
        changes.drop_duplicates(["row", "column"]),
    ]
    return pd.concat(parts)[["row", "column", "value", "se", "n"]]


def test_the_paper_s_numbers_answer_as_its_text_says(printed):
    tested = verdicts(printed)
    stated = claims.statements("000").query("where.str.match('text 6.[123]')")
    assert set(tested[stated["statement"]]) == {YES, UNTESTED}
    assert tested["n = 5: equity falls over the rounds"] == UNTESTED
    designs = tested.filter(regex="(rounds|conversation) > ")
    assert designs.tolist() == [YES] * 4


ENDS = {
    "n = 3, K = 2": 50,
    "n = 4, K = 2": 52,
    "n = 5, K = 2": 90,
    "n = 5, K = 3": 60,
    "n = 5, K = 4": 50,
    "n = 5, K = 2, database": 55,
}


def study(ends, design="rounds"):
    """Ten meetings of each setting: the ratio rises from 40 to an end; others follow."""
    rows = []
    for name, end in ends.items():
        for i in range(10):
            rows += [(name, f"M{i}", 1, 40 + i % 3), (name, f"M{i}", 2, end + i % 4)]
    columns = ["setting", "meeting", "round", "satisfaction_ratio"]
    frame = pd.DataFrame(rows, columns=columns).assign(design=design)
    ratio = frame["satisfaction_ratio"]
    frame["interactions"] = 300 / ratio
    frame["satisfaction_score"] = ratio / 40
    frame["equity"] = 1 - ratio / 200
    return frame


def test_results_name_a_setting_as_each_section_does():
    cells = results(study(ENDS)).set_index(["row", "column"])["value"]
    for name in ("n = 5", "K = 2", "without database", "n = 5, K = 2: rounds"):
        assert cells[name, "satisfaction_ratio"] == pytest.approx(91.3)
    assert cells["K = 2", "satisfaction_ratio@1"] == pytest.approx(40.9)
    assert cells["K = 2", "change of satisfaction_ratio"] == pytest.approx(123.3, abs=1)
    correlation = cells["all settings", "correlation with satisfaction_score"]
    assert correlation == pytest.approx(1)


def test_a_study_that_goes_the_paper_s_way_says_yes_and_a_reversed_one_no():
    turned = {"n = 5, K = 2": 45, "n = 3, K = 2": 90, "n = 4, K = 2": 85}
    there, back = (verdicts(results(study(ends))) for ends in (ENDS, turned))
    for metric in ("satisfaction_ratio", "interactions"):
        larger = f"n = 5 > n = 3, n = 4: change of {metric}"
        assert (there[larger], back[larger]) == (YES, NO)
