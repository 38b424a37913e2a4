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

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

from support.errors import InvalidInput
from support.meetings.preferences import Choice, Hours, understood
from support.meetings.records import (
    Breach,
    Notes,
    Option,
    Round,
    Scores,
    Turn,
    noted,
)
from support.meetings.scenario import Scenario
from support.meetings.scores import HIGHEST, ByMember, best, known
from support.play import AMISS, FormatError, counted, together

OPTIONS, ROUNDS = 2, 4
"""K and T of the paper."""
LEAST = 2
"""Members whom an option of round 1 satisfies (section 3.2)."""
TURNS = 12
"""A guard only: a talk ends when the member has nothing to add."""
DATABASE = ("demands", "ties", "hours")
"""What a coordinator may use: whom the organiser requires, who works with whom (both as
in section 5.2), and the hours that profiles show (the paper names none)."""
PHASES = ("talk", "read", "propose", "score")


@dataclass(frozen=True)
class Chat:
    """A private talk so far, as its two sides see it.

    `options` are those of the round before (none in round 1), `candidate` the id of the
    best of them, `earlier` the talks of the rounds before.
    """

    member: str
    round: int
    options: tuple[Option, ...] = ()
    candidate: str | None = None
    earlier: tuple[tuple[Turn, ...], ...] = ()
    turns: tuple[Turn, ...] = ()


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

    @cached_property
    def known(self) -> Notes:
        """The notes, with the hours of profiles where these may be used."""
        found = dict(self.notes)
        for profile in self.scenario.database.profiles:
            wishes = found[profile.name]
            if "hours" in self.database and understood(wishes):
                start, end = profile.hours
                hours = Hours(start=start, end=end)
                found[profile.name] = tuple(dict.fromkeys([*wishes, hours]))
        return found

    @cached_property
    def told(self) -> dict[str, tuple[Any, ...]]:
        """What is known, as data."""
        return {name: understood(wishes) for name, wishes in self.known.items()}


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

    def __post_init__(self) -> None:
        members, k = self.scenario.members, self.brief.k
        if not 1 <= k < len(members):
            raise InvalidInput(
                f"options: K = {k!r} given; expected 1 to {len(members) - 1}, fewer "
                f"than the {len(members)} members: with more, none gathers a majority"
            )
        self.talks = dict.fromkeys(members, ())

    async def rounds(self, count: int) -> AsyncIterator[Round]:
        """Play round after round.

        A reply that does not fit its form is recorded as a FormatError: a talk ends
        there, its words stay unread, the candidate stays alone, or without scores. Any
        other failure is raised.
        """
        for number in range(1, count + 1):
            yield await self._round(number)

    async def _round(self, number: int) -> Round:
        everybody = [*self.seats.values(), *self.readers.values()]
        self.errors, asked = [], counted(everybody)
        talks: dict[str, tuple[Turn, ...]] = {}
        if not self.silent:
            talking = {name: self._talk(name, number) for name in self.scenario.members}
            talks = await together(talking)
        notes, slots = dict(self.brief.notes), {o.id: o.slot for o in self.options}
        for name, talk in talks.items():
            before = notes[name] if self.memory else ()
            notes[name] = noted(before, talk, slots)
            self.talks[name] = (*self.talks[name], talk)
        self.brief = replace(self.brief, round=number, notes=notes)
        breaches = await self._propose(self.brief)
        scores = await self._score(self.brief)
        self.errors.sort(key=lambda error: (PHASES.index(error.phase), error.agent))
        candidate = self.brief.candidate
        return Round(
            number=number,
            talks=talks,
            notes=notes,
            options=self.options,
            scores=scores,
            audit={o.id: self.scenario.truth[o.slot] for o in self.options},
            candidate=candidate.id if candidate else None,
            breaches=breaches,
            format_errors=tuple(self.errors),
            replies=counted(everybody) - asked,
        )

    async def _talk(self, member: str, number: int) -> tuple[Turn, ...]:
        """One private talk, to its end, with what its words say as data."""
        options, best = tuple(map(self._shown, self.options)), self.brief.candidate
        candidate = best.id if best else None
        chat = Chat(member, number, options, candidate, self.talks[member])
        sides = [self.seats["interviewer"].remark, self.seats[member].answer]
        for speak in sides * TURNS:
            said = await self._try(member, "talk", speak(chat))
            if said is None:
                break
            chat = replace(chat, turns=(*chat.turns, said))
            chose = said.speaker == member and options and _chose(said)
            if said.done or (self.curt and chose):
                break
        last = len(chat.turns) // 2 * 2 - 1  # of the member, who has every second turn
        if member not in self.readers or last < 0:
            return chat.turns
        read = self.readers[member].read(chat)
        wishes = await self._try(member, "read", read) or ()
        turns = list(chat.turns)
        turns[last] = replace(turns[last], wishes=tuple(wishes))
        return tuple(turns)

    def _shown(self, option: Option) -> Option:
        """An option as members see it."""
        if not self.redacted:
            return option
        wishes = dict.fromkeys(chain.from_iterable(option.reasons.values()))
        reasons = {"": tuple(wishes)} if self.redacted == "names" else {}
        return replace(option, members=(), reasons=reasons)

    async def _propose(self, brief: Brief) -> tuple[Breach, ...]:
        async def ask() -> list[Option]:
            return checked(await self.seats["coordinator"].propose(brief), brief)

        found = await self._try("coordinator", "propose", ask()) or []
        kept = brief.candidate
        left_out = kept is not None and kept.slot not in [o.slot for o in found]
        broken = [Breach("candidate")] if left_out and found else []
        if kept and left_out:
            found = [kept, *found[: brief.k - 1]]
        for option in found:
            self.ids.setdefault(option.slot, f"O{len(self.ids) + 1}")
        self.options = tuple(replace(o, id=self.ids[o.slot]) for o in found)
        return (*broken, *breaches(self.options, brief))

    async def _score(self, brief: Brief) -> Scores:
        async def ask() -> Scores:
            given = await self.seats["evaluator"].score(brief, self.options)
            members = brief.scenario.members
            return {o.id: checked_row(given[o.id], members) for o in self.options}

        if not self.options:
            return {}
        scores = await self._try("evaluator", "score", ask()) or {}
        if chosen := best(scores):
            candidate = next(o for o in self.options if o.id == chosen)
            satisfied = int((known(scores[chosen]) > 0).sum())
            self.brief = replace(brief, candidate=candidate, satisfied=satisfied)
        return scores

    async def _try(self, who: str, phase: str, act: Awaitable[Any]) -> Any:
        try:
            return await act
        except AMISS as error:
            self.errors.append(FormatError(who, phase, str(error)))
            return None


def _chose(turn: Turn) -> bool:
    return bool(turn.agrees) or any(isinstance(wish, Choice) for wish in turn.wishes)


def checked(options: Sequence[Option], brief: Brief) -> list[Option]:
    """At most K options, each slot once; InvalidInput on a stranger or no slot."""
    found: dict[str, Option] = {}
    known = {*brief.scenario.slots, *brief.scenario.members}
    for option in options:
        if strange := {option.slot, *option.members, *option.reasons} - known:
            raise InvalidInput(
                f"option: {min(strange)!r} given; expected slots and members in question"
            )
        found.setdefault(option.slot, option)
    if len(found) > brief.k:
        raise InvalidInput(f"options: {len(found)} given; expected at most {brief.k}")
    return list(found.values())


def breaches(options: Sequence[Option], brief: Brief) -> Iterator[Breach]:
    """Where options leave step (3) of section 3.2, by the coordinator's own word."""
    wanted = min(brief.k, len(brief.scenario.slots))
    if len(options) < wanted:
        yield Breach("options", given=len(options), least=wanted)
    for option in options:
        many = len(option.members)
        if option.slot not in brief.kept and many < brief.least:
            yield Breach(
                "aspiration",
                option.id,
                many,
                brief.least,
            )
    suited = {member for option in options for member in option.members}
    for member in brief.scenario.meeting.required:
        if member not in suited:
            yield Breach("required", member=member)


def checked_row(row: ByMember, members: Sequence[str]) -> dict[str, int | None]:
    """A score of 0 to 3, or None, for each member; InvalidInput otherwise."""
    if set(row) != set(members) or not {*row.values()} <= {None, *range(HIGHEST + 1)}:
        told = f"scores: {dict(row)} given; expected 0, 1, 2, 3 or None for each of"
        raise InvalidInput(f"{told} {', '.join(members)}")
    return {member: row[member] for member in members}
