"""What was read is held against what was said: coverage, rank correlation, error, and their intervals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from support.analysis.listening import Judged, coverage, error, heard, once, read_well, spearman, told, wordings
from support.errors import InvalidInput
from support.fair_decisions.problem import Table

TABLE = Table(("Ana",), ("Meal 1", "Meal 2", "Meal 3"), (("A", "B"),) * 3, "scores", 100)
NAN = float("nan")
PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12)


def summed(pairs, **settings):
    """Of rows of (text, level, read)."""
    frame = pd.DataFrame(pairs, columns=["text", "level", "read"]).assign(about="decision")
    return read_well(frame, **({"rng": np.random.default_rng(0), "draws": 50} | settings)).iloc[0]


def test_each_thing_said_or_read_has_a_row():
    text = Judged("I love Meal 1. Meal 2 stinks. Overall fine.", TABLE, (0, 0, 0), {0: 1.0, 1: 0.0}, whole=0.5)
    wrong = Judged("Meal 3 is bad.", TABLE, (0, 1, 0), {}, about={"voice": "curt"})
    frame = heard([text, wrong, Judged("Hm.", TABLE, (0, 0, 0), {})])
    found = frame[["text", "about", "decision", "level", "read"]].values.tolist()
    assert found[0] == [0, "decision", "Meal 1", 1.0, 0.9] and found[2][:4] == [0, "plan", "", 0.5]
    assert found[1][:4] == [0, "decision", "Meal 2", 0.0] and np.isnan(found[1][4])
    assert found[3][2] == "Meal 3" and np.isnan(found[3][3]) and found[3][4] == 0.2 and len(frame) == 4


def test_coverage_counts_what_was_said_and_errors_what_was_also_read():
    found = summed([(0, 1.0, 0.9), (0, 0.0, NAN), (1, 0.5, 0.1), (1, NAN, 0.7), (2, 0.0, 0.0)])
    assert found["texts"] == 3 and found["spoken"] == 4 and found["coverage"] == 0.75 and found["extra"] == 0.25
    assert found["error"] == pytest.approx(0.5 / 3) and found["middle"] == pytest.approx(1 / 3)


@given(PAIRS, st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_a_weight_counts_a_row_as_often_as_it_says(pairs, times):
    given_, weights = np.array(pairs, dtype=float), np.array(times[: len(pairs)])
    longer = np.repeat(given_, weights, axis=0)
    found = spearman(given_, weights[None, :])[0]
    if len(longer) < 2 or (np.ptp(longer, axis=0) == 0).any():
        assert np.isnan(found)
    else:
        assert found == pytest.approx(stats.spearmanr(*longer.T).statistic)
        assert error(given_, weights[None, :])[0] == pytest.approx(np.abs(longer[:, 0] - longer[:, 1]).mean())


@given(PAIRS)
def test_what_was_not_read_costs_coverage_only(pairs):
    whole = np.array(pairs, dtype=float)
    silent = np.vstack([whole, np.full((len(whole), 2), [0.5, NAN])])
    assert coverage(silent, once(silent))[0] == 0.5 and coverage(whole, once(whole))[0] == 1.0
    for measure in (spearman, error):
        assert np.allclose(measure(silent, once(silent)), measure(whole, once(whole)), equal_nan=True)


def test_intervals_resample_whole_texts():
    """Levels that differ between texts only: resampling rows would give a narrow interval, texts a wide one."""
    texts = [(t, 0.5, 0.5 + 0.3 * (t % 2)) for t in range(10) for _ in range(40)]
    wide, narrow = summed(texts, draws=400), summed([(i, *row[1:]) for i, row in enumerate(texts)], draws=400)
    assert wide["error"] == pytest.approx(narrow["error"])
    assert wide["error_high"] - wide["error_low"] > 3 * (narrow["error_high"] - narrow["error_low"])


def test_participants_speak_of_everything_and_the_other_author_s_texts_are_all_there():
    texts = told(np.random.default_rng(0), ["plain", "vague"], [0.0, 0.2], texts=8)
    assert len(texts) == 32 and all(len(t.levels) == len(t.plan) for t in texts)
    assert sum(len(t.levels) for t in wordings()) == 464 and len({t.about["voice"] for t in wordings()}) == 16


def test_what_nobody_spoke_of_is_refused():
    with pytest.raises(InvalidInput, match="about: 'plan'"):
        summed([(0, 1.0, 0.9)], about="plan")
