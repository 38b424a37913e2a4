"""A discussion that goes on from a stored one: where, and what of it is changed (`fork.fork`, `study.Study.fork`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from support.errors import InvalidInput
from support.roundtable.mechanism import Phase, Stages, stage_of, stages_of
from support.roundtable.records import Message, Transcript


@dataclass(frozen=True)
class Start:
    """Where a discussion goes on from a stored one: before round `at`, or within it `after` a phase, by its title.

    What was done before stands as it is stored. `again` numbers futures: each has draws of its own, the same for every
    agent, round and phase whatever else differs (common random numbers); None goes on with the stored one's draws.
    What those in `without` said in round `at` is heard by nobody; those in `silent` write nothing from then on, and
    propose and vote as ever; `seats` are newcomers, by the name of the seat that they take at `at`.
    """

    transcript: Transcript
    at: int
    after: str = ""
    again: int | None = None
    without: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    seats: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        last = len(self.transcript.rounds) + (not self.after)
        if not 1 <= self.at <= last:
            raise InvalidInput(
                f"at: {self.at!r} given; expected a round from 1 to {last}"
            )
        if self.without and not self.after:
            raise InvalidInput(
                "without: expects `after`, the phase whose words are left out, such as 'Messages'"
            )

    @property
    def settings(self) -> dict[str, Any]:
        """What the record of a fork says of it."""
        about = {"at": self.at, "after": self.after, "again": self.again}
        who = {"without": self.without, "silent": self.silent, "newcomers": self.seats}
        return about | {treated: list(names) for treated, names in who.items() if names}

    def keeps(self, number: int, phases: tuple[Phase, ...], phase: Phase) -> bool:
        """Whether what was done in a phase stands as it is stored."""
        if number != self.at or not self.after:
            return number < self.at
        titles = [one.title for one in phases]
        if self.after not in titles:
            raise InvalidInput(
                f"after: {self.after!r} given; expected one of {', '.join(titles)}"
            )
        return titles.index(phase.title) <= titles.index(self.after)

    def stored(self, number: int, phase: Phase) -> dict[str, Any]:
        """What each agent did in a phase that stands."""
        records = getattr(self.transcript.rounds[number - 1], phase.kept)
        label = getattr(phase, "label", None)
        return {
            _author(one): one for one in records if label is None or one.phase == label
        }

    def leaves_out(self, number: int, agent: str) -> bool:
        """Whether an agent's words in a round are heard by nobody."""
        return number == self.at and agent in self.without

    def stages(self, then: Stages) -> Stages:
        """The stored stages before the fork, and others from there on."""
        before = [
            stage for stage in stages_of(self.transcript) if stage.first < self.at
        ]
        now = stage_of(then, self.at)._replace(first=self.at)
        if before and before[-1][1:] == now[1:]:
            now = before.pop()
        return (*before, now, *(stage for stage in then if stage.first > self.at))


def _author(record: Any) -> str:
    return record.sender if isinstance(record, Message) else record.agent


_start: ContextVar[Start | None] = ContextVar("start", default=None)


def started() -> Start | None:
    """Where the discussion goes on that is played now, if it does."""
    return _start.get()


@contextmanager
def starting(start: Start | None) -> Iterator[None]:
    """Within it, whatever study plays a discussion goes on from a stored one."""
    token = _start.set(start)
    try:
        yield
    finally:
        _start.reset(token)
