"""The engine of claims: each sign by hand, intervals by oracle, papers by themselves."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import sem, ttest_ind
from statsmodels.stats.proportion import proportion_confint

from support import published
from support.analysis import claims
from support.analysis.claims import CLOSE, NO, UNTESTED, YES
from support.analysis.stats import number

VALUES = {
    "a | u@1": 10,
    "a | u@2": 20,
    "b | u@1": 0,
    "b | u@2": 11,
    "c | u@1": 1,
    "d | u@2 - e | u@2": 9,
    "e | u@1 - u@2": -9,
    "model:x-70b | u@1": 9,
    "model:x-8b | u@1": 1,
    "model:y | u@1": 5,
    "model:y-mini | u@1": 0,
}
CELLS = {key: (value, 1.0, 30) for key, value in VALUES.items()} | {
    "d | u@2 - u@1": (0.5, 0.1, 30),
    "wide | v": (0, 2.0, 50),
    "narrow | v": (0, 1.0, 50),
    "few | v": (0, 2.0, 4),
    "exact | rare": (0, 0.0, np.nan),
    "10 | rare": (0, 0.0, 10),
    "100 | rare": (0, 0.0, 100),
}


@pytest.mark.parametrize(
    ("claim", "need", "verdict"),
    [
        ("[a | u@1] > [b | u@1]", "", YES),
        ("[a | u@1] > 2 [b | u@2]", "", NO),
        ("[a | u@1] > [b | u@1] + 15", "", NO),
        ("[a | u@1] = [b | u@2] ± 5", "", YES),
        ("[a | u@1] = [b | u@1] ± 2", "", NO),
        ("[a | u@2] > [a | u@1] > [b | u@2]", "", CLOSE),
        ("[a | u@1] > 5 and [b | u@1] > 5", "", NO),
        ("[a | u@{1 / 2}] > 15", "", NO),
        ("[{a / z} | u@1] > 5", "", UNTESTED),
        ("[{a / z} | u@1] > 5", "run", YES),
        ("[{a / b} | u@1] > 5", "most", NO),
        ("[{a / b / c} | u@1] < 5", "most", YES),
        ("[{a / b / c} | u@1] < 5", "most 0.75", NO),
        ("[{a / b / c / z} | u@1] > 5", "some", YES),
        ("[{a / b / c / z} | u@1] > 5", "some 2", NO),
        ("[a | u@1] > 5; [b | u@1] < 5", "most", YES),
        ("[b | u@#] > [c | u@#]", "", CLOSE),
        ("[z | u@#] > 0", "", UNTESTED),
        ("[model:* | u@1] > -5", "", YES),
        ("[a | u@last] > [a | u@first]", "", YES),
        ("[a | u@first] > [a | u@least]", "", UNTESTED),
        ("[larger model | u@1] > [smaller model | u@1]", "", YES),
        ("only people can say", "", UNTESTED),
        # pairs where they are known, whichever way round; two rows of a column, too
        ("[{d / e} | u@2] > [{d / e} | u@1] and [d | u@2] > [e | u@2]", "", YES),
        # 7.07 (5 - 2.5) / sqrt(2 * 49) is the error of the wider one alone
        ("[wide | spread of v] > [narrow | spread of v]", "", YES),
        ("[few | spread of v] > 2", "", CLOSE),
        # without a spread only what is exact or a share decides
        ("[exact | rare] < 0.2", "", YES),
        ("[100 | rare] < 0.2", "", CLOSE),
        ("[100 | rare] < 0.2", "share", YES),
        ("[10 | rare] < 0.2", "share", CLOSE),
    ],
)
def test_each_sign_by_hand(claim, need, verdict):
    assert claims.answer(claim, need, "", CELLS)[0] == verdict


def test_intervals_are_welch_s_and_wilson_s():
    rng = np.random.default_rng(4)
    x, y = rng.normal(1, 1, 4), rng.normal(0, 3, 7)
    figures = {
        "a | u": (x.mean(), sem(x), 4),
        "b | u": (y.mean(), sem(y), 7),
        "s | u": (0.9, 0.0, 40),
    }
    welch = ttest_ind(x, y, equal_var=False).confidence_interval()
    wilson = proportion_confint(36, 40, method="wilson")
    cases = ("[a | u] > [b | u]", "", welch), ("[s | u] > 0.5", "share", wilson)
    for claim, need, (low, high) in cases:
        _, evidence = claims.answer(claim, need, "", figures)
        assert f"({number(low)} to {number(high)})" in evidence


# ---- tables


def frame(figures, participant="mixed"):
    """Results of "row | column": value, over a hundred cases."""
    rows = [(*key.split(" | "), value) for key, value in figures.items()]
    results = pd.DataFrame(rows, columns=["row", "column", "value"])
    return results.assign(participant=participant, se=1.0, n=100)


def verdicts(notebook, results):
    return claims.check("001", notebook, results).set_index("statement")["verdict"]


def test_acts_that_labels_cannot_show_are_not_found_rare():
    rare = "both environments: compromise, defend, accept, decline rare"
    acts = "compromise", "defend", "accept", "decline", "others"
    places = "exchange_economy", "movielens"
    shares = {f"{place} | mean {act}": 0 for place in places for act in acts}
    results = frame(shares)
    assert verdicts("22", results)[rare] == YES
    results.attrs["unseen"] = {"mixed": ("defend", "accept"), "model:x": ("others",)}
    tested = claims.check("001", "22", results).set_index("statement")
    assert tested["verdict"][rare] == UNTESTED
    assert tested["evidence"][rare].endswith("cannot show: defend, accept")
    assert tested["verdict"]["both environments: others low"] == YES


def test_each_participant_is_tested_by_itself_if_a_statement_speaks_of_it():
    names = ["exact", "model:o3-mini", "model:gpt-4o (reasoning off)"]
    figures = {"complete | optimal": 1.0, "complete | beats random": 9.0}
    results = [frame(figures, name) for name in names]
    checked = claims.check("003", "30", pd.concat(results))
    table = claims.wide(checked).set_index("statement")[names]
    exact = table.loc["CPLEX: optimum in nearly every instance"]
    assert exact.tolist() == [YES, UNTESTED, UNTESTED]
    thinking = table.loc["most reasoning models < random: divergence"]
    assert thinking.tolist() == [UNTESTED, YES, UNTESTED]


@pytest.mark.parametrize("paper", published.PAPERS)
def test_every_recorded_statement_is_a_row_and_every_row_can_be_read(paper):
    stated = published.statements(published.load(paper))["statement"]
    tested = claims.statements(paper[:3])
    assert tested["statement"].tolist() == stated.tolist()
    kinds = {"", "run", "most", "most 0.75", "some", "some 2", "share"}
    assert set(tested["need"]) <= kinds
    parts = tested["claim"].str.split("; | and ", regex=True).explode()
    compared = parts[parts.str.contains("[", regex=False)]
    assert compared.str.contains(r"\] [<>=] ").all()


def of_paper(*tables):
    """Printed tables of 001, as if they were exact."""
    paper = published.load("001")
    cells = paper[paper["table"].isin(tables)]
    return cells.assign(participant="the paper", n=np.nan, se=0.0)


def test_tables_of_001_answer_as_their_notes_say():
    one = of_paper("Table 1", "Table 6")
    tested = verdicts("20", one.assign(se=one["spread"], n=100))
    assert tested["all rules: high utility@10"] == NO
    assert tested["majority > plurality: utility"] == CLOSE
    assert tested["one-vote rules > score rules: spread of early utility"] == NO
    assert set(tested.filter(regex="highest|lowest|low rat|K = 3")) == {YES}

    tested = verdicts("21", of_paper("Table 7"))
    assert tested.pop("group near the best recommender: mae@10") == UNTESTED
    assert set(tested) == {YES}
