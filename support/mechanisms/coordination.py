"""Coordination: private chats, options, scores, a decision candidate, round after round.

The protocol of Papachristou, Yang and Hsu (2023), section 3.2. In each round

1. every member sees the options of the round before,
2. talks with the interviewer in private, who restates the member's preferences (theta),
3. the coordinator proposes K options, from round 2 on the candidate and K - 1 others,
4. the evaluator scores each option for each member, and equation (4) chooses the decision candidate.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from support.environments.meetings.preferences import At
from support.environments.meetings.satisfaction import candidate as best
from support.environments.meetings.satisfaction import satisfaction_ratio
from support.environments.meetings.scenario import Scenario
from support.environments.meetings.views import Brief, Chat, Intent
from support.errors import InvalidInput, InvalidProposal, MalformedReply
from support.mechanisms.options import breaches, by_option, checked, checked_scores, with_candidate
from support.participants.facilitators.evaluators import known
from support.participants.facilitators.protocol import Coordinator, Evaluator, Interviewer
from support.participants.members.protocol import Member
from support.play import FormatError
from support.records import Conversation, Coordination, CoordinationRound, Option, Score, Turn
from support.records.coordination import ASSISTANT

OPTIONS, ROUNDS = 2, 4
TURNS = 8
"""A member's turns in one conversation, at most."""

PHASES = ("talk", "extract", "propose", "score")
AMISS = (MalformedReply, InvalidInput, InvalidProposal)


async def coordinate(
    scenario: Scenario,
    seats: Mapping[str, Member],
    interviewer: Interviewer,
    coordinator: Coordinator,
    evaluator: Evaluator,
    *,
    options: int = OPTIONS,
    rounds: int = ROUNDS,
    handed: Mapping[str, Sequence[str]] | None = None,
    database: bool = False,
    tracking: bool = False,
    audit: Evaluator | None = None,
) -> AsyncIterator[CoordinationRound]:
    """Yield each finished round of one coordination.

    Parameters
    ----------
    scenario : Scenario
        The meeting, its members and what is known about them.
    seats : mapping of member to Member
        Who sits where; every member of the meeting needs a seat.
    options : int
        K, fewer than the members.
    rounds : int
        T; 4 in the paper.
    handed : mapping of member to preferences, optional
        Preferences handed to the coordinator as they are, in the place of conversations: the paper's
        non-conversational baseline, which has one round.
    database : bool
        Whether the coordinator sees the public profiles and the social graph.
    tracking : bool
        Whether preferences of earlier rounds stay in theta. The paper's do not: a round is scored on what was
        said in it (its section 8.3 names a tracking module as missing).
    audit : Evaluator, optional
        Scores the same options outside of the loop, on what nobody in the loop may see.

    Raises
    ------
    InvalidInput
        On seats that are not the members, K not below their number, or fewer than one round.

    Notes
    -----
    A reply that does not fit its form is recorded as a `FormatError`: a talk ends there, an extraction is empty,
    options stay the candidate alone, and without scores the candidate stays. Any other failure is raised.
    """
    run = _Run(scenario, seats, (interviewer, coordinator, evaluator), options, handed, database, tracking, audit)
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1 or (handed and rounds > 1):
        wanted = "1, for there is nothing to talk about" if handed else "a whole number of at least 1"
        raise InvalidInput(f"rounds: {rounds!r} given; expected {wanted}")
    for number in range(1, rounds + 1):
        yield await run.play(number)


def record(
    scenario: Scenario, roles: Mapping[str, Any], rounds: Sequence[CoordinationRound], **settings: Any
) -> Coordination:
    """The record of rounds that were played; `roles` holds members and facilitators by the names of their roles."""
    kinds = {role: who.kind for role, who in roles.items()}
    return Coordination(scenario.meeting.spec(), kinds, tuple(rounds), settings)


class _Run:
    """The state that one coordination carries from round to round."""

    def __init__(
        self,
        scenario: Scenario,
        seats: Mapping[str, Member],
        facilitators: tuple[Interviewer, Coordinator, Evaluator],
        k: int,
        handed: Mapping[str, Sequence[str]] | None,
        database: bool,
        tracking: bool,
        audit: Evaluator | None,
    ) -> None:
        self.scenario, self.meeting, self.seats = scenario, scenario.meeting, dict(seats)
        self.interviewer, self.coordinator, self.evaluator = facilitators
        self.k, self.handed, self.tracking, self.audit = k, handed, tracking, audit
        self._check()
        self.database = scenario.database() if database else None
        self.options: tuple[Option, ...] = ()
        self.candidate: Option | None = None
        self.satisfied = 0
        self.ids: dict[str, str] = {}
        self.said: dict[str, Intent] = {}
        self.errors: list[FormatError] = []

    def _check(self) -> None:
        members = self.meeting.members
        if set(self.seats) != set(members):
            raise InvalidInput(f"seats: {sorted(self.seats)} given; expected one for each of {list(members)}")
        if isinstance(self.k, bool) or not isinstance(self.k, int) or not 1 <= self.k < len(members):
            raise InvalidInput(
                f"options: K = {self.k!r} given; expected 1 to {len(members) - 1}, fewer than the {len(members)} "
                f"members of meeting {self.meeting.id} (with more, no option gathers a majority)"
            )
        if self.handed is not None and set(self.handed) != set(members):
            raise InvalidInput(f"handed: {sorted(self.handed)} given; expected the preferences of {list(members)}")

    async def play(self, number: int) -> CoordinationRound:
        """One round: talks, options, scores, candidate."""
        self.errors, asked = [], self._replies()
        talks = await self._talks(number)
        intents = self._intents(talks)
        brief = self._brief(number, intents)
        broken = await self._propose(brief)
        scores = await self._scores(self.evaluator, intents, number)
        audit = await self._scores(self.audit, intents, number) if self.audit else ()
        self._choose(scores)
        self.errors.sort(key=lambda e: (PHASES.index(e.phase), e.agent))
        return CoordinationRound(
            number=number,
            conversations=talks,
            options=self.options,
            scores=scores,
            candidate=self.candidate.id if self.candidate else None,
            audit=audit,
            breaches=broken,
            format_errors=tuple(self.errors),
            replies=self._replies() - asked,
        )

    async def _talks(self, number: int) -> tuple[Conversation, ...]:
        if self.handed is not None:
            return tuple(Conversation(m, (), tuple(self.handed[m])) for m in self.meeting.members)
        talks = [asyncio.ensure_future(self._talk(m, number)) for m in self.meeting.members]
        try:
            return tuple(await asyncio.gather(*talks))
        finally:
            for talk in talks:  # when one fails, the others do not go on asking models
                talk.cancel()

    async def _talk(self, member: str, number: int) -> Conversation:
        """One private conversation, to its end or to the member's last turn, and what was extracted from it."""
        chosen = self.candidate.id if self.candidate else None
        chat = Chat(member, self.meeting, number, self.options, chosen)
        for _ in range(TURNS):
            remark = await self._try(member, "talk", self.interviewer.ask(chat))
            if remark is not None and remark.text.strip():
                chat = replace(chat, turns=(*chat.turns, Turn(ASSISTANT, remark.text.strip())))
            if remark is None or remark.done:
                break
            answer = await self._try(member, "talk", self.seats[member].answer(chat))
            if not answer:
                break
            chat = replace(chat, turns=(*chat.turns, Turn(member, answer.strip())))
        intent = await self._try(member, "extract", self.interviewer.extract(chat)) or Intent(())
        agreed = intent.agreed if intent.agreed in {o.id for o in self.options} else None
        return Conversation(member, chat.turns, intent.preferences, agreed)

    def _intents(self, talks: Sequence[Conversation]) -> dict[str, Intent]:
        """theta of this round; with tracking, what was said before comes first."""
        for talk in talks:
            kept = self._kept(talk.member) if self.tracking else ()
            self.said[talk.member] = Intent(tuple(dict.fromkeys((*kept, *talk.preferences))), talk.agreed)
        return dict(self.said)

    def _kept(self, member: str) -> tuple[str, ...]:
        """What stays of earlier rounds: not the exact times, which answered options that are gone."""
        before, year = self.said[member].preferences if member in self.said else (), int(self.meeting.date[:4])
        return tuple(p for p in before if not any(isinstance(x, At) for x in known(p, year)))

    def _brief(self, number: int, intents: Mapping[str, Intent]) -> Brief:
        return Brief(self.meeting, number, self.k, intents, self.candidate, self.satisfied, self.options, self.database)

    async def _propose(self, brief: Brief) -> tuple[str, ...]:
        """Ask for options; what is amiss becomes a FormatError, and the candidate stays as the only option."""

        async def ask() -> tuple[Option, ...]:
            return checked(await self.coordinator.propose(brief), brief, self.ids)

        found = await self._try("coordinator", "propose", ask())
        self.options, left_out = with_candidate(found or (), self.candidate, self.k)
        self.ids |= {o.start: o.id for o in self.options}
        return breaches(self.options, brief, left_out and found is not None)

    async def _scores(self, evaluator: Evaluator, intents: Mapping[str, Intent], number: int) -> tuple[Score, ...]:
        async def ask() -> tuple[Score, ...]:
            given = await evaluator.score(self.meeting, self.options, intents, number)
            return checked_scores(given, self.options, self.meeting.members)

        return await self._try("evaluator", "score", ask()) or () if self.options else ()

    def _choose(self, scores: Sequence[Score]) -> None:
        values = by_option(scores)
        if values:
            chosen = best(values)
            self.candidate = next(o for o in self.options if o.id == chosen)
            self.satisfied = round(satisfaction_ratio(values[chosen]) * len(self.meeting.members))

    async def _try(self, who: str, phase: str, act: Awaitable[Any]) -> Any:
        try:
            return await act
        except AMISS as error:
            self.errors.append(FormatError(who, phase, str(error)))
            return None

    def _replies(self) -> int:
        everybody: list[Any] = [*self.seats.values(), self.interviewer, self.coordinator, self.evaluator]
        return sum(getattr(who, "replies", 0) for who in everybody)
