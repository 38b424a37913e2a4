"""People's deals beside what was possible."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.bargains import against_solver, counted
from support.errors import InvalidInput


def division(a, b, units=3):
    """Gains of a division: option k of a good gives k units to the first, the rest to the second."""
    k = np.arange(units + 1)
    return tuple(tuple(tuple(map(int, row)) for row in np.outer(w, amount)) for w, amount in ((a, k), (b, k[::-1])))


OPPOSED, ALIKE = division((5, 4, 3), (3, 4, 5)), division((5, 4, 3), (5, 4, 3))


def deals(*rows):
    said = {"satisfaction_a": 5, "satisfaction_b": 4}
    return pd.DataFrame([{"dialogue": i, "gains": g, "plan": p, **said} for i, (g, p) in enumerate(rows)])


def test_deals_are_measured_against_the_fairest_and_the_richest():
    table = against_solver(deals((OPPOSED, (3, 0, 0)), (OPPOSED, (0, 3, 3)), (ALIKE, None)))
    good, wasteful, walked = (row for _, row in table.iterrows())
    assert (good["points_a"], good["points_b"], good["divergence"], good["welfare"]) == (15, 27, 12, 42)
    assert abs(good["fair_a"] - good["fair_b"]) == 4 and good["fair_a"] + good["fair_b"] == 42  # as its figure has it
    assert (good["fair_divergence"], good["fair_welfare"]) == (4, 42)  # sums of opposed priorities are multiples of 8
    assert [(deal["wasted"], deal["efficient"]) for deal in (good, wasteful)] == [(0, True), (12, False)]
    assert not walked["efficient"] and np.isnan(walked["points_a"]) and walked["fair_welfare"] == 36
    told = counted(table, np.random.default_rng(0)).set_index("measure")
    assert told.loc["efficient (Pareto)", ["mean", "n"]].tolist() == [pytest.approx(1 / 3), 3]
    assert told.loc["divergence (points)", ["mean", "n"]].tolist() == [12, 2]


def test_a_third_party_is_refused():
    with pytest.raises(InvalidInput, match="3 participants"):
        against_solver(deals(([[[1, 2]]] * 3, (0,))))
