"""Pictures of one coordination: who scores what, and its course."""

from dataclasses import replace

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from support.analysis.meetings import rounds_of
from support.draw import COLOURS
from support.meetings.records import Coordination, Option, Round, Turn
from support.plots.meetings import MEASURES, draw_coordination

MEMBERS = ("Ana Roe", "Ben Ode", "Cleo Tan")
TALK = {"Ana Roe": (Turn("Ana Roe", "Ten."), Turn("Ana Roe", "Or noon."))}


def entry(number, *rows):
    ids = [f"O{k}" for k in range(1, len(rows) + 1)]
    slots = ["2026-02-16T10:00-05:00", "The Anchor"]
    options = tuple(map(Option, ids, slots))
    scores = {
        id: dict(zip(MEMBERS, row, strict=True))
        for id, row in zip(ids, rows, strict=True)
    }
    return Round(number, TALK, {}, options, scores, scores, ids[0])


ROUNDS = (entry(1, (3, 0, None)), entry(2, (3, 0, 2), (1, 1, 0)))


def course(rounds):
    meeting = {"id": "M1", "members": list(MEMBERS)}
    settings = {"options": 2, "database": ()}
    record = Coordination(meeting, {}, rounds, settings, 0.25, 0.75)
    return rounds_of([({}, record)])


def test_the_live_figure_shows_the_newest_scores_and_the_course_by_round():
    left, middle, right = draw_coordination(course(ROUNDS), ROUNDS[1], 4).axes
    texts = [text.get_text() for text in left.texts]
    assert texts[:6] == ["3", "0", "2", "1", "1", "0"]
    assert {"67 %  1.67  0.40", "67 %  0.67  0.33"} <= set(texts)
    framed = [
        (p.get_x(), p.get_y())
        for p in left.patches
        if isinstance(p, Rectangle) and to_hex(p.get_edgecolor()) == COLOURS[4].lower()
    ]
    assert framed == [(0, 0), (1, 0), (2, 0)], "the candidate's row"
    labels = [label.get_text() for label in left.get_yticklabels()]
    assert labels == ["O1, Mon 16 Feb 10:00", "O2, The Anchor"]
    drawn = {line.get_label(): list(line.get_ydata()) for line in middle.get_lines()}
    assert {name for name, _ in MEASURES.values()} <= set(drawn)
    assert drawn["satisfied"] == pytest.approx([1 / 2, 2 / 3])
    assert {0.25, 0.75} <= {y[0] for y in drawn.values()}, "chance and the optimum"
    assert list(middle.get_xticks()) == [1, 2, 3, 4], "rounds to come have their place"
    assert [bar.get_height() for bar in right.patches] == pytest.approx([2 / 3, 2 / 3])


@pytest.mark.parametrize("newest", [None, replace(ROUNDS[0], scores={})])
def test_without_scores_the_figure_says_so(newest):
    frame = course((newest,)) if newest else pd.DataFrame()
    left = draw_coordination(frame, newest, 3).axes[0]
    assert "no scores yet" in [text.get_text() for text in left.texts]
