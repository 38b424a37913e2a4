"""Stopping rules: where each stops, that none looks ahead, what is learnt by hand, and
live at the table."""

import asyncio
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from support.analysis import stopping
from support.analysis.conversation import features, messages_of
from support.analysis.stopping import PAIRS, PAPER, Live
from support.errors import InvalidInput
from support.simulations import simulations

CAUSAL = {name: rule for name, rule in PAPER.items() if name != "Oracle"}
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
        (stopping.information_difference, LESS, [3, 3, 2]),
    ],
)
def test_each_rule_stops_where_the_paper_says(rule, study, expected):
    assert stops(rule, study) == expected


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


def test_what_is_learnt_is_the_pair_that_makes_the_difference_whatever_is_not_known():
    study = drawn(11)
    fitted = stopping.dialogue_act(study)
    assert PAIRS[20] in fitted.pairs
    signal = fitted.fires(study)
    points = (study[[*fitted.pairs]] > 0).sum(axis=1)
    assert (points[signal] >= fitted.threshold).all()
    gains = study["gain"]
    assert (
        stopping.reached(study, signal) > gains[study["round"] == ROUNDS].mean() + 0.1
    )
    # teaches nothing, not even that the pair were of no use
    unknown = study.assign(run=RUNS, gain=np.nan, **{PAIRS[20]: 1})
    again = stopping.dialogue_act(pd.concat([study, unknown], ignore_index=True))
    assert again[1:] == fitted[1:]


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


def test_live_and_offline_stop_in_the_same_round(records, study, words):
    async def measure(said):
        return features(said, words)

    fitted = PAPER["Ensemble"](study)
    asked = Live(fitted, "Ensemble", measure)
    signal = fitted.fires(study)
    last = study["round"].iloc[stopping.ends(study, signal)]
    for (_, talk), expected in zip(records, last, strict=True):
        ends = (n for n in range(1, 11) if asyncio.run(asked(talk.rounds[:n])))
        assert next(ends, 10) == expected


def test_people_are_a_study_by_blocks_with_pairs_across_speakers():
    rows = [
        (7, 1, "Ann", ("propose", "request"), 0.2),
        (7, 1, "Bob", ("accept",), 0.2),
        (7, 2, "Ann", ("propose",), 0.9),
        (9, 1, "Cy", (), 0.5),
    ]
    columns = ["run", "round", "sender", "acts", "performance"]
    messages = pd.DataFrame(rows, columns=columns).assign(rule="people")
    study = stopping.people_study(messages, folds=2)
    assert study["gain"].tolist() == [0.2, 0.9, 0.5]
    pairs = [row[row > 0].to_dict() for _, row in study[[*PAIRS]].iterrows()]
    assert pairs[1:] == [{"accept → propose": 1}, {}]
    with pytest.raises(InvalidInput, match="no performance"):
        stopping.people_study(messages.drop(columns="performance"))
    with pytest.raises(InvalidInput, match="folds: 5"):
        stopping.people_study(messages)
