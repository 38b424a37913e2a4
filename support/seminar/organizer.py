"""An organiser that follows the rules of its policies to the letter, and nothing but
them and the goal.

One step for each thing that policies speak of, in a fixed order; each looks only at
people about whom nothing was decided before it, so that nobody gets two mails a day. Of
dates, as many as possible are given away, then those first whom a policy puts first, then
the earlier dates. It gives nobody a date that they did not name. A policy without a rule
is not followed, and every morning's report says so; a wish is beyond it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date

import numpy as np
from scipy.optimize import linear_sum_assignment

from support.seminar import words
from support.seminar.books import Contact
from support.seminar.data import PROFESSOR, STUDENT, passed, working
from support.seminar.desk import Desk
from support.seminar.policies import NEVER, applies
from support.seminar.records import (
    ANSWER,
    CERTAIN,
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    MORE,
    THANKS,
    Action,
    DayPlan,
    Draft,
    Edit,
    Flag,
)

PATIENCE, REMINDED = 2, 3
"""Working days and mails where no policy says so."""
ROLES = {
    "faculty_first": (PROFESSOR, STUDENT),
    "students_first": (STUDENT, PROFESSOR),
}


class RuleBasedOrganizer:
    """Selects and acts by rules, writes by templates; of what was changed before, it
    learns greetings and closings. Ties between people go by the order of the list, or by
    one that is drawn once."""

    kind = "rule-based"

    def __init__(self, rng: np.random.Generator | None = None) -> None:
        self._rng = rng
        self._order = list[str]()

    async def progress(self, desk: Desk) -> str:
        """A sentence for each date and person, and for each policy that is not followed."""
        return words.report(desk)

    async def select(self, desk: Desk) -> tuple[str, ...]:
        """Those that apply read literally."""
        return applies(desk.policies, desk.books)

    async def plan(self, desk: Desk) -> DayPlan:
        """Who is to get which kind of mail, and why; the reason says that no wish is
        followed."""
        return words.plan(desk, self._todo(desk))

    async def act(self, desk: Desk) -> tuple[Action, ...]:
        """What the policies ask for today, about the people whom the plan names."""
        named = words.named_in(desk.plan.text, desk.books.contacts)
        return tuple(a for a in self._todo(desk) if a.person in named)

    async def draft(self, desk: Desk, action: Action) -> Draft:
        """The template of its kind, filled."""
        return words.letter(desk, action)

    async def describe(self, desk: Desk, edit: Edit) -> str:
        """What was changed; of a mail its greeting and closing."""
        return words.change(desk, edit)

    async def close(self, desk: Desk) -> str:
        """Counts of the day, and who got a date."""
        return words.evening(desk)

    async def generalise(self, desk: Desk, hook: Flag) -> str:
        """No policy: to make a general one of a case takes a model, or a person."""
        return ""

    def _todo(self, desk: Desk) -> tuple[Action, ...]:
        if not self._order:
            begun = [person.name for person in desk.books.begun.people]
            drawn = self._rng.permutation(begun) if self._rng else begun
            self._order = [str(name) for name in drawn]
        joined = [name for name in desk.books.contacts if name not in self._order]
        self._order += joined
        return Today(desk, self._order).actions()


def match(
    wishes: Mapping[str, Iterable[date]],
    free: Mapping[date, int],
    first: Callable[[str], int] = lambda name: 0,
) -> dict[str, date]:
    """A maximum matching of people to seats; one more match outweighs all priority, and
    that the order of people and dates."""
    names = list(wishes)
    seats = [slot for slot in sorted(free) for _ in range(free[slot])]
    people = len(names)
    places = len(seats)
    step = (people + places) ** 2
    worth = np.zeros((people, places))
    for i, name in enumerate(names):
        for j, slot in enumerate(seats):
            if slot in wishes[name]:
                early = people - i + places - j
                worth[i, j] = (people + 1 + first(name)) * step + early
    rows, columns = linear_sum_assignment(worth, maximize=True)
    pairs = zip(rows, columns, strict=True)
    return {names[i]: seats[j] for i, j in pairs if worth[i, j]}


class Today:
    """A day under the rules; `done` is what was decided so far, by person, `holders` who
    has each date by it; ties between people go by their `order`."""

    def __init__(self, desk: Desk, order: Sequence[str]) -> None:
        self.desk = desk
        self.books = desk.books
        self.rules = desk.policies.rules
        self.today = desk.books.today
        self.contacts = [self.books.contacts[name] for name in order]
        self.done: dict[str, Action] = {}
        self.holders = {slot: [*names] for slot, names in self.books.holders.items()}
        self.window = desk.policies.number("follow_up", PATIENCE)
        self.limit = desk.policies.number("give_up", NEVER)
        self.by_role = next((rule for rule in ROLES if rule in self.rules), "")
        self.ahead, self.behind = ROLES.get(self.by_role, ("", ""))
        self.closing = passed(self.today, desk.scenario.deadline) <= self.window
        self.asking = {action.person for action in self.further()}
        self.expected = {c.name for c in self.books.waiting if self.awaited(c)}
        self.ready = self.closing or not (self.expected | self.asking)

    def actions(self) -> tuple[Action, ...]:
        """The day's actions: what is decided first about somebody counts."""
        if "weekend" in self.rules and not working(self.today):
            return ()
        steps = (
            self.answers,
            self.tell,
            self.give,
            self.give_vague,
            self.give_second,
            self.thanks,
            self.further,
            self.another,
            self.again,
            self.invite,
        )
        for step in steps:
            for action in list(step()):
                name = action.person
                if name in self.done or self.books.contacts[name].off:
                    continue
                self.done[name] = action
                if action.kind == CONFIRMATION:
                    self.holders[action.slots[0]].append(name)
        return tuple(self.done.values())

    # ---- what the steps look at ----

    @property
    def free(self) -> dict[date, int]:
        """Dates to come with seats that nobody has, nor gets today."""
        seats = self.desk.scenario.seats
        left = {slot: seats - len({*names}) for slot, names in self.holders.items()}
        return {slot: n for slot, n in left.items() if n > 0 and slot > self.today}

    @property
    def people(self) -> list[Contact]:
        """Without a date or a decision of today, not given up, ready to be written to;
        in the order of ties."""
        ready = []
        waiting = [contact.name for contact in self.books.waiting]
        for contact in self.contacts:
            later = contact.not_before and contact.not_before > self.today
            open = contact.name in waiting and contact.name not in self.done
            if open and not later and not contact.silent(self.limit):
                ready.append(contact)
        return ready

    @property
    def answering(self) -> list[Contact]:
        """Those who answered their last mail."""
        return [c for c in self.people if c.answered and not c.unanswered]

    def first(self, name: str) -> int:
        """The priority that the policies give to a role."""
        return int(self.books.contacts[name].role == self.ahead)

    def awaited(self, contact: Contact) -> bool:
        """Whether an answer is worth waiting for before dates are given away."""
        if contact.not_before and self.today < contact.not_before:
            return contact.not_before <= self.desk.scenario.deadline
        quiet = self.books.quiet(contact)
        mails = len(contact.mails)
        reminding = not contact.answered and mails < min(self.limit, REMINDED)
        return quiet is not None and (quiet < self.window or reminding)

    def mail(
        self,
        kind: str,
        name: str,
        rule: str,
        slots: Iterable[date] = (),
        asks: str = "",
    ) -> Action:
        """A mail to somebody, for the policy that has a rule."""
        policy = self.rules[rule].id if rule in self.rules else ""
        goal = words.say("goal", asks or kind)
        return Action(kind, name, goal, tuple(slots), policy, asks)

    # ---- the steps, in their order ----

    def answers(self) -> Iterator[Action]:
        """What was decided about flags, passed on."""
        for flag in self.desk.decided:
            yield Action(CLARIFICATION, flag.person, flag.answer, asks=ANSWER)

    def tell(self) -> Iterator[Action]:
        """Dates that somebody has and was not told of."""
        for name, slot in self.books.untold:
            yield self.mail(CONFIRMATION, name, "confirm", [slot])

    def give(self) -> Iterator[Action]:
        """Dates for people who named them firmly: when that takes every seat, when
        nobody's answer is expected any more, or shortly before the deadline."""
        free = self.free
        firm = {c.name: c.can for c in self.people}
        found = match(firm, free, self.first)
        whole = len(found) == sum(free.values()) and not self.asking & {*found}
        left = [c for c in self.people if c.name not in found and self.first(c.name)]
        for name, slot in found.items() if whole or self.ready else ():
            vague = [contact for contact in left if slot in contact.perhaps]
            if vague and self.kept(name, slot, found, len(vague)):
                continue
            others = [c.name for c in self.books.waiting if slot in c.named]
            rivals = self.first(name) and not all(map(self.first, others))
            rule = self.by_role if rivals else "confirm"
            yield self.mail(CONFIRMATION, name, rule, [slot])

    def kept(
        self,
        name: str,
        slot: date,
        found: Mapping[str, date],
        vague: int,
    ) -> bool:
        """Whether a date is kept for people who come first, named it vaguely, and have no
        other; shortly before the deadline none is."""
        takers = list(found.values()).count(slot)
        last = self.books.contacts[name].role == self.behind
        return last and takers + vague > self.free[slot] and not self.closing

    def give_vague(self) -> Iterator[Action]:
        """Vague dates, for seats that nobody named firmly; with a policy on them, people
        are asked first."""
        wishes = {contact.name: contact.perhaps for contact in self.people}
        free = self.free if self.ready else {}
        for name, slot in match(wishes, free, self.first).items():
            contact = self.books.contacts[name]
            asked = contact.asked.get(slot)
            if "vague" in self.rules and not asked:
                quiet = self.books.quiet(contact)
                if quiet is None or quiet >= self.window:
                    yield self.mail(CLARIFICATION, name, "vague", [slot], CERTAIN)
            elif self.closing and (not asked or contact.answered[-1] >= asked):
                yield self.mail(CONFIRMATION, name, "", [slot])

    def give_second(self) -> Iterator[Action]:
        """Second dates that nobody without one named, shortly before the deadline."""
        if "one_each" not in self.rules or not self.closing:
            return
        wanted = {slot for c in self.books.waiting for slot in c.named}
        free = {slot: seats for slot, seats in self.free.items() if slot not in wanted}
        have = {}
        for contact in self.contacts:
            held = self.books.held(contact.name)
            if held and contact.name not in self.done:
                have[contact.name] = contact.can - {*held}
        for name, slot in match(have, free, self.first).items():
            yield self.mail(CONFIRMATION, name, "one_each", [slot])

    def thanks(self) -> Iterator[Action]:
        """Thanks to those who declined, once."""
        for contact in self.books.contacts.values():
            due = contact.declined and not contact.thanked
            if due and "declined" in self.rules:
                yield self.mail(THANKS, contact.name, "declined")

    def further(self) -> Iterator[Action]:
        """Questions for further dates, to people who named few, or vague ones, and were
        not written to since."""
        few = self.desk.policies.number("ask_more")
        for contact in self.answering:
            others = {*self.free} - contact.spoken_of
            rule = "ask_more" if contact.few(few) else ""
            if not rule and "vague" in self.rules and contact.perhaps:
                rule = "vague"
            if rule and others and not contact.asked_since:
                yield self.mail(CLARIFICATION, contact.name, rule, sorted(others), MORE)

    def another(self) -> Iterator[Action]:
        """Questions for another date, to people whose dates are all gone: one of theirs
        went since they were last asked for dates, or a date came."""
        free = {*self.free}
        for contact in self.answering:
            others = free - contact.cannot
            then = contact.choice
            gone = contact.named and not contact.named & free
            if gone and others and (others - then or contact.named & then):
                rule = self.by_role if self.outranked(contact) else ""
                yield self.mail(CLARIFICATION, contact.name, rule, sorted(others), MORE)

    def outranked(self, contact: Contact) -> bool:
        """Whether somebody who comes first has, or gets today, a date of theirs."""
        names = list[str]()
        for slot in contact.named & {*self.holders}:
            names += self.holders[slot]
        return not self.first(contact.name) and any(map(self.first, names))

    def again(self) -> Iterator[Action]:
        """Once more to whoever did not answer, or without a date, when the window is over
        and the limit not reached."""
        for contact in self.people if self.free else ():
            silent = bool(contact.unanswered)
            since = contact.mails if silent else contact.answered
            most = self.limit if silent else min(self.limit, REMINDED + 1)
            late = since and passed(since[-1], self.today) >= self.window
            open = silent or not (contact.named or contact.gave_back)
            if late and open and len(contact.mails) < most:
                yield self.mail(FOLLOW_UP, contact.name, "follow_up")

    def invite(self) -> Iterator[Action]:
        """To everybody at the beginning where a policy says so, else to as many people
        as seats are free."""
        free = self.free
        done = self.done
        unasked = [c for c in self.contacts if not (c.mails or c.declined)]
        fresh = [c.name for c in unasked if c.name not in done]
        begun = any(contact.mails for contact in self.contacts)
        hoped = {c.name for c in self.books.waiting if c.named & {*free}}
        gets = {name for name in done if done[name].kind == CONFIRMATION}
        rule = ""
        room = sum(free.values()) - len((hoped | self.expected) - gets)
        if "begin" in self.rules and not begun:
            rule = "begin"
            room = len(fresh)
        fresh.sort(key=self.first, reverse=True)
        for name in fresh[: max(room, 0)] if free else ():
            yield self.mail(INVITATION, name, rule)
