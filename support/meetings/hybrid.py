"""A coordinator that reads what was said into constraints and wishes, and lets an exact solver place the meeting.

The paper names optimisation packages as the remedy for what its model could not do with calendars (section 8.3).
Hard for whoever is required, and what keeps anybody else away: the own calendar, the working hours on the own clock,
and preferences above all (priority 3). The rest are wishes: first as many as possible attend, then as many as
possible get something they asked for, then the most is fulfilled, weighted by priority.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, partial

from support.errors import InvalidInput
from support.meetings.data import STEP, iso
from support.meetings.evaluators import understood
from support.meetings.preferences import Preference, Situation, Window, situation
from support.meetings.reading import restate
from support.meetings.scenario import Brief, Scenario, Suggestion
from support.solvers.scheduling import (
    Block,
    Interval,
    SchedulingProblem,
    Wish,
    merged,
    solve,
)

PRESENT, SATISFIED = 100_000, 1_000
"""Weights of a member who can attend, and of one who gets something asked for; a fulfilled wish weighs its priority."""

ABOVE_ALL, APART = (
    3,
    60,
)  # a priority that binds; minutes between options, where there are enough


@dataclass(frozen=True)
class HybridCoordinator:
    """Proposes the K best and diverse feasible slots, with reasons worded from the constraints that hold."""

    scenario: Scenario  # for zones, working hours and calendars; without what is private, see `Scenario.public`
    kind: str = "hybrid"

    async def propose(self, brief: Brief) -> Sequence[Suggestion]:
        """At most K options; from round 2 on the candidate is the first of them.

        InvalidInput when required attendees leave no slot: what conflicts, and the least to give up.
        """
        wishes = understood(
            brief.meeting, brief.intents, brief.previous, self.scenario.zones
        )
        return _Plan(brief, self.scenario, wishes).suggestions()


@dataclass(frozen=True)
class _Plan:
    """One brief as constraints and wishes, in minutes since the first slot's midnight."""

    brief: Brief
    scenario: Scenario
    wishes: Mapping[str, Sequence[Preference]]

    def suggestions(self) -> list[Suggestion]:
        """The candidate, if there is one, and the best of the others."""
        brief, meeting = self.brief, self.brief.meeting
        problem = SchedulingProblem(
            duration=meeting.duration,
            horizon=self._lying(meeting.slots()),
            step=STEP,
            required=meeting.required,
            optional=tuple(
                (m, PRESENT) for m in meeting.members if m not in meeting.required
            ),
            blocks=tuple(block for m in meeting.members for block in self._blocks(m)),
            wishes=tuple(wish for m in meeting.members for wish in self._wished(m)),
        )
        first = [meeting.slot(brief.candidate.start)] if brief.candidate else []
        chosen = list(first)
        for spacing in (APART, 0):
            found, conflict = solve(
                problem, brief.k + (2 if spacing else len(chosen)), spacing
            )
            if conflict is not None and not first:
                raise InvalidInput(f"meeting {meeting.id}: {conflict.text}")
            for start in (self._origin + timedelta(minutes=minute) for minute in found):
                apart = all(
                    abs(start - other) >= timedelta(minutes=max(spacing, STEP))
                    for other in chosen
                )
                chosen += [start] if apart and len(chosen) < brief.k else []
        return [self._suggestion(start) for start in chosen]

    @cached_property
    def _origin(self) -> datetime:
        first = self.brief.meeting.slots()[0]
        return first - timedelta(hours=first.hour, minutes=first.minute)

    def _view(self, member: str, start: datetime) -> Situation:
        """A slot as a member sees it, with the calendar where it is known."""
        meeting, known = self.brief.meeting, self.scenario
        return situation(
            start,
            meeting.duration,
            meeting.sent_at,
            known.zones[member],
            known.busy.get(member),
        )

    def _free(self, member: str, start: datetime) -> bool:
        at = self._view(member, start)
        return not any(low < at.end and at.start < high for low, high in at.busy or ())

    def _bounds(self, member: str) -> Iterable[tuple[str, Callable[[datetime], bool]]]:
        """What binds a member: a label, and whether a slot respects it."""
        low, high = self.scenario.company.by_name[member].hours
        yield f"{member}'s calendar", partial(self._free, member)
        yield (
            f"{member}'s working hours, {low} to {high}",
            partial(self._fulfils, member, Window(start=low, end=high)),
        )
        for wish in self.wishes[member]:
            if wish.priority == ABOVE_ALL:
                yield f"{member}: {restate(wish)}", partial(self._fulfils, member, wish)

    def _fulfils(self, member: str, wish: Preference, start: datetime) -> bool:
        return wish.fulfilled(self._view(member, start))

    def _blocks(self, member: str) -> Iterable[Block]:
        """The minutes that what binds a member leaves out."""
        slots = self.brief.meeting.slots()
        end = self._minute(slots[-1]) + self.brief.meeting.duration
        for label, allowed in self._bounds(member):
            low = 0
            for start, stop in (
                *self._lying([s for s in slots if allowed(s)]),
                (end, end),
            ):
                if low < start:
                    yield Block(low, start, label, member)
                low = stop

    def _wished(self, member: str) -> Iterable[Wish]:
        slots, wishes = self.brief.meeting.slots(), self.wishes[member]
        held = {w: [s for s in slots if self._fulfils(member, w, s)] for w in wishes}
        some = [s for s in slots if any(s in starts for starts in held.values())]
        if some:
            yield Wish(self._lying(some), SATISFIED, member)
        for wish, starts in held.items():
            if starts:
                yield Wish(self._lying(starts), wish.priority, member)

    def _lying(self, starts: Iterable[datetime]) -> tuple[Interval, ...]:
        """Where meetings with these starts lie."""
        return merged(
            (self._minute(s), self._minute(s) + self.brief.meeting.duration)
            for s in starts
        )

    def _minute(self, start: datetime) -> int:
        return (start - self._origin) // timedelta(minutes=1)

    def _suggestion(self, start: datetime) -> Suggestion:
        """The option with whom it satisfies; reasons are calendars, then what holds of what was said."""
        members = self.brief.meeting.members
        coming = [
            m for m in members if all(allowed(start) for _, allowed in self._bounds(m))
        ]
        held = {
            m: [restate(w) for w in self.wishes[m] if self._fulfils(m, w, start)]
            for m in coming
        }
        free = [
            m
            for m in members
            if self.scenario.busy.get(m) is not None and self._free(m, start)
        ]
        everybody = (
            f"all {len(members)}" if len(free) == len(members) else ", ".join(free)
        )
        reasons = [f"free for {everybody}"] if free else []
        reasons += [f"{m}: {'; '.join(said)}" for m, said in held.items() if said]
        return Suggestion(
            iso(start), tuple(m for m in coming if held[m]), tuple(reasons)
        )
