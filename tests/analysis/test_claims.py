"""Claims of a paper's text, checked on results: on the paper's own numbers first."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import sem, ttest_1samp, ttest_ind

from support import published
from support.analysis.answers import SURVEY
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
from support.analysis.fairness_claims import PLANNING
from support.analysis.meetings_claims import COORDINATION
from support.analysis.roundtable_claims import (
    CENTRE,
    CONVERSATION,
    MOVIELENS,
    ROUNDTABLE,
    STOPPING,
    TRANSITIONS,
)
from support.analysis.seminar import ORGANIZING
from support.analysis.stats import number
from support.errors import InvalidInput


def tidy(**rows):
    return pd.DataFrame(
        [(row, "u", *pair) for row, pair in rows.items()],
        columns=["row", "column", "value", "se"],
    )


def test_a_difference_is_called_by_its_margin_of_error_and_a_row_that_was_not_run_is_not_testable():
    assert above(["a"], ["b"], "u")(tidy(a=(6, 0), b=(5, 0))) == YES
    ours = tidy(a=(10, 1), b=(5, 1), c=(9.5, 1))
    assert above(["a"], ["b"], "u")(ours) == YES
    assert above(["a"], ["b", "c"], "u")(ours) == CLOSE
    assert above(["b"], ["a", "c"], "u")(ours) == NO
    assert above(["a"], ["z"], "u")(ours) == UNTESTED
    assert (
        most(lambda cells: [cells.between("z", "a", "u")])(ours).evidence
        == "no run has z, u"
    )


def test_an_answer_says_what_it_rests_on_and_how_many_would_tell():
    ours = tidy(a=(6, 1), b=(5, 1), c=(1, 1)).assign(n=20)
    close = above(["a"], ["b", "c"], "u")(
        ours
    )  # the least clear difference decides: 1 +- 2.02 sqrt 2
    told = "a - b, u: +1.00 (-1.86 to 3.86), n = 20; N = 164 would tell a difference of this size from none"
    assert (close, close.evidence) == (CLOSE, told)
    same = tidy(a=(6, 0), b=(5, 0)).assign(n=20)  # twenty times one and the same
    assert (
        above(["a"], ["b"], "u")(same) == CLOSE
        and "no interval" in above(["a"], ["b"], "u")(same).evidence
    )
    assert moves(-1, ["a"], "u")(ours).evidence == "a, u: +6.00 (3.91 to 8.09), n = 20"


def test_intervals_are_those_of_welch_and_one_case_has_none():
    rng = np.random.default_rng(4)
    x, y = rng.normal(1, 1, 4), rng.normal(0, 3, 7)
    rows = [
        ("a", x.mean(), sem(x), 4),
        ("b", y.mean(), sem(y), 7),
        ("one", 0.0, np.nan, 1),
        ("same", 0.0, 0.0, 3),
    ]
    ours = pd.DataFrame(rows, columns=["row", "value", "se", "n"]).assign(column="u")
    welch = ttest_ind(x, y, equal_var=False).confidence_interval(0.95)
    assert (
        f"({number(welch.low)} to {number(welch.high)})"
        in above(["a"], ["b"], "u")(ours).evidence
    )
    alone = ttest_1samp(x, 0).confidence_interval(0.95)
    assert (
        f"({number(alone.low)} to {number(alone.high)})"
        in moves(1, ["a"], "u")(ours).evidence
    )
    for check in (
        above(["a"], ["one"], "u"),
        alike(["a"], ["one"], 1.0, "u"),
        moves(1, ["same"], "u"),
    ):
        assert check(ours) == CLOSE and "no interval" in check(ours).evidence


@pytest.mark.parametrize(
    ("b", "answer"),
    [
        ((5.1, 0.2), YES),
        ((5.1, 2), CLOSE),
        ((9, 0.2), NO),
        ((5.8, 0.2), CLOSE),
        ((5, 0), CLOSE),
    ],
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
    checks = {
        "a > b": above(["a"], ["b"], "u"),
        "x talks": untested("nobody recorded talk"),
    }
    table = check_claims(ours, said, checks)
    assert table[["mixed", "model:x"]].to_numpy().tolist() == [
        [YES, NO],
        [UNTESTED, UNTESTED],
    ]
    assert table["evidence"][1] == "nobody recorded talk"
    evidence = table["evidence"][0]
    assert (
        evidence.startswith("mixed: a - b, u: +5.00")
        and "; model:x: a - b, u: -5.00" in evidence
    )
    assert counted(table).set_index("participant").loc["model:x"].tolist() == [
        0,
        1,
        0,
        1,
        2,
    ]
    with pytest.raises(InvalidInput, match="pigs fly"):
        check_claims(ours, said.assign(statement="pigs fly"), checks)


@pytest.mark.parametrize(
    ("paper", "checks"),
    [
        ("000_cf17db17b5f2de1a", [COORDINATION, SURVEY]),
        (
            "001_5dc2ef75221ed897",
            [ROUNDTABLE, MOVIELENS, CONVERSATION, TRANSITIONS, [CENTRE], STOPPING],
        ),
        ("002_0d724da09908f95e", [ORGANIZING]),
        ("003_1a2bb55b71c6f802", [PLANNING]),
    ],
)
def test_every_statement_that_is_recorded_has_a_check_and_every_check_a_statement(
    paper, checks
):
    stated = published.statements(published.load(paper))["statement"]
    assert set(stated) == {name for mapping in checks for name in mapping}
