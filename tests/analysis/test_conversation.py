"""Features of a conversation, and real groups in the frame of the agents."""

from math import isnan, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from support.analysis.conversation import (
    by_round,
    features,
    labelled_talk,
)


class Compass:
    """Encodes a text by its first letter, in vectors of any length."""

    def encode(self, texts):
        points = {"e": (1, 0), "n": (0, 1)}
        lengths = np.array([[1.0 + len(text)] for text in texts])
        return lengths * [points.get(text[:1], (1, 1)) for text in texts]


def talk(*rows):
    frame = pd.DataFrame(rows, columns=["run", "round", "text"])
    return frame.assign(rule="majority")


def test_information_difference_by_hand_and_blank_texts_move_no_centre():
    """Round 1's centre points north-east, 45 degrees from east; round 2's points east,
    90 degrees from north. Nothing is said of blank texts, nor after a round without
    messages, nor of another run's words."""
    compared = [(0, 2, "e"), (0, 2, "east"), (0, 3, "n")]
    not_compared = [(0, 1, "e"), (0, 1, "nn"), (0, 2, " "), (0, 4, ""), (0, 6, "e")]
    messages = talk(*compared, *not_compared, (1, 2, "e"))
    found = features(messages, Compass())["difference"]
    assert found[:3].tolist() == pytest.approx([1 - 1 / sqrt(2)] * 2 + [1])
    assert found[3:].isna().all()


def test_a_grade_by_hand_and_of_a_long_message():
    """10 words in 2 sentences; nine syllables in six words, then four in four."""
    text = "We could accept a fair division. I say no now."
    by_hand = 0.39 * 10 / 2 + 11.8 * (9 + 4) / 10 - 15.59
    long = "no, I will not. " * 1250
    measured = features(talk((0, 1, text), (0, 1, long)))
    grades = [by_hand, 0.39 * 4 + 11.8 - 15.59]
    assert measured["words"].tolist() == [10, 5000]
    assert measured["grade"].tolist() == pytest.approx(grades)


def test_a_cell_is_the_mean_over_runs_of_their_means_with_a_t_interval():
    """Means of runs are 2 and 6, where messages would give 10 / 3; one run has none."""
    first = [(0, 1, "one"), (0, 1, "one two three")]
    other = [(1, 1, "one two three four five six"), (1, 2, "one")]
    measured = features(talk(*first, *other), Compass())
    cells = by_round(measured, ["rule"]).set_index("column")
    half = 2 * t.ppf(0.975, 1)
    expected = {"value": 4, "se": 2, "low": 4 - half, "high": 4 + half, "n": 2}
    assert cells.loc["words@1", [*expected]].to_dict() == pytest.approx(expected)
    assert isnan(cells.loc["words@2", "low"])
    assert "difference@1" not in cells.index
    assert cells["row"].eq("majority").all()


def test_what_teaches_and_what_tests_share_no_author_and_no_team():
    learnt, tests = labelled_talk(2)
    for kind, lessons in learnt.items():
        assert not {*lessons["run"]} & {*tests[kind]["run"]}
    for talk in (*learnt.values(), *tests.values()):
        assert talk["acts"].map(len).min() > 0
