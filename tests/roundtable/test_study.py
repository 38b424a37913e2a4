"""The studies of RoundTable play what their settings name, and say how it went."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from support.analysis.metrics import total_utility
from support.analysis.prediction import errors_of
from support.errors import InvalidInput
from support.roundtable.economy import exchange_economy
from support.roundtable.movielens import draw_cases
from support.roundtable.study import roundtable_exchange, roundtable_movielens
from support.roundtable.table import environment_of
from support.runs.sweep import Sweep


def test_a_sweep_paired_by_rule_seats_the_same_agents_at_the_same_cases(real, store):
    grid = {"rule": ["majority", "rated"], "rounds": [2]}
    sweep = Sweep("cases", roundtable_movielens, grid, 3, 1, paired=["rule"])
    asyncio.run(sweep.run(store, progress=False))
    begun = []
    for _, record in sweep.records(store):
        first = record.rounds[0]
        begun.append((record.environment, record.seats, first.messages))
    assert begun[:3] == begun[3:]
    truth = errors_of(sweep.records(store), rounds=2)["truth"].tolist()
    assert truth[::2] == [case.rating for case in draw_cases(3)] * 2


def exchanged(rule="majority", seats="mixed", rounds=1, **settings):
    """A discussion, and what its stream gives after it."""
    rng = np.random.default_rng(5)
    how = {"seats": seats, "rounds": rounds, **settings}
    talk = asyncio.run(roundtable_exchange(rng, rule, **how))
    return talk, (talk.seats, rng.random(), rng.spawn(1)[0].random())


def test_drawn_exponents_are_others_in_each_repetition_under_any_rule_and_no_other_draw_is():
    usual, after = exchanged()
    assert environment_of(usual).weights == exchange_economy().weights
    problems = {"majority": [], "rated": []}
    for rule, found in problems.items():
        for repetition in range(3):
            talk, left = exchanged(rule, draw=True, repetition=repetition)
            assert left == after
            found.append(environment_of(talk).weights)
    assert problems["majority"] == problems["rated"]
    assert len(set(problems["rated"])) == 3


def test_a_discussion_says_whether_when_and_how_well_it_decided():
    talk, _ = exchanged(seats="truthful", rounds=4)
    summary, rounds = talk.summary, talk.rounds
    totals = [summary[f"utility@{number}"] for number in (1, 2, 3, 4)]
    assert totals == pytest.approx(total_utility(talk))
    first = next(one.number for one in rounds if one.decision)
    assert summary["decided"]
    assert summary["decision_round"] == first
    assert summary["messages"] == sum(len(one.messages) for one in rounds) > 0
    undecided = replace(rounds[0], decision=None)
    summary = replace(talk, rounds=(undecided,)).summary
    assert not summary["decided"]
    assert summary["utility@1"] == 0.0
    assert "utility@2" not in summary
