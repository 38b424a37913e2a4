"""What was read is held against what was said: coverage, rank correlation, error, and their intervals."""

import asyncio

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from support.analysis.listening import (
    EXACTLY,
    Judged,
    coverage,
    error,
    estimates,
    heard,
    likeness,
    once,
    read_well,
    spearman,
    told,
    wordings,
)
from support.errors import DamagedFile, InvalidInput
from support.fair_decisions.deciders import STYLES
from support.fair_decisions.problem import FairDecisions, Table

TABLE = Table(("Ana",), ("Meal 1", "Meal 2", "Meal 3"), (("A", "B"),) * 3, "scores", 100)
NAN = float("nan")
PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12)


def rows(*pairs, **columns):
    """A row for each (text, level, read)."""
    frame = pd.DataFrame(pairs, columns=["text", "level", "read"])
    return frame.assign(about="decision", **columns)


def summed(frame, **settings):
    return read_well(frame, **({"rng": np.random.default_rng(0), "draws": 50} | settings))


def test_each_thing_said_or_read_has_a_row():
    text = Judged("I love Meal 1. Meal 2 stinks. Overall fine.", TABLE, (0, 0, 0), {0: 1.0, 1: 0.0}, whole=0.5)
    wrong = Judged("Meal 3 is bad.", TABLE, (0, 1, 0), {}, about={"voice": "curt"})
    frame = heard([text, wrong, Judged("Hm.", TABLE, (0, 0, 0), {})])
    found = frame[["text", "about", "decision", "level", "read"]].values.tolist()
    assert found[0] == [0, "decision", "Meal 1", 1.0, 0.9] and found[2][:4] == [0, "plan", "", 0.5]
    assert found[1][:4] == [0, "decision", "Meal 2", 0.0] and np.isnan(found[1][4])
    assert found[3][2] == "Meal 3" and np.isnan(found[3][3]) and found[3][4] == 0.2 and len(frame) == 4


def test_coverage_counts_what_was_said_and_errors_what_was_also_read():
    frame = rows((0, 1.0, 0.9), (0, 0.0, NAN), (1, 0.5, 0.1), (1, NAN, 0.7), (2, 0.0, 0.0))
    found = summed(frame).iloc[0]
    assert found["texts"] == 3 and found["spoken"] == 4 and found["coverage"] == 0.75 and found["extra"] == 0.25
    assert found["error"] == pytest.approx(0.5 / 3) and found["middle"] == pytest.approx(1 / 3)
    assert found["spearman"] == pytest.approx(1.0)


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
    rng = np.random.default_rng(3)
    texts = [(t, 0.5, 0.5 + 0.3 * (t % 2)) for t in range(10) for _ in range(40)]
    rows_ = [(i, level, read) for i, (_, level, read) in enumerate(texts)]
    wide, narrow = (summed(rows(*found), rng=rng, draws=400).iloc[0] for found in (texts, rows_))
    assert wide["error"] == pytest.approx(narrow["error"])
    assert wide["error_high"] - wide["error_low"] > 3 * (narrow["error_high"] - narrow["error_low"])


def test_groups_come_in_their_order_and_the_same_seed_gives_the_same_numbers():
    frame = pd.concat([rows((0, 1.0, 0.9), (1, 0.0, 0.2), voice="long"), rows((2, 1.0, 0.1), voice="curt")])
    found = summed(frame, by="voice")
    assert found["voice"].tolist() == ["long", "curt"] and found.equals(summed(frame, by="voice"))


def test_the_wordings_of_another_author_are_all_there():
    texts = wordings()
    assert len(texts) == 219 and sum(len(t.levels) for t in texts) == 464
    assert sum(t.whole is not None for t in texts) == 28 and len({t.about["voice"] for t in texts}) == 16


@pytest.mark.parametrize("content", ["[[feedback]]\nvoice = 'curt'", "feedback = ", "[[other]]"])
def test_a_file_of_another_form_is_refused(tmp_path, content):
    file = tmp_path / "wordings.toml"
    file.write_text(content)
    with pytest.raises(DamagedFile, match="expected \\[\\[feedback\\]\\] tables"):
        wordings(file)


def test_participants_speak_of_everything_and_noise_parts_what_they_mean_from_what_is():
    texts = told(np.random.default_rng(0), ["plain", "vague"], [0.0, 0.2], texts=8)
    assert len(texts) == 32 and all(len(t.levels) == len(t.plan) == len(t.meant) for t in texts)
    assert {tuple(t.about.values()) for t in texts} == {(s, x) for s in ("plain", "vague") for x in (0.0, 0.2)}

    def gap(noise):
        found = [t for t in texts if t.about == {"style": "plain", "noise": noise}]
        return np.mean([abs(t.levels[d] - t.meant[d]) for t in found for d in t.levels])

    assert gap(0.0) < 0.2 < gap(0.2) + 0.05 and gap(0.0) < gap(0.2)
    assert set(STYLES) >= {t.about["style"] for t in texts}


def test_what_cannot_be_summed_is_refused():
    frame = rows((0, 1.0, 0.9))
    with pytest.raises(InvalidInput, match="about: 'plan'"):
        summed(frame, about="plan")
    with pytest.raises(InvalidInput, match="no column 'voice'"):
        summed(frame, by="voice")


PLANS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def run(seed=0, **settings):
    given = {"decisions": [4], "instances": 4} | settings
    return asyncio.run(estimates(np.random.default_rng(seed), **given))


def test_likeness_is_that_of_ranks_and_nothing_where_estimates_tell_nothing():
    problem = FairDecisions(np.array([[[1, 0], [5, 0]], [[1, 0], [5, 0]]]))
    assert likeness(problem, problem.gains * 3.0 + 1, PLANS) == pytest.approx(1.0)
    assert likeness(problem, -problem.gains.astype(float), PLANS) == pytest.approx(-1.0)
    half = np.stack([problem.gains[0], np.full((2, 2), 1 / 3)])
    assert likeness(problem, half, PLANS) == pytest.approx(0.5)


def test_every_style_noise_and_size_has_a_row_for_each_estimator():
    frame = run(styles=["plain", "blunt"], noises=[0.0, 0.2], instances=2, decisions=[3, 4])
    assert len(frame) == 2 * 2 * 2 * 2 * 3 and not frame["spearman"].isna().any()
    assert set(frame["estimator"]) == {"lexical", "bayesian", EXACTLY}


def test_exact_words_are_a_bound_that_no_style_touches():
    frame = run(styles=["plain", "understated"], noises=[0.0])
    wide = frame.pivot_table(index=["style", "instance"], columns="estimator", values="spearman")
    assert (wide[EXACTLY].xs("plain") == wide[EXACTLY].xs("understated")).all()
    assert wide[EXACTLY].mean() > 0.9 > wide["lexical"].xs("understated").mean()


def test_noise_takes_away():
    many, noisy = (run(styles=["plain"], noises=[noise]) for noise in (0.0, 0.4))
    means = [frame.set_index("estimator").loc["bayesian", "spearman"].mean() for frame in (many, noisy)]
    assert means[1] + 0.1 < means[0]
