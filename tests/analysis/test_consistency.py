"""What the printed tables of Papachristou, Yang and Hsu can and cannot be, and that a check finds what was planted."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import published
from support.analysis.consistency import (
    FOUND,
    READINGS,
    check_table,
    identified,
    readings,
)
from support.meetings.satisfaction import equity, satisfaction_ratio, satisfaction_score

PAPER = published.load("000_cf17db17b5f2de1a")
TABLES = PAPER[PAPER["table"].str.startswith(("Table 1", "Table 2"))]
TABLE_1 = TABLES[TABLES["table"] != "Table 2"]
MEETINGS = st.tuples(st.integers(3, 5), st.integers(17, 21)).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 3), min_size=size[0], max_size=size[0]),
        min_size=size[1],
        max_size=size[1],
    )
)


def printed(meetings, reading=FOUND):
    """A row of Table 1 as the paper would print it of these meetings."""
    n, m, way = len(meetings[0]), len(meetings), READINGS[reading]
    measures = {"satisfaction_ratio": lambda row: 100 * satisfaction_ratio(row),
                "satisfaction_score": satisfaction_score, "equity": equity}  # fmt: skip
    values = {
        name: [measure(row) for row in meetings] for name, measure in measures.items()
    }
    rows = [
        (f"Table 1 n = {n}, K = 2", "rounds", name, round(np.mean(x), 2),
         round(way.quantile(m) * np.std(x, ddof=way.lost) / np.sqrt(m), 2))
        for name, x in values.items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["table", "row", "column", "value", "spread"])


def failures(check, table=TABLE_1):
    found = check_table(table)
    found = found[(found["check"] == check) & ~found["holds"]]
    return set(
        zip(found["table"].str.removeprefix("Table 1 "), found["row"], strict=True)
    )


def silent(*settings):
    return {(setting, "no conversation") for setting in settings}


def test_what_of_the_printed_tables_cannot_be():
    assert len(failures("20 meetings")) == 12 and not failures("score >= ratio")
    assert failures("score <= 3 ratio") == silent(
        "n = 4, K = 2", "n = 5, K = 4, database"
    )
    spoken = {
        ("n = 4, K = 2", "single round"),
        ("n = 5, K = 4", "rounds"),
        ("n = 5, K = 4, database", "rounds"),
    }
    settings = (
        "n = 3, K = 2",
        "n = 4, K = 2",
        "n = 5, K = 2",
        "n = 5, K = 3",
        "n = 5, K = 4, database",
    )
    assert failures("equity >= 1 - ratio") == spoken | silent(*settings)
    assert failures("equity >= 1 - ratio", TABLES[TABLES["table"] == "Table 2"]) == {
        ("Table 2", "perturbations 0")
    }
    cell = (
        check_table(TABLE_1)
        .query("check == 'score <= 3 ratio' and table == 'Table 1 n = 4, K = 2'")
        .iloc[0]
    )
    assert cell["by"] == pytest.approx(
        1.81 - 0.005 - 3 * (0.5833 + 0.00005)
    )  # after rounding in its favour


def test_the_printed_ratios_imply_17_to_21_meetings_and_intervals_of_90_percent():
    found = identified(TABLE_1)
    assert set(found.values()) == {17, 18, 19, 20, 21} and len(found) == 18
    assert found["Table 1 n = 5, K = 3", "rounds"] == 17
    table = readings(TABLES).set_index("reading")
    assert table.loc[FOUND, "fit"] == table.loc[FOUND, "rows"] == 21
    assert table.iloc[0]["fit"] == 0 and (table["by_chance"] < 1).all()


@settings(max_examples=15, deadline=None)
@given(MEETINGS, st.sampled_from(sorted(READINGS)))
def test_property_real_meetings_break_no_bound_and_fit_their_number_and_the_reading_of_their_interval(
    meetings, reading
):
    checked = check_table(printed(meetings)).set_index("check")
    assert checked.drop(index="20 meetings")["holds"].all()
    fits = (
        checked.loc["20 meetings", "note"]
        .removeprefix("fits ")
        .split(" of ")[0]
        .split(", ")
    )
    assert str(len(meetings)) in fits and checked.loc["20 meetings", "holds"] == (
        "20" in fits
    )
    assert (
        readings(printed(meetings, reading)).set_index("reading").loc[reading, "fit"]
        == 1
    )
    assert set(identified(printed(meetings)).values()) <= {len(meetings)}
