"""Words without numbers: what a participant may say, whoever speaks for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from support.environments.fair_decisions.views import Table
from support.errors import InvalidInput

WORDS = 40
"""The most words of an answer (appendix A of 003)."""

MOST = 280
"""The most characters of an answer: bounds what a model can write, and what an estimator has to read."""

UNITS = "zero two three four five six seven eight nine ten eleven twelve hundreds? thousands? million dozen percent"
LARGER = r"(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|per cent"
NUMBER = re.compile(rf"[\d½¼¾][\d.,]*%?|\b(?:{UNITS.replace(' ', '|')}|{LARGER})\b", re.IGNORECASE)
"""Digits and number words; not "one", for "this one" tells no number."""

NUMBERED = re.compile(r"(.*\S) (\d+)")


def checked_words(text: Any, table: Table, most: int = MOST) -> str:
    """A text of 1 to `WORDS` words without numbers but those in names, each run of blanks made one.

    Names of decisions and options may hold digits; so may decisions named together, as in "Meals 1, 4 and 7".

    Raises
    ------
    InvalidInput
        When it is no such text, with what is wrong with it.
    """
    said = " ".join(text.split()) if isinstance(text, str) else ""
    if not said:
        raise InvalidInput(f"text: {text!r} given; expected words: say how satisfied the plan leaves you")
    if (count := len(said.split())) > WORDS or len(said) > most:
        raise InvalidInput(
            f"text: {count} words, {len(said)} characters given; expected at most {WORDS} words and {most} characters"
        )
    if found := number_in(said, table):
        raise InvalidInput(f"text: the number {found!r} given; expected words that tell no number, only satisfaction")
    return said


def number_in(text: str, table: Table) -> str | None:
    """The first number in a text, as digits or as a word, that is not part of a name; None where there is none.

    >>> table = Table(("Ana",), ("Meal 1", "Meal 2"), (("Option 1",),) * 2, "scores", 100)
    >>> number_in("Meals 1 and 2 are fine", table), number_in("Meal 1: about 80", table), number_in("a ten", table)
    (None, '80', 'ten')
    """
    found = NUMBER.search(_names(table).sub("…", text))
    return found.group() if found else None


def plural(noun: str) -> str:
    """The regular plural of an English noun.

    >>> plural("Meal"), plural("Dish"), plural("City"), plural("Day")
    ('Meals', 'Dishes', 'Cities', 'Days')
    """
    if re.search(r"(?:s|x|z|ch|sh)$", noun):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"


def together(names: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """The plural noun and the numbers of names that differ only in their number; None where they do not.

    >>> together(["Meal 1", "Meal 4"])
    ('Meals', ('1', '4'))
    """
    found = [part for part in map(_parts, names) if part]
    if len(names) < 2 or len(found) < len(names) or len({noun for noun, _ in found}) > 1:
        return None
    return plural(found[0][0]), tuple(number for _, number in found)


@cache
def _parts(name: str) -> tuple[str, str] | None:
    found = NUMBERED.fullmatch(name)
    return (found[1], found[2]) if found else None


@cache
def _names(table: Table) -> re.Pattern[str]:
    """Finds every name, and numbered decisions named together."""
    names = {*table.decisions, *(option for options in table.options for option in options)}
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    found = [re.escape(name) for name in longest_first]
    if shared := together(table.decisions):
        noun, numbers = re.escape(shared[0]), "|".join(sorted(shared[1], key=len, reverse=True))
        found.insert(0, rf"{noun} (?:{numbers})(?:(?:, and |, | and | or )(?:{numbers}))*")
    return re.compile(rf"(?<!\w)(?:{'|'.join(found)})(?!\w)", re.IGNORECASE)
