"""The figures of money and tokens draw what the frames say."""

import numpy as np
import pandas as pd
import pytest

from support.errors import InvalidInput
from support.plots.spending import MEASURES, plot_spent, plot_units


@pytest.fixture
def calls():
    rows = [("m", 0.5, False, ""), ("big", 2.0, False, ""), ("m", 0.0, True, ""), ("m", None, False, ""),
            ("m", None, False, "CallFailed: no"), ("m", 0.25, False, "")]  # fmt: skip
    return pd.DataFrame(rows, columns=["model", "usd", "cached", "error"]).astype({"usd": float})


@pytest.fixture
def units():
    rows = [("a", "done", 10, 5, 1.0, 2.0, 3), ("a", "done", 30, 5, np.nan, 4.0, 5), ("b", "done", 1, 1, 0.0, 1.0, 1),
            ("b", "failed", 900, 9, 9.0, 9.0, 9), ("c", "missing", 0, 0, np.nan, np.nan, 0)]  # fmt: skip
    return pd.DataFrame(
        rows, columns=["rule", "status", "prompt_tokens", "completion_tokens", "usd", "seconds", "calls"]
    )


def heights(ax):
    return {line.get_label(): list(line.get_ydata()) for line in ax.lines}


def test_spending_grows_call_by_call_in_all_and_by_model(calls, ax):
    assert plot_spent(calls, ax) is ax
    lines = heights(ax)
    assert lines["in all"] == [0.5, 2.5, 2.5, 2.5, 2.5, 2.75] and lines["big"] == [0, 2, 2, 2, 2, 2]
    assert lines["m"] == [0.5, 0.5, 0.5, 0.5, 0.5, 0.75]
    assert "US dollars" in ax.get_ylabel() and "1 cached, 1 without a price" in ax.get_xlabel()


def test_one_model_has_one_line_and_a_budget_is_drawn_in_sight(calls, ax):
    plot_spent(calls[calls["model"] == "m"], ax, budget=4.0)
    assert set(heights(ax)) == {"spent", "budget of $4"} and ax.get_ylim()[0] == 0 and ax.get_ylim()[1] > 4


@pytest.mark.parametrize(
    ("measure", "first"), [("tokens", [15, 35]), ("seconds", [2, 4]), ("usd", [1]), ("calls", [3, 5])]
)
def test_every_unit_that_is_done_is_a_mark_above_its_setting(units, ax, measure, first):
    plot_units(units, ax, "rule", measure)
    assert ax.get_ylim()[0] == 0 and ax.get_ylim()[1] > max(first)
    marks = [sorted(line.get_ydata()) for line in ax.lines]
    assert marks[0] == first and len(marks[1]) == 1 and len(marks[2]) == 0
    bars = [segment[0][1] for lines in ax.collections for segment in lines.get_segments()]
    assert bars == [np.median(first), marks[1][0]]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"] and ax.get_ylabel() == MEASURES[
        measure
    ]


def test_the_order_may_be_given(units, ax):
    plot_units(units, ax, "rule", order=["b", "a"])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["b", "a"] and list(ax.lines[0].get_ydata()) == [2]


def test_another_measure_and_a_missing_column_are_refused(units, calls, ax):
    with pytest.raises(InvalidInput, match="measure: 'money' given; expected one of tokens, seconds, usd, calls"):
        plot_units(units, ax, "rule", "money")
    with pytest.raises(InvalidInput, match="units has no column 'colour'"):
        plot_units(units, ax, "colour")
    with pytest.raises(InvalidInput, match="calls has no column 'usd'"):
        plot_spent(calls.drop(columns="usd"), ax)


def test_a_run_that_cost_nothing_can_be_drawn(calls, units, ax):
    plot_spent(calls.assign(usd=0.0), ax)
    assert ax.get_ylim() == (0.0, 1.0)
    plot_units(units.assign(status="missing"), ax, "rule", "usd")
    assert ax.get_ylim() == (0.0, 1.0)
