"""A person's form: each kind of field gives its part of the reply, and what does not fit stays."""

import asyncio
from typing import Annotated, Literal

import ipywidgets as w
import pytest
from pydantic import BaseModel, Field

from support.errors import InvalidInput
from support.labs.person import PersonForm, Sheet
from support.seats import Question

ID = Literal["P1", "P2", "P3"]


class Wish(BaseModel):
    text: Annotated[str, Field(max_length=40)]
    strength: Annotated[int, Field(ge=1, le=3)]


class Everything(BaseModel):
    name: Annotated[str, Field(max_length=40)]
    hours: Annotated[float, Field(ge=0, le=24)]
    vote: ID | None
    ranking: Annotated[list[ID], Field(min_length=3, max_length=3)]
    to: list[ID]
    notes: list[str]
    amounts: Annotated[list[float], Field(min_length=2, max_length=2)]
    sure: bool
    wishes: list[Wish]
    last: Wish | None
    other: dict[str, int]
    remark: str = ""
    pair: tuple[int, int] | None = None


def fields(sheet, name, kind=None):
    """The widgets of a part that something is entered in."""
    kind = kind or (w.Text, w.Textarea)
    found, names = [], [part.name for part in sheet.field.parts]
    todo = [sheet.view.children[names.index(name)]]
    while todo:
        one = todo.pop(0)
        found += [one] if isinstance(one, kind) else []
        todo = [*getattr(one, "children", ()), *todo]
    return found


def filled():
    sheet = Sheet(Everything)
    typed = {"name": "Ana", "hours": "7.5", "notes": "one\n\ntwo", "other": '{"a": 1}'}
    for name, text in typed.items():
        fields(sheet, name)[0].value = text
    for box, text in zip(fields(sheet, "amounts"), ("60", "40"), strict=True):
        box.value = text
    for place, at in zip(fields(sheet, "ranking", w.Dropdown), (3, 1, 2), strict=True):
        place.index = at
    fields(sheet, "vote", w.RadioButtons)[0].index = 3
    fields(sheet, "to", w.Checkbox)[1].value = True
    fields(sheet, "sure", w.RadioButtons)[0].index = 1
    fields(sheet, "last", w.Checkbox)[0].value = False
    [add] = [
        one for one in fields(sheet, "wishes", w.Button) if one.description == "Add"
    ]
    for text in ("tea", "milk", "beer"):
        add.click()
        fields(sheet, "wishes")[-1].value = text
        fields(sheet, "wishes", w.RadioButtons)[-1].index = 2
    fields(sheet, "wishes", w.Button)[1].click()  # removes the second
    return sheet


def test_each_kind_of_field_gives_its_part_of_the_reply():
    assert filled().reply() == Everything(
        name="Ana",
        hours=7.5,
        vote=None,
        ranking=["P3", "P1", "P2"],
        to=["P2"],
        notes=["one", "two"],
        amounts=[60, 40],
        sure=False,
        wishes=[Wish(text="tea", strength=3), Wish(text="beer", strength=3)],
        last=None,
        other={"a": 1},
    )


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("hours", "25", "hours: Input should be less than or equal to 24"),
        ("hours", "", "hours: Field required"),
        ("hours", "many", "hours: Input should be a valid number"),
        ("name", "x" * 41, "name: String should have at most 40 characters"),
        ("other", "{", "other: Input should be a valid dictionary"),
    ],
)
def test_what_does_not_fit_is_told_as_the_schema_says_it_and_marked(name, text, told):
    sheet = filled()
    fields(sheet, name)[0].value = text
    with pytest.raises(InvalidInput, match=told):
        sheet.reply()
    for part, view in zip(sheet.field.parts, sheet.view.children, strict=True):
        assert ("convene-amiss" in view._dom_classes) == (part.name == name)


def test_questions_wait_in_order_and_one_that_is_refused_stays_with_what_was_typed():
    def check(reply):
        if reply.text == "no":
            raise InvalidInput("say yes")
        return reply.text

    form = PersonForm("Ana")
    for number in (1, 2):
        words = f"Question {number} <b>", "# Known\nAll"
        form.ask(Question("ask", "Ana", (), check, Wish, *words))
    first = form.waiting[0]
    assert "Question 1 &lt;b&gt;" in form.text.value
    assert "<b>Known</b>" in form.text.value
    [text] = fields(form.sheet, "text")
    text.value = "no"
    fields(form.sheet, "strength", w.RadioButtons)[0].index = 0
    with pytest.raises(InvalidInput, match="say yes"):
        form.send()
    assert fields(form.sheet, "text")[0].value == "no", "what was typed is kept"
    text.value = "yes"
    form.send()
    assert "Question 2" in form.text.value
    assert asyncio.run(first.wait()) == "yes"
