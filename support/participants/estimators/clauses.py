"""What a segment of a text says of what it names: targets paired with levels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from support.participants.estimators.levels import Said, denied_wish, levels, role
from support.participants.estimators.lexicon import Entry
from support.participants.estimators.targets import OPTION, PRONOUN, WHOLE, Target

Item = str | Target | Entry
Places = list[tuple[int, Target]]


@dataclass
class Clause:
    """Targets and the levels that belong to them.

    `leads` where the words of satisfaction came first, `apart` where no other segment adds to it, `weighs` where
    something is preferred or wished instead.
    """

    targets: list[Target]
    said: list[float]
    leads: bool = False
    apart: bool = False
    weighs: bool = False


def paired(segment: Sequence[Item]) -> list[Clause]:
    """A segment's targets with its levels: all with all, but across a "than", and where they take turns."""
    said = levels(segment)
    targets = [(place, item) for place, item in enumerate(segment) if isinstance(item, Target)]
    if any(item.scope not in (PRONOUN, WHOLE) for _, item in targets):
        targets = [(p, t) for p, t in targets if t.scope != PRONOUN and (t.scope != WHOLE or said)]
    compared = _compared(segment, targets, said)
    if compared:
        return compared
    turns = _turns(targets, said)
    if turns:
        return turns
    if not (said or targets):
        return []
    said = said or denied_wish(segment)
    leads = bool(said and targets) and said[0].place < targets[0][0]
    weighs = any(s.comparative for s in said)
    return [Clause([t for _, t in targets], [s.level for s in said], leads, weighs=weighs)]


def _compared(segment: Sequence[Item], targets: Places, said: list[Said]) -> list[Clause]:
    """ "Meal 1 is better than Meal 2", "I prefer Meal 1 to Meal 2", "Meal 2 is as good as Meal 1"."""
    outdone = _outdone(segment, targets, said)
    if outdone:
        return [outdone]
    at = max(
        (p for p, item in enumerate(segment) if item in ("than", "over", "to", "as") and _between(p, targets)),
        default=0,
    )
    if not at or not said or (segment[at] in ("to", "over") and not any(s.comparative for s in said)):
        return []
    level = mean(s.level for s in said)
    alike = segment[at] == "as" and not any(s.negated for s in said)
    if segment[at] == "as" and not any(item == "as" for item in segment[:at]):
        return []
    left, right = ([t for p, t in targets if (p > at) is after] for after in (False, True))
    return [Clause(left, [level]), Clause(right, [level if alike else 1 - level], leads=True, apart=True)]


def _outdone(segment: Sequence[Item], targets: Places, said: list[Said]) -> Clause | None:
    """ "I know better than Meal 2", "nothing beats Meal 2": what is compared with it is no decision."""
    at = max((place for place, item in enumerate(segment) if item == "than"), default=0)
    right = [t for p, t in targets if p > at]
    before = [s for s in said if s.comparative and s.place < at and role(segment[s.place]) != "change"]
    if not at or not right or not before or any(t.scope not in (PRONOUN, WHOLE) for p, t in targets if p < at):
        return None
    return Clause(right, [1 - mean(s.level for s in before)], leads=True, apart=True)


def _between(place: int, targets: Places) -> bool:
    return any(p < place for p, _ in targets) and any(p > place for p, _ in targets)


def _turns(targets: Places, said: list[Said]) -> list[Clause]:
    """ "Meal 1 great Meal 2 awful": targets and levels in turn, without a mark between them."""
    marks = sorted([(p, "t") for p, t in targets if t.scope != OPTION] + [(s.place, "s") for s in said])
    order = "".join(mark for _, mark in marks)
    if len(targets) < 2 or len(said) < 2 or order not in ("ts" * len(said), "st" * len(said)):
        return []
    starts = [place for place, mark in marks if mark == order[0]]
    ends = [*starts[1:], 10**6]
    return [
        Clause([t for p, t in targets if a <= p < b], [s.level for s in said if a <= s.place < b], apart=True)
        for a, b in zip(starts, ends, strict=True)
    ]


def mean(numbers: Iterable[float]) -> float:
    """Of at least one number."""
    values = list(numbers)
    return sum(values) / len(values)
