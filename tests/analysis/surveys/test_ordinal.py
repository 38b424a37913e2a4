"""Ordinal regression, where it can be done, and why not where it cannot."""

from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest

from support.analysis.surveys.ordinal import ordinal_regression
from support.errors import InvalidInput


def tidy(samples, **more):
    rows = [(f"{g}{i}", g, "i", a, "people") for g, sample in samples.items() for i, a in enumerate(sample)]
    return pd.DataFrame(rows, columns=["respondent", "group", "item", "answer", "source"]).assign(**more)


def test_with_two_answers_it_is_the_odds_ratio_of_the_fourfold_table():
    row = ordinal_regression(tidy({"A": [1] * 12 + [2] * 8, "B": [1] * 5 + [2] * 15}), "i").iloc[0]
    se = sqrt(1 / 12 + 1 / 8 + 1 / 5 + 1 / 15)
    assert row["odds_ratio"] == pytest.approx(15 * 12 / (5 * 8), rel=1e-3)
    assert row["se"] == pytest.approx(se, rel=1e-3)
    assert [row["low"], row["high"]] == pytest.approx([exp(log(4.5) + s * 1.959964 * se) for s in (-1, 1)], rel=5e-3)
    assert row["term"] == "group B (vs A)" and row["note"] == ""


def drawn(seed, size=600):
    """Answers of the proportional-odds model: B 1.2 above A, C 0.8 below, 0.05 a year of age."""
    rng, group = np.random.default_rng(seed), np.array(["A", "B", "C"] * (size // 3))
    age = rng.normal(40, 10, size)
    latent = 1.2 * (group == "B") - 0.8 * (group == "C") + 0.05 * age + rng.logistic(size=size)
    told = {"respondent": range(size), "group": group, "item": "i", "answer": np.digitize(latent, [1, 2, 3, 4]) + 1}
    return pd.DataFrame(told).assign(age=age, source="people")


def test_known_odds_are_found_again_on_average_and_within_their_intervals():
    tables = [ordinal_regression(drawn(seed), "i", ["age"]) for seed in range(8)]
    found = np.array([t["log_odds"] for t in tables])
    assert found.mean(axis=0) == pytest.approx([1.2, -0.8, 0.05], rel=0.15)
    truth = np.exp([1.2, -0.8, 0.05])
    inside = np.mean([(t["low"] < truth) & (truth < t["high"]) for t in tables])
    assert inside > 0.85


def test_another_reference_turns_the_odds_over(survey):
    first = ordinal_regression(survey, "trust").set_index("term")
    other = ordinal_regression(survey, "trust", reference="C").set_index("term")
    assert first.loc["group C (vs A)", "odds_ratio"] == pytest.approx(
        1 / other.loc["group A (vs C)", "odds_ratio"], rel=1e-3
    )


def test_turning_the_scale_over_turns_the_odds_over(survey):
    turned = survey.assign(answer=6 - survey["answer"])
    a, b = (ordinal_regression(s, "trust")["log_odds"].to_numpy() for s in (survey, turned))
    assert a == pytest.approx(-b, rel=1e-3)


@pytest.mark.parametrize(
    ("samples", "note"),
    [
        ({"A": [3, 3, 3], "B": [3, 3, 3]}, "all answers are in one category"),
        ({"A": [1, 2, 1, 2], "B": [4, 5, 4, 5]}, "separation by group B"),
        ({"A": [1, 2, 3, 4], "B": [5, 5, 5, 5]}, "separation by group B"),
        ({"A": [1, 2, 3, 4], "B": [4, 4, 5, 5]}, "separation by group B"),
    ],
)
def test_where_there_is_no_estimate_the_note_says_why(samples, note):
    table = ordinal_regression(tidy(samples), "i")
    assert table[["odds_ratio", "low", "high", "p"]].isna().all(axis=None)
    assert table["note"].str.contains(note).all()


def test_answers_that_overlap_are_not_called_separated():
    table = ordinal_regression(tidy({"A": [1, 2, 3, 4, 3], "B": [3, 4, 5, 5, 5]}), "i")
    assert table.loc[0, "note"] == "" and table.loc[0, "odds_ratio"] > 1


def test_a_blank_covariate_is_left_out_and_counted(survey):
    size = survey["respondent"].str[1:].astype(float) % 4
    table = ordinal_regression(survey.assign(size=size.where(size != 0), team="x"), "trust", ["size"])
    assert table["left_out"].eq(8).all() and table["n"].eq(22).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"item": "speed"}, "item 'speed' is none of the survey's, which are: reasons, trust"),
        ({"covariates": ["age"]}, "no column 'age'"),
        ({"covariates": ["team"]}, "determine each other"),
        ({"covariates": ["flat"]}, "determine each other, or one does not vary"),
        ({"reference": "D"}, "reference 'D' is none of the levels of group: A, B, C"),
        ({"level": 2}, "level is 2"),
    ],
)
def test_what_cannot_be_regressed_is_refused(survey, arguments, message):
    frame = survey.assign(team=survey["group"].str.lower(), flat=1.0)
    with pytest.raises(InvalidInput, match=message):
        ordinal_regression(frame, **({"item": "trust"} | arguments))


def test_one_group_without_covariates_is_refused(survey):
    with pytest.raises(InvalidInput, match="nothing to regress on"):
        ordinal_regression(survey[survey["group"] == "A"], "trust")
