"""The detector that learns: on vectors whose answer is known, and split by case."""

import asyncio

import numpy as np
import pytest

from support.seminar.detectors import ClassifierDetector, cross_validated
from support.seminar.rules import PolicySet


class Letters:
    """An encoder whose vector of a text is the share of some letters in it."""

    def encode(self, texts):
        return np.array([[text.count(letter) / max(len(text), 1) for letter in "abcd"] for text in texts])


TEXTS = ["aaa", "aab", "aba", "ccc", "ccd", "cdc"]
FLAGS = [True, True, True, False, False, False]


def test_it_flags_what_is_like_the_flagged_and_asks_by_quoting():
    detector = ClassifierDetector.fit(TEXTS, FLAGS, Letters())
    flagged, clear = (asyncio.run(detector.check(text, PolicySet())) for text in ("aaaa", "cccc"))
    assert flagged.flag and "“aaaa”" in flagged.question and flagged.question.endswith("?")
    assert (clear.flag, clear.question) == (False, "")


def test_many_of_one_side_do_not_draw_the_undecided_to_it():
    detector = ClassifierDetector.fit(["aaa"] * 9 + ["ccc"], [True] * 9 + [False], Letters())
    assert detector.probabilities(["ac"])[0] == pytest.approx(0.5, abs=0.02)


def test_a_case_is_judged_by_a_classifier_that_saw_none_of_its_voices():
    """Each case has a letter of its own: whoever had seen a voice of it would be sure, by case nobody can know."""

    class Own:
        def encode(self, texts):
            return np.array([[float(text[0] == letter) for letter in "abcdefgh"] for text in texts])

    cases = [letter for letter in "abcdefgh" for _ in range(5)]
    flags = [letter in "abcd" for letter in cases]
    texts = [f"{letter}{k}" for k, letter in enumerate(cases)]
    judged = cross_validated(texts, flags, cases, Own(), np.random.default_rng(0), folds=4)
    assert judged == pytest.approx(np.full(40, 0.5), abs=1e-3)
    assert ClassifierDetector.fit(texts, flags, Own()).probabilities(["a9"])[0] > 0.8
