"""Claims of a paper's text, checked on results: on the paper's own numbers first."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import sem, ttest_1samp, ttest_ind

from support import published
from support.analysis.claims import (
    CLOSE,
    NO,
    UNTESTED,
    YES,
    above,
    alike,
    check_claims,
    combined,
    counted,
    either,
    most,
    moves,
    untested,
)
from support.analysis.roundtable_claims import CENTRE, CONVERSATION, MOVIELENS, ROUNDTABLE, STOPPING
from support.analysis.roundtable_claims import STATEMENTS as TRANSITIONS
from support.analysis.stats import number
from support.errors import InvalidInput

PAPER = published.load("001_5dc2ef75221ed897")
STATEMENTS = published.statements(PAPER)


@pytest.fixture
def printed():
    """The paper's own Tables 1 and 6 as results."""
    numbers = PAPER[PAPER["table"].isin(["Table 1", "Table 6"])]
    return numbers.rename(columns={"spread": "se"})[["row", "column", "value", "se"]]


def tidy(**rows):
    return pd.DataFrame([(row, "u", *pair) for row, pair in rows.items()], columns=["row", "column", "value", "se"])


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        ((10, 1), (5, 1), YES),
        ((5, 1), (10, 1), NO),
        ((6, 1), (5, 1), CLOSE),
        ((5, 1), (6, 1), CLOSE),
        ((6, 0), (5, 0), YES),
    ],
)
def test_a_difference_is_called_by_its_margin_of_error(a, b, answer):
    assert above(["a"], ["b"], "u")(tidy(a=a, b=b)) == answer


def test_every_pair_has_to_agree_and_a_row_that_was_not_run_is_not_testable():
    ours = tidy(a=(10, 1), b=(5, 1), c=(9.5, 1))
    assert above(["a"], ["b", "c"], "u")(ours) == CLOSE
    assert above(["b"], ["a", "c"], "u")(ours) == NO
    assert above(["a"], ["z"], "u")(tidy(a=(1, 1))) == UNTESTED
    assert most(lambda cells: [cells.between("z", "a", "u")])(tidy(a=(1, 1))).evidence == "no run has z, u"


def test_an_answer_says_what_it_rests_on_and_how_many_would_tell():
    ours = tidy(a=(6, 1), b=(5, 1), c=(1, 1)).assign(n=20)
    close = above(["a"], ["b", "c"], "u")(ours)  # the least clear difference decides: 1 +- 2.02 sqrt 2
    assert close == CLOSE
    assert close.evidence == (
        "a - b, u: +1.00 (-1.86 to 3.86), n = 20; N = 164 would tell a difference of this size from none"
    )
    same = tidy(a=(6, 0), b=(5, 0)).assign(n=20)  # twenty times one and the same
    assert above(["a"], ["b"], "u")(same) == CLOSE and "no interval" in above(["a"], ["b"], "u")(same).evidence
    assert moves(-1, ["a"], "u")(ours).evidence == "a, u: +6.00 (3.91 to 8.09), n = 20"


def test_intervals_are_those_of_welch_and_one_case_has_none():
    rng = np.random.default_rng(4)
    x, y = rng.normal(1, 1, 4), rng.normal(0, 3, 7)
    rows = [("a", x.mean(), sem(x), 4), ("b", y.mean(), sem(y), 7), ("one", 0.0, np.nan, 1), ("same", 0.0, 0.0, 3)]
    ours = pd.DataFrame(rows, columns=["row", "value", "se", "n"]).assign(column="u")
    welch = ttest_ind(x, y, equal_var=False).confidence_interval(0.95)
    assert f"({number(welch.low)} to {number(welch.high)})" in above(["a"], ["b"], "u")(ours).evidence
    alone = ttest_1samp(x, 0).confidence_interval(0.95)
    assert f"({number(alone.low)} to {number(alone.high)})" in moves(1, ["a"], "u")(ours).evidence
    for check in (above(["a"], ["one"], "u"), alike(["a"], ["one"], 1.0, "u"), moves(1, ["same"], "u")):
        assert check(ours) == CLOSE and "no interval" in check(ours).evidence


@pytest.mark.parametrize(
    ("b", "answer"), [((5.1, 0.2), YES), ((5.1, 2), CLOSE), ((9, 0.2), NO), ((5.8, 0.2), CLOSE), ((5, 0), CLOSE)]
)
def test_alike_needs_evidence(b, answer):
    assert alike(["a"], ["b"], 1.0, "u")(tidy(a=(5, b[1]), b=b).assign(n=9)) == answer


def test_checks_are_combined_by_the_worst_or_the_best_and_keep_its_evidence():
    yes, no = above(["a"], ["b"], "u"), above(["b"], ["a"], "u")
    ours = tidy(a=(10, 1), b=(5, 1))
    assert (combined(yes, no)(ours), either(yes, no)(ours)) == (NO, YES)
    assert either(yes, untested("no such run"))(ours).evidence == yes(ours).evidence
    assert combined(yes, untested("no such run"))(ours).evidence == "no such run"


def test_each_participant_is_tested_by_itself():
    parts = {"mixed": tidy(a=(10, 1), b=(5, 1)), "model:x": tidy(a=(5, 1), b=(10, 1))}
    ours = pd.concat(part.assign(participant=name) for name, part in parts.items())
    said = pd.DataFrame({"table": "T", "statement": ["a > b", "x talks"], "note": ""})
    checks = {"a > b": above(["a"], ["b"], "u"), "x talks": untested("nobody recorded talk")}
    table = check_claims(ours, said, checks)
    assert table[["mixed", "model:x"]].to_numpy().tolist() == [[YES, NO], [UNTESTED, UNTESTED]]
    assert table["evidence"][1] == "nobody recorded talk"
    assert (
        table["evidence"][0].startswith("mixed: a - b, u: +5.00")
        and "; model:x: a - b, u: -5.00" in table["evidence"][0]
    )
    counts = counted(table).set_index("participant")
    assert counts.loc["model:x"].tolist() == [0, 1, 0, 1, 2]


def test_every_statement_that_is_recorded_has_a_check():
    checks = [ROUNDTABLE, MOVIELENS, CONVERSATION, TRANSITIONS, [CENTRE], STOPPING]
    assert sorted(STATEMENTS["statement"]) == sorted(name for mapping in checks for name in mapping)


def test_a_statement_without_a_check_is_refused():
    odd = pd.DataFrame({"table": ["T"], "statement": ["pigs fly"], "note": [""]})
    with pytest.raises(InvalidInput, match="pigs fly"):
        check_claims(tidy(a=(1, 1)), odd, ROUNDTABLE)


def test_the_paper_s_own_numbers_answer_as_its_notes_say(printed):
    answers = check_claims(printed, STATEMENTS[STATEMENTS["statement"].isin(ROUNDTABLE)], ROUNDTABLE).set_index(
        "statement"
    )["holds here"]
    assert answers["unanimous highest: rigidity"] == YES
    assert answers["unanimous highest: min_max"] == YES
    assert answers["unanimous lowest of one-vote rules: utility"] == YES
    assert answers["unanimous > majority > plurality: min_max"] == CLOSE  # by its standard errors
    assert answers["all rules: low rationality"] == YES
    assert answers["most rules: utility peaks in middle rounds"] == CLOSE
    assert answers["K = 3 > K = 4, K = 5: utility, auc"] == YES
    assert answers["all rules: high utility@10"] == NO
    assert answers["one-vote rules > score rules: spread of early utility"] == NO
    assert answers["majority > plurality: utility"] == CLOSE
    assert answers["larger model > smaller model: utility@10"] == UNTESTED
    assert answers["symmetric: even split nearly optimal"] == YES


def test_models_are_compared_within_their_family_once_two_sat_there():
    names = {"model:llama3-1-70b": 96, "model:llama3-1-8b": 74, "model:gpt-4o": 91, "model:gpt-4o-mini": 78}
    ours = pd.DataFrame([(n, "utility@10", v, 1.0) for n, v in names.items()], columns=["row", "column", "value", "se"])
    larger, high = (ROUNDTABLE[s] for s in ("larger model > smaller model: utility@10", "all models: high utility"))
    assert larger(ours) == YES and (high(ours), high(ours.assign(se=0.1))) == (CLOSE, NO)
    assert larger(ours[ours["row"] != "model:gpt-4o"].assign(value=[74, 96, 78])) == NO
    assert larger(ours.iloc[[0, 2]]) == UNTESTED and high(ours.iloc[:0]) == UNTESTED
