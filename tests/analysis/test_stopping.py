"""Stopping rules: where each stops, that none looks ahead, what is learnt by hand, and live at the table."""

import asyncio
import itertools
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from support.analysis import stopping
from support.analysis.conversation import features, messages_of
from support.analysis.dialogue_acts import LABELS
from support.analysis.metrics import total_utility
from support.analysis.stopping import PAIRS, PAPER, PEOPLE, Live, priced
from support.errors import InvalidInput
from support.roundtable.ratings import load
from support.roundtable.records import Decision, Round, Transcript
from support.simulations import simulations

CAUSAL = {name: rule for name, rule in PAPER.items() if name != "Oracle"}
CAUSAL["priced"] = priced(stopping.dialogue_act, 0.02)
ROUNDS, RUNS = 6, 20


def frame(gain, **columns):
    """A study given as arrays of (runs, rounds)."""
    gain = np.array(gain, dtype=float)
    runs, rounds = np.indices(gain.shape)
    flat = {name: np.array(value).ravel() for name, value in columns.items()}
    made = {"run": runs.ravel(), "round": rounds.ravel() + 1, "gain": gain.ravel()}
    return pd.DataFrame({"rule": "rated", **made, "performance": gain.ravel(), **flat})


def drawn(seed=0, runs=RUNS):
    """Pairs at random; the group is better off where the first of them occurs."""
    rng = np.random.default_rng(seed)
    shape = runs, ROUNDS
    pairs = rng.binomial(3, 0.05, (*shape, len(PAIRS)))
    good = pairs[..., 20] > 0
    first = np.arange(ROUNDS) == 0
    study = frame(
        0.5 + 0.3 * good + rng.normal(0, 0.05, shape),
        accepted=rng.random(shape) < 0.3,
        proposed=rng.random(shape) < 0.5,
        difference=np.where(first, np.nan, rng.random(shape)),
        words=np.tile(np.arange(1, ROUNDS + 1) * 10, (runs, 1)),
    )
    study["fold"] = study["run"] % 5
    counts = pd.DataFrame(pairs.reshape(-1, len(PAIRS)), columns=list(PAIRS))
    return pd.concat([study, counts], axis=1)


def stops(rule, study):
    signal = rule(study).fires(study)
    rows = stopping.ends(study, signal)
    return study["round"].iloc[rows].tolist(), signal[rows].tolist()


YES, NO = True, False


@pytest.mark.parametrize(
    ("rule", "study", "expected"),
    [
        (stopping.all_rounds, frame([[1, 2, 3], [1, 2, 0]]), [3, 3]),
        (
            stopping.first_agreement,
            frame(np.zeros((3, 2)), accepted=[[NO, YES], [NO, NO], [YES, NO]]),
            [2, 2, 1],
        ),
        (
            stopping.consecutive_agreements,
            frame(
                np.zeros((3, 3)),
                accepted=[[YES, NO, NO], [YES, YES, NO], [NO, NO, YES]],
                proposed=[[YES, NO, NO], [YES, YES, YES], [NO, NO, NO]],
            ),
            [2, 3, 3],
        ),
        (stopping.oracle, frame([[-0.5, -0.2, -0.2], [-0.1, -0.9, -0.1]]), [2, 1]),
        (stopping.checkpoint, frame([[0, 3, 1], [0, 3, 1], [9, 0, 1]]), [2, 2, 2]),
        (  # at best 0.4 and 0.2, nothing in round 1: below 0.3
            stopping.information_difference,
            frame(
                [[0, 5, 1], [0, 1, 5], [9, 0, 0]],
                difference=[
                    [np.nan, 0.4, 0.1],
                    [np.nan, 0.35, 0.2],
                    [np.nan, 0.1, 0.3],
                ],
            ),
            [3, 3, 2],
        ),
    ],
)
def test_each_rule_stops_where_the_paper_says(rule, study, expected):
    assert stops(rule, study)[0] == expected


def test_the_ensemble_stops_with_the_median_of_its_members():
    study = drawn(3)
    learnt = (
        stopping.checkpoint,
        stopping.information_difference,
        stopping.dialogue_act,
    )
    each = [stops(member, study)[0] for member in learnt]
    assert stops(stopping.ensemble, study)[0] == np.median(each, axis=0).tolist()


def test_a_high_price_of_rounds_stops_at_once_and_none_changes_nothing():
    study = frame([[1, 2, 3], [1, 2, 4], [2, 3, 4]])
    at = [priced(stopping.checkpoint, price)(study).threshold for price in (0, 5)]
    assert at == [3, 1]


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
        (run, number, who): tuple(act for act in LABELS if rng.random() < 0.3)
        for run, number, who in itertools.product(range(3), (1, 2, 3), "abc")
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
    import statsmodels.api as sm

    study = drawn(11)
    present = (study[list(PAIRS)] > 0).astype(float)
    X = present.loc[:, present.any()].assign(constant=1.0)
    with warnings.catch_warnings(action="ignore"):
        fit = sm.OLS(study["gain"] - study["gain"].mean(), X).fit(method="pinv")
        b, p = fit.params.drop("constant").round(9), fit.pvalues
    order = list(b.sort_values(ascending=False, kind="stable").index)
    gain, best = study["gain"].to_numpy().reshape(RUNS, ROUNDS), -np.inf
    for bound, often, top in itertools.product(
        (0.05, 0.1, 0.2, 2), (1, 2, 3), (1, 2, 3, 4, 5)
    ):
        good = [pair for pair in order if b[pair] > 1e-9 and p[pair] <= bound][:top]
        for score in range(1, top + 1):
            reached = []
            points = (study[good] >= often).sum(axis=1).to_numpy().reshape(RUNS, ROUNDS)
            for run, row in zip(gain, points, strict=True):
                ends = [*np.flatnonzero(row >= score), ROUNDS - 1]
                reached.append(run[ends[0]])
            if round(np.mean(reached), 12) > best:
                best, chosen = round(np.mean(reached), 12), (score, tuple(good))
    fitted = stopping.dialogue_act(study)
    assert (fitted.threshold, fitted.pairs) == chosen


def test_the_pair_that_makes_the_difference_is_found():
    study = drawn(1, runs=60)
    fitted = stopping.dialogue_act(study)
    assert PAIRS[20] in fitted.pairs
    at_end = study.loc[study["round"] == ROUNDS, "gain"].mean()
    assert stopping.reached(study, fitted.fires(study)) > at_end + 0.05


@pytest.mark.parametrize("column", ["gain", *PAIRS[:1]])
def test_where_nothing_can_be_learnt_nothing_stops(column):
    names = list(PAIRS) if column in PAIRS else [column]
    study = drawn(0).assign(**dict.fromkeys(names, 0))
    assert stops(stopping.dialogue_act, study)[0] == [ROUNDS] * RUNS


def test_a_discussion_without_a_known_outcome_is_left_out_of_what_is_learnt():
    study = drawn(2)
    unknown = study.assign(gain=study["gain"].where(study["run"] > 0))
    for rule in (stopping.checkpoint, stopping.dialogue_act):
        assert rule(unknown)[1:] == rule(study[study["run"] > 0])[1:]


def test_each_group_is_tested_once_by_a_rule_that_never_saw_its_fold():
    study = drawn(2)
    tested = stopping.cross_validate(study)
    assert len(tested) == RUNS * len(PAPER)
    assert not tested.duplicated(["stopping", "run"]).any()
    mine = study["fold"] == 0
    spoilt = study.assign(gain=study["gain"].where(~mine, -study["gain"]))
    again = stopping.cross_validate(spoilt)
    both = tested.merge(again, on=["stopping", "run", "fold"])
    both = both[(both["fold"] == 0) & (both["stopping"] != "Oracle")]
    assert both["stop_x"].tolist() == both["stop_y"].tolist()
    assert (tested["words"] == 10 * tested["stop"]).all()


class Signals:
    """An encoder without a model: a text is the counts of its letters."""

    def encode(self, texts):
        rows = [[text.lower().count(x) + 0.01 for x in "aeioustn"] for text in texts]
        return np.array(rows)


@pytest.fixture(scope="module")
def records():
    """Four discussions under each of two rules; in the first nobody but one speaks at first."""
    sweep = simulations("exchange_economy", 4, seed=3)
    units = [u for u in sweep.units() if u.settings["rule"] in ("majority", "rated")]
    played = [(u, asyncio.run(sweep.study(**sweep.arguments(u, {})))) for u in units]
    unit, talk = played[0]
    quiet = replace(talk.rounds[0], messages=talk.rounds[0].messages[:1])
    return [(unit, replace(talk, rounds=(quiet, *talk.rounds[1:]))), *played[1:]]


@pytest.fixture(scope="module")
def study(records):
    measured = features(messages_of(records), Signals())
    return stopping.study_of(records, measured, folds=2)


def test_a_study_is_what_the_records_say(records, study):
    mine = study[(study["rule"] == "majority") & (study["run"] == 0)]
    first = records[0][1]
    assert np.allclose(mine["performance"], total_utility(first) / 100)
    accepted = [r.winner is not None for r in first.rounds]
    assert mine["accepted"].tolist() == accepted
    assert mine["proposed"].tolist() == [bool(r.proposals) for r in first.rounds]
    assert mine["words"].is_monotonic_increasing
    assert mine["difference"].isna().tolist() == [True] + [False] * 9
    assert (study.groupby("run")["fold"].nunique() == 1).all()


def test_rounds_without_a_word_and_discussions_of_one_round_are_studies(records):
    (unit, first), (other, second) = records[:2]
    mute = replace(second, rounds=tuple(replace(r, messages=()) for r in second.rounds))
    both = [(unit, replace(first, rounds=first.rounds[:1])), (other, mute)]
    study = stopping.study_of(both, features(messages_of(both), Signals()), folds=2)
    assert study.groupby("run").size().tolist() == [1, 10]
    assert not study.loc[study["run"] == 1, [*PAIRS, "words"]].any(axis=None)
    asked = Live(stopping.checkpoint(frame([[1, 2]])), "mode", Signals())
    assert [asyncio.run(asked(mute.rounds[:n])) for n in (1, 2)] == [False, True]


def test_ratings_are_judged_by_their_absolute_error_and_silence_by_the_mean_rating(
    have,
):
    mean = have(load).base["rating"].mean()
    rounds = []
    for number, stars in enumerate((None, 4.5, 2.0), start=1):
        decision = stars and Decision("P1", stars, number)
        rounds.append(Round(number, (), (), (), (), None, (), "", decision))
    record = Transcript(
        {"name": "movielens", "rating": 4.0}, "majority", {}, (*rounds,)
    )
    assert stopping.performance_of(record) == pytest.approx([4 - mean, 0.5, 2.0])


@pytest.mark.parametrize("name", ["Consecutive Agreements", "Ensemble", "priced"])
def test_live_and_offline_stop_in_the_same_round(name, records, study):
    async def label(said):
        return said.assign(acts=said["acts"])

    rated = study[study["rule"] == "rated"]
    fitted = CAUSAL[name](rated)
    asked = Live(fitted, name, Signals(), label)
    last = rated["round"].iloc[stopping.ends(rated, fitted.fires(rated))]
    talks = [talk for _, talk in records if talk.rule == "rated"]
    for talk, expected in list(zip(talks, last, strict=True))[:2]:
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
    assert len(stopping.cross_validate(study, PEOPLE)) == 2 * len(PEOPLE)


UNKNOWN = pd.DataFrame({"run": [1], "round": [1], "performance": [np.nan]})


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: stopping.first_agreement(drawn().drop(columns="accepted")), "votes"),
        (lambda: stopping.people_study(UNKNOWN), "no performance is known"),
        (
            lambda: stopping._in_folds(frame([[1], [2]]).assign(group=[0, 1]), 5, 0),
            "folds: 5",
        ),
        (
            lambda: stopping.oracle(drawn()).fires(drawn().drop(columns="gain")),
            "not over",
        ),
    ],
)
def test_what_users_get_wrong(call, expected):
    with pytest.raises(InvalidInput, match=expected):
        call()
