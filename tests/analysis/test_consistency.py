"""Which numbers of meetings printed ratios and intervals of Papachristou et al. imply."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from support import published
from support.analysis.consistency import (
    FOUND,
    READINGS,
    identified,
    possible,
    readings,
)

PAPER = published.load("000_cf17db17b5f2de1a")
TABLES = PAPER[PAPER["table"].str.startswith(("Table 1", "Table 2"))]
COUNTS = st.tuples(st.integers(3, 5), st.integers(17, 21)).flatmap(
    lambda size: st.tuples(
        st.just(size[0]),
        st.lists(st.integers(0, size[0]), min_size=size[1], max_size=size[1]),
    )
)


def printed(n, counts, way):
    """The ratio as the paper would print it of the satisfied members of meetings."""
    m, shares = len(counts), 100 * np.array(counts) / n
    quantile = t.ppf((1 + way.coverage) / 2, m - 1 if way.df is None else way.df)
    half = quantile * shares.std(ddof=way.lost) / np.sqrt(m)
    row = {
        "table": f"Table 1 n = {n}, K = 2",
        "row": "rounds",
        "column": "satisfaction_ratio",
        "value": round(shares.mean(), 2),
        "spread": round(half, 2),
    }
    return pd.DataFrame([row])


def test_printed_ratios_imply_17_to_21_meetings_and_intervals_of_90_percent():
    found = identified(TABLES[TABLES["table"] != "Table 2"])
    assert {*found.values()} == {17, 18, 19, 20, 21} and len(found) == 18
    assert found["Table 1 n = 5, K = 3", "rounds"] == 17
    fits = readings(TABLES).set_index("reading")
    assert fits.loc[FOUND, "fit"] == fits.loc[FOUND, "rows"] == 21
    assert fits["fit"].nlargest(2).iloc[1] == 6 and (fits["by_chance"] < 1).all()


@settings(max_examples=15, deadline=None)
@given(COUNTS, st.sampled_from(sorted(READINGS)))
def test_property_real_meetings_fit_their_number_and_the_reading_of_their_interval(
    drawn, reading
):
    n, counts = drawn
    table = printed(n, counts, READINGS[reading])
    ratio, half = table.loc[0, ["value", "spread"]]
    assert possible(ratio, half, n, len(counts), READINGS[reading])
    own = identified(printed(n, counts, READINGS[FOUND]))
    assert {*own.values()} <= {len(counts)}
