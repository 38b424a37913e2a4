"""Participants whose whole behaviour is stated here, and what any participant may say: words without numbers.

They report their true total, compare plans by their totals, and tell their satisfaction with each decision's option in
a vocabulary of their own. What they tell depends on no other participant and on no earlier round.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from support.errors import InvalidInput
from support.fair_decisions.problem import (
    COMPARED,
    COMPARISON,
    COUNTS,
    RANKINGS,
    SCORE,
    Table,
)
from support.fair_decisions.records import Feedback, Plan

STYLES = ("plain", "terse", "polite", "blunt", "vague", "enthusiastic", "understated")
"""The tables of `vocabulary.toml`, which says how each of them talks."""
MOST_WORDS, MOST = (
    40,
    280,
)  # of an answer (appendix A of 003); characters, what a model can write and an estimator read
PLACES = ("first", "second")
RESTS, WHOLES = (
    ("the rest", "what remains", "the remainder"),
    ("the plan", "the whole plan"),
)


@dataclass(frozen=True, eq=False)
class Own:
    """What a participant knows and nobody else does: its gains, int of shape (decisions, options), and its noise.

    In words, noise is the standard deviation of its perceived satisfaction with an option, from 0 to 1. In a comparison
    it is the scale of the logistic error, in units of the difference between best and worst option of a decision, on
    average over decisions. Scores are exact.
    """

    table: Table
    gains: np.ndarray
    noise: float = 0.0

    def totals(self, plans: Sequence[Plan]) -> list[int]:
        """The total V_i for each plan."""
        return [
            int(self.gains[np.arange(len(plan)), list(plan)].sum()) for plan in plans
        ]

    def judged(
        self, name: str, plans: Sequence[Plan], feedback: str
    ) -> Feedback | None:
        """The true score, or the true comparison; None in words."""
        if feedback == SCORE:
            return Feedback(name, score=self.totals(plans)[0])
        if feedback == COMPARISON:
            first, second = self.totals(plans)
            return Feedback(
                name,
                prefers=None if first == second else int(second > first),
                alike=first == second,
            )
        return None


class RuleBasedDecider:
    """A participant that talks in one of `STYLES`; `rng` draws wordings, and errors where there is noise."""

    def __init__(
        self, me: str, rng: np.random.Generator, own: Own, style: str = "plain"
    ) -> None:
        self.me, self.rng, self.own, self.style, self.kind = (
            me,
            rng,
            own,
            style,
            f"rule-based {style}",
        )

    async def judge(self, plans: Sequence[Plan], feedback: str) -> Feedback:
        """Answer to a plan by its total or in words, or say which of two it prefers."""
        if feedback == COMPARED:
            return Feedback(
                self.me,
                text=self._compared(
                    plans, (await self.judge(plans, COMPARISON)).prefers
                ),
            )
        truth = self.own.judged(self.me, plans, feedback)
        if truth is None:
            return Feedback(
                self.me, text=self._told(plans[0], range(len(plans[0])), MOST_WORDS)
            )
        if (
            truth.prefers is not None
            and self.own.noise
            and self.rng.random() < self._chance(plans)
        ):
            return Feedback(self.me, prefers=1 - truth.prefers)
        return truth

    def _compared(self, plans: Sequence[Plan], prefers: int | None) -> str:
        """Which plan it prefers, and how each of them satisfies where they differ."""
        said = (
            "I like both plans alike."
            if prefers is None
            else f"I prefer the {PLACES[prefers]} plan."
        )
        if differ := [
            j for j, (one, other) in enumerate(zip(*plans, strict=True)) if one != other
        ]:
            room = (
                MOST_WORDS - 9
            ) // 2  # for each plan, beside what is said above and below
            for place, plan in zip(PLACES, plans, strict=True):
                said += f" {place.capitalize()} plan: {self._told(plan, differ, room)}"
        return said

    def _told(self, plan: Plan, decisions: Sequence[int], most: int) -> str:
        felt = satisfaction(self.own.gains, self.own.table.preferences)[
            decisions, [plan[j] for j in decisions]
        ]
        if self.own.noise:
            felt = felt + self.own.noise * self.rng.standard_normal(len(felt))
        names = [self.own.table.decisions[j] for j in decisions]
        return tell(names, felt, vocabularies()[self.style], self.rng, most)

    def _chance(self, plans: Sequence[Plan]) -> float:
        """How likely the worse plan is called the better one: it falls in the difference."""
        first, second = self.own.totals(plans)
        difference = abs(first - second) / (
            self.own.noise * np.ptp(self.own.gains, axis=1).mean()
        )
        return float(
            (1 - np.tanh(difference / 2)) / 2
        )  # 1 / (1 + exp(difference)), which cannot overflow


def satisfaction(gains: np.ndarray, preferences: str) -> np.ndarray:
    """How satisfied each option leaves the participant: float from 0 to 1, of the shape of `gains`.

    Scores: the option's share of the decision's points, bent so that an equal share, 1/m, is 0.5. Rankings: the share
    of the other options that it beats, a tie counting for one half. Counts: where the gain lies between the decision's
    smallest, 0, and its largest, 1. What tells no options apart (a single option, equal counts) is 0.5.
    """
    if (m := gains.shape[1]) == 1:
        return np.full(gains.shape, 0.5)
    if preferences == RANKINGS:
        this, other = gains[:, :, None], gains[:, None, :]
        return ((other < this).sum(axis=2) + ((other == this).sum(axis=2) - 1) / 2) / (
            m - 1
        )
    if preferences == COUNTS:
        return _shares(
            gains - gains.min(axis=1, keepdims=True), np.ptp(gains, axis=1), 0.5
        )
    return _shares(gains, gains.sum(axis=1), 1 / m) ** (np.log(2) / np.log(m))


def _shares(parts: np.ndarray, whole: np.ndarray, otherwise: float) -> np.ndarray:
    """Parts over the whole of their row; `otherwise` where that is 0."""
    given = whole[:, None].astype(float)
    return np.divide(parts, given, out=np.full(parts.shape, otherwise), where=given > 0)


# ---- words without numbers -------------------------------------------------------------------------------------------

UNITS = "zero two three four five six seven eight nine ten eleven twelve hundreds? thousands? million dozen percent"
LARGER = r"(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|per cent"
NUMBER = re.compile(
    rf"[\d½¼¾][\d.,]*%?|\b(?:{UNITS.replace(' ', '|')}|{LARGER})\b", re.IGNORECASE
)
"""Digits and number words; not "one", for "this one" tells no number."""


def checked_words(text: Any, table: Table, most: int = MOST) -> str:
    """A text of 1 to `MOST_WORDS` words without numbers but those in names ("Meals 1, 4 and 7"), blanks made one."""
    said = " ".join(text.split()) if isinstance(text, str) else ""
    if not said:
        raise InvalidInput(
            f"text: {text!r} given; expected words: say how satisfied the plan leaves you"
        )
    if (count := len(said.split())) > MOST_WORDS or len(said) > most:
        limits = f"at most {MOST_WORDS} words and {most} characters"
        raise InvalidInput(
            f"text: {count} words, {len(said)} characters given; expected {limits}"
        )
    if found := NUMBER.search(_names(table).sub("…", said)):
        number = found.group()
        raise InvalidInput(
            f"text: the number {number!r} given; expected words that tell no number, only satisfaction"
        )
    return said


@cache
def _names(table: Table) -> re.Pattern[str]:
    """Finds every name, and numbered decisions named together."""
    names = {
        *table.decisions,
        *(option for options in table.options for option in options),
    }
    found = [
        re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name))
    ]
    if shared := together(table.decisions):
        noun, numbers = (
            re.escape(shared[0]),
            "|".join(sorted(shared[1], key=len, reverse=True)),
        )
        found.insert(
            0, rf"{noun} (?:{numbers})(?:(?:, and |, | and | or )(?:{numbers}))*"
        )
    return re.compile(rf"(?<!\w)(?:{'|'.join(found)})(?!\w)", re.IGNORECASE)


def together(names: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """The plural noun and the numbers of names that differ only in their number; None where they do not.

    >>> together(["Meal 1", "Meal 4"]), together(["City 1", "City 2"]), together(["Dish 1", "Dish 2"])
    (('Meals', ('1', '4')), ('Cities', ('1', '2')), ('Dishes', ('1', '2')))
    """
    found = [
        part.groups()
        for part in (re.fullmatch(r"(.*\S) (\d+)", name) for name in names)
        if part
    ]
    if (
        len(names) < 2
        or len(found) < len(names)
        or len({noun for noun, _ in found}) > 1
    ):
        return None
    noun = re.sub(
        r"(?<=[^aeiou])y$", "ie", re.sub(r"(s|x|z|ch|sh)$", r"\1e", found[0][0])
    )
    return f"{noun}s", tuple(number for _, number in found)


# ---- levels of satisfaction into a short text ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How one style talks; the fields are those of a table in `vocabulary.toml`, explained at its top."""

    cuts: tuple[float, ...]
    joins: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    contrast: str = ""
    openings: tuple[str, ...] = ("",)
    most: int = 0
    brief: bool = False

    def level(self, felt: np.ndarray) -> np.ndarray:
        """The level of each satisfaction, int from 0, the worst, up."""
        return np.searchsorted(self.cuts, felt, side="right")

    def side(self, level: float) -> float:
        """How far a level lies above the middle, negative below."""
        return level - (len(self.levels) - 1) / 2


@cache
def vocabularies() -> dict[str, Vocabulary]:
    """The vocabulary of each style."""
    tables = tomllib.loads(
        files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8")
    )
    return {style: Vocabulary(**table) for style, table in tables.items()}


def tell(
    names: Sequence[str],
    felt: np.ndarray,
    words: Vocabulary,
    rng: np.random.Generator,
    most: int = MOST_WORDS,
) -> str:
    """A text of at most so many words that tells how satisfied (`felt`, from 0 to 1) each decision leaves the speaker.

    Where there is room, one clause for each decision, in their order. Else decisions of one level share a clause, by
    full names, or as "Meals 1, 4 and 7"; where these are too many, those nearest to the middle of the levels are left
    to "the rest", called by their mean level: nothing is spoken worse of than what satisfies less.
    """
    said = next(
        text
        for text in _Teller(names, felt, words, rng).texts()
        if len(text.split()) <= most
    )
    return re.sub(r"(?:^|[.!] )\S", lambda start: start.group().upper(), said)


class _Teller:
    """One speaker in one round, with everything drawn."""

    def __init__(
        self,
        names: Sequence[str],
        felt: np.ndarray,
        words: Vocabulary,
        rng: np.random.Generator,
    ) -> None:
        def nearness(i: int) -> tuple[float, float]:
            """By how near a decision's level is to the middle, and within a level by how much less it is so."""
            side = words.side(self.levels[i])
            return -abs(side), float(felt[i] if side < 0 else 1 - felt[i])

        self.names, self.words, self.levels = names, words, words.level(felt).tolist()
        self.wordings = [
            [level[i] for i in rng.permutation(len(level))] for level in words.levels
        ]  # as they are used
        drawn = (words.openings, words.joins, RESTS, WHOLES)
        self.opening, self.join, self.rest, self.whole = (
            of[int(rng.integers(len(of)))] for of in drawn
        )
        self.worst_first = bool(rng.integers(2))
        self.order = sorted(range(len(names)), key=nearness)  # the farthest first

    def texts(self) -> Iterator[str]:
        """Texts from the fullest to the shortest."""
        n, terse = len(self.names), self.words.brief
        most = self.words.most or n
        if n <= most and not terse:
            clauses = []
            for i, (name, level) in enumerate(
                zip(self.names, self.levels, strict=True)
            ):
                wordings = self.wordings[level]  # in turn
                clauses.append(
                    (
                        level,
                        _filled(
                            wordings[self.levels[:i].count(level) % len(wordings)], name
                        ),
                    )
                )
            yield self._text(clauses, self.opening)
        for count in range(min(n, most), -1, -1):
            short = terse or count > MOST_WORDS / 2  # what is numbered has two words
            for brief in (True,) if short else (False, True):
                clauses = self._grouped(count, brief)
                yield self._text(clauses, self.opening)
                yield self._text(clauses, "")

    def _grouped(self, count: int, brief: bool) -> list[tuple[int, str]]:
        """A clause for each level among the decisions farthest from the middle, and one for the rest."""
        chosen, rest = sorted(self.order[:count]), self.order[count:]
        clauses: list[tuple[int, str]] = []
        for level in sorted(
            {self.levels[i] for i in chosen}, reverse=not self.worst_first
        ):
            group = [self.names[i] for i in chosen if self.levels[i] == level]
            clauses.append(
                (
                    level,
                    _filled(
                        self.wordings[level][0],
                        self._listed(group, brief),
                        len(group) > 1,
                    ),
                )
            )
        if rest:
            level = round(sum(self.levels[i] for i in rest) / len(rest))
            clauses.append(
                (
                    level,
                    _filled(
                        self.wordings[level][-1], self.rest if chosen else self.whole
                    ),
                )
            )
        return clauses

    def _listed(self, group: Sequence[str], brief: bool) -> str:
        shared = together(group) if brief else None
        noun, items = (f"{shared[0]} ", shared[1]) if shared else ("", tuple(group))
        if len(items) == 1 or self.words.brief:
            return noun + ", ".join(items)
        return f"{noun}{', '.join(items[:-1])} and {items[-1]}"

    def _text(self, clauses: Sequence[tuple[int, str]], opening: str) -> str:
        """Clauses joined, a good and a bad one after another by a contrast, but never two contrasts in a row."""
        text, contrasted = opening + clauses[0][1], False
        sides = [self.words.side(level) for level, _ in clauses]
        for (_, said), before, side in zip(clauses[1:], sides, sides[1:], strict=False):
            contrasted = (
                bool(self.words.contrast) and not contrasted and before * side < 0
            )
            text += (self.words.contrast if contrasted else self.join) + said
        return text + self.join.strip().replace(";", ".")


def _filled(wording: str, names: str, several: bool = False) -> str:
    agreeing = (
        {"is": "are", "s": "", "does": "do"}
        if several
        else {"is": "is", "s": "s", "does": "does"}
    )
    return wording.format_map({"names": names, **agreeing})
