"""Stopping rules: where each stops, that none looks ahead, what is learnt beside statsmodels, and live at the table."""

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
from support.analysis.stopping import (
    PAPER,
    PEOPLE,
    Live,
    Study,
    folds_of,
    priced,
    studies_of,
)
from support.errors import InvalidInput
from support.roundtable.ratings import load
from support.roundtable.records import Decision, Round, Transcript
from support.simulations import simulations

CAUSAL = {name: rule for name, rule in PAPER.items() if name != "Oracle"} | {
    "Ridge on pairs": stopping.ridge
}
LIVE = {name: CAUSAL[name] for name in ("Consecutive Agreements", "Ensemble")} | {
    f"{name}, priced": priced(CAUSAL[name], 0.02)
    for name in ("Dialogue Act", "Ridge on pairs")
}


def drawn(seed=0, runs=20, rounds=6, agents=3, density=0.15, **layers):
    """Acts at random; performance is better where an offer is followed by consent."""
    rng = np.random.default_rng(seed)
    acts = rng.random((runs, rounds, agents, len(LABELS))) < density
    good = np.zeros((runs, rounds))
    after = acts[:, :-1, :, LABELS.index("propose")].any(axis=2) & acts[
        :, 1:, :, LABELS.index("accept")
    ].any(axis=2)
    good[:, 1:] = after
    given = {
        "performance": 0.5 + 0.3 * good + rng.normal(0, 0.05, (runs, rounds)),
        "played": np.full(runs, rounds),
        "acts": acts,
        "difference": np.where(
            np.arange(rounds) == 0, np.nan, rng.random((runs, rounds))
        ),
        "accepted": rng.random((runs, rounds)) < 0.3,
        "proposals": rng.random((runs, rounds)) < 0.5,
        "words": np.full((runs, rounds), 10.0),
        "folds": folds_of(runs, 5, seed) if runs >= 5 else None,
    }
    return Study(**(given | layers))


def small(performance, played=None, higher_is_better=True, **layers):
    performance = np.array(performance, dtype=float)
    played = (
        np.full(len(performance), performance.shape[1])
        if played is None
        else np.array(played)
    )
    return Study(
        performance,
        played,
        higher_is_better,
        **{name: np.array(layer) for name, layer in layers.items()},
    )


def stops(rule, study):
    last, fired = study.stops(rule(study).fires(study))
    return last.tolist(), fired.tolist()


def test_each_rule_stops_where_the_paper_says():
    short = small([[1, 2, 3], [1, 2, np.nan]], played=[3, 2])
    assert stops(stopping.all_rounds, short) == ([3, 2], [False, False])
    agreed = small(
        np.zeros((3, 3)),
        accepted=[[False, True, True], [False] * 3, [True, False, False]],
    )
    assert stops(stopping.first_agreement, agreed) == ([2, 3, 1], [True, False, True])
    accepted = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 0]], dtype=bool)
    proposals = np.array([[1, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 0]], dtype=bool)
    both = small(np.zeros((4, 3)), accepted=accepted, proposals=proposals)
    assert stops(stopping.consecutive_agreements, both) == (
        [2, 3, 3, 3],
        [True, False, False, True],
    )
    errors = small([[0.5, 0.2, 0.2], [0.1, 0.9, 0.1]], higher_is_better=False)
    assert stops(stopping.oracle, errors) == ([2, 1], [True, True])
    mode = small([[3, 1, 1, 1], [3, 1, 1, 1], [0, 0, 0, 9], [0, 0, 1, 0], [0, 0, 0, 9]])
    assert (
        mode.best_round.tolist() == [1, 1, 4, 3, 4]
        and stopping.checkpoint(mode).threshold == 1
    )


def test_the_information_difference_stops_below_the_mean_difference_of_best_rounds():
    difference = [[np.nan, 0.4, 0.1], [np.nan, 0.35, 0.2], [np.nan, 0.1, 0.3]]
    study = small([[0, 5, 1], [0, 1, 5], [9, 0, 0]], difference=difference)
    assert stopping.information_difference(study).threshold == pytest.approx(
        0.3
    )  # the third is best in round 1
    assert stops(stopping.information_difference, study)[0] == [3, 3, 2]
    at_once = small([[5, 1], [5, 1]], difference=[[np.nan, 0.1], [np.nan, 0.0]])
    assert stops(stopping.information_difference, at_once)[0] == [2, 2]


def test_the_ensemble_stops_with_the_median_of_its_members():
    study = drawn(3)
    members = [
        stopping.checkpoint,
        stopping.information_difference,
        stopping.dialogue_act,
    ]
    assert (
        stops(stopping.ensemble, study)[0]
        == np.median([stops(m, study)[0] for m in members], axis=0).tolist()
    )


def test_a_high_price_of_rounds_stops_at_once_and_none_changes_nothing():
    values = np.array([[1, 2, 3], [1, 2, 4], [2, 3, 4]])
    for study in (
        small(values),
        small(5 - values, higher_is_better=False),
    ):  # gains and errors
        assert [
            priced(stopping.checkpoint, price)(study).threshold for price in (0, 5)
        ] == [3, 1]


@pytest.mark.parametrize("name", CAUSAL)
def test_no_rule_looks_ahead_or_beats_the_oracle(name):
    study = drawn(5)
    fitted = CAUSAL[name](study)
    whole = fitted.fires(study)
    last = study.stops(whole)[0]
    assert (
        study.performance[np.arange(20), last - 1] <= study.performance.max(axis=1)
    ).all()
    for number in range(1, 7):
        layers = {
            layer: getattr(study, layer)[:, :number]
            for layer in ("acts", "difference", "accepted", "proposals")
        }
        cut = Study(np.full((20, number), np.nan), np.full(20, number), **layers)
        assert (fitted.fires(cut) == whole[:, :number]).all()


def test_pairs_are_counted_across_speakers_as_a_plain_loop_does():
    acts = np.random.default_rng(1).random((4, 3, 3, len(LABELS))) < 0.3
    counts = Study(np.zeros((4, 3)), np.full(4, 3), acts=acts).pairs
    for run, number, (a, b) in itertools.product(
        range(4), (1, 2), itertools.product(range(11), repeat=2)
    ):
        both = itertools.permutations(range(3), 2)
        many = sum(
            acts[run, number - 1, i, a] and acts[run, number, j, b] for i, j in both
        )
        assert (
            counts[run, number, stopping.PAIRS.index(f"{LABELS[a]} → {LABELS[b]}")]
            == many
        )
    talk = acts[0, 0].any(axis=-1)
    starts = [
        sum(
            talk[i] and acts[0, 0, j, b] for i, j in itertools.permutations(range(3), 2)
        )
        for b in range(11)
    ]
    assert counts[0, 0, : len(LABELS)].tolist() == starts


def test_the_regression_is_that_of_statsmodels_with_a_pseudo_inverse():
    import statsmodels.api as sm

    study = drawn(7, runs=40)
    present = study.pairs.reshape(-1, 132) > 0
    occurs, y = present.any(axis=0), study.gain.ravel() - study.gain.mean()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sm.OLS(y, np.column_stack([np.ones(240), present[:, occurs]])).fit(
            method="pinv"
        )
    coefficients, p_values = stopping.effects(study)
    assert np.allclose(coefficients[occurs], theirs.params[1:], atol=1e-8)
    assert np.allclose(p_values[occurs], theirs.pvalues[1:], atol=1e-8)
    assert np.isnan(coefficients[~occurs]).all()


def test_the_search_is_the_best_of_all_settings_also_where_discussions_end_early():
    played = np.random.default_rng(0).integers(1, 7, 20)
    whole, there = drawn(11), np.arange(6) < played[:, None]
    acts = whole.acts & there[..., None, None]
    study = drawn(
        11,
        played=played,
        performance=np.where(there, whole.performance, np.nan),
        acts=acts,
    )
    coefficients, p_values = stopping.effects(study)
    best = -np.inf
    for bound, often, top in itertools.product(
        (0.05, 0.1, 0.2, 2), (1, 2, 3), (1, 2, 3, 4, 5)
    ):
        good = [
            i
            for i in np.argsort(-coefficients.round(9), kind="stable")
            if coefficients[i] > 1e-9
        ]
        good = [i for i in good if p_values[i] <= bound or bound == 2][:top]
        for score in range(1, top + 1):
            reached = []
            for run in range(20):
                for number in range(played[run]):
                    if (
                        sum(study.pairs[run, number, pair] >= often for pair in good)
                        >= score
                    ):
                        break
                reached.append(study.gain[run, number])
            if round(np.mean(reached), 12) > best:
                best, chosen = round(np.mean(reached), 12), (score, good)
    fitted = stopping.dialogue_act(study)
    assert (fitted.threshold, fitted.pairs) == (
        chosen[0],
        tuple(stopping.PAIRS[i] for i in chosen[1]),
    )


@pytest.mark.parametrize("rule", [stopping.dialogue_act, stopping.ridge])
def test_the_pair_that_makes_the_difference_is_found_for_gains_and_for_errors(rule):
    study = drawn(1, runs=60)
    errors = drawn(
        1, runs=60, performance=1 - study.performance, higher_is_better=False
    )
    last = stops(rule, study)[0]
    assert stops(rule, errors)[0] == last
    assert (
        study.performance[np.arange(60), np.array(last) - 1].mean()
        > study.performance[:, -1].mean() + 0.05
    )


@pytest.mark.parametrize(
    "layers",
    [{"performance": np.full((20, 6), 0.3)}, {"acts": np.zeros((20, 6, 3, 11), bool)}],
)
def test_where_nothing_can_be_learnt_nothing_stops(layers):
    assert stops(stopping.dialogue_act, drawn(0, **layers))[0] == [6] * 20


def test_a_discussion_without_a_known_outcome_is_left_out_of_what_is_learnt():
    values = drawn(2).performance.copy()
    values[0] = np.nan
    study = drawn(2, performance=values)
    for rule in (stopping.checkpoint, stopping.dialogue_act):
        assert rule(study)[1:] == rule(study.take(np.arange(20) > 0))[1:]


@pytest.fixture(scope="module")
def tested():
    return stopping.cross_validate(
        {"majority": drawn(1, runs=25), "rated": drawn(2, runs=25)}
    )


def test_each_discussion_is_tested_once_by_a_rule_that_never_saw_its_fold(tested):
    assert (
        len(tested) == 2 * 25 * 8
        and not tested.duplicated(["stopping", "rule", "run"]).any()
    )
    assert (tested.groupby(["rule", "fold"])["run"].nunique() == 5).all()
    study = drawn(2, runs=25)
    spoilt = drawn(
        2,
        runs=25,
        performance=np.where(
            (study.folds == 0)[:, None], -study.performance, study.performance
        ),
    )
    again = stopping.cross_validate({"rated": spoilt}, CAUSAL).query(
        "stopping in @PAPER"
    )
    mine = tested.query("rule == 'rated' and fold == 0 and stopping != 'Oracle'")
    assert mine["stop"].tolist() == again.query("fold == 0")["stop"].tolist()
    assert np.allclose(mine["words"], 10 * mine["stop"])


def test_tables_10_and_11_have_means_errors_ratios_thresholds_and_averages_and_gains_are_paired(
    tested,
):
    last, best = drawn(2, runs=25).performance[:, -1], drawn(2, runs=25).best_round
    row = (
        stopping.table_of(tested, "performance")
        .set_index(["row", "column"])
        .loc[("@10", "rated")]
    )
    assert row[["value", "se", "n"]].tolist() == pytest.approx(
        [last.mean(), last.std(ddof=1) / 5, 25]
    )
    values = {
        name: stopping.table_of(tested, name).set_index(["row", "column"])["value"]
        for name in ("stop", "fired")
    }
    assert (
        values["stop"][("@10", "average")],
        values["stop"][("Oracle", "rated")],
    ) == (6, best.mean())
    assert (
        values["fired"][("Oracle", "majority")],
        values["fired"][("@10", "majority")],
    ) == (1, 0)
    assert "@10" not in stopping.table_of(tested, "threshold")["row"].tolist()
    wide = tested.query("rule == 'rated'").pivot(
        index="run", columns="stopping", values="performance"
    )
    gain = (
        stopping.gains(tested)
        .set_index(["row", "column"])
        .loc[("Oracle - @10", "rated")]
    )
    assert gain["se"] == pytest.approx((wide["Oracle"] - wide["@10"]).sem())


def test_the_frontier_counts_a_group_once(tested):
    table = stopping.frontier(tested, higher_is_better=True).set_index(
        ["stopping", "measure"]
    )
    assert table["n"].unique().tolist() == [25]
    assert (
        table.loc[("@10", "loss"), "mean"] == 0
        and table.loc[("Oracle", "loss"), "high"] < 0
    )
    saved = 100 * (1 - tested.query("stopping == 'Oracle'")["stop"].mean() / 6)
    for measure in ("rounds saved", "words saved"):
        assert table.loc[("Oracle", measure), "mean"] == pytest.approx(saved)
    assert set(stopping.compare_rules(tested)["rule"]) == {
        "majority",
        "rated",
        "all rules",
    }


@pytest.mark.parametrize(
    ("call", "said"),
    [(lambda: stopping.cross_validate({"m": drawn(0, accepted=None)}), "accepted: this study holds none"),
     (lambda: stopping.cross_validate({"m": drawn(0, performance=np.full((20, 6), np.nan))}), "every value is NaN"),
     (lambda: folds_of(4, 5, 0), "folds: 5 given for 4 discussions"),
     (lambda: Live(stopping.oracle(drawn(0)), "Oracle"), "not played yet")],
    ids=["layer", "performance", "folds", "oracle"],
)  # fmt: skip
def test_what_users_get_wrong(call, said):
    with pytest.raises(InvalidInput, match=said):
        call()


class Signals:
    """An encoder without a model: a text is the counts of its letters."""

    def encode(self, texts):
        return np.array(
            [
                [text.lower().count(letter) + 0.01 for letter in "aeioustn"]
                for text in texts
            ]
        )


class Told:
    """An annotator that reads what rule-based senders know: the acts that its messages come with."""

    async def label(self, messages):
        return list(messages["acts"])


@pytest.fixture(scope="module")
def records():
    """Four discussions under each of two rules; in the first nobody but one speaks at first."""
    sweep = simulations("exchange_economy", 4, seed=3)
    units = [u for u in sweep.units() if u.settings["rule"] in ("majority", "rated")]
    played = [
        (u, asyncio.run(sweep.study(**u.settings, rng=sweep.rng(u)))) for u in units
    ]
    unit, talk = played[0]
    quiet = replace(talk.rounds[0], messages=talk.rounds[0].messages[:1])
    return [(unit, replace(talk, rounds=(quiet, *talk.rounds[1:]))), *played[1:]]


@pytest.fixture(scope="module")
def studies(records):
    return studies_of(records, features(messages_of(records), Signals()), folds=2)


def test_a_study_is_what_the_records_say(records, studies):
    study, (_, first) = studies["majority"], records[0]
    assert np.allclose(study.performance[0], total_utility(first) / 100)
    assert study.accepted[0].tolist() == [r.winner is not None for r in first.rounds]
    assert study.proposals[0].tolist() == [bool(r.proposals) for r in first.rounds]
    assert study.acts[0].sum() == messages_of(records[:1])["acts"].map(len).sum()
    assert (
        np.isnan(study.difference[:, 0]).all() and (study.difference[:, 1:] >= 0).all()
    )
    assert (study.folds == studies["rated"].folds).all()


def test_a_transcript_of_one_round_and_one_without_a_word_are_studies(records):
    (unit, first), (_, second) = records[:2]
    mute = replace(second, rounds=tuple(replace(r, messages=()) for r in second.rounds))
    both = [(unit, replace(first, rounds=first.rounds[:1])), (unit, mute)]
    study = studies_of(both, features(messages_of(both), Signals()), folds=2)[
        "majority"
    ]
    assert study.played.tolist() == [1, 10] and np.isnan(study.gain[0, 1:]).all()
    assert not study.acts[1].any() and study.words[1].sum() == 0
    asked = Live(stopping.checkpoint(small([[1, 2]])), "mode", Signals())
    assert [asyncio.run(asked(mute.rounds[:n])) for n in (1, 2)] == [False, True]


def test_ratings_are_judged_by_their_absolute_error_and_silence_by_the_mean_rating(
    have,
):
    mean = have(load).base["rating"].mean()
    decisions = [
        None if value is None else Decision("P1", value, 1)
        for value in (None, 4.5, 2.0)
    ]
    rounds = tuple(
        Round(i, (), (), (), (), None, (), "", said)
        for i, said in enumerate(decisions, start=1)
    )
    record = Transcript({"name": "movielens", "rating": 4.0}, "majority", {}, rounds)
    assert stopping.performance_of(record) == pytest.approx([4 - mean, 0.5, 2.0])


@pytest.mark.parametrize("name", LIVE)
def test_live_and_offline_stop_in_the_same_round(name, records, studies):
    study = studies["rated"]
    fitted = LIVE[name](study)
    asked = Live(fitted, name, Signals(), Told() if "priced" in name else None)
    talks = [talk for _, talk in records if talk.rule == "rated"]
    for talk, last in zip(talks, study.stops(fitted.fires(study))[0], strict=True):
        said = [
            asyncio.run(asked(talk.rounds[:n])) for n in range(1, len(talk.rounds) + 1)
        ]
        assert (said.index(True) + 1 if True in said else len(said)) == last


def test_people_are_a_study_by_blocks_with_their_own_labels():
    rows = [
        (7, 1, "Ann", "shall we turn A?", "Probing", "Solution", "", 0.2),
        (7, 1, "Bob", "yes", "Non-probing-deliberation", "Agree", "", 0.2),
        (7, 2, "Ann", "and 7", "Non-probing-deliberation", "Solution", "", 0.9),
        (9, 1, "Cy", "hm", "", "", "", 0.5),
    ]
    columns = [
        "run",
        "round",
        "sender",
        "text",
        "kind",
        "target",
        "additional",
        "performance",
    ]
    study = stopping.people_study(pd.DataFrame(rows, columns=columns), folds=2)
    assert study.played.tolist() == [2, 1]
    assert np.array_equal(
        study.performance, [[0.2, 0.9], [0.5, np.nan]], equal_nan=True
    )
    assert study.acts.sum() == 4 and "First Agreement" not in PEOPLE
