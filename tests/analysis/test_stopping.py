"""Stopping rules: where each stops, that none looks ahead, what is learnt by hand, and
live at the table."""

import asyncio
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from support.analysis import stopping
from support.analysis.conversation import features, messages_of
from support.analysis.metrics import total_utility
from support.analysis.stopping import (
    PAIRS,
    PAPER,
    PEOPLE,
    Live,
    priced,
)
from support.errors import InvalidInput
from support.simulations import simulations

CAUSAL = PAPER | {"priced": priced(stopping.dialogue_act, 0.02)}
del CAUSAL["Oracle"]
ROUNDS, RUNS = 6, 40


def frame(gain, **columns):
    """A study given as arrays of (runs, rounds)."""
    runs, rounds = np.indices(np.shape(gain))
    given = {"run": runs, "round": rounds + 1, "gain": gain, **columns}
    made = {name: np.ravel(values) for name, values in given.items()}
    return pd.DataFrame(made).assign(rule="rated")


def drawn(seed):
    """Pairs at random; the group is better off where one of them occurs."""
    rng = np.random.default_rng(seed)
    shape = RUNS, ROUNDS
    counts = rng.binomial(3, 0.05, (RUNS * ROUNDS, len(PAIRS)))
    good = counts[:, 20].reshape(shape) > 0
    noise = rng.normal(0, 0.05, shape)
    gain = 0.5 + 0.3 * good + noise
    study = frame(
        gain,
        performance=gain,
        accepted=rng.random(shape) < 0.3,
        proposed=rng.random(shape) < 0.5,
        difference=rng.random(shape),
    )
    study = study.assign(fold=study["run"] % 5, words=0)
    return study.join(pd.DataFrame(counts, columns=list(PAIRS)))


def stops(rule, study):
    signal = rule(study).fires(study)
    rows = stopping.ends(study, signal)
    return study["round"].iloc[rows].tolist()


VOTES = frame(
    np.zeros((3, 3)),
    accepted=np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]], bool),
    proposed=np.array([[1, 0, 0], [1, 1, 1], [0, 0, 0]], bool),
)
# at best 0.4 and 0.2, nothing in round 1: below 0.3
LESS = frame(
    [[0, 5, 1], [0, 1, 5], [9, 0, 0]],
    difference=[
        [np.nan, 0.4, 0.1],
        [np.nan, 0.35, 0.2],
        [np.nan, 0.1, 0.3],
    ],
)


@pytest.mark.parametrize(
    ("rule", "study", "expected"),
    [
        (stopping.all_rounds, VOTES, [3, 3, 3]),
        (stopping.first_agreement, VOTES, [1, 1, 3]),
        (stopping.consecutive_agreements, VOTES, [2, 3, 3]),
        (
            stopping.oracle,
            frame([[-5, -2, -2], [-1, -9, -1]]),
            [2, 1],
        ),
        (
            stopping.checkpoint,
            frame([[0, 3, 1], [0, 3, 1], [9, 0, 1]]),
            [2, 2, 2],
        ),
        (
            priced(stopping.checkpoint, 5),
            frame([[1, 2, 3], [1, 2, 4]]),
            [1, 1],
        ),
        (stopping.information_difference, LESS, [3, 3, 2]),
    ],
)
def test_each_rule_stops_where_the_paper_says(rule, study, expected):
    assert stops(rule, study) == expected


def test_the_ensemble_stops_with_the_median_of_its_members():
    study = drawn(3)
    names = ["Validation Checkpoint", "Information Difference", "Dialogue Act"]
    each = [stops(PAPER[name], study) for name in names]
    assert stops(stopping.ensemble, study) == np.median(each, axis=0).tolist()


@pytest.mark.parametrize("name", CAUSAL)
def test_no_rule_looks_ahead_or_beats_the_oracle(name):
    study = drawn(5)
    fitted = CAUSAL[name](study)
    whole = fitted.fires(study)
    best = stopping.oracle(study).fires(study)
    assert stopping.reached(study, whole) <= stopping.reached(study, best)
    for number in range(1, ROUNDS + 1):
        early = study["round"] <= number
        cut = study[early].drop(columns=["gain", "performance"])
        assert (fitted.fires(cut) == whole[early]).all()


def test_the_search_is_the_best_of_all_settings_on_the_coefficients_of_statsmodels():
    study = drawn(11)
    # teaches nothing, not even that the pair were of no use
    unknown = study.assign(run=RUNS, gain=np.nan, **{PAIRS[20]: 1})
    fitted = stopping.dialogue_act(pd.concat([study, unknown], ignore_index=True))
    present = study[list(PAIRS)] > 0
    X = sm.add_constant(present.loc[:, present.any()].astype(float))
    with warnings.catch_warnings(action="ignore"):
        fit = sm.OLS(study["gain"] - study["gain"].mean(), X).fit(method="pinv")
    b = fit.params.drop("const").round(6)
    p = fit.pvalues[b.sort_values(ascending=False, kind="stable").index]
    best = -np.inf
    for bound, often, top, score in stopping.SETTINGS:
        good = p.index[(b[p.index] > 0) & (p <= bound)][:top]
        points = (study[good] >= often).sum(axis=1)
        signal = (points >= score).to_numpy()
        mean = stopping.reached(study, signal)
        if mean > best:
            best, chosen = mean, (score, tuple(good))
    assert len(stopping.SETTINGS) == 180
    assert PAIRS[20] in chosen[1]  # the pair that makes the difference
    assert fitted[1:] == chosen


@pytest.mark.parametrize("columns", [["gain"], list(PAIRS)])
def test_where_nothing_can_be_learnt_nothing_stops(columns):
    study = drawn(0)
    study[columns] = 0
    assert stops(stopping.dialogue_act, study) == [ROUNDS] * RUNS


def test_each_group_is_tested_once_by_a_rule_that_never_saw_its_fold():
    study = drawn(2)
    rules = {name: PAPER[name] for name in ("Validation Checkpoint", "Dialogue Act")}
    tested = stopping.cross_validate(study, rules)
    assert len(tested) == RUNS * len(rules)
    assert not tested.duplicated(["stopping", "run"]).any()
    mine = study["fold"] == 0
    other = study["gain"].where(~mine, -study["gain"])
    spoilt = study.assign(gain=other)
    again = stopping.cross_validate(spoilt, rules)
    own = tested["fold"] == 0
    assert tested.loc[own, "stop"].equals(again.loc[own, "stop"])


@pytest.fixture(scope="module")
def records():
    """Three groups under rated voting; the last one says nothing."""
    sweep = simulations("exchange_economy", 3, seed=3)
    units = [unit for unit in sweep.units() if unit.settings["rule"] == "rated"]
    talks = [asyncio.run(sweep.study(**sweep.arguments(u, {}))) for u in units]
    mute = [replace(entry, messages=()) for entry in talks[2].rounds]
    talks[2] = replace(talks[2], rounds=tuple(mute))
    return list(zip(units, talks, strict=True))


@pytest.fixture(scope="module")
def study(records, words):
    measured = features(messages_of(records), words)
    return stopping.study_of(records, measured, folds=2)


def test_a_study_is_what_the_records_say(records, study):
    talk = records[0][1]
    mine = study[study["run"] == 0]
    performance = total_utility(talk) / 100
    assert mine["performance"].tolist() == performance.tolist()
    accepted = [entry.winner is not None for entry in talk.rounds]
    assert mine["accepted"].tolist() == accepted
    assert mine["proposed"].tolist() == [bool(r.proposals) for r in talk.rounds]
    assert mine["words"].is_monotonic_increasing
    assert (study.groupby("run")["fold"].nunique() == 1).all()


@pytest.mark.parametrize(
    "name",
    ["Consecutive Agreements", "Ensemble", "priced"],
)
def test_live_and_offline_stop_in_the_same_round(name, records, study, words):
    async def measure(said):
        return features(said, words)

    fitted = CAUSAL[name](study)
    asked = Live(fitted, name, measure)
    signal = fitted.fires(study)
    last = study["round"].iloc[stopping.ends(study, signal)]
    for (_, talk), expected in zip(records, last, strict=True):
        ends = (n for n in range(1, 11) if asyncio.run(asked(talk.rounds[:n])))
        assert next(ends, 10) == expected


def test_people_are_a_study_by_blocks_with_pairs_across_speakers():
    rows = [
        (7, 1, "Ann", ("propose", "request"), 0.2),
        (7, 1, "Bob", ("accept",), 0.2),
        (7, 1, "Cy", (), 0.2),  # who says nothing starts nothing
        (7, 2, "Ann", ("propose",), 0.9),
        (9, 1, "Cy", (), 0.5),
    ]
    columns = ["run", "round", "sender", "acts", "performance"]
    messages = pd.DataFrame(rows, columns=columns).assign(rule="people")
    study = stopping.people_study(messages, folds=2)
    assert study["run"].tolist() == [0, 0, 1]
    assert study["gain"].tolist() == [0.2, 0.9, 0.5]
    starts = {
        "start → accept": 1,
        "start → propose": 1,
        "start → request": 1,
    }
    pairs = [row[row > 0].to_dict() for _, row in study[[*PAIRS]].iterrows()]
    assert pairs == [starts, {"accept → propose": 1}, {}]
    assert set(stopping.cross_validate(study, PEOPLE)["stopping"]) == {*PEOPLE}
    with pytest.raises(InvalidInput, match="no performance"):
        stopping.people_study(messages.drop(columns="performance"))
    with pytest.raises(InvalidInput, match="folds: 5"):
        stopping.people_study(messages)
