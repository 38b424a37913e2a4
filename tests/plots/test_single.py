"""Figures that a study has one of (company, rehearsal, money): what is drawn is what the frames hold."""

from datetime import date, timedelta

import numpy as np
import pandas as pd

from support.meetings.data import Company, Profile
from support.plots.company import plot_graph
from support.plots.rehearsal import plot_timeline


def texts(drawn):
    return [text.get_text() for text in drawn]


def test_the_company_is_named_discs_grow_with_the_level_and_a_relation_is_drawn_once(
    axes,
):
    """Two teams of four, each with a manager; one collaboration joins them."""
    people = {}
    for team in "AB":
        for i in range(4):
            name, boss = f"{team}{i} Name", f"{team}0 Name" if i else ""
            level = 1 if i else 4
            about = {"name": name, "role": "x", "level": level, "manager": boss}
            people[name] = Profile(**about, responsibilities=(), zone="UTC")
    firm = Company(people, {}, (("A1 Name", "B1 Name"),), (), ())
    ax, again = plot_graph(firm, people, axes()), plot_graph(firm, people, axes())
    named = {f"{team}{i}\nName" for team in "AB" for i in range(4)}
    assert set(texts(ax.texts)) == named
    lines = [c for c in ax.collections if hasattr(c, "get_segments")]
    drawn = {line.get_label(): len(line.get_segments()) for line in lines}
    assert drawn == {"teammate": 6, "collaborator": 1, "manager": 6}
    [people] = [c for c in ax.collections if c not in lines]
    assert sorted(people.get_sizes()) == [150] * 6 + [420] * 2
    assert [t.get_position() for t in ax.texts] == [
        t.get_position() for t in again.texts
    ]


def test_a_rehearsal_has_marks_for_its_events_and_bars_for_dates_held(ax):
    first, second, third = (date(2027, month, 15) for month in (9, 10, 11))
    rows = [
        (1, "Ana", "invitation", None),
        (2, "Ana", "date given", first),
        (3, "Ben", "follow_up", None),
        (4, "Ben", "flag", None),
        (5, "Ana", "date taken back", first),
        (5, "Ben", "date given", second),
        (5, "Ana", "date given", third),
    ]
    table = pd.DataFrame(rows, columns=["day", "person", "event", "slot"])
    friday = date(2027, 8, 13)
    table["date"] = [friday + timedelta(days=day - 1) for day in table["day"]]
    table.attrs = {"people": ["Ana", "Ben", "Cem"], "days": 6}
    plot_timeline(table, ax)
    assert texts(ax.get_yticklabels()) == ["Ana", "Ben", "Cem"]
    points = {
        tuple(np.round(xy, 6)) for marks in ax.collections for xy in marks.get_offsets()
    }
    assert points == {
        (1, 0), (2, 0.24), (3, 1), (4, 0.62), (5, 0.4), (5, 1.24), (5, 0.24),
    }  # fmt: skip
    bars = sorted(line.get_xydata().tolist() for line in ax.lines)
    assert bars == [
        [[2, 0.24], [5, 0.24]],
        [[5, 0.24], [6, 0.24]],
        [[5, 1.24], [6, 1.24]],
    ]
    assert set(texts(ax.texts)) == {"15 Sep", "15 Oct", "15 Nov"}
    weekend = [(patch.get_x(), patch.get_width()) for patch in ax.patches]
    assert weekend == [(1.5, 1), (2.5, 1)]
