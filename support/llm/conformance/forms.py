"""Replies with a form: by which of Convene's ways an endpoint gives one, and whether it holds to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from support.errors import MalformedReply, ModelError
from support.llm.conformance.seen import Seen, brief
from support.llm.conformance.target import Target
from support.llm.structured import extract_json, strict_schema
from support.llm.transport import Completion

if TYPE_CHECKING:
    from pydantic import BaseModel

ROOM = 250  # tokens, for a form that takes fewer than 100


async def forms(target: Target) -> Seen:
    """Whether a reply takes the form of a schema that the question does not tell, and by which of Convene's forms."""
    schema, question = _meeting(), "Propose a meeting of the gardening club."
    strict = await _tried(target, question, {"type": "json_schema", "json_schema": _strict(schema)})
    refused = isinstance(strict, ModelError)
    try:
        attempts = (await target.ask(question, schema=schema, max_tokens=ROOM)).attempts
    except MalformedReply as error:
        return Seen("no", f"json_schema is {'refused' if refused else 'taken'}, and no reply fits: {brief(error)}")
    fits = "the reply fits " + (f"after {attempts} attempts" if attempts > 1 else "at the first attempt")
    if isinstance(strict, ModelError):
        form = await _below(target, question)
        return Seen("note", f"refused ({brief(strict)}); Convene steps down to {form}: {fits}", f"yes, by {form}")
    if not _fits(schema, strict.text):
        return Seen("note", f"json_schema is taken, and not enforced; {fits}", "yes, though they are not enforced")
    return Seen("ok", f"json_schema is taken, and {fits}", "yes, by json_schema")


async def _below(target: Target, question: str) -> str:
    """What Convene steps down to where json_schema is refused."""
    taken = await _tried(target, f"{question} Reply in JSON.", {"type": "json_object"})
    return "the prompt alone" if isinstance(taken, ModelError) else "JSON mode"


async def json_mode(target: Target) -> Seen:
    """Whether JSON mode gives a JSON object; Convene uses it only where json_schema is refused."""
    question = 'Reply with a small JSON object, for example {"colour": "green"}.'
    answer = await _tried(target, question, {"type": "json_object"})
    if isinstance(answer, ModelError):
        return Seen("note", f"refused: {brief(answer)}")
    if isinstance(_json(answer.text), dict):
        return Seen("ok", f"a JSON object: {brief(answer.text, 60)}")
    if answer.finish_reason == "length" and answer.text.lstrip().startswith("{"):
        return Seen("note", f"a JSON object, not finished in {ROOM} tokens: the model goes on and on")
    return Seen("no", f"taken, and the reply is no JSON object: {brief(answer.text, 60)!r}")


async def constrained(target: Target, signs: str) -> str | None:
    """What comes back in a form that allows these signs only; None where that form is refused.

    A model too small to repeat them has to write them then.
    """
    part = {"type": "object", "properties": {"signs": {"type": "string", "enum": [signs]}}}
    schema = part | {"required": ["signs"], "additionalProperties": False}
    form = {"type": "json_schema", "json_schema": {"name": "Signs", "strict": True, "schema": schema}}
    answer = await _tried(target, f"Repeat exactly: {signs}", form)
    value = None if isinstance(answer, ModelError) else _json(answer.text)
    return str(value.get("signs")) if isinstance(value, dict) else None


async def _tried(target: Target, question: str, form: dict[str, Any]) -> Completion | ModelError:
    """The reply in a form that is asked for outright, without Convene's steps down; or the refusal."""
    try:
        return await target.send(question, max_tokens=ROOM, body={"response_format": form})
    except ModelError as error:
        return error


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


def _strict(schema: type[BaseModel]) -> dict[str, Any]:
    return {"name": schema.__name__, "strict": True, "schema": strict_schema(schema)}


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
