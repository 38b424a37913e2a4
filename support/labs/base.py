"""The views of the labs, filled."""

from __future__ import annotations

from typing import Any

from support.forms import template


def fill(view: str, *values: Any) -> str:
    """One of the views of the labs' template, filled; every text in it is escaped."""
    return str(getattr(template("labs/labs.html.j2").module, view)(*values))


def cell(**values: Any) -> str:
    """The cell that makes a figure of the lab again."""
    return template("labs/cell.py.j2", False).render(values)
