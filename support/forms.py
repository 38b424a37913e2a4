"""What a person fills in for a reply: the fields of its schema, whoever shows them.

>>> from pydantic import BaseModel
>>> class Reply(BaseModel):
...     message: str | None
...     stars: int = 3
>>> [(part.name, part.kind, part.optional) for part in field_of(Reply).parts]
[('message', 'text', True), ('stars', 'number', False)]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ValidationError
from pydantic import Field as Shown

if TYPE_CHECKING:
    from jinja2 import Environment

Schema = Mapping[str, Any]
LINE = 80  # characters that fit into a field of one line
PLAIN = {
    "agrees": "I agree to",
    "done": "I have nothing to add",
    "levels": "how I like it",
    "members": "whom it suits",
    "prefers": "I prefer",
    "rather": "I would rather have",
    "reasons": "its reasons, by number",
    "target": "to",
    "whose": "whose words these are",
}
"""What a person reads in the place of a field's name, which a model is given."""
FEW, MANY = 11, 50  # choices that are shown side by side; numbers that are offered


@dataclass(frozen=True)
class Field:
    """One part of a reply, by what a person does.

    "text", "number", "choice", "several", "ranking", "lines"; "parts" (an object), "row"
    (so many in order), "list" (as many as one likes), "either" (an object of one of some
    kinds), "json" (anything else). `options` are pairs of words and a value; `parts`
    those of an object or a row, the one item of a list, the kinds of "either"; `optional`
    says that it may be None, `first` what stands there before; `hint` is the range of a
    number, or what the kind is called in an object.
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
    hint: str = ""
    least: int = 0
    most: int | None = None

    @property
    def long(self) -> bool:
        """Whether a text takes more than a line."""
        return self.most is None or self.most > LINE

    @property
    def many(self) -> bool:
        """Whether its options are a menu, and do not stand side by side."""
        return len(self.options) > FEW

    @property
    def flat(self) -> bool:
        """Whether its parts fit beside each other."""
        kinds = {part.kind for part in self.parts}
        return kinds == {"number"}

    @property
    def folds(self) -> bool:
        """Whether it is hidden until a box is ticked that says it is given."""
        small = ("text", "number", "choice", "json")
        return self.optional and self.kind not in small


def field_of(form: type[BaseModel]) -> Field:
    """The fields of a form, as the parts of one."""
    schema = form.model_json_schema() | {"title": ""}
    return _field("", schema, schema.get("$defs", {}))


def misfits(error: ValidationError, field: Field | None = None) -> list[str]:
    """What does not fit, a sentence for each place, in pydantic's words.

    Where the `field` is known, places have the names that a person reads.
    """
    found = []
    for wrong in error.errors():
        place = " ".join(_path(wrong["loc"], field))
        said = wrong["msg"].removeprefix("Value error, ")
        found.append(f"{place}: {said}" if place else said)
    return found


def _path(loc: tuple[Any, ...], field: Field | None) -> list[str]:
    names = []
    for part in loc:
        name = str(part)
        if field is None:
            names.append(name)
            continue
        if isinstance(part, int):
            name = str(part + 1)
        known = {one.name or name: one for one in field.parts}
        field = known.get(name)
        names.append(field.title or name if field else name)
    return names


def readable(text: str) -> str:
    """A text for a page that keeps line breaks: a line that begins with # stands out."""
    lines = []
    for line in text.split("\n"):
        heading = line.startswith("#")
        shown = escape(line.lstrip("# ") if heading else line)
        if heading:
            shown = f"<b>{shown}</b>"
        lines.append(shown)
    return "\n".join(lines)


@cache
def template(path: str, escapes: bool = True) -> Any:
    """A template of the package, by its path below it."""
    return templates(Path(__file__).parent, escapes).get_template(path)


def templates(folder: Any, escapes: bool = True, **how: Any) -> Environment:
    """The templates of a folder, or of several; a name that is given nothing is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=escapes,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **how,
    )


def labelled(kind: Any, words: Iterable[tuple[Any, str]]) -> Any:
    """Some values, with the words in which a person reads them."""
    pairs: list[Any] = [{"const": value, "title": said} for value, said in words]
    return Annotated[kind, Shown(json_schema_extra={"oneOf": pairs})]


# ---- from a schema to fields -----------------------------------------------------------


def _field(name: str, schema: Schema, defs: Schema) -> Field:
    """The field of a part of a schema."""
    if "$ref" in schema:
        outer = dict(schema)
        target = outer.pop("$ref").rpartition("/")[2]
        return _field(name, defs[target] | {"title": ""} | outer, defs)
    kinds = schema.get("anyOf", schema.get("oneOf", ()))
    filled = [kind for kind in kinds if kind.get("type") != "null"]
    if len(filled) == 1:
        outer = dict(schema)
        outer.pop("anyOf", None)
        outer.pop("oneOf", None)
        inner = _field(name, filled[0] | outer, defs)
        return replace(inner, optional=len(kinds) > 1)
    words = name.replace("_", " ")
    title = schema.get("title", "")
    if title in ("", words.title()):
        title = PLAIN.get(name, words)
    field = Field(
        name,
        "json",
        title,
        schema.get("description", "") if name else "",
        required="default" not in schema,
        first=schema.get("default"),
        least=schema.get("minItems", schema.get("minLength", 0)),
        most=schema.get("maxItems", schema.get("maxLength")),
    )
    if options := _options(schema, kinds):
        return replace(field, kind="choice", options=options)
    return _of_type(field, schema, defs)


def _options(schema: Schema, kinds: Any) -> tuple[tuple[str, Any], ...]:
    """What can be chosen, in words, and its values."""
    if schema.get("type") == "boolean":
        return (("yes", True), ("no", False))
    if kinds and all("const" in kind for kind in kinds):
        return tuple(
            (kind.get("title", kind["const"]), kind["const"]) for kind in kinds
        )
    values = schema.get("enum", ())
    if "const" in schema:
        values = [schema["const"]]
    if schema.get("type") == "integer":
        values = values or _numbers(**schema)
    return tuple((str(value), value) for value in values)


def _numbers(
    minimum: int | None = None,
    maximum: int | None = None,
    **_: Any,
) -> Sequence[int]:
    """Those that can be given, unless there are many."""
    if minimum is None or maximum is None:
        return ()
    numbers = range(minimum, maximum + 1)
    return numbers if len(numbers) <= MANY else ()


def _of_type(field: Field, schema: Schema, defs: Schema) -> Field:
    match schema:
        case {"discriminator": {"propertyName": key, "mapping": refs}}:
            order = [kind["$ref"] for kind in schema["oneOf"]]
            kinds = sorted(refs, key=lambda kind: order.index(refs[kind]))
            parts = tuple(_kind(key, kind, refs[kind], defs) for kind in kinds)
            return replace(
                field,
                kind="either",
                hint=key,
                parts=parts,
            )
        case {"type": "object", "properties": parts}:
            found = [_field(key, part, defs) for key, part in parts.items()]
            found.sort(key=lambda part: not part.required)
            return replace(field, kind="parts", parts=tuple(found))
        case {"type": "array", "items": item}:
            return _of_items(field, _field("", item, defs))
        case {"type": "array", "prefixItems": items}:
            found = []
            for k, item in enumerate(items, start=1):
                found.append(_field(str(k), item, defs))
            return replace(field, kind="row", parts=tuple(found))
        case {"type": "integer" | "number"}:
            return replace(field, kind="number", hint=_range(schema))
        case {"type": "string"}:
            return replace(field, kind="text")
    return field


def _kind(
    key: str,
    kind: str,
    ref: str,
    defs: Schema,
) -> Field:
    """One of the objects of which one is given; its kind is no part of it."""
    one = _field(kind, {"$ref": ref}, defs)
    parts = tuple(part for part in one.parts if part.name != key)
    return replace(one, title="", parts=parts)


def _range(schema: Schema) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is None or high is None:
        return ""
    return f"{low:g} to {high:g}"


def _of_items(field: Field, item: Field) -> Field:
    """The field of a list: by its name, its length, and what its items are."""
    if field.name == "ranking" and item.kind == "choice":
        return replace(field, kind="ranking", options=item.options)
    if field.least and field.least == field.most:
        parts = []
        for k in range(1, field.least + 1):
            parts.append(replace(item, name=str(k), title=str(k)))
        return replace(field, kind="row", parts=tuple(parts))
    if item.kind == "choice" and not item.optional:
        return replace(field, kind="several", options=item.options)
    if item.kind == "text" and not item.optional:
        return replace(field, kind="lines")
    return replace(field, kind="list", parts=(item,))
