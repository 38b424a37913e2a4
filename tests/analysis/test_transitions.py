"""Transition probabilities: what they count, and that they stay probabilities."""

import pandas as pd
import pytest

from support.analysis.transitions import frequency, probability, steps


def frame(rounds):
    """One run from texts, a round each: "Ana: inform request; Ben: propose"."""
    rows = []
    for number, spoken in enumerate(rounds, start=1):
        for message in spoken.split("; "):
            sender, _, acts = message.partition(": ")
            rows.append((0, number, sender, tuple(acts.split())))
    return pd.DataFrame(rows, columns=["run", "round", "sender", "acts"])


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
