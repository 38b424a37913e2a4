"""Agreement equals what well-kept libraries say, its intervals resample groups; labels of people are kept."""

import sqlite3
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, f1_score

from support.analysis.agreement import (
    LabelFile,
    evaluate,
)
from support.errors import InvalidInput

PAIRS = st.lists(
    st.tuples(st.booleans(), st.booleans()),
    min_size=2,
    max_size=40,
)
INFORM, REQUEST = ("inform",), ("request",)
YES = np.random.default_rng(5).random((2, 200)) < 0.5
GROUPS = np.arange(200) % 8


def rng():
    return np.random.default_rng(4)


def acts(performed):
    return [INFORM if yes else REQUEST for yes in performed]


def value(frame, act, measure):
    return frame.set_index(["act", "measure"])["value"][act, measure]


@settings(max_examples=20)
@given(PAIRS)
def test_property_measures_equal_those_of_scikit_learn(pairs):
    sides = np.array(pairs).T
    ours = evaluate(*map(acts, sides), range(len(pairs)), rng(), draws=2)
    with warnings.catch_warnings(action="ignore"):
        kappa = cohen_kappa_score(*sides)
        f1 = f1_score(*sides, zero_division=np.nan)
    found = [value(ours, "inform", measure) for measure in ("kappa", "f1")]
    assert found == pytest.approx([kappa, f1], nan_ok=True)


def test_what_is_unlabelled_or_never_performed_counts_for_nothing():
    truth, given = map(acts, YES)
    part = evaluate(truth, [(), (), *given[2:]], GROUPS, rng())
    rest = evaluate(truth[2:], given[2:], GROUPS[2:], rng())
    assert part["n"].eq(198).all()
    assert part["value"].equals(rest["value"])
    assert np.isnan(value(part, "defend", "kappa"))
    with pytest.raises(InvalidInput, match="none of 200 messages has a label"):
        evaluate(truth, [()] * 200, GROUPS, rng())


def test_intervals_are_those_of_a_bootstrap_that_recounts_the_messages_of_whole_groups():
    one = evaluate(*map(acts, YES), [0] * 200, rng())
    assert one["low"].isna().all(), "one group has no spread"
    found = evaluate(*map(acts, YES), GROUPS, rng(), draws=50)
    slow = []
    for times in rng().multinomial(8, np.full(8, 1 / 8), size=50):
        kept = np.repeat(YES, times[GROUPS], axis=1)
        slow.append(f1_score(*kept))
    f1 = found.set_index(["act", "measure"]).loc[("inform", "f1")]
    low, high = np.percentile(slow, [2.5, 97.5])
    assert f1["low"] == pytest.approx(low)
    assert f1["high"] == pytest.approx(high)


def message(i):
    return {
        "run": i // 3,
        "round": 1,
        "sender": "Ana",
        "text": f"我同意 <b> {i}",
    }


@pytest.fixture
def file(tmp_path):
    return LabelFile(tmp_path / "labels.sqlite")


def test_the_latest_label_counts_while_none_is_erased(file):
    file.add(message(1), "Kim", ["others"])
    file.add(message(1), "Kim", ["request", "inform"])
    [kept] = LabelFile(file.path).read().to_dict("records")
    assert kept["text"] == message(1)["text"]
    assert kept["acts"] == ("inform", "request")
    rows = sqlite3.connect(file.path).execute("SELECT count(*) FROM labels")
    assert rows.fetchone() == (2,)
