"""Plain spelling: one case, one kind of quotation mark and dash, contractions in full, numbers in digits, sentences."""

from __future__ import annotations

import re
from collections.abc import Callable

from support.environments.meetings.reading.vocabulary import NUMBERS

_TABLE = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": ",", "‑": "-", "…": "...", "\xa0": " "})
_TENS = "|".join(w for w, n in NUMBERS.items() if n >= 20)
_UNITS = "|".join(w for w, n in NUMBERS.items() if n < 10)
_PLAIN: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r" ?& ?", " and "),
    (r"\bi\.e\.|\be\.g\.", "that is"),
    (r"\b([ap])\. ?m\b\.?", r"\1m"),
    (r"\bcan'?t\b", "cannot"),
    (r"\bwon'?t\b", "will not"),
    (r"\b(do|does|did|is|are|was|were|would|could|should|have|has|must|need)n't\b", r"\1 not"),
    (r"\b(that|it|he|she|there|what|here)'s\b", r"\1 is"),
    (r"\b(i)'m\b", r"\1 am"),
    (r"\b(they|we|you)'re\b", r"\1 are"),
    (r"\b(\w+)'ll\b", r"\1 will"),
    (r"\b(i|he|she|they|we|you)'d\b", r"\1 would"),
    (r"\b(i|we|they|you)'ve\b", r"\1 have"),
    (r"\blet's\b", "let us"),
    (rf"\b({_TENS})[- ]({_UNITS}|one)\b", lambda m: str(_number(m[1]) + _number(m[2]))),
    (rf"\b({'|'.join(NUMBERS)})\b", lambda m: str(_number(m[1]))),
    (r"\bone(?= (?:to|until|till) \d)", "1"),
    (r"\bone(?= (?:full |whole |working |business )?(?:hours?|days?|weeks?|minutes?|am\b|pm\b|o'clock))", "1"),
    (r"\b(at|by|before|after|until|till|from|past|than|between) one\b(?! (?:of|more|another|who|that)\b)", r"\1 1"),
    (r"(\d(?: ?[ap]m)? (?:to|and|until|till) |\d ?- ?)one\b", r"\g<1>1"),
]


def _number(word: str) -> int:
    return NUMBERS.get(word, 1)


def plain(text: str) -> str:
    """A text in lower case and plain spelling.

    >>> plain("I can’t do  half past Nine a.m.")
    'i cannot do half past 9 am'
    """
    text = re.sub(r"\s+", " ", text.translate(_TABLE)).strip().lower()
    for pattern, replacement in _PLAIN:
        text = re.sub(pattern, replacement, text)
    return text


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text as they are written.

    >>> sentences("Hello! Before 10 a.m. is fine. Not at 9.30.")
    ('Hello!', 'Before 10 a.m. is fine.', 'Not at 9.30.')
    """
    text = re.sub(r"\s+", " ", text.replace("\n\n", ". ")).strip()
    parts = re.split(r"(?<=[.!?])(?<!\bi\.e\.)(?<!\be\.g\.)(?<!\b[aApP]\.[mM]\.)\s+(?=\S)", text)
    joined: list[str] = []
    for part in parts:  # "10 a.m. On Mondays" is split at the capital after all
        joined += re.split(r"(?<=[aApP]\.[mM]\.) (?=[A-Z][a-z])", part)
    return tuple(p for p in joined if re.search(r"\w", p))
