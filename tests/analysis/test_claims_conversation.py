"""Claims of sections 5.2 to 5.4, checked on the paper's own numbers and on results made to break them."""

import pandas as pd
import pytest

from support import published
from support.analysis.claims import CLOSE, NO, UNTESTED, YES, check_claims
from support.analysis.roundtable_claims import CONVERSATION, MOVIELENS, SCORE, STOPPING

PAPER = published.load("001_5dc2ef75221ed897")
STATEMENTS = published.statements(PAPER)
MARK = "@"
PEAKS = "propose peaks earlier in exchange_economy than in movielens"  # by the means


def printed(*tables, row=None):
    parts = [PAPER[PAPER["table"] == t].assign(environment=t.split()[-1]) for t in tables]
    return pd.concat(parts).assign(se=0.0)[["environment", "row", "column", "value", "se"]]


def answers(ours, checks):
    said = STATEMENTS[STATEMENTS["statement"].isin(checks)]
    return check_claims(ours, said, checks).set_index("statement")["holds here"].to_dict()


@pytest.fixture
def talk():
    """Tables 8 and 9, averaged over the rules: one row for each environment."""
    names = [f"Table {t} {e}" for t in (8, 9) for e in ("exchange_economy", "movielens")]
    means = printed(*names).groupby(["environment", "column"], as_index=False)["value"].mean()
    return means.rename(columns={"environment": "row"}).assign(se=0.0)


@pytest.fixture
def stopping():
    names = [f"Table 10 {e}" for e in ("exchange_economy", "movielens")]
    return printed(*names).assign(row=lambda f: f["environment"] + ": " + f["row"])


def test_table_7_answers_as_the_notes_say():
    said = answers(printed("Table 7"), MOVIELENS)
    assert said["one-vote rules: mae worsens or stays"] == YES
    assert said["score rules: mae falls over the rounds"] == YES
    assert said["some rules: mae falls, then rises"] == YES
    assert said["group near the best recommender: mae@10"] == UNTESTED


def test_tables_8_and_9_answer_as_the_notes_say(talk):
    said = answers(talk, CONVERSATION)
    assert said.pop("both environments: inform and request lead") == NO  # propose passes inform
    assert said.pop("both environments: compromise, defend, accept, decline rare") == NO  # compromise
    assert said.pop("movielens: confirm rises after round 3") == YES
    assert said.pop("both environments: evaluate stays high") == YES
    assert set(said.values()) == {YES}


@pytest.mark.parametrize("feature", ["words", "grade", "difference"])
def test_a_reversed_curve_breaks_its_claims(talk, feature):
    mine = talk["column"].str.startswith(feature + MARK) & (talk["row"] == "movielens")
    turned = talk.copy()
    turned.loc[mine, "value"] *= -1
    broken = {name for name, answer in answers(turned, CONVERSATION).items() if answer == NO}
    assert any(feature in name for name in broken)


def test_table_10_answers_as_the_notes_say(stopping):
    said = answers(stopping, STOPPING)
    assert said["most rules: best outcome before the last round"] == YES
    assert said["almost all stopping rules better than @10"] == NO
    assert said["information difference and dialogue act better than the other stopping rules"] == NO


def test_a_rule_that_never_decides_leaves_its_own_claims_untested_and_no_others():
    ours = printed("Table 7").assign(se=0.001)
    ours.loc[ours["row"] == "unanimous", "value"] = float("nan")
    near = pd.DataFrame([{"row": "recommender", "column": "mae@10", "value": 0.84, "se": 0.05}])
    for mine in (pd.concat([ours, near]), pd.concat([ours, near]).dropna(subset="value")):
        said = answers(mine, MOVIELENS)
        assert said["some rules: mae falls, then rises"] == said["score rules: mae falls over the rounds"] == YES
        assert said["one-vote rules: mae worsens or stays"] == UNTESTED
        assert said["group near the best recommender: mae@10"] == UNTESTED
    late = ours[~((ours["row"] == "ranked") & (ours["column"] == "mae@1"))]
    told = MOVIELENS["score rules: mae falls over the rounds"](late)
    assert "mae@10 - mae@2" in told.evidence, "from the first round in which all had decided"


@pytest.mark.parametrize("silent", ["exchange_economy", "movielens"])
def test_an_environment_without_a_value_leaves_claims_untested(talk, silent):
    said = answers(talk.assign(value=talk["value"].where(talk["row"] != silent)), CONVERSATION)
    assert said["propose peaks earlier in exchange_economy than in movielens"] == UNTESTED
    dips = said["exchange_economy: grade starts low, peaks early, dips, rises"]
    assert dips == (UNTESTED if silent == "exchange_economy" else YES)


def test_verdicts_need_clear_differences_and_pairs_are_taken_where_they_are_known(talk):
    vague = talk.assign(se=50.0, n=20)
    assert YES not in set(answers(vague, CONVERSATION).values()) - {answers(talk, CONVERSATION)[PEAKS]}
    ours = printed("Table 7").assign(se=0.1, n=100)
    falls = "score rules: mae falls over the rounds"
    assert answers(ours, MOVIELENS)[falls] == CLOSE
    pairs = [{"row": rule, "column": "mae@10 - mae@1", "value": -0.04, "se": 0.01, "n": 100} for rule in SCORE]
    assert answers(pd.concat([ours, pd.DataFrame(pairs)]), MOVIELENS)[falls] == YES
    pairs = [pair | {"column": "mae@1 - mae@10"} for pair in pairs]
    assert answers(pd.concat([ours, pd.DataFrame(pairs)]), MOVIELENS)[falls] == NO


def test_a_share_that_is_zero_in_every_run_is_low_by_how_many_runs_there_are(talk):
    others = talk[talk["column"].str.startswith("others@")].assign(value=0.0)
    low = CONVERSATION["both environments: others low"]
    assert (low(others.assign(n=100)), low(others.assign(n=3))) == (YES, CLOSE)


def test_a_share_of_clear_differences_is_counted(stopping):
    wide = stopping.assign(se=0.2, n=100)
    assert answers(wide, STOPPING)["most rules: best outcome before the last round"] == CLOSE
    worse = wide.assign(se=0.001)
    gone = worse["row"].str.endswith(": @10") & worse["row"].str.startswith("exchange")
    worse.loc[gone, "value"] += 1  # whatever stops early there is worse than what stood at the end
    assert answers(worse, STOPPING)["almost all stopping rules better than @10"] == NO
