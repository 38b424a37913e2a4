"""Values drawn from a JSON schema: what a model that is held to its form could reply.

No library is used for the draws. Of those that are kept up, polyfactory builds from a pydantic class, where a transport
sees a JSON schema; jsf and hypothesis-jsonschema do read schemas, had their last release in early 2024, and bring Faker
or Hypothesis along. None would know what our forms ask beyond their schemas (see `Writer`).
"""

from __future__ import annotations

import importlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

LONG = 200  # characters of a text that has no limit
SELDOM = 0.1  # how often a null is drawn: a model that may decline seldom does
ENDS = re.compile(r"(?<![a-z])(done|finish|stop|end|agreed|accept|quit|clos)", re.IGNORECASE)
DEEPEST = 8  # from which depth a schema that contains itself is cut short
SENTENCE = (
    "perhaps the others would rather begin with something simpler because everybody agreed earlier that fairness "
    "matters more than speed and nobody should leave without having been heard by those whom the decision concerns "
    "although another proposal might balance different interests better if the remaining questions were answered"
)
FORMATS = {"date": "2027-03-01", "time": "10:00:00", "date-time": "2027-03-01T10:00:00Z", "email": "ana@example.org"}


def words(length: int, rng: np.random.Generator) -> str:
    """Plausible words, together of exactly so many characters."""
    known = SENTENCE.split()
    first = int(rng.integers(len(known)))
    turned = known[first:] + known[:first]
    line = " ".join(turned * (length // 100 + 1))[: max(0, length - 1)].rstrip().capitalize()
    return line.ljust(max(0, length - 1), "e") + "." if length > 1 else "e"[:length]


class Writer:
    """Draws a value that a JSON schema allows.

    What a schema cannot say and forms like ours ask for is met where its shape tells: numbers from 0 to one and the
    same greatest, in each field of an object, are drawn as shares of it; a list does not name a choice twice, and often
    names all where it has room for all.

    Parameters
    ----------
    rng : numpy.random.Generator
    fill : float
        The share of its greatest length that a text has; a list has up to twice that share. At 1 everything is full.
    ends : float
        How often what is named like an end ("done", "FINISH") is drawn where something else could be.
    definitions : mapping
        The schema's `$defs`.
    """

    def __init__(self, rng: np.random.Generator, fill: float, ends: float, definitions: Mapping[str, Any]) -> None:
        self._rng, self._fill, self._ends, self._definitions = rng, fill, ends, definitions

    def value(self, given: Mapping[str, Any], depth: int = 0, name: str = "") -> Any:
        """A value of this schema; `name` is that of its field."""
        node = self._resolved(given)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return self._one(self._kept(node["enum"]))
        if some := node.get("anyOf") or node.get("oneOf"):
            return self.value(self._branch(some, depth, name), depth + 1, name)
        kind = node.get("type", "object" if "properties" in node else "string")
        if isinstance(kind, list):
            return self.value({**node, **self._branch([{"type": one} for one in kind], depth, name)}, depth, name)
        draws = {"string": self._string, "integer": self._integer, "number": self._number}
        if kind in draws:
            return draws[kind](node)
        if kind == "array":
            return self._list(node, depth)
        if kind == "object":
            return self._object(node, depth)
        return self._chance(self._ends if ENDS.search(name) else 0.5) if kind == "boolean" else None

    def _resolved(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        """The node with what it refers to in its place."""
        while "$ref" in node:
            rest = {key: value for key, value in node.items() if key != "$ref"}
            node = {**self._definitions[node["$ref"].removeprefix("#/$defs/")], **rest}
        for part in node.get("allOf", ()):
            node = {**self._resolved(part), **{key: value for key, value in node.items() if key != "allOf"}}
        return node

    def _one(self, choices: Sequence[Any]) -> Any:
        return choices[int(self._rng.integers(len(choices)))]

    def _chance(self, share: float) -> bool:
        return bool(self._rng.random() < share)

    def _kept(self, choices: Sequence[Any]) -> Sequence[Any]:
        """The choices that are named like an end, or else the others."""
        ends = [one for one in choices if isinstance(one, str) and ENDS.match(one)]
        others = [one for one in choices if one not in ends]
        return (ends if self._chance(self._ends) else others) if ends and others else choices

    def _branch(self, some: Sequence[Mapping[str, Any]], depth: int, name: str) -> Mapping[str, Any]:
        none = [node for node in some if node.get("type") == "null"]
        rest = [node for node in some if node.get("type") != "null"]
        declined = 1 - self._ends if ENDS.search(name) else SELDOM * (self._fill < 1)
        if none and (not rest or depth > DEEPEST or self._chance(declined)):
            return none[0]
        if depth > DEEPEST:  # what refers to nothing cannot contain itself
            rest = [node for node in rest if "$ref" not in node] or rest
        return self._one(rest)

    def _string(self, node: Mapping[str, Any]) -> str:
        if "pattern" in node:
            return _Pattern(self._rng).text(node["pattern"])
        if node.get("format") in FORMATS:
            return FORMATS[node["format"]]
        low, high = node.get("minLength", 0), node.get("maxLength", LONG)
        return words(max(low, round(self._fill * high)), self._rng)

    def _integer(self, node: Mapping[str, Any]) -> int:
        low, high = _bounds(node)
        step = node.get("multipleOf", 1)
        first = math.floor(low / step) + 1 if low == node.get("exclusiveMinimum") else math.ceil(low / step)
        last = math.ceil(high / step) - 1 if high == node.get("exclusiveMaximum") else math.floor(high / step)
        return int(self._rng.integers(first, max(first, last) + 1)) * step

    def _number(self, node: Mapping[str, Any]) -> float:
        if "multipleOf" in node:
            return self._integer(node)
        low, high = _bounds(node)
        drawn = float(self._rng.uniform(low, high))
        return short if low < (short := round(drawn, 2)) < high else drawn

    def _list(self, node: Mapping[str, Any], depth: int) -> list[Any]:
        made = [self.value(item, depth + 1) for item in node.get("prefixItems", ())]
        low, high = node.get("minItems", 0), node.get("maxItems", node.get("minItems", len(made)) + 3)
        item = self._resolved(node.get("items") or {})
        if choices := list(item.get("enum", ())):
            return self._some(choices, low, high)
        if not item or (count := self._length(low, high, depth)) <= len(made):
            return made
        made += [self.value(item, depth + 1) for _ in range(count - len(made))]
        return list({json.dumps(one): one for one in made}.values()) if node.get("uniqueItems") else made

    def _some(self, choices: list[Any], low: int, high: int) -> list[Any]:
        """Some of the choices, each once while they last."""
        whole = high == len(choices) and self._rng.random() < 0.5
        count = high if whole else self._length(low, high)
        order = [choices[k] for k in self._rng.permutation(len(choices))]
        return (order * (count // len(order) + 1))[:count]

    def _length(self, low: int, high: int, depth: int = 0) -> int:
        if depth > DEEPEST:
            return low
        most = high if self._fill >= 1 else low + round(2 * self._fill * (high - low))
        return high if self._fill >= 1 else int(self._rng.integers(low, min(high, max(low, most)) + 1))

    def _object(self, node: Mapping[str, Any], depth: int) -> dict[str, Any]:
        parts = {name: self._resolved(part) for name, part in node.get("properties", {}).items()}
        if len(parts) > 1 and (whole := _whole(list(parts.values()))):
            return self._shares(parts, *whole)
        return {name: self.value(part, depth + 1, name) for name, part in parts.items()}

    def _shares(self, parts: Mapping[str, Any], most: float, columns: int, integer: bool) -> dict[str, Any]:
        """Numbers of which each column sums to the greatest that one of them may be."""
        pieces = int(most) if integer else 100
        drawn = self._rng.multinomial(pieces, [1 / len(parts)] * len(parts), size=max(columns, 1))
        table = drawn.T.tolist() if integer else np.round(drawn.T * (most / pieces), 10).tolist()
        return {name: row if columns else row[0] for name, row in zip(parts, table, strict=True)}


def _bounds(node: Mapping[str, Any]) -> tuple[float, float]:
    low, high = (node.get(side, node.get(f"exclusive{side.title()}")) for side in ("minimum", "maximum"))
    if low is None:
        low = 0 if high is None or high >= 0 else high - 100
    return low, low + 100 if high is None else high


def _whole(parts: Sequence[Mapping[str, Any]]) -> tuple[float, int, bool] | None:
    """What numbers could be shares of, in how many columns (0: no lists), and whether they are whole; or None."""
    found = set()
    for part in parts:
        columns, cell = 0, part
        if part.get("type") == "array" and part.get("minItems") == part.get("maxItems"):
            columns, cell = part.get("maxItems") or 0, part.get("items", {})
        if cell.get("type") not in ("integer", "number") or cell.get("minimum") != 0 or not cell.get("maximum"):
            return None
        found.add((cell["maximum"], columns, cell["type"] == "integer"))
    return found.pop() if len(found) == 1 else None


class _Pattern:
    """Draws a text that a regular expression matches, from the parse tree that Python's own `re` works with."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._parse: Any = importlib.import_module("re._parser").parse

    def text(self, pattern: str) -> str:
        return "".join(self._part(str(kind), given) for kind, given in self._parse(pattern))

    def _part(self, kind: str, given: Any) -> str:
        if kind == "LITERAL":
            return chr(given)
        if kind == "IN":
            return self._member(*given[int(self._rng.integers(len(given)))])
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, inner = given
            return "".join(self._all(inner) for _ in range(int(self._rng.integers(low, min(high, low + 3) + 1))))
        if kind in ("SUBPATTERN", "ATOMIC_GROUP"):
            return self._all(given[-1] if kind == "SUBPATTERN" else given)
        if kind == "BRANCH":
            return self._all(given[1][int(self._rng.integers(len(given[1])))])
        return "a" if kind in ("ANY", "NOT_LITERAL") else ""

    def _all(self, inner: Any) -> str:
        return "".join(self._part(str(kind), given) for kind, given in inner)

    def _member(self, kind: Any, given: Any) -> str:
        if str(kind) == "RANGE":
            return chr(int(self._rng.integers(given[0], given[1] + 1)))
        classes = {"CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " ", "CATEGORY_NOT_DIGIT": "a", "CATEGORY_NOT_WORD": "-"}
        return chr(given) if str(kind) == "LITERAL" else classes.get(str(given), "a")
