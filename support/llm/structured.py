"""Replies with a form: the schema that is sent, the JSON that comes back, and the words that ask for a repair."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from support.errors import InvalidInput

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

PROBLEMS_SHOWN = 5


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a pydantic model, in the strict form that endpoints can enforce.

    Every field becomes required, an optional one by saying null; no field may be added. A default stays in the model,
    where it serves Python code, and leaves the schema, where a required field has no use for it.

    Raises
    ------
    InvalidInput
        When `model` is not a pydantic model.
    """
    if not isinstance(model, type) or not hasattr(model, "model_json_schema"):
        raise InvalidInput(
            f"schema={model!r}: expected a class derived from pydantic.BaseModel, or None for free text."
        )
    schema = model.model_json_schema()
    return _strict(schema, schema.get("$defs", {}))


def schema_text(model: type[BaseModel]) -> str:
    """The strict schema as the text that is sent and that names a reply in a cache: made once for a class.

    Raises
    ------
    InvalidInput
        When `model` is not a pydantic model.
    """
    # A dict in the place of a class has no hash, and is refused in our words.
    return _text_of(model) if isinstance(model, type) else json.dumps(strict_schema(model))


@lru_cache(maxsize=256)
def _text_of(model: type[BaseModel]) -> str:
    return json.dumps(strict_schema(model), separators=(",", ":"))


def _strict(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_strict(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if (
        "$ref" in node and len(node) > 1
    ):  # strict endpoints allow no neighbour of a $ref: put the definition in its place
        node = {**definitions[node["$ref"].removeprefix("#/$defs/")], **{k: v for k, v in node.items() if k != "$ref"}}
    made = {key: _strict_part(key, value, definitions) for key, value in node.items() if key != "default"}
    if "properties" in made:
        made["required"] = list(made["properties"])
    if made.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


def _strict_part(key: str, value: Any, definitions: dict[str, Any]) -> Any:
    if key in ("properties", "$defs"):  # names chosen by the author: a field may well be called "default"
        return {name: _strict(part, definitions) for name, part in value.items()}
    return value if key in ("const", "enum", "examples") else _strict(value, definitions)


def extract_json(text: str) -> str:
    """The JSON in a reply that may wrap it in a fence or in a sentence; the text itself when none is seen.

    >>> extract_json('Here it is: {"vote": "P1"} as you wished')
    '{"vote": "P1"}'
    """
    text = text.strip()
    if text[:1] not in ("{", "[") and (fenced := re.search(r"```\w*\s*(.*?)```", text, re.DOTALL)):
        text = fenced[1].strip()
    first, last = text.find("{"), text.rfind("}")
    return text if text[:1] == "[" or not 0 <= first < last else text[first : last + 1]


def problems(error: ValidationError) -> str:
    """What is wrong with a reply, in plain words: field and complaint, the first few."""
    found = [(".".join(map(str, item["loc"])), item["msg"]) for item in error.errors(include_url=False)]
    said = "; ".join(f"{where}: {what}" if where else what for where, what in found[:PROBLEMS_SHOWN])
    return said if len(found) <= PROBLEMS_SHOWN else f"{said}; and {len(found) - PROBLEMS_SHOWN} more"


def repair_words(complaint: str, cut_off: bool) -> str:
    """The message that asks a model for its reply again."""
    if cut_off:
        return (
            "Your reply was cut off before it was complete, because it was too long. "
            "Answer again, much shorter, with the corrected JSON only."
        )
    return f"Your reply does not have the required form. {complaint}. Answer again with the corrected JSON only."
