"""How often tests cry wolf: what a t-test over three runs can and cannot say."""

import numpy as np
import pytest
from scipy import stats

from support.analysis.organizing import three_runs
from support.analysis.organizing.simulating import _p_values
from support.errors import InvalidInput


def shares(seed=1, **setting):
    table = three_runs(np.random.default_rng(seed), **setting)
    return table.set_index("test")["significant"]


def test_two_equal_techniques_differ_by_t_over_runs_far_more_often_than_in_5_of_100():
    found = shares()
    assert found["t over runs"] > 0.4 and found["Welch's t over runs"] > 0.4
    assert found["paired t over cases"] < 0.07


def test_steadier_answers_make_it_worse():
    loose, steady = shares(steadiness=0.1), shares(steadiness=0.95)
    assert loose["t over runs"] + 0.2 < steady["t over runs"]


def test_more_runs_do_not_help():
    assert shares(runs=10)["t over runs"] >= shares(runs=3)["t over runs"]


def test_where_both_have_the_same_difficulty_in_every_case_the_t_test_keeps_its_level():
    assert shares(likeness=1.0, steadiness=0.2, simulations=4000)["t over runs"] == pytest.approx(0.05, abs=0.015)


def test_mcnemar_keeps_its_level_on_items_of_their_own_and_not_on_voices():
    assert shares(cases=100, voices=1)["McNemar over items"] < 0.07 < 0.15 < shares()["McNemar over items"]


def test_a_true_difference_is_found_more_often_than_none():
    none, true = shares(cases=100, voices=1), shares(cases=100, voices=1, difference=0.15)
    assert (true[["McNemar over items", "paired t over cases"]] > 0.5).all()
    assert (true >= none).all()


def test_the_table_says_what_was_simulated_and_how_exactly():
    table = three_runs(np.random.default_rng(2), simulations=100, runs=4)
    assert set(table["runs"]) == {4} and set(table["simulations"]) == {100} and table["sd"].gt(0).all()
    expected = np.sqrt(table["significant"] * (1 - table["significant"]) / 100)
    assert table["se"].to_numpy() == pytest.approx(expected.to_numpy())
    assert table.equals(three_runs(np.random.default_rng(2), simulations=100, runs=4))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"accuracy": 0.99, "difference": 0.1}, "accuracy: 1.04"),
        ({"steadiness": 1.0}, "steadiness: 1.0 comes out"),
        ({"likeness": 2.0}, "likeness: 2.0 given"),
        ({"runs": 1}, "runs, cases, voices: 1, 20, 5 given"),
        ({"simulations": 0}, "simulations: 0 given"),
        ({"level": 5}, "level: 5 given"),
    ],
)
def test_what_cannot_be_simulated_is_named(wrong, said):
    with pytest.raises(InvalidInput, match=said):
        three_runs(np.random.default_rng(1), **wrong)


@pytest.mark.parametrize("runs", [3, 4])
def test_every_test_is_scipys(runs):
    rng = np.random.default_rng(runs)
    a, b = (rng.random((30, runs, 6, 2)) < p for p in (0.8, 0.5))
    found = _p_values(a.astype(np.int16), b.astype(np.int16))
    for k, (one, other) in enumerate(zip(a, b, strict=True)):
        accuracies = one.mean(axis=(1, 2)), other.mean(axis=(1, 2))
        if min(np.ptp(accuracies[0]), np.ptp(accuracies[1])) > 0:
            expected = [stats.ttest_ind(*accuracies, equal_var=equal).pvalue for equal in (True, False)]
            assert [found[name][k] for name in ("t over runs", "Welch's t over runs")] == pytest.approx(expected)
        cases = stats.ttest_rel(one.mean(axis=(0, 2)), other.mean(axis=(0, 2))).pvalue
        assert found["paired t over cases"][k] == pytest.approx(cases)
        most, more = (r.mean(axis=0) > 0.5 for r in (one, other))
        only, differ = int((most & ~more).sum()), int((most != more).sum())
        assert found["McNemar over items"][k] == pytest.approx(stats.binomtest(only, differ).pvalue if differ else 1)
