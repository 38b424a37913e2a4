"""The study on MovieLens plays one case from its settings."""

import asyncio

import numpy as np
import pytest

from support.analysis.prediction import errors_of
from support.errors import InvalidInput
from support.roundtable.movielens import draw_cases
from support.roundtable.study import roundtable_movielens
from support.runs.study import Store
from support.runs.sweep import Sweep


def played(rule="majority", seed=0, **settings):
    return asyncio.run(
        roundtable_movielens(np.random.default_rng(seed), rule, rounds=2, **settings)
    )


def test_the_case_is_the_one_named_or_else_the_one_of_the_repetition(real):
    third = draw_cases(3)[2]
    expected = {
        "name": "movielens",
        "user": third.user,
        "item": third.item,
        "rating": third.rating,
        "consult": None,
    }
    assert played(case=2).environment == played(repetition=2).environment == expected
    assert played(case=2, cases_seed=5).environment != expected
    assert played(consult="UserHistory").rounds != played().rounds
    with pytest.raises(
        InvalidInput, match=r"case: .* expected a whole number from 0 to 19999"
    ):
        played(case=20_000)


def test_a_sweep_paired_by_rule_seats_the_same_agents_at_the_same_cases(real, tmp_path):
    grid = {"rule": ["majority", "rated"], "rounds": [2]}
    sweep, store = (
        Sweep("m", roundtable_movielens, grid, 3, 1, paired=["rule"]),
        Store(tmp_path / "s.sqlite"),
    )
    assert asyncio.run(sweep.run(store, progress=False)).done == 6
    seen = {rule: [] for rule in grid["rule"]}
    for _, record in sweep.records(store):
        first = record.rounds[0]
        seen[record.rule].append(
            (record.environment, record.seats, first.messages, first.proposals)
        )
    assert seen["majority"] == seen["rated"]
    assert (
        errors_of(sweep.records(store), rounds=2)["truth"].tolist()[::2]
        == [c.rating for c in draw_cases(3)] * 2
    )
