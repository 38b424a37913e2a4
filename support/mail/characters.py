"""Characters that change how a text is read or where a header ends: which they are, and a text without them."""

from __future__ import annotations

import re
import unicodedata

HIDDEN_CATEGORIES = {"Cc", "Cf", "Zl", "Zp", "Cs"}  # controls, formats, line and paragraph separators, halves of a pair
SEEN_FORMATS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
# Joiners and variation selectors shape the letters before them. After ASCII, or many, they hide a text in another.
JOINERS = "\u034f\u17b4\u17b5\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
LONELY = re.compile(f"(?<![^\x00-\x7f])[{JOINERS}]+|[{JOINERS}]{{3,}}")
INVISIBLE = frozenset(
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff"
)
LINE_ENDS = str.maketrans({"\r": "\n", "\u2028": "\n", "\u2029": "\n", "\x85": "\n", "\x0b": "\n", "\x0c": "\n"})


def hidden(character: str) -> bool:
    """Whether a character is a control, ends a line, turns the reading order or cannot be shown at all.

    >>> [hidden(c) for c in ("a", "é", "\\n", "\\u202e")]
    [False, False, True, True]
    """
    shaping = character in "\u200c\u200d" or character in SEEN_FORMATS
    tag = ord(character) >> 12 == 0xE0 and not 0xE0100 <= ord(character) <= 0xE01EF  # a sentence that no screen shows
    return tag or (unicodedata.category(character) in HIDDEN_CATEGORIES and not shaping)


def first_hidden(text: str, allowed: str = "") -> str:
    """The first such character of a text that is not allowed there; "" if there is none.

    >>> first_hidden("two\\nlines"), first_hidden("two\\nlines", allowed="\\n")
    ('\\n', '')
    """
    lonely = LONELY.search(text)
    return next((c for c in text if c not in allowed and hidden(c)), lonely[0][0] if lonely else "")


def shown(text: str, limit: int) -> str:
    """One line for a person to read: hidden characters out, blanks as one, and at most `limit` characters.

    >>> shown("Ana\\r\\nBcc: eve@x.org", 100)
    'Ana Bcc: eve@x.org'
    """
    line = "".join(" " if c.isspace() else c for c in text if c.isspace() or not hidden(c))
    line = " ".join(LONELY.sub("", line).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def shown_text(text: str) -> str:
    """A text for a person to read: its line ends as newlines, its tabs, and nothing else that is hidden.

    >>> shown_text("a\\r\\nb\\tc\\x00")
    'a\\nb\\tc'
    """
    lines = text.replace("\r\n", "\n").translate(LINE_ENDS)
    return LONELY.sub("", "".join(c for c in lines if c in "\n\t" or not hidden(c)))
