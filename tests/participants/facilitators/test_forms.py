"""The forms of replies: everything is bounded, and what is not on a list is named."""

import json

import pytest
from pydantic import ValidationError

from support.models.model import strict_schema
from support.participants.facilitators.forms import (
    NOTE,
    NOTES,
    TEXT,
    intent_form,
    options_form,
    remark_form,
    revision_form,
    scores_form,
    text_form,
)

MEMBERS = ("Ana Roe", "Ben", "Dev")
FORMS = [
    text_form(),
    remark_form(),
    intent_form(("O1", "O2")),
    intent_form(()),
    options_form(MEMBERS, ("a", "b"), 2),
    revision_form(MEMBERS, ("a", "b"), 1),
    scores_form(MEMBERS, 0),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_text_and_every_list_of_a_form_is_bounded(form):
    def walk(node):
        if isinstance(node, dict):
            assert node.get("type") != "array" or "maxItems" in node, node
            assert node.get("type") != "string" or "maxLength" in node or "enum" in node, node
        for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            walk(part)

    walk(json.loads(json.dumps(strict_schema(form))))


@pytest.mark.parametrize(
    "reply",
    [{"text": " \n "}, {"text": ""}, {"text": "x" * (TEXT + 1)}, {}],
)
def test_a_turn_without_words_or_too_long_is_refused(reply):
    with pytest.raises(ValidationError):
        text_form().model_validate(reply)


@pytest.mark.parametrize("notes", [["x" * (NOTE + 1)], ["x"] * (NOTES + 1), [" "]])
def test_notes_are_bounded(notes):
    with pytest.raises(ValidationError):
        intent_form(()).model_validate({"preferences": notes})


def test_names_and_starts_are_listed_in_the_schema_that_the_model_gets():
    schema = json.dumps(strict_schema(options_form(MEMBERS, ("Mon 10:00", "Mon 11:00"), 2)))
    assert json.dumps(list(MEMBERS)) in schema and '["Mon 10:00", "Mon 11:00"]' in schema


def test_a_long_list_is_shortened_in_the_complaint():
    starts = tuple(f"start {i}" for i in range(60))
    reply = {"options": [{"start": "noon", "members": [], "reasons": []}]}
    with pytest.raises(ValidationError, match=r"'noon' given; expected one of start 0, .*start 5 … \(60 in all\)"):
        options_form(MEMBERS, starts, 2).model_validate(reply)


def test_scores_are_asked_for_by_name():
    value = scores_form(("Ana Roe",), 0).model_validate({"Ana Roe": {"reasons": [], "score": 2}})
    assert value.member_0.score == 2
