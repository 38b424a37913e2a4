"""Figures of meetings: what is drawn is what the frame holds, live and of the printed tables' checks, too."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

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

MEMBERS = ("Ana Roe", "Ben Ode", "Cleo Tan")
ENTRY = CoordinationRound(
    2, (), (Option("O1", "2026-02-16T10:00-05:00"), Option("O2", "2026-02-16T14:00-05:00")),
    tuple(Score(o, m, v) for o, vs in (("O1", (3, 0, 2)), ("O2", (1, 1, 0))) for m, v in zip(MEMBERS, vs, strict=True)),
    "O1",
)  # fmt: skip
FRAME = pd.DataFrame(
    [
        (1, 50.0, 1.5, 0.5, 3.0, 40.0, 30.0, 60.0),
        (2, 100.0, 3.0, 0.0, np.nan, 50.0, 30.0, 70.0),
    ],
    columns=["round", *METRICS[1:], METRICS[0], *YARDSTICK],
)


def test_the_live_figure_shows_the_newest_scores_and_the_measures_and_turns_by_round():
    left, middle, right = draw_coordination(FRAME, ENTRY, 4).axes
    texts = [t.get_text() for t in left.texts]
    assert texts[:6] == ["3", "0", "2", "1", "1", "0"] and {
        "67 %   1.67   0.40",
        "67 %   0.67   0.33",
    } <= set(texts)
    frames = [p for p in left.patches if isinstance(p, Rectangle)]
    assert [(p.get_y(), p.get_width(), to_hex(p.get_edgecolor())) for p in frames] == [
        (0, 3, COLOURS[4].lower())
    ]
    assert [t.get_text() for t in left.get_yticklabels()] == [
        "O1, Mon 16 Feb 10:00",
        "O2, Mon 16 Feb 14:00",
    ]
    assert "chance 30, reached 50, optimum 70 % (50 % of the way)" in left.get_xlabel()
    drawn = {line.get_label(): line.get_ydata().tolist() for line in middle.get_lines()}
    assert drawn == dict(
        zip(
            [name for name, _ in MEASURES.values()],
            [[0.5, 1], [0.5, 1], [0.5, 0]],
            strict=True,
        )
    )
    assert list(middle.get_xticks()) == [1, 2, 3, 4], "rounds to come have their place"
    assert [bar.get_height() for bar in right.patches] == [3.0, 0.0]


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
