"""A person's form without a browser: what is refused stays, and questions wait in order."""

import asyncio
import json
from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from support.errors import InvalidInput
from support.person import PersonForm
from support.seats import Question


class Wish(BaseModel):
    text: Annotated[str, Field(max_length=40)]


def type_in(form, text):
    """As a page does."""
    form.sheet.kept.value = json.dumps({"reply": {"text": text}})


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
    for text, told in (("no", "say yes"), ("x" * 41, "text: String should have")):
        type_in(form, text)
        with pytest.raises(InvalidInput, match=told):
            form.send()
        assert text in form.sheet.read(), "what was typed is kept"
    type_in(form, "yes")
    form.send()
    assert "Question 2" in form.text.value
    assert asyncio.run(first.wait()) == "yes"
