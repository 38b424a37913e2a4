"""Means, intervals, tests, effect sizes and resampling against scipy, statsmodels, hand computations and laws."""

from math import exp, inf, lgamma, sqrt

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW, ttost_paired

from support.analysis.stats import (
    adjusted,
    cluster_bootstrap,
    compare,
    describe,
    enough,
    equivalent,
    hedges_g,
    resampled,
)
from support.errors import InvalidInput


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


BAD = [
    (lambda f: describe(f, "profit"), "no column 'profit'; its columns are: rule"),
    (lambda f: describe(f.iloc[:0], "utility"), "has no rows"),
    (lambda f: describe(f.assign(utility=np.inf), "utility"), "infinite"),
    (lambda f: describe(f.assign(rule=None), "utility", "rule"), "is empty in 90 rows"),
    (lambda f: compare(f[:30], "utility", "rule"), "has one level, unanimous"),
    (lambda f: compare(f, "utility", "rule", reference="x"), "levels are: unanimous"),
    (
        lambda f: compare(f.assign(seed=1), "utility", "rule", paired_by="seed"),
        "does not identify a pair",
    ),
    (lambda f: resampled([], np.random.default_rng(0)), "none given"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_refused_with_a_way_out(runs, call, message):
    with pytest.raises(InvalidInput, match=message):
        call(runs)


def test_where_there_is_no_test_the_note_says_why():
    frame = pd.DataFrame({"g": list("aabb"), "u": [1.0, 1, 2, 2]})
    row = compare(frame, "u", "g").iloc[0]
    assert np.isnan(row["p"]) and np.isnan(row["p_adjusted"])
    assert row["note"] == "no test: no spread on either side"


def test_property_tests_corrections_and_effects_are_those_of_scipy_and_statsmodels():
    rng = np.random.default_rng(20_261_123)
    for n in rng.integers(4, 12, size=20):
        a, b = rng.normal(0, 1, n), rng.normal(0.3, 1, n)
        frame = pd.DataFrame({"g": np.repeat(["a", "b"], n), "u": np.r_[a, b]})
        welch, theirs = compare(frame, "u", "g").iloc[0], CompareMeans.from_data(a, b)
        tested = theirs.ttest_ind(usevar="unequal")
        tested += theirs.tconfint_diff(usevar="unequal")
        columns = ["t", "p", "df", "low", "high"]
        assert welch[columns].tolist() == pytest.approx(tested)
        pooled = sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
        small = exp(lgamma(n - 1) - lgamma(n - 1.5)) / sqrt(n - 1)
        g = (a.mean() - b.mean()) / pooled * small
        assert hedges_g(a, b)[0] == pytest.approx(g)
        se = (a - b).std(ddof=1) / sqrt(n)
        same = equivalent((a - b).mean(), se, 1.0, n - 1)
        assert same == pytest.approx(ttost_paired(a, b, -1.0, 1.0)[0])
        ps = rng.uniform(size=6)
        assert adjusted(ps) == pytest.approx(multipletests(ps, method="holm")[1])


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
