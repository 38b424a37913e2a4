"""Answers of people and of simulated respondents: against scipy and statsmodels, never pooled, blanks counted."""

from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from support.analysis import answers
from support.analysis.printed import Scale, enumerate_samples
from support.analysis.stats import cliffs_delta
from support.errors import InvalidInput

SAMPLE = st.lists(st.integers(1, 5), min_size=2, max_size=12)
SHARES = st.lists(st.integers(1, 9), min_size=5, max_size=5).map(lambda w: np.array(w) / sum(w))
TIME, TRUST = ["time zones", "time of day", "time again", "more time"], ["trust it", "no trust", "trust needs reasons"]
ANALYSES = {
    "means": answers.means,
    "distribution": answers.distribution,
    "cronbach_alpha": lambda data: answers.cronbach_alpha(data, ["reasons", "trust"]),
    "kruskal_wallis": answers.kruskal_wallis,
    "mann_whitney": answers.mann_whitney,
    "ordinal_regression": lambda data: answers.ordinal_regression(data, "reasons"),
}


@pytest.fixture
def survey():
    """Thirty people in three groups answer two items; group C answers lower."""
    rng = np.random.default_rng(1)
    rows = [
        (f"P{i:02d}", group, item, int(np.clip(round(rng.normal(4 - (group == "C") * 1.5, 1.2)), 1, 5)), "people")
        for i, group in enumerate("ABC" * 10)
        for item in ("reasons", "trust")
    ]
    return pd.DataFrame(rows, columns=["respondent", "group", "item", "answer", "source"])


def tidy(samples, item="i"):
    rows = [(f"{g}{i}", g, item, a, "people") for g, sample in samples.items() for i, a in enumerate(sample)]
    return pd.DataFrame(rows, columns=["respondent", "group", "item", "answer", "source"])


def written(texts, **told):
    names = [f"P{i:02d}" for i in range(len(texts))]
    return pd.DataFrame({"respondent": names, "item": "feedback", "text": texts, "source": "people"}).assign(**told)


class Words:
    """A fake encoder: the axis of a text is its key word, with a little of its length."""

    def encode(self, texts):
        return np.array([["time" in t, "trust" in t, "cost" in t, 0.01 * len(t)] for t in texts], dtype=float)


# ---- sources


@pytest.mark.parametrize("name", ANALYSES)
def test_every_table_names_its_source_and_pools_nothing(name, survey):
    machine = survey.assign(source="simulated: rule-based", answer=6 - survey["answer"])
    both, alone = ANALYSES[name](pd.concat([survey, machine])), ANALYSES[name](survey)
    assert both["source"].unique().tolist() == ["people", "simulated: rule-based"]
    parts = both[both["source"] == "people"].reset_index(drop=True)
    pd.testing.assert_frame_equal(parts, alone)


@pytest.mark.parametrize("name", ANALYSES)
def test_the_order_of_rows_and_the_names_of_respondents_change_nothing(name, survey):
    names = dict(zip(survey["respondent"].unique(), np.random.default_rng(1).permutation(30), strict=True))
    renamed = survey.assign(respondent=survey["respondent"].map(names).map("Q{}".format))
    first, other = ANALYSES[name](survey), ANALYSES[name](renamed.sample(frac=1, random_state=2))
    keys = [c for c in ("item", "group", "a", "b", "term", "answer") if c in other]
    if keys:
        first, other = (t.sort_values(keys).reset_index(drop=True) for t in (first, other))
    pd.testing.assert_frame_equal(first, other, rtol=1e-4)


# ---- oracles


def test_means_and_shares_are_those_of_everyone_and_of_each_group(survey):
    survey.loc[survey["respondent"] == "P01", "answer"] = np.nan
    table = answers.means(survey)
    assert table["group"].tolist() == ["all", *"ABC"] * 2
    given_b = survey[(survey["item"] == "trust") & (survey["group"] == "B")]["answer"].dropna()
    low, high = stats.t.interval(0.95, len(given_b) - 1, given_b.mean(), stats.sem(given_b))
    row = table.set_index(["item", "group"]).loc[("trust", "B")]
    assert row[["n", "missing", "mean", "low", "high"]].tolist() == pytest.approx([9, 1, given_b.mean(), low, high])
    shares = answers.distribution(survey, scale=Scale(0, 7)).set_index(["item", "group"]).loc["trust", "B"]
    assert shares["answer"].tolist() == list(range(8)) and set(shares["n"]) == {9}
    assert shares["count"].tolist() == [(given_b == answer).sum() for answer in range(8)]
    assert shares["share"].tolist() == pytest.approx((shares["count"] / 9).tolist())


@settings(deadline=None, max_examples=40)
@given(SAMPLE, SAMPLE, SAMPLE)
def test_property_rank_tests_are_scipys(a, b, c):
    data = tidy({"A": a, "B": b, "C": c})
    over, pair = answers.kruskal_wallis(data).iloc[0], answers.mann_whitney(data).iloc[0]
    if len({*a, *b, *c}) == 1:
        assert np.isnan(over["p"]) and "all answers are the same" in over["note"]
    else:
        h, p = stats.kruskal(a, b, c)
        epsilon = h / (len(a) + len(b) + len(c) - 1)
        assert over[["h", "df", "p", "epsilon_squared"]].tolist() == pytest.approx([h, 2, p, epsilon])
    if len({*a, *b}) == 1:
        assert np.isnan(pair["p"]) and "all answers are the same" in pair["note"]
    else:
        u, p = stats.mannwhitneyu(a, b, method="asymptotic")
        assert pair[["u", "p", "rank_biserial"]].tolist() == pytest.approx([u, p, cliffs_delta(a, b)])


def test_all_tests_of_a_table_are_one_family_and_those_that_do_not_exist_no_members(survey):
    flat = tidy({"A": [3, 3], "B": [3, 3], "C": [3]}, "flat")
    blank = tidy({"A": [3, 2], "B": [np.nan] * 2, "C": [np.nan]}, "blank")
    for test, size in ((answers.kruskal_wallis, 2), (answers.mann_whitney, 6)):
        table = test(pd.concat([survey, flat, blank]))
        assert set(table["correction"]) == {f"Holm over {size} tests"}
        assert table["p_holm"].min() == pytest.approx(size * table["p"].min())
        notes = table[table["p_holm"].isna()].set_index("item")["note"]
        assert set(notes["flat"].tolist() if len(notes) > 2 else [notes["flat"]]) == {
            "no test: all answers are the same"
        }
        assert "no test: fewer than two groups answered" in set(table.loc[table["item"] == "blank", "note"])


def test_the_family_of_both_tests_is_all_items_of_a_source():
    # The commonest design, two groups and four items: the second smallest p, 0.0851, counts three times (issue 20).
    samples = {
        "first": {"A": [1, 1, 2, 2, 1, 2, 3, 1], "B": [3, 4, 4, 5, 3, 4, 5, 4]},
        "second": {"A": [1, 1, 2, 2, 2, 2, 3, 3, 4], "B": [1, 1, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5]},
        "third": {"A": [1, 2, 3, 4], "B": [2, 2, 3, 4]},
        "fourth": {"A": [3, 3, 4, 2], "B": [3, 4, 3, 2]},
    }
    data = pd.concat([tidy(groups, item) for item, groups in samples.items()])
    pairs, over = answers.mann_whitney(data).set_index("item"), answers.kruskal_wallis(data).set_index("item")
    assert pairs.loc["second", ["p", "p_holm"]].round(4).tolist() == [0.0851, 0.2553]
    assert over["p_holm"]["second"] == pytest.approx(3 * over["p"]["second"])
    assert set(pairs["correction"]) == set(over["correction"]) == {"Holm over 4 tests"}


def test_choices_have_wilson_s_interval_and_statements_are_tested_on_each_source():
    from support.analysis.claims import NO, YES, check_claims

    rows = [(f"P{i}", "options_wanted_3", 3.0 if i < 18 else 2.0, "three" if i < 18 else "two") for i in range(20)]
    data = pd.DataFrame(rows, columns=["respondent", "item", "answer", "text"]).assign(source="people", group="A")
    row = answers.choices(data, ["options_wanted_3"]).set_index("choice").loc["three"]
    z, p, n = stats.norm.ppf(0.975), 0.9, 20
    middle, reach = p + z**2 / (2 * n), z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    expected = [(middle - reach) / (1 + z**2 / n), (middle + reach) / (1 + z**2 / n)]
    assert row[["low", "high"]].tolist() == pytest.approx(expected) and row["n"] == 20
    also = data.assign(item="options_wanted_5")
    asked = [data.assign(item=i, answer=a, text=t) for i, a, t in (("experience", 4, "6 to 9 years"),
             ("meetings_per_day", 3.0, "3 to 5"))]  # fmt: skip
    ours = answers.results(pd.concat([data, also, *asked]), tidy({"A": [4, 5, 4], "B": [4, 4, 5]}, "confidence"))
    said = pd.DataFrame([{"table": "text 7.3", "statement": "K = 3 preferred for n = 3 and n = 5", "note": ""}])
    assert check_claims(ours, said, answers.SURVEY)["people"].tolist() == [YES]
    turned = ours.assign(value=100 - ours["value"])
    assert check_claims(turned, said, answers.SURVEY)["people"].tolist() == [NO]


def drawn(size=600):
    """Answers of the proportional-odds model: B 1.2 above A, C 0.8 below."""
    rng, group = np.random.default_rng(1), np.array(["A", "B", "C"] * (size // 3))
    latent = 1.2 * (group == "B") - 0.8 * (group == "C") + rng.logistic(size=size)
    told = {"respondent": range(size), "group": group, "item": "i", "answer": np.digitize(latent, [-2, -1, 0, 1]) + 1}
    return pd.DataFrame(told).assign(source="people")


def test_ordinal_regression_finds_what_was_planted():
    table = answers.ordinal_regression(drawn(), "i")
    assert table["term"].tolist() == ["group B (vs A)", "group C (vs A)"]
    assert (abs(table["log_odds"] - [1.2, -0.8]) < 2.5 * table["se"]).all()


def test_with_two_answers_it_is_the_odds_ratio_of_the_fourfold_table():
    row = answers.ordinal_regression(tidy({"A": [1] * 12 + [2] * 8, "B": [1] * 5 + [2] * 15}), "i").iloc[0]
    se = sqrt(1 / 12 + 1 / 8 + 1 / 5 + 1 / 15)
    assert row[["odds_ratio", "se"]].tolist() == pytest.approx([15 * 12 / (5 * 8), se], rel=1e-3)
    assert row[["low", "high"]].tolist() == pytest.approx([exp(log(4.5) + s * 1.96 * se) for s in (-1, 1)], rel=5e-3)


@pytest.mark.parametrize(
    ("samples", "note"),
    [
        ({"A": [3, 3, 3], "B": [3, 3, 3]}, "all answers are in one category"),
        ({"A": [1, 2, 1, 2], "B": [4, 5, 4, 5]}, "separation by group B"),
        ({"A": [1, 2, 3, 4], "B": [4, 4, 5, 5]}, "separation by group B"),
        ({"A": [1, 2, 3, 4, 3], "B": [3, 4, 5, 5, 5]}, ""),
    ],
)
def test_where_there_is_no_estimate_the_note_says_why(samples, note):
    table = answers.ordinal_regression(tidy(samples), "i")
    assert table["note"].str.contains(note).all() and table[["odds_ratio", "p"]].isna().all(axis=None) == bool(note)


@settings(deadline=None)
@given(st.tuples(st.integers(2, 12), st.integers(2, 6)).flatmap(lambda s: arrays(int, s, elements=st.integers(1, 5))))
def test_property_alpha_is_that_of_the_analysis_of_variance(values):
    assume(values.sum(axis=1).var() > 0)
    (n, k), grand = values.shape, values.mean()
    between = k * ((values.mean(axis=1) - grand) ** 2).sum() / (n - 1)  # Hoyt 1941
    rest = ((values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + grand) ** 2).sum() / (n - 1) / (k - 1)
    wide = pd.DataFrame(values).assign(respondent=range(n), group="A", source="people")
    row = answers.cronbach_alpha(
        wide.melt(["respondent", "group", "source"], var_name="item", value_name="answer"), range(k)
    ).iloc[0]
    bounds = [1 - rest / between * stats.f.isf(tail, n - 1, (n - 1) * (k - 1)) for tail in (0.025, 0.975)]
    assert row[["alpha", "low", "high"]].tolist() == pytest.approx([1 - rest / between, *bounds])


def test_alpha_leaves_out_who_left_a_blank_and_is_none_where_all_sums_are_equal(survey):
    blank = survey.assign(answer=survey["answer"].where(survey["respondent"] != "P00"))
    row = answers.cronbach_alpha(blank, ["trust", "reasons"]).iloc[0]
    assert (row["respondents"], row["left_out"], row["items"]) == (29, 1, 2)
    same = survey.assign(answer=np.where(survey["item"] == "trust", 2, 4))
    assert answers.cronbach_alpha(same, ["trust", "reasons"])["alpha"].isna().all()


# ---- free text


def test_texts_about_the_same_thing_share_a_theme_each_with_its_own_words():
    frame = written([*TRUST, *TIME, "", "  ", None, "?!"])
    found = answers.themes(frame, Words(), 2)
    assert set(found[found["theme"] == 1]["text"]) == set(TIME) and set(found[found["theme"] == 2]["text"]) == set(
        TRUST
    )
    assert found["size"].tolist() == [4] * 4 + [3] * 3 and set(found["left_out"]) == {4}
    assert dict(zip(found["respondent"], found["text"], strict=True)) == dict(
        frame.iloc[:7][["respondent", "text"]].values
    )
    for _, part in found.groupby("theme"):
        assert part["rank"].tolist() == list(range(1, len(part) + 1)) and part["closeness"].is_monotonic_decreasing
    pd.testing.assert_frame_equal(found, answers.themes(frame[::-1], Words(), 2))


@pytest.mark.parametrize(
    ("texts", "k", "sizes"),
    [
        (["time one"], 3, [1]),
        (["time"] * 6, 3, [6]),
        ([*TIME, *TRUST, "cost", "cost it"], 3, [4, 3, 2]),
        (["时间", "время", "42"], 1, [3]),
    ],
)
def test_few_and_equal_texts_in_any_script_are_grouped(texts, k, sizes):
    found = answers.themes(written(texts), Words(), k)
    assert found[found["rank"] == 1]["size"].tolist() == sizes and len(found) == len(texts)


def test_items_and_sources_have_their_own_themes():
    both = pd.concat([written(TIME), written(TIME, source="simulated: tiny"), written(TRUST, item="other")])
    found = answers.themes(both, Words(), k=1)
    assert found.groupby(["source", "item"])["size"].first().tolist() == [4, 3, 4]


# ---- the next survey


def test_mann_whitney_errs_at_its_level_and_sees_what_noether_says():
    rng, flat = np.random.default_rng(2), [0.1, 0.2, 0.4, 0.2, 0.1]
    assert answers.power_mann_whitney(flat, flat, 30, 30, rng, 4000) == pytest.approx(0.05, abs=0.015)
    assert answers.power_mann_whitney([0, 1], [0, 1], 5, 5, rng, 20) == 0  # all say the same
    fine = np.full(200, 1 / 200)  # hardly any ties: where the formula holds
    shifted = np.r_[np.zeros(60), np.full(140, 1 / 140)]
    n = answers.sample_size_noether(answers.superiority(shifted, fine))
    assert answers.power_mann_whitney(shifted, fine, n, n, rng, 1500) == pytest.approx(0.8, abs=0.06)


@given(SHARES, SHARES)
def test_property_superiority_of_the_two_sides_adds_up_to_one(a, b):
    assert answers.superiority(a, b) + answers.superiority(b, a) == pytest.approx(1)


# ---- what users get wrong

SAMPLES = enumerate_samples("4.09", "0.79", 11, divisor="n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": 6}, r"answer 6 of respondent 'P00' to item 'reasons': expected a whole number from 1 to 5"),
        ({"answer": 2.5}, "expected a whole number"),
        ({"answer": "good"}, "must hold numbers"),
        ({"source": "human"}, "source is 'human'; expected 'people'"),
        ({"source": "simulated: "}, "source is 'simulated: '"),
        ({"source": "reconstructed"}, r"nobody gave them. Use support.analysis.printed.conclusions"),
        ({"respondent": None}, "'respondent' of the answers is empty"),
        ({"item": "reasons"}, "answers item 'reasons' twice"),
        ({"group": "all"}, "give that group another name"),
    ],
)
def test_bad_answers_are_refused_and_named(survey, change, message):
    with pytest.raises(InvalidInput, match=message):
        answers.means(survey.assign(**change))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: answers.means(SAMPLES), "nobody gave them"),
        (lambda s: answers.means(s.drop(columns="source")), "no column 'source'"),
        (lambda s: answers.kruskal_wallis(s[s["group"] == "A"]), "has one group, 'A'"),
        (
            lambda s: answers.ordinal_regression(s, "speed"),
            "'speed' is none of the survey's, which are: reasons, trust",
        ),
        (lambda s: answers.ordinal_regression(s[s["group"] == "A"], "trust"), "nothing to regress on"),
        (lambda s: answers.cronbach_alpha(s, ["speed"]), "'speed' is none of the survey's, which are: reasons, trust"),
        (lambda s: answers.cronbach_alpha(s, ["trust"]), "two or more of each"),
        (lambda s: answers.themes(written(["", " "]), Words(), 2), "0 of 2 texts"),
        (lambda s: answers.themes(written(TIME), Words(), k=0), "k is 0"),
        (lambda s: answers.superiority([0.5, 0.6], [0.5, 0.5]), "add up to 1"),
        (lambda s: answers.superiority([0.5, 0.5], [1.0]), "expected one scale"),
        (lambda s: answers.sample_size_noether(1.2), "superior is 1.2"),
    ],
)
def test_what_cannot_be_analysed_is_refused_with_the_way_out(survey, call, message):
    with pytest.raises(InvalidInput, match=message):
        call(survey)
