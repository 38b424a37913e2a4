"""Replies with a form: by which of Convene's ways an endpoint gives one, and whether it holds to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from support.errors import MalformedReply, ModelError
from support.llm.conformance.seen import Seen, brief
from support.llm.conformance.target import Target
from support.llm.endpoint import FORMS
from support.llm.structured import extract_json, strict_schema

if TYPE_CHECKING:
    from pydantic import BaseModel

WORDS = {"json_schema": "json_schema", "json_object": "JSON mode", "text": "the prompt alone"}


async def forms(target: Target) -> Seen:
    """Whether a reply takes the form of a schema that the question does not tell, and by which of Convene's forms."""
    schema, question = _meeting(), "Propose a meeting of the gardening club."
    bare, taken = await target.put(question, strict_schema(schema))
    put = "json_schema is taken" if taken == FORMS[0] else f"json_schema is refused, {WORDS[taken]} serves instead"
    try:
        attempts = (await target.ask(question, schema=schema, max_tokens=250)).attempts
    except MalformedReply as error:
        return Seen("no", f"{put}, and no reply fits: {brief(error)}")
    fits = "the reply fits " + (f"after {attempts} attempts" if attempts > 1 else "at the first attempt")
    if taken != FORMS[0]:
        return Seen("note", f"{put}; {fits}", f"yes, by {WORDS[taken]}")
    if not _fits(schema, bare.text):
        return Seen("note", f"{put}, and not enforced; {fits}", "yes, though they are not enforced")
    return Seen("ok", f"{put}, and {fits}", "yes, by json_schema")


async def json_mode(target: Target) -> Seen:
    """Whether JSON mode gives a JSON object; Convene uses it only where json_schema is refused."""
    colour = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
    answer, taken = await target.put("Name a colour.", colour, "json_object", max_tokens=100)
    if taken != "json_object":
        return Seen("note", "refused")
    if isinstance(_json(answer.text), dict):
        return Seen("ok", f"a JSON object: {brief(answer.text, 60)}")
    if answer.finish_reason == "length" and answer.text.lstrip().startswith("{"):
        return Seen("note", "a JSON object, not finished in 100 tokens: the model goes on and on")
    return Seen("no", f"taken, and the reply is no JSON object: {brief(answer.text, 60)!r}")


async def constrained(target: Target, signs: str) -> str | None:
    """What comes back in a form that allows these signs only; None where that form is not to be had.

    A model too small to repeat them has to write them then.
    """
    part = {"type": "object", "properties": {"signs": {"type": "string", "enum": [signs]}}}
    schema = part | {"title": "Signs", "required": ["signs"], "additionalProperties": False}
    try:
        answer, taken = await target.put(f"Repeat exactly: {signs}", schema)
    except ModelError:
        return None  # whether forms are taken is another check's question
    value = _json(answer.text) if taken == FORMS[0] else None
    return str(value.get("signs")) if isinstance(value, dict) else None


def _meeting() -> type[BaseModel]:
    """A form with all that Convene's forms have: parts, lists, choices, gaps, bounds; and names hard to guess."""
    from pydantic import BaseModel, Field

    class Slot(BaseModel):
        weekday_code: Literal["MO", "TU", "WE", "TH", "FR"]
        start_hour: int

    class Meeting(BaseModel):
        slot_list: list[Slot] = Field(min_length=1, max_length=2)
        short_reason: str = Field(max_length=40)
        remark_or_null: str | None = Field(max_length=20)

    return Meeting


def _fits(schema: type[BaseModel], text: str) -> bool:
    from pydantic import ValidationError

    try:
        schema.model_validate_json(extract_json(text))
    except ValidationError:
        return False
    return True


def _json(text: str) -> Any:
    try:
        return json.loads(extract_json(text))
    except ValueError:
        return None
