"""Pictures of one coordination: who scores what, and its course."""

from dataclasses import replace

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

<<<<<<< HEAD
from support.analysis.meetings import (
    METRICS,
    YARDSTICK,
    changes,
    gap_closed,
    mean_changes,
)
from support.draw import COLOURS
from support.meetings.records import CoordinationRound, Option, Score
from support.plots.meetings import (
    MEASURES,
    draw_coordination,
    metric_grid,
)


def test_changes_are_drawn_at_their_means_with_what_was_left_out_and_the_way_from_chance_beside_them(
    axes,
):
    rng = np.random.default_rng(1)
    rows = [(setting, f"M{i}", t, 4.0 - t, float(rng.choice([40, 60, 80, 100])) * ((setting, i, t) != ("n = 5", 0, 1)))
            for setting in ("n = 3", "n = 5") for i in range(6) for t in (1, 2, 3)]  # fmt: skip
    frame = pd.DataFrame(
        rows,
        columns=["setting", "meeting", "round", "interactions", "satisfaction_ratio"],
    )
    frame = frame.assign(satisfaction_score=frame["satisfaction_ratio"] / 40, equity=0.5, chance_ratio=30.0,
                         true_ratio=30 + 10.0 * frame["round"], best_ratio=70.0)  # fmt: skip
    table, drawn = mean_changes(changes(frame)), axes(1, 5).ravel()
    metric_grid(table, gap_closed(frame), drawn)
    labels = [ax.get_ylabel().split("\n") for ax in drawn]
    assert [label[0] for label in labels] == [
        "interactions", "satisfaction ratio", "satisfaction score", "equity", "way from chance to",
    ]  # fmt: skip
    assert labels[1][1] == "(% change from round 1)"
    mine = table[
        (table["metric"] == "satisfaction_ratio") & (table["setting"] == "n = 5")
    ]
    assert any(
        len(y := line.get_ydata()) == 3 and np.allclose(y, mine["mean"])
        for line in drawn[1].lines
    )
    legends = [
        [text.get_text() for text in ax.get_legend().get_texts()] for ax in drawn
    ]
    assert f"n = 5: {mine['start'].iloc[0]:.1f} (1 of 6 left out)" in legends[1]
    assert legends[4] == ["n = 3: 30 to 70 %", "n = 5: 30 to 70 %"]


# -- one coordination while it runs
=======
from support.analysis.meetings import rounds_of
from support.draw import COLOURS
from support.meetings.records import Coordination, Option, Round, Turn
from support.plots.meetings import MEASURES, draw_coordination
>>>>>>> m32

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


<<<<<<< HEAD
@pytest.mark.parametrize(
    ("newest", "said"),
    [
        (None, "no option yet"),
        (replace(ENTRY, options=(), scores=(), candidate=None), "no option yet"),
        (replace(ENTRY, scores=()), "the options have no scores"),
    ],
)
def test_without_options_or_scores_the_figure_says_so(newest, said):
    frame = FRAME if newest else pd.DataFrame()
    assert said in [
        t.get_text() for t in draw_coordination(frame, newest, 3).axes[0].texts
    ]
=======
@pytest.mark.parametrize("newest", [None, replace(ROUNDS[0], scores={})])
def test_without_scores_the_figure_says_so(newest):
    frame = course((newest,)) if newest else pd.DataFrame()
    left = draw_coordination(frame, newest, 3).axes[0]
    assert "no scores yet" in [text.get_text() for text in left.texts]
>>>>>>> m32
