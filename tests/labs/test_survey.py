"""The survey's form without a browser: pages, refusals, what is kept on an error, what is stored at the end."""

import pytest

from support.errors import InvalidInput
from support.labs.person import INPUTS
from support.labs.survey import SurveyForm
from support.survey.instruments import load

SURVEY = load("meeting_survey")


@pytest.fixture
def form(book):
    return SurveyForm(SURVEY, book, group="B")


def inputs(form, item):
    """The widgets of an item, wherever it stands."""
    found, todo = [], []
    for sheet in form.sheets:
        parts = zip(sheet.field.parts, sheet.view.children, strict=True)
        todo += [view for part, view in parts if part.name == item]
    while todo:
        one = todo.pop(0)
        found += [one] if isinstance(one, INPUTS) else []
        todo += getattr(one, "children", ())
    return found


def fill(form, **changes):
    """Answer what the page at hand requires, with its first choices."""
    for item in form.section.items:
        [box, *_] = inputs(form, item.id)
        if item.choices and (item.required or item.id in changes):
            given = changes.get(item.id, next(iter(item.choices)))
            box.index = list(item.choices).index(given)
        elif item.id in changes:
            box.value = changes[item.id]


def through(form, pages=6, **changes):
    """Fill in and send some pages; what stood above them."""
    shown = []
    for _ in range(pages):
        shown.append(form.page.children[0].value)
        fill(form, **changes)
        form.next_button.click()
    return shown


def test_each_page_shows_what_its_part_may_see_and_all_is_stored_once_the_last_is_sent(
    form, book
):
    boxes = inputs(form, "uses")
    boxes[0].value = boxes[2].value = True
    given = {"confidence": 4, "feedback": "Show the calendars."}
    seen = through(form, pages=5, **given)
    assert form.next_button.description == "Send" and book.forms().empty
    seen += through(form, pages=1, **given)
    own, others, options = "Around noon is best", "Wednesdays from three", "09:30 to"
    places = {own: [3, 4], others: [4], options: [3, 4]}
    for text, shown in places.items():
        assert [number for number, page in enumerate(seen) if text in page] == shown
    (code,) = book.forms()["code"]
    assert form.done and f"<b>{code}</b>" in form.page.children[0].value
    kept = book.frame().set_index("item")
    assert set(kept["group"] + kept["source"]) == {"Bpeople"}
    assert kept.loc["confidence", "answer"] == 4
    assert kept.loc["feedback", "text"] == given["feedback"]
    assert kept.loc["uses", "answer"].tolist() == [1, 3]


def test_an_answer_that_does_not_fit_is_told_by_its_question_and_kept(form):
    typed = "ask jo@example.org <b>"
    through(form, pages=1, role=typed)
    assert form.at == 0
    told = form.error.value
    assert "In a word or two" in told and "e-mail address" in told
    assert "role:" not in told
    assert inputs(form, "role")[0].value == typed


@pytest.mark.parametrize(
    ("item", "pages", "why"),
    [("adult", 2, "not eligible"), ("consent", 3, "no consent")],
)
def test_whoever_may_not_or_will_not_take_part_is_thanked_and_leaves_only_that_fact(
    form, book, item, pages, why
):
    through(form, pages=pages, role="teaching", **{item: 0})
    assert form.done and "Nothing of what you entered" in form.page.children[0].value
    assert not form.sheets and not form.answers, "what was typed is emptied as well"
    form.next_button.click()
    form.back_button.click()
    assert book.refusals()["reason"].tolist() == [why], "once"
    assert book.forms().empty


def test_a_code_that_is_in_use_is_told_and_the_answers_stay(book):
    through(SurveyForm(SURVEY, book, group="A", code="K7Q2M9"))
    again = SurveyForm(SURVEY, book, group="B", code="K7Q2M9")
    through(again, feedback="Mine.")
    assert not again.done and "K7Q2M9" in again.error.value
    assert inputs(again, "feedback")[0].value == "Mine."
    assert book.forms()["grp"].tolist() == ["A"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"group": "D", "code": "K7Q2M9"}, "group: 'D' given"),
        ({"group": "A", "code": "Maria"}, "A code is no name"),
    ],
)
def test_a_form_for_nobody_is_refused_before_anything_is_typed(book, given, message):
    with pytest.raises(InvalidInput, match=message):
        SurveyForm(SURVEY, book, **given)
