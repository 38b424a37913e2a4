"""The studies of RoundTable play what their settings name, and say how it went."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from support.analysis.metrics import run_metrics, total_utility
from support.analysis.prediction import errors_of
from support.errors import InvalidInput
from support.models.stand_ins import stand_in
from support.roundtable.economy import exchange_economy
from support.roundtable.movielens import draw_cases
from support.roundtable.study import roundtable_exchange, roundtable_movielens
from support.roundtable.table import environment_of
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


def exchanged(temperature, tmp_path):
    """Records of rule-based groups, a seat and a repetition each."""
    grid = {"rule": ["majority", "ranked"], "seats": ["mixed"], "rounds": [3]}
    grid |= {"temperature": [temperature]} if temperature is not None else {}
    paired = ["rule", *(["temperature"] if temperature is not None else [])]
    store = Store(tmp_path / f"{temperature}.sqlite")
    sweep = Sweep("t", roundtable_exchange, grid, 2, 1, paired=paired)
    asyncio.run(sweep.run(store, progress=False))
    return [record for _, record in sweep.records(store)]


def test_a_temperature_changes_nothing_for_rule_based_participants(tmp_path):
    plain, *others = (exchanged(t, tmp_path) for t in (None, 0.0, 0.7))
    assert len(plain) == 4 and [plain, plain] == others


def drawn(tmp_path, draw, repetitions=3):
    """Records by rule of a model that always answers alike."""
    grid = {"rule": ["majority", "rated"], "rounds": [2], "seats": ["model"]}
    grid |= {"draw": [draw], "temperature": [0.0]}
    store = Store(tmp_path / f"{draw}.sqlite")
    sweep = Sweep("d", roundtable_exchange, grid, repetitions, 1, paired=["rule"])
    asyncio.run(sweep.run(store, model=stand_in(seed=4), progress=False))
    found = {rule: [] for rule in grid["rule"]}
    for unit in sweep.units():  # all of them, equal ones too
        record = store.record(unit)
        found[record.rule].append(record)
    return found


def test_a_model_that_always_answers_alike_meets_another_problem_in_each_repetition_of_drawn_exponents(
    tmp_path,
):
    same, other = drawn(tmp_path, False), drawn(tmp_path, True)
    problems = {
        rule: [environment_of(record).weights for record in records]
        for rule, records in other.items()
    }
    assert problems["majority"] == problems["rated"]
    assert len(set(problems["majority"])) == 3
    assert {environment_of(one).weights for one in same["rated"]} == {
        exchange_economy().weights
    }
    totals = [run_metrics(record)["utility@3"] for record in other["rated"]]
    assert all(0 <= total <= 100 for total in totals) and len(set(totals)) > 1


def test_drawn_exponents_leave_every_other_draw_as_it_was():
    after = []
    for draw in (False, True):
        rng = np.random.default_rng(5)
        play = roundtable_exchange(rng, "majority", seats="mixed", rounds=1, draw=draw)
        talk = asyncio.run(play)
        after.append((talk.seats, rng.bit_generator.state, rng.spawn(1)[0].random()))
    assert after[0] == after[1]


def test_a_discussion_says_whether_when_and_how_well_it_decided():
    rng = np.random.default_rng(1)
    talk = asyncio.run(roundtable_exchange(rng, "majority", seats="truthful", rounds=4))
    told = talk.summary
    totals = total_utility(talk)
    assert [told[f"utility@{n}"] for n in (1, 2, 3, 4)] == pytest.approx(totals)
    first = next(one.number for one in talk.rounds if one.decision)
    assert (told["decided"], told["decision_round"]) == (True, first)
    assert told["messages"] == sum(len(one.messages) for one in talk.rounds) > 0
    silent = replace(talk, rounds=(replace(talk.rounds[0], decision=None),))
    assert (silent.summary["decided"], silent.summary["utility@1"]) == (False, 0.0)
    assert "utility@2" not in silent.summary
