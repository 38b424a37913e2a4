"""The mechanism (sections 3 and A.1): each round agents message, propose and vote, and a social choice rule decides.

In each of a round's three phases all agents act at once and see the result when the phase ends. Candidates are each
agent's latest proposal and the standing decision; identical ones are merged. The last accepted proposal is the outcome.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from support.choice import Rule, Tally, check_ballot, tally
from support.choice.rules import as_rule
from support.choice.ties import TieBreak, check_tie_break
from support.errors import InvalidBallot, InvalidInput, InvalidProposal, MalformedReply
from support.play import FormatError, asked, counted
from support.roundtable.records import Ballot, Candidate, Decision, Message, Proposal, Round, Transcript, View

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.seats import Shown

ROUNDS = 10
Stop = Callable[[tuple[Round, ...]], bool | Awaitable[bool]]
"""A stopping rule, given the public record so far; True ends the discussion. Its `name` goes into the settings."""


class Environment(Protocol):
    """The matter under discussion: what a decision is, what it is worth, and what a language model is told of it.

    A table of rule-based agents or people needs the first four only; a model's seat needs the rest. What analysis needs
    besides is `utilities(value)`, what a decision is worth to each agent, shape (agents,), and `maximum`, the largest
    total of them; the rating task has neither.
    """

    @property
    def agents(self) -> tuple[str, ...]:
        """Their names, in the order of their seats."""

    def validate(self, proposal: Any) -> Any:
        """A proposal in its frozen form, hashable; or InvalidProposal."""

    def describe(self, value: Any) -> str:
        """A proposal in one line of text."""

    def spec(self) -> dict[str, Any]:
        """Plain data, `name` among them, that build the environment again."""

    @property
    def shape(self) -> str:
        """What a proposal is, in two words: "a table"."""

    @property
    def extra_tokens(self) -> int:
        """Room that a tight model's reply needs beyond that of a small form."""

    def task(self) -> str:
        """The matter, as everybody is told it."""

    def goal(self, me: str, shown: Shown) -> str:
        """What only `me` is told: what it wants and what it knows, as far as it is shown."""

    def form(self) -> str:
        """A proposal as an example, and what makes one valid."""

    def schema(self, most: int) -> type[BaseModel]:
        """The form of a reply: `reason`, of so many characters at most, and `proposal`, or null in its place."""


def _economy(spec: Mapping[str, Any]) -> Any:
    from support.roundtable.economy import from_spec

    return from_spec(spec)


def _movielens(spec: Mapping[str, Any]) -> Any:
    from support.roundtable.movielens import from_spec

    return from_spec(spec)


ENVIRONMENTS: dict[str, Callable[[Mapping[str, Any]], Any]] = {"exchange_economy": _economy, "movielens": _movielens}
"""What builds an environment again from its `spec`, by name; put your own in, and analysis knows it."""


def environment_of(transcript: Transcript) -> Any:
    """The environment of a discussion, built again."""
    name = transcript.environment.get("name")
    if name not in ENVIRONMENTS:
        raise InvalidInput(
            f"environment: {name!r} given; expected one of {', '.join(ENVIRONMENTS)}; put your own into "
            "support.roundtable.table.ENVIRONMENTS, by the name in its spec()"
        )
    return ENVIRONMENTS[name](transcript.environment)


async def roundtable(
    environment: Environment,
    seats: Mapping[str, Any],
    rule: str | Rule,
    *,
    rounds: int = ROUNDS,
    tie_break: TieBreak = "defer",
    rng: np.random.Generator | None = None,
    stop: Stop | None = None,
) -> AsyncIterator[Round]:
    """Yield each finished round of one discussion, `rounds` of them (10 in the paper) unless somebody stops earlier.

    `seats` has a participant for every agent (see `seats.NEGOTIATOR`); the paper defers the decision at a tie, and a
    "lottery" needs `rng`; `stop` is given the finished rounds, without private reasons, and says whether to stop there.
    A reply that does not fit its form is recorded as a `FormatError` and taken as silence, as no new proposal, or as an
    abstention; any other failure of a participant is raised.
    """
    if isinstance(rounds, bool) or not isinstance(rounds, int | np.integer) or rounds < 1:
        raise InvalidInput(f"rounds: {rounds!r} given; expected a whole number of at least 1")
    table = _Table(environment, dict(seats), as_rule(rule), int(rounds), tie_break, rng)
    for number in range(1, rounds + 1):
        yield await table.play(number)
        if stop and await _says(stop, table.history):
            return


async def play(
    environment: Environment, seats: Mapping[str, Any], rule: str | Rule, *, stop: Stop | None = None, **options: Any
) -> Transcript:
    """Play a whole discussion; the options are those of `roundtable`.

    With `stop`, the settings say which rule listened ("stop") and which one stopped the discussion ("stopped", None
    when it ran to its end).
    """
    if stop is not None and not callable(stop):
        raise InvalidInput(f"stop: {stop!r} given; expected a function of the finished rounds, such as live(fitted)")
    said = False

    async def listen(rounds: tuple[Round, ...]) -> bool:
        nonlocal said
        said = stop is not None and await _says(stop, rounds)
        return said

    played = roundtable(environment, seats, rule, stop=stop and listen, **options)
    finished = [entry async for entry in played]
    settings = {"tie_break": options.get("tie_break", "defer")}
    if stop is not None:
        name = str(getattr(stop, "name", None) or getattr(stop, "__name__", type(stop).__name__))
        settings |= {"stop": name, "stopped": name if said else None}
    return transcript(environment, seats, rule, finished, **settings)


def transcript(
    environment: Environment, seats: Mapping[str, Any], rule: str | Rule, rounds: list[Round], **settings: Any
) -> Transcript:
    """The record of rounds that were played, also of a discussion that was stopped early."""
    kinds = {agent: seats[agent].kind for agent in environment.agents}
    return Transcript(environment.spec(), as_rule(rule).name, kinds, tuple(rounds), settings)


async def _says(stop: Stop, rounds: tuple[Round, ...]) -> bool:
    answer = stop(rounds)
    return bool(await answer if inspect.isawaitable(answer) else answer)


class _Table:
    """The state that one discussion carries from round to round."""

    def __init__(
        self,
        environment: Environment,
        seats: dict[str, Any],
        rule: Rule,
        rounds: int,
        tie_break: TieBreak,
        rng: np.random.Generator | None,
    ) -> None:
        if set(seats) != set(environment.agents):
            raise InvalidInput(f"seats: {sorted(seats)} given; expected one for each of {list(environment.agents)}")
        check_tie_break(tie_break, rng)
        self.environment, self.seats, self.rule, self.rounds = environment, seats, rule, rounds
        self.tie_break, self.rng = tie_break, rng
        self.history: tuple[Round, ...] = ()
        self.latest: dict[str, Any] = {}
        self.ids: dict[Any, str] = {}
        self.errors: list[FormatError] = []

    @property
    def standing(self) -> Decision | None:
        return self.history[-1].decision if self.history else None

    async def play(self, number: int) -> Round:
        """One round: message, proposal, voting, decision."""
        self.errors, before = [], counted(self.seats.values())
        said = await self._phase("message", self._view(number), self._message)
        messages = tuple(message for message in said.values() if message is not None)
        made = await self._phase("propose", self._view(number, messages=messages), self._proposal)
        proposals = tuple(proposal for proposal in made.values() if proposal is not None)
        self.latest |= {proposal.agent: proposal.value for proposal in proposals}
        candidates, shown = self._candidates(), _without_reasons(proposals)
        ids = [candidate.id for candidate in candidates]
        view = self._view(number, messages=messages, proposals=shown, candidates=candidates)
        cast = await self._phase("vote", view, lambda agent, ballot: self._ballot(agent, ballot, ids))
        ballots = tuple(cast[agent] or Ballot(agent, None) for agent in self.environment.agents)
        count = tally(
            self.rule,
            {ballot.agent: as_choice(ballot) for ballot in ballots},
            ids,
            tie_break=self.tie_break,
            standing=self.standing.candidate if self.standing else None,
            rng=self.rng,
        )
        finished = Round(
            number=number,
            messages=messages,
            proposals=proposals,
            candidates=candidates,
            ballots=ballots,
            winner=None if count.winner is None else str(count.winner),
            scores=tuple((str(candidate), str(score)) for candidate, score in count.scores.items()),
            why=count.why,
            decision=self._decision(count, number),
            format_errors=tuple(self.errors),
            replies=counted(self.seats.values()) - before,
        )
        public = replace(finished, proposals=shown, ballots=_without_reasons(ballots))
        self.history += (public,)
        return finished

    async def _phase(self, phase: str, view: View, check: Callable[[str, Any], Any]) -> dict[str, Any]:
        async def ask(agent: str) -> Any:
            return check(agent, await getattr(self.seats[agent], phase)(replace(view, me=agent)))

        def amiss(agent: str, why: str) -> None:
            self.errors.append(FormatError(agent, phase, why))

        return await asked(self.environment.agents, ask, amiss, (MalformedReply, InvalidProposal, InvalidBallot))

    def _message(self, agent: str, message: Message | None) -> Message | None:
        if message is None or not message.text.strip():
            return None
        known = tuple(r for r in dict.fromkeys(message.recipients) if r in self.seats and r != agent)
        return replace(message, sender=agent, recipients=known or tuple(a for a in self.seats if a != agent))

    def _proposal(self, agent: str, proposal: Proposal | None) -> Proposal | None:
        if proposal is None or proposal.value is None:
            return None
        return Proposal(agent, self.environment.validate(proposal.value), proposal.reason)

    def _ballot(self, agent: str, ballot: Ballot | None, ids: list[str]) -> Ballot:
        if ballot is None:
            return Ballot(agent, None)
        check_ballot(self.rule, as_choice(ballot), ids, agent)
        return replace(ballot, agent=agent)

    def _view(self, number: int, **public: Any) -> View:
        agents, latest = self.environment.agents, tuple(self.latest.items())
        told = (self.rule.name, self.rule.form, self.rule.explanation, number, self.rounds, self.history)
        return View(agents[0], agents, *told, latest=latest, **public)

    def _candidates(self) -> tuple[Candidate, ...]:
        """Each agent's latest proposal and the standing decision, identical ones merged, in the order of their ids."""
        standing = self.standing
        proposers: dict[Any, list[str]] = {standing.value: []} if standing else {}
        for agent in self.environment.agents:
            if agent in self.latest:
                proposers.setdefault(self.latest[agent], []).append(agent)
        for value in proposers:
            self.ids.setdefault(value, f"P{len(self.ids) + 1}")
        found = [
            Candidate(self.ids[value], value, tuple(who), bool(standing and value == standing.value))
            for value, who in proposers.items()
        ]
        return tuple(sorted(found, key=lambda c: int(c.id[1:])))

    def _decision(self, count: Tally, number: int) -> Decision | None:
        if count.winner is None:
            return self.standing
        value = next(value for value, id_ in self.ids.items() if id_ == count.winner)
        return Decision(str(count.winner), value, number)


def as_choice(ballot: Ballot) -> Any:
    """A recorded choice in the form that `support.choice` counts: pairs become a mapping."""
    pairs = isinstance(ballot.choice, tuple) and ballot.choice and isinstance(ballot.choice[0], tuple)
    return dict(ballot.choice) if pairs else ballot.choice  # type: ignore[arg-type]


def _without_reasons(records: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(replace(record, reason="") for record in records)
