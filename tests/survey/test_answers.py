"""The book of answers: whole forms under codes, nothing lost or overwritten, people and simulated apart.

What is no book is refused as any other file of a study (`runs/test_database`).
"""

import numpy as np
import pandas as pd
import pytest

from support.analysis.answers import need_answers
from support.errors import InvalidInput
from support.survey.answers import AnswerBook
from support.survey.instruments import load

SURVEY = load("meeting_survey")
FORM = {
    "role": "teaching", "experience": 3, "meeting_size": 2, "meetings_per_day": 3, "uses": [1, 3], "uses_other": "",
    "adult": 1, "uses_tools": 1, "may_take_part": 1, "consent": 1,
    "preferences_considered": 4, "reasons_acceptable": 5, "reasons_why": "Clear & short.",
    "preferences_considered_all": 3, "reasons_acceptable_all": 2, "options_reflect_members": 1,
    "options_wanted_3": 2, "options_wanted_5": 4, "confidence": 3, "confidence_why": "", "feedback": "Très “fine”.",
}  # fmt: skip
CODE, OTHER = "K7Q2M9", "L8R3N4"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.sqlite"


def test_a_form_comes_back_tidy_after_the_file_was_closed_and_simulated_ones_apart(
    path,
):
    first = AnswerBook(path)
    first.submit(SURVEY, "B", FORM, code=CODE)
    first.submit(SURVEY, "A", FORM, code=OTHER, source="simulated: rule-based")
    first.close()
    book = AnswerBook(path)
    frame = book.frame()
    assert set(
        zip(frame["respondent"], frame["group"], frame["source"], strict=True)
    ) == {(CODE, "B", "people")}
    assert not set(frame["item"]) & {
        "uses_other",
        "confidence_why",
        "adult",
        "consent",
        "may_take_part",
    }
    answers = frame[frame["item"] != "uses"].set_index("item")
    assert answers.loc["confidence", ["answer", "text"]].tolist() == [
        3,
        "Somewhat confident",
    ]
    assert answers.loc["feedback", "text"] == FORM["feedback"] and np.isnan(
        answers.loc["feedback", "answer"]
    )
    assert frame.loc[frame["item"] == "uses", "text"].tolist() == [
        "meeting scheduling",
        "brainstorming",
    ]
    ratings = need_answers(book.likert()).set_index("item")["answer"].to_dict()
    assert ratings == {
        item.id: FORM[item.id]
        for item in SURVEY.items.values()
        if item.kind == "likert5"
    }
    assert (
        set(book.frame("simulated")["respondent"]) == {OTHER}
        and book.frame(None)["source"].nunique() == 2
    )


@pytest.mark.parametrize(("given", "message"), [
    *(({"source": s}, "expected 'people', or 'simulated: ' and what answered") for s in ("robots", "simulated: ")),
    *(({"code": code}, "expected 4 to 12 capital letters and digits") for code in ("MARIA", "a@b.org", "É7Q2", 1234)),
    ({"code": OTHER}, f"'{OTHER}' is in use for meeting_survey; nothing is overwritten"),
    ({"group": "D"}, "'D' given; meeting_survey has A, B, C"),
    ({"answers": {**FORM, "confidence": 9}}, "9 given"),
    ({"answers": {**FORM, "experience": None, "meeting_size": None}}, "intake: no answer to experience, meeting_size;"),
    ({"answers": {**FORM, "adult": 0}}, "not eligible; nothing of such a form is kept"),
    ({"answers": {**FORM, "consent": 0}}, "no consent; nothing of such a form is kept"),
    ({"answers": {**FORM, "shoe_size": 44}}, "meeting_survey has no item 'shoe_size'"),
])  # fmt: skip
def test_what_does_not_fit_is_refused_and_stores_and_loses_nothing(
    book, given, message
):
    book.submit(SURVEY, "A", FORM, code=OTHER)
    before = book.frame(None)
    with pytest.raises(InvalidInput, match=message):
        book.submit(
            SURVEY,
            **{"group": "A", "answers": {**FORM, "confidence": 5}, "code": CODE}
            | given,
        )
    pd.testing.assert_frame_equal(book.frame(None), before)


def test_a_withdrawal_deletes_by_code_and_no_trace_is_left_in_the_file(book, path):
    secret = "a sentence that nobody shall find again"
    book.submit(SURVEY, "A", {**FORM, "feedback": secret}, code=CODE)
    book.submit(SURVEY, "A", FORM, code=OTHER)
    assert book.withdraw(CODE) == 1 and set(book.frame(None)["respondent"]) == {OTHER}
    stored = b"".join(file.read_bytes() for file in path.parent.glob("answers.sqlite*"))
    assert (
        CODE.encode() not in stored
        and secret.encode() not in stored
        and OTHER.encode() in stored
    )
    with pytest.raises(InvalidInput, match=f"nothing is kept under '{CODE}'"):
        book.withdraw(CODE)
