"""Runs of coordination in numbers, and statements on what breaks them."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from support import published
from support.analysis import claims
from support.analysis.claims import NO, UNTESTED, YES
from support.analysis.meetings import (
    means,
    measures,
    results,
    rounds_of,
    scores_of,
    with_pairs,
)
from support.meetings.records import Coordination, Option, Round, Turn

PAPER = published.load("000_cf17db17b5f2de1a")
MEMBERS = ("Ana", "Ben", "Chi")


def entry(number, scores, truth, candidate="O1", talks=None, **more):
    """A round; scores of Ana, Ben and Chi by option."""
    options = tuple(Option(id, "2026-02-16T10:00-05:00") for id in scores)
    rows = [
        {id: dict(zip(MEMBERS, row, strict=True)) for id, row in each.items()}
        for each in (scores, truth)
    ]
    return Round(number, talks or {}, {}, options, *rows, candidate, **more)


def run(*rounds):
    meeting = {"id": "M1", "members": list(MEMBERS)}
    settings = {"options": 2, "database": ("ties",)}
    record = Coordination(meeting, {}, rounds, settings, 0.25, 1.0)
    return [({"seats": "mixed"}, record)]


def test_a_round_is_told_by_its_candidate_in_the_loop_and_in_truth():
    talk = (Turn("assistant", "When?"), Turn("Ana", "O2.", agrees="O2"))
    both = {"O1": (0, 0, 0), "O2": (3, None, 0)}
    truth = {"O1": (3, 3, 3), "O2": (3, 1, 2)}
    talks = {
        "Ana": talk,
        "Ben": talk[:1],
        "Chi": (*talk, Turn("Chi", "Yes.", agrees="O2")),
    }
    rounds = [
        entry(1, both, truth, "O1"),
        entry(2, both, truth, "O2", talks, breaches=("O1",)),
    ]
    first, last = rounds_of(run(*rounds)).to_dict("records")
    assert (first["replaced"], last["replaced"]) == (False, True)
    assert np.isnan(first["interactions"])
    assert (last["ratio"], last["score"], last["gini"]) == (50, 1.5, 0.5)
    assert (last["depth"], last["gini_plus"]) == (3, 0)
    assert (last["true_ratio"], last["true_score"]) == (100, 2)
    assert last["interactions"] == pytest.approx(2 / 3)
    assert last["agreed"] == pytest.approx(200 / 3)
    counted = [last[name] for name in ("offered", "breaches", "missing")]
    assert counted == [2, 1, 1]
    assert (last["seats"], last["chance"], last["optimum"]) == ("mixed", 25, 100)
    assert last["setting"] == "n = 3, K = 2, database"


def test_a_round_without_an_option_satisfies_nobody():
    row = rounds_of(run(entry(1, {}, {}, None))).iloc[0]
    assert row[["ratio", "score", "gini", "true_ratio"]].tolist() == [0, 0, 1, 0]
    assert np.isnan(row["depth"])


def test_scores_stand_beside_exact_ones():
    told = scores_of(run(entry(1, {"O1": (3, None, 0)}, {"O1": (2, 1, 0)})))
    assert told["exact"].tolist() == [2, 1, 0]
    assert told["score"].isna().tolist() == [False, True, False]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_property_inequality_is_who_is_left_out_and_how_unequal_the_others_are(scores):
    found = measures(dict(enumerate(scores)))
    share = found["ratio"] / 100
    assert found["score"] == pytest.approx(share * np.nan_to_num(found["depth"]))
    within = np.nan_to_num(found["gini_plus"])
    assert found["gini"] == pytest.approx(1 - share + share * within)
    assert within <= 0.268


# ---- statements


def verdicts(frame):
    checked = claims.check("000", "10", frame.assign(participant="p"))
    return checked.drop_duplicates("statement").set_index("statement")["verdict"]


@pytest.fixture
def printed():
    """Tables 1 and 2 and the changes that section 6 prints, as if they were exact."""
    short = {"satisfaction_ratio": "ratio", "satisfaction_score": "score"}
    names = {**short, "equity": "gini", "interactions": "interactions"}
    frame = PAPER.dropna(subset=["value"]).assign(se=0.0, n=float("nan"))
    frame["measure"] = frame["column"].map(names)
    tables = frame[frame["table"].str.startswith("Table 1")]
    settings = tables["table"].str.removeprefix("Table 1 ")
    two = frame[frame["table"] == "Table 2"]
    wordings = two["row"].str.replace("perturbations", "paraphrases")
    text = frame[frame["table"].str.match(r"text 6\.[123]")]
    parts = [
        tables.assign(column=tables["row"], row=tables["measure"] + " of " + settings),
        two.assign(column=wordings, row=two["measure"]),
        text.assign(column=text["row"], row="change of " + text["measure"]),
    ]
    cells = pd.concat(parts).dropna(subset=["measure"])
    return cells.drop_duplicates(["row", "column"])[
        ["row", "column", "value", "se", "n"]
    ]


def test_the_paper_s_numbers_answer_as_its_text_says(printed):
    tested = verdicts(printed)
    stated = claims.statements("000").query("where.str.match('text 6.[123]')")
    assert set(tested[stated["statement"]]) == {YES, UNTESTED}
    designs = tested.filter(regex="(rounds|conversation) > ")
    assert designs.tolist() == [YES] * 4


ENDS = {
    "n = 3, K = 2": 50,
    "n = 4, K = 2": 52,
    "n = 5, K = 2": 90,
    "n = 5, K = 3": 60,
    "n = 5, K = 4": 50,
    "n = 5, K = 2, database": 55,
}


def study(ends):
    """Ten groups in each setting: the ratio rises from 40 to an end; others follow."""
    rng = np.random.default_rng(1)
    rows = []
    for name, end in ends.items():
        for group in range(10):
            rows.append((name, group, 1, 40 + rng.random()))
            rows.append((name, group, 2, end + rng.random()))
    columns = ["setting", "repetition", "round", "ratio"]
    frame = pd.DataFrame(rows, columns=columns).assign(design="rounds")
    frame["interactions"] = 300 / frame["ratio"]
    frame["score"] = frame["depth"] = frame["ratio"] / 40
    frame["gini"] = frame["gini_plus"] = 1 - frame["ratio"] / 200
    return frame


def test_settings_are_compared_over_the_same_groups():
    cells = results(study(ENDS)).set_index(["row", "column"])["value"]
    assert cells["change of ratio", "n = 5"] == pytest.approx(50, abs=1)
    assert cells["change of ratio", "n = 3 - n = 5"] == pytest.approx(-40, abs=1)
    assert cells["ratio of n = 5, K = 2", "rounds"] == pytest.approx(90.5, abs=0.5)
    noise = np.random.default_rng(1).normal(size=(9, 2))
    pair = means(with_pairs(pd.DataFrame(noise, columns=["a", "b"]))).iloc[2]
    test = stats.ttest_rel(*noise.T)
    assert pair["value"] / pair["se"] == pytest.approx(test.statistic)


def test_a_study_that_goes_the_paper_s_way_says_yes_and_a_reversed_one_no():
    turned = {**ENDS, "n = 5, K = 2": 45, "n = 3, K = 2": 90, "n = 4, K = 2": 85}
    there, back = (verdicts(results(study(ends))) for ends in (ENDS, turned))
    for metric in ("satisfaction_ratio", "interactions"):
        larger = f"n = 5 > n = 3, n = 4: change of {metric}"
        assert (there[larger], back[larger]) == (YES, NO)
    assert Counter(there)[YES] > Counter(back)[YES]
