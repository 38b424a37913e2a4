"""One discussion: a mechanism's phases, round by round, about an environment, with whoever sits there.

The paper's mechanism (sections 3 and A.1) is the default: agents message, propose and vote, all at once; candidates are
each agent's latest proposal and the standing decision. A discussion may also go on from a stored one (`fork`).
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from support.choice import Rule, TieBreak, check_tie_break, explained
from support.errors import InvalidBallot, InvalidInput, InvalidProposal, MalformedReply
from support.play import FormatError, asked, between, counted
from support.roundtable.mechanism import (
    ROUNDTABLE,
    Mechanism,
    Phase,
    rules,
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

ROUNDS = 10
MOST = 1000
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
- for a model or a person: `task()`, what everybody is told, `goal(me, shown)`, what only `me` is told, cut to what
  `shown` has room for, and `form()`, what a valid proposal looks like, each a text; `shape`, what it is in two words
  ("a table"); `reply`, its type, any that pydantic knows, of which `validate` is given the plain data;
  `extra_tokens`, the room that it needs beyond a small one, and `form_name`, what the form of a reply is called, both where
  they are not the usual.
"""


def check_environment(environment: Environment, needs: tuple[str, ...]) -> None:
    """Say, before anybody is asked, what an environment of the user's own lacks."""
    lacks = [name for name in needs if not hasattr(environment, name)]
    if lacks:
        where = "`support.roundtable.table.Environment` says what each of them is, in its source"
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
    start = STARTED.get()
    stopping = as_stop(stop)
    table = (start.table if start else Table)(environment, seats, rule, **options)
    settings: dict[str, Any] = {"tie_break": table.tie_break}
    if stopping is not None:
        own = getattr(stopping, "__name__", type(stopping).__name__)
        name = str(getattr(stopping, "name", None) or own)
        settings |= {"stop": name, "stopped": None}
    finished: list[Round] = []
    async for entry in table.discuss(stopping):
        finished.append(entry)
        if not table.stopped and entry.number < table.rounds:
            await between(table.record, finished, **settings)
    if table.stopped:
        settings["stopped"] = name
    return table.record(finished, **settings)


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
    "lottery" needs `rng`. A reply of a model or a person that does not fit its form is recorded as a `FormatError` and
    taken as silence, as no new proposal, or as an abstention; so is the turn of a participant of your own that raises
    `MalformedReply`, as a model that it asks does. Any other failure of a participant is raised.

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
        if rounds not in range(1, MOST + 1):
            raise InvalidInput(
                f"rounds: {rounds!r} given; expected a whole number from 1 to {MOST}"
            )
        check_tie_break(tie_break, rng)
        self.environment = environment
        self.seats = dict(seats)
        self.rounds = int(rounds)
        self.tie_break = tie_break
        self.rng = rng
        self.agents: tuple[str, ...] = tuple(environment.agents)
        if set(seats) != set(self.agents):
            wanted = list(environment.agents)
            raise InvalidInput(
                f"seats: {sorted(seats)} given; expected one for each of {wanted}"
            )
        self.stages = stages(mechanism, rule)
        self._check_seats()
        self.past: dict[str, tuple[Round, ...]] = dict.fromkeys(
            (*self.agents, PUBLIC), ()
        )
        self.latest: dict[str, Any] = {}
        self.sealed: set[str] = set()
        self.ids: dict[Any, str] = {}
        self.stopped = False
        readers = [reads_words(seat) for seat in seats.values()]
        self.in_words = any(readers)
        names = getattr(environment, "claim_names", ())
        self.claims: tuple[str, ...] = () if all(readers) else tuple(names)

    def _check_seats(self) -> None:
        """Whoever acts in a phase has its coroutine."""
        for number in range(1, self.rounds + 1):
            for phase in stage_of(self.stages, number).mechanism.phases:
                actors = phase.who(self.agents, number)
                if not {*actors} <= {*self.agents}:
                    told = f"{phase.title}: `who` names {actors!r}"
                    raise InvalidInput(f"{told}; expected some of {self.agents}")
                for agent in actors:
                    if not hasattr(self.seats[agent], phase.act):
                        lacks = f"has no `async def {phase.act}(self, view)`, which {phase.title} asks for"
                        raise InvalidInput(f"seats: that of {agent} {lacks}")

    async def discuss(self, stop: Stop | None = None) -> AsyncIterator[Round]:
        """Yield each finished round, until the last one or the one in which `stop` says so."""
        for number in range(1, self.rounds + 1):
            entry = await self.play(number)
            self.stopped = stop is not None and await self.stops(stop)
            yield entry
            if self.stopped:
                return

    async def stops(self, stop: Stop) -> bool:
        """What a stopping rule says of the rounds so far."""
        answer = stop(self.past[PUBLIC])
        return bool(await answer if inspect.isawaitable(answer) else answer)

    def record(self, rounds: Sequence[Round], **settings: Any) -> Transcript:
        """The record of rounds that were played, also of a discussion that was stopped early."""
        kinds = {agent: self.seats[agent].kind for agent in self.agents}
        last = max(len(rounds), 1)
        kept = [[n, how.name, by.name] for n, how, by in self.stages if n <= last]
        if len(kept) > 1 or kept[0][1] != ROUNDTABLE.name:
            settings["stages"] = kept
        rules = dict.fromkeys(str(name) for *_, name in kept)
        spec = self.environment.spec()
        return Transcript(spec, ", then ".join(rules), kinds, tuple(rounds), settings)

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
        how = (self.stages, self.agents, number, self.rounds, self.tie_break)
        self.words = rules(*how) if self.in_words else ""
        replies = counted(self.seats.values())
        for phase in self.mechanism.phases:
            phase.before(self)
            await self._act(phase)
        winner, scores, why = self.mechanism.decide(self)
        decision = self.standing
        if winner:
            decision = Decision(winner.id, winner.value, number)
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
        return self.remember(finished)

    def remember(self, finished: Round) -> Round:
        """Bear a round in mind, for each agent as it saw it."""
        for who, seen in self.views.items():
            made: Any = seen
            self.past[who] += (replace(finished, **made),)
        return finished

    async def _act(self, phase: Phase) -> None:
        """Ask those who act in a phase, all at once or in turn."""
        actors = tuple(phase.who(self.agents, self.number))
        if phase.act != "vote" or self.candidates:
            self.asked[phase.act] = self.asked.get(phase.act, 0) + len(actors)

        def amiss(who: str, why: str) -> None:
            """A reply that never fitted its form."""
            self.errors.append(FormatError(who, phase.act, why))

        had = {agent: self._repairs(agent) for agent in actors}
        for group in [[agent] for agent in actors] if phase.turns else [actors]:
            answers = await asked(group, partial(self.ask, phase), amiss, MISFITS)
            self._publish(phase, answers)
        for agent, count in had.items():
            if again := self._repairs(agent) - count:
                self.repairs.append((agent, phase.act, again))

    def _repairs(self, agent: str) -> int:
        return getattr(self.seats[agent], "repairs", 0)

    async def ask(self, phase: Phase, agent: str) -> Any:
        """The record of what an agent does in a phase; with nothing to vote on, nobody is asked."""
        seat = self.seats[agent]
        if phase.act == "vote" and not self.candidates:
            return phase.take(self, agent, None)
        answer = await getattr(seat, phase.act)(self.view(agent, phase))
        try:
            return phase.take(self, agent, answer)
        except (InvalidProposal, InvalidBallot) as error:
            if reads_words(seat):
                raise
            who = f"{agent} ({seat.kind}) in round {self.number}, {phase.title}"
            raise InvalidInput(f"{who}: {error}") from error

    def _publish(self, phase: Phase, answers: Mapping[str, Any]) -> None:
        """Keep what was done, and show it to those who may see it."""
        taken = [
            phase.take(self, agent, None) if record is None else record
            for agent, record in answers.items()
        ]
        records = tuple(record for record in taken if record is not None)
        self.made[phase.kept] += records
        for agent, seen in self.views.items():
            visible = [record for record in records if phase.sees(agent, record)]
            seen[phase.kept] += tuple(map(_without_reason, visible))
        phase.after(self, records)

    def lottery(self) -> np.random.Generator | None:
        """What a tie-break by lot draws from."""
        return self.rng

    def named(self, proposers: Mapping[Any, list[str]]) -> tuple[Candidate, ...]:
        """Values as candidates, each with an id for the whole discussion, in the order of their ids."""
        candidates = []
        for value, who in proposers.items():
            name = self.ids.setdefault(value, f"P{len(self.ids) + 1}")
            stands = self.standing is not None and value == self.standing.value
            candidates.append(Candidate(name, value, tuple(who), stands))
        return tuple(sorted(candidates, key=lambda c: int(c.id[1:])))

    def view(self, agent: str, phase: Phase) -> View:
        """What an agent may know in a phase."""
        hidden = self.sealed - {agent}
        latest = [pair for pair in self.latest.items() if pair[0] not in hidden]
        return View(
            me=agent,
            agents=self.agents,
            rule=self.rule.name,
            form=self.rule.form,
            explanation=explained(self.rule, self.tie_break),
            round=self.number,
            rounds=self.rounds,
            history=self.past[agent],
            candidates=self.candidates,
            latest=tuple(latest),
            phase=phase,
            aim=self.mechanism.aim,
            rules=self.words,
            lasting=self.mechanism.lasting,
            claims=self.claims,
            **self.views[agent],
        )


STARTED: ContextVar[Any] = ContextVar("started", default=None)
"""Where a discussion goes on that is played now, if it goes on from a stored one: a `fork.Start`."""
PUBLIC = ""
"""In the place of an agent: whoever reads only what is no secret, such as a stopping rule."""
KEPT = ("messages", "proposals", "ballots", "chosen")
"""The fields of `Round` that hold what was done."""


def reads_words(seat: Any) -> bool:
    """Whether a model or a person sits there; whoever is rule-based reads records."""
    return hasattr(seat, "acts")


def _without_reason(record: Any) -> Any:
    return replace(record, reason="") if hasattr(record, "reason") else record
