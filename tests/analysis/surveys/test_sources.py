"""People, simulated respondents and reconstructions stay apart."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.surveys import free_text, likert, ordinal, rank_tests, reliability, summary_tests
from support.analysis.surveys.sources import Answers, Reconstructed, by_source, one_source, people_only
from support.errors import InvalidInput

SAMPLES = Reconstructed(np.array([[0, 1, 2, 3, 4]]), label="confidence, A")
ANALYSES = {
    "means": likert.means,
    "distribution": likert.distribution,
    "alpha_table": reliability.alpha_table,
    "cronbach_alpha": reliability.cronbach_alpha,
    "kruskal_wallis": rank_tests.kruskal_wallis,
    "mann_whitney": rank_tests.mann_whitney,
    "ordinal_regression": lambda data: ordinal.ordinal_regression(data, "reasons"),
    "themes": lambda data: free_text.themes(data, None),
    "people_only": people_only,
    "one_source": one_source,
    "welch": summary_tests.welch,
}
TABLES = ["means", "distribution", "alpha_table", "kruskal_wallis", "mann_whitney", "ordinal_regression"]


@pytest.mark.parametrize("name", ANALYSES)
@pytest.mark.parametrize("data", [SAMPLES, SAMPLES.frame()], ids=["type", "frame"])
def test_reconstructions_are_refused_where_answers_are_expected(name, data):
    with pytest.raises(InvalidInput, match=r"nobody gave them. Use surveys.conclusions.conclusions"):
        ANALYSES[name](data)


@pytest.mark.parametrize("name", TABLES)
def test_every_table_names_its_source_and_pools_nothing(name, survey):
    machine = survey.assign(source="simulated: rule-based", answer=6 - survey["answer"])
    both = ANALYSES[name](pd.concat([survey, machine]))
    assert both["source"].unique().tolist() == ["people", "simulated: rule-based"]
    alone = ANALYSES[name](survey)
    pd.testing.assert_frame_equal(both[both["source"] == "people"].reset_index(drop=True), alone)


@pytest.mark.parametrize("name", TABLES)
def test_the_order_of_rows_and_the_names_of_respondents_change_nothing(name, survey):
    names = dict(zip(survey["respondent"].unique(), np.random.default_rng(1).permutation(30), strict=True))
    renamed = survey.assign(respondent=survey["respondent"].map(names).map("Q{}".format))
    other = ANALYSES[name](renamed.sample(frac=1, random_state=2))
    keys = [c for c in ("item", "group", "a", "b", "term", "answer") if c in other]
    first = ANALYSES[name](survey)
    if keys:
        first, other = (t.sort_values(keys).reset_index(drop=True) for t in (first, other))
    pd.testing.assert_frame_equal(first, other, check_exact=False, rtol=1e-4)


def test_several_sources_are_refused_where_there_is_room_for_one(survey):
    both = pd.concat([survey, survey.assign(source="simulated: tiny")])
    with pytest.raises(InvalidInput, match=r"people, simulated: tiny.*never pooled"):
        one_source(both)
    with pytest.raises(InvalidInput, match=r"never pooled: use by_source"):
        Answers(both)
    assert list(by_source(both)) == ["people", "simulated: tiny"]


def test_a_statement_about_people_refuses_simulated_answers(survey):
    assert people_only(survey).source == "people"
    with pytest.raises(InvalidInput, match="a statement about people"):
        people_only(survey.assign(source="simulated: rule-based"))


def test_answers_are_copied_so_that_later_changes_do_not_reach_them(survey):
    answers = Answers(survey)
    survey.loc[0, "answer"] = 99
    copy = answers.frame
    copy.loc[0, "answer"] = 99
    assert answers.frame["answer"].max() <= 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": 6}, r"answer 6 of respondent 'P00' to item 'reasons': expected a whole number from 1 to 5"),
        ({"answer": 2.5}, "expected a whole number"),
        ({"answer": "good"}, "must hold numbers"),
        ({"source": "human"}, "source is 'human'; expected 'people'"),
        ({"source": "simulated: "}, "source is 'simulated: '"),
        ({"respondent": None}, "'respondent' of the answers is empty"),
        ({"item": "reasons"}, "answers item 'reasons' twice"),
    ],
)
def test_bad_answers_are_refused_and_named(survey, change, message):
    with pytest.raises(InvalidInput, match=message):
        Answers(survey.assign(**change))


def test_a_missing_column_is_named(survey):
    with pytest.raises(InvalidInput, match="no column 'source'"):
        likert.means(survey.drop(columns="source"))
    with pytest.raises(InvalidInput, match="are a list; expected Answers or a DataFrame"):
        likert.means([1, 2, 3])


def test_a_blank_answer_is_no_error(survey):
    blank = survey.assign(answer=survey["answer"].where(survey["respondent"] != "P00"))
    assert likert.means(blank).set_index(["item", "group"]).loc[("trust", "all"), "missing"] == 1


@pytest.mark.parametrize(
    "counts", [np.zeros((0, 5)), np.array([1, 2]), np.array([[1, 2], [2, 2]]), np.array([[-1, 2]])]
)
def test_counts_that_are_no_samples_are_refused(counts):
    with pytest.raises(InvalidInput, match="counts has the shape"):
        Reconstructed(counts)


def test_reconstructions_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        SAMPLES.counts[0, 0] = 5
