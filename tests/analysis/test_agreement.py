"""Agreement equals what well-kept libraries say, its intervals resample groups; labels of people are kept."""

import sqlite3
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, f1_score

from support.analysis.agreement import MEAN, LabelFile, coder_agreement, evaluate
from support.errors import InvalidInput

RNG = np.random.default_rng(1)
PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40)


def value(frame, act, measure, column="value"):
    return frame.set_index(["act", "measure"]).loc[(act, measure), column]


@given(PAIRS)
def test_property_measures_equal_those_of_scikit_learn(pairs):
    sides = [list(side) for side in zip(*pairs, strict=True)]
    acts = [[("inform",) if yes else ("request",) for yes in side] for side in sides]
    ours = evaluate(*acts, range(len(pairs)), RNG, acts=("inform",), draws=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kappa = cohen_kappa_score(*sides)
        f1 = f1_score(*sides, zero_division=np.nan)
    for measure, score in {"kappa": kappa, "f1": f1}.items():
        assert value(ours, "inform", measure) == pytest.approx(score, nan_ok=True)


def labels(n=200):
    rng = np.random.default_rng(5)
    truth = [("inform",) if rng.random() < 0.5 else ("request",) for _ in range(n)]
    guess = [t if rng.random() < 0.7 else ("inform",) for t in truth]
    return truth, guess, [i % 8 for i in range(n)]


def test_what_is_unlabelled_or_never_performed_counts_for_nothing():
    truth, guess, groups = labels()
    part = evaluate(truth, [(), (), *guess[2:]], groups, np.random.default_rng(1))
    rest = evaluate(truth[2:], guess[2:], groups[2:], np.random.default_rng(1))
    assert part["n"].eq(198).all()
    pd.testing.assert_series_equal(part["value"], rest["value"])
    assert np.isnan(value(part, "defend", "kappa"))
    mean = np.mean([value(part, act, "kappa") for act in ("inform", "request")])
    assert value(part, MEAN, "kappa") == pytest.approx(mean)
    assert value(part, "inform", "f1", "given") == guess[2:].count(("inform",))


def test_intervals_are_those_of_a_bootstrap_that_recounts_the_messages_of_whole_groups():
    truth, guess, groups = labels()
    one = evaluate(truth, guess, [0] * 200, np.random.default_rng(1))
    assert one["low"].isna().all(), "one group has no spread"
    frame = evaluate(truth, guess, groups, np.random.default_rng(4), draws=50)
    slow = []
    for draw in np.random.default_rng(4).multinomial(8, np.full(8, 1 / 8), size=50):
        kept = [i for i, g in enumerate(groups) for _ in range(draw[g])]
        sides = [["inform" in side[i] for i in kept] for side in (truth, guess)]
        slow.append(f1_score(*sides))
    low = value(frame, "inform", "f1", "low")
    assert low == pytest.approx(np.percentile(slow, 2.5))


def message(i):
    return {"run": i // 3, "round": 1, "sender": "Ana", "text": f"what ? {i}"}


@pytest.fixture
def file(tmp_path):
    return LabelFile(tmp_path / "labels.sqlite")


def test_any_text_is_kept_and_the_latest_label_counts_while_none_is_erased(file):
    odd = ["", "我同意", "🙂", "x" * 20_000, "<b>&'\"; DROP TABLE labels"]
    for i, text in enumerate(odd):
        file.add({**message(i), "text": text}, "Kim", ["others"])
        file.add({**message(i), "text": text}, "Kim", ["request", "inform"])
    kept = LabelFile(file.path).read()
    assert kept["text"].tolist() == odd
    assert set(kept["acts"]) == {("inform", "request")}
    rows = sqlite3.connect(file.path).execute("SELECT count(*) FROM labels")
    assert rows.fetchone() == (10,)


def test_two_coders_are_compared_on_what_both_labelled(file):
    for i in range(24):
        file.add(message(i), "Kim", ["inform"] if i % 2 else ["request"])
    for i in range(1, 11):
        file.add(message(i), "Lee", ["inform"] if i % 2 else ["request", "propose"])
    frame = coder_agreement(file.read(), RNG, ("Kim", "Lee"), draws=50)
    assert frame["n"].eq(10).all()
    assert value(frame, "inform", "kappa") == value(frame, "request", "f1") == 1
    assert value(frame, "propose", "kappa") == 0
    with pytest.raises(InvalidInput, match="Kim: 24 labels, Max: 0"):
        coder_agreement(file.read(), RNG, ("Kim", "Max"))


def test_what_users_get_wrong(file):
    for ticked in ([], ["others", "inform"]):
        with pytest.raises(InvalidInput, match="tick at least one"):
            file.add(message(0), "Kim", ticked)
    with pytest.raises(InvalidInput, match="none of 1 messages has a label"):
        evaluate([("inform",)], [()], [1], RNG)
