"""What sections 6 to 8 of Papachristou, Yang and Hsu state, on the paper's own numbers and on results that break it."""

import pandas as pd
import pytest

from support import published
from support.analysis.claims import CLOSE, NO, UNTESTED, YES
from support.analysis.meetings import METRICS
from support.analysis.meetings_claims import COORDINATION, better, results

PAPER = published.load("000_cf17db17b5f2de1a")


def answers(ours):
    return {name: check(ours) for name, check in COORDINATION.items()}


@pytest.fixture
def printed():
    """Tables 1 and 2 and the changes that section 6 prints, as if without error."""
    tables = PAPER[PAPER["table"].str.startswith("Table 1")]
    one = tables.assign(
        row=tables["table"].str.removeprefix("Table 1 ") + ": " + tables["row"]
    )
    two = PAPER[PAPER["table"] == "Table 2"]
    changes = PAPER[
        PAPER["table"].isin(["text 6.1", "text 6.2", "text 6.3"])
        & PAPER["value"].notna()
    ]
    changes = changes.assign(column="change of " + changes["column"]).drop_duplicates(
        ["row", "column"]
    )
    return pd.concat([one, two, changes])[["row", "column", "value"]].assign(se=0.0)


def test_the_paper_s_numbers_answer_as_its_text_says(printed):
    said, stated = answers(printed), published.statements(PAPER)
    for statement in stated[stated["table"].isin(["text 6.1", "text 6.2", "text 6.3"])][
        "statement"
    ]:
        assert said[statement] in (YES, UNTESTED), statement
    assert (
        said["n = 5: equity falls over the rounds"] == UNTESTED
    )  # no number is printed
    metrics = {
        f"rounds > {what}"
        for what in (
            "no conversation: almost every metric",
            "single round: every metric",
        )
    }
    first = "no conversation > single round: first round"
    assert {
        said[name]
        for name in (
            *metrics,
            first,
            "n = 5 > n = 3, n = 4: change of satisfaction_score",
        )
    } == {YES}
    assert (
        better("rounds", "no conversation", METRICS, 1.0)(printed) == NO
    )  # three exceptions in 18 cells


def test_paraphrases_are_unchanged_by_evidence_only(printed):
    statement = "paraphrase: metrics almost unchanged"
    means = printed.assign(se=0.01, n=20)
    means["value"] = means.groupby("column")["value"].transform("mean")
    assert answers(means)[statement] == YES
    assert (
        answers(means.assign(se=3.5))[statement] == CLOSE
    )  # wide intervals are no agreement
    means.loc[means["row"] == "perturbations 2", "value"] *= 1.5
    assert answers(means)[statement] == NO


def study(ends, design="rounds"):
    """Ten meetings of each setting, whose ratio rises from about 40 to about the end given; other metrics follow it."""
    rows = [
        (name, f"M{i}", t, value)
        for name, end in ends.items()
        for i in range(10)
        for t, value in enumerate((40 + i % 3, end + i % 4), start=1)
    ]
    frame = pd.DataFrame(
        rows, columns=["setting", "meeting", "round", "satisfaction_ratio"]
    ).assign(design=design)
    ratio = frame["satisfaction_ratio"]
    return frame.assign(
        interactions=300 / ratio, satisfaction_score=ratio / 40, equity=1 - ratio / 200
    )


ENDS = {"n = 3, K = 2": 50, "n = 4, K = 2": 52, "n = 5, K = 2": 90, "n = 5, K = 3": 60, "n = 5, K = 4": 50,
        "n = 5, K = 2, database": 55}  # fmt: skip


def test_results_name_a_setting_as_each_section_does():
    cells = results(study(ENDS)).set_index(["row", "column"])["value"]
    for name in ("n = 5", "K = 2", "without database", "n = 5, K = 2: rounds"):
        assert cells[name, "satisfaction_ratio"] == pytest.approx(91.3)
    assert cells["K = 2", "satisfaction_ratio@1"] == pytest.approx(40.9)
    assert cells["K = 2", "change of satisfaction_ratio"] == pytest.approx(123.3, abs=1)


def test_a_study_that_goes_the_paper_s_way_says_yes_and_a_reversed_one_no():
    turned = {
        "n = 5, K = 2": 45,
        "n = 3, K = 2": 90,
        "n = 4, K = 2": 85,
        "n = 5, K = 3": 80,
    }
    said, reversed_ = (answers(results(study(ends))) for ends in (ENDS, turned))
    for statement in (
        "every n: satisfaction_ratio rises over the rounds",
        "every n: interactions fall over the rounds",
        "change of satisfaction_ratio goes with the change of the other metrics",
    ):
        assert said[statement] == reversed_[statement] == YES
    for statement in (
        "n = 5 > n = 3, n = 4: change of satisfaction_ratio",
        "n = 5 > n = 3, n = 4: change of interactions",
        "K = 2 > K = 3: change of satisfaction_ratio",
    ):
        assert (said[statement], reversed_[statement]) == (YES, NO)
    assert said["larger n: larger change of satisfaction_score"] == YES
    assert reversed_["K = 2 > K = 4: change of satisfaction_ratio"] == UNTESTED


def test_lower_is_better_for_equity_and_interactions():
    both = pd.concat(
        [
            study({"n = 3, K = 2": 80}),
            study({"n = 3, K = 2": 50}, "single round").query("round == 2"),
        ]
    )
    assert better("rounds", "single round", METRICS, 1.0)(results(both)) == YES
    assert better("single round", "rounds", METRICS, 0.75)(results(both)) == NO
    assert better("rounds", "no conversation", METRICS, 0.75)(results(both)) == UNTESTED


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [((-30, -20, -10), YES), ((-30, -10, -20), NO), ((10, 20, 30), NO)],
)
def test_a_smaller_fall_is_a_fall(changes, verdict):
    cells = {
        "row": ["K = 2", "K = 3", "K = 4"],
        "column": "change of equity",
        "value": changes,
        "se": 0.0,
    }
    assert answers(pd.DataFrame(cells))["larger K: smaller fall of equity"] == verdict
