"""Answers on a scale: their means, and bad ones are refused by name."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support.analysis import answers
from support.errors import InvalidInput


def survey(**given):
    rows = []
    for group, sample in given.items():
        for answer in sample:
            rows.append((f"P{len(rows)}", group, "reasons", answer, "people"))
    names = ["respondent", "group", "item", "answer", "source"]
    return pd.DataFrame(rows, columns=names)


def test_means_are_of_all_first_then_of_each_group_and_sources_are_never_pooled():
    people = survey(B=[1, 2, 3], A=[5])
    rules = people.assign(source="simulated: rule-based", answer=5)
    found = answers.means(pd.concat([people, rules]))
    rows = found[found["source"] == "people"].set_index("group")
    assert rows["mean"].to_dict() == {"all": 2.75, "A": 5, "B": 2}
    assert list(rows["n"]) == [4, 1, 3]
    half = stats.t.ppf(0.975, 2) * 1 / np.sqrt(3)
    assert rows.loc["B", "high"] == pytest.approx(2 + half)
    assert (found[found["source"] != "people"]["mean"] == 5).all()


BAD = [
    ({"answer": 6}, "'answer': 6.* a whole number from 1 to 5"),
    ({"answer": "good"}, "must hold numbers"),
    ({"source": "human"}, "'source': 'human'.* expected source: 'people'"),
    ({"respondent": "P0"}, "one answer of each respondent"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_answers_are_refused_and_named(change, message):
    with pytest.raises(InvalidInput, match=message):
        answers.means(survey(A=[1, 2]).assign(**change))
