"""Runs of coordination in numbers, and statements on what breaks them."""

import numpy as np
import pandas as pd
import pytest

from support import published
from support.analysis import claims
from support.analysis.claims import UNTESTED, YES
from support.analysis.meetings import rounds_of, scores_of
from support.meetings.records import Coordination, Option, Round, Turn

PAPER = published.load("000")
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


# ---- statements


def test_the_paper_s_numbers_answer_as_its_text_says():
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
    cells = cells.drop_duplicates(["row", "column"]).assign(participant="p")
    checked = claims.check("000", "10", cells).drop_duplicates("statement")
    tested = checked.set_index("statement")["verdict"]
    stated = claims.statements("000").query("where.str.match('text 6.[123]')")
    assert set(tested[stated["statement"]]) == {YES, UNTESTED}
    designs = tested.filter(regex="(rounds|conversation) > ")
    assert designs.tolist() == [YES] * 4
