"""The grid search of C.7: the same choice as loops make, and the treatment of what the paper leaves open."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysis.dialogue_acts.acts import LABELS
from support.analysis.stopping.dialogue_act import DialogueAct, PairEffects, design, effects, grid, search
from support.analysis.stopping.least_squares import fast_ols
from support.analysis.stopping.pairs import pair_names
from support.analysis.stopping.rules import fired, stop_round


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([0.05, 0.15, 0.4]))
def test_property_the_vectorised_search_chooses_what_the_loops_choose(bench, drawn, seed, better, density):
    study = drawn(seed, runs=12, higher_is_better=better, density=density)
    found = effects(study)
    assert search(found, study)[0] == bench.list_search(found, study) == bench.numpy_search(found, study)


def test_the_fits_and_the_choice_are_those_of_statsmodels(bench, drawn):
    study = drawn(7, runs=40)
    ours, theirs = effects(study), bench.statsmodels_effects(study)
    assert np.allclose(ours.coefficients, theirs.coefficients, atol=1e-8, equal_nan=True)
    assert np.allclose(ours.pvalues, theirs.pvalues, atol=1e-8, equal_nan=True)
    assert search(ours, study)[0] == bench.plain_search(theirs, study)


def test_discussions_that_ended_early_stop_at_their_end_in_the_search_too(bench, drawn):
    played = np.random.default_rng(0).integers(1, 7, 20)
    whole = drawn(11)
    there = np.arange(6) < played[:, None]
    study = drawn(11, played=played, performance=np.where(there, whole.performance, np.nan),
                  acts=whole.acts & there[..., None, None])  # fmt: skip
    found = effects(study)
    best = -np.inf
    for setting in grid():  # stop_round knows about early ends, and is tested by itself
        fitted = type(DialogueAct().fit(study))(setting, found.candidates(setting.p_value, setting.top_da), found)
        mean = round(study.gain[np.arange(20), stop_round(fitted, study) - 1].mean(), 12)
        if mean > best:
            best, chosen = mean, setting
    assert search(found, study)[0] == chosen


def test_the_pair_that_makes_the_difference_is_found_and_stops(drawn):
    study = drawn(1, runs=60)
    fitted = DialogueAct().fit(study)
    assert fitted.pairs[0] == "propose → accept"
    reached = study.at(stop_round(fitted, study))
    assert reached.mean() > study.performance[:, -1].mean() + 0.05


def test_for_errors_the_sign_turns(drawn):
    study = drawn(1, runs=60)
    errors = drawn(1, runs=60, performance=1 - study.performance, higher_is_better=False)
    one, other = DialogueAct().fit(study), DialogueAct().fit(errors)
    assert (one.setting, one.pairs) == (other.setting, other.pairs)
    assert np.allclose(one.effects.coefficients, other.effects.coefficients, equal_nan=True)


def test_adding_a_constant_to_the_performance_changes_nothing(drawn):
    study = drawn(2)
    raised = drawn(2, performance=study.performance + 50)
    assert np.allclose(effects(study).coefficients, effects(raised).coefficients, atol=1e-9, equal_nan=True)


def test_a_fold_s_training_sums_give_the_fit_of_its_rows(drawn):
    study = drawn(3, runs=30)
    train = study.training(2)
    assert train.performance.shape == (24, 6)
    plain = study.take(study.folds != 2)
    fit = fast_ols(*design(plain))
    there = np.isfinite(effects(train).coefficients)
    assert np.allclose(effects(train).coefficients[there], fit.params[1:], atol=1e-9)
    assert np.allclose(effects(train).pvalues[there], fit.pvalues[1:], atol=1e-9)


def test_a_pair_that_never_occurs_has_no_coefficient_and_is_no_candidate(drawn):
    acts = drawn(4).acts.copy()
    acts[..., LABELS.index("decline")] = False
    found = effects(drawn(4, acts=acts))
    declines = [i for i, pair in enumerate(pair_names()) if "decline" in pair]
    assert np.isnan(found.coefficients[declines]).all()
    assert not set(declines) & set(found.candidates(None, most=132).tolist())


def test_candidates_have_positive_coefficients_small_p_values_and_come_in_order():
    found = PairEffects(np.array([0.1, 0.3, -0.5, 0.2, np.nan, 0.3]), np.array([0.01, 0.04, 0.01, 0.5, np.nan, 0.15]))
    assert found.candidates(0.05).tolist() == [1, 0]
    assert found.candidates(None).tolist() == [1, 5, 3, 0]
    assert found.candidates(None, most=2).tolist() == [1, 5]


@pytest.mark.parametrize("value", [0.0, 0.48])
def test_without_variance_in_performance_there_is_no_signal_and_no_stop(value, drawn):
    study = drawn(0, performance=np.full((20, 6), value))
    fitted = DialogueAct().fit(study)
    assert np.isnan(fitted.effects.coefficients).all()
    assert not fired(fitted, study).any()
    assert stop_round(fitted, study).tolist() == [6] * 20


def test_where_nobody_says_anything_nothing_stops(drawn):
    study = drawn(0, acts=np.zeros((20, 6, 3, 11), dtype=bool))
    assert not fired(DialogueAct().fit(study), study).any()


def test_a_rule_that_never_fires_runs_to_the_end(drawn):
    study = drawn(9, runs=40)
    fitted = DialogueAct().fit(study)
    silent = drawn(9, runs=40, acts=np.zeros((40, 6, 3, 11), dtype=bool))
    assert stop_round(fitted, silent).tolist() == [6] * 40
