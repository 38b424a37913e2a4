"""What DoubleAgents states, on results that go its way and on results that break it."""

import pandas as pd
import pytest

from support import published
from support.analysis.claims import CLOSE, NO, UNTESTED, YES, check_claims
from support.analysis.claims_organizing import ORGANIZING, untested, weekend_mails
from support.errors import InvalidInput

STATEMENTS = published.statements(published.load("002_0d724da09908f95e"))
PAPER = {"speaker": 0.27, "slot": 0.11, "both": 0.27, "summary": 0.70}
PAPER_TOO = {"zero": 0.79, "few": 0.88, "few with policies": 0.93}


def table(selection=PAPER, detection=PAPER_TOO, se=0.01):
    rows = [(name, "F1", value, se) for name, value in selection.items()]
    rows += [(name, "accuracy", value, se) for name, value in detection.items()]
    return pd.DataFrame(rows, columns=["row", "column", "value", "se"])


def answers(ours):
    return check_claims(ours, STATEMENTS, ORGANIZING).set_index("statement")["holds here"]


def days(*mails, start="2027-08-13"):
    dates = pd.date_range(start, periods=len(mails)).strftime("%Y-%m-%d")
    return pd.DataFrame({"date": dates, "mails": mails})


def test_every_statement_has_a_check_and_every_check_a_statement():
    assert set(STATEMENTS["statement"]) == set(ORGANIZING)


def test_the_papers_own_numbers_agree_with_it():
    found = answers(table())
    assert set(found[[name for name, check in ORGANIZING.items() if "F1" in name or "accuracy" in name]]) == {YES}


def test_without_results_nothing_is_testable():
    assert set(answers(table({"nobody": 0.5}, {}))) == {UNTESTED}


def test_statements_on_people_are_not_testable_whatever_the_results():
    people = STATEMENTS[STATEMENTS["table"] == "text 5.3"]["statement"]
    assert len(people) == 21 and {ORGANIZING[name] for name in people} == {untested}


@pytest.mark.parametrize(
    ("better", "broken"),
    [("slot", "summary > slot: F1"), ("both", "summary > both: F1"), ("speaker", "summary > speaker: F1")],
)
def test_a_context_above_the_summary_breaks_what_names_it(better, broken):
    found = answers(table(PAPER | {better: 0.9}))
    assert found[broken] == NO == found["summary > every other context: F1"]
    others = {f"summary > {name}: F1" for name in ("speaker", "slot", "both")} - {broken}
    assert set(found[list(others)]) == {YES}


def test_both_together_help_only_where_they_beat_the_better_one():
    statement = "both no better than speaker and slot alone: F1"
    assert answers(table(PAPER | {"both": 0.5}))[statement] == NO
    assert answers(table(PAPER | {"both": 0.28}))[statement] == YES
    assert answers(table({"both": 0.5, "slot": 0.1}))[statement] == UNTESTED


def test_policies_that_do_not_help_detection_break_what_names_them():
    found = answers(table(detection=PAPER_TOO | {"few with policies": 0.8}))
    assert found["few with policies > few: accuracy"] == NO == found["few with policies > every other prompt: accuracy"]
    assert found["few with policies > zero: accuracy"] == CLOSE and found["few > zero: accuracy"] == YES


def test_wide_errors_leave_it_open():
    found = answers(table(se=0.2))
    assert found["few with policies > few: accuracy"] == CLOSE and found["summary > slot: F1"] == YES


def test_one_mail_on_a_weekend_is_one_too_many():
    statement = "D3: weekends without mails"  # the first day is a Friday
    assert answers(pd.concat([table(), weekend_mails(days(3, 0, 0, 2))]))[statement] == YES
    assert answers(pd.concat([table(), weekend_mails(days(3, 0, 1, 2))]))[statement] == NO
    assert answers(pd.concat([table(), weekend_mails(days(3, 1, 0, 2))]))[statement] == NO
    assert answers(pd.concat([table(), weekend_mails(days(3))]))[statement] == UNTESTED


def test_days_that_are_none_are_refused():
    with pytest.raises(InvalidInput, match="the days has no column 'date'"):
        weekend_mails(pd.DataFrame())
