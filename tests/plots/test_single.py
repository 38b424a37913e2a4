"""Figures that a study has one of (company, mail, rehearsal, money): what is drawn is what the frames hold."""

import numpy as np
import pandas as pd
import pytest

from support.errors import InvalidInput
from support.meetings.data import Database, Profile
from support.plots.company import plot_graph
from support.plots.mail import ASKED, HANDED_ON, HELD, plot_handling
from support.plots.rehearsal import plot_timeline


def texts(drawn):
    return [text.get_text() for text in drawn]


def test_the_company_is_named_discs_grow_with_the_level_and_a_relation_is_drawn_once(
    axes,
):
    """Two teams of four, each with a manager; one collaboration joins them."""
    people, relations = [], []
    for team in "AB":
        names = [f"{team}{i} Name" for i in range(4)]
        for i, name in enumerate(names):
            people.append(Profile(name, "x", 1 if i else 4, (), "UTC"))
        for one, other in zip(names[1:], [*names[2:], names[1]], strict=True):
            relations.append((one, names[0], "manager"))
            relations += [(one, other, "teammate"), (other, one, "teammate")]
    relations.append(("A1 Name", "B1 Name", "collaborator"))
    known = Database(tuple(people), tuple(relations))
    ax, again = plot_graph(known, axes()), plot_graph(known, axes())
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


def test_kinds_of_mail_of_which_more_is_handed_on_stand_further_below(ax):
    mails = pd.DataFrame(
        [("b", HANDED_ON), ("b", HELD), ("c", HELD), ("a", ASKED)],
        columns=["kind", "handling"],
    )
    plot_handling(mails, ax, "kind")
    assert texts(ax.get_yticklabels()) == ["c", "a", "b"] and ax.yaxis_inverted()
    drawn = {
        bars.get_label(): [round(bar.get_width()) for bar in bars]
        for bars in ax.containers
    }
    assert drawn == {HELD: [1, 0, 1], ASKED: [0, 1, 0], HANDED_ON: [0, 0, 1]}
    assert [text for text in texts(ax.texts) if text] == ["1"] * 4
    with pytest.raises(InvalidInput, match="handling: 'eaten' given"):
        plot_handling(mails.assign(handling="eaten"), ax, "kind")


def test_a_rehearsal_has_a_row_for_everybody_a_mark_for_every_event_and_a_bar_for_every_date(
    ax,
):
    first, second, third = "2027-09-15", "2027-10-13", "2027-11-10"
    rows = [
        (1, "Ana", "invitation", ""), (2, "Ana", "reply", ""), (2, "Ana", "date given", first),
        (3, "Ben", "follow_up", ""), (4, "Ben", "flag", ""), (5, "Ana", "date taken back", first),
        (5, "Ben", "date given", second), (5, "Ana", "date given", third),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["day", "person", "event", "slot"])
    table["date"] = (
        pd.Timestamp("2027-08-13") + pd.to_timedelta(table["day"] - 1, unit="D")
    ).dt.strftime("%Y-%m-%d")
    table.attrs = {"people": ["Ana", "Ben", "Cem"], "days": 6}
    plot_timeline(table, ax)
    assert texts(ax.get_yticklabels()) == ["Ana", "Ben", "Cem"]
    points = {tuple(np.round(xy, 6)) for line in ax.lines for xy in line.get_xydata()}
    assert {
        (1, 0),
        (2, -0.24),
        (2, 0.24),
        (3, 1),
        (4, 0.62),
        (5, 0.24),
        (5, 0.4),
        (5, 1.24),
    } <= points
    assert set(texts(ax.get_legend().get_texts())) == {
        event.replace("_", "-") for event in table["event"]
    }
    bars = [
        line.get_xydata().tolist() for line in ax.lines if line.get_linewidth() == 4
    ]
    assert sorted(bars) == [
        [[2, 0.24], [5, 0.24]],
        [[5, 0.24], [6, 0.24]],
        [[5, 1.24], [6, 1.24]],
    ]
    ends = {
        text.get_text(): text.xycoords[0] for text in ax.texts
    }  # held to the end: outside of the axis
    assert ends == {
        "15 Sep": "data",
        "13 Oct": "axes fraction",
        "10 Nov": "axes fraction",
    }
    assert [(patch.get_x(), patch.get_width()) for patch in ax.patches] == [
        (1.5, 1),
        (2.5, 1),
    ]  # a weekend
