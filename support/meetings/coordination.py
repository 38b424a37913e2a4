"""The protocol of section 3.2: talks, notes, options, scores, a candidate, every round.

In each round

1. every member sees the options of the round before and talks in private with the
   interviewer (`remark(chat)`, a Turn), who asks on until the member is done
   (`answer(chat)`, a Turn); a reader reads words that came without data
   (`read(chat)`, wishes),
2. the coordinator proposes K options (`propose(brief)`, Options; ids are given here),
   from round 2 on the candidate and K - 1 others,
3. the evaluator scores them on the notes (`score(brief, options)`, Scores), and equation
   (4) chooses the candidate.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from support.errors import InvalidInput
from support.meetings.preferences import Choice
from support.meetings.records import (
    ASSISTANT,
    Notes,
    Option,
    Round,
    Scores,
    Turn,
    noted,
)
from support.meetings.scenario import Scenario
from support.meetings.scores import HIGHEST, best, satisfied
from support.meetings.wording import bounds, offered
from support.play import AMISS, FormatError, counted, together

OPTIONS, ROUNDS = 2, 4
"""K and T of the paper."""
LEAST = 2
"""Members whom an option of round 1 satisfies (section 3.2)."""
TURNS = 12
"""A guard only: a talk ends when the member has nothing to add."""
DATABASE = ("demands", "ties")
"""What a coordinator may use: whom the organiser requires, who works with whom (section
5.2)."""


@dataclass(frozen=True)
class Chat:
    """A private talk so far, as its two sides see it.

    `options` are those of the round before (none in round 1), `candidate` the id of the
    best of them, `earlier` the talks of the rounds before. `states`: the member states
    its wishes as data; `curt`: the talk ends when an option is agreed to, or another
    slot named. The scenario is the public one.
    """

    scenario: Scenario
    member: str
    options: tuple[Option, ...] = ()
    candidate: str | None = None
    earlier: tuple[tuple[Turn, ...], ...] = ()
    turns: tuple[Turn, ...] = ()
    states: bool = True
    curt: bool = False

    @property
    def bounds(self) -> str:
        """Which slots are in question, as the member is told."""
        return bounds(self.scenario, self.member)

    @property
    def offers(self) -> list[str]:
        """The options as the member is told them."""
        return [offered(self.scenario, option, self.member) for option in self.options]


@dataclass(frozen=True)
class Brief:
    """What a coordinator, or an evaluator, is given. The scenario is the public one.

    `satisfied` counts the members whom the evaluator found satisfied by `candidate`;
    `database` holds what of `DATABASE` may be used.
    """

    scenario: Scenario
    round: int
    k: int
    notes: Notes
    candidate: Option | None = None
    satisfied: int = 0
    database: tuple[str, ...] = ()

    @property
    def kept(self) -> list[str]:
        """The candidate's slot, which is proposed again."""
        return [self.candidate.slot] if self.candidate else []

    @property
    def least(self) -> int:
        """How many members another option is to satisfy."""
        return self.satisfied if self.candidate else LEAST


@dataclass
class Coordinating:
    """One coordination as it goes: who takes part, how, and what stands so far.

    `seats` are the members and the three who lead, by name and role. `brief` is what
    stands; with `silent` nobody talks, and its notes stay (the paper's
    non-conversational baseline). With `memory` notes accumulate; without, theta is what
    was said in the round, as in the paper. `curt` ends a talk from round 2 on as soon as
    an option is agreed to or another slot named, as the paper's prompt does. `redacted`
    keeps from members whose wishes ("names"), or which ("reasons"), speak for an option.
    """

    scenario: Scenario
    seats: Mapping[str, Any]
    readers: Mapping[str, Any]
    brief: Brief
    silent: bool = False
    memory: bool = True
    curt: bool = False
    redacted: str = ""
    talks: dict[str, tuple[tuple[Turn, ...], ...]] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    ids: dict[str, str] = field(default_factory=dict)
    errors: list[FormatError] = field(default_factory=list)

    async def rounds(self, count: int) -> AsyncIterator[Round]:
        """Play round after round.

        A reply that does not fit its form is recorded as a FormatError: a talk ends
        there, its words stay unread, the candidate stays alone, or without scores. Any
        other failure is raised.
        """
        members = self.scenario.members
        k = self.brief.k
        if not 1 <= k < len(members):
            raise InvalidInput(
                f"options: K = {k!r} given; expected 1 to {len(members) - 1}, fewer "
                f"than the {len(members)} members: with more, none gathers a majority"
            )
        self.talks = dict.fromkeys(members, ())
        for number in range(1, count + 1):
            yield await self._round(number)

    async def _round(self, number: int) -> Round:
        everybody = [*self.seats.values(), *self.readers.values()]
        self.errors = []
        asked = counted(everybody)
        talking = () if self.silent else self.scenario.members
        talks = await together({name: self._talk(name) for name in talking})
        notes = dict(self.brief.notes)
        slots = {o.id: o.slot for o in self.options}
        for name, talk in talks.items():
            notes[name] = noted(notes[name] if self.memory else (), talk, slots)
            self.talks[name] += (talk,)
        self.brief = brief = replace(self.brief, round=number, notes=notes)
        await self._propose(brief)
        scores = await self._score(brief)
        others = [o for o in self.options if o.slot not in brief.kept]
        short = [o.id for o in others if len(o.members) < brief.least]
        candidate = self.brief.candidate
        return Round(
            number,
            talks,
            notes,
            self.options,
            scores,
            audit={o.id: self.scenario.truth[o.slot] for o in self.options},
            candidate=candidate.id if candidate else None,
            breaches=tuple(short),
            format_errors=tuple(sorted(self.errors, key=lambda e: e.agent)),
            replies=counted(everybody) - asked,
        )

    async def _talk(self, member: str) -> tuple[Turn, ...]:
        """One private talk, to its end, with what its words say as data."""
        best = self.brief.candidate
        reader = self.readers.get(member)
        chat = Chat(
            self.brief.scenario,
            member,
            tuple(map(self._shown, self.options)),
            best.id if best else None,
            self.talks[member],
            states=reader is None,
            curt=self.curt,
        )
        sides = [self.seats["interviewer"].remark, self.seats[member].answer]
        for speak in sides * TURNS:
            said = await self._try(member, "talk", speak(chat))
            if said is None:
                break
            chat = replace(chat, turns=(*chat.turns, said))
            if said.done or (self.curt and chat.options and chose(said)):
                break
        last = len(chat.turns) // 2 * 2 - 1  # of the member, who has every second turn
        if reader is None or last < 0:
            return chat.turns
        turns = list(chat.turns)
        wishes = await self._try(member, "read", reader.read(chat)) or ()
        turns[last] = replace(turns[last], wishes=wishes)
        return tuple(turns)

    def _shown(self, option: Option) -> Option:
        """An option as members see it."""
        if not self.redacted:
            return option
        wishes = dict.fromkeys(chain.from_iterable(option.reasons.values()))
        reasons = {"": tuple(wishes)} if self.redacted == "names" else {}
        return replace(option, members=(), reasons=reasons)

    async def _propose(self, brief: Brief) -> None:
        async def ask() -> list[Option]:
            return checked(await self.seats["coordinator"].propose(brief), brief)

        found = await self._try("coordinator", "propose", ask()) or []
        kept = brief.candidate
        if kept and kept.slot not in [option.slot for option in found]:
            found = [kept, *found[: brief.k - 1]]
        for option in found:
            self.ids.setdefault(option.slot, f"O{len(self.ids) + 1}")
        self.options = tuple(replace(o, id=self.ids[o.slot]) for o in found)

    async def _score(self, brief: Brief) -> Scores:
        async def ask() -> Scores:
            given = await self.seats["evaluator"].score(brief, self.options)
            return checked_scores(given, self.options, brief)

        if not self.options:
            return {}
        scores = await self._try("evaluator", "score", ask()) or {}
        if chosen := best(scores):
            candidate = next(o for o in self.options if o.id == chosen)
            happy = len(satisfied(scores[chosen]))
            self.brief = replace(brief, candidate=candidate, satisfied=happy)
        return scores

    async def _try(
        self,
        who: str,
        phase: str,
        act: Awaitable[Any],
    ) -> Any:
        try:
            return await act
        except AMISS as error:
            self.errors.append(FormatError(who, phase, str(error)))
            return None


def chose(turn: Turn) -> bool:
    """Whether a member agrees to an option, or names another slot."""
    names = [wish for wish in turn.wishes if isinstance(wish, Choice)]
    return turn.speaker != ASSISTANT and bool(turn.agrees or names)


def checked(options: Sequence[Option], brief: Brief) -> list[Option]:
    """At most K options, each slot once; InvalidInput on a stranger or no slot."""
    known = {*brief.scenario.slots, *brief.scenario.members}
    found = {option.slot: option for option in options}
    for option in options:
        strange = {option.slot, *option.members, *option.reasons} - known
        if strange or len(found) > brief.k:
            given = min(strange) if strange else len(found)
            told = f"at most {brief.k}, of slots and members in question"
            raise InvalidInput(f"options: {given!r} given; expected {told}")
    return list(found.values())


def checked_scores(given: Scores, options: Sequence[Option], brief: Brief) -> Scores:
    """A score of 0 to 3, or None, for each option and member; InvalidInput otherwise."""
    for row in given.values():
        strange = {*row.values()} - {None, *range(HIGHEST + 1)}
        if strange or [*row] != [*brief.scenario.members]:
            told = "expected 0, 1, 2, 3 or None for each member, in order"
            raise InvalidInput(f"scores: {dict(row)} given; {told}")
    return {option.id: given[option.id] for option in options}
