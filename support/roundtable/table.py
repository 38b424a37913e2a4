"""One discussion: a mechanism's phases, round by round, about an environment, with whoever sits there.

The paper's mechanism (sections 3 and A.1) is the default: agents message, propose and vote, all at once; candidates are
each agent's latest proposal and the standing decision. A discussion may also go on from a stored one (`start`).
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from support.choice import Rule, TieBreak, check_tie_break, explained
from support.errors import InvalidBallot, InvalidInput, InvalidProposal, MalformedReply
from support.play import FormatError, asked, counted
from support.roundtable.mechanism import (
    ROUNDTABLE,
    Mechanism,
    Phase,
    stage_of,
    stages,
)
from support.roundtable.records import (
    ENVIRONMENTS as ENVIRONMENTS,
)
from support.roundtable.records import (
    Candidate,
    Decision,
    Round,
    Transcript,
    View,
)
from support.roundtable.records import environment_of as environment_of
from support.roundtable.start import started

ROUNDS = 10
MISFITS = (MalformedReply, InvalidProposal, InvalidBallot)

Stop = Callable[[tuple[Round, ...]], bool | Awaitable[bool]]
"""A stopping rule, given the public record so far; True ends the discussion. Its `name` goes into the settings."""

STOPS: dict[str, Stop] = {}
"""Stopping rules by name, for a grid and a menu; put your own in."""

Rules = str | Rule | Mapping[int, str | Rule]
Mechanisms = str | Mechanism | Mapping[int, str | Mechanism]

Environment = Any
"""The matter under discussion: what a decision is, and what it is worth. Any object will do that has

- for the table: `agents`, the names in the order of the seats; `validate(proposal)`, which returns a proposal in its
  frozen, hashable form or raises InvalidProposal; `describe(value)`, one line of text; `spec()`, plain data with a
  `name`, from which `ENVIRONMENTS` builds it again;
- for analysis: `utilities(value)`, what a decision is worth to each agent, shape (agents,), and `maximum`, the largest
  total of them (the rating task has neither);
- for rule-based agents: `background(agent)`, what that one knows; `claim_names` and `claim_words`, what a message may
  state in numbers, and what they mean;
- for a model: `task()`, what everybody is told, `goal(me, shown)`, what only `me` is told, cut to what `shown` has room
  for, and `form()`, what a valid proposal looks like, each a text; `shape`, what it is in two words ("a table");
  `reply`, its type, any that pydantic knows, of which `validate` is given the plain data; `extra_tokens`, the room that
  it needs beyond a small one, and `form_name`, what the form of a reply is called, both where they are not the usual.
"""


def check_environment(environment: Environment, needs: tuple[str, ...]) -> None:
    """Say, before anybody is asked, what an environment of the user's own lacks."""
    lacks = [name for name in needs if not hasattr(environment, name)]
    if lacks:
        where = "`support.roundtable.table.Environment` says what each of them is"
        names = "`, `".join(lacks)
        raise InvalidInput(
            f"environment: {type(environment).__name__} has no `{names}`; {where}"
        )


# ---- playing ---------------------------------------------------------------------------------------------------------


async def play(
    environment: Environment,
    seats: Mapping[str, Any],
    rule: Rules,
    *,
    stop: str | Stop | None = None,
    **options: Any,
) -> Transcript:
    """Play a whole discussion; the options are those of `Table`.

    `stop` is given the finished rounds, without private reasons, and says whether to stop there; the settings of the
    record say which rule listened ("stop") and which one stopped the discussion ("stopped", None when it ran to its
    end).
    """
    table, stopping = Table(environment, seats, rule, **options), as_stop(stop)
    finished = [entry async for entry in table.discuss(stopping)]
    settings = {}
    if stopping is not None:
        own = getattr(stopping, "__name__", type(stopping).__name__)
        name = str(getattr(stopping, "name", None) or own)
        settings = {"stop": name, "stopped": name if table.stopped else None}
    return table.record(finished, tie_break=table.tie_break, **settings)


def as_stop(given: str | Stop | None) -> Stop | None:
    """The stopping rule of that name, or the rule itself."""
    stop = STOPS.get(given, given) if isinstance(given, str) else given
    if stop is not None and not callable(stop):
        known = ", ".join(STOPS) or "none is registered"
        wanted = f"a name of `STOPS` ({known}), or a function of the finished rounds, such as live(fitted)"
        raise InvalidInput(f"stop: {given!r} given; expected {wanted}")
    return stop


class Table:
    """One discussion, and the state that it carries from round to round, as phases and mechanisms read it.

    `seats` has a participant for every agent; `rule` and `mechanism` may change at a round: {1: "unanimous", 4:
    "ranked"}, which participants are told from the first. The paper plays 10 rounds and defers the decision at a tie; a
    "lottery" needs `rng`. A reply that does not fit its form is recorded as a `FormatError` and taken as silence, as no
    new proposal, or as an abstention; any other failure of a participant is raised.

    `made` is what was done in this round, by field of `Round`; `views` what each agent saw of it, and the public,
    `past` what of the rounds before; `sealed` those whose latest proposal nobody else sees yet.
    """

    def __init__(
        self,
        environment: Environment,
        seats: Mapping[str, Any],
        rule: Rules,
        *,
        mechanism: Mechanisms = ROUNDTABLE,
        rounds: int = ROUNDS,
        tie_break: TieBreak = "defer",
        rng: np.random.Generator | None = None,
    ) -> None:
        if isinstance(rounds, bool) or int(rounds) != rounds or rounds < 1:
            raise InvalidInput(
                f"rounds: {rounds!r} given; expected a whole number of at least 1"
            )
        check_tie_break(tie_break, rng)
        check_environment(environment, ("agents", "validate", "spec"))
        self.environment, self.seats, self.start = environment, dict(seats), started()
        self.rounds, self.tie_break, self.rng = int(rounds), tie_break, rng
        now = stages(mechanism, rule)
        self.stages = self.start.stages(now) if self.start else now
        self.agents: tuple[str, ...] = tuple(environment.agents)
        if set(seats) != set(self.agents):
            wanted = list(environment.agents)
            raise InvalidInput(
                f"seats: {sorted(seats)} given; expected one for each of {wanted}"
            )
        self._check_seats()
        everybody = (*self.agents, PUBLIC)
        self.past: dict[str, tuple[Round, ...]] = dict.fromkeys(everybody, ())
        self.latest: dict[str, Any] = {}
        self.sealed: set[str] = set()
        self.ids: dict[Any, str] = {}
        self.stopped = False
        reads_numbers = not all(map(reads_words, seats.values()))
        names = getattr(environment, "claim_names", ())
        self.claims: tuple[str, ...] = tuple(names) if reads_numbers else ()

    async def discuss(self, stop: Stop | None = None) -> AsyncIterator[Round]:
        """Yield each finished round, until the last one or the one in which `stop` says so."""
        for number in range(1, self.rounds + 1):
            yield await self.play(number)
            if stop and not (self.start and number < self.start.at):
                answer = stop(self.past[PUBLIC])
                self.stopped = bool(
                    await answer if inspect.isawaitable(answer) else answer
                )
                if self.stopped:
                    return

    def record(self, rounds: Sequence[Round], **settings: Any) -> Transcript:
        """The record of rounds that were played, also of a discussion that was stopped early."""
        kinds = {agent: self.seats[agent].kind for agent in self.agents}
        if self.start:
            settings["fork"] = self.start.settings
        last = max(len(rounds), 1)
        kept = [[n, how.name, by.name] for n, how, by in self.stages if n <= last]
        if len(kept) > 1 or kept[0][1] != ROUNDTABLE.name:
            settings["stages"] = kept
        rules = dict.fromkeys(str(name) for *_, name in kept)
        spec = self.environment.spec()
        return Transcript(spec, ", then ".join(rules), kinds, tuple(rounds), settings)

    def _check_seats(self) -> None:
        """Whoever acts in a phase has its coroutine, and the environment what it needs."""
        for number in range(1, self.rounds + 1):
            for phase in stage_of(self.stages, number).mechanism.phases:
                check_environment(self.environment, phase.needs)
                for agent in phase.who(self.agents, number):
                    if not hasattr(self.seats[agent], phase.act):
                        lacks = f"has no `async def {phase.act}(self, view)`, which {phase.title} ask for"
                        raise InvalidInput(f"seats: that of {agent} {lacks}")

    async def play(self, number: int) -> Round:
        """One round: its phases, and what they decide."""
        self.number = number
        _, self.mechanism, self.rule = stage_of(self.stages, number)
        before = self.past[PUBLIC]
        self.standing = before[-1].decision if before else None
        self.candidates: tuple[Candidate, ...] = ()
        self.made: dict[str, tuple[Any, ...]] = dict.fromkeys(KEPT, ())
        self.views = {who: dict(self.made) for who in self.past}
        self.errors: list[FormatError] = []
        self.repairs: list[tuple[str, str, int]] = []
        self.asked: dict[str, int] = {}
        self.words = self.mechanism.rules(self)
        replies = counted(self.seats.values())
        for phase in self.mechanism.phases:
            phase.before(self)
            await self._act(phase)
        # Also of a round that stands: what it draws by lot was drawn before.
        winner, scores, why = self.mechanism.decide(self)
        if self.start and number < self.start.at:
            return self._finish(
                self._as_stored(self.start.transcript.rounds[number - 1])
            )
        decision = (
            Decision(winner.id, winner.value, number) if winner else self.standing
        )
        usual = self.mechanism.phases == ROUNDTABLE.phases
        finished = Round(
            number=number,
            candidates=self.candidates,
            winner=winner.id if winner else None,
            scores=scores,
            why=why,
            decision=decision,
            format_errors=tuple(self.errors),
            replies=counted(self.seats.values()) - replies,
            repairs=tuple(self.repairs),
            asked=() if usual else tuple(self.asked.items()),
            **self.made,
        )
        return self._finish(finished)

    def _as_stored(self, entry: Round) -> Round:
        """A round that stands, and the ids of its candidates."""
        self.ids |= {candidate.value: candidate.id for candidate in entry.candidates}
        self.candidates = entry.candidates
        return entry

    def _finish(self, finished: Round) -> Round:
        """Bear a round in mind, for each agent as it saw it."""
        for who, seen in self.views.items():
            made: Any = seen
            self.past[who] += (replace(finished, **made),)
        return finished

    async def _act(self, phase: Phase) -> None:
        """Ask those who act in a phase, all at once or in turn."""
        actors = tuple(phase.who(self.agents, self.number))
        start = self.start
        stands = start is not None and start.keeps(
            self.number, self.mechanism.phases, phase
        )
        if phase.act != "vote" or self.candidates:
            self.asked[phase.act] = self.asked.get(phase.act, 0) + len(actors)
        ask = partial(self._replay, phase) if stands else partial(self._ask, phase)

        def amiss(who: str, why: str) -> None:
            """A reply that never fitted its form."""
            if not stands:
                self.errors.append(FormatError(who, phase.act, why))

        groups = [(agent,) for agent in actors] if phase.turns else [actors]
        for group in groups:
            had = {agent: getattr(self.seats[agent], "repairs", 0) for agent in group}
            answers = await asked(group, ask, amiss, MISFITS)
            for agent, count in had.items():
                again = getattr(self.seats[agent], "repairs", 0) - count
                self.repairs += [(agent, phase.act, again)] if again else []
            self._publish(phase, answers)

    def _publish(self, phase: Phase, answers: Mapping[str, Any]) -> None:
        """Keep what was done, and show it to those who may see it."""
        taken = [
            phase.take(self, a, None) if one is None else one
            for a, one in answers.items()
        ]
        records = tuple(record for record in taken if record is not None)
        self.made[phase.kept] += records
        for agent, seen in self.views.items():
            visible = tuple(record for record in records if phase.sees(agent, record))
            seen[phase.kept] += _without_reasons(visible)
        phase.after(self, records)

    async def _ask(self, phase: Phase, agent: str) -> Any:
        seat = self.seats[agent]
        if self.start and self.start.again is not None:
            self._draw_anew(seat, agent, self.start.again, phase)
        silent = self.start and phase.act == "message" and agent in self.start.silent
        if silent and reads_words(seat):
            return None
        answer = await getattr(seat, phase.act)(self.view(agent, phase))
        return None if silent else phase.take(self, agent, answer)

    async def _replay(self, phase: Phase, agent: str) -> Any:
        """What is stored. A rule-based seat is asked as well, so that it comes to be what it was; a model reads."""
        assert self.start is not None
        seat, stored = (
            self.seats[agent],
            self.start.stored(self.number, phase).get(agent),
        )
        newcomer = agent in self.start.seats
        if not (newcomer or reads_words(seat)):
            answer = phase.take(
                self, agent, await getattr(seat, phase.act)(self.view(agent, phase))
            )
            if answer != stored:
                given = f"{agent} does otherwise in round {self.number} ({phase.title}) than is stored"
                raise InvalidInput(
                    f"fork: {given}; play it with the stream, the noise and the settings of the stored one"
                )
        left_out = (
            self.start.leaves_out(self.number, agent)
            and phase.title == self.start.after
        )
        return None if left_out else stored

    def _draw_anew(self, seat: Any, agent: str, again: int, phase: Phase) -> None:
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

    def lottery(self) -> np.random.Generator | None:
        """What a tie-break by lot draws from."""
        if self.start and self.start.again is not None:
            return self._stream((self.start.again, self.number))
        return self.rng

    def named(self, proposers: Mapping[Any, list[str]]) -> tuple[Candidate, ...]:
        """Values as candidates, each with an id for the whole discussion, in the order of their ids."""
        stands = self.standing.value if self.standing else None
        for value in proposers:
            self.ids.setdefault(value, f"P{len(self.ids) + 1}")
        candidates = [
            Candidate(
                self.ids[value],
                value,
                tuple(who),
                self.standing is not None and value == stands,
            )
            for value, who in proposers.items()
        ]
        return tuple(sorted(candidates, key=lambda c: int(c.id[1:])))

    def view(self, agent: str, phase: Phase) -> View:
        """What an agent may know in a phase."""
        rule, mechanism = self.rule, self.mechanism
        latest = tuple(
            (a, value)
            for a, value in self.latest.items()
            if a == agent or a not in self.sealed
        )
        return View(
            agent,
            self.agents,
            rule.name,
            rule.form,
            explained(rule, self.tie_break),
            self.number,
            self.rounds,
            self.past[agent],
            candidates=self.candidates,
            latest=latest,
            phase=phase,
            aim=mechanism.aim,
            rules=self.words,
            lasting=mechanism.lasting,
            claims=self.claims,
            **self.views[agent],
        )


PUBLIC = ""
"""In the place of an agent: whoever reads only what is no secret, such as a stopping rule."""
KEPT = ("messages", "proposals", "ballots", "chosen")
"""The fields of `Round` that hold what was done."""
FUTURE = (
    2**32 - 1
)  # in the key of a stream, where no spawned child of a generator comes to
FUTURES = 1_000_000  # repetitions of models from which on those of futures count


def reads_words(seat: Any) -> bool:
    """Whether a model or a person sits there; whoever is rule-based reads records."""
    return hasattr(seat, "acts") or hasattr(seat, "asks")


def _without_reasons(records: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        replace(record, reason="") if hasattr(record, "reason") else record
        for record in records
    )
