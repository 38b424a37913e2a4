"""Regressions and their thresholds."""

import numpy as np
import pytest

from support.analysis.dialogue_acts.heads import Heads, best_threshold, fit_heads
from support.errors import InvalidInput


def separable(n=60):
    rng = np.random.default_rng(3)
    there = rng.random((n, 2)) < 0.4
    features = there + 0.05 * rng.normal(size=(n, 2))
    labels = [
        tuple(a for a, yes in zip(("inform", "request"), row, strict=True) if yes) or ("others",) for row in there
    ]
    return features, labels, rng.integers(6, size=n)


def test_what_can_be_told_apart_is_learnt_and_several_acts_are_given_at_once():
    features, labels, groups = separable()
    heads = fit_heads(features, labels, groups, strength=100)
    assert heads.acts == ("inform", "request")
    assert heads.decide(features) == labels
    assert ("inform", "request") in labels


def test_a_sentence_below_every_threshold_performs_others():
    heads = Heads(("inform",), np.zeros((1, 1)), np.zeros(1), np.array([0.6]))
    assert heads.decide(np.zeros((1, 1))) == [("others",)]


def test_an_act_that_nearly_never_occurs_is_not_learnt():
    features, labels, groups = separable()
    heads = fit_heads(features, [("decline",), *labels[1:]], groups)
    assert "decline" not in heads.acts


def test_the_same_labels_give_the_same_heads():
    one, other = (fit_heads(*separable()) for _ in range(2))
    assert np.array_equal(one.weights, other.weights)
    assert np.array_equal(one.thresholds, other.thresholds)


@pytest.mark.parametrize("groups", [[0] * 60, [0, 1]])
def test_one_group_and_unequal_lengths_are_refused(groups):
    features, labels, _ = separable()
    with pytest.raises(InvalidInput):
        fit_heads(features, labels, groups)


def test_the_threshold_is_the_one_of_the_largest_f1():
    rng = np.random.default_rng(1)
    there = rng.random(200) < 0.3
    chances = np.clip(0.3 * there + rng.random(200) * 0.5, 0, 1)
    found = best_threshold(chances, there)

    def f1(t):
        return 2 * ((chances >= t) & there).sum() / ((chances >= t).sum() + there.sum())

    assert f1(found) == max(f1(t) for t in np.arange(0.05, 0.96, 0.01))


def test_where_nothing_is_found_the_threshold_is_a_half():
    assert best_threshold(np.zeros(4), np.array([True, False, True, False])) == 0.5
