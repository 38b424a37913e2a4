"""Pairs of acts are counted across speakers, from Start on."""

import itertools

import numpy as np

from support.analysis.dialogue_acts.acts import LABELS
from support.analysis.stopping.pairs import pair_counts, pair_names


def place(a, b):
    return pair_names().index((a, b))


def test_a_hand_counted_example():
    acts = np.zeros((1, 2, 3, len(LABELS)), dtype=bool)
    for round_, agent, act in [(0, 0, "propose"), (0, 1, "propose"), (1, 0, "accept"), (1, 2, "accept")]:
        acts[0, round_, agent, LABELS.index(act)] = True
    counts = pair_counts(acts)[0]
    assert counts[1, place("propose", "accept")] == 3  # 0→2, 1→0, 1→2; not 0→0
    assert counts[0, place("start", "propose")] == 2  # two who propose, each after the other's start; agent 2 is silent
    assert counts[1, place("accept", "propose")] == 0
    assert counts[0].sum() == 2 and counts[1].sum() == 3


def test_counts_are_those_of_a_plain_loop():
    acts = np.random.default_rng(1).random((4, 3, 3, len(LABELS))) < 0.3
    counts = pair_counts(acts)
    for run, number, (a, b) in itertools.product(range(4), (1, 2), itertools.product(range(11), repeat=2)):
        many = sum(
            acts[run, number - 1, i, a] and acts[run, number, j, b] for i, j in itertools.permutations(range(3), 2)
        )
        assert counts[run, number, place(LABELS[a], LABELS[b])] == many


def test_who_has_not_spoken_yet_changes_nothing():
    acts = np.random.default_rng(2).random((3, 4, 3, len(LABELS))) < 0.3
    wider = np.concatenate([acts, np.zeros((3, 4, 5, len(LABELS)), dtype=bool)], axis=2)
    assert (pair_counts(acts) == pair_counts(wider)).all()
