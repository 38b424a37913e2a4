"""The mechanism (sections 3 and A.1): each round agents message, propose and vote, and a social choice rule decides.

In each of the three phases all agents act at once and see the result when it ends. Candidates are each agent's latest
proposal and the standing decision; identical ones are merged. The last accepted proposal is the outcome.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from support.choice import Rule, TieBreak, as_rule, check_ballot, check_tie_break, tally
from support.errors import InvalidBallot, InvalidInput, InvalidProposal, MalformedReply
from support.play import FormatError, asked, counted
from support.roundtable.records import (
    ENVIRONMENTS as ENVIRONMENTS,
)
from support.roundtable.records import (
    Ballot,
    Candidate,
    Decision,
    Message,
    Proposal,
    Round,
    Transcript,
    View,
)
from support.roundtable.records import environment_of as environment_of

ROUNDS = 10

Stop = Callable[[tuple[Round, ...]], bool | Awaitable[bool]]
"""A stopping rule, given the public record so far; True ends the discussion. Its `name` goes into the settings."""

Environment = Any
"""The matter under discussion: what a decision is, and what it is worth. Any object will do that has

- for the table: `agents`, the names in the order of the seats; `validate(proposal)`, which returns a proposal in its
  frozen, hashable form or raises InvalidProposal; `describe(value)`, one line of text; `spec()`, plain data with a
  `name`, from which `ENVIRONMENTS` builds it again;
- for analysis: `utilities(value)`, what a decision is worth to each agent, shape (agents,), and `maximum`, the largest
  total of them (the rating task has neither);
- for rule-based agents: `background(agent)`, what that one knows;
- for a model: `task()`, what everybody is told, `goal(me, shown)`, what only `me` is told, cut to what `shown` has room
  for, and `form()`, a proposal as an example and what makes one valid, each a text; `schema(most)`, the form of a
  reply: `reason`, of so many characters at most, and `proposal`, which `validate` takes, or null; `shape`, what that is
  in two words ("a table"); `extra_tokens`, the room that it needs beyond a small one, where that is not 0.
"""


def check_environment(
    environment: Environment, needs: tuple[str, ...] = ("agents", "validate", "spec")
) -> None:
    """Say, before anybody is asked, what an environment of the user's own lacks."""
    if lacks := [name for name in needs if not hasattr(environment, name)]:
        told = "`support.roundtable.table.Environment` says what each of them is"
        raise InvalidInput(
            f"environment: {type(environment).__name__} has no `{'`, `'.join(lacks)}`; {told}"
        )


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

    `seats` has a participant for every agent; the paper defers the decision at a tie, and a "lottery" needs `rng`;
    `stop` is given the finished rounds, without private reasons, and says whether to stop there. A reply that does not
    fit its form is recorded as a `FormatError` and taken as silence, as no new proposal, or as an abstention; any other
    failure of a participant is raised.
    """
    if (
        isinstance(rounds, bool)
        or not isinstance(rounds, int | np.integer)
        or rounds < 1
    ):
        raise InvalidInput(
            f"rounds: {rounds!r} given; expected a whole number of at least 1"
        )
    table = _Table(environment, dict(seats), as_rule(rule), int(rounds), tie_break, rng)
    for number in range(1, rounds + 1):
        yield await table.play(number)
        if stop and await _says(stop, table.history):
            return


async def play(
    environment: Environment,
    seats: Mapping[str, Any],
    rule: str | Rule,
    *,
    stop: Stop | None = None,
    **options: Any,
) -> Transcript:
    """Play a whole discussion; the options are those of `roundtable`.

    With `stop`, the settings say which rule listened ("stop") and which one stopped the discussion ("stopped", None
    when it ran to its end).
    """
    if stop is not None and not callable(stop):
        raise InvalidInput(
            f"stop: {stop!r} given; expected a function of the finished rounds, such as live(fitted)"
        )
    said: list[bool] = []

    async def listen(rounds: tuple[Round, ...]) -> bool:
        """What `stop` says, kept."""
        said.append(stop is not None and await _says(stop, rounds))
        return said[-1]

    finished = [
        r
        async for r in roundtable(
            environment, seats, rule, stop=stop and listen, **options
        )
    ]
    settings = {"tie_break": options.get("tie_break", "defer")}
    if stop is not None:
        name = str(
            getattr(stop, "name", None)
            or getattr(stop, "__name__", type(stop).__name__)
        )
        settings |= {"stop": name, "stopped": name if any(said) else None}
    return transcript(environment, seats, rule, finished, **settings)


def transcript(
    environment: Environment,
    seats: Mapping[str, Any],
    rule: str | Rule,
    rounds: list[Round],
    **settings: Any,
) -> Transcript:
    """The record of rounds that were played, also of a discussion that was stopped early."""
    kinds = {agent: seats[agent].kind for agent in environment.agents}
    return Transcript(
        environment.spec(), as_rule(rule).name, kinds, tuple(rounds), settings
    )


async def _says(stop: Stop, rounds: tuple[Round, ...]) -> bool:
    answer = stop(rounds)
    return bool(await answer if inspect.isawaitable(answer) else answer)


@dataclass
class _Table:
    """The state that one discussion carries from round to round."""

    environment: Environment
    seats: dict[str, Any]
    rule: Rule
    rounds: int
    tie_break: TieBreak
    rng: np.random.Generator | None
    history: tuple[Round, ...] = ()
    latest: dict[str, Any] = field(default_factory=dict)
    ids: dict[Any, str] = field(default_factory=dict)
    errors: list[FormatError] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_environment(self.environment)
        if set(self.seats) != set(self.environment.agents):
            wanted = list(self.environment.agents)
            raise InvalidInput(
                f"seats: {sorted(self.seats)} given; expected one for each of {wanted}"
            )
        check_tie_break(self.tie_break, self.rng)

    async def play(self, number: int) -> Round:
        """One round: message, proposal, voting, decision."""
        self.errors, before = [], counted(self.seats.values())
        standing = self.history[-1].decision if self.history else None
        said = await self._phase("message", self._view(number), self._message)
        messages = tuple(message for message in said.values() if message is not None)
        made = await self._phase(
            "propose", self._view(number, messages=messages), self._proposal
        )
        proposals = tuple(
            proposal for proposal in made.values() if proposal is not None
        )
        self.latest |= {proposal.agent: proposal.value for proposal in proposals}
        candidates, shown = self._candidates(standing), _without_reasons(proposals)
        view = self._view(
            number, messages=messages, proposals=shown, candidates=candidates
        )
        cast = await self._phase(
            "vote", view, lambda agent, ballot: self._ballot(agent, ballot, candidates)
        )
        ballots = tuple(
            cast[agent] or Ballot(agent, None) for agent in self.environment.agents
        )
        count = tally(
            self.rule,
            {ballot.agent: as_choice(ballot) for ballot in ballots},
            [candidate.id for candidate in candidates],
            tie_break=self.tie_break,
            standing=standing.candidate if standing else None,
            rng=self.rng,
        )
        winner = next((c for c in candidates if c.id == count.winner), None)
        finished = Round(
            number=number,
            messages=messages,
            proposals=proposals,
            candidates=candidates,
            ballots=ballots,
            winner=winner.id if winner else None,
            scores=tuple(
                (str(candidate), str(score))
                for candidate, score in count.scores.items()
            ),
            why=count.why,
            decision=Decision(winner.id, winner.value, number) if winner else standing,
            format_errors=tuple(self.errors),
            replies=counted(self.seats.values()) - before,
        )
        self.history += (
            replace(finished, proposals=shown, ballots=_without_reasons(ballots)),
        )
        return finished

    async def _phase(
        self, phase: str, view: View, check: Callable[[str, Any], Any]
    ) -> dict[str, Any]:
        async def ask(agent: str) -> Any:
            return check(
                agent, await getattr(self.seats[agent], phase)(replace(view, me=agent))
            )

        errors = (MalformedReply, InvalidProposal, InvalidBallot)
        return await asked(
            self.environment.agents,
            ask,
            lambda who, why: self.errors.append(FormatError(who, phase, why)),
            errors,
        )

    def _message(self, agent: str, message: Message | None) -> Message | None:
        if message is None or not message.text.strip():
            return None
        others = tuple(a for a in self.seats if a != agent)
        known = tuple(r for r in dict.fromkeys(message.recipients) if r in others)
        return replace(message, sender=agent, recipients=known or others)

    def _proposal(self, agent: str, proposal: Proposal | None) -> Proposal | None:
        if proposal is None or proposal.value is None:
            return None
        return Proposal(
            agent, self.environment.validate(proposal.value), proposal.reason
        )

    def _ballot(
        self, agent: str, ballot: Ballot | None, candidates: tuple[Candidate, ...]
    ) -> Ballot:
        if ballot is None:
            return Ballot(agent, None)
        check_ballot(
            self.rule,
            as_choice(ballot),
            [candidate.id for candidate in candidates],
            agent,
        )
        return replace(ballot, agent=agent)

    def _view(self, number: int, **public: Any) -> View:
        agents, latest = self.environment.agents, tuple(self.latest.items())
        told = (
            self.rule.name,
            self.rule.form,
            self.rule.explanation,
            number,
            self.rounds,
            self.history,
        )
        return View(agents[0], agents, *told, latest=latest, **public)

    def _candidates(self, standing: Decision | None) -> tuple[Candidate, ...]:
        """Each agent's latest proposal and the standing decision, identical ones merged, in the order of their ids."""
        proposers: dict[Any, list[str]] = {standing.value: []} if standing else {}
        for agent in self.environment.agents:
            if agent in self.latest:
                proposers.setdefault(self.latest[agent], []).append(agent)
        for value in proposers:
            self.ids.setdefault(value, f"P{len(self.ids) + 1}")
        found = [
            Candidate(
                self.ids[value],
                value,
                tuple(who),
                bool(standing and value == standing.value),
            )
            for value, who in proposers.items()
        ]
        return tuple(sorted(found, key=lambda c: int(c.id[1:])))


def as_choice(ballot: Ballot) -> Any:
    """A recorded choice in the form that `support.choice` counts: pairs become a mapping."""
    pairs = (
        isinstance(ballot.choice, tuple)
        and ballot.choice
        and isinstance(ballot.choice[0], tuple)
    )
    return dict(ballot.choice) if pairs else ballot.choice  # type: ignore[arg-type]


def _without_reasons(records: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(replace(record, reason="") for record in records)
