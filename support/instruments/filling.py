"""Whether a filled-in form fits its instrument, and the cells that it makes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from support.errors import InvalidInput
from support.instruments.records import GATES, Answer, Instrument, Item, Section

LONGEST = 2000
"""Characters of a free text."""
ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")


def check_form(instrument: Instrument, answers: Mapping[str, Any]) -> tuple[Answer, ...]:
    """The cells of a whole form; the answers to eligibility and consent are checked and left out.

    Parameters
    ----------
    answers : mapping
        For each item id: a whole number (likert5, choice), a sequence of them (multiple), a number, or a text.
        None, "" and () stand for an item that was left blank.

    Raises
    ------
    InvalidInput
        An unknown item, one that is required and blank, an answer that does not fit, or a form that was not let
        through by eligibility or consent.
    """
    if unknown := sorted(set(answers) - set(instrument.items)):
        known = ", ".join(instrument.items)
        raise InvalidInput(f"{instrument.name} has no item {', '.join(map(repr, unknown))}; it has {known}")
    cells: list[Answer] = []
    for section in instrument.sections:
        found = check_section(section, answers)
        if why := refusal(section, answers):
            raise InvalidInput(f"{section.id}: {why}; nothing of such a form is kept, record it as a refusal")
        cells += found if section.kind not in GATES else []
    return tuple(cells)


def refusal(section: Section, answers: Mapping[str, Any]) -> str | None:
    """Why a respondent may not go on after a section ("not eligible", "no consent"), or None."""
    if all(item.passes is None or answers.get(item.id) == item.passes for item in section.items):
        return None
    return "no consent" if section.kind == "consent" else "not eligible"


def missing(section: Section, answers: Mapping[str, Any]) -> list[Item]:
    """The items of a section that are required and blank."""
    return [item for item in section.items if item.required and blank(answers.get(item.id))]


def check_section(section: Section, answers: Mapping[str, Any]) -> list[Answer]:
    """The cells of one section.

    Raises
    ------
    InvalidInput
        Required items that are blank, all of them named; or an answer that does not fit its item.
    """
    if absent := missing(section, answers):
        names = ", ".join(item.id for item in absent)
        raise InvalidInput(f"{section.id}: no answer to {names}; please answer what is marked as required")
    return [cell for item in section.items for cell in cells_of(item, answers.get(item.id))]


def blank(value: Any) -> bool:
    """Whether an answer says nothing."""
    return value is None or value in ((), []) or (isinstance(value, str) and not value.strip())


def cells_of(item: Item, value: Any) -> Iterator[Answer]:
    """The cells that an answer to an item makes: none for a blank one, one for each tick of a multiple.

    Raises
    ------
    InvalidInput
        When the answer does not fit, saying what was expected.
    """
    if not blank(value):
        yield from _READ[item.kind](item, value)


def _read_choice(item: Item, value: Any) -> Iterator[Answer]:
    labels = {choice.value: choice.label for choice in item.choices}
    if isinstance(value, bool) or not isinstance(value, int) or value not in labels:
        expected = ", ".join(f"{number} ({label})" for number, label in labels.items())
        raise InvalidInput(f"{item.id}: {value!r} given; expected one of {expected}")
    yield Answer(item, value, labels[value])


def _read_multiple(item: Item, value: Any) -> Iterator[Answer]:
    if not isinstance(value, tuple | list) or len(set(value)) < len(value):
        raise InvalidInput(f"{item.id}: {value!r} given; expected a list of choices, each once")
    for number in value:
        yield from _read_choice(item, number)


def _read_text(item: Item, value: Any) -> Iterator[Answer]:
    if not isinstance(value, str) or len(value) > LONGEST:
        size = f"{len(value)} characters" if isinstance(value, str) else repr(value)
        raise InvalidInput(f"{item.id}: {size} given; expected a text of at most {LONGEST} characters")
    if found := ADDRESS.search(value):
        raise InvalidInput(f"{item.id}: {found[0]!r} looks like an e-mail address; please take it out of the text")
    yield Answer(item, None, value.strip())


def _read_number(item: Item, value: Any) -> Iterator[Answer]:
    try:
        number = float(value.replace(",", ".") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not item.low <= number <= item.high:
        expected = f"a number from {item.low:g} to {item.high:g} {item.unit}".rstrip()
        raise InvalidInput(f"{item.id}: {value!r} given; expected {expected}")
    yield Answer(item, number, "")


_READ: dict[str, Callable[[Item, Any], Iterator[Answer]]] = {
    "likert5": _read_choice,
    "choice": _read_choice,
    "multiple": _read_multiple,
    "text": _read_text,
    "number": _read_number,
}
