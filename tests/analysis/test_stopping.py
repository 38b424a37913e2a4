"""Stopping rules: where each stops, that none looks ahead, what is learnt by hand, and
live at the table."""

import asyncio
import itertools
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from support.analysis import stopping
from support.analysis.conversation import features, messages_of
from support.analysis.dialogue_acts import LABELS
from support.analysis.metrics import total_utility
from support.analysis.stopping import PAIRS, PAPER, PEOPLE, Live, priced
from support.errors import InvalidInput
from support.simulations import simulations

CAUSAL = {name: rule for name, rule in PAPER.items() if name != "Oracle"}
CAUSAL["priced"] = priced(stopping.dialogue_act, 0.02)
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
    gain = 0.5 + 0.3 * good + rng.normal(0, 0.05, shape)
    study = frame(
        gain,
        performance=gain,
        accepted=rng.random(shape) < 0.3,
        proposed=rng.random(shape) < 0.5,
        difference=rng.random(shape),
    )
    study = study.assign(fold=study["run"] % 5, words=10 * study["round"])
    return study.join(pd.DataFrame(counts, columns=list(PAIRS)))


def stops(rule, study):
    rows = stopping.ends(study, rule(study).fires(study))
    return study["round"].iloc[rows].tolist()


FLAT = np.zeros((3, 3))
VOTES = {
    "accepted": np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]], bool),
    "proposed": np.array([[1, 0, 0], [1, 1, 1], [0, 0, 0]], bool),
}
LESS = [[np.nan, 0.4, 0.1], [np.nan, 0.35, 0.2], [np.nan, 0.1, 0.3]]


@pytest.mark.parametrize(
    ("rule", "study", "expected"),
    [
        (stopping.all_rounds, frame(FLAT), [3, 3, 3]),
        (stopping.first_agreement, frame(FLAT, **VOTES), [1, 1, 3]),
        (stopping.consecutive_agreements, frame(FLAT, **VOTES), [2, 3, 3]),
        (stopping.oracle, frame([[-5, -2, -2], [-1, -9, -1]]), [2, 1]),
        (stopping.checkpoint, frame([[0, 3, 1], [0, 3, 1], [9, 0, 1]]), [2, 2, 2]),
        (priced(stopping.checkpoint, 5), frame([[1, 2, 3], [1, 2, 4]]), [1, 1]),
        (  # at best 0.4 and 0.2, nothing in round 1: below 0.3
            stopping.information_difference,
            frame([[0, 5, 1], [0, 1, 5], [9, 0, 0]], difference=LESS),
            [3, 3, 2],
        ),
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


def test_pairs_are_counted_across_speakers_as_a_plain_loop_does():
    rng = np.random.default_rng(1)
    said = {
        key: tuple(act for act in LABELS if rng.random() < 0.1)
        for key in itertools.product(range(3), (1, 2, 3), "abc")
    }
    rows = [(*key, acts) for key, acts in said.items()]
    messages = pd.DataFrame(rows, columns=["run", "round", "sender", "acts"])
    counts = stopping.pairs_of(messages)
    for (run, number), row in counts.iterrows():
        expected = dict.fromkeys(PAIRS, 0)
        for i, j in itertools.permutations("abc", 2):
            before = said.get((run, number - 1, i), ("start",))
            if number == 1 and not said[run, 1, i]:
                before = ()  # who says nothing starts nothing
            for a, b in itertools.product(before, said[run, number, j]):
                expected[f"{a} → {b}"] += 1
        assert row.to_dict() == expected


def test_the_search_is_the_best_of_all_settings_on_the_coefficients_of_statsmodels():
    study = drawn(11)
    unknown = study.assign(run=RUNS, gain=np.nan)  # teaches nothing
    fitted = stopping.dialogue_act(pd.concat([study, unknown], ignore_index=True))
    present = study[list(PAIRS)] > 0
    X = sm.add_constant(present.loc[:, present.any()].astype(float))
    with warnings.catch_warnings(action="ignore"):
        fit = sm.OLS(study["gain"] - study["gain"].mean(), X).fit(method="pinv")
    b = fit.params.drop("const").round(6)
    p = fit.pvalues[b.sort_values(ascending=False, kind="stable").index]
    best = -np.inf
    four = itertools.product((0.05, 0.1, 0.2, 2), (1, 2, 3), *[range(1, 6)] * 2)
    for bound, often, top, score in four:
        good = [pair for pair in p.index if b[pair] > 0 and p[pair] <= bound][:top]
        points = (study[good] >= often).sum(axis=1)
        mean = stopping.reached(study, (points >= score).to_numpy())
        if score <= top and mean > best:
            best, chosen = mean, (score, tuple(good))
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
    assert (tested["words"] == 10 * tested["stop"]).all()
    mine = study["fold"] == 0
    spoilt = study.assign(gain=study["gain"].where(~mine, -study["gain"]))
    again = stopping.cross_validate(spoilt, rules)
    columns = ["stopping", "run", "stop"]
    first, second = (part.query("fold == 0")[columns] for part in (tested, again))
    assert first.equals(second)


class Signals:
    """An encoder without a model: a text is the counts of its letters."""

    def encode(self, texts):
        rows = [[text.lower().count(x) + 0.01 for x in "aeioustn"] for text in texts]
        return np.array(rows)


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
def study(records):
    measured = features(messages_of(records), Signals())
    return stopping.study_of(records, measured, folds=2)


def test_a_study_is_what_the_records_say(records, study):
    talk = records[0][1]
    mine = study[study["run"] == 0]
    votes = [(r.winner is not None, bool(r.proposals)) for r in talk.rounds]
    assert np.allclose(mine["performance"], total_utility(talk) / 100)
    assert [*zip(mine["accepted"], mine["proposed"], strict=True)] == votes
    assert mine["words"].is_monotonic_increasing
    assert mine["difference"].isna().tolist() == [True] + [False] * 9
    assert (study.groupby("run")["fold"].nunique() == 1).all()
    assert not study.loc[study["run"] == 2, [*PAIRS, "words"]].any(axis=None)


@pytest.mark.parametrize("name", ["Consecutive Agreements", "Ensemble", "priced"])
def test_live_and_offline_stop_in_the_same_round(name, records, study):
    async def measure(said):
        return features(said, Signals())

    fitted = CAUSAL[name](study)
    asked = Live(fitted, name, measure)
    last = study["round"].iloc[stopping.ends(study, fitted.fires(study))]
    for (_, talk), expected in zip(records, last, strict=True):
        ends = (n for n in range(1, 11) if asyncio.run(asked(talk.rounds[:n])))
        assert next(ends, 10) == expected


def test_people_are_a_study_by_blocks():
    rows = [
        (7, 1, "Ann", ("propose", "request"), 0.2),
        (7, 1, "Bob", ("accept",), 0.2),
        (7, 2, "Ann", ("propose",), 0.9),
        (9, 1, "Cy", (), 0.5),
    ]
    columns = ["run", "round", "sender", "acts", "performance"]
    messages = pd.DataFrame(rows, columns=columns).assign(rule="people")
    study = stopping.people_study(messages, folds=2)
    assert study["run"].tolist() == [0, 0, 1]
    assert study["gain"].tolist() == [0.2, 0.9, 0.5]
    assert study.loc[1, ["accept → propose", "propose → propose"]].tolist() == [1, 0]
    assert set(stopping.cross_validate(study, PEOPLE)["stopping"]) == {*PEOPLE}


TALK = pd.DataFrame([(1, 1, 0.5)], columns=["run", "round", "performance"])
TALK = TALK.assign(rule="people", sender="Ann", acts="inform")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: stopping.people_study(TALK.drop(columns="performance")), "no perf"),
        (lambda: stopping.people_study(TALK), "folds: 5"),
    ],
)
def test_what_users_get_wrong(call, expected):
    with pytest.raises(InvalidInput, match=expected):
        call()
