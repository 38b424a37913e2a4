"""A table to sit at, and reading what a rule-based participant says by its own vocabulary."""

import re

import pytest

from support.environments.fair_decisions.views import Table
from support.participants.deciders.telling import RESTS, WHOLES
from support.participants.deciders.vocabulary import vocabularies

NAMES = (
    r"(?P<names>Meals? \d+(?:, \d+)*(?: and \d+)?|Meal \d+(?:(?:, | and )Meal \d+)*|" + "|".join(RESTS + WHOLES) + ")"
)
AGREEING = {"is": "(?:is|are)", "s": "s?", "does": "(?:does|do)"}


@pytest.fixture(scope="session")
def sit():
    """A function to the table of so many decisions and options."""

    def table(n=3, m=3, preferences="scores"):
        meals = tuple(f"Meal {i + 1}" for i in range(n))
        options = (tuple(f"Option {k + 1}" for k in range(m)),) * n
        return Table(("Ana", "Ben"), meals, options, preferences, 100)

    return table


@pytest.fixture(scope="session")
def understood():
    """A function from a text and its style to the levels of named meals, by place, and of the rest, if any."""
    return _understood


def _understood(text, style):
    known, rest = {}, None
    for clause in _clauses(text, vocabularies()[style]):
        level, names = _read(clause, style)
        numbers = re.findall(r"\d+", names)
        rest = rest if numbers else level
        known.update({int(number) - 1: level for number in numbers})
    return known, rest


def _clauses(text, vocabulary):
    lowered = text[0].lower() + text[1:]
    opening = max((o for o in vocabulary.openings if lowered.startswith(o)), key=len)
    between = [*vocabulary.joins, vocabulary.contrast]
    return re.split("|".join(re.escape(part) for part in between if part), lowered[len(opening) :].rstrip(".!"))


def _read(clause, style):
    found = []
    for level, wordings in enumerate(vocabularies()[style].levels):
        for wording in wordings:
            before, after = wording.split("{names}")
            pattern = (re.escape(part) for part in (before, after))
            before, after = (re.sub(r"\\\{(\w+)\\\}", lambda slot: AGREEING[slot[1]], part) for part in pattern)
            if match := re.fullmatch(before + NAMES + after, clause, re.IGNORECASE):
                found.append((level, match["names"]))
    assert len(found) == 1, f"{clause!r} of {style} reads as {found}"
    return found[0]
