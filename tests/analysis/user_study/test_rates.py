"""Error rates are those of the tests one by one."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support.analysis.user_study.paired import paired_tests
from support.analysis.user_study.points import POINTS
from support.analysis.user_study.rates import error_rates
from support.errors import InvalidInput

BEFORE, AFTER = POINTS[0], POINTS[2]


def test_one_study_is_counted_as_its_paired_tests_say(rising):
    frame = rising(12)
    p = paired_tests(frame, BEFORE, AFTER).set_index("item")["p"]
    row = error_rates(frame, BEFORE, AFTER, 12, ["up"]).set_index("correction").loc["none"]
    assert (row["found"], row["false"], row["any_false"]) == (p["up"] < 0.05, p["flat"] < 0.05, p["flat"] < 0.05)
    assert row["studies"] == 1


def test_what_does_not_change_is_found_about_as_often_as_alpha_says(rising):
    table = error_rates(rising(4000), BEFORE, AFTER, 10, ["up"]).set_index("correction")
    assert table.loc["none", "studies"] == 400
    assert table.loc["none", "false"] == pytest.approx(0.05, abs=0.025)
    assert table.loc["Holm", "any_false"] <= table.loc["Benjamini-Hochberg", "any_false"]
    assert table.loc["none", "found"] > 0.95


def test_where_nothing_changes_nothing_can_be_found(rising):
    assert error_rates(rising(20), BEFORE, AFTER, 10, []).set_index("correction")["found"].isna().all()


def test_a_study_larger_than_the_people_or_an_unknown_item_is_refused(rising):
    with pytest.raises(InvalidInput, match="expected 2 to 6"):
        error_rates(rising(6), BEFORE, AFTER, 7, [])
    with pytest.raises(InvalidInput, match="expected 2 to 6"):
        error_rates(rising(6), BEFORE, AFTER, 1, [])
    with pytest.raises(InvalidInput, match="sideways"):
        error_rates(rising(6), BEFORE, AFTER, 3, ["sideways"])


def test_every_study_is_tested_as_scipy_does_it(rising):
    frame = rising(60, seed=4)
    more = [frame.assign(item=frame["item"] + mark, answer=frame["answer"].sample(frac=1, random_state=k).to_numpy())
            for k, mark in enumerate("ab")]  # fmt: skip
    frame = pd.concat([frame, *more], ignore_index=True)
    row = error_rates(frame, BEFORE, AFTER, 5, ["up"], alpha=0.3).set_index("correction").loc["none"]
    wide = frame.pivot(index="respondent", columns=["point", "item"], values="answer")
    moved = (wide[AFTER] - wide[BEFORE]).drop(columns="up").to_numpy().reshape(12, 5, -1)
    varied = np.ptp(moved, axis=1) > 0  # where all changes are equal there is no test
    found = varied & (stats.ttest_1samp(moved, 0, axis=1).pvalue < 0.3)
    assert row["false"] == pytest.approx(found.mean()) and row["any_false"] == pytest.approx(found.any(axis=1).mean())
    assert row["any_false"] > row["false"]
