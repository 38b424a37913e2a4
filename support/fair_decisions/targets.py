"""Which decisions a text speaks of: by their names, numbers, order, options, or all and the rest of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from support.fair_decisions.lexicon import lexicon, section, tokens
from support.fair_decisions.problem import Table
from support.fair_decisions.records import Plan

NAMED, OPTION, WHOLE, REST, PRONOUN, UNCLEAR = (
    "named",
    "option",
    "whole",
    "rest",
    "pronoun",
    "unclear",
)
_POINTING = section("pointing")
COUNTED = {word: k + 1 for k, word in enumerate(_POINTING["count"])}
ORDERED = {word: k for k, word in enumerate(_POINTING["order"])} | dict.fromkeys(
    _POINTING["last"], -1
)
THINGS, PLAN, ALL, SOME = (
    frozenset(_POINTING[key]) for key in ("things", "plan", "all", "some")
)
DETERMINERS, SMALL = frozenset(_POINTING["determiners"]), frozenset(_POINTING["small"])
OPENERS = DETERMINERS | ALL | set(_POINTING["openers"])
SCOPES = {
    tuple(phrase.split()): scope
    for scope, phrases in section("scopes").items()
    for phrase in phrases
}
THROUGH = ("to", "through")
JOINING = (",", "and", "&", "or", "#", "/", "number", *THROUGH)
Pair = tuple[int, int]
"""A decision, and one of its options."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a part of a text speaks of: decisions, (decision, option) pairs, or neither where `scope` says it all."""

    scope: str
    decisions: tuple[int, ...] = ()
    pairs: tuple[Pair, ...] = ()
    loose: bool = False


Found = (
    tuple[int, Target] | None
)  # how many tokens from a place on name something, and what


class Names:
    """Finds the decisions of a table in a text; their order counts for "the second one"."""

    def __init__(self, table: Table) -> None:
        self.count = table.shape[1]
        self.words = lexicon()
        self.decisions = [tuple(tokens(name)) for name in table.decisions]
        self.options = [
            [tuple(tokens(name)) for name in names] for names in table.options
        ]
        self.exact = self._exact()
        self.firsts = {_digit(name[0]) for name in self.exact} | {
            name[0] for name in self.exact
        }
        self.longest = max(map(len, self.exact), default=0)
        self.stem, self.labels = self._numbered()
        self.nouns = {word + ending for word in self.stem[-1:] for ending in ("", "s")}
        self.loose = self._loose()

    def at(self, text: list[str], place: int) -> Found:
        """What is named from a place on; names only, no general words."""
        return self._series(text, place) or self._whole_name(text, place)

    def general(self, text: list[str], place: int) -> Found:
        """As `at`, for what names nothing by itself: order, all, the rest, pronouns, a word out of a name."""
        tried: tuple[Callable[[list[str], int], Found], ...] = (
            self._phrase, self._ordinal, self._rest, self._all, self._some, self._word
        )  # fmt: skip
        return next((found for find in tried if (found := find(text, place))), None)

    def _exact(self) -> dict[tuple[str, ...], Target]:
        pairs: defaultdict[tuple[str, ...], list[Pair]] = defaultdict(list)
        for d, names in enumerate(self.options):
            for k, name in enumerate(names):
                if not all(
                    word in self.words or word.isdigit() or len(word) < 3
                    for word in name
                ):  # "yes", "3"
                    pairs[name].append((d, k))
        found = {
            name: Target(OPTION, pairs=tuple(which)) for name, which in pairs.items()
        }
        for d, name in ((d, name) for d, name in enumerate(self.decisions) if name):
            found[name] = Target(NAMED, (d,))
            if len(name) == 2 and not name[1].isdigit():
                found |= {
                    (name[1], link, name[0]): Target(NAMED, (d,))
                    for link in ("on", "of", "for")
                }
        return found

    def _numbered(self) -> tuple[tuple[str, ...], dict[str, int]]:
        """What all names have before a number of their own: "meal", and the decision of each number."""
        if not all(self.decisions):  # a name of signs only
            return (), {}
        stems = {name[:-1] for name in self.decisions}
        labels = {name[-1]: d for d, name in enumerate(self.decisions)}
        if (
            len(stems) > 1
            or not min(stems)
            or not all(label.isdigit() for label in labels)
        ):
            return (), {}
        return min(stems), labels

    def _loose(self) -> dict[str, Target]:
        """Words that stand in the names of some decisions but not of all, or of a few options."""
        pairs: defaultdict[str, list[Pair]] = defaultdict(list)
        for d, names in enumerate(self.options):
            for k, name in enumerate(names):
                for word in self._telling(name, 4):
                    pairs[word].append((d, k))
        decisions: defaultdict[str, list[int]] = defaultdict(list)
        for d, name in enumerate(self.decisions):
            for word in self._telling(name, 3):
                decisions[word].append(d)
        found = {
            word: Target(OPTION, pairs=tuple(which), loose=True)
            for word, which in pairs.items()
        }
        few = {
            word: which for word, which in decisions.items() if len(which) < self.count
        }
        return found | {
            word: Target(NAMED, tuple(which), loose=True) for word, which in few.items()
        }

    def _telling(self, name: Sequence[str], length: int) -> set[str]:
        return {
            w
            for w in name
            if len(w) >= length
            and w.isalpha()
            and w not in SMALL
            and w not in self.words
        }

    def _noun(self, text: list[str], at: int) -> bool:
        return at < len(text) and (text[at] in THINGS or text[at] in self.nouns)

    def _whole_name(self, text: list[str], place: int) -> Found:
        if not self.firsts.intersection(
            (text[place], _digit(text[place]), *_singular(text[place]))
        ):
            return None
        for length in range(min(self.longest, len(text) - place), 0, -1):
            words = tuple(text[place : place + length])
            forms = (
                words,
                tuple(map(_digit, words)),
                *((*words[:-1], last) for last in _singular(words[-1])),
            )
            if target := next(
                (self.exact[form] for form in forms if form in self.exact), None
            ):
                return length, target
        return None

    def _series(self, text: list[str], place: int) -> Found:
        """A numbered decision and those counted up after it: "meals 1, 2 and 4", "meal two", "meals 1 to 3"."""
        end = at = place + len(self.stem)
        if (
            not self.stem
            or at > len(text)
            or tuple(text[place : at - 1]) != self.stem[:-1]
        ):
            return None
        if text[at - 1] not in self.nouns:
            return None
        found: list[int] = []
        while at < len(text):
            label = _digit(text[at])
            if label in self.labels and not (found and text[at] == "one"):
                through = found and text[end] in THROUGH
                found += (
                    range(found[-1] + 1, self.labels[label] + 1)
                    if through
                    else [self.labels[label]]
                )
                end = at + 1
            elif text[at] not in JOINING:
                break
            at += 1
        return (
            (end - place, Target(NAMED, tuple(dict.fromkeys(found)))) if found else None
        )

    def _phrase(self, text: list[str], place: int) -> Found:
        for length in (3, 2):
            if scope := SCOPES.get(tuple(text[place : place + length])):
                return length, Target(scope)
        return None

    def _ordinal(self, text: list[str], place: int) -> Found:
        """ "the first and third meals", "the last two", "second one"; "first" alone is no name."""
        start = place + (text[place] in DETERMINERS)
        at, found = start, list[int]()
        while at < len(text) and (
            text[at] in ORDERED
            or (found and text[at] in ("and", ",", "or", "the", "&"))
        ):
            found += (
                [ORDERED[text[at]] % self.count]
                if -self.count <= ORDERED.get(text[at], 99) < self.count
                else []
            )
            at += 1
        while at > start and text[at - 1] not in ORDERED:
            at -= 1
        number = COUNTED.get(text[at], 0) if at < len(text) and found else 0
        if number and text[at] != "one":
            last = text[at - 1] in ("last", "final")
            found, at = (
                [*range(self.count)][
                    -number if last else 0 : self.count if last else number
                ],
                at + 1,
            )
        noun = self._noun(text, at)
        if not found or not (noun or start > place):
            return None
        return at + noun - place, Target(NAMED, tuple(found))

    def _rest(self, text: list[str], place: int) -> Found:
        at = place + (text[place] in ("all", "the"))
        at += at < len(text) and text[at] == "the"
        if at >= len(text) or text[at] not in ("other", "remaining"):
            return None
        at += 1 + (at + 1 < len(text) and text[at + 1] in COUNTED)
        noun = self._noun(text, at)
        return (
            (at + noun - place, Target(REST))
            if noun or text[at - 1] in COUNTED
            else None
        )

    def _all(self, text: list[str], place: int) -> Found:
        """ "this plan", "all the meals", "no meal", "the meals"; the word that denies stays for the reader."""
        at = place
        while at < len(text) and at - place < 4 and text[at] in OPENERS:
            at += 1
        plan = at < len(text) and text[at] in PLAN
        things = (
            self._noun(text, at)
            and at > place
            and (text[at].endswith("s") or text[place] in ALL)
        )
        return (at + 1 - place, Target(WHOLE)) if plan or things else None

    def _some(self, text: list[str], place: int) -> Found:
        """ "two of the meals", "one of them", "three meals": nobody can tell which."""
        if text[place] not in COUNTED and text[place] not in SOME:
            return None
        at = place + 1
        while at < len(text) and text[at] in ("of", "the", "these", "those", "other"):
            at += 1
        ends = self._noun(text, at) or (
            at < len(text) and text[at] in ("them", "those")
        )
        return (at + 1 - place, Target(UNCLEAR)) if ends else None

    def _word(self, text: list[str], place: int) -> Found:
        """A word out of a name, or one that stands for decisions without one."""
        word, scope = text[place], SCOPES.get((text[place],))
        target = next(
            (self.loose[w] for w in (word, *_singular(word)) if w in self.loose), None
        )
        return (1, target or Target(scope or "")) if target or scope else None


@lru_cache(maxsize=64)
def names_of(table: Table) -> Names:
    """The `Names` of a table, made once."""
    return Names(table)


def resolved(
    targets: Sequence[Target], plan: Plan
) -> tuple[list[int], list[Pair], bool]:
    """The decisions that targets name, the options beside the plan, and whether some could not be told apart.

    An option that several decisions have is that of a decision named beside it; else the one that the plan chose;
    else the only one there is. Words that several names share narrow each other down: "Monday", "dinner".
    """
    decisions, others = _decisions(targets), list[Pair]()
    unclear, near = any(t.scope == UNCLEAR for t in targets), set(decisions)
    for target in (t for t in targets if t.scope == OPTION):
        fit = [pair for pair in target.pairs if not near or pair[0] in near]
        chosen = [d for d, k in fit if plan[d] == k]
        if len(chosen) == 1:
            decisions += [] if chosen[0] in decisions else chosen
        elif len(fit) == 1:
            others.append(fit[0])
        elif not target.loose and not decisions:
            unclear = True
    return decisions, others, unclear


def _decisions(targets: Sequence[Target]) -> list[int]:
    found, shared = list[int](), None
    for target in (t for t in targets if t.scope == NAMED):
        if target.loose and shared and shared & set(target.decisions):
            found = [d for d in found if d not in shared]
            shared &= set(target.decisions)
            found += sorted(shared)
        else:
            shared = set(target.decisions) if target.loose else None
            found += target.decisions
    return list(dict.fromkeys(found))


def _digit(word: str) -> str:
    return str(COUNTED[word]) if word in COUNTED else word


@lru_cache(maxsize=4096)
def _singular(word: str) -> tuple[str, ...]:
    return tuple(
        word.removesuffix(ending) for ending in ("s", "es") if word.endswith(ending)
    )
