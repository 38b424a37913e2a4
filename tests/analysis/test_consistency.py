"""Which numbers of meetings the printed ratios and intervals of Table 1 and 2 imply."""

from itertools import combinations_with_replacement
from math import inf

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from support import published
from support.analysis.consistency import (
    FOUND,
    Reading,
    fitting,
    identified,
    possible,
    ratios,
    with_standard_errors,
)

PAPER = published.load("000")
TABLES = PAPER[PAPER["table"].str.startswith(("Table 1", "Table 2"))]


def printed(n, counts, way):
    """The ratio as the paper would print it of the satisfied members of meetings."""
    m = len(counts)
    shares = 100 * np.array(counts) / n
    quantile = t.ppf((1 + way.coverage) / 2, m - 1 if way.df is None else way.df)
    half = quantile * shares.std(ddof=way.lost) / np.sqrt(m)
    return {
        "table": f"Table 1 n = {n}, K = 2",
        "row": "rounds",
        "column": "satisfaction_ratio",
        "value": round(shares.mean(), 2),
        "spread": round(half, 2),
    }


def test_printed_ratios_imply_17_to_21_meetings_and_intervals_of_90_percent():
    found = identified(TABLES[TABLES["table"] != "Table 2"])
    assert {*found.values()} == {17, 18, 19, 20, 21} and len(found) == 18
    assert found["Table 1 n = 5, K = 3", "rounds"] == 17
    every = ratios(TABLES)
    assert len(every) == 21 and all(fitting(cell, FOUND) for cell in every)


@pytest.mark.parametrize("reading", [FOUND, Reading(0.95, inf, 1)])
def test_of_two_members_all_that_is_possible_is_what_some_meetings_give(reading):
    given = set()
    for counts in combinations_with_replacement(range(3), 3):
        row = printed(2, counts, reading)
        given.add((row["value"], row["spread"]))
    for ratio in {ratio for ratio, _ in given}:
        halves = [h / 100 for h in range(9_000)]
        found = {(ratio, h) for h in halves if possible(ratio, h, 2, 3, reading)}
        assert found == {cell for cell in given if cell[0] == ratio}


def test_a_half_width_becomes_the_standard_error_of_its_meetings():
    counts = [3, 2, 2, 0, 1, 3, 3, 1, 2, 0, 3, 2, 1, 1, 3, 2, 0, 3, 2, 1]
    own = pd.DataFrame([printed(3, counts, FOUND)])
    shares = 100 * np.array(counts) / 3
    expected = shares.std(ddof=1) / np.sqrt(20)
    [spread] = with_standard_errors(own)["spread"]
    assert abs(spread - expected) < 0.01
