"""Means, intervals, tests, effect sizes and resampling against scipy, statsmodels, hand computations and laws."""

from itertools import product
from math import inf, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.meta_analysis import effectsize_smd
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW, ttost_paired

from support.analysis.stats import (
    cliffs_delta,
    cluster_bootstrap,
    compare,
    describe,
    enough,
    equivalent,
    hedges_g,
    hedges_interval,
    percentiles,
    resampled,
    signed_rank,
    small_sample_factor,
)
from support.errors import InvalidInput

VALUES = st.integers(-50, 50)
SAMPLES = st.lists(VALUES, min_size=2, max_size=30)
PAIRS = st.lists(st.tuples(VALUES, VALUES), min_size=3, max_size=30)


@pytest.fixture
def runs():
    """Thirty seeds under three rules that share the difficulty of their seed."""
    rng = np.random.default_rng(7)
    shared = rng.normal(0, 5, 30)
    columns = {"unanimous": 50, "majority": 80, "rated": 81}
    parts = [
        pd.DataFrame({"rule": rule, "seed": range(30), "utility": mean + shared + rng.normal(0, 3, 30)})
        for rule, mean in columns.items()
    ]
    return pd.concat(parts, ignore_index=True)


def values(runs, rule):
    return runs.loc[runs["rule"] == rule, "utility"].to_numpy()


# --- describe ---


def test_description_of_a_hand_computed_sample():
    row = describe(pd.DataFrame({"u": [2.0, 4.0, 6.0]}), "u").iloc[0]
    assert (row["n"], row["mean"], row["sd"], row["se"]) == (3, 4.0, 2.0, 2 / sqrt(3))
    assert row["high"] == pytest.approx(4 + 4.302653 * 2 / sqrt(3), abs=1e-5)


def test_t_interval_is_that_of_statsmodels(runs):
    table = describe(runs, "utility", "rule", level=0.9).set_index("rule")
    for rule in table.index:
        expected = DescrStatsW(values(runs, rule)).tconfint_mean(alpha=0.1)
        assert table.loc[rule, ["low", "high"]].tolist() == pytest.approx(expected)


@pytest.mark.filterwarnings("error")
def test_equal_values_have_an_interval_of_no_width():
    frame = pd.DataFrame({"u": [0.1 + 0.2] * 5})
    row = describe(frame, "u").iloc[0]
    assert row["low"] == row["high"] == row["mean"]
    assert row["note"] == "all values are equal"


def test_missing_and_single_values_are_counted_and_said():
    table = describe(pd.DataFrame({"g": list("aaabbc"), "u": [1.0, np.nan, 3.0, 5.0, None, np.nan]}), "u", "g")
    assert table["n"].tolist() == [2, 1, 0] and table["missing"].tolist() == [1, 1, 1]
    assert table["note"].tolist() == ["", "one value: no interval", "no values"]
    assert table["sentence"][1] == "b M = 5.00, interval undefined for a single value, n = 1 (1 missing)"
    assert table["sentence"][2] == "c has no values (1 missing)"


# --- compare ---


def test_welch_test_is_scipys(runs):
    row = compare(runs, "utility", "rule", correction=None, show=False).iloc[0]
    expected = stats.ttest_ind(values(runs, "unanimous"), values(runs, "majority"), equal_var=False)
    assert (row["t"], row["df"], row["p"]) == pytest.approx((expected.statistic, expected.df, expected.pvalue))
    assert row["p_adjusted"] == row["p"] and row["test"] == "Welch's t"


def test_welch_interval_is_that_of_statsmodels(runs):
    row = compare(runs, "utility", "rule", level=0.9, show=False).iloc[2]
    means = CompareMeans(DescrStatsW(values(runs, "majority")), DescrStatsW(values(runs, "rated")))
    assert (row["low"], row["high"]) == pytest.approx(means.tconfint_diff(alpha=0.1, usevar="unequal"))


def test_paired_test_is_a_test_of_the_differences(runs):
    row = compare(runs, "utility", "rule", paired_by="seed", show=False).iloc[2]
    difference = DescrStatsW(values(runs, "majority") - values(runs, "rated"))
    t, p, df = difference.ttest_mean()
    assert (row["t"], row["p"], row["df"]) == pytest.approx((t, p, df))
    assert (row["low"], row["high"]) == pytest.approx(difference.tconfint_mean())


def test_pairs_are_matched_by_name_not_by_position(runs):
    shuffled = runs.sample(frac=1, random_state=3).sort_values("rule", key=lambda rule: rule.map(len))
    ours = compare(shuffled, "utility", "rule", paired_by=["seed"], reference="majority", show=False)
    expected = stats.ttest_rel(values(runs, "rated"), values(runs, "majority"))
    assert ours.set_index("a").loc["rated", "t"] == pytest.approx(expected.statistic)


def test_unmatched_pairs_are_dropped_and_counted(runs, capsys):
    runs.loc[(runs["rule"] == "rated") & (runs["seed"] < 3), "utility"] = np.nan
    kept = runs[(runs["rule"] != "majority") | (runs["seed"] != 29)]
    row = compare(kept, "utility", "rule", paired_by="seed").set_index(["a", "b"]).loc[("majority", "rated")]
    # 29 and 30 rows: 26 pairs are whole, so 3 + 4 values stay unused.
    assert (row["n_a"], row["n_b"], row["df"], row["left_out"]) == (26, 26, 25, 7)
    assert "(7 values not used)" in capsys.readouterr().out


@pytest.mark.parametrize("correction", ["holm", "fdr_bh"])
def test_corrections_are_those_of_statsmodels(runs, correction):
    table = compare(runs, "utility", "rule", correction=correction, show=False)
    assert table["p_adjusted"].tolist() == pytest.approx(multipletests(table["p"], method=correction)[1].tolist())
    assert (table["correction"] == correction).all()


def test_a_reference_is_compared_with_each_other_level(runs):
    table = compare(runs, "utility", "rule", reference="majority", show=False)
    assert table[["a", "b"]].to_numpy().tolist() == [["unanimous", "majority"], ["rated", "majority"]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("shift", [0, 0.1])
def test_the_same_difference_in_every_pair_is_noted_not_tested(shift, capsys):
    base = np.array([1e5 + 0.1, 2.3, 7.7])
    frame = pd.DataFrame({"g": list("aaabbb"), "k": [0, 1, 2] * 2, "u": np.r_[base + shift, base]})
    row = compare(frame, "u", "g", paired_by="k").iloc[0]
    assert np.isnan(row["p"]) and np.isnan(row["p_adjusted"])
    assert row["note"] == "no test: the difference is the same in every pair"
    assert "could not be tested against" in capsys.readouterr().out


@pytest.mark.filterwarnings("error")
def test_two_constant_groups_are_noted_not_tested():
    frame = pd.DataFrame({"g": list("aabb"), "u": [1.0, 1, 2, 2]})
    row = compare(frame, "u", "g", show=False).iloc[0]
    assert row["note"] == "no test: no spread on either side"
    assert np.isnan(row["hedges_g"]) and row["cliffs_delta"] == -1


def test_an_untestable_comparison_does_not_count_in_the_correction():
    frame = pd.DataFrame({"g": list("aaabbbc"), "u": [1.0, 2, 3, 4, 5, 7, 9]})
    table = compare(frame, "u", "g", show=False)
    assert table["p"].isna().tolist() == [False, True, True]
    assert table["p_adjusted"][0] == table["p"][0]
    assert table["note"][1] == "no test: fewer than two values on a side"


def test_only_a_difference_that_survives_the_correction_is_claimed():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"g": np.repeat(list("abcdef"), 8), "u": rng.normal(0, 1, 48)})
    table = compare(frame, "u", "g", show=False)
    lost = table[(table["p"] < 0.05) & (table["p_adjusted"] >= 0.05)]
    assert len(lost) and lost["sentence"].str.contains("did not differ reliably").all()


# --- what is refused ---


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: describe(f, "profit"), "no column 'profit'; its columns are: rule, seed, utility"),
        (lambda f: describe(f.iloc[:0], "utility"), "has no rows"),
        (lambda f: describe(f, "rule"), "column 'rule' must hold numbers"),
        (lambda f: describe(f.assign(utility=np.inf), "utility"), "infinite"),
        (lambda f: describe(f, "utility", level=95), "level is 95"),
        (lambda f: describe(f.assign(n=1), "utility", "n"), "rename it"),
        (lambda f: describe(f.assign(rule=None), "utility", "rule"), "is empty in 90 rows"),
        (lambda f: compare(f, "utility", "team"), "no column 'team'"),
        (lambda f: compare(f, "utility", "rule", paired_by="pair"), "no column 'pair'"),
        (lambda f: compare(f[:30], "utility", "rule"), "has one level, unanimous; a comparison needs two"),
        (lambda f: compare(f, "utility", "rule", reference="dictator"), "levels are: unanimous, majority, rated"),
        (lambda f: resampled([], np.random.default_rng(0)), "none given"),
        (lambda f: resampled(["a", "a"], np.random.default_rng(0), within=[0, 1]), "of two kinds"),
        (lambda f: cluster_bootstrap(f.assign(utility=np.nan), "utility", "seed", np.random.default_rng(0)), "blank"),
        (lambda f: compare(f.assign(seed=1), "utility", "rule", paired_by="seed"), "does not identify a pair"),
        (lambda f: cliffs_delta([], [1]), "0 and 1 values"),
        (lambda f: hedges_g([1, np.nan], [1, 2]), "NaN"),
        (lambda f: hedges_g([1, 2], [1, 2, 3], paired=True), "one partner each"),
    ],
)
def test_bad_input_is_refused_with_a_way_out(runs, call, message):
    with pytest.raises(InvalidInput, match=message):
        call(runs)


# --- effect sizes ---


def test_hedges_g_of_a_hand_computed_sample():
    # means 4 and 3, both variances 4: d = 1/2, J(4) = Gamma(2) / (sqrt(2) Gamma(3/2)) = 0.7979
    assert hedges_g([2, 4, 6], [1, 3, 5]) == pytest.approx(0.5 * 0.797885, abs=1e-6)


def test_hedges_g_agrees_with_statsmodels(runs):
    a, b = values(runs, "majority"), values(runs, "rated")
    theirs, _ = effectsize_smd(a.mean(), a.std(ddof=1), len(a), b.mean(), b.std(ddof=1), len(b))
    # statsmodels corrects with Hedges' approximation, we with the gamma function.
    assert hedges_g(a, b) == pytest.approx(theirs, rel=1e-4)


def test_paired_g_divides_by_the_average_spread_not_by_that_of_the_differences():
    a, b = np.array([10.0, 20, 30, 40]), np.array([9.0, 19, 28, 39])
    average = sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    assert hedges_g(a, b, paired=True) == pytest.approx(small_sample_factor(3) * (a - b).mean() / average)


@pytest.mark.parametrize("paired", [False, True])
def test_the_interval_of_g_covers_the_true_effect_about_as_often_as_it_says(paired):
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(600):
        shared = rng.normal(0, 1, 40) if paired else 0
        effect = hedges_interval(shared + rng.normal(1, 1, 40), shared + rng.normal(0, 1, 40), paired)
        hits += effect.low <= (1 / sqrt(2) if paired else 1) <= effect.high
    assert 0.92 <= hits / 600 <= 0.98


@given(SAMPLES, SAMPLES)
def test_property_g_and_delta_change_sign_with_the_order(x, y):
    assert cliffs_delta(x, y) == -cliffs_delta(y, x)
    assert hedges_g(x, y) == pytest.approx(-hedges_g(y, x), nan_ok=True)


@given(PAIRS)
def test_property_paired_g_changes_sign_with_the_order(pairs):
    x, y = zip(*pairs, strict=True)
    assert hedges_g(x, y, paired=True) == pytest.approx(-hedges_g(y, x, paired=True), nan_ok=True)


@given(SAMPLES, SAMPLES)
def test_property_delta_is_the_count_over_all_pairs(x, y):
    signs = [np.sign(a - b) for a in x for b in y]
    assert cliffs_delta(x, y) == pytest.approx(np.mean(signs))
    assert -1 <= cliffs_delta(x, y) <= 1


@given(SAMPLES, SAMPLES, st.integers(-1000, 1000))
def test_property_a_shift_of_both_samples_changes_no_effect(x, y, shift):
    moved = [a + shift for a in x], [b + shift for b in y]
    assert cliffs_delta(*moved) == cliffs_delta(x, y)
    assert hedges_g(*moved) == pytest.approx(hedges_g(x, y), nan_ok=True)


@settings(deadline=None, max_examples=25)
@given(PAIRS, st.integers(-1000, 1000), st.booleans())
def test_property_a_shift_of_all_values_changes_no_test(pairs, shift, paired):
    assume(len({a - b for a, b in pairs}) > 1 and len({a for a, _ in pairs}) > 1)
    rows = [(name, i, pair[name == "b"]) for i, pair in enumerate(pairs) for name in "ab"]
    frame = pd.DataFrame(rows, columns=["g", "k", "u"])
    before, after = (
        compare(f, "u", "g", paired_by="k" if paired else None, show=False).iloc[0]
        for f in (frame, frame.assign(u=frame["u"] + shift))
    )
    columns = ["difference", "low", "high", "t", "p", "hedges_g", "cliffs_delta"]
    assert after[columns].tolist() == pytest.approx(before[columns].tolist(), rel=1e-6, abs=1e-9)


# --- signed ranks, equivalence, resampling ---


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.sampled_from(["drop", "pratt"]))
def test_property_signed_ranks_count_every_pattern_of_signs(gaps, zeros):
    kept = np.array([g for g in gaps if g or zeros == "pratt"], dtype=float)
    found = signed_rank(gaps, zeros)
    assume((kept != 0).any())
    ranks = stats.rankdata(np.abs(kept))[kept != 0]
    observed = (np.sign(kept[kept != 0]) * ranks).sum()
    all_sums = [np.dot(signs, ranks) for signs in product((-1, 1), repeat=len(ranks))]
    assert found.p == pytest.approx(np.mean(np.abs(all_sums) >= abs(observed) - 1e-9))
    assert found.rank_biserial == pytest.approx(observed / ranks.sum())


def test_signed_ranks_of_many_pairs_are_scipys_normal_approximation():
    gaps = np.random.default_rng(5).normal(0.1, 1, 400)
    assert signed_rank(gaps).p == pytest.approx(stats.wilcoxon(gaps, correction=False, method="asymptotic").pvalue)


def test_equivalence_is_that_of_statsmodels(runs):
    a, b = values(runs, "majority"), values(runs, "rated")
    gaps = a - b
    se = gaps.std(ddof=1) / sqrt(len(gaps))
    p = ttost_paired(a, b, -2.0, 2.0)[0]
    assert equivalent(gaps.mean(), se, 2.0, len(gaps) - 1) == pytest.approx(p)


def test_the_number_that_would_tell_tells_as_often_as_it_says():
    rng, sd, margin = np.random.default_rng(3), 10.0, 2.0
    n = int(enough(50, sd / sqrt(50), margin, other_se=0.3))
    hits = 0
    for _ in range(2000):
        ours, theirs = rng.normal(0, sd / sqrt(n)), rng.normal(0, 0.3)
        hits += equivalent(ours - theirs, sqrt(sd**2 / n + 0.3**2), margin) < 0.05
    assert 0.77 <= hits / 2000 <= 0.83
    assert enough(50, 1.0, margin, other_se=1.0) == inf


def test_a_bootstrap_over_clusters_is_as_wide_as_that_over_their_means():
    rng = np.random.default_rng(2)
    means = rng.normal(0, 1, 40)
    frame = pd.DataFrame({"case": np.repeat(range(40), 25), "u": np.repeat(means, 25) + rng.normal(0, 0.01, 1000)})
    found = cluster_bootstrap(frame, "u", "case", rng)
    assert found["se"] == pytest.approx(means.std(ddof=1) / sqrt(40), rel=0.1)
    assert (found["n"], found["clusters"]) == (1000, 40) and found["low"] < found["mean"] < found["high"]
    assert np.isnan(cluster_bootstrap(frame.assign(case=1), "u", "case", rng)["low"])


def test_as_many_of_each_kind_are_drawn_as_there_are():
    clusters, kinds = list("aabbccdd"), [0, 0, 0, 0, 1, 1, 1, 1]
    times, place = resampled(clusters, np.random.default_rng(0), 200, kinds)
    assert place.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert (times[:, :2].sum(axis=1) == 2).all() and (times[:, 2:].sum(axis=1) == 2).all()
    assert percentiles(np.array([[1.0, np.nan], [3.0, np.nan]]), 0.5)[:, 0].tolist() == [1.5, 2.5]
