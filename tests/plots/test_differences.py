"""Differences are drawn where they are, with their intervals, in the order of the table."""

import numpy as np
import pandas as pd
import pytest

from support.errors import InvalidInput
from support.plots.differences import plot_differences


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "a": ["one", "two", "three"],
            "difference": [0.5, -1.0, 0.0],
            "low": [0.1, -2, np.nan],
            "high": [0.9, 0, np.nan],
        }
    )


def test_every_comparison_has_its_dot_and_interval_the_first_on_top(ax, table):
    plot_differences(table, ax, unit="mails")
    filled, hollow = (line for line in ax.lines if line.get_marker() == "o")
    assert filled.get_xydata().tolist() == [[0.5, 0], [-1, 1]] and hollow.get_xydata().tolist() == [[0, 2]]
    bars = [path.vertices[:, 0].tolist() for path in ax.collections[0].get_paths()]
    np.testing.assert_allclose(bars, [[0.1, 0.9], [-2, 0], [0, 0]], atol=1e-12)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["one", "two", "three"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1] and ax.get_xlabel() == "mails"


def test_a_table_without_intervals_is_refused(ax, table):
    with pytest.raises(InvalidInput, match="low"):
        plot_differences(table.drop(columns="low"), ax)
