"""One rehearsal as a figure: a row for everybody, a mark for every event, a bar for every date that is held."""

import numpy as np
import pandas as pd

from support.plots.rehearsal import EVENTS, plot_timeline

FIRST, SECOND = "2027-09-15", "2027-10-13"


def events():
    rows = [
        (1, "Ana", "invitation", ""),
        (2, "Ana", "reply", ""),
        (2, "Ana", "date given", FIRST),
        (3, "Ben", "follow_up", ""),
        (4, "Ben", "flag", ""),
        (5, "Ana", "date taken back", FIRST),
        (5, "Ben", "date given", SECOND),
    ]
    table = pd.DataFrame(rows, columns=["day", "person", "event", "slot"])
    table["date"] = (pd.Timestamp("2027-08-13") + pd.to_timedelta(table["day"] - 1, unit="D")).dt.strftime("%Y-%m-%d")
    table.attrs = {"people": ["Ana", "Ben", "Cem"], "days": 6}
    return table


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def points(ax):
    return {tuple(np.round(xy, 6)) for line in ax.lines for xy in line.get_xydata()}


def test_a_rehearsal_has_a_row_for_everybody_and_a_mark_for_every_event(ax):
    plot_timeline(events(), ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Ana", "Ben", "Cem"]
    assert {(1, 0), (2, -0.24), (2, 0.24), (3, 1), (4, 0.62), (5, 0.4), (5, 1.24)} <= points(ax)
    assert set(legend(ax)) == {event.replace("_", "-") for event in events()["event"]}
    assert ax.get_xlim() == (0.4, 6.6) and ax.get_ylim()[0] > ax.get_ylim()[1]


def test_a_bar_lasts_as_long_as_somebody_has_the_date(ax):
    plot_timeline(events(), ax)
    bars = [line.get_xydata().tolist() for line in ax.lines if line.get_linewidth() == 4]
    assert sorted(bars) == [[[2, 0.24], [5, 0.24]], [[5, 1.24], [6, 1.24]]]
    assert [text.get_text() for text in ax.texts] == ["15 Sep", "13 Oct"]


def test_a_date_given_on_the_day_on_which_another_is_taken_back_is_seen(ax):
    table = pd.concat([events(), events().tail(1).assign(person="Ana")], ignore_index=True)
    plot_timeline(table, ax, people=["Ana", "Ben"])
    assert {(5, 0.24), (5, 0.4)} <= points(ax)


def test_a_date_that_is_held_to_the_end_stands_outside_and_days_are_whole(ax):
    plot_timeline(events(), ax)
    ends = {text.get_text(): (text.xycoords[0], text.xy[0]) for text in ax.texts}
    assert ends == {"15 Sep": ("data", 5), "13 Oct": ("axes fraction", 1)}
    assert all(tick == int(tick) for tick in ax.get_xticks())


def test_weekends_are_grey(ax):
    plot_timeline(events(), ax)
    assert [(patch.get_x(), patch.get_width()) for patch in ax.patches] == [(1.5, 1), (2.5, 1)]


def test_chosen_people_are_shown_in_their_order(ax):
    plot_timeline(events(), ax, people=["Cem", "Ben"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Cem", "Ben"]
    assert (1, 0) not in points(ax) and (3, 1) in points(ax)


def test_a_rehearsal_without_events_is_empty_and_no_error(ax):
    empty = events()[:0]
    empty.attrs = {"people": ["Ana"], "days": 2}
    plot_timeline(empty, ax)
    assert ax.get_legend() is None and len(ax.lines) == 0


def test_events_have_colour_and_shape_of_their_own():
    assert len(set(EVENTS.values())) == len(EVENTS)
    assert len({(mark, filled) for _, mark, filled in EVENTS.values()}) >= len(EVENTS) - 1
