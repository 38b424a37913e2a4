"""Figures of the printed tables' checks."""

from matplotlib.colors import to_hex

from support import published
from support.analysis.consistency import check_table, readings
from support.plots.meetings import FAILS, plot_consistency, plot_readings

PAPER = published.load("000_cf17db17b5f2de1a")
TABLE = PAPER[PAPER["table"] == "Table 1 n = 4, K = 2"]


def test_every_cell_is_a_tile_and_those_that_fail_say_by_how_much(axes):
    checked = check_table(TABLE)
    ax = plot_consistency(checked, axes())
    failing = checked[~checked["holds"]]
    assert len(ax.texts) == len(checked) == 12
    assert [to_hex(colour) for colour in ax.collections[0].get_facecolors()].count(FAILS) == len(failing)
    written = [t.get_text() for t in ax.texts if t.get_text().startswith("✗")]
    assert sorted(written) == sorted(f"✗ {by:.3f}" for by in failing["by"])
    assert ax.get_yticklabels()[0].get_text() == "n = 4, K = 2: no conversation"


def test_readings_are_bars_with_what_chance_gives(axes):
    found = readings(TABLE)
    ax = plot_readings(found, axes())
    assert [p.get_width() for p in ax.patches] == found["fit"].tolist()
    assert ax.lines[0].get_xdata().tolist() == found["by_chance"].tolist()
    assert "of 3" in ax.get_xlabel()
