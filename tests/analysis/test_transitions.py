"""Transition probabilities: what they count, that they stay probabilities, how sure they are."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.dialogue_acts import LABELS
from support.analysis.transitions import (
    NAMES,
    bootstrap,
    frequency,
    most_probable,
    probability,
    steps,
)
from support.errors import InvalidInput


def frame(*runs, **columns):
    """Messages from texts: for each run a list of rounds, "Ana: inform request; Ben: propose"."""
    rows, columns = [], {"repetition": range(len(runs))} | columns
    for run, rounds in enumerate(runs):
        own = {name: values[run] for name, values in columns.items()}
        for number, spoken in enumerate(rounds, start=1):
            for message in filter(None, spoken.split("; ")):
                sender, _, acts = message.partition(": ")
                about = {"round": number, "sender": sender, "acts": tuple(acts.split())}
                rows.append({"run": run, **own, **about})
    return pd.DataFrame(rows)


NAMED = ("Ana", "Ben", "Cleo")
TWO_ROUNDS = [
    "Ana: inform; Ben: inform request; Cleo: request",
    "Ana: propose; Ben: propose; Cleo: accept",
]


def test_probabilities_of_a_discussion_counted_by_hand():
    """inform is performed by Ana and Ben, request by Ben and Cleo; Cleo's request is answered by no accept but her own,
    and each act of the last round is followed by the end."""
    performed = steps(frame(TWO_ROUNDS, rule=["majority"]))
    p = probability(performed)
    assert p.loc["start", ["inform", "request"]].tolist() == [1, 1]
    assert p.loc["inform", ["propose", "accept"]].tolist() == [1, 1]
    assert p.loc["request", ["propose", "accept", "end"]].tolist() == [1, 0.5, 0]
    assert p.loc[["propose", "accept"], "end"].tolist() == [1, 1]
    assert p.loc[["confirm", "end"]].isna().all(axis=None)
    share = frequency(performed)
    assert share[["inform", "accept"]].tolist() == pytest.approx([2 / 7, 1 / 7])
    assert share.sum() == pytest.approx(1)
    printed = performed.groupby("act")[[*NAMES]].mean()
    assert printed.loc["request", "propose"] == 1.5  # three pairs of two occurrences
    assert performed["rule"].eq("majority").all()


def test_silence_answers_nothing_and_an_unlabelled_round_lies_between():
    p = probability(steps(frame(["Ana: inform; Ben: inform", "Ben: propose", "Ana: "])))
    assert p.loc["inform", "propose"] == 0.5, "Ben's own answer to himself is none"
    assert p.loc["propose", "end"] == 0


def at_random(rng, runs):
    """Discussions of random acts, some of which stop early, and some silences."""
    rows = []
    for run in range(runs):
        played = range(1, int(rng.integers(2, 9)))
        for number, sender in product(played, NAMED):
            acts = rng.choice(LABELS[:4], size=int(rng.integers(1, 3)), replace=False)
            if number == 1 or rng.random() < 0.8:
                rows.append((run, number, sender, tuple(acts.tolist())))
    return pd.DataFrame(rows, columns=["run", "round", "sender", "acts"])


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.permutations(range(4)), st.permutations(NAMED))
def test_property_neither_order_nor_names_matter_and_none_exceeds_one(
    seed, order, names
):
    messages = at_random(np.random.default_rng(seed), runs=4)
    renamed = dict(zip(NAMED, names, strict=True))
    other = messages.assign(sender=messages["sender"].map(renamed))
    other = pd.concat([other[other["run"] == run] for run in order])
    p = probability(steps(messages))
    pd.testing.assert_frame_equal(p, probability(steps(other)))
    assert p.max(axis=None) <= 1


def many(rng, runs, answer):
    """Runs in which an inform is answered by `answer` with probability 0.7, else by propose."""
    acts = [answer if rng.random() < 0.7 else "propose" for _ in range(runs)]
    return [["Ana: inform; Ben: inform", f"Ana: {act}; Ben: {act}"] for act in acts]


def test_a_bootstrap_draw_is_the_count_of_the_groups_drawn_each_with_all_of_its_runs():
    runs = many(np.random.default_rng(4), 10, "accept")
    performed = steps(frame(*runs, repetition=[*range(5)] * 2))
    times = np.random.default_rng(9).multinomial(5, np.full(5, 0.2), size=1)[0]
    chosen = np.repeat(range(5), times)
    parts = [performed[performed["repetition"] == group] for group in chosen]
    drawn = bootstrap(performed, np.random.default_rng(9), 1)
    np.testing.assert_allclose(drawn[0], probability(pd.concat(parts)).to_numpy())


def test_the_graph_shows_the_most_probable_edges_without_loops():
    run = [*["Ana: inform; Ben: inform"] * 2, "Ana: propose; Ben: propose"]
    edges = most_probable(probability(steps(frame(run))))
    expected = [
        ("start", "inform", 1),
        ("inform", "propose", 0.5),
        ("propose", "end", 1),
    ]
    assert [*edges.itertuples(index=False, name=None)] == expected
    mixed = ["Ana: inform; Ben: request", "Ana: propose; Ben: accept"] * 2
    p = probability(steps(frame(mixed)))
    assert most_probable(p, 5)["probability"].min() < 0.6
    assert most_probable(p, 5, 0.6)["probability"].min() >= 0.6


def test_an_edge_that_always_leads_is_sure_and_one_of_two_alike_is_not():
    rng = np.random.default_rng(1)
    performed = steps(frame(*many(rng, 300, "accept")))
    drawn = bootstrap(performed, rng, 200)
    assert most_probable(probability(performed), drawn=drawn)["leads"].eq(1).all()
    pairs = [
        ["Ana: inform; Ben: inform", f"Ana: {a}; Ben: {a}"]
        for a in ("accept", "decline")
    ]
    performed = steps(frame(*pairs * 20))
    edges = most_probable(probability(performed), drawn=bootstrap(performed, rng, 200))
    assert edges.set_index("source").loc["inform", "leads"] < 0.95


OWN = {"question": "asks", "number": "counts", "rest": "does neither"}


def test_a_scheme_of_ones_own_goes_the_whole_way():
    rounds = [
        "Ana: question; Ben: number question; Ben: rest",
        "Ana: number; Ben: number",
    ]
    performed = steps(frame(rounds, rounds), labels=OWN)
    p, share = probability(performed), frequency(performed)
    assert [*p.index] == [*p.columns] == ["start", *OWN, "end"]
    assert p.loc["question", "number"] == 1, "Ben performs what both his messages do"
    assert p.loc["number", "end"] == pytest.approx(2 / 3)
    assert p.loc["start", "rest"] == 0.5
    assert share.to_dict() == {"question": 2 / 6, "number": 3 / 6, "rest": 1 / 6}
    drawn = bootstrap(performed, np.random.default_rng(1), 3)
    np.testing.assert_allclose(drawn[0], p)
    assert most_probable(p, drawn=drawn)["leads"].eq(1).all()


WRONG = [
    (frame(TWO_ROUNDS), "embedding", "'embedding'"),
    (frame(["Ana: chat; Ben: inform"]), "acts", "'chat' given"),
    (frame(["Ana: inform; Ben: "]), "acts", "from one speaker to another"),
]


@pytest.mark.parametrize(("messages", "column", "error"), WRONG)
def test_what_users_get_wrong(messages, column, error):
    with pytest.raises(InvalidInput, match=error):
        steps(messages, column)
    with pytest.raises(InvalidInput, match="'act'"):
        steps(frame(TWO_ROUNDS), labels=("act", "rest"))
    with pytest.raises(InvalidInput, match="at least 2"):
        bootstrap(steps(frame(TWO_ROUNDS)), np.random.default_rng(1))
