import json
from typing import Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from support.errors import InvalidInput
from support.llm.structured import extract_json, problems, repair_words, schema_text, strict_schema


class Part(BaseModel):
    vote: Literal["P1", "P2"]
    default: int = 3
    note: str | None = Field(default=None, max_length=20)


class Whole(BaseModel):
    parts: list[Part] = Field(max_length=3)
    best: Part = Field(description="the best of them")


def test_every_object_is_closed_and_every_field_required():
    schema = strict_schema(Whole)
    part = schema["$defs"]["Part"]
    assert schema["required"] == ["parts", "best"]
    assert schema["additionalProperties"] is False
    assert part["required"] == ["vote", "default", "note"]
    assert part["additionalProperties"] is False


def test_an_optional_field_is_required_and_may_be_null():
    note = strict_schema(Part)["properties"]["note"]
    assert {"type": "null"} in note["anyOf"]
    assert "default" not in note


def test_a_reference_with_a_neighbour_is_replaced_by_what_it_names():
    best = strict_schema(Whole)["properties"]["best"]
    assert best["type"] == "object"
    assert best["description"] == "the best of them"
    assert "$ref" not in best


def test_the_defaults_of_the_python_class_stay():
    strict_schema(Part)
    assert Part(vote="P1").default == 3
    assert "default" in Part.model_json_schema()["properties"]["default"]


@pytest.mark.parametrize("wrong", [dict, {"type": "object"}, "Vote", Part(vote="P1")])
def test_anything_but_a_pydantic_class_is_an_input_error(wrong):
    with pytest.raises(InvalidInput, match="BaseModel"):
        strict_schema(wrong)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "```x```}"}',
        '```json\n{"a": "```x```}"}\n```'.replace("```x```", "x"),
        'Sure! {"a": {"b": 1}} Anything else?',
        '  {"a": 1}  \n',
        'Well:\n```\n{"a": 1}\n```\nDone.',
    ],
)
def test_json_is_found_in_a_fence_or_a_sentence(text):
    assert "a" in json.loads(extract_json(text))


@pytest.mark.parametrize("text", ["", "no", "}{", "[1, 2]", '{"a": 1'])
def test_what_holds_no_object_stays_as_it_is(text):
    assert extract_json(text) == text


def test_problems_name_the_field_and_the_complaint():
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate_json('{"parts": [{"vote": "P9"}]}')
    said = problems(caught.value)
    assert "parts.0.vote: Input should be 'P1' or 'P2'" in said
    assert "best: Field required" in said
    assert "http" not in said


def test_a_reply_that_was_cut_off_is_asked_again_shorter():
    assert "cut off" in repair_words("Invalid JSON", cut_off=True)
    assert "Invalid JSON" in repair_words("Invalid JSON", cut_off=False)


@pytest.mark.parametrize("schema", [{"type": "object"}, int, "Vote"], ids=["dict", "int", "text"])
def test_a_schema_that_is_no_pydantic_class_is_refused_before_anything_is_asked(schema):
    with pytest.raises(InvalidInput, match=r"schema=.*expected a class derived from pydantic\.BaseModel"):
        schema_text(schema)
