"""What a person fills in for a reply: the fields of its schema, whoever shows them.

>>> from pydantic import BaseModel
>>> class Reply(BaseModel):
...     message: str | None
...     stars: int = 3
>>> [(part.name, part.kind, part.optional) for part in field_of(Reply).parts]
[('message', 'text', True), ('stars', 'number', False)]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from pydantic import BaseModel, ValidationError

YES_OR_NO = (("yes", True), ("no", False))
LINE, FEW = 80, 11
"""Characters that fit into a field of one line; numbers that are offered one by one."""


@dataclass(frozen=True)
class Field:
    """One part of a reply, by what a person does: "text", "number", "choice", "several", "ranking", "lines",
    "parts" (an object), "row" (so many in order), "list" (as many as one likes), "json" (anything else).

    `options` are pairs of words and a value; `parts` those of an object or a row, or the one item of a list; `optional`
    says that it may be None, `first` what stands there before, where something does.
    """

    name: str
    kind: str
    title: str
    help: str = ""
    optional: bool = False
    required: bool = True
    first: Any = None
    options: tuple[tuple[str, Any], ...] = ()
    parts: tuple[Field, ...] = ()
    low: float | None = None
    high: float | None = None
    least: int = 0
    most: int | None = None

    @property
    def hint(self) -> str:
        """The bounds of a number."""
        if self.low is None or self.high is None:
            return ""
        return f"{self.low:g} to {self.high:g}"

    @property
    def long(self) -> bool:
        """Whether a text takes more than a line."""
        return self.most is None or self.most > LINE

    @property
    def flat(self) -> bool:
        """Whether its parts fit beside each other."""
        return all(part.kind == "number" for part in self.parts)


def field_of(form: type[BaseModel]) -> Field:
    """The fields of a form, as the parts of one."""
    schema = form.model_json_schema()
    return _field("", schema, schema.get("$defs", {}))


def misfits(
    error: ValidationError, titles: Mapping[str, str] | None = None
) -> list[str]:
    """What does not fit, a sentence for each field, in pydantic's words; `titles` say what fields are called."""
    found = []
    for wrong in error.errors():
        names = [str(part) for part in wrong["loc"]]
        names[:1] = [(titles or {}).get(name, name) for name in names[:1]]
        said = wrong["msg"].removeprefix("Value error, ")
        found.append(f"{' '.join(names)}: {said}" if names else said)
    return found


def readable(text: str) -> str:
    """A text for a page that keeps line breaks: a line that begins with # stands out."""
    lines = []
    for line in text.split("\n"):
        heading = line.startswith("#")
        shown = escape(line.lstrip("# ") if heading else line)
        lines.append(f"<b>{shown}</b>" if heading else shown)
    return "\n".join(lines)


def _field(name: str, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Field:
    """The field of a part of a schema."""
    while "$ref" in schema:
        target = defs[schema["$ref"].rpartition("/")[2]] | {"title": ""}
        schema = target | {key: x for key, x in schema.items() if key != "$ref"}
    kinds = schema.get("anyOf", schema.get("oneOf", ()))
    filled = [kind for kind in kinds if kind.get("type") != "null"]
    if len(filled) == 1:
        outer = {key: x for key, x in schema.items() if key not in ("anyOf", "oneOf")}
        inner = _field(name, filled[0] | outer, defs)
        return replace(inner, optional=len(kinds) > 1)
    given = schema.get("title", "")
    usual = name.replace("_", " ").title()
    field = Field(
        name,
        "json",
        name.replace("_", " ") if given in ("", usual) else given,
        schema.get("description", "") if name else "",
        required="default" not in schema,
        first=schema.get("default"),
        low=schema.get("minimum", schema.get("exclusiveMinimum")),
        high=schema.get("maximum", schema.get("exclusiveMaximum")),
        least=schema.get("minItems", schema.get("minLength", 0)),
        most=schema.get("maxItems", schema.get("maxLength")),
    )
    options = _options(schema, kinds)
    if options:
        return replace(field, kind="choice", options=options)
    return _of_type(field, schema, defs)


def _options(schema: Mapping[str, Any], kinds: Any) -> tuple[tuple[str, Any], ...]:
    """What can be chosen, in words, and its values."""
    if "const" in schema:
        return ((str(schema["const"]), schema["const"]),)
    if kinds and all("const" in kind for kind in kinds):
        return tuple(
            (kind.get("title", kind["const"]), kind["const"]) for kind in kinds
        )
    values = schema.get("enum", ())
    low, high = schema.get("minimum"), schema.get("maximum")
    if schema.get("type") == "integer" and low is not None and high is not None:
        values = values or range(low, high + 1)
    if len(values) > FEW and "enum" not in schema:
        return ()
    return tuple((str(value), value) for value in values)


def _of_type(field: Field, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Field:
    match schema:
        case {"type": "object", "properties": parts}:
            found = [_field(key, part, defs) for key, part in parts.items()]
            found.sort(key=lambda part: not part.required)
            return replace(field, kind="parts", parts=tuple(found))
        case {"type": "array", "items": item}:
            return _of_items(field, _field("", item, defs), schema)
        case {"type": "array", "prefixItems": items}:
            made = tuple(_field(str(k), item, defs) for k, item in enumerate(items, 1))
            return replace(field, kind="row", parts=made)
        case {"type": "boolean"}:
            return replace(field, kind="choice", options=YES_OR_NO)
        case {"type": "integer" | "number"}:
            return replace(field, kind="number")
        case {"type": "string"}:
            return replace(field, kind="text")
    return field


def _of_items(field: Field, item: Field, schema: Mapping[str, Any]) -> Field:
    """The field of a list, by what its items are and how many there may be."""
    if item.kind == "choice":
        ranks = field.least == len(item.options) > 1
        kind = "ranking" if ranks else "several"
        return replace(field, kind=kind, options=item.options)
    if item.kind == "text" and not item.optional:
        return replace(field, kind="lines")
    if field.least and field.least == field.most:
        numbered = (
            replace(item, name=str(k + 1), title=str(k + 1)) for k in range(field.least)
        )
        return replace(field, kind="row", parts=tuple(numbered))
    return replace(field, kind="list", parts=(item,))
