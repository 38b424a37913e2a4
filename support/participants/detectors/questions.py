"""The question of a flag: one sentence or two, at most forty words, with a question mark at the end."""

from __future__ import annotations

from support.errors import InvalidInput

WORDS = 40
"""Words of a question at most, as in section 3.5 and appendix C.2 of "DoubleAgents" (002)."""

QUOTED = 18  # words of a reply that a question quotes


def checked_question(text: str) -> str:
    """A question on one line.

    Raises
    ------
    InvalidInput
        When it is empty, has more than `WORDS` words, or does not end in a question mark.

    Examples
    --------
    >>> checked_question("He asks for two nights.  Shall we pay both?")
    'He asks for two nights. Shall we pay both?'
    """
    words = text.split()
    if not words or len(words) > WORDS or not words[-1].endswith("?"):
        raise InvalidInput(f"question: {len(words)} words given; expected 1 to {WORDS} that end in a question mark")
    return " ".join(words)


def asking(reply: str, what: str = "") -> str:
    """A question that quotes the reply, for who can tell that somebody has to decide, but not about what.

    >>> asking("May I bring my dog?")
    'This may be for you to decide: “May I bring my dog?” What shall I answer?'
    """
    words = " ".join(reply.split()).replace("“", "'").replace("”", "'").split()
    quote = " ".join(words[:QUOTED]) + (" …" if len(words) > QUOTED else "")
    return checked_question(f"{what or 'This may be for you to decide'}: “{quote}” What shall I answer?")
