"""The mixed model is the repeated-measures ANOVA where nothing is missing, and goes on where something is."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support.analysis.user_study.mixed import _said, mixed_model
from support.analysis.user_study.points import POINTS
from support.errors import InvalidInput


def test_with_all_answers_the_joint_test_is_the_repeated_measures_anova(rising):
    from statsmodels.stats.anova import AnovaRM

    frame = rising(12, seed=5)
    table = mixed_model(frame, ("up",)).set_index("term")
    anova = AnovaRM(frame[frame["item"] == "up"], "answer", "respondent", ["point"]).fit().anova_table
    assert table["sd_respondents"].iloc[0] > 0
    assert table.loc["all points", "t"] == pytest.approx(anova["F Value"].iloc[0], rel=1e-3)
    assert table.loc["all points", "p"] == pytest.approx(anova["Pr > F"].iloc[0], rel=1e-2)
    assert table.loc["all points", "df"] == anova["Den DF"].iloc[0]


def test_estimates_are_the_differences_of_the_means_where_nothing_is_missing(rising):
    frame = rising()
    table = mixed_model(frame, ("up",)).set_index("term")
    means = frame[frame["item"] == "up"].groupby("point")["answer"].mean()
    for later in POINTS[1:]:
        row = table.loc[f"{later} - {POINTS[0]}"]
        assert row["estimate"] == pytest.approx(means[later] - means[POINTS[0]])
        assert row["low"] < row["estimate"] < row["high"]


def test_what_rises_is_found_and_what_does_not_is_not(rising):
    table = mixed_model(rising(30)).set_index(["item", "term"])
    assert table.loc[("up", "all points"), "p_holm"] < 0.001 < 0.05 < table.loc[("flat", "all points"), "p"]


def test_who_missed_a_point_stays_in(rising):
    frame = rising(10)
    gone = frame["respondent"].isin(["P0", "P1"]) & (frame["point"] == POINTS[2])
    row = mixed_model(frame[~gone], ("up",)).iloc[0]
    assert (row["n"], row["respondents"], row["df"]) == (28, 10, 16)


def test_people_who_do_not_differ_are_named_in_the_note():
    rng = np.random.default_rng(0)
    rows = [(f"P{i}", p, "noise", float(rng.integers(1, 8)), "people") for i in range(10) for p in POINTS]
    frame = pd.DataFrame(rows, columns=["respondent", "point", "item", "answer", "source"])
    frame["answer"] = [v if i % 3 else 8 - v for i, v in enumerate(frame["answer"])]
    table = mixed_model(frame)
    assert table["p"].between(0, 1).all()
    assert ((table["sd_respondents"] < 0.05) == table["note"].str.contains("do not differ")).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.assign(answer=4.0), "same"),
        (lambda f: f[f["respondent"] == "P0"], "too few"),
        (lambda f: f.assign(answer=f["point"].map({p: i + 2.0 for i, p in enumerate(POINTS)})), "alike"),
    ],
)
def test_where_there_is_no_fit_the_note_says_why(rising, change, said):
    table = mixed_model(change(rising(6)))
    assert table["p"].isna().all() and table["note"].str.contains(said).all()


def test_an_item_of_one_point_has_no_fit_and_one_point_in_all_is_refused(rising):
    frame = rising(6)
    some = frame[(frame["item"] == "up") | (frame["point"] == POINTS[0])]
    table = mixed_model(some)
    assert table.loc[table["item"] == "flat", "note"].tolist() in ([], ["no fit: one point only"])
    with pytest.raises(InvalidInput, match="one point"):
        mixed_model(frame[frame["point"] == POINTS[0]])


def test_a_variance_of_zero_hides_no_other_complaint():
    boundary, hessian = "The MLE may be on the boundary of the parameter space.", "The Hessian matrix is not positive"
    assert _said([boundary, hessian], True) == "respondents do not differ beyond the rest (variance 0)"
    assert _said([boundary, "overflow in exp"], False).split("; ") == [
        "the fit did not converge",
        "respondents do not differ beyond the rest (variance 0)",
        "overflow in exp",
    ]


def test_a_level_off_its_range_is_refused(rising):
    with pytest.raises(InvalidInput, match="level is 95"):
        mixed_model(rising(6), level=95)


def test_an_interval_has_the_level_that_was_asked_for(rising):
    wide, narrow = (mixed_model(rising(), ("up",), level=level).iloc[0] for level in (0.95, 0.5))
    for row, level in ((wide, 0.95), (narrow, 0.5)):
        assert row["high"] - row["low"] == pytest.approx(2 * stats.t.ppf((1 + level) / 2, row["df"]) * row["se"])
