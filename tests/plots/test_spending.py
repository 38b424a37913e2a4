"""The figure of money draws what the calls cost."""

import pandas as pd
import pytest

from support.errors import InvalidInput
from support.plots.spending import plot_spent


@pytest.fixture
def calls():
    rows = [("m", 0.5, False, ""), ("big", 2.0, False, ""), ("m", 0.0, True, ""), ("m", None, False, ""),
            ("m", None, False, "CallFailed: no"), ("m", 0.25, False, "")]  # fmt: skip
    return pd.DataFrame(rows, columns=["model", "usd", "cached", "error"]).astype({"usd": float})


def heights(ax):
    return {line.get_label(): list(line.get_ydata()) for line in ax.lines}


def test_spending_grows_call_by_call_in_all_and_by_model(calls, ax):
    lines = heights(plot_spent(calls, ax))
    assert lines["in all"] == [0.5, 2.5, 2.5, 2.5, 2.5, 2.75] and lines["big"] == [0, 2, 2, 2, 2, 2]
    assert lines["m"] == [0.5, 0.5, 0.5, 0.5, 0.5, 0.75] and "1 cached, 1 without a price" in ax.get_xlabel()
    with pytest.raises(InvalidInput, match="calls has no column 'usd'"):
        plot_spent(calls.drop(columns="usd"), ax)


@pytest.mark.parametrize(("usd", "budget", "top"), [(0.25, 4.0, 4.24), (0.0, None, 1.0)])
def test_one_model_has_one_line_and_a_budget_is_in_sight(calls, ax, usd, budget, top):
    plot_spent(calls[calls["model"] == "m"].assign(usd=usd), ax, budget=budget)
    assert list(heights(ax)) == (["spent", "budget of $4"] if budget else ["spent"])
    assert ax.get_ylim() == pytest.approx((0, top))
