"""A stored discussion goes on from a round under another rule, mechanism, seat or stop: what would have been?

Nothing changed, nothing changes: with the stream of the stored discussion its rule-based seats are asked again,
silently, and a fork where one of them drifts from the record is refused. Models read the record and are asked from
there on. A rule that is changed here is a *surprise*: nobody knew of it before. A discussion that is played with
`rule={1: "unanimous", 4: "ranked"}` is another treatment: there it is *announced* in round 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from support.errors import InvalidInput
from support.roundtable.mechanism import Phase, stage_of, stages_of
from support.roundtable.records import Round, Transcript
from support.roundtable.table import STARTED, Stop, Table, reads_words
from support.within import within

FUTURE = 2**32 - 1  # in the key of a stream, where no spawned child comes to
FUTURES = 1_000_000  # repetitions of models from which on those of futures count


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
                f"after: {self.at - 1!r} given; expected a round from 0 to {last - 1}"
            )
        if self.without and not self.after:
            raise InvalidInput(
                "without: expects `after`, the phase whose words are left out, such as 'Messages'"
            )

    @property
    def table(self) -> Any:
        """What makes the table that goes on."""
        return partial(Forked, self)

    @property
    def settings(self) -> dict[str, Any]:
        """What the record of a fork says of it."""
        who = {
            "without": self.without,
            "silent": self.silent,
            "newcomers": self.seats,
        }
        about = {
            "at": self.at,
            "after": self.after,
            "again": self.again,
        }
        return about | {name: list(whom) for name, whom in who.items() if whom}


def starting(start: Start) -> AbstractContextManager[Start]:
    """Within it, whatever study plays a discussion goes on from a stored one, with what it is called with then."""
    return within(STARTED, start)


class Forked(Table):
    """A table that goes on from a `Start`: until then everybody does what is stored, and is brought to what it was."""

    def __init__(
        self,
        start: Start,
        *given: Any,
        **options: Any,
    ) -> None:
        super().__init__(*given, **options)
        self.start = start
        at = start.at
        before = [one for one in stages_of(start.transcript) if one.first < at]
        now = stage_of(self.stages, at)._replace(first=at)
        if before and before[-1][1:] == now[1:]:
            now = before.pop()
        later = [stage for stage in self.stages if stage.first > at]
        self.stages = (*before, now, *later)
        titles = [phase.title for phase in now.mechanism.phases]
        if start.after and start.after not in titles:
            raise InvalidInput(
                f"after: {start.after!r} given; expected one of {', '.join(titles)}"
            )
        self.kept = titles[: titles.index(start.after) + 1] if start.after else []

    def record(self, rounds: Any, **settings: Any) -> Transcript:
        """It says where it went on, and what was changed."""
        return super().record(rounds, **settings, fork=self.start.settings)

    def remember(self, finished: Round) -> Round:
        """Of a round that stands what is stored; it was played, too, as its draws come before the others."""
        if self.number < self.start.at:
            finished = self.start.transcript.rounds[self.number - 1]
        return super().remember(finished)

    async def stops(self, stop: Stop) -> bool:
        """Nobody asks it of rounds that stand."""
        return self.number >= self.start.at and await super().stops(stop)

    async def ask(self, phase: Phase, agent: str) -> Any:
        """What is stored, or what is done now."""
        at = self.start.at
        again = self.start.again
        if self.number < at or (self.number == at and phase.title in self.kept):
            return await self._replay(phase, agent)
        if again is not None:
            self._draw_anew(self.seats[agent], agent, again, phase)
        silent = phase.act == "message" and agent in self.start.silent
        if silent and reads_words(self.seats[agent]):
            return None
        record = await super().ask(phase, agent)
        return None if silent else record

    async def _replay(self, phase: Phase, agent: str) -> Any:
        """What is stored. A rule-based seat is asked as well, so that it comes to be what it was; a model reads."""
        start = self.start
        entry = start.transcript.rounds[self.number - 1]
        stored = None
        for one in getattr(entry, phase.kept):
            author = one.sender if phase.act == "message" else one.agent
            if (author, getattr(one, "phase", phase.label)) == (agent, phase.label):
                stored = one
        ruled = not (agent in start.seats or reads_words(self.seats[agent]))
        if ruled and await super().ask(phase, agent) != stored:
            acted = f"{agent} does otherwise in round {self.number} ({phase.title}) than is stored"
            wanted = "the stream, the noise and the settings of the stored one"
            raise InvalidInput(f"fork: {acted}; play it with {wanted}")
        left_out = agent in start.without and self.number == start.at
        return None if left_out and phase.title == start.after else stored

    def _draw_anew(
        self,
        seat: Any,
        agent: str,
        again: int,
        phase: Phase,
    ) -> None:
        """Give a seat the draws of a future, agent, round and phase, however much was drawn before."""
        place = self.mechanism.phases.index(phase)
        key = (again, self.number, place, self.agents.index(agent))
        if hasattr(seat, "settings"):
            repetition = seat.settings["repetition"] % FUTURES + FUTURES * (again + 1)
            seat.settings = seat.settings | {"repetition": repetition}
            if seat.settings["temperature"]:
                seat.settings["seed"] = int(self._stream(key).integers(2**31))
        elif hasattr(seat, "rng"):
            seat.rng = self._stream(key)

    def lottery(self) -> np.random.Generator | None:
        """A tie of a future has draws of its own, too."""
        again = self.start.again
        if again is None or self.number < self.start.at:
            return super().lottery()
        return self._stream((again, self.number))

    def _stream(self, key: tuple[int, ...]) -> np.random.Generator:
        """A stream that hangs on the discussion's own and a key alone."""
        root: Any = self.rng.bit_generator.seed_seq if self.rng else None
        if root is None:
            raise InvalidInput(
                "again: expects `rng`, the stream of the stored discussion"
            )
        spawn_key = (*root.spawn_key, FUTURE, *key)
        return np.random.default_rng(
            np.random.SeedSequence(root.entropy, spawn_key=spawn_key)
        )
