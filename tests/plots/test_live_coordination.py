"""The live figure of one coordination shows what was played, and says so where there is nothing yet."""

from dataclasses import replace

import pandas as pd
import pytest

from support.meetings.records import CoordinationRound, Option, Score
from support.plots.live_coordination import MEASURES, draw_coordination

MEMBERS = ("Ana Roe", "Ben Ode", "Cleo Tan")
ENTRY = CoordinationRound(
    2, (), (Option("O1", "2026-02-16T10:00-05:00"), Option("O2", "2026-02-16T14:00-05:00")),
    tuple(Score(o, m, v) for o, vs in (("O1", (3, 0, 2)), ("O2", (1, 1, 0))) for m, v in zip(MEMBERS, vs, strict=True)),
    "O1",
)  # fmt: skip
FRAME = pd.DataFrame(
    {
        "round": [1, 2],
        "satisfaction_ratio": [50.0, 100.0],
        "satisfaction_score": [1.5, 3.0],
        "equity": [0.5, 0.0],
        "interactions": [3.0, float("nan")],
    }
)


def test_the_candidate_s_measures_are_drawn_by_round_on_one_scale():
    middle = draw_coordination(FRAME, ENTRY, 4).axes[1]
    drawn = {line.get_label(): line.get_ydata().tolist() for line in middle.get_lines()}
    names = [name for name, _ in MEASURES.values()]
    assert drawn == {names[0]: [0.5, 1.0], names[1]: [0.5, 1.0], names[2]: [0.5, 0.0]}
    assert list(middle.get_xticks()) == [1, 2, 3, 4], "rounds to come have their place"


def test_the_newest_scores_and_the_turns_are_shown():
    left, _, right = draw_coordination(FRAME, ENTRY, 4).axes
    assert [t.get_text() for t in left.texts[:6]] == ["3", "0", "2", "1", "1", "0"]
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
    assert said in [t.get_text() for t in draw_coordination(frame, newest, 3).axes[0].texts]
