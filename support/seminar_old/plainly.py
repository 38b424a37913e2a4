"""Whether a sentence about dates is a plain yes: it can be cut into known pieces (`plainly.toml`) without a rest."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from support.seminar.data import lexicon

# what a clause is: a yes to its dates, its dates and nothing that says no, words without a date, or not understood
YES, BARE, AROUND, COURTESY, UNKNOWN = "yes", "bare", "around", "courtesy", ""

LONGEST, PIECE = 60, 16  # words of a clause that is tried, and of a piece of it
_POINTS = re.compile(r"[,;:!.()\"“”]+(?=\s|$|@)|(?:^|(?<=[\s@]))[,;:!.()\"“”]+|…")
_SMILE = re.compile(
    r"(?<!\S)[:=]-?\)+|[\U0001F642\U0001F60A\U0001F44D\u2713\u2714\u2705]\ufe0f?"
)
_DASHES = re.compile(r"(?<=\s)[-\u2013\u2014/*\u2022]+(?=\s)|\u2014")


@cache
def _pieces() -> dict[str, re.Pattern[str]]:
    known, filled = lexicon("plainly.toml")
    lists = {YES: known["yes"]["pieces"], "alone": known["yes"]["alone"], AROUND: known["around"]["pieces"],
             COURTESY: known["courtesy"]["pieces"]}  # fmt: skip
    kinds = {
        kind: re.compile("|".join(f"(?:{filled(piece)})" for piece in pieces))
        for kind, pieces in lists.items()
    }
    return kinds | {BARE: re.compile(filled("{date}"))}


@lru_cache(maxsize=4096)
def understood(clause: str, asked: bool = False) -> str:
    """What a clause is whose dates stand as "@"; `asked`: it answers a question about one date, which it need not name.

    >>> understood("I can do @ or @"), understood("@ I have to be at the dentist's"), understood("@ and @")
    ('yes', '', 'bare')
    """
    words = _words(clause)
    if words is None or len(words) > LONGEST:
        return UNKNOWN
    kinds = {
        kind: pattern for kind, pattern in _pieces().items() if asked or kind != "alone"
    }
    best: list[set[str] | None] = [
        set(),
        *[None] * len(words),
    ]  # what the words so far may be made of
    for begin in range(len(words)):
        here = best[begin]
        if here is None:
            continue
        for end in range(begin + 1, min(begin + PIECE, len(words)) + 1):
            text = " ".join(words[begin:end])
            for kind, pattern in kinds.items():
                if pattern.fullmatch(text):
                    best[end] = (
                        (best[end] or set()) | here | {YES if kind == "alone" else kind}
                    )
    found = best[-1]
    if found is None or (
        YES not in found and {BARE, COURTESY} <= found
    ):  # "thanks for the invitation for @"
        return UNKNOWN
    return next((kind for kind in (YES, BARE, AROUND) if kind in found), COURTESY)


def _words(clause: str) -> list[str] | None:
    """The words of a clause; None where it ends in what is no word, such as the minus of "@ -"."""
    plain = _SMILE.sub(" ", clause.casefold())
    plain = _POINTS.sub(" ", re.sub(r"@'s\b", "@ is", plain).replace("@", " @ "))
    if re.search(r"[-\u2013\u2014/]\s*$", plain):
        return None
    return _POINTS.sub(" ", _DASHES.sub(" ", plain)).replace("i 'm", "i'm").split()
