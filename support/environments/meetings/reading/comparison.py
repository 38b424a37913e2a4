"""How much of what somebody truly wants was understood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from support.environments.meetings.preferences import Preference, Weekdays, Window


@dataclass(frozen=True, slots=True)
class Recovered:
    """Counts of preferences found, true, and matched: by kind, by meaning (whatever the priority), exactly.

    Counts add up over texts with `+`. Two preferences mean the same when every slot fulfils both or neither: a focus
    block is a window to avoid, "not before ten" is "after ten".
    """

    found: int = 0
    true: int = 0
    kind: int = 0
    meaning: int = 0
    exact: int = 0

    def __add__(self, other: Recovered) -> Recovered:
        return Recovered(*(getattr(self, n) + getattr(other, n) for n in self.__slots__))

    def precision(self, by: str = "meaning") -> float:
        """Share of what was found that is true, matched `by` "kind", "meaning" or "exact"; 1 when nothing was found."""
        return float(getattr(self, by) / self.found) if self.found else 1.0

    def recall(self, by: str = "meaning") -> float:
        """Share of what is true that was found; 1 when nothing is true."""
        return float(getattr(self, by) / self.true) if self.true else 1.0


def recovered(found: Sequence[Preference], true: Sequence[Preference]) -> Recovered:
    """Compare what was read with the truth, as multisets.

    >>> recovered([Weekdays(3, ("Friday",), avoid=True)], [Weekdays(2, ("Friday",), avoid=True)])
    Recovered(found=1, true=1, kind=1, meaning=1, exact=0)
    """
    return Recovered(
        len(found),
        len(true),
        _both([p.kind for p in found], [p.kind for p in true]),
        _both(map(meaning, found), map(meaning, true)),
        _both([(meaning(p), p.priority) for p in found], [(meaning(p), p.priority) for p in true]),
    )


def meaning(given: Preference) -> Hashable:
    """What slots a preference allows, as a key that is equal for preferences that say the same."""
    if isinstance(given, Window):
        start, end, avoid = given.start, given.end, given.avoid
        if (start, end) == ("00:00", "24:00") and given.weekdays and avoid:
            return ("weekdays", frozenset(given.weekdays), True)
        if avoid and start == "00:00":
            start, end, avoid = end, "24:00", False
        elif avoid and end == "24:00":
            start, end, avoid = "00:00", start, False
        return ("window", start, end, avoid, frozenset(given.weekdays))
    if isinstance(given, Weekdays):
        return ("weekdays", frozenset(given.weekdays), given.avoid)
    rest = {k: tuple(v) if isinstance(v, list) else v for k, v in given.spec().items() if k != "priority"}
    return tuple(sorted(rest.items(), key=lambda item: item[0]))


def _both(a: Iterable[Hashable], b: Iterable[Hashable]) -> int:
    return (Counter(a) & Counter(b)).total()
