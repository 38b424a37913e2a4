"""Coordination: private chats, options, scores, a decision candidate, round after round.

The protocol of Papachristou, Yang and Hsu (2023), section 3.2. In each round

1. every member sees the options of the round before (`answer(chat)`, a text),
2. talks with the interviewer in private (`remark(chat)`, a Remark), who restates theta (`extract(chat)`, an Intent),
3. the coordinator proposes K options (`propose(brief)`), from round 2 on the candidate and K - 1 others,
4. the evaluator scores each option for each member (`score(meeting, options, intents, round)`), and equation (4)
   chooses the decision candidate.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from support.errors import InvalidInput
from support.meetings.data import Database, Meeting, iso
from support.meetings.evaluators import ExactEvaluator
from support.meetings.evaluators import known as wishes
from support.meetings.preferences import At, plain
from support.meetings.records import (
    ASSISTANT,
    Conversation,
    Coordination,
    CoordinationRound,
    Option,
    Score,
    Turn,
)
from support.meetings.satisfaction import HIGHEST, satisfaction_ratio
from support.meetings.satisfaction import candidate as best
from support.meetings.scenario import Brief, Chat, Intent, Scenario, Suggestion
from support.play import AMISS, FormatError, counted, together

OPTIONS, ROUNDS = 2, 4  # K and T; 4 rounds in the paper
TURNS = 8  # a member's turns in one conversation, at most
PHASES = ("talk", "extract", "propose", "score")


async def coordinate(
    scenario: Scenario,
    seats: Mapping[str, Any],
    interviewer: Any,
    coordinator: Any,
    evaluator: Any,
    *,
    options: int = OPTIONS,
    rounds: int = ROUNDS,
    handed: Mapping[str, Sequence[str]] | None = None,
    database: bool = False,
    tracking: bool = False,
    audit: Any = None,
) -> AsyncIterator[CoordinationRound]:
    """Yield each finished round of one coordination with K `options` of T `rounds`.

    `handed` are each member's preferences, given to the coordinator as they are in the place of conversations: the
    paper's non-conversational baseline, which has one round. With `database` the coordinator sees the public profiles
    and the social graph. With `tracking` preferences of earlier rounds stay in theta; the paper's do not (its section
    8.3 names a tracking module as missing): a round is scored on what was said in it. `audit` is an evaluator that
    scores the same options outside of the loop, on what nobody in the loop may see.

    A reply that does not fit its form is recorded as a `FormatError`: a talk ends there, an extraction is empty,
    options stay the candidate alone, and without scores the candidate stays. Any other failure is raised.
    """
    members, meeting = scenario.members, scenario.meeting
    if not 1 <= options < len(members):
        raise InvalidInput(
            f"options: K = {options!r} given; expected 1 to {len(members) - 1}, fewer than the {len(members)} members "
            f"of meeting {meeting.id} (with more, no option gathers a majority)"
        )
    if rounds < 1:
        raise InvalidInput(f"rounds: {rounds!r} given; expected at least 1")
    known, led = (
        scenario.database() if database else None,
        (interviewer, coordinator, evaluator),
    )
    run = _Run(meeting, seats, led, options, handed, known, tracking, audit)
    for number in range(1, rounds + 1):
        yield await run.play(number)


def record(
    scenario: Scenario,
    roles: Mapping[str, Any],
    rounds: Sequence[CoordinationRound],
    **settings: Any,
) -> Coordination:
    """The record of rounds that were played; `roles` holds members and facilitators by the names of their roles.

    Its settings hold the `yardstick` of each round: what chance and the best start are worth in truth.
    """
    kinds, exact = (
        {role: who.kind for role, who in roles.items()},
        ExactEvaluator(scenario, roles),
    )
    measured = [exact.yardstick(entry.number) for entry in rounds]
    return Coordination(
        plain(scenario.meeting),
        kinds,
        tuple(rounds),
        {**settings, "yardstick": measured},
    )


@dataclass
class _Run:
    """The state that one coordination carries from round to round."""

    meeting: Meeting
    seats: Mapping[str, Any]
    facilitators: tuple[Any, Any, Any]  # interviewer, coordinator, evaluator
    k: int
    handed: Mapping[str, Sequence[str]] | None
    database: Database | None
    tracking: bool
    audit: Any
    options: tuple[Option, ...] = ()
    candidate: Option | None = None
    satisfied: int = 0
    ids: dict[str, str] = field(
        default_factory=dict
    )  # of every start that was an option so far
    said: dict[str, Intent] = field(default_factory=dict)
    errors: list[FormatError] = field(default_factory=list)

    async def play(self, number: int) -> CoordinationRound:
        """One round: talks, options, scores, candidate."""
        everybody, members = (
            [*self.seats.values(), *self.facilitators],
            self.meeting.members,
        )
        self.errors, asked = [], counted(everybody)
        if self.handed is not None:
            talks = tuple(Conversation(m, (), tuple(self.handed[m])) for m in members)
        else:
            talks = tuple(
                (await together({m: self._talk(m, number) for m in members})).values()
            )
        intents = self._intents(talks)
        brief = Brief(
            self.meeting,
            number,
            self.k,
            intents,
            self.candidate,
            self.satisfied,
            self.options,
            self.database,
        )
        broken = await self._propose(brief)
        scores = await self._scores(self.facilitators[2], intents, number)
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
            replies=counted(everybody) - asked,
        )

    async def _talk(self, member: str, number: int) -> Conversation:
        """One private conversation, to its end or to the member's last turn, and what was extracted from it."""
        chosen, interviewer = (
            self.candidate.id if self.candidate else None,
            self.facilitators[0],
        )
        chat = Chat(member, self.meeting, number, self.options, chosen)
        for _ in range(TURNS):
            remark = await self._try(member, "talk", interviewer.remark(chat))
            if remark is not None and remark.text.strip():
                chat = replace(
                    chat, turns=(*chat.turns, Turn(ASSISTANT, remark.text.strip()))
                )
            if remark is None or remark.done:
                break
            answer = await self._try(member, "talk", self.seats[member].answer(chat))
            if not answer:
                break
            chat = replace(chat, turns=(*chat.turns, Turn(member, answer.strip())))
        intent = await self._try(
            member, "extract", interviewer.extract(chat)
        ) or Intent(())
        agreed = (
            intent.agreed if intent.agreed in {o.id for o in self.options} else None
        )
        return Conversation(member, chat.turns, intent.preferences, agreed)

    def _intents(self, talks: Sequence[Conversation]) -> dict[str, Intent]:
        """theta of this round; with tracking, what was said before comes first."""
        for talk in talks:
            before = (
                self.said[talk.member].preferences
                if self.tracking and talk.member in self.said
                else ()
            )
            # Exact times answered options that are gone.
            kept = [
                p
                for p in before
                if not any(isinstance(x, At) for x in wishes(p, self.meeting.year))
            ]
            self.said[talk.member] = Intent(
                tuple(dict.fromkeys((*kept, *talk.preferences))), talk.agreed
            )
        return dict(self.said)

    async def _propose(self, brief: Brief) -> tuple[str, ...]:
        """Ask for options; what is amiss becomes a FormatError, and the candidate stays as the only option."""

        async def ask() -> tuple[Option, ...]:
            return checked(await self.facilitators[1].propose(brief), brief, self.ids)

        found = await self._try("coordinator", "propose", ask())
        options, left_out = found or (), False
        if self.candidate and self.candidate.id not in {
            o.id for o in options
        }:  # the last one makes room for it
            options, left_out = (
                (self.candidate, *options[: self.k - 1]),
                found is not None,
            )
        self.options, self.ids = options, self.ids | {o.start: o.id for o in options}
        return breaches(options, brief, left_out)

    async def _scores(
        self, evaluator: Any, intents: Mapping[str, Intent], number: int
    ) -> tuple[Score, ...]:
        async def ask() -> tuple[Score, ...]:
            given = await evaluator.score(self.meeting, self.options, intents, number)
            return checked_scores(given, self.options, self.meeting.members)

        return (
            await self._try("evaluator", "score", ask()) or () if self.options else ()
        )

    def _choose(self, scores: Sequence[Score]) -> None:
        values: dict[str, list[int]] = {}
        for score in scores:
            values.setdefault(score.option, []).append(score.value)
        if values:
            chosen = best(values)
            self.candidate = next(o for o in self.options if o.id == chosen)
            self.satisfied = round(
                satisfaction_ratio(values[chosen]) * len(self.meeting.members)
            )

    async def _try(self, who: str, phase: str, act: Awaitable[Any]) -> Any:
        try:
            return await act
        except AMISS as error:
            self.errors.append(FormatError(who, phase, str(error)))
            return None


def checked(
    suggestions: Sequence[Suggestion], brief: Brief, ids: Mapping[str, str]
) -> tuple[Option, ...]:
    """The options of a reply, the same start once, each under its id: that of `ids` (by start), or the next number.

    InvalidInput on more than K options, a start that is no slot of the meeting, or somebody who is no member of it.
    """
    meeting, found = brief.meeting, dict[str, Option]()
    for said in suggestions:
        start = iso(meeting.slot(said.start))
        if strangers := [name for name in said.members if name not in meeting.members]:
            raise InvalidInput(
                f"members: {strangers[0]!r} given; expected members of meeting {meeting.id}: "
                f"{', '.join(meeting.members)}"
            )
        new = f"O{len(ids) + sum(s not in ids for s in found) + 1}"
        members = tuple(name for name in meeting.members if name in said.members)
        found.setdefault(
            start, Option(ids.get(start, new), start, members, tuple(said.reasons))
        )
    if len(found) > brief.k:
        raise InvalidInput(f"options: {len(found)} given; expected at most {brief.k}")
    return tuple(found.values())


def breaches(
    options: Sequence[Option], brief: Brief, left_out: bool
) -> tuple[str, ...]:
    """Where the options leave step (3) of section 3.2, by the coordinator's own word on whom they satisfy."""
    least = (
        min(2, len(brief.meeting.members))
        if brief.candidate is None
        else brief.satisfied
    )
    new = [o for o in options if brief.candidate is None or o.id != brief.candidate.id]
    satisfied = {name for option in options for name in option.members}
    found = (
        [f"{len(options)} options where {brief.k} were asked for"]
        if len(options) < brief.k
        else []
    )
    found += [
        f"{o.id} satisfies {len(o.members)}, at least {least} were asked for"
        for o in new
        if len(o.members) < least
    ]
    found += [
        f"no option for {r}, who is required"
        for r in brief.meeting.required
        if r not in satisfied
    ]
    return (*found, "the candidate was left out") if left_out else tuple(found)


def checked_scores(
    scores: Sequence[Score], options: Sequence[Option], members: Sequence[str]
) -> tuple[Score, ...]:
    """One score of 0 to 3 for each option and member, in their order; InvalidInput for anything else."""
    wanted = [(o.id, m) for o in options for m in members]
    given = {(s.option, s.member): s for s in scores}
    if len(given) < len(scores) or set(given) != set(wanted):
        wrong = sorted(set(wanted) ^ set(given))
        raise InvalidInput(
            f"scores: {len(scores)} given; expected one for each option and member, see {wrong}"
        )
    for s in scores:
        if (
            isinstance(s.value, bool)
            or not isinstance(s.value, int)
            or not 0 <= s.value <= HIGHEST
        ):
            raise InvalidInput(
                f"scores: {s.value!r} for {s.member} and {s.option} given; expected 0, 1, 2 or 3"
            )
    return tuple(given[key] for key in wanted)
