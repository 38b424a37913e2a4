"""Means, and differences on the same instances."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from support.analysis.fairness import means, paired
from support.analysis.fairness.comparing import signed_rank
from support.errors import InvalidInput


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    rows = []
    for n in (3, 5, 7):
        for i in range(12):
            base = rng.uniform(20, 80)
            for coordinator, better in (("random", 0), ("mcts", 2 * n)):
                value = round(base - better + rng.normal(0, 4))
                rows.append({"decisions": n, "instance": f"{n}-{i}", "coordinator": coordinator, "divergence": value})
    return pd.DataFrame(rows)


def test_means_have_student_s_interval_and_count_runs_without_a_plan(frame):
    holed = frame.assign(divergence=frame["divergence"].astype(float).where(frame.index != 1))
    row = means(holed, ["coordinator", "decisions"]).set_index(["coordinator", "decisions"]).loc["mcts", 3]
    values = frame.query("coordinator == 'mcts' and decisions == 3")["divergence"][1:]
    low, high = stats.t.interval(0.95, 10, values.mean(), values.sem())
    assert (row["n"], row["missing"]) == (11, 1)
    assert (row["low"], row["high"]) == pytest.approx((low, high))


def test_pairs_are_tested_on_their_differences(frame):
    table = paired(frame, "coordinator", "mcts", "random", along="decisions")
    for row in table.to_dict("records"):
        wide = frame[frame["decisions"] == row["decisions"]].pivot(
            index="instance", columns="coordinator", values="divergence"
        )
        gaps = wide["mcts"] - wide["random"]
        assert row["difference"] == pytest.approx(gaps.mean())
        assert (row["low"], row["high"]) == pytest.approx(stats.t.interval(0.95, 11, gaps.mean(), gaps.sem()))
        assert row["wilcoxon"] == pytest.approx(signed_rank(gaps.to_numpy()))
        assert (row["lower"], row["equal"], row["higher"]) == tuple(
            int(s) for s in ((gaps < 0).sum(), (gaps == 0).sum(), (gaps > 0).sum())
        )
    assert table["p_adjusted"].to_numpy() == pytest.approx(multipletests(table["p"], method="holm")[1])
    assert (table["hedges_g"] < 0).all()


def test_turning_the_pair_round_turns_the_sign(frame):
    one, other = (paired(frame, "coordinator", a, b).iloc[0] for a, b in (("mcts", "random"), ("random", "mcts")))
    assert (one["difference"], one["low"], one["lower"]) == (-other["difference"], -other["high"], other["higher"])
    assert one["wilcoxon"] == other["wilcoxon"]


def test_only_instances_of_both_are_pairs(frame):
    table = paired(frame.drop(index=[0, 3]), "coordinator", "mcts", "random").iloc[0]
    assert (table["n"], table["left_out"]) == (34, 2)


def test_equal_runs_have_a_difference_of_0_and_no_test(frame):
    same = frame.assign(divergence=7)
    row = paired(same, "coordinator", "mcts", "random").iloc[0]
    assert (row["difference"], row["equal"]) == (0, 36)
    assert np.isnan(row["p"]) and np.isnan(row["wilcoxon"]) and "no test" in row["note"]


def test_what_cannot_be_paired_is_refused(frame):
    with pytest.raises(InvalidInput, match="no run with 'model'; there are: random, mcts"):
        paired(frame, "coordinator", "mcts", "model")
    with pytest.raises(InvalidInput, match="does not identify a pair"):
        paired(pd.concat([frame, frame]), "coordinator", "mcts", "random")
    apart = frame[(frame["decisions"] == 3) == (frame["coordinator"] == "mcts")]
    with pytest.raises(InvalidInput, match="never occur in the same decisions"):
        paired(apart, "coordinator", "mcts", "random", along="decisions")


@pytest.mark.parametrize("gaps", [[3, -1, 2, 2, -2, 5], [0, 1, -1, 4, 4, 0], [1, 2, 3, 4, 5, -6, 7]])
def test_the_signed_rank_test_is_exact_with_ties_and_zeros(gaps):
    """Against SciPy's, which lists all signs."""
    listed = stats.wilcoxon(np.array(gaps), zero_method="pratt", method=stats.PermutationMethod())
    assert signed_rank(np.array(gaps, dtype=float)) == pytest.approx(listed.pvalue)


@pytest.mark.parametrize(("n", "near"), [(80, 0.15), (300, 1e-12)])
def test_many_gaps_have_a_normal_sum_of_ranks(n, near):
    gaps = np.random.default_rng(4).integers(-20, 25, n).astype(float)
    normal = stats.wilcoxon(gaps, zero_method="pratt", method="asymptotic").pvalue
    assert signed_rank(gaps) == pytest.approx(normal, rel=near)
