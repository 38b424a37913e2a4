"""Evaluations as tables: what a row says is what the single analyses say."""

import numpy as np
import pandas as pd
import pytest

from support import published
from support.analysis import organizing as org
from support.errors import InvalidInput

RNG = np.random.default_rng


@pytest.fixture
def selections():
    truth = {"s1": ("begin",), "s2": (), "s3": ("vague", "give_up")}
    answers = {"slot": [("begin",), (), ()], "summary": [("begin",), (), ("vague", "give_up")]}
    return pd.DataFrame(
        {"technique": name, "run": run, "item": item, "selected": given[i], "applies": truth[item], "problem": ""}
        for name, given in answers.items()
        for run in (1, 2)
        for i, item in enumerate(truth)
    )


@pytest.fixture
def verdicts():
    rng = np.random.default_rng(4)
    rows = [
        {"technique": name, "run": run, "item": f"{case} {voice}", "case": case, "flag": case < "c"}
        for name in ("zero", "few")
        for run in (1, 2, 3)
        for case in "abcd"
        for voice in range(5)
    ]
    said = [bool(row["flag"]) ^ bool(rng.random() < 0.3) for row in rows]
    return pd.DataFrame(rows).assign(flagged=said, problem=["off its form", *[""] * (len(rows) - 1)])


def test_selections_are_summed_up(selections):
    slot, summary = org.selection_table(selections).to_dict("records")
    assert slot["f1"] == pytest.approx(2 / 3) and slot["f1_sd"] == 0 and slot["right"] == pytest.approx(2 / 3)
    assert slot["selected"] == pytest.approx(1 / 3) and slot["none"] == pytest.approx(2 / 3)
    assert summary["f1"] == 1 and summary["selected"] == 1 and summary["none"] == pytest.approx(1 / 3)


def test_verdicts_are_summed_up_with_an_interval_over_cases(verdicts):
    table = org.detection_table(verdicts, RNG(1), draws=300).set_index("technique")
    runs = org.detection_runs(verdicts).query("technique == 'zero'")
    assert table.loc["zero", "accuracy"] == pytest.approx(runs["accuracy"].mean())
    assert table.loc["zero", "sd"] == pytest.approx(runs["accuracy"].std())
    around = org.bootstrap_mean(org.with_right(verdicts), "right", RNG(1), draws=300, within="flag").set_index(
        "technique"
    )
    assert table.loc["few", "low"] == around.loc["few", "low"] and table["misfits"].tolist() == [1, 0]


def test_what_was_said_is_right_or_not_row_by_row_whatever_the_index(verdicts):
    doubled = pd.concat([verdicts.head(3), verdicts.head(3).assign(run=9)])
    expected = (verdicts["flag"] == verdicts["flagged"]).head(3).astype(float).tolist()
    assert org.with_right(doubled)["right"].tolist() == expected * 2


def test_a_pair_has_the_papers_test_and_ours(verdicts):
    table_2 = published.load("002_0d724da09908f95e", "Table 2")
    (row,) = org.pairs_table(verdicts, [("few", "zero")], RNG(2), table_2, draws=200).to_dict("records")
    paper = org.printed_test(table_2, "few", "zero")
    assert row["published_difference"] == pytest.approx(0.09) and row["student_p"] == paper["p"]
    assert row["runs_p"] == org.runs_test(org.detection_runs(verdicts), "accuracy", "few", "zero")["p"]
    assert row["mcnemar_p"] == org.mcnemar_test(org.with_right(verdicts), "right", "few", "zero")["p"]
    right = org.with_right(verdicts)
    drawn = org.bootstrap_difference(right, "right", "few", "zero", RNG(2), draws=200, within="flag")
    assert (row["difference"], row["low"], row["high"]) == (drawn["difference"], drawn["low"], drawn["high"])


def test_a_pair_of_selections_is_compared_by_f1_over_states(selections):
    (row,) = org.pairs_table(selections, [("summary", "slot")], RNG(3), draws=200).to_dict("records")
    assert row["difference"] == pytest.approx(1 / 3) and np.isnan(row["student_p"])
    assert 0 <= row["low"] <= row["difference"] <= row["high"] <= 1


def test_a_stranger_is_refused(verdicts):
    with pytest.raises(InvalidInput, match="none is 'mine'"):
        org.pairs_table(verdicts, [("few", "mine")], RNG(1))
