"""People's deals beside what was possible."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.bargains import against_solver, counted, frontier, possible, who_is_content
from support.errors import InvalidInput


def division(a, b, units=3):
    """Gains of a division: option k of a good gives k units to the first, the rest to the second."""
    k = np.arange(units + 1)
    return tuple(tuple(tuple(map(int, row)) for row in np.outer(w, amount)) for w, amount in ((a, k), (b, k[::-1])))


OPPOSED, ALIKE = division((5, 4, 3), (3, 4, 5)), division((5, 4, 3), (5, 4, 3))


def deals(*rows):
    return pd.DataFrame(
        [
            {"dialogue": i, "gains": g, "plan": p, "satisfaction_a": 5, "satisfaction_b": 4}
            for i, (g, p) in enumerate(rows)
        ]
    )


def test_a_deal_is_measured_against_the_fairest_and_the_richest():
    row = against_solver(deals((OPPOSED, (3, 0, 0)))).iloc[0]
    assert (row["points_a"], row["points_b"], row["divergence"], row["welfare"]) == (15, 27, 12, 42)
    assert (row["fair_divergence"], row["fair_welfare"]) == (4, 42)  # all sums of opposed priorities are multiples of 8
    assert (row["wasted"], row["efficient"], row["better_for"]) == (0, True, 0)


def test_a_wasteful_deal_says_how_many_points_lie_on_the_table():
    row = against_solver(deals((OPPOSED, (0, 3, 3)))).iloc[0]
    assert (row["points_a"], row["points_b"], row["wasted"], row["efficient"]) == (21, 9, 12, False)
    table = possible(OPPOSED)
    better = table[(table["points_a"] >= 21) & (table["points_b"] >= 9)]
    assert row["better_for"] == len(better) - ((better["points_a"] == 21) & (better["points_b"] == 9)).sum()


def test_who_walked_away_has_no_points_but_a_fair_deal():
    row = against_solver(deals((ALIKE, None))).iloc[0]
    assert not row["reached"] and not row["efficient"]
    assert np.isnan(row["points_a"]) and np.isnan(row["wasted"]) and np.isnan(row["better_for"])
    assert (row["fair_a"], row["fair_b"]) == (18, 18)


@settings(max_examples=15, deadline=None)
@given(st.permutations([5, 4, 3]), st.permutations([5, 4, 3]))
def test_property_no_possible_deal_is_better_than_the_frontier(a, b):
    gains = division(a, b)
    table, edge = possible(gains), frontier(gains)
    assert edge["points_a"].is_monotonic_increasing and edge["points_b"].is_monotonic_decreasing
    for x, y in edge.to_numpy():
        above = (table["points_a"] >= x) & (table["points_b"] >= y)
        assert (table.loc[above, ["points_a", "points_b"]] == [x, y]).all(axis=None)
    assert table.loc[table["efficient"], "points_a"].isin(edge["points_a"]).all()
    assert len(table) == 64


def test_contentment_goes_with_own_points_where_it_does():
    plans = [(k, k, j) for k in range(4) for j in range(4)]
    table = against_solver(deals(*((ALIKE, plan) for plan in plans)))
    told = table.assign(satisfaction_a=table["points_a"], satisfaction_b=table["points_b"])
    table = who_is_content(told, np.random.default_rng(0), draws=200).set_index("what")
    rho = table["rho"]
    assert rho["own points"] == pytest.approx(1)
    assert rho["the other's points"] == pytest.approx(-1)
    assert (table["n"] == 32).all() and (table["pairs"] == 16).all()
    assert table.loc["points wasted", ["rho", "p", "p_holm"]].isna().all()  # nothing was wasted: no test
    assert (table["p_holm"].dropna() >= table["p"].dropna()).all()
    assert (table["correction"] == "Holm over 4 tests").all()


def test_walk_aways_count_where_they_are_an_answer_and_only_there():
    table = counted(against_solver(deals((ALIKE, None), (OPPOSED, (3, 0, 0)))), np.random.default_rng(0))
    told = table.set_index("measure")
    assert told.loc["efficient (Pareto)", ["mean", "n"]].tolist() == [0.5, 2]
    assert told.loc["divergence (points)", ["mean", "n"]].tolist() == [12, 1]


def test_more_than_two_parties_and_missing_columns_are_refused():
    with pytest.raises(InvalidInput, match="3 participants"):
        possible([[[1, 2]]] * 3)
    with pytest.raises(InvalidInput, match="no column 'gains'"):
        against_solver(pd.DataFrame({"dialogue": [1]}))


def test_the_people_of_casino(have):
    from support.fair_decisions import casino

    table = against_solver(have(casino.deals))
    reached = table[table["reached"]]
    assert (reached["wasted"] >= 0).all() and (reached["divergence"] >= reached["fair_divergence"]).all()
    assert reached["fair_divergence"].mean() < 0.5 * reached["divergence"].mean()
    assert (reached["efficient"] == (reached["better_for"] == 0)).all()
