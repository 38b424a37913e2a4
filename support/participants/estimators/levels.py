"""How satisfied a few words sound: levels from 0 to 1, turned and scaled by the words around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from support.participants.estimators.lexicon import Entry
from support.participants.estimators.targets import Target

MIDDLE = 0.5
WINDOW = 5
"""How many words before a word of satisfaction may turn or scale it."""

DENIED = {True: (0.1, 0.5), False: (0.5, 0.3)}
"""A denied level above the middle, and below: a base, and a share of what it exceeds the middle by, or of itself."""

UNREAL = 0.3
"""What "could be better" and "I wish it were good" say of the thing as it is."""

NO = 0.2
"""What a bare "no" says, and who does not want something: as "no thanks" in the lexicon."""

VALUES = ("level", "comparative", "change", "preferring")


@dataclass(frozen=True, slots=True)
class Said:
    """A word of satisfaction: its place in the segment, its level, whether it weighs two things and is denied."""

    place: int
    level: float
    comparative: bool = False
    negated: bool = False


def turned(level: float) -> float:
    """A level under negation, never its mirror: what is not bad is not therefore good.

    >>> round(turned(0.9), 2), round(turned(0.2), 2)
    (0.3, 0.56)
    """
    base, share = DENIED[level >= MIDDLE]
    return base + share * (level - MIDDLE if level >= MIDDLE else level)


def scaled(level: float, factor: float) -> float:
    """A level further from the middle, or nearer to it, and never beyond 0 and 1."""
    return min(max(MIDDLE + (level - MIDDLE) * factor, 0.0), 1.0)


def levels(segment: Sequence[object]) -> list[Said]:
    """The levels of a segment's words of satisfaction, in order.

    Where a change is asked for, words that compare say no more than that; nor do words of satisfaction with it, as in
    "I would be glad of something else".
    """
    places = [place for place, item in enumerate(segment) if isinstance(item, Entry) and item.role in VALUES]
    changes = [place for place in places if role(segment[place]) == "change"]
    other = {"comparative", "preferring"} | ({"level"} if _wished(segment, changes) else set())
    kept = [p for p in places if not changes or role(segment[p]) not in other]
    return [_said(segment, place) for place in kept]


def _wished(segment: Sequence[object], changes: list[int]) -> bool:
    return any(role(item) in ("unreal", "wishes") for item in segment[: max(changes, default=0)])


def denied_wish(segment: Sequence[object]) -> list[Said]:
    """ "I do not want Meal 2", "please not Meal 2": refused, though no word of satisfaction is there."""
    roles = [role(item) for item in segment]
    refused = "unreal" in roles and roles.count("negators") == 1 and not any(item == "to" for item in segment)
    return [Said(roles.index("negators"), NO, negated=True)] if refused else []


def _said(segment: Sequence[object], place: int) -> Said:
    entry = segment[place]
    assert isinstance(entry, Entry)
    before = _before(segment, place)
    roles = [role(item) for item in before]
    comparative = entry.role != "level" or "more" in roles
    missed = {"wishes"} | ({"unreal"} if comparative and entry.role in ("level", "comparative") else set())
    if entry.number > MIDDLE and missed & {role(item) for item in segment[:place]}:
        return Said(place, UNREAL, comparative=True)
    if entry.role == "comparative" and entry.number < MIDDLE and "unreal" in map(role, segment[:place]):
        return Said(place, MIDDLE)  # what could be worse is not bad yet
    level, negated = entry.number, False
    for item in before:
        level, negated = _under(item, level, negated)
    return Said(place, round(level, 4), comparative or "less" in roles, negated)


def _under(item: object, level: float, negated: bool) -> tuple[float, bool]:
    what, factor = role(item), getattr(item, "number", 1.0)
    if what == "modifier":
        return scaled(level, factor), negated
    if what == "negators" and not negated:
        return turned(level), True
    if what == "less":
        return scaled(1 - level, 0.8), negated
    if what == "least":
        return scaled(1 - level, 1.5), negated
    return level, negated


def _before(segment: Sequence[object], place: int) -> list[object]:
    """What stands before a word, the nearest first, as far as the one before it; names do not count."""
    found: list[object] = []
    for item in reversed(segment[:place]):
        if role(item) in VALUES or len(found) == WINDOW:
            break
        found += [] if isinstance(item, Target) else [item]
    return found


def role(item: object) -> str:
    """The role of an entry of the lexicon, "" for anything else."""
    return item.role if isinstance(item, Entry) else ""
