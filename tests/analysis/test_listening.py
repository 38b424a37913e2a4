"""What was read is held against what was said: coverage, and rank correlation of what was also read."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support.analysis.listening import NOISES, Judged, heard, read_well, told, wordings
from support.fair_decisions.problem import Table

TABLE = Table(
    ("Ana",), ("Meal 1", "Meal 2", "Meal 3"), (("A", "B"),) * 3, "scores", 100
)
NAN = float("nan")


def test_each_thing_said_or_read_has_a_row():
    text = Judged(
        "I love Meal 1. Meal 2 stinks.", TABLE, (0, 0, 0), {0: 1.0, 1: 0.0}, {}
    )
    wrong = Judged("Meal 3 is bad.", TABLE, (0, 1, 0), {}, {"voice": "curt"})
    frame = heard([text, wrong, Judged("Hm.", TABLE, (0, 0, 0), {}, {})])
    found = frame[["text", "decision", "level", "read"]].fillna(-1).values.tolist()
    assert found == [
        [0, "Meal 1", 1.0, 0.9],
        [0, "Meal 2", 0.0, -1],
        [1, "Meal 3", -1, 0.2],
    ]


def test_coverage_counts_what_was_said_and_the_correlation_what_was_also_read():
    level, read = [1.0, 0.0, 0.5, NAN, 0.0, 1.0], [0.9, NAN, 0.1, 0.7, 0.2, 0.3]
    rows = pd.DataFrame({"voice": "curt", "level": level, "read": read})
    row = (
        read_well(pd.concat([rows, rows.assign(voice="kind", read=0.5)]), "voice")
        .set_index("voice")
        .loc["curt"]
    )
    rank = stats.spearmanr([1.0, 0.5, 0.0, 1.0], [0.9, 0.1, 0.2, 0.3]).statistic
    assert row.tolist() == pytest.approx([0.8, rank])


def test_participants_speak_of_everything_and_the_other_author_s_texts_are_all_there():
    texts = told(np.random.default_rng(0), texts=2)
    assert all(len(t.levels) == len(t.plan) for t in texts)
    assert {t.about["noise"] for t in texts} == set(NOISES)
    assert (
        sum(len(t.levels) for t in wordings()) == 464
        and len({t.about["voice"] for t in wordings()}) == 16
    )
