"""What an annotator reads of a message: its sentences, or nothing, and then why."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from support.errors import InvalidInput

END_OF_SENTENCE = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+")
WORD = re.compile(r"[^\W_]")  # a letter or a digit of any script
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
FOREIGN = "not in Latin letters: it learnt from English"


def sentences(text: str) -> list[str]:
    """The sentences of a message that have a letter or a digit in them.

    >>> sentences("I take 3.5 of A. And you? :-)")
    ['I take 3.5 of A.', 'And you?']
    """
    if not isinstance(text, str):
        raise InvalidInput(f"text: {text!r} given; expected a string")
    return [part.strip() for part in END_OF_SENTENCE.split(text) if part and WORD.search(part)]


def masked(text: str) -> str:
    """A sentence with every number made the same: what a sentence does depends on none of them.

    Agents that bargain over amounts then say few different sentences, and each is embedded once.

    >>> masked("I take 33.34 of A and 7 of B")
    'I take 10 of A and 10 of B'
    """
    return NUMBER.sub("10", text)


def is_foreign(text: str) -> bool:
    """Whether most letters of a message are of another script than Latin."""
    letters = [c for c in text if c.isalpha()]
    return bool(letters) and sum(map(_is_latin, letters)) < len(letters) / 2


@lru_cache(maxsize=4096)
def _is_latin(letter: str) -> bool:
    return "LATIN" in unicodedata.name(letter, "")
