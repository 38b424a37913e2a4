"""The book of answers: whole forms under codes, nothing lost or overwritten.

What is no book is refused as any other file of a study (`runs/test_database`).
"""

import math

import pandas as pd
import pytest

from support.analysis.answers import need_answers
from support.errors import InvalidInput
from support.survey.answers import AnswerBook
from support.survey.instruments import load

SURVEY = load("meeting_survey")
FORM = {
    "role": "teaching",
    "experience": 3,
    "meeting_size": 2,
    "meetings_per_day": 3,
    "uses": [1, 3],
    "adult": 1,
    "uses_tools": 1,
    "may_take_part": 1,
    "consent": 1,
    "preferences_considered": 4,
    "reasons_acceptable": 5,
    "preferences_considered_all": 3,
    "reasons_acceptable_all": 2,
    "options_reflect_members": 1,
    "options_wanted_3": 2,
    "options_wanted_5": 4,
    "confidence": 3,
    "feedback": "Très “fine”.",
}
CODE, OTHER = "K7Q2M9", "L8R3N4"


def test_a_form_comes_back_tidy_after_the_file_was_closed(tmp_path):
    first = AnswerBook(tmp_path / "answers.sqlite")
    first.submit(SURVEY, "B", FORM, code=CODE)
    first.close()
    frame = AnswerBook(tmp_path / "answers.sqlite").frame()
    about = frame[["respondent", "group", "source"]].drop_duplicates()
    assert about.to_numpy().tolist() == [[CODE, "B", "people"]]
    assert not {"adult", "consent", "uses_other"} & {*frame["item"]}
    ticked = frame[frame["item"] == "uses"]["text"].tolist()
    assert ticked == ["meeting scheduling", "brainstorming"]
    one = frame[frame["item"] != "uses"].set_index("item")
    assert [*one.loc["confidence", ["answer", "text"]]] == [3, "Somewhat confident"]
    assert one.loc["feedback", "text"] == FORM["feedback"]
    rated = need_answers(frame[frame["kind"] == "likert5"])
    assert (
        dict(zip(rated["item"], rated["answer"], strict=True)).items() <= FORM.items()
    )


UNFIT = [
    ({"code": "MARIA"}, "expected 4 to 12 capital letters and digits"),
    ({"code": "a@b.org"}, "expected 4 to 12 capital letters and digits"),
    ({"code": OTHER}, f"'{OTHER}' is in use for meeting_survey"),
    ({"group": "D"}, "'D' given; meeting_survey has A, B, C"),
    ({"shoe_size": 44}, "meeting_survey has no item 'shoe_size'"),
    ({"confidence": 9}, "confidence: Input should be 1, 2, 3, 4 or 5"),
    ({"experience": None}, "experience: Input should be 1, 2, 3, 4 or 5"),
    ({"adult": 0}, "not eligible"),
    ({"consent": 0}, "no consent"),
    ({"feedback": "x" * 2001}, "feedback: .*at most 2000"),
    ({"feedback": "ask jo@example.org"}, "'jo@example.org' looks like an e-mail"),
]


@pytest.mark.parametrize(("given", "message"), UNFIT)
def test_what_does_not_fit_is_refused_and_stores_and_loses_nothing(
    book, given, message
):
    book.submit(SURVEY, "A", FORM, code=OTHER)
    before = book.frame()
    about = {"group": "A", "code": CODE} | given
    group, code = about.pop("group"), about.pop("code")
    with pytest.raises(InvalidInput, match=message):
        book.submit(SURVEY, group, FORM | about, code=code)
    pd.testing.assert_frame_equal(book.frame(), before)


def test_a_number_has_to_be_one_within_its_bounds(book):
    interview = load("administrator_interview")
    given = dict.fromkeys(interview.items, "Something.")
    for item in interview.items.values():
        if item.kind != "text":
            given[item.id] = 1
    for wrong in (math.nan, -1, "many"):
        with pytest.raises(InvalidInput, match="hours_per_week"):
            book.submit(interview, "administrators", given | {"hours_per_week": wrong})


def test_a_withdrawal_leaves_no_trace_in_the_file(book):
    secret = "a sentence that nobody shall find again"
    book.submit(SURVEY, "A", {**FORM, "feedback": secret}, code=CODE)
    book.submit(SURVEY, "A", FORM, code=OTHER)
    assert book.withdraw(CODE) == 1 and {*book.frame()["respondent"]} == {OTHER}
    files = book.path.parent.glob("answers.sqlite*")
    stored = b"".join(file.read_bytes() for file in files)
    assert CODE.encode() not in stored and secret.encode() not in stored
    assert OTHER.encode() in stored
    with pytest.raises(InvalidInput, match=f"nothing is kept under '{CODE}'"):
        book.withdraw(CODE)
