"""Answers of people and of simulated respondents: against scipy and statsmodels, never pooled, blanks counted."""

from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from support.analysis import answers, claims
from support.analysis.claims import NO, YES
from support.analysis.printed import Scale
from support.errors import InvalidInput

SAMPLE = st.lists(st.integers(1, 5), min_size=2, max_size=12)
ANALYSES = {
    "means": answers.means,
    "distribution": answers.distribution,
    "cronbach_alpha": lambda data: answers.cronbach_alpha(data, ["reasons", "trust"]),
    "kruskal_wallis": answers.kruskal_wallis,
    "ordinal_regression": lambda data: answers.ordinal_regression(data, "reasons"),
}


@pytest.fixture
def survey():
    """Thirty people in three groups answer two items; group C answers lower."""
    rng = np.random.default_rng(1)
    rows = [
        (
            f"P{i:02d}",
            group,
            item,
            int(np.clip(round(rng.normal(4 - (group == "C") * 1.5, 1.2)), 1, 5)),
            "people",
        )
        for i, group in enumerate("ABC" * 10)
        for item in ("reasons", "trust")
    ]
    return pd.DataFrame(
        rows, columns=["respondent", "group", "item", "answer", "source"]
    )


def tidy(samples, item="i"):
    rows = [
        (f"{g}{i}", g, item, a, "people")
        for g, sample in samples.items()
        for i, a in enumerate(sample)
    ]
    return pd.DataFrame(
        rows, columns=["respondent", "group", "item", "answer", "source"]
    )


# ---- sources


@pytest.mark.parametrize("name", ANALYSES)
def test_no_table_pools_sources_or_depends_on_the_order_of_rows_and_the_names_of_respondents(
    name, survey
):
    machine = survey.assign(source="simulated: rule-based", answer=6 - survey["answer"])
    names = dict(
        zip(
            survey["respondent"].unique(),
            np.random.default_rng(1).permutation(30),
            strict=True,
        )
    )
    renamed = survey.assign(
        respondent=survey["respondent"].map(names).map("Q{}".format)
    ).sample(frac=1, random_state=2)
    both, alone = ANALYSES[name](pd.concat([renamed, machine])), ANALYSES[name](survey)
    assert both["source"].unique().tolist() == ["people", "simulated: rule-based"]
    keys = ["source", *(c for c in ("item", "group", "term", "answer") if c in both)]
    parts = (
        t.sort_values(keys).reset_index(drop=True)
        for t in (both[both["source"] == "people"], alone)
    )
    pd.testing.assert_frame_equal(*parts, rtol=1e-4)


# ---- oracles


def test_means_and_shares_are_those_of_everyone_and_of_each_group(survey):
    survey.loc[survey["respondent"] == "P01", "answer"] = np.nan
    table = answers.means(survey)
    assert table["group"].tolist() == ["all", *"ABC"] * 2
    given_b = survey[(survey["item"] == "trust") & (survey["group"] == "B")][
        "answer"
    ].dropna()
    low, high = stats.t.interval(
        0.95, len(given_b) - 1, given_b.mean(), stats.sem(given_b)
    )
    row = table.set_index(["item", "group"]).loc[("trust", "B")]
    assert row[["n", "missing", "mean", "low", "high"]].tolist() == pytest.approx(
        [9, 1, given_b.mean(), low, high]
    )
    shares = (
        answers.distribution(survey, scale=Scale(0, 7))
        .set_index(["item", "group"])
        .loc["trust", "B"]
    )
    assert shares["answer"].tolist() == list(range(8)) and set(shares["n"]) == {9}
    assert shares["count"].tolist() == [
        (given_b == answer).sum() for answer in range(8)
    ]
    assert shares["share"].tolist() == pytest.approx((shares["count"] / 9).tolist())


@settings(deadline=None, max_examples=40)
@given(SAMPLE, SAMPLE, SAMPLE)
def test_property_the_rank_test_is_scipys(a, b, c):
    row = answers.kruskal_wallis(tidy({"A": a, "B": b, "C": c})).iloc[0]
    if len({*a, *b, *c}) == 1:
        assert np.isnan(row["p"]) and "all answers are the same" in row["note"]
    else:
        h, p = stats.kruskal(a, b, c)
        epsilon = h / (len(a) + len(b) + len(c) - 1)
        assert row[["h", "df", "p", "epsilon_squared"]].tolist() == pytest.approx(
            [h, 2, p, epsilon]
        )


def test_all_items_of_a_source_are_one_family_and_tests_that_do_not_exist_no_members(
    survey,
):
    flat = tidy({"A": [3, 3], "B": [3, 3], "C": [3]}, "flat")
    blank = tidy({"A": [3, 2], "B": [np.nan] * 2, "C": [np.nan]}, "blank")
    table = answers.kruskal_wallis(pd.concat([survey, flat, blank])).set_index("item")
    assert set(table["correction"]) == {"Holm over 2 tests"}
    assert table["p_holm"].min() == pytest.approx(2 * table["p"].min())
    assert table.loc[table["p_holm"].isna(), "note"].to_dict() == {
        "flat": "no test: all answers are the same", "blank": "no test: fewer than two groups answered",
    }  # fmt: skip


def test_statements_are_tested_on_the_shares_of_each_choice():
    rows = [
        (
            f"P{i}",
            "options_wanted_3",
            3.0 if i < 18 else 2.0,
            "three" if i < 18 else "two",
        )
        for i in range(20)
    ]
    data = pd.DataFrame(rows, columns=["respondent", "item", "answer", "text"]).assign(
        source="people", group="A"
    )
    asked = [data.assign(item=i, answer=a, text=t) for i, a, t in (("experience", 4, "6 to 9 years"),
             ("meetings_per_day", 3.0, "3 to 5"))]  # fmt: skip
    everything = pd.concat([data, data.assign(item="options_wanted_5"), *asked])
    ours = answers.results(
        everything, tidy({"A": [4, 5, 4], "B": [4, 4, 5]}, "confidence")
    )
    three = ours.set_index(["row", "column"]).loc["options_wanted_3", "three"]
    assert three[["value", "se", "n"]].tolist() == pytest.approx(
        [90, 100 * sqrt(0.9 * 0.1 / 20), 20]
    )
    preferred = "K = 3 preferred for n = 3 and n = 5"
    turned = ours.assign(value=100 - ours["value"])
    for results, verdict in ((ours, YES), (turned, NO)):
        tested = claims.check("000", "11", results).set_index("statement")["verdict"]
        assert tested[preferred] == verdict


def test_with_two_answers_ordinal_regression_gives_the_odds_ratios_of_fourfold_tables():
    samples = {
        "A": [1] * 12 + [2] * 8,
        "B": [1] * 5 + [2] * 15,
        "C": [1] * 15 + [2] * 5,
    }
    table = answers.ordinal_regression(tidy(samples), "i").set_index("term")
    for group, odds, cells in (("B", 4.5, (12, 8, 5, 15)), ("C", 0.5, (12, 8, 15, 5))):
        expected = [
            exp(log(odds) + s * 1.96 * sqrt(sum(1 / n for n in cells)))
            for s in (0, -1, 1)
        ]
        row = table.loc[f"group {group} (vs A)", ["odds_ratio", "low", "high"]]
        assert row.tolist() == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(
    ("samples", "note"),
    [
        ({"A": [3, 3, 3], "B": [3, 3, 3]}, "all answers are in one category"),
        ({"A": [1, 2, 3, 4], "B": [4, 4, 5, 5]}, "a group's answers do not overlap"),
        ({"A": [1, 2, 3, 4, 3], "B": [3, 4, 5, 5, 5]}, ""),
    ],
)
def test_where_there_is_no_estimate_the_note_says_why(samples, note):
    table = answers.ordinal_regression(tidy(samples), "i")
    assert table["note"].str.contains(note).all() and table[
        ["odds_ratio", "p"]
    ].isna().all(axis=None) == bool(note)


@settings(deadline=None)
@given(
    st.tuples(st.integers(2, 12), st.integers(2, 6)).flatmap(
        lambda s: arrays(int, s, elements=st.integers(1, 5))
    )
)
def test_property_alpha_is_that_of_the_analysis_of_variance(values):
    assume(values.sum(axis=1).var() > 0)
    (n, k), grand = values.shape, values.mean()
    between = k * ((values.mean(axis=1) - grand) ** 2).sum() / (n - 1)  # Hoyt 1941
    rest = (
        (
            (values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + grand)
            ** 2
        ).sum()
        / (n - 1)
        / (k - 1)
    )
    wide = pd.DataFrame(values).assign(respondent=range(n), group="A", source="people")
    row = answers.cronbach_alpha(
        wide.melt(
            ["respondent", "group", "source"], var_name="item", value_name="answer"
        ),
        range(k),
    ).iloc[0]
    bounds = [
        1 - rest / between * stats.f.isf(tail, n - 1, (n - 1) * (k - 1))
        for tail in (0.025, 0.975)
    ]
    assert row[["alpha", "low", "high"]].tolist() == pytest.approx(
        [1 - rest / between, *bounds]
    )


def test_alpha_leaves_out_who_left_a_blank_and_is_none_where_all_sums_are_equal(survey):
    blank = survey.assign(answer=survey["answer"].where(survey["respondent"] != "P00"))
    row = answers.cronbach_alpha(blank, ["trust", "reasons"]).iloc[0]
    assert row[["respondents", "left_out", "items"]].tolist() == [29, 1, 2]
    same = survey.assign(answer=np.where(survey["item"] == "trust", 2, 4))
    assert answers.cronbach_alpha(same, ["trust", "reasons"])["alpha"].isna().all()


# ---- the next survey


def test_mann_whitney_errs_at_its_level_and_sees_what_noether_says():
    rng, flat = np.random.default_rng(2), [0.1, 0.2, 0.4, 0.2, 0.1]
    assert answers.power_mann_whitney(flat, flat, 30, 30, rng, 4000) == pytest.approx(
        0.05, abs=0.015
    )
    assert (
        answers.power_mann_whitney([0, 1], [0, 1], 5, 5, rng, 20) == 0
    )  # all say the same
    fine = np.full(200, 1 / 200)  # hardly any ties: where the formula holds
    shifted = np.r_[np.zeros(60), np.full(140, 1 / 140)]
    n = answers.sample_size_noether(answers.superiority(shifted, fine))
    assert answers.power_mann_whitney(shifted, fine, n, n, rng, 1500) == pytest.approx(
        0.8, abs=0.06
    )


# ---- what users get wrong


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"answer": 6},
            r"answer 6 of respondent 'P00' to item 'reasons': expected a whole number from 1 to 5",
        ),
        ({"answer": "good"}, "must hold numbers"),
        ({"source": "human"}, "source: 'human' given; expected 'people'"),
        (
            {"source": "reconstructed"},
            r"nobody gave them. Use support.analysis.printed.conclusions",
        ),
        ({"item": "reasons"}, "answers item 'reasons' twice"),
        ({"group": "all"}, "give that group another name"),
    ],
)
def test_bad_answers_are_refused_and_named(survey, change, message):
    with pytest.raises(InvalidInput, match=message):
        answers.means(survey.assign(**change))
