"""Markup out of plain data: one environment of templates, which escapes and cleans every text, and one style sheet."""

from __future__ import annotations

import calendar as months
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from support.errors import InvalidInput
from support.mail.letters import shown_text
from support.seminar.data import day as as_day
from support.seminar.data import in_words
from support.seminar.records import ORGANISER

WEEK = tuple(
    zip(("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"), months.day_name, strict=True)
)


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    look: dict[str, Any] = {
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "lstrip_blocks": True,
    }
    folder = FileSystemLoader(Path(__file__).parent / "templates")
    made = Environment(loader=folder, autoescape=True, finalize=_clean, **look)
    seen = {"seen": lambda text: bool(shown_text(text).strip())}
    made.globals |= {"organiser": ORGANISER, "count": count, "weekdays": WEEK, **seen}
    made.filters |= {"when": when, "short": short}
    return made


def _clean(value: Any) -> Any:
    """A text without what would turn its reading order or cannot be shown; its lines and tabs stay."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return (
        value
        if value.replace("\n", "").replace("\t", "").isprintable()
        else shown_text(value)
    )


def fill(page: str, view: str, *values: Any) -> str:
    """A view of one of the templates ("boards", "chat", "post", "page"), filled."""
    return str(
        getattr(_environment().get_template(f"{page}.html.j2").module, view)(*values)
    )


@cache
def style() -> str:
    """The one sheet of rules."""
    return f"<style>{(Path(__file__).parent / 'style.css').read_text('utf-8')}</style>"


def count(number: int, thing: str, things: str = "") -> str:
    """A number of things in words.

    >>> count(1, "mail"), count(2, "reply", "replies")
    ('1 mail', '2 replies')
    """
    return f"{number} {thing if number == 1 else things or thing + 's'}"


def when(day: date | str) -> str:
    """A date in words; text that is no date as it stands."""
    try:
        return in_words(as_day(day, "day"))
    except InvalidInput:
        return str(day)


def short(day: date) -> str:
    """Day and month."""
    return f"{day.day} {day:%b}"
