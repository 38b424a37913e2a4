"""Cross-validation tests each discussion once, and its tables, tests and frontier say what it found."""

import numpy as np
import pytest

from support.analysis.stopping.dialogue_act import DialogueAct
from support.analysis.stopping.evaluation import (
    compare_rules,
    cross_validate,
    frontier,
    paper_rules,
    performance_table,
    statistics_table,
)
from support.analysis.stopping.learner import Ridge, ridge_path
from support.analysis.stopping.rules import AllRounds, FirstAgreement, Oracle, ValidationCheckpoint, stop_round
from support.errors import InvalidInput


@pytest.fixture(scope="module")
def studies(drawn):
    return {"majority": drawn(1, runs=25), "rated": drawn(2, runs=25)}


@pytest.fixture(scope="module")
def tested(studies):
    return cross_validate(studies)


def test_each_discussion_is_tested_once_by_each_rule(tested, studies):
    assert len(tested) == 2 * 25 * 8
    assert not tested.duplicated(["stopping", "rule", "run"]).any()
    for name, study in studies.items():
        folds = tested[(tested["rule"] == name) & (tested["stopping"] == "@10")].set_index("run")["fold"]
        assert (folds.sort_index() == study.folds).all()


def test_a_fold_is_stopped_by_a_rule_that_never_saw_it(studies, tested):
    study = studies["rated"]
    for fold in range(5):
        test = study.take(study.folds == fold)
        last = stop_round(DialogueAct().fit(study.take(study.folds != fold)), test)
        rows = tested[(tested["rule"] == "rated") & (tested["stopping"] == "Dialogue Act") & (tested["fold"] == fold)]
        assert rows["stop"].tolist() == last.tolist()
        assert np.allclose(rows["performance"], test.at(last))
        assert np.allclose(rows["words"], 10 * last)


def test_what_the_test_fold_holds_cannot_change_how_it_is_stopped(drawn, studies):
    study = studies["majority"]
    mine = study.folds == 0
    spoilt = drawn(1, runs=25, performance=np.where(mine[:, None], -study.performance, study.performance))
    for rule in (r for r in paper_rules() if r.name != "Oracle"):
        one, other = (cross_validate({"m": s}, [rule]).query("fold == 0") for s in (study, spoilt))
        assert one["stop"].tolist() == other["stop"].tolist(), rule.name


def test_table_10_has_the_mean_and_its_standard_error_over_discussions(tested, studies):
    table = performance_table(tested).set_index(["row", "column"])
    last = studies["rated"].performance[:, -1]
    assert table.loc[("@10", "rated"), "value"] == pytest.approx(last.mean())
    assert table.loc[("@10", "rated"), "se"] == pytest.approx(last.std(ddof=1) / 5)
    assert table.loc[("@10", "rated"), "n"] == 25
    assert (table["value"].loc["Oracle"] >= table["value"].groupby("column").max()).all()


def test_table_11_has_rounds_effective_ratios_thresholds_and_averages(tested, studies):
    rounds = statistics_table(tested, "stopped round").set_index(["row", "column"])["value"]
    assert rounds[("@10", "average")] == 6
    assert rounds[("Oracle", "rated")] == studies["rated"].best_round.mean()
    ratio = statistics_table(tested, "effective ratio").set_index(["row", "column"])["value"]
    assert ratio[("Oracle", "majority")] == 1 and ratio[("@10", "majority")] == 0
    assert ratio[("First Agreement", "rated")] == studies["rated"].accepted.any(axis=1).mean()
    threshold = statistics_table(tested, "threshold")
    checkpoint = threshold[threshold["row"] == "Validation Checkpoint"].set_index("column")["value"]
    assert (5 * checkpoint["rated"]) % 1 == pytest.approx(0)  # five whole rounds
    assert "@10" not in set(threshold["row"])
    with pytest.raises(InvalidInput, match="statistic: 'speed' given"):
        statistics_table(tested, "speed")


def test_the_frontier_counts_a_group_once(tested):
    table = frontier(tested, higher_is_better=True).set_index(["stopping", "measure"])
    assert table["n"].unique().tolist() == [25]
    assert table.loc[("@10", "loss"), "mean"] == 0
    oracle = tested[tested["stopping"] == "Oracle"]
    assert table.loc[("Oracle", "rounds saved"), "mean"] == pytest.approx(100 * (1 - oracle["stop"].mean() / 6))
    assert table.loc[("Oracle", "words saved"), "mean"] == table.loc[("Oracle", "rounds saved"), "mean"]
    assert table.loc[("Oracle", "loss"), "high"] < 0
    turned = frontier(tested, higher_is_better=False).set_index(["stopping", "measure"])
    assert turned.loc[("Oracle", "loss"), "mean"] == -table.loc[("Oracle", "loss"), "mean"]
    with pytest.raises(InvalidInput, match="lack '@10'"):
        frontier(tested[tested["stopping"] != "@10"], higher_is_better=True)


def test_rules_are_compared_by_pairs_within_a_family_for_each_social_choice_rule(tested):
    table = compare_rules(tested)
    assert set(table["rule"]) == {"majority", "rated", "all rules"}
    assert (table["b"] == "@10").all() and (table["test"] == "paired t").all()
    family = table[table["rule"] == "rated"]
    assert (family["p_adjusted"].dropna() >= family["p"].dropna()).all()
    assert (table.groupby("rule")["n_a"].max() == 25).all()
    assert len(compare_rules(tested, reference=None)) == 3 * 28


def test_wrong_rules_and_studies_without_folds_are_refused(drawn):
    with pytest.raises(InvalidInput, match="expected each name once"):
        cross_validate({"m": drawn(0)}, [Oracle(), Oracle()])
    with pytest.raises(InvalidInput, match="folds"):
        cross_validate({"m": drawn(0, folds=None)}, [Oracle()])
    with pytest.raises(InvalidInput, match="accepted: this study holds none"):
        cross_validate({"m": drawn(0, accepted=None)}, [FirstAgreement()])


def test_words_that_nobody_counted_are_unknown(drawn):
    assert cross_validate({"m": drawn(0, words=None)}, [AllRounds()])["words"].isna().all()


def test_the_ridge_path_is_that_of_scikit_learn():
    from sklearn.linear_model import Ridge as Reference

    rng = np.random.default_rng(0)
    X, y = (rng.random((50, 12)) < 0.3).astype(float), rng.normal(size=50)
    X[:, 3] = X[:, 2]
    coefficients, constants = ridge_path(X, y, np.array([0.1, 10.0]))
    for i, penalty in enumerate((0.1, 10.0)):
        theirs = Reference(penalty).fit(X, y)
        assert np.allclose(coefficients[:, i], theirs.coef_) and constants[i] == pytest.approx(theirs.intercept_)


def test_the_ridge_finds_the_signal_and_its_threshold_is_the_best_on_training(drawn):
    study = drawn(1, runs=60)
    fitted = Ridge().fit(study)
    reached = study.at(stop_round(fitted, study)).mean()
    assert reached > study.performance[:, -1].mean() + 0.1
    tried = [type(fitted)(fitted.coefficients, fitted.constant, t) for t in np.linspace(0.3, 0.8, 6)]
    assert all(study.at(stop_round(one, study)).mean() <= reached + 0.01 for one in tried)


def test_the_ridge_has_nothing_to_learn_from_equal_outcomes(drawn):
    study = drawn(0, performance=np.full((20, 6), 0.3))
    assert stop_round(Ridge().fit(study), study).tolist() == [6] * 20


def test_a_checkpoint_from_four_readings_can_be_tested_together(studies):
    readings = [ValidationCheckpoint(a, a) for a in ("mode", "mean", "mean_floor", "curve")]
    rounds = statistics_table(cross_validate(studies, readings), "stopped round")
    assert set(rounds["row"]) == {"mode", "mean", "mean_floor", "curve"}
