"""Study functions play one unit from its settings; MovieLens is skipped where it cannot be had."""

import asyncio

import numpy as np
import pytest

from support.analysis.prediction import errors_of
from support.errors import InvalidInput
from support.roundtable.movielens import draw_cases
from support.roundtable.ratings import load
from support.roundtable.study import roundtable_movielens
from support.runs.study import Store
from support.runs.sweep import Sweep


@pytest.fixture(scope="module", autouse=True)
def data(have):
    return have(load)


def played(rule="majority", seed=0, **settings):
    return asyncio.run(roundtable_movielens(np.random.default_rng(seed), rule, rounds=2, **settings))


def test_the_case_is_the_one_named_or_else_the_one_of_the_repetition():
    third = draw_cases(3)[2]
    expected = {"name": "movielens", "user": third.user, "item": third.item, "rating": third.rating, "consult": None}
    assert played(case=2).environment == played(repetition=2).environment == expected
    assert played(case=2, cases_seed=5).environment != expected


@pytest.mark.parametrize("case", [-1, 20_000, True, 1.0])
def test_a_case_that_there_is_not_is_refused(case):
    with pytest.raises(InvalidInput, match=r"case: .* expected a whole number from 0 to 19999"):
        played(case=case)


def test_the_agent_that_may_consult_changes_the_discussion_and_is_recorded():
    assert played(consult="UserHistory").environment["consult"] == "UserHistory"
    assert played(consult="UserHistory").rounds != played().rounds


def test_a_sweep_paired_by_rule_seats_the_same_agents_at_the_same_cases(tmp_path):
    grid = {"rule": ["majority", "rated"], "rounds": [2]}
    sweep, store = Sweep("m", roundtable_movielens, grid, 3, 1, paired=["rule"]), Store(tmp_path / "s.sqlite")
    assert asyncio.run(sweep.run(store, progress=False))["done"] == 6
    seen = {rule: [] for rule in grid["rule"]}
    for _, record in sweep.records(store):
        first = record.rounds[0]
        seen[record.rule].append((record.environment, record.seats, first.messages, first.proposals))
    assert seen["majority"] == seen["rated"]
    errors = errors_of(sweep.records(store), rounds=2)
    assert errors["truth"].tolist()[::2] == [c.rating for c in draw_cases(3)] * 2
