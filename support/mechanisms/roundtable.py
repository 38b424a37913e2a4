"""RoundTable: agents message, propose and vote, and a social choice rule decides (sections 3 and A.1).

Each round has three phases, in each of which all agents act at once and see the result when the phase ends.
Candidates are each agent's latest proposal and the standing decision; identical ones are merged. The last
accepted proposal is the outcome.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from support.choice import Rule, Tally, check_ballot, tally
from support.choice.rules import as_rule
from support.choice.ties import TieBreak, check_tie_break
from support.errors import InvalidBallot, InvalidInput, InvalidProposal, MalformedReply
from support.mechanisms.stop import Heard, Stop, says
from support.participants.negotiators.protocol import Negotiator
from support.records import Ballot, Candidate, Decision, FormatError, Message, Proposal, Round, Transcript, View

ROUNDS = 10


class Environment(Protocol):
    """What a round table needs to know of the matter under discussion."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents, in the order of their seats."""

    def validate(self, proposal: Any) -> Any:
        """Return a proposal in its frozen form, or raise InvalidProposal."""

    def spec(self) -> dict[str, Any]:
        """Plain data that build the environment again."""


async def roundtable(
    environment: Environment,
    seats: Mapping[str, Negotiator],
    rule: str | Rule,
    *,
    rounds: int = ROUNDS,
    tie_break: TieBreak = "defer",
    rng: np.random.Generator | None = None,
    stop: Stop | None = None,
) -> AsyncIterator[Round]:
    """Yield each finished round of one discussion.

    Parameters
    ----------
    environment : Environment
        Checks proposals and names the agents.
    seats : mapping of agent to Negotiator
        Who sits where; every agent of the environment needs a seat.
    rule : str or Rule
        A key of `support.choice.RULES`, or a rule of your own.
    rounds : int
        How many rounds are played unless the consumer stops earlier; 10 in the paper.
    tie_break : {"defer", "status_quo", "lottery"}
        What a tie does; the paper defers the decision. A lottery needs `rng`.
    stop : callable, optional
        A stopping rule: takes the tuple of finished rounds, without private reasons, and says whether to stop
        there, at once or as an awaitable. `support.analysis.stopping.live` makes one of a fitted rule.

    Raises
    ------
    InvalidInput
        On an unknown rule or tie-break, a number of rounds below one, or a seat that is empty or unknown.

    Notes
    -----
    A reply that does not fit its form is recorded as a `FormatError` and taken as silence, as no new
    proposal, or as an abstention. Any other failure of a participant is raised.
    """
    table = _Table(environment, dict(seats), as_rule(rule), _rounds(rounds), tie_break, rng)
    for number in range(1, rounds + 1):
        yield await table.play(number)
        if stop and await says(stop, table.history):
            return


async def play(
    environment: Environment, seats: Mapping[str, Negotiator], rule: str | Rule, **options: Any
) -> Transcript:
    """Play a whole discussion and return its transcript; the options are those of `roundtable`.

    With `stop`, the settings say which rule listened ("stop") and which one stopped the discussion ("stopped", None
    when it ran to its end).
    """
    heard = Heard(options.pop("stop", None))
    finished = [r async for r in roundtable(environment, seats, rule, stop=heard.stop and heard, **options)]
    settings = {"tie_break": options.get("tie_break", "defer"), **heard.settings}
    return transcript(environment, seats, rule, finished, **settings)


def transcript(
    environment: Environment, seats: Mapping[str, Negotiator], rule: str | Rule, rounds: list[Round], **settings: Any
) -> Transcript:
    """The record of rounds that were played, also of a discussion that was stopped early."""
    kinds = {agent: seats[agent].kind for agent in environment.agents}
    return Transcript(environment.spec(), as_rule(rule).name, kinds, tuple(rounds), settings)


class _Table:
    """The state that one discussion carries from round to round."""

    def __init__(
        self,
        environment: Environment,
        seats: dict[str, Negotiator],
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

    async def play(self, number: int) -> Round:
        """One round: message, proposal, voting, decision."""
        errors: list[FormatError] = []
        asked = self._replies()
        messages = await self._message_phase(self._view(number), errors)
        proposals = await self._proposal_phase(self._view(number, messages=messages), errors)
        candidates = self._candidates()
        shown = _without_reasons(proposals)
        view = self._view(number, messages=messages, proposals=shown, candidates=candidates)
        ballots = await self._voting_phase(view, errors)
        count = self._tally(ballots, candidates)
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
            format_errors=tuple(errors),
            replies=self._replies() - asked,
        )
        self.history += (_public(finished),)
        return finished

    async def _message_phase(self, view: View, errors: list[FormatError]) -> tuple[Message, ...]:
        said = await self._all("message", view, errors, self._checked_message)
        return tuple(m for m in said.values() if m is not None)

    def _checked_message(self, agent: str, message: Message | None) -> Message | None:
        if message is None or not message.text.strip():
            return None
        known = tuple(r for r in dict.fromkeys(message.recipients) if r in self.seats and r != agent)
        return replace(message, sender=agent, recipients=known or tuple(a for a in self.seats if a != agent))

    async def _proposal_phase(self, view: View, errors: list[FormatError]) -> tuple[Proposal, ...]:
        made = await self._all("propose", view, errors, self._checked_proposal)
        new = tuple(p for p in made.values() if p is not None)
        self.latest |= {p.agent: p.value for p in new}
        return new

    def _checked_proposal(self, agent: str, proposal: Proposal | None) -> Proposal | None:
        if proposal is None or proposal.value is None:
            return None
        return Proposal(agent, self.environment.validate(proposal.value), proposal.reason)

    async def _voting_phase(self, view: View, errors: list[FormatError]) -> tuple[Ballot, ...]:
        cast = await self._all("vote", view, errors, self._checked_ballot(view))
        return tuple(cast.get(agent) or Ballot(agent, None) for agent in self.environment.agents)

    def _checked_ballot(self, view: View) -> Callable[[str, Ballot], Ballot]:
        ids = [c.id for c in view.candidates]

        def check(agent: str, ballot: Ballot | None) -> Ballot:
            if ballot is None:
                return Ballot(agent, None)
            check_ballot(self.rule, as_choice(ballot), ids, agent)
            return replace(ballot, agent=agent)

        return check

    async def _all(
        self, phase: str, view: View, errors: list[FormatError], check: Callable[[str, Any], Any]
    ) -> dict[str, Any]:
        """Ask every agent at once; what does not fit its form becomes a FormatError and None."""

        async def ask(agent: str) -> Any:
            act: Callable[[View], Awaitable[Any]] = getattr(self.seats[agent], phase)
            try:
                return check(agent, await act(replace(view, me=agent)))
            except (MalformedReply, InvalidProposal, InvalidBallot) as error:
                errors.append(FormatError(agent, phase, str(error)))
                return None

        agents = self.environment.agents
        tasks = [asyncio.ensure_future(ask(agent)) for agent in agents]
        try:
            answers = await asyncio.gather(*tasks)
        finally:
            for task in tasks:  # when one fails, the others do not go on asking models
                task.cancel()
        errors.sort(key=lambda e: (("message", "propose", "vote").index(e.phase), agents.index(e.agent)))
        return dict(zip(agents, answers, strict=True))

    def _view(self, number: int, **public: Any) -> View:
        agents = self.environment.agents
        return View(
            agents[0],
            agents,
            self.rule.name,
            self.rule.form,
            self.rule.explanation,
            number,
            self.rounds,
            self.history,
            latest=tuple(self.latest.items()),
            **public,
        )

    def _candidates(self) -> tuple[Candidate, ...]:
        """Each agent's latest proposal and the standing decision, identical ones merged, in the order of their ids."""
        standing = self.history[-1].decision if self.history else None
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

    def _tally(self, ballots: tuple[Ballot, ...], candidates: tuple[Candidate, ...]) -> Tally:
        standing = self.history[-1].decision if self.history else None
        return tally(
            self.rule,
            {b.agent: as_choice(b) for b in ballots},
            [c.id for c in candidates],
            tie_break=self.tie_break,
            standing=standing.candidate if standing else None,
            rng=self.rng,
        )

    def _decision(self, count: Tally, number: int) -> Decision | None:
        standing = self.history[-1].decision if self.history else None
        if count.winner is None:
            return standing
        value = next(value for value, id_ in self.ids.items() if id_ == count.winner)
        return Decision(str(count.winner), value, number)

    def _replies(self) -> int:
        return sum(getattr(seat, "replies", 0) for seat in self.seats.values())


def as_choice(ballot: Ballot) -> Any:
    """A recorded choice in the form that `support.choice` counts: pairs become a mapping."""
    pairs = isinstance(ballot.choice, tuple) and ballot.choice and isinstance(ballot.choice[0], tuple)
    return dict(ballot.choice) if pairs else ballot.choice  # type: ignore[arg-type]


def _public(finished: Round) -> Round:
    """A round as everybody sees it: what was thought in private is left out."""
    return replace(finished, proposals=_without_reasons(finished.proposals), ballots=_without_reasons(finished.ballots))


def _without_reasons(records: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(replace(record, reason="") for record in records)


def _rounds(rounds: Any) -> int:
    if isinstance(rounds, bool) or not isinstance(rounds, (int, np.integer)) or rounds < 1:
        raise InvalidInput(f"rounds: {rounds!r} given; expected a whole number of at least 1")
    return int(rounds)
