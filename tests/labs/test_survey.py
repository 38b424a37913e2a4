"""The survey's form without a browser: what is shown, what is refused, what is stored at the end."""

import asyncio

import pytest

from support.errors import InvalidInput
from support.labs.survey import SurveyForm
from support.survey.instruments import load

SURVEY = load("meeting_survey")


def first_choices(section, changes):
    """Answers to what a section asks."""
    blank = {"text": "teaching", "number": 5, "multiple": []}
    answers = {}
    for item in section.items:
        first = next(iter(item.choices), None)
        usual = blank.get(item.kind, first)
        answers[item.id] = changes.get(item.id, usual)
    return answers


def through(book, code=None, **changes):
    """Send all sections; their texts, and what is said at the end."""

    async def run():
        form, texts = SurveyForm(SURVEY, book, group="B", code=code), []
        while not form.task.done():
            await asyncio.sleep(0)
            for person in form.forms.persons.values():
                for question in person.waiting:
                    texts.append(question.text)
                    section = SURVEY.sections[len(texts) - 1]
                    question.answer(first_choices(section, changes))
                person.waiting.clear()
        return texts, form.end.value

    return asyncio.run(asyncio.wait_for(run(), 60))


def test_each_section_shows_what_its_part_may_see_and_all_is_stored_under_a_code(book):
    seen, said = through(book, confidence=4, feedback="Show the calendars.")
    own, others, options = "Around noon is best", "Wednesdays from three", "09:30 to"
    places = {own: [3, 4], others: [4], options: [3, 4]}
    for text, shown in places.items():
        assert [number for number, part in enumerate(seen) if text in part] == shown
    (code,) = book.forms()["code"]
    assert f"<b>{code}</b>" in said
    kept = book.frame().set_index("item")
    assert kept.loc["confidence", "answer"] == 4
    assert kept.loc["feedback", "text"] == "Show the calendars."


@pytest.mark.parametrize(
    ("item", "sections", "why"),
    [("adult", 2, "not eligible"), ("consent", 3, "no consent")],
)
def test_whoever_may_not_or_will_not_take_part_leaves_only_that_fact(
    book, item, sections, why
):
    seen, said = through(book, **{item: 0})
    assert len(seen) == sections and "Nothing of what you entered" in said
    assert book.refusals()["reason"].tolist() == [why]
    assert book.forms().empty


def test_a_form_for_nobody_is_refused_before_anything_is_typed(book):
    through(book, code="K7Q2M9")
    for group, code, told in (("D", "", "group: 'D'"), ("A", "K7Q2M9", "is in use")):
        with pytest.raises(InvalidInput, match=told):
            SurveyForm(SURVEY, book, group=group, code=code)
