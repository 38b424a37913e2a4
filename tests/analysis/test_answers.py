"""Answers on a scale: their means are scipy's, and bad ones are refused by name."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from support.analysis import answers
from support.errors import InvalidInput

SAMPLE = st.lists(st.integers(1, 5), min_size=2, max_size=30)


def survey(**given):
    rows = [
        (f"P{i}", group, "reasons", answer)
        for i, (group, answer) in enumerate(
            (g, a) for g, sample in given.items() for a in sample
        )
    ]
    names = ["respondent", "group", "item", "answer"]
    return pd.DataFrame(rows, columns=names).assign(source="people")


@given(SAMPLE, SAMPLE)
def test_property_means_and_intervals_are_scipys_over_all_first(a, b):
    table = answers.means(survey(A=a, B=b)).set_index("group")
    assert table.index.tolist() == ["all", "A", "B"]
    for group, sample in {"all": a + b, "A": a, "B": b}.items():
        row = table.loc[group]
        assert (row["n"], row["mean"]) == (len(sample), pytest.approx(np.mean(sample)))
        if len({*sample}) > 1:
            se = stats.sem(sample)
            ends = stats.t.interval(0.95, len(sample) - 1, np.mean(sample), se)
            assert (row["low"], row["high"]) == pytest.approx(ends)


def test_sources_are_never_pooled():
    people = survey(A=[1, 2])
    both = pd.concat([people, people.assign(source="simulated: rule-based", answer=5)])
    found = answers.means(both).query("group == 'all'").set_index("source")["mean"]
    assert found.to_dict() == {"people": 1.5, "simulated: rule-based": 5.0}


BAD = [
    ({"answer": 6}, "'answer': 6.* a whole number from 1 to 5"),
    ({"answer": 2.5}, "'answer': 2.5"),
    ({"answer": "good"}, "must hold numbers"),
    ({"source": "human"}, "'source': 'human'.* expected source: 'people'"),
    ({"respondent": "P0"}, "one answer of each respondent"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_answers_are_refused_and_named(change, message):
    with pytest.raises(InvalidInput, match=message):
        answers.means(survey(A=[1, 2]).assign(**change))
