"""Features of a conversation, the acts of its rounds, and real groups in the frame of the agents."""

from math import isnan, sqrt

import numpy as np
import pandas as pd
import pytest
import textstat
from scipy.stats import t

from support.analysis.conversation import (
    by_round,
    features,
    grade,
    information_difference,
    messages_of_delidata,
    with_acts,
    words,
)
from support.analysis.dialogue_acts import LABELS
from support.corpora import delidata
from support.errors import InvalidInput

BY = ["environment", "rule"]


class Compass:
    """Encodes a text by its first letter, in vectors of any length."""

    def encode(self, texts):
        points = {"e": (1, 0), "n": (0, 1)}
        return np.array(
            [
                (1.0 + len(text)) * np.array(points.get(text[:1], (1, 1)))
                for text in texts
            ]
        )


def talk(*rows):
    frame = pd.DataFrame(rows, columns=["run", "round", "sender", "text"])
    return frame.assign(environment="exchange_economy", rule="majority")


def test_information_difference_by_hand_and_blank_texts_move_no_centre():
    messages = talk((0, 1, "A", "e"), (0, 1, "B", "nn"), (0, 2, "A", "e"), (0, 2, "B", "east"), (0, 3, "A", "n"),
                    (0, 2, "C", " "), (0, 4, "C", ""), (0, 6, "A", "e"), (1, 2, "A", "e"))  # fmt: skip
    found = information_difference(messages, Compass().encode(messages["text"]))
    # Round 1's centre points north-east, 45 degrees from east; round 2's points east, 90 degrees from north. Nothing is
    # said of blank texts, nor after a round without messages, nor of another run's words.
    assert found[2:5] == pytest.approx([1 - 1 / sqrt(2), 1 - 1 / sqrt(2), 1.0])
    assert np.isnan(np.delete(found, [2, 3, 4])).all()


def test_a_grade_by_hand_and_of_a_long_message():
    # 10 words in 2 sentences; ten syllables in six words, then four in four.
    text = "We could accept a fair division. I say no now."
    assert grade(text) == pytest.approx(
        0.39 * 10 / 2 + 11.8 * (1 + 1 + 2 + 1 + 1 + 3 + 4) / 10 - 15.59
    )
    long = features(talk((0, 1, "A", "no, I will not. " * 1250))).iloc[0]
    assert (long["words"], long["grade"]) == (
        5000,
        pytest.approx(0.39 * 4 + 11.8 - 15.59),
    )


@pytest.mark.parametrize(
    ("text", "number", "graded"),
    [("", 0, False), ("👍👍 🎉", 0, False), ("我同意安娜的建议", 1, False), ("Yes A", 2, False),
     ("12 34 56 78", 4, False), ("Анна сказала ok нам всем", 5, False), ("I agree fully.", 3, True),
     ("The café is naïve, Łukasz.", 5, True)],
)  # fmt: skip
def test_a_grade_is_asked_for_only_where_it_means_something(text, number, graded):
    assert words(text) == number and isnan(grade(text)) != graded
    assert not graded or grade(text) == textstat.flesch_kincaid_grade(text)


def test_a_cell_is_the_mean_over_runs_of_their_means_with_a_t_interval():
    rows = [
        (0, 1, "A", "one"),
        (0, 1, "B", "one two three"),
        (1, 1, "A", "one two three four five six"),
    ]
    cells = by_round(
        features(talk(*rows, (1, 2, "A", "one")), Compass()), BY
    ).set_index("column")
    half = 2 * t.ppf(0.975, 1)  # runs' means are 2 and 6: messages would give 10 / 3
    expected = pytest.approx([4, 2, 4 - half, 4 + half, 2])
    assert (
        cells.loc["words@1", ["value", "se", "low", "high", "n"]].tolist() == expected
    )
    assert "difference@1" not in cells.index and np.isnan(
        cells.loc["words@2", "low"]
    ), "one run has no interval"


ACTS = pd.DataFrame(
    [(0, 1, ("inform", "request")), (0, 1, ("inform",)), (1, 1, ("inform",)), (1, 1, ("inform",)), (1, 1, ("request",)),
     (1, 1, ()), (0, 2, ("accept",))],
    columns=["run", "round", "acts"],
).assign(environment="exchange_economy", rule="majority")  # fmt: skip


def test_shares_are_of_labelled_messages_and_each_run_weighs_the_same():
    frame = by_round(with_acts(ACTS), BY, LABELS).set_index("column")
    value = frame["value"]
    assert value["inform@1"] == pytest.approx((2 / 2 + 2 / 3) / 2)
    assert value["request@1"] == pytest.approx((1 / 2 + 1 / 3) / 2)
    spread = np.std([1, 2 / 3], ddof=1) / np.sqrt(2)
    assert frame.loc["inform@1", "se"] == pytest.approx(spread)
    assert frame.loc["accept@2", "n"] == 1
    assert set(frame["feature"]) == set(LABELS)
    with pytest.raises(InvalidInput, match="label them first"):
        with_acts(ACTS[:0])


def test_chats_are_messages_in_rounds_of_as_many_as_there_are_people(have):
    people, chats = messages_of_delidata(), have(delidata)
    assert people["text"].tolist() == chats["text"].tolist()
    assert people["run"].nunique() == 250
    for _, run in list(people.groupby("run"))[:20]:
        sizes = run.groupby("round").size()
        assert (sizes.iloc[:-1] == run["sender"].nunique()).all() and list(
            sizes.index
        ) == [*range(1, len(sizes) + 1)]
    assert people["acts"].map(len).eq(0).all()
