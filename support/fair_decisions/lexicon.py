"""Words of satisfaction (`lexicon.toml`): which level each stands for, and which turn, strengthen or weaken others."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

ENDINGS = (
    ("ies", "y"),
    ("ed", ""),
    ("ed", "e"),
    ("ing", ""),
    ("ing", "e"),
    ("es", ""),
    ("s", ""),
    ("d", ""),
    ("ly", ""),
)
SHORT = {
    "cannot": "can not", "can't": "can not", "won't": "will not", "shan't": "shall not", "ain't": "is not",
    "dont": "do not", "cant": "can not", "doesnt": "does not", "isnt": "is not",
}  # fmt: skip
WRITTEN_SHORT = re.compile(rf"\b(?:{'|'.join(SHORT)})\b")
TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|[.,;:!?()/%#&\n\u2013\u2014-]")


@dataclass(frozen=True, slots=True)
class Entry:
    """One word or phrase: its role, and the level from 0 to 1 or the factor that goes with it."""

    role: str
    number: float = 0.0


class Lexicon:
    """All entries by their words; `longest` is the number of words in the longest phrase that begins with a word."""

    def __init__(self, entries: Mapping[tuple[str, ...], Entry]) -> None:
        self.entries, self.longest = entries, dict[str, int]()
        for words in entries:
            self.longest[words[0]] = max(len(words), self.longest.get(words[0], 0))

    def at(self, tokens: list[str], place: int) -> tuple[int, Entry] | None:
        """How many tokens from a place on are an entry, the longest that fits, and which; None if none is."""
        ahead = tokens[place:]
        found = self._phrase(ahead, least=2) or self._varied(ahead)
        return found or self._phrase(ahead[:1]) or self._inflected(ahead[0])

    def __contains__(self, word: str) -> bool:
        return self.at([word], 0) is not None

    def _varied(self, words: list[str]) -> tuple[int, Entry] | None:
        """A phrase whose verb is plural ("let me down"), or scaled after its "not" ("not quite my thing")."""
        first, rest = words[0], words[1:]
        scaled = (
            first == "not"
            and rest
            and self.entries.get((rest[0],), Entry("")).role == "modifier"
        )
        found = self._phrase(
            [first, *rest[1:]] if scaled else [f"{first}s", *rest], least=2
        )
        return (found[0] + bool(scaled), found[1]) if found else None

    def _phrase(self, words: list[str], least: int = 1) -> tuple[int, Entry] | None:
        for length in range(
            min(self.longest.get(words[0], 0), len(words)), least - 1, -1
        ):
            if entry := self.entries.get(tuple(words[:length])):
                return length, entry
        return None

    @cache  # noqa: B019  # of the one lexicon that there is
    def _inflected(self, word: str) -> tuple[int, Entry] | None:
        """A word of satisfaction with an English ending: "loved", "enjoys"."""
        for ending, instead in ENDINGS:
            stem = word.removesuffix(ending) + instead
            entry = (
                self.entries.get((stem,))
                if word.endswith(ending) and len(stem) > 2
                else None
            )
            if entry and entry.role in ("level", "change", "preferring"):
                return 1, entry
        return None


@cache
def lexicon() -> Lexicon:
    """The lexicon of this package."""
    entries: dict[tuple[str, ...], Entry] = {}
    for name, role in (
        ("modifiers", "modifier"),
        ("levels", "level"),
        ("comparatives", "comparative"),
    ):
        for number, phrases in _file()[name].items():
            entries |= {tuple(p.split()): Entry(role, float(number)) for p in phrases}
    for role in ("change", "preferring", "silent"):
        entries |= {
            tuple(p.split()): Entry(role, _file()[role].get("level", 0.0))
            for p in _file()[role]["phrases"]
        }
    for role, phrases in _file()["turns"].items():
        kept = (tuple(p.split()) for p in phrases)
        entries |= {
            words: Entry(role)
            for words in kept
            if entries.get(words, Entry(role)).role != "modifier"
        }
    return Lexicon(entries)


def section(name: str) -> Mapping[str, Sequence[str]]:
    """A section of the file that holds lists of words: "pointing", "scopes"."""
    return _file()[name]


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(
        files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
    )


def tokens(text: str) -> list[str]:
    """Lower-case words, numbers and marks, with the short forms written out."""
    text = text.lower().replace("\u2019", "'")
    text = WRITTEN_SHORT.sub(lambda short: SHORT[short[0]], text)
    for pattern, full in (
        (r"n't\b", " not"),
        (r"'d\b", " would"),
        (r"'ll\b", " will"),
        (r"'\w{1,2}\b", ""),
    ):
        text = re.sub(pattern, full, text)
    text = re.sub(r"\bno\.\s*(?=\d)", "", text)  # "no. 2"
    text = re.sub(r"(\d)\s*[-\u2013]\s*(?=\d)", r"\1 to ", text)  # "1-3"
    return TOKEN.findall(re.sub(r"(?<=\w)-(?=\w)", " ", text))
