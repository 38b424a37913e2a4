"""Means, intervals, tests, effect sizes and resampling against scipy, statsmodels, hand computations and laws."""

from math import gamma, inf, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.meta_analysis import effectsize_smd
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

from support.analysis.stats import (
    adjusted,
    cluster_bootstrap,
    compare,
    describe,
    enough,
    equivalent,
    hedges_g,
    percentiles,
    resampled,
)
from support.errors import InvalidInput

VALUES = st.integers(-50, 50)
SAMPLES = st.lists(VALUES, min_size=2, max_size=30)


@pytest.fixture
def runs():
    """Thirty seeds under three rules that share the difficulty of their seed."""
    rng = np.random.default_rng(7)
    shared = rng.normal(0, 5, 30)
    parts = [
        pd.DataFrame(
            {
                "rule": rule,
                "seed": range(30),
                "utility": mean + shared + rng.normal(0, 3, 30),
            }
        )
        for rule, mean in {"unanimous": 50, "majority": 80, "rated": 81}.items()
    ]
    return pd.concat(parts, ignore_index=True)


def values(runs, rule):
    return runs.loc[runs["rule"] == rule, "utility"].to_numpy()


# --- means and tests ---


@pytest.mark.filterwarnings("error")
def test_intervals_of_means_are_those_of_statsmodels_of_no_width_for_equals_and_missing_for_one(
    runs,
):
    table = describe(runs, "utility", "rule").set_index("rule")
    for rule in table.index:
        expected = DescrStatsW(values(runs, rule)).tconfint_mean()
        assert table.loc[rule, ["low", "high"]].tolist() == pytest.approx(expected)
    same = describe(pd.DataFrame({"u": [0.1 + 0.2] * 5}), "u").iloc[0]
    assert same["low"] == same["high"] == same["mean"]
    few = describe(
        pd.DataFrame({"g": list("aaabbc"), "u": [1.0, np.nan, 3.0, 5.0, None, np.nan]}),
        "u",
        "g",
    )
    assert few["n"].tolist() == [2, 1, 0] and few["missing"].tolist() == [1, 1, 1]
    assert few["low"].isna().tolist() == [False, True, True]


def test_a_paired_test_is_one_of_the_differences_matched_by_name_not_by_position(runs):
    shuffled = runs.sample(frac=1, random_state=3).sort_values(
        "rule", key=lambda rule: rule.map(len)
    )
    table = compare(
        shuffled, "utility", "rule", paired_by=["seed"], reference="majority"
    )
    assert set(table["b"]) == {"majority"} and set(table["a"]) == {"unanimous", "rated"}
    row, difference = (
        table.set_index("a").loc["rated"],
        DescrStatsW(values(runs, "rated") - values(runs, "majority")),
    )
    assert (row["t"], row["p"], row["df"]) == pytest.approx(difference.ttest_mean())
    assert (row["low"], row["high"]) == pytest.approx(difference.tconfint_mean())


def test_values_without_a_partner_are_left_out_and_counted(runs):
    runs.loc[(runs["rule"] == "rated") & (runs["seed"] < 3), "utility"] = np.nan
    kept = runs[(runs["rule"] != "majority") | (runs["seed"] != 29)]
    row = (
        compare(kept, "utility", "rule", paired_by="seed")
        .set_index(["a", "b"])
        .loc[("majority", "rated")]
    )
    # 29 and 30 rows: 26 pairs are whole, so 3 + 4 values stay unused.
    assert (row["n_a"], row["n_b"], row["df"], row["left_out"]) == (26, 26, 25, 7)


def test_corrections_are_those_of_statsmodels():
    rng = np.random.default_rng(0)
    table = compare(
        pd.DataFrame({"g": np.repeat(list("abcdef"), 8), "u": rng.normal(0, 1, 48)}),
        "u",
        "g",
    )
    for method in ("holm", "fdr_bh"):
        assert adjusted(table["p"], method).tolist() == pytest.approx(
            multipletests(table["p"], method=method)[1]
        )
    assert adjusted([0.02, np.nan])[0] == 0.02, "no test does not count"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("groups", "values", "paired", "note"), [
    ("aaabbb", [1e5 + 0.1, 2.3, 7.7, 1e5, 2.2, 7.6], "k", "the difference is the same in every pair"),
    ("aabb", [1.0, 1, 2, 2], (), "no spread on either side"),
    ("aaab", [1.0, 2, 3, 9], (), "fewer than two values on a side"),
])  # fmt: skip
def test_where_there_is_no_test_the_note_says_why(groups, values, paired, note):
    frame = pd.DataFrame(
        {
            "g": list(groups),
            "k": [groups[:i].count(g) for i, g in enumerate(groups)],
            "u": values,
        }
    )
    row = compare(frame, "u", "g", paired_by=paired).iloc[0]
    assert (
        np.isnan(row["p"])
        and np.isnan(row["p_adjusted"])
        and row["note"] == f"no test: {note}"
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda f: describe(f, "profit"),
            "no column 'profit'; its columns are: rule, seed, utility",
        ),
        (lambda f: describe(f.iloc[:0], "utility"), "has no rows"),
        (lambda f: describe(f.assign(utility=np.inf), "utility"), "infinite"),
        (
            lambda f: describe(f.assign(rule=None), "utility", "rule"),
            "is empty in 90 rows",
        ),
        (
            lambda f: compare(f[:30], "utility", "rule"),
            "has one level, unanimous; a comparison needs two",
        ),
        (
            lambda f: compare(f, "utility", "rule", reference="dictator"),
            "levels are: unanimous, majority, rated",
        ),
        (
            lambda f: compare(f.assign(seed=1), "utility", "rule", paired_by="seed"),
            "does not identify a pair",
        ),
        (lambda f: resampled([], np.random.default_rng(0)), "none given"),
        (
            lambda f: cluster_bootstrap(
                f.assign(utility=np.nan), "utility", "seed", np.random.default_rng(0)
            ),
            "blank",
        ),
    ],
)
def test_bad_input_is_refused_with_a_way_out(runs, call, message):
    with pytest.raises(InvalidInput, match=message):
        call(runs)


# --- effect sizes ---


def test_hedges_g_agrees_with_statsmodels_and_paired_divides_by_the_average_spread(
    runs,
):
    a, b = values(runs, "majority"), values(runs, "rated")
    theirs, _ = effectsize_smd(
        a.mean(), a.std(ddof=1), len(a), b.mean(), b.std(ddof=1), len(b)
    )
    # statsmodels corrects with Hedges' approximation, we with the gamma function.
    assert hedges_g(a, b)[0] == pytest.approx(theirs, rel=1e-4)
    average = sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    expected = gamma(14.5) / gamma(14) / sqrt(14.5) * (a - b).mean() / average  # J(29)
    assert hedges_g(a, b, paired=True)[0] == pytest.approx(expected)


@pytest.mark.parametrize("paired", [False, True])
def test_the_interval_of_g_covers_the_true_effect_about_as_often_as_it_says(paired):
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(400):
        shared = rng.normal(0, 1, 40) if paired else 0
        _, low, high = hedges_g(
            shared + rng.normal(1, 1, 40), shared + rng.normal(0, 1, 40), paired
        )
        hits += low <= (1 / sqrt(2) if paired else 1) <= high
    assert 0.92 <= hits / 400 <= 0.98


@given(SAMPLES, SAMPLES, st.integers(-1000, 1000))
def test_property_effects_change_sign_with_the_order_and_not_with_a_shift(x, y, shift):
    moved = [a + shift for a in x], [b + shift for b in y]
    assert hedges_g(*moved)[0] == pytest.approx(-hedges_g(y, x)[0], nan_ok=True)
    pairs = list(zip(*zip(x, y, strict=False), strict=True))
    assert hedges_g(*pairs, paired=True)[0] == pytest.approx(
        -hedges_g(*pairs[::-1], paired=True)[0], nan_ok=True
    )


# --- equivalence, resampling ---


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
    frame = pd.DataFrame(
        {
            "case": np.repeat(range(40), 25),
            "u": np.repeat(means, 25) + rng.normal(0, 0.01, 1000),
        }
    )
    found = cluster_bootstrap(frame, "u", "case", rng)
    assert found["se"] == pytest.approx(means.std(ddof=1) / sqrt(40), rel=0.1)
    assert (found["n"], found["clusters"]) == (1000, 40) and found["low"] < found[
        "mean"
    ] < found["high"]
    assert np.isnan(cluster_bootstrap(frame.assign(case=1), "u", "case", rng)["low"])


def test_as_many_of_each_kind_are_drawn_as_there_are():
    clusters, kinds = list("aabbccdd"), [0, 0, 0, 0, 1, 1, 1, 1]
    times, place = resampled(clusters, np.random.default_rng(0), 200, kinds)
    assert place.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert (times[:, :2].sum(axis=1) == 2).all() and (
        times[:, 2:].sum(axis=1) == 2
    ).all()
    assert percentiles(np.array([[0.0, np.nan], [40.0, np.nan]])).T[0].tolist() == [
        1,
        39,
    ]
