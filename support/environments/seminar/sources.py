"""Files of `data/inputs/seminar`, read with an error that names the file and the way out."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.data import inputs
from support.errors import DamagedFile


def read_toml(name: str, path: str | Path | None, table: str) -> list[Mapping[str, Any]]:
    """The tables `[[table]]` of a file; of the project's own where no path is given.

    Raises
    ------
    DamagedFile
        When it is no TOML, or has no such tables.
    """
    file = Path(path) if path else inputs("seminar", name)
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))[table]
    except (OSError, tomllib.TOMLDecodeError, KeyError, UnicodeDecodeError) as error:
        raise DamagedFile(f"{file}: {error!r}; {_expected(table)}") from error
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise DamagedFile(f"{file}: {table} = {found!r} given; {_expected(table)}")
    return found


def _expected(table: str) -> str:
    readme = "data/inputs/seminar/README.md"
    return f"expected [[{table}]] tables (see {readme}), or restore it with git checkout -- data/inputs"
