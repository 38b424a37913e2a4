"""People's deals beside what was possible."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.bargains import against_solver, counted


def division(a, b, units=3):
    """Gains of a division: option k of a good gives k units to the first, the rest to the second."""
    k = np.arange(units + 1)
    return tuple(
        tuple(tuple(map(int, row)) for row in np.outer(w, amount))
        for w, amount in ((a, k), (b, k[::-1]))
    )


OPPOSED, ALIKE = division((5, 4, 3), (3, 4, 5)), division((5, 4, 3), (5, 4, 3))


def test_deals_are_measured_against_the_fairest_and_the_richest():
    cases = ((OPPOSED, (3, 0, 0)), (OPPOSED, (0, 3, 3)), (ALIKE, None))
    rows = [
        {"dialogue": i, "gains": g, "plan": p, "welfare": 0}
        for i, (g, p) in enumerate(cases)
    ]
    table = against_solver(pd.DataFrame(rows))
    good, wasteful, walked = (row for _, row in table.iterrows())
    assert (good["divergence"], good["welfare"]) == (12, 42)
    assert (
        good["fair_divergence"] == 4
    )  # sums of opposed priorities are multiples of 8, and 42 is none
    assert [(deal["wasted"], deal["efficient"]) for deal in (good, wasteful)] == [
        (0, True),
        (12, False),
    ]
    assert not walked["efficient"] and np.isnan(walked["welfare"])
    told = counted(table, np.random.default_rng(0)).set_index("measure")
    assert told.loc["efficient (Pareto)", ["mean", "n"]].tolist() == [
        pytest.approx(1 / 3),
        3,
    ]
    assert told.loc["divergence (points)", ["mean", "n"]].tolist() == [12, 2]
