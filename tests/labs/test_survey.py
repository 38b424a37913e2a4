"""The survey's form without a browser: pages, refusals, what is kept on an error, what is stored at the end."""

import numpy as np
import pytest

from support.errors import InvalidInput
from support.labs.survey import SurveyForm
from support.survey.instruments import load

SURVEY = load("meeting_survey")


@pytest.fixture
def form(book):
    return SurveyForm(SURVEY, book, group="B", rng=np.random.default_rng(1))


def control(form, item):
    return form.fields[item].view.children[0]


def fill(form, **changes):
    """Answer what the page at hand requires, with its first choices."""
    for item in form.section.items:
        if item.id in changes:
            control(form, item.id).value = changes[item.id]
        elif item.required and item.choices:
            control(form, item.id).value = item.choices[0].value


def through(form, pages=6, **changes):
    for _ in range(pages):
        fill(form, **changes)
        form.next_button.click()


def test_a_form_filled_in_to_the_end_is_stored_under_the_code_that_is_shown(form, book):
    through(form, confidence=4, feedback="Show the calendars.")
    (code,) = book.forms()["respondent"]
    assert form.done and f"<b>{code}</b>" in form.page.children[0].value
    kept = book.frame().set_index("item")
    assert kept.loc["confidence", "answer"] == 4 and kept.loc["feedback", "text"] == "Show the calendars."
    assert book.forms()[["group", "source"]].values.tolist() == [["B", "people"]]


def test_nothing_is_stored_before_the_last_page_is_sent(form, book):
    through(form, pages=5)
    assert form.next_button.description == "Send" and book.forms().empty


def test_a_page_with_something_missing_stays_names_it_and_keeps_what_was_typed(form):
    fill(form, role="teaching", experience=None)
    form.next_button.click()
    assert form.at == 0 and "For how many years" in form.error.value and "How many people" not in form.error.value
    assert 'role="alert"' in form.error.value and control(form, "role").value == "teaching"
    assert "convene-missing" in form.fields["experience"].view._dom_classes
    fill(form)
    form.next_button.click()
    assert form.at == 1 and form.error.value == ""
    assert "convene-missing" not in form.fields["experience"].view._dom_classes


def test_an_answer_that_does_not_fit_is_told_by_its_question_and_kept(form):
    fill(form, role="ask jo@example.org <b>")
    form.next_button.click()
    assert form.at == 0 and "In a word or two" in form.error.value and "e-mail address" in form.error.value
    assert "role:" not in form.error.value and control(form, "role").value == "ask jo@example.org <b>"


@pytest.mark.parametrize(("item", "pages", "why"), [("adult", 2, "not eligible"), ("consent", 3, "no consent")])
def test_whoever_may_not_or_will_not_take_part_is_thanked_and_leaves_only_that_fact(form, book, item, pages, why):
    through(form, pages=pages, role="teaching", **{item: 0})
    assert form.done and "Nothing of what you entered was kept" in form.page.children[0].value
    assert book.refusals()[["reason", "count"]].values.tolist() == [[why, 1]]
    assert book.forms().empty and not any(form.answers.values()), "what was typed is emptied as well"
    form.next_button.click()
    form.back_button.click()
    assert book.refusals()["count"].sum() == 1


def test_a_code_that_is_in_use_is_told_and_the_answers_stay(book):
    through(SurveyForm(SURVEY, book, group="A", code="K7Q2M9"))
    again = SurveyForm(SURVEY, book, group="B", code="K7Q2M9")
    through(again, feedback="Mine.")
    assert not again.done and "K7Q2M9" in again.error.value and control(again, "feedback").value == "Mine."
    assert book.forms()["group"].tolist() == ["A"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"group": "D", "code": "K7Q2M9"}, "group: 'D' given"),
        ({"group": "A", "code": "Maria"}, "must not be a name"),
        ({"group": "A"}, "no rng to draw one"),
    ],
)
def test_a_form_for_nobody_is_refused_before_anything_is_typed(book, given, message):
    with pytest.raises(InvalidInput, match=message):
        SurveyForm(SURVEY, book, **given)


def test_each_page_shows_what_its_part_may_see(form):
    seen = []
    for _ in SURVEY.sections:
        seen.append(form.page.children[0].value)
        fill(form)
        form.next_button.click()
    own, others = "Around noon is best", "Wednesdays from three"
    assert [own in page for page in seen] == [False, False, False, True, True, False]
    assert [others in page for page in seen] == [False, False, False, False, True, False]
    assert ["09:30 to 10:15" in page for page in seen] == [False, False, False, True, True, False]


def test_ticked_boxes_become_a_list(form, book):
    boxes = form.fields["uses"].view.children[1:]
    boxes[0].value = boxes[2].value = True
    through(form)
    frame = book.frame()
    assert frame.loc[frame["item"] == "uses", "answer"].tolist() == [1, 3]


def test_a_number_that_is_none_is_told_by_its_question(book):
    form = SurveyForm(load("administrator_interview"), book, group="administrators", code="K7Q2M9")
    through(form, pages=2)
    given = {item.id: "4" for item in form.section.items if item.kind in ("number", "text")}
    *_, last = (item.id for item in form.section.items if item.kind == "number")
    through(form, pages=1, **given | {last: "many"})
    assert form.at == 2 and "belong to another organisation? &#39;many&#39; given" in form.error.value
