"""What every table of an instrument's file has to hold, and the error that says what it holds instead."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.errors import DamagedFile


def toml(path: Path) -> tuple[dict[str, Any], bytes]:
    """What a TOML file holds, and its bytes; DamagedFile when it is absent or no TOML."""
    if not path.is_file():
        raise DamagedFile(f"{path} is not there; expected a TOML file. Restore it with git checkout -- data/inputs.")
    content = path.read_bytes()
    try:
        return tomllib.loads(content.decode("utf-8")), content
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DamagedFile(f"{path} is no TOML: {error}. Restore it from a copy, or mend that place.") from None


def fields(raw: Any, expected: Mapping[str, Any], path: Path, where: str) -> None:
    """Refuse a table that lacks a field, has one too many, or has one of another type."""
    if not isinstance(raw, dict):
        raise wrong(path, where, raw, f"a table with {', '.join(expected)}")
    for name, kind in expected.items():
        if name not in raw:
            raise wrong(path, f"{where}, {name}", None, f"{name} to be given")
        if not isinstance(raw[name], kind) or (isinstance(raw[name], bool) and kind is not bool):
            what = getattr(kind, "__name__", "a number")
            raise wrong(path, f"{where}, {name}", raw[name], f"the type {what}")
        if raw[name] == "" and name not in ("text", "scenario", "unit"):
            raise wrong(path, f"{where}, {name}", "", "something that is not empty")
    if extra := sorted(set(raw) - set(expected)):
        raise wrong(path, where, extra, f"only {', '.join(expected)}")


def names(raw: Sequence[Any], path: Path, where: str) -> tuple[str, ...]:
    """A list of texts, each once; else DamagedFile."""
    if not raw or not isinstance(raw, list) or not all(isinstance(name, str) and name for name in raw):
        raise wrong(path, where, raw, "a list of texts, one or more")
    if len(set(raw)) < len(raw):
        raise wrong(path, where, raw, "each of them once")
    return tuple(raw)


def one_of(value: Any, known: Sequence[str], path: Path, where: str) -> None:
    """Refuse a value that is not among the known ones."""
    if value not in known:
        raise wrong(path, where, value, f"one of {', '.join(known)}")


def wrong(path: Path, where: str, value: Any, expected: str) -> DamagedFile:
    """The error that names file, field, value and what was expected."""
    return DamagedFile(f"{path}: {where} is {value!r}; expected {expected}.")
