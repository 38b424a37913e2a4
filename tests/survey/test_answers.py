"""The book of answers: whole forms under codes, nothing lost or overwritten.

What is no book is refused as any other file of a study (`runs/test_database`).
"""

import pandas as pd
import pytest

from support.analysis.answers import need_answers
from support.errors import InvalidInput
from support.survey.answers import AnswerBook
from support.survey.instruments import load

SURVEY = load("meeting_survey")
FORM = {
    name: next(iter(item.choices))
    for name, item in SURVEY.items.items()
    if item.choices
}
FORM |= {"uses": [1, 3], "role": "teaching", "feedback": "Très “fine”."}
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
    assert [*one.loc["confidence", ["answer", "text"]]] == [1, "Not at all confident"]
    assert one.loc["feedback", "text"] == FORM["feedback"]
    assert len(need_answers(frame[frame["kind"] == "likert5"])) == 6


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
