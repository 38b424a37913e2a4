"""The engine of claims: each sign by hand, intervals by oracle, papers by themselves."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import sem, ttest_1samp, ttest_ind
from statsmodels.stats.proportion import proportion_confint

from support import published
from support.analysis import claims
from support.analysis.claims import CLOSE, NO, UNTESTED, YES
from support.analysis.stats import number
from support.errors import InvalidInput

FIGURES = ["value", "se", "n"]


def cells(figures, **more):
    """Cells of "row | column": value; with a standard error of 1 over 30 cases."""
    rows = [(*key.split(" | "), value) for key, value in figures.items()]
    frame = pd.DataFrame(rows, columns=["row", "column", "value"])
    return frame.assign(**{"participant": "mixed", "se": 1.0, "n": 30} | more)


def answer(claim, frame, need="", given=""):
    keys = frame["row"] + " | " + frame["column"]
    figures = frame[FIGURES].itertuples(index=False)
    return claims.answer(claim, need, given, dict(zip(keys, figures, strict=True)))


RULES = cells(
    {
        "a | u@1": 10,
        "a | u@2": 20,
        "b | u@1": 0,
        "b | u@2": 11,
        "c | u@1": 1,
        "model:x-70b | u@1": 9,
        "model:x-8b | u@1": 1,
        "model:y | u@1": 5,
        "model:y-mini | u@1": 0,
    }
)


@pytest.mark.parametrize(
    ("claim", "need", "verdict"),
    [
        ("[a | u@1] > [b | u@1]", "", YES),
        ("[a | u@1] < [b | u@1]", "", NO),
        ("[c | u@1] > [b | u@1]", "", CLOSE),
        ("[a | u@1] > 5", "", YES),
        ("[a | u@1] > 2 [b | u@2]", "", NO),
        ("[a | u@1] > [b | u@1] + 15", "", NO),
        ("[a | u@1] = [b | u@2] ± 5", "", YES),
        ("[c | u@1] = [b | u@1] ± 2", "", CLOSE),
        ("[a | u@1] = [b | u@1] ± 2", "", NO),
        ("[a | u@1] = [b | u@1] ± 12", "", CLOSE),
        ("[a | u@2] > [a | u@1] > [b | u@1]", "", YES),
        ("[a | u@2] > [a | u@1] > [b | u@2]", "", CLOSE),
        ("[a | u@1] > 5 and [b | u@1] > 5", "", NO),
        ("[a | u@{1 / 2}] > [b | u@{1 / 2}]", "", YES),
        ("[a | u@{1 / 2}] > 15", "", NO),
        ("[{a / z} | u@1] > 5", "", UNTESTED),
        ("[{a / z} | u@1] > 5", "run", YES),
        ("[{a / b / c} | u@1] > 5", "most", NO),
        ("[{a / b} | u@1] > 5", "most", NO),
        ("[{a / b / c} | u@1] < 5", "most", YES),
        ("[{a / b / c} | u@1] < 5", "most 0.75", NO),
        ("[{a / b / c / z} | u@1] > 5", "some", YES),
        ("[{a / b / c / z} | u@1] > 5", "some 2", NO),
        ("[a | u@1] > 5; [b | u@1] < 5", "most", YES),
        ("[a | u@#] > [b | u@#]", "", YES),
        ("[b | u@#] > [c | u@#]", "", CLOSE),
        ("[z | u@#] > 0", "", UNTESTED),
        ("[model:* | u@1] > -5", "", YES),
        ("[a | u@last] > [a | u@first]", "", YES),
        ("[z | u@last] > 0", "", UNTESTED),
        ("[a | u@first] > [a | u@least]", "", UNTESTED),
        ("[larger model | u@1] > [smaller model | u@1]", "", YES),
        ("only people can say", "", UNTESTED),
    ],
)
def test_each_sign_by_hand(claim, need, verdict):
    assert answer(claim, RULES, need)[0] == verdict


def test_a_claim_is_told_only_where_what_is_given_is_clear():
    given = {"[a | u@1] > 5": YES, "[a | u@1] > 9.5": CLOSE, "[z | u] > 0": UNTESTED}
    for condition, verdict in given.items():
        assert answer("[a | u@2] > 5", RULES, given=condition)[0] == verdict


def test_intervals_are_student_s_welch_s_and_wilson_s():
    rng = np.random.default_rng(4)
    x, y = rng.normal(1, 1, 4), rng.normal(0, 3, 7)
    frame = cells({"a | u": x.mean(), "b | u": y.mean(), "s | u": 0.9})
    frame["se"] = [sem(x), sem(y), 0.0]
    frame["n"] = [4, 7, 40]
    ends = {
        "[a | u] > 0": ttest_1samp(x, 0).confidence_interval(),
        "[a | u] > [b | u]": ttest_ind(x, y, equal_var=False).confidence_interval(),
        "[s | u] > 0.5": proportion_confint(36, 40, method="wilson"),
    }
    for claim, (low, high) in ends.items():
        need = "share" if "[s" in claim else ""
        evidence = answer(claim, frame, need)[1]
        assert f"({number(low)} to {number(high)})" in evidence


def test_a_spread_is_compared_by_its_own_error():
    frame = cells({"a | u": 0, "b | u": 0}, n=50).assign(se=[2.0, 1.0])
    claim = "[a | spread of u] > [b | spread of u]"
    # 7.07 (5 - 2.5) / sqrt(2 * 49) is the error of the wider one alone
    assert answer(claim, frame)[0] == YES
    assert answer(claim, frame.assign(n=4))[0] == CLOSE


def test_pairs_are_taken_where_they_are_known_whichever_way_round():
    frame = cells({"a | u@1": 5, "a | u@2": 5.5})
    for column, value in (("u@2 - u@1", 0.5), ("u@1 - u@2", -0.5)):
        pair = cells({f"a | {column}": value}, se=0.1)
        both = pd.concat([frame, pair])
        assert answer("[a | u@2] > [a | u@1]", both)[0] == YES
        assert answer("[a | u@2] > [a | u@1] + 1", both)[0] == NO
    assert answer("[a | u@2] > [a | u@1]", frame)[0] == CLOSE


@pytest.mark.parametrize(
    ("n", "need", "verdict"),
    [(np.nan, "", YES), (100, "", CLOSE), (100, "share", YES), (10, "share", CLOSE)],
)
def test_without_a_spread_only_what_is_exact_or_a_share_decides(n, need, verdict):
    frame = cells({"a | rare": 0.0}, se=0.0, n=n)
    assert answer("[a | rare] < 0.2", frame, need)[0] == verdict


# ---- tables


def test_acts_that_labels_cannot_show_are_not_found_rare():
    rare = "both environments: compromise, defend, accept, decline rare"
    acts = "compromise", "defend", "accept", "decline", "others"
    places = "exchange_economy", "movielens"
    shares = {f"{place} | mean {act}": 0 for place in places for act in acts}
    results = cells(shares, se=0.0, n=100)
    tested = claims.check("001", "22", results).set_index("statement")
    assert tested["verdict"][rare] == YES
    results.attrs["unseen"] = {"mixed": ("defend", "accept"), "model:x": ("others",)}
    tested = claims.check("001", "22", results).set_index("statement")
    assert tested["verdict"][rare] == UNTESTED
    assert tested["evidence"][rare].endswith("cannot show: defend, accept")
    assert tested["verdict"]["both environments: others low"] == YES


def test_each_participant_is_tested_by_itself_if_a_statement_speaks_of_it():
    names = ["exact", "model:o3-mini", "model:gpt-4o (reasoning off)"]
    figures = {"complete | optimal": 1.0, "complete | beats random": 9.0}
    results = pd.concat(cells(figures, participant=name) for name in names)
    checked = claims.check("003", "30", results)
    table = claims.wide(checked).set_index("statement")[names]
    exact = table.loc["CPLEX: optimum in nearly every instance"]
    assert exact.tolist() == [CLOSE, UNTESTED, UNTESTED]
    thinking = table.loc["most reasoning models < random: divergence"]
    assert thinking.tolist() == [UNTESTED, YES, UNTESTED]
    counts = claims.counted(checked).set_index("participant")
    assert counts.loc["exact"].tolist() == [0, 0, 1, 62, 63]


@pytest.mark.parametrize(
    ("notebook", "lacking", "message"),
    [("99", [], "'99' tests no statement of 001"), ("20", ["n"], "no column 'n'")],
)
def test_bad_input_is_refused(notebook, lacking, message):
    with pytest.raises(InvalidInput, match=message):
        claims.check("001", notebook, RULES.drop(columns=lacking))


@pytest.mark.parametrize("paper", published.known())
def test_every_recorded_statement_is_a_row_and_every_row_can_be_read(paper):
    stated = published.statements(published.load(paper))["statement"]
    tested = claims.statements(paper[:3])
    assert tested["statement"].tolist() == stated.tolist()
    kinds = {"", "run", "most", "most 0.75", "some", "some 2", "share"}
    assert set(tested["need"]) <= kinds
    compared = tested["claim"][tested["claim"].str.contains("[", regex=False)]
    for part in compared.str.split("; | and ", regex=True).explode():
        assert re.search(r"\] [<>=] ", part), part


def of_paper(*tables):
    """Printed tables of 001, as if they were exact."""
    frame = published.load("001_5dc2ef75221ed897")
    frame = pd.concat(frame[frame["table"] == table] for table in tables)
    return frame.assign(participant="the paper", n=np.nan, se=0.0)


def verdicts(notebook, results):
    return claims.check("001", notebook, results).set_index("statement")["verdict"]


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

    places = "exchange_economy", "movielens"
    talk = of_paper(*(f"Table {t} {place}" for t in (8, 9) for place in places))
    talk["row"] = talk["table"].str.split().str[-1]
    means = talk.groupby(["participant", "row", "column"])[FIGURES].mean()
    tested = verdicts("22", means.reset_index())
    assert tested.value_counts().to_dict() == {YES: 8, UNTESTED: 5}
