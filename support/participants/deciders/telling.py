"""Levels of satisfaction into a short text: as many decisions by name as 40 words hold, the rest summed up.

Where there is room, one clause for each decision, in their order. Else decisions of one level share a clause, by full
names, or as "Meals 1, 4 and 7"; and where these are too many, those nearest to the middle of the style's levels are
left to "the rest", which is called by their mean level. So what is unsaid lies between what is said, and a text never
speaks worse of a decision than of another one that satisfies less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from support.participants.deciders.numberless import WORDS, together
from support.participants.deciders.vocabulary import Vocabulary

RESTS, WHOLES = ("the rest", "what remains", "the remainder"), ("the plan", "the whole plan")
Clause = tuple[float, str]  # its level, its words


def tell(names: Sequence[str], satisfaction: np.ndarray, vocabulary: Vocabulary, rng: np.random.Generator) -> str:
    """A text of at most `WORDS` words that tells how satisfied each decision's option leaves the speaker.

    Parameters
    ----------
    names : sequence of str
        The decisions.
    satisfaction : float array of shape (decisions,)
        From 0 to 1; what lies outside counts as the worst or the best level.
    rng : numpy.random.Generator
        Draws among wordings that say the same.
    """
    teller = _Teller.drawn(names, satisfaction, vocabulary, rng)
    return _capitalised(next(text for text in teller.texts() if len(text.split()) <= WORDS))


@dataclass(frozen=True)
class _Teller:
    """One speaker in one round, with everything drawn."""

    names: Sequence[str]
    levels: list[int]
    vocabulary: Vocabulary
    wordings: list[list[str]]  # for each level, in the order in which they are used
    opening: str
    join: str
    rest: str
    whole: str
    worst_first: bool
    order: list[int]  # of the decisions, the farthest from the middle first

    @classmethod
    def drawn(
        cls, names: Sequence[str], satisfaction: np.ndarray, vocabulary: Vocabulary, rng: np.random.Generator
    ) -> _Teller:
        def one(of: Sequence[str]) -> str:
            return of[int(rng.integers(len(of)))]

        levels = vocabulary.level(satisfaction).tolist()
        return cls(
            names,
            levels,
            vocabulary,
            [[level[i] for i in rng.permutation(len(level))] for level in vocabulary.levels],
            one(vocabulary.openings),
            one(vocabulary.joins),
            one(RESTS),
            one(WHOLES),
            bool(rng.integers(2)),
            _farthest_first(levels, satisfaction, vocabulary),
        )

    def texts(self) -> Iterator[str]:
        """Texts from the fullest to the shortest."""
        n, terse = len(self.names), self.vocabulary.brief
        most = self.vocabulary.most or n
        if n <= most and not terse:
            yield self._text(self._one_by_one(), self.opening)
        for named in range(min(n, most), -1, -1):
            for brief in (True,) if terse or named > WORDS / 2 else (False, True):  # what is numbered has two words
                clauses = self._grouped(named, brief)
                yield self._text(clauses, self.opening)
                yield self._text(clauses, "")

    def _one_by_one(self) -> list[Clause]:
        used = [0] * len(self.wordings)
        clauses: list[Clause] = []
        for name, level in zip(self.names, self.levels, strict=True):
            wordings = self.wordings[level]
            clauses.append((level, _filled(wordings[used[level] % len(wordings)], name)))
            used[level] += 1
        return clauses

    def _grouped(self, named: int, brief: bool) -> list[Clause]:
        """A clause for each level among the decisions farthest from the middle, and one for the rest."""
        chosen, rest = sorted(self.order[:named]), self.order[named:]
        clauses: list[Clause] = []
        for level in sorted({self.levels[i] for i in chosen}, reverse=not self.worst_first):
            group = [self.names[i] for i in chosen if self.levels[i] == level]
            several = len(group) > 1
            clauses.append((level, _filled(self.wordings[level][0], self._listed(group, brief), several)))
        if rest:
            level = round(sum(self.levels[i] for i in rest) / len(rest))
            clauses.append((level, _filled(self.wordings[level][-1], self.rest if chosen else self.whole)))
        return clauses

    def _listed(self, group: Sequence[str], brief: bool) -> str:
        shared = together(group) if brief else None
        noun, items = (f"{shared[0]} ", shared[1]) if shared else ("", tuple(group))
        if len(items) == 1 or self.vocabulary.brief:
            return noun + ", ".join(items)
        return f"{noun}{', '.join(items[:-1])} and {items[-1]}"

    def _text(self, clauses: Sequence[Clause], opening: str) -> str:
        """Clauses joined, a good and a bad one after another by a contrast, but never two contrasts in a row."""
        contrast, text, contrasted = self.vocabulary.contrast, opening + clauses[0][1], False
        sides = [self.vocabulary.side(level) for level, _ in clauses]
        for (_, words), before, side in zip(clauses[1:], sides, sides[1:], strict=False):
            contrasted = bool(contrast) and not contrasted and before * side < 0
            text += (contrast if contrasted else self.join) + words
        end = self.join.strip() if self.join.strip() != ";" else "."
        return text + end


def _farthest_first(levels: Sequence[int], satisfaction: np.ndarray, vocabulary: Vocabulary) -> list[int]:
    """Decisions by how far their level is from the middle, and within a level by how much more they are so."""

    def nearness(i: int) -> tuple[float, float]:
        side, felt = vocabulary.side(levels[i]), float(satisfaction[i])
        return -abs(side), felt if side < 0 else 1 - felt

    return sorted(range(len(levels)), key=nearness)


def _filled(wording: str, names: str, several: bool = False) -> str:
    singular = {"is": "is", "s": "s", "does": "does"}
    agreeing = {"is": "are", "s": "", "does": "do"} if several else singular
    return wording.format_map({"names": names, **agreeing})


def _capitalised(text: str) -> str:
    """The text with a capital at the start of each sentence."""
    return re.sub(r"(?:^|[.!] )\S", lambda start: start.group().upper(), text)
