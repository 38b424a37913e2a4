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
    meetings_that_fit,
    readings,
    setting_of,
)
from support.errors import InvalidInput
from support.meetings.satisfaction import equity, satisfaction_ratio, satisfaction_score

PAPER = published.load("000_cf17db17b5f2de1a")
TABLES = PAPER[PAPER["table"].map(setting_of).notna()]
TABLE_1 = TABLES[TABLES["table"] != "Table 2"]

NAME = "Table 1 n = 5, K = 2"
MEETINGS = st.tuples(st.integers(3, 5), st.integers(17, 21)).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 3), min_size=size[0], max_size=size[0]), min_size=size[1], max_size=size[1]
    )
)


def printed(meetings, reading=FOUND):
    """A row of Table 1 as the paper would print it of these meetings."""
    n, m, way = len(meetings[0]), len(meetings), READINGS[reading]
    values = {
        "satisfaction_ratio": [100 * satisfaction_ratio(row) for row in meetings],
        "satisfaction_score": [satisfaction_score(row) for row in meetings],
        "equity": [equity(row) for row in meetings],
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
    return set(zip(found["table"].str.removeprefix("Table 1 "), found["row"], strict=True))


def test_two_printed_scores_are_more_than_three_times_their_ratio():
    assert failures("score <= 3 ratio") == {
        ("n = 4, K = 2", "no conversation"),
        ("n = 5, K = 4, database", "no conversation"),
    }


def test_eight_printed_equities_of_table_1_are_below_one_minus_their_ratio():
    assert failures("equity >= 1 - ratio") == {
        ("n = 3, K = 2", "no conversation"),
        ("n = 4, K = 2", "no conversation"),
        ("n = 4, K = 2", "single round"),
        ("n = 5, K = 2", "no conversation"),
        ("n = 5, K = 3", "no conversation"),
        ("n = 5, K = 4", "rounds"),
        ("n = 5, K = 4, database", "no conversation"),
        ("n = 5, K = 4, database", "rounds"),
    }
    assert failures("equity >= 1 - ratio", TABLES[TABLES["table"] == "Table 2"]) == {("Table 2", "perturbations 0")}


def test_no_printed_score_is_below_its_ratio():
    assert not failures("score >= ratio")


def test_twelve_of_eighteen_printed_ratios_are_none_of_twenty_meetings():
    assert len(failures("20 meetings")) == 12


def test_a_failure_is_counted_after_rounding_in_its_favour():
    cell = check_table(TABLE_1).query("check == 'score <= 3 ratio' and table == 'Table 1 n = 4, K = 2'").iloc[0]
    assert cell["by"] == pytest.approx(1.81 - 0.005 - 3 * (0.5833 + 0.00005))


@settings(max_examples=60, deadline=None)
@given(MEETINGS)
def test_property_a_table_of_real_meetings_breaks_no_bound(meetings):
    checked = check_table(printed(meetings))
    assert checked[checked["check"] != "20 meetings"]["holds"].all()
    assert len(meetings) in meetings_that_fit(printed(meetings)["value"][0], len(meetings[0]))


def test_bounds_use_decimals():
    frame = pd.DataFrame(
        [(NAME, "rounds", "satisfaction_ratio", 48.57), (NAME, "rounds", "equity", 0.5)],
        columns=["table", "row", "column", "value"],
    )
    checks = [check_table(frame, decimals=d).set_index("check")["holds"]["equity >= 1 - ratio"] for d in (1, 2)]
    assert checks == [True, False]


@given(st.integers(1, 30), st.integers(1, 6), st.data())
def test_property_the_number_of_meetings_fits_its_own_ratio(m, n, data):
    k = data.draw(st.integers(0, m * n))
    assert m in meetings_that_fit(round(100 * k / (m * n), 2), n)


def test_some_ratios_fit_one_number_of_meetings_only():
    assert meetings_that_fit(78.33, 3, most=30) == (20,)
    assert meetings_that_fit(41.18, 5) == (17,)
    assert set(range(1, 31)) == set(meetings_that_fit(60.0, 5))


def test_the_printed_ratios_imply_17_to_21_meetings():
    found = identified(TABLE_1).set_index(["table", "row"])["meetings"]
    assert set(found) == {17, 18, 19, 20, 21}
    assert found["Table 1 n = 5, K = 3", "rounds"] == 17
    assert found["Table 1 n = 4, K = 2", "no conversation"] == 18


def test_all_printed_intervals_are_possible_as_90_percent_and_none_as_the_text_says():
    table = readings(TABLES).set_index("reading")
    assert table.loc[FOUND, "fit"] == table.loc[FOUND, "rows"] == 21
    assert table.iloc[0]["fit"] == 0
    assert (table["by_chance"] < 1).all()


@settings(max_examples=25, deadline=None)
@given(MEETINGS, st.sampled_from(sorted(READINGS)))
def test_property_an_interval_is_possible_under_the_reading_that_made_it(meetings, reading):
    frame = printed(meetings, reading)
    assert readings(frame).set_index("reading").loc[reading, "fit"] == 1


@settings(max_examples=25, deadline=None)
@given(MEETINGS)
def test_property_what_is_identified_is_what_was_there(meetings):
    row = identified(printed(meetings)).iloc[0]
    if not np.isnan(row["squares"]):
        counts = np.array([sum(s > 0 for s in meeting) for meeting in meetings])
        assert (row["meetings"], row["satisfied"], row["squares"]) == (len(meetings), counts.sum(), (counts**2).sum())


def test_the_interval_of_95_percent_is_a_fifth_wider_than_the_printed_one():
    found = identified(TABLE_1)
    assert (found["half_95"] / found["half"]).between(1.2, 1.28).all()


def test_other_tables_and_impossible_numbers_are_refused():
    with pytest.raises(InvalidInput, match="'Table 3' given; expected a setting of Table 1"):
        check_table(PAPER[PAPER["table"] == "Table 3"].assign(column="satisfaction_ratio").head(1))
    with pytest.raises(InvalidInput, match="percent 120"):
        meetings_that_fit(120, 5)
    with pytest.raises(InvalidInput, match="expected one of"):
        identified(TABLE_1, "by eye")
