"""Characters that change how a text is read or where a header ends: which they are, and a text without them."""

from __future__ import annotations

import unicodedata

HIDDEN_CATEGORIES = {"Cc", "Zl", "Zp", "Cs"}  # controls, line and paragraph separators, halves of a pair
BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # turn the reading order
INVISIBLE = frozenset(
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff"
)
LINE_ENDS = str.maketrans({"\r": "\n", "\u2028": "\n", "\u2029": "\n", "\x85": "\n", "\x0b": "\n", "\x0c": "\n"})


def hidden(character: str) -> bool:
    """Whether a character is a control, ends a line, turns the reading order or cannot be shown at all.

    >>> [hidden(c) for c in ("a", "é", "\\n", "\\u202e")]
    [False, False, True, True]
    """
    if character in BIDI or unicodedata.category(character) in HIDDEN_CATEGORIES:
        return True
    return 0xE0000 <= ord(character) <= 0xE007F  # tags: a whole sentence that no screen shows


def first_hidden(text: str, allowed: str = "") -> str:
    """The first such character of a text that is not allowed there; "" if there is none.

    >>> first_hidden("two\\nlines"), first_hidden("two\\nlines", allowed="\\n")
    ('\\n', '')
    """
    return next((c for c in text if c not in allowed and hidden(c)), "")


def shown(text: str, limit: int) -> str:
    """One line for a person to read: hidden characters out, blanks as one, and at most `limit` characters.

    >>> shown("Ana\\r\\nBcc: eve@x.org", 100)
    'Ana Bcc: eve@x.org'
    """
    line = " ".join("".join(" " if c.isspace() else c for c in text if c.isspace() or not hidden(c)).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def shown_text(text: str) -> str:
    """A text for a person to read: its line ends as newlines, its tabs, and nothing else that is hidden.

    >>> shown_text("a\\r\\nb\\tc\\x00")
    'a\\nb\\tc'
    """
    lines = text.replace("\r\n", "\n").translate(LINE_ENDS)
    return "".join(c for c in lines if c in "\n\t" or not hidden(c))
