"""The views of the labs, filled."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from support.forms import templates


@cache
def _template(name: str, escapes: bool) -> Any:
    return templates(Path(__file__).parent, escapes).get_template(name)


def fill(view: str, *values: Any) -> str:
    """One of the views of the labs' template, filled; every text in it is escaped."""
    return str(getattr(_template("labs.html.j2", True).module, view)(*values))


def cell(**values: Any) -> str:
    """The cell that makes a figure of the lab again."""
    return _template("cell.py.j2", False).render(values)
