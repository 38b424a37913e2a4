"""The new words of a reply: what it quotes and how it is signed are cut, and an answer is not.

mail-parser-reply finds where a quoted mail and a signature begin. It loses what stands below or between quoted lines,
takes a list or a line such as "Thanks, the 5th works" for a signature, and needs 45 s for 4000 characters made against
it. So it sees short lines only, and a cut that could hold an answer is not made: better a quote too many is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from support.mail.letters import WHOLE

if TYPE_CHECKING:
    from mailparser_reply.parser import EmailReply

LANGUAGES = (
    "en",
    "de",
    "fr",
    "es",
    "it",
    "nl",
    "pl",
    "sv",
)  # Danish closes with "Tak", which begins "Take the 5th"
SHORT = 240  # characters of a line that the library sees; where a quoted mail begins, the line is shorter
ATTRIBUTION = re.compile(
    r"@|\d{4}|\d:\d\d|\d\."
)  # "On Mon, 5 Sep 2026 at 10:02 Noor wrote:", not "On Monday I wrote:"
DATED = re.compile(
    r"\b(?:jan|feb|f[eé]v|m[aä]r|apr|avr|abr|ma[yi]|ju[nl]|gen|ene|mag|giu|lug|aug|ago|ao[uû]t|sept?|set|o[ck]t|ott|nov"
    r"|de[cz]|d[eé]c|dic|jui)[a-zéûß]{0,8}\b.*\d|\b(?:mon|tues|wednes|thurs|fri|mitt|diens|donners|frei)(?:day|tag|woch)",
    re.IGNORECASE,
)
ANSWERS = frozenset(
    [
        "yes",
        "no",
        "ja",
        "nein",
        "oui",
        "non",
        "sí",
        "si",
        "da",
        "nee",
        "ok",
        "okay",
        "ps",
        "p.s",
        "p.s.",
        "nb",
        "n.b.",
    ]
)
SIGNED_LINES = 10  # lines that a signature has at most
SIGNED_WORDS = 8  # words of one of its lines


def new_words(text: str) -> str:
    """What a reply says itself; if it seems to say nothing, all that it does not quote; "" if that is nothing too.

    >>> new_words("Yes, the 5th.\\n\\nOn Mon, 3 Aug 2026 at 10:02, Noor <n@x.org> wrote:\\n> Dear Ana,\\n> would you")
    'Yes, the 5th.'
    """
    lines = [
        " ".join(line.replace("\x00", "").split()) for line in text[:WHOLE].splitlines()
    ]
    # no two empty lines in a row: the library's patterns try every way to split them
    lines = _headless(
        [
            line
            for before, line in zip(["", *lines], lines, strict=False)
            if before or line
        ]
    )
    short = "\n".join(
        f"\x00{n}\x00" if len(line) > SHORT else line for n, line in enumerate(lines)
    )
    words = _unsigned(_unquoted(short)) or "\n".join(_own_lines(short))
    words = re.sub(r"\n{3,}", "\n\n", words).strip()
    return re.sub(r"\x00(\d+)\x00", lambda found: lines[int(found[1])], words)


def _headless(lines: list[str]) -> list[str]:
    """Lines without the "On …, Noor <n@x.org> wrote:" of any language that stands right above marked quotes."""
    kept: list[str] = []
    for line in lines:
        above = (
            [n for n in range(max(len(kept) - 3, 0), len(kept)) if kept[n]]
            if line.startswith(">")
            else []
        )
        if above and kept[above[-1]].endswith(":"):
            for begin in reversed(above):  # it may be wrapped before the address
                head = " ".join(kept[n] for n in above if n >= begin)
                if (
                    len(head) <= SHORT
                    and re.search(r"\d", head)
                    and re.search(r"@|\d:\d\d", head)
                ):
                    kept = kept[:begin]
                    break
        kept.append(line)
    return kept


def _parsed(text: str) -> list[EmailReply]:
    from mailparser_reply.parser import EmailMessage

    return (
        EmailMessage(text=text, languages=list(LANGUAGES), keep_hyphen_lists=True)
        .read()
        .replies
    )


def _unquoted(text: str) -> str:
    """The text without its quoted lines, and without a quoted mail that no sign marks line by line.

    A head of a quoted mail is believed that has a time or an address. Below one that is quoted itself, or whose quotes
    are marked, words of the sender may follow.
    """
    kept: list[str] = []
    for number, reply in enumerate(_parsed(text)):
        header = reply.headers or ""
        body = reply.content.removeprefix(header)
        believed = (
            header.count("\n") > 2
            or bool(ATTRIBUTION.search(header))
            or "---" in header
        )
        if (
            number
            and believed
            and not header.startswith(">")
            and not body.lstrip().startswith(">")
        ):
            break
        kept += _own_lines(body if believed or not number else reply.content)
    return "\n".join(kept).strip()


def _own_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.startswith(">")]


def _unsigned(text: str) -> str:
    """The text without its signature, as far as that is one and something is left."""
    signature = (_parsed(text)[0].signatures or "") if text else ""
    at = text.rfind(signature) if signature else -1
    if at <= 0 or not _is_signature([line for line in signature.split("\n") if line]):
        return text
    return text[:at].strip() or text


def _is_signature(lines: list[str]) -> bool:
    """Whether lines at the end of a mail say who wrote it and nothing else."""
    if (
        not lines
        or len(lines) > SIGNED_LINES
        or any(_may_answer(line) for line in lines)
    ):
        return False
    marked = set(lines[0]) <= {"-", "_"}
    return marked or all(
        word[0].isupper() or word[0] == "<"
        for word in lines[0].partition(",")[2].split()
    )


def _may_answer(line: str) -> bool:
    """Whether a line under a closing could be part of an answer: a date, a yes or no, a sentence."""
    words = line.split()
    sentence = len(words) > 2 and (line[-1] in ".!?…" or line[0].islower())
    answer = any(
        word.strip(",:;.!").casefold() in ANSWERS or word.casefold() in ANSWERS
        for word in words
    )
    return (
        "\x00" in line
        or sentence
        or answer
        or len(words) > SIGNED_WORDS
        or bool(DATED.search(line))
    )
