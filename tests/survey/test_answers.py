"""The book of answers: whole forms under codes, nothing lost or overwritten.

What is no book is refused as any other file of a study (`runs/test_database`).
"""

import pandas as pd
import pytest

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
    kept = frame.set_index("item")
    assert [*kept.loc["uses", "text"]] == ["meeting scheduling", "brainstorming"]
    assert [*kept.loc["confidence", ["answer", "text"]]] == [1, "Not at all confident"]
    assert kept.loc["feedback", "text"] == FORM["feedback"]


def submit(book, group="A", code=CODE, **changes):
    book.submit(SURVEY, group, FORM | changes, code=code)


UNFIT = [
    ({"code": "MARIA"}, "expected 4 to 12 capital letters and digits"),
    ({"code": OTHER}, f"'{OTHER}' is in use for meeting_survey"),
    ({"group": "D"}, "'D' given; meeting_survey has A, B, C"),
    ({"shoe_size": 44}, "meeting_survey has no item 'shoe_size'"),
    ({"confidence": 9}, "confidence: Input should be 1, 2, 3, 4 or 5"),
    ({"adult": 0}, "not eligible"),
    ({"consent": 0}, "no consent"),
    ({"feedback": "ask jo@example.org"}, "'jo@example.org' looks like an e-mail"),
]


@pytest.mark.parametrize(("given", "message"), UNFIT)
def test_what_does_not_fit_is_refused_and_stores_and_loses_nothing(
    book, given, message
):
    submit(book, code=OTHER)
    before = book.frame()
    with pytest.raises(InvalidInput, match=message):
        submit(book, **given)
    pd.testing.assert_frame_equal(book.frame(), before)


def test_a_withdrawal_leaves_no_trace_in_the_file(book):
    secret = "a sentence that nobody shall find again"
    submit(book, feedback=secret)
    submit(book, code=OTHER)
    assert book.withdraw(CODE) == 1 and {*book.frame()["respondent"]} == {OTHER}
    stored = b"".join(p.read_bytes() for p in book.path.parent.glob("answers.sqlite*"))
    found = [word.encode() in stored for word in (CODE, secret, OTHER)]
    assert found == [False, False, True]
    with pytest.raises(InvalidInput, match=f"nothing is kept under '{CODE}'"):
        book.withdraw(CODE)
