"""Agreement equals what well-kept libraries say, and its intervals resample groups."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score, f1_score, precision_score, recall_score

from support.analysis.dialogue_acts.agreement import MEAN, MEASURES, alpha, counts, difference, evaluate, kappa
from support.errors import InvalidInput

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40)


def table(pairs):
    real, given_ = (np.array(column)[:, None] for column in zip(*pairs, strict=True))
    return counts(real, given_, np.zeros(len(pairs), dtype=int))[0, 0]


@given(PAIRS)
def test_measures_equal_those_of_scikit_learn(pairs):
    real, given_ = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = {
            "kappa": cohen_kappa_score(real, given_),
            "precision": precision_score(real, given_, zero_division=np.nan),
            "recall": recall_score(real, given_, zero_division=np.nan),
            "f1": f1_score(real, given_, zero_division=np.nan),
        }
    for name, value in theirs.items():
        assert float(MEASURES[name](table(pairs))) == pytest.approx(value, nan_ok=True), name


@given(PAIRS)
@settings(max_examples=50)
def test_alpha_equals_that_of_nltk(pairs):
    task = AnnotationTask([(c, i, v) for i, pair in enumerate(pairs) for c, v in zip("ab", pair, strict=True)])
    ours = float(alpha(table(pairs)))
    if len({v for pair in pairs for v in pair}) == 1:
        assert np.isnan(ours), "nobody can agree beyond chance where nothing varies"
    else:
        assert ours == pytest.approx(task.alpha())


@given(PAIRS)
def test_kappa_and_alpha_do_not_depend_on_who_is_called_the_truth(pairs):
    there, back = table(pairs), table([pair[::-1] for pair in pairs])
    for measure in (kappa, alpha):
        assert float(measure(there)) == pytest.approx(float(measure(back)), nan_ok=True)


def labels(n=200, seed=5):
    rng = np.random.default_rng(seed)
    names = ("inform", "request", "propose")
    truth = [tuple(a for a in names if rng.random() < 0.4) or ("others",) for _ in range(n)]
    guess = [t if rng.random() < 0.7 else ("inform",) for t in truth]
    return truth, guess, [i % 8 for i in range(n)]


def value(frame, act, measure, column="value"):
    return frame.loc[(frame["act"] == act) & (frame["measure"] == measure), column].item()


def test_several_acts_per_message_are_judged_one_by_one():
    truth, guess, groups = labels()
    frame = evaluate(truth, guess, groups, np.random.default_rng(1))
    expected = cohen_kappa_score(["request" in t for t in truth], ["request" in g for g in guess])
    assert value(frame, "request", "kappa") == pytest.approx(expected)
    assert value(frame, "request", "kappa", "truth") == sum("request" in t for t in truth)
    assert np.isnan(value(frame, "defend", "kappa")), "an act that nobody performs and nobody gives"
    known = [value(frame, a, "kappa") for a in ("inform", "request", "propose", "others")]
    assert value(frame, MEAN, "kappa") == pytest.approx(np.mean(known))


def test_intervals_hold_the_value_and_come_from_whole_groups():
    truth, guess, _ = labels()
    fine = evaluate(truth, guess, range(200), np.random.default_rng(1))
    low, high = value(fine, "inform", "f1", "low"), value(fine, "inform", "f1", "high")
    assert low < value(fine, "inform", "f1") < high
    # Copies of one message in a group add no knowledge: the interval must not shrink when all are said four times.
    copied = evaluate(truth * 4, guess * 4, [*range(200)] * 4, np.random.default_rng(1))
    assert value(copied, "inform", "f1", "high") - value(copied, "inform", "f1", "low") == pytest.approx(high - low)
    assert evaluate(truth, guess, [0] * 200, np.random.default_rng(1))["low"].isna().all(), "one group has no spread"
    assert fine["clusters"].eq(200).all()


def test_the_bootstrap_equals_one_that_recounts_the_messages():
    truth, guess, groups = labels()
    frame = evaluate(truth, guess, groups, np.random.default_rng(4), draws=50)
    weights = np.random.default_rng(4).multinomial(8, np.full(8, 1 / 8), size=50)
    slow = []
    for draw in weights:
        kept = [i for i, g in enumerate(groups) for _ in range(draw[g])]
        slow.append(f1_score(["inform" in truth[i] for i in kept], ["inform" in guess[i] for i in kept]))
    assert value(frame, "inform", "f1", "low") == pytest.approx(np.percentile(slow, 2.5))


def test_two_predictors_are_compared_on_the_same_resamples():
    truth, guess, groups = labels()
    worse = [("inform",)] * 100 + guess[100:]
    frame = difference(truth, guess, worse, groups, np.random.default_rng(1))
    one, other = (evaluate(truth, p, groups, np.random.default_rng(1)) for p in (guess, worse))
    gain = value(one, "request", "kappa") - value(other, "request", "kappa")
    assert value(frame, "request", "kappa") == pytest.approx(gain)
    assert value(frame, "request", "kappa", "low") < gain < value(frame, "request", "kappa", "high")
    same = difference(truth, guess, guess, groups, np.random.default_rng(1)).dropna(subset="value")
    assert (same[["value", "low", "high"]] == 0).all(axis=None), "a predictor is no better than itself, in any resample"


def test_messages_that_could_not_be_labelled_are_left_out_and_counted():
    truth, guess, groups = labels()
    frame = evaluate(truth, [(), (), *guess[2:]], groups, np.random.default_rng(1))
    rest = evaluate(truth[2:], guess[2:], groups[2:], np.random.default_rng(1))
    assert frame["left_out"].eq(2).all()
    pd.testing.assert_series_equal(frame["value"], rest["value"])


def test_the_same_generator_gives_the_same_intervals():
    one, other = (evaluate(*labels(), np.random.default_rng(2)) for _ in range(2))
    pd.testing.assert_frame_equal(one, other)


def test_bad_input_says_what_was_expected():
    rng = np.random.default_rng(1)
    with pytest.raises(InvalidInput, match="expected as many of each"):
        evaluate([("inform",)], [], [1], rng)
    with pytest.raises(InvalidInput, match="none of 1 messages was labelled"):
        evaluate([("inform",)], [()], [1], rng)
    with pytest.raises(InvalidInput, match="'chat' given"):
        evaluate([("inform",)], [("chat",)], [1], rng)
