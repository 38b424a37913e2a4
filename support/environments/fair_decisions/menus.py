"""The readable skin of a fair decision: menus as in the paper's prompts (003), and other things that groups decide.

The names lie in `data/inputs/fair_decisions/menus.toml`, whose README explains the fields. They carry no gains.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import Any

from support.data import inputs
from support.environments.fair_decisions.problem import FairDecisions
from support.errors import DamagedFile, InvalidInput, MissingData


@dataclass(frozen=True, slots=True)
class Skin:
    """Names for decisions and options without end.

    Attributes
    ----------
    about : what the group decides, one sentence
    names : the decisions in order; past the last they come again as `again` says
    kinds : for each of `names` the number of its list in `options`
    options : a list of options for each kind
    groups : how many decisions of each kind there are in `names`
    """

    name: str
    about: str
    names: tuple[str, ...]
    kinds: tuple[int, ...]
    options: tuple[tuple[str, ...], ...]
    groups: int
    again: str

    def decisions(self, n: int) -> tuple[str, ...]:
        """The first n decisions.

        >>> load()["meals"].decisions(36)[-2:]
        ('Sunday dinner', 'Monday breakfast of week 2')
        """
        return tuple(self._decision(j) for j in range(n))

    def options_of(self, j: int, m: int) -> tuple[str, ...]:
        """m options of decision j, counted from 0; the next decision of its kind goes on where they end.

        >>> load()["meals"].options_of(0, 2)
        ('porridge with plums', 'cheese omelette')
        """
        round_, place = divmod(j, len(self.names))
        known = self.options[self.kinds[place]]
        start = (round_ * self.groups + place // (len(self.names) // self.groups)) * m
        return tuple(_numbered(known, start, k) for k in range(m))

    def _decision(self, j: int) -> str:
        round_, place = divmod(j, len(self.names))
        name = self.names[place]
        return self.again.format(name=name, round=round_ + 1) if round_ else name


def named(problem: FairDecisions, skin: str | Skin = "meals") -> FairDecisions:
    """The same gains and participants, the decisions and options with the names of a skin.

    Raises
    ------
    InvalidInput
        On a skin that there is not.
    """
    known = load()
    if not isinstance(skin, Skin) and skin not in known:
        raise InvalidInput(f"skin: {skin!r} given; expected one of {', '.join(known)}, or a Skin (see menus.load)")
    chosen = skin if isinstance(skin, Skin) else known[skin]
    _, n, m = problem.shape
    options = tuple(chosen.options_of(j, m) for j in range(n))
    return FairDecisions(problem.gains, problem.participants, chosen.decisions(n), options)


@lru_cache(maxsize=8)
def load(path: Path | None = None) -> Mapping[str, Skin]:
    """All skins of a file by name, by default the project's own.

    Raises
    ------
    MissingData, DamagedFile
        The file is not there, or no TOML.
    InvalidInput
        Naming the skin and the field that does not fit.
    """
    source = inputs("fair_decisions", "menus.toml") if path is None else path
    try:
        tables = tomllib.loads(source.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise MissingData(f"{source} is not there; give a file in the form of fair_decisions/README.md") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DamagedFile(f"{source}: no TOML that can be read ({error}); mend it, nothing was changed") from error
    if not tables:
        raise InvalidInput(f"{source}: no skin; expected at least one table")
    return MappingProxyType({name: _skin(name, spec) for name, spec in tables.items()})


def _skin(name: str, spec: Any) -> Skin:
    if not isinstance(spec, Mapping):
        raise InvalidInput(f"skin {name}: {spec!r} given; expected a table")
    where = f"skin {name}"
    groups, kinds = _texts(where, spec, "groups"), _kinds(where, spec)
    decision = _template(where, spec, "decision", ("group", "kind"))
    return Skin(
        name=name,
        about=str(spec.get("about", "")),
        names=_different(where, "decisions", [decision.format(group=g, kind=k) for g, k in product(groups, kinds)]),
        kinds=tuple(range(len(kinds))) * len(groups),
        options=tuple(kinds.values()),
        groups=len(groups),
        again=_template(where, spec, "again", ("name", "round")),
    )


def _kinds(where: str, spec: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    rows = spec.get("kinds")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) and row.get("kind") for row in rows):
        raise InvalidInput(f"{where}: kinds {rows!r} given; expected [[kinds]] tables, each with a kind")
    _different(where, "kinds", [row["kind"] for row in rows])
    return {row["kind"]: _options(f"{where}, {row['kind']}", row) for row in rows}


def _options(where: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    if "option" not in row:
        return _different(where, "options", _texts(where, row, "options"))
    option = _template(where, row, "option", ("what", "how"))
    pairs = product(_texts(where, row, "how"), _texts(where, row, "what"))
    return _different(where, "options", [option.format(what=what, how=how) for how, what in pairs])


def _texts(where: str, spec: Mapping[str, Any], field: str) -> list[str]:
    given = spec.get(field)
    if not isinstance(given, list) or not given or not all(isinstance(t, str) and t.strip() for t in given):
        raise InvalidInput(f"{where}: {field} {given!r} given; expected a list of texts")
    return given


def _template(where: str, spec: Mapping[str, Any], field: str, names: Sequence[str]) -> str:
    given = spec.get(field)
    try:
        used = {name for _, name, _, _ in Formatter().parse(str(given)) if name is not None}
    except ValueError:  # an unclosed bracket
        used = set()
    if used != set(names):
        places = " and ".join(f"{{{name}}}" for name in names)
        raise InvalidInput(f"{where}: {field} {given!r} given; expected a text with {places}")
    return str(given)


def _different(where: str, field: str, names: Sequence[str]) -> tuple[str, ...]:
    if twice := [name for name in names if names.count(name) > 1]:
        raise InvalidInput(f"{where}: {field} has {twice[0]!r} more than once; expected different names")
    return tuple(names)


def _numbered(known: Sequence[str], start: int, k: int) -> str:
    name = known[(start + k) % len(known)]
    return f"{name} ({k // len(known) + 1})" if k >= len(known) else name
