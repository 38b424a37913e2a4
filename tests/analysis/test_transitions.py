"""Transition probabilities: what they count, and that they stay probabilities."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.dialogue_acts import LABELS
from support.analysis.transitions import frequency, most_probable, probability, steps
from support.errors import InvalidInput


def frame(rounds):
    """One run from texts, a round each: "Ana: inform request; Ben: propose"."""
    rows = []
    for number, spoken in enumerate(rounds, start=1):
        for message in spoken.split("; "):
            sender, _, acts = message.partition(": ")
            rows.append((0, number, sender, tuple(acts.split())))
    return pd.DataFrame(rows, columns=["run", "round", "sender", "acts"])


NAMED = ("Ana", "Ben", "Cleo")
TWO_ROUNDS = [
    "Ana: inform; Ben: inform request; Cleo: request",
    "Ana: propose; Ben: propose; Cleo: accept",
]


def test_probabilities_of_a_discussion_counted_by_hand():
    """inform is performed by Ana and Ben, request by Ben and Cleo; Cleo's request is
    answered by no accept but her own, and each act of the last round by the end."""
    performed = steps(frame(TWO_ROUNDS).assign(rule="majority"))
    p = probability(performed)
    assert p.loc["start", ["inform", "request"]].tolist() == [1, 1]
    assert p.loc["inform", ["propose", "accept"]].tolist() == [1, 1]
    assert p.loc["request", ["propose", "accept", "end"]].tolist() == [1, 0.5, 0]
    assert p.loc[["propose", "accept"], "end"].tolist() == [1, 1]
    assert p.loc[["confirm", "end"]].isna().all(axis=None)
    share = frequency(performed)
    assert share[["inform", "accept"]].tolist() == pytest.approx([2 / 7, 1 / 7])
    assert share.sum() == pytest.approx(1)
    assert performed["rule"].eq("majority").all()


def test_silence_answers_nothing_and_an_unlabelled_round_lies_between():
    p = probability(steps(frame(["Ana: inform; Ben: inform", "Ben: propose", "Ana: "])))
    assert p.loc["inform", "propose"] == 0.5, "Ben's own answer to himself is none"
    assert p.loc["propose", "end"] == 0


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.permutations(range(4)), st.permutations(NAMED))
def test_property_neither_order_nor_names_matter_and_none_exceeds_one(
    seed, order, names
):
    rng = np.random.default_rng(seed)
    rows = [
        (*key, tuple(act for act in LABELS[:4] if rng.random() < 0.4))
        for key in product(range(4), (1, 2, 3), NAMED)
    ]
    messages = pd.DataFrame(rows, columns=["run", "round", "sender", "acts"])
    renamed = messages["sender"].map(dict(zip(NAMED, names, strict=True)))
    other = messages.assign(sender=renamed)
    other = pd.concat([other[other["run"] == run] for run in order])
    p = probability(steps(messages))
    pd.testing.assert_frame_equal(p, probability(steps(other)))
    assert p.max(axis=None) <= 1


def test_the_graph_shows_the_most_probable_edges_without_loops():
    run = [*["Ana: inform; Ben: inform"] * 2, "Ana: propose; Ben: propose"]
    edges = most_probable(probability(steps(frame(run))))
    expected = [
        ("start", "inform", 1),
        ("inform", "propose", 0.5),
        ("propose", "end", 1),
    ]
    assert [*edges.itertuples(index=False, name=None)] == expected
    p = probability(steps(frame(TWO_ROUNDS)))
    assert most_probable(p, 5)["probability"].min() == 0.5
    assert most_probable(p, 5, 0.6)["probability"].min() == 1


OWN = {"question": "asks", "number": "counts", "rest": "does neither"}


def test_a_scheme_of_ones_own_goes_the_whole_way():
    rounds = [
        "Ana: question; Ben: number question; Ben: rest number",
        "Ana: number; Ben: number",
    ]
    performed = steps(frame(rounds), labels=OWN)
    p, share = probability(performed), frequency(performed)
    assert [*p.index] == [*p.columns] == ["start", *OWN, "end"]
    assert p.loc["question", "number"] == 1, "Ben performs what both his messages do"
    assert p.loc["number", "end"] == pytest.approx(2 / 3)
    assert p.loc["start", "rest"] == 0.5
    assert share.to_dict() == {"question": 2 / 6, "number": 3 / 6, "rest": 1 / 6}


@pytest.mark.parametrize(
    ("messages", "column", "error"),
    [
        (frame(TWO_ROUNDS), "embedding", "'embedding'"),
        (frame(["Ana: chat; Ben: inform"]), "acts", "'chat' given"),
        (frame(["Ana: inform; Ben: "]), "acts", "from one speaker to another"),
    ],
)
def test_what_users_get_wrong(messages, column, error):
    with pytest.raises(InvalidInput, match=error):
        steps(messages, column)
