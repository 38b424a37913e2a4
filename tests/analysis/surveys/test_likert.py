"""Means with intervals, and distributions."""

import numpy as np
import pytest
from scipy import stats

from support.analysis.surveys.likert import distribution, means
from support.errors import InvalidInput


def test_means_are_those_of_everyone_and_of_each_group_with_t_intervals(survey):
    table = means(survey)
    assert table[["item", "group"]].to_numpy().tolist() == [
        [i, g] for i in ("reasons", "trust") for g in ["all", *"ABC"]
    ]
    values = survey[(survey["item"] == "trust") & (survey["group"] == "B")]["answer"]
    low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    row = table.set_index(["item", "group"]).loc[("trust", "B")]
    assert [row["n"], row["mean"], row["low"], row["high"]] == pytest.approx([10, values.mean(), low, high])
    assert table.columns[0] == "source"


def test_a_group_called_all_is_refused(survey):
    with pytest.raises(InvalidInput, match="give that group another name"):
        means(survey.assign(group="all"))


def test_a_distribution_has_every_answer_of_the_scale_and_counts_the_blanks(survey):
    blank = survey.assign(answer=survey["answer"].astype(float).where(survey["answer"] != 1))
    table = distribution(blank)
    assert table.groupby("item")["answer"].apply(list).map(lambda a: a == [1, 2, 3, 4, 5]).all()
    assert (table.groupby("item")["count"].sum() == table.groupby("item")["n"].first()).all()
    assert table.groupby("item")["share"].sum().tolist() == pytest.approx([1, 1])
    assert (table["n"] + table["missing"] == 30).all() and table["missing"].max() > 0


def test_groups_add_up_to_everyone(survey):
    whole, parts = distribution(survey), distribution(survey, groups=True)
    added = parts.groupby(["item", "answer"])["count"].sum()
    assert added.tolist() == whole.sort_values(["item", "answer"])["count"].tolist()


def test_an_item_that_nobody_answered_has_no_shares(survey):
    table = distribution(survey.assign(answer=np.nan))
    assert table["share"].isna().all() and (table["n"] == 0).all()
