"""When each rule stops, on discussions small enough to see it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.stopping.dialogue_act import DialogueAct
from support.analysis.stopping.ensemble import Ensemble
from support.analysis.stopping.learner import Ridge
from support.analysis.stopping.rules import (
    AllRounds,
    ConsecutiveAgreements,
    FirstAgreement,
    InformationDifference,
    Oracle,
    Priced,
    ValidationCheckpoint,
    fired,
    stop_round,
)
from support.analysis.stopping.study import Study, check_known, folds_of
from support.errors import InvalidInput

CAUSAL = [AllRounds(), FirstAgreement(), ConsecutiveAgreements(), ValidationCheckpoint(), InformationDifference(),
          DialogueAct(), Ensemble(), Ridge()]  # fmt: skip


def study(performance, **layers):
    performance = np.array(performance, dtype=float)
    layers = {name: np.array(v) if not isinstance(v, bool) else v for name, v in layers.items()}
    played = layers.pop("played", np.full(len(performance), performance.shape[1]))
    return Study(performance, played, **layers)


def stops(rule, s):
    fitted = rule.fit(s)
    return stop_round(fitted, s).tolist(), fired(fitted, s).tolist()


def test_without_stopping_the_last_round_played_is_the_last():
    assert stops(AllRounds(), study([[1, 2, 3], [1, 2, np.nan]], played=[3, 2])) == ([3, 2], [False, False])


def test_the_first_agreement_stops():
    s = study(np.zeros((3, 3)), accepted=[[0, 1, 1], [0, 0, 0], [1, 0, 0]])
    assert stops(FirstAgreement(), s) == ([2, 3, 1], [True, False, True])


def test_consecutive_agreements_need_an_acceptance_and_then_a_round_without_a_new_proposal():
    accepted = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 0]], dtype=bool)
    proposals = np.array([[1, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 0]], dtype=bool)
    s = study(np.zeros((4, 3)), accepted=accepted, proposals=proposals)
    assert stops(ConsecutiveAgreements(), s) == ([2, 3, 3, 3], [True, False, False, True])


def test_the_average_best_round_is_read_four_ways():
    s = study([[3, 1, 1, 1], [3, 1, 1, 1], [0, 0, 0, 9], [0, 0, 1, 0], [0, 0, 0, 9]])
    assert s.best_round.tolist() == [1, 1, 4, 3, 4]
    found = {a: ValidationCheckpoint(a).fit(s).round for a in ("mode", "mean", "mean_floor", "curve")}
    assert found == {"mode": 1, "mean": 3, "mean_floor": 2, "curve": 4}


def test_the_earliest_of_equally_good_rounds_is_the_best_and_errors_turn_the_sign():
    s = study([[0.5, 0.2, 0.2], [0.1, 0.9, 0.1]], higher_is_better=False)
    assert s.best_round.tolist() == [2, 1]
    assert stops(Oracle(), s) == ([2, 1], [True, True])
    assert s.at(stop_round(Oracle(), s)).tolist() == [0.2, 0.1]


def test_the_checkpoint_s_average_is_checked():
    with pytest.raises(InvalidInput, match="'median' given; expected 'mode'"):
        ValidationCheckpoint("median")


def test_the_published_stops_of_ratings_cannot_come_from_the_best_round_of_the_mean_curve():
    # Table 10, ratings, cumulative: 0.82 at the checkpoint, which is round 1 in all folds (Table 11), 0.76 at the end.
    at_checkpoint, at_end = 0.82, 0.76
    rng = np.random.default_rng(0)
    for _ in range(50):
        errors = np.stack([rng.normal(at_checkpoint, 0.3, 100), rng.normal(at_end, 0.3, 100)], axis=1)
        errors += np.array([at_checkpoint, at_end]) - errors.mean(axis=0)
        s, folds = study(errors, higher_is_better=False), folds_of(100, 5, 0)
        chosen = [ValidationCheckpoint("curve").fit(s.take(folds != k)).round for k in range(5)]
        assert chosen != [1] * 5


def test_the_information_difference_stops_below_the_mean_difference_of_best_rounds():
    s = study(
        [[0, 5, 1], [0, 1, 5], [9, 0, 0]], difference=[[np.nan, 0.4, 0.1], [np.nan, 0.35, 0.2], [np.nan, 0.1, 0.3]]
    )
    fitted = InformationDifference().fit(s)
    assert fitted.threshold == pytest.approx(0.3)  # 0.4 and 0.2; the third is best in round 1, which has none
    assert stop_round(fitted, s).tolist() == [3, 3, 2]


def test_when_every_discussion_is_best_in_round_1_there_is_no_threshold_and_no_stop():
    s = study([[5, 1], [5, 1]], difference=[[np.nan, 0.1], [np.nan, 0.0]])
    fitted = InformationDifference().fit(s)
    assert np.isnan(fitted.threshold)
    assert stop_round(fitted, s).tolist() == [2, 2]


def test_the_ensemble_stops_with_the_median_of_its_members(drawn):
    s = drawn(3)
    members = Ensemble().members
    each = [stop_round(m.fit(s), s) for m in members]
    assert stop_round(Ensemble().fit(s), s).tolist() == np.median(each, axis=0).tolist()
    with pytest.raises(InvalidInput, match="members: none"):
        Ensemble(())


def test_a_price_of_nothing_changes_nothing_and_a_high_one_stops_at_once():
    s = study([[1, 2, 3], [1, 2, 4], [2, 3, 4]])
    assert Priced(ValidationCheckpoint(), 0).fit(s).round == ValidationCheckpoint().fit(s).round == 3
    assert Priced(ValidationCheckpoint(), 5).fit(s).round == 1
    errors = study([[3, 2, 1], [3, 2, 1]], higher_is_better=False)
    assert Priced(ValidationCheckpoint(), 5).fit(errors).round == 1
    assert Priced(ValidationCheckpoint(), 0.01).name == "Validation Checkpoint, 0.01 a round"


@pytest.mark.parametrize("rule", CAUSAL, ids=lambda r: r.name)
def test_no_rule_looks_ahead(rule, drawn):
    s = drawn(5)
    fitted = rule.fit(s)
    whole = np.asarray(fitted.fires(s))
    for number in range(1, s.rounds + 1):
        cut = Study(
            np.full((len(s.played), number), np.nan), np.full(len(s.played), number),
            acts=s.acts[:, :number], difference=s.difference[:, :number], accepted=s.accepted[:, :number],
            proposals=s.proposals[:, :number],
        )  # fmt: skip
        assert (np.asarray(fitted.fires(cut)) == whole[:, :number]).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(CAUSAL))
def test_property_no_rule_beats_the_oracle(drawn, seed, rule):
    s = drawn(seed, runs=8)
    last = stop_round(rule.fit(s), s)
    assert ((last >= 1) & (last <= s.played)).all()
    assert (s.at(last) <= s.at(stop_round(Oracle(), s)) + 1e-12).all()


def test_discussions_of_one_round_stop_in_it(drawn):
    s = drawn(1, rounds=1)
    for rule in CAUSAL:
        assert stop_round(rule.fit(s), s).tolist() == [1] * 20


@pytest.mark.parametrize("rule", [r for r in CAUSAL if r.name in ("Validation Checkpoint", "Information Difference",
                                                                   "Dialogue Act", "Ensemble", "Ridge on pairs")],
                         ids=lambda r: r.name)  # fmt: skip
def test_nothing_is_learnt_from_unknown_performance(rule, drawn):
    with pytest.raises(InvalidInput, match="every value is NaN"):
        rule.fit(drawn(0, performance=np.full((20, 6), np.nan)))


def test_a_discussion_without_a_known_outcome_is_left_out_of_what_is_learnt(drawn):
    values = drawn(2).performance.copy()
    values[0] = np.nan
    s = drawn(2, performance=values)
    assert s.best_round[0] == 0
    others = s.take(np.arange(20) > 0)
    assert ValidationCheckpoint().fit(s) == ValidationCheckpoint().fit(others)
    assert DialogueAct().fit(s).setting == DialogueAct().fit(others).setting


@pytest.mark.parametrize(
    ("rule", "layer"),
    [(FirstAgreement(), "accepted"), (ConsecutiveAgreements(), "accepted"), (InformationDifference(), "difference"),
     (DialogueAct(), "acts")],
)  # fmt: skip
def test_a_rule_says_what_it_would_have_to_see(rule, layer):
    with pytest.raises(InvalidInput, match=f"{layer}: this study holds none"):
        stops(rule, study([[1, 2], [2, 1]]))


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        ({"performance": np.zeros(3)}, "performance: shape"),
        ({"performance": np.zeros((0, 3))}, "not empty"),
        ({"accepted": np.zeros((2, 3), dtype=bool)}, r"accepted: shape \(2, 3\) given; expected it to begin \(20, 6\)"),
        ({"played": np.full(20, 7)}, "from 1 to 6"),
        ({"played": np.full(20, 0)}, "from 1 to 6"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(layers, said, drawn):
    with pytest.raises(InvalidInput, match=said):
        drawn(0, **layers)


@pytest.mark.parametrize(("runs", "folds"), [(4, 5), (10, 1)])
def test_fewer_discussions_than_folds_are_refused(runs, folds):
    with pytest.raises(InvalidInput, match=f"folds: {folds} given for {runs} discussions"):
        folds_of(runs, folds, 0)


@given(st.integers(5, 60), st.integers(2, 5), st.integers(0, 99))
def test_property_folds_are_even_and_repeatable(runs, folds, seed):
    sizes = np.bincount(folds_of(runs, folds, seed), minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    assert (folds_of(runs, folds, seed) == folds_of(runs, folds, seed)).all()


def test_a_known_study_passes(drawn):
    assert check_known(drawn(0)) is None
