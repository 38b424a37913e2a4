"""One rehearsal as a figure: a row for everybody, a mark for every event, a bar for every date that is held."""

import numpy as np
import pandas as pd

from support.plots.rehearsal import plot_timeline

FIRST, SECOND = "2027-09-15", "2027-10-13"


def test_a_rehearsal_has_a_row_for_everybody_a_mark_for_every_event_and_a_bar_for_every_date(ax):
    rows = [
        (1, "Ana", "invitation", ""),
        (2, "Ana", "reply", ""),
        (2, "Ana", "date given", FIRST),
        (3, "Ben", "follow_up", ""),
        (4, "Ben", "flag", ""),
        (5, "Ana", "date taken back", FIRST),
        (5, "Ben", "date given", SECOND),
        (5, "Ana", "date given", "2027-11-10"),
    ]
    table = pd.DataFrame(rows, columns=["day", "person", "event", "slot"])
    table["date"] = (pd.Timestamp("2027-08-13") + pd.to_timedelta(table["day"] - 1, unit="D")).dt.strftime("%Y-%m-%d")
    table.attrs = {"people": ["Ana", "Ben", "Cem"], "days": 6}
    plot_timeline(table, ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Ana", "Ben", "Cem"]
    points = {tuple(np.round(xy, 6)) for line in ax.lines for xy in line.get_xydata()}
    assert {(1, 0), (2, -0.24), (2, 0.24), (3, 1), (4, 0.62), (5, 0.24), (5, 0.4), (5, 1.24)} <= points
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {e.replace("_", "-") for e in table["event"]}
    bars = [line.get_xydata().tolist() for line in ax.lines if line.get_linewidth() == 4]
    assert sorted(bars) == [[[2, 0.24], [5, 0.24]], [[5, 0.24], [6, 0.24]], [[5, 1.24], [6, 1.24]]]
    ends = {text.get_text(): text.xycoords[0] for text in ax.texts}  # held to the end: outside of the axis
    assert ends == {"15 Sep": "data", "13 Oct": "axes fraction", "10 Nov": "axes fraction"}
    assert [(patch.get_x(), patch.get_width()) for patch in ax.patches] == [(1.5, 1), (2.5, 1)]  # a weekend
