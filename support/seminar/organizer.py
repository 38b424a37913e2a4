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
    Hook,
)

PATIENCE, REMINDED, SOON = 2, 3, 7
"""Working days, mails, and days before a date is urgent, where no policy says so."""
ROLES = {
    "faculty_first": (PROFESSOR, STUDENT),
    "students_first": (STUDENT, PROFESSOR),
}


class RuleBasedOrganizer:
    """Selects and acts by rules, writes by templates; of what was changed before, it
    learns greetings and closings."""

    kind = "rule-based"

    def __init__(self, rng: np.random.Generator | None = None) -> None:
        self._rng, self._order = rng, dict[str, int]()

    async def progress(self, desk: Desk) -> str:
        """A sentence for each date and person, and for each policy that is not followed."""
        return words.report(desk)

    async def select(self, desk: Desk, progress: str) -> tuple[str, ...]:
        """Those that apply read literally."""
        return applies(desk.policies, desk.books)

    async def plan(
        self, desk: Desk, progress: str, selected: Sequence[str], wish: str = ""
    ) -> DayPlan:
        """Who is to get which kind of mail, and why; the reason says that no wish is
        followed."""
        return words.plan(desk, self._todo(desk), wish)

    async def act(
        self, desk: Desk, plan: DayPlan, selected: Sequence[str], wish: str = ""
    ) -> tuple[Action, ...]:
        """What the policies ask for today, about the people whom the plan names."""
        named = words.named_in(plan.text, desk.books.contacts)
        return tuple(a for a in self._todo(desk) if a.person in named)

    async def draft(self, desk: Desk, action: Action, wish: str = "") -> Draft:
        """The template of its kind, filled."""
        return words.letter(desk, action)

    async def describe(self, desk: Desk, edit: Edit) -> str:
        """What was changed, quoted; of a mail its greeting and closing."""
        return words.change(desk, edit)

    async def close(self, desk: Desk) -> str:
        """Counts of the day, and who got a date."""
        return words.evening(desk)

    async def generalise(self, desk: Desk, hook: Hook) -> str:
        """No policy: to make a general one of a case takes a model, or a person."""
        return ""

    def _todo(self, desk: Desk) -> tuple[Action, ...]:
        if not self._order:
            names = [person.name for person in desk.books.begun.people]
            drawn = self._rng.permutation(len(names)) if self._rng else range(len(names))
            self._order = {names[k]: place for place, k in enumerate(drawn)}
        for name in desk.books.contacts:
            self._order.setdefault(name, len(self._order))
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
    people, places = len(names), len(seats)
    step = 2 * (people * places * max(people, places) + 1)
    worth = np.zeros((people, places))
    for i, name in enumerate(names):
        for j, slot in enumerate(seats):
            if slot in wishes[name]:
                worth[i, j] = (
                    (people + 1 + first(name)) * step + people - i + places - j
                )
    rows, columns = linear_sum_assignment(worth, maximize=True)
    pairs = zip(rows, columns, strict=True)
    return {names[i]: seats[j] for i, j in pairs if worth[i, j]}


class Today:
    """A day under the rules; `done` is what was decided so far, by person; ties between
    people go by `order`."""

    def __init__(self, desk: Desk, order: Mapping[str, int]) -> None:
        self.desk, self.books, self.order = desk, desk.books, order
        self.done: dict[str, Action] = {}
        self.rules, self.today = desk.policies.rules, desk.books.today
        self.window = desk.policies.number("follow_up", PATIENCE)
        self.limit = desk.policies.number("give_up", NEVER)
        kind = next((kind for kind in ROLES if kind in self.rules), "")
        self.by_role = self.id(kind)
        self.ahead, self.behind = ROLES.get(kind, ("", ""))
        self.closing = passed(self.today, desk.scenario.deadline) <= self.window
        self.asking = {action.person for action in self.further()}
        self.expected = {c.name for c in self.books.waiting if self.awaited(c)}
        self.ready = self.closing or not (self.expected | self.asking)

    def actions(self) -> tuple[Action, ...]:
        """The day's actions, at most one for a person."""
        if "weekend" in self.rules and not working(self.today):
            return ()
        steps = (
            self.answers,
            self.tell,
            self.give,
            self.give_vague,
            self.give_again,
            self.thanks,
            self.further,
            self.another,
            self.undecided,
            self.again,
            self.invite,
        )
        for step in steps:
            for action in list(step()):
                if not self.books.contacts[action.person].off:
                    self.done.setdefault(action.person, action)
        return tuple(self.done.values())

    # ---- what the steps look at ----

    def id(self, rule: str) -> str:
        """The id of the policy with a rule; "" where none has it."""
        return self.rules[rule].id if rule in self.rules else ""

    def first(self, name: str) -> int:
        """The priority that the policies give to a role."""
        return int(self.books.contacts[name].role == self.ahead)

    def given(self) -> list[date]:
        """The dates that are given away today."""
        gives = [a for a in self.done.values() if a.kind == CONFIRMATION]
        held = self.books.holders
        return [a.slots[0] for a in gives if a.person not in held[a.slots[0]]]

    @property
    def free(self) -> dict[date, int]:
        """Dates to come with seats that nobody has, nor gets today."""
        given, free = self.given(), self.books.free
        left = {slot: free[slot] - given.count(slot) for slot in self.books.to_come}
        return {slot: seats for slot, seats in left.items() if seats > 0}

    @property
    def people(self) -> list[Contact]:
        """Without a date or a decision of today, not given up, ready to be written to;
        in the order of ties."""
        ready = []
        for contact in self.books.waiting:
            later = contact.not_before and contact.not_before > self.today
            decided = contact.name in self.done
            if not (decided or later or contact.silent(self.limit)):
                ready.append(contact)
        return sorted(ready, key=lambda contact: self.order[contact.name])

    @property
    def answering(self) -> list[Contact]:
        """Those who answered their last mail, in the list's order."""
        ready = {c.name for c in self.people if c.answered and not c.unanswered}
        return [c for name, c in self.books.contacts.items() if name in ready]

    def awaited(self, contact: Contact) -> bool:
        """Whether an answer is worth waiting for before dates are given away."""
        if contact.not_before and self.today < contact.not_before:
            return contact.not_before <= self.desk.scenario.deadline
        quiet, mails = self.books.quiet(contact), len(contact.mails)
        reminding = not contact.answered and mails < min(self.limit, REMINDED)
        return quiet is not None and (quiet < self.window or reminding)

    def near(self, slot: date, before: int = 0) -> bool:
        """Whether a date is urgent, where a policy is on that, or will be in so many
        days."""
        days = self.desk.policies.number("urgent") + before
        return "urgent" in self.rules and self.books.within(slot, days)

    def returned(self, free: Mapping[date, int]) -> dict[date, int]:
        """Dates that were given back, where a policy is on them."""
        back = self.books.given_back if "cancelled" in self.rules else set()
        return {s: n for s, n in free.items() if s in back and not self.near(s)}

    def asked(self, name: str, slot: date) -> int:
        """The last mail that asked somebody whether a date is certain; 0 for none."""
        to_them = [mail for mail in self.desk.mails if mail.to == name]
        ids = [m.id for m in to_them if m.asks == CERTAIN and m.slots == (slot,)]
        return max(ids, default=0)

    # ---- the steps, in their order ----

    def answers(self) -> Iterator[Action]:
        """What was decided about flags, passed on."""
        for flag in self.desk.decided:
            yield Action(CLARIFICATION, flag.person, flag.answer, asks=ANSWER)

    def tell(self) -> Iterator[Action]:
        """Dates that somebody has and was not told of."""
        for name, slot in self.books.untold:
            if name not in self.done:
                yield give(name, slot, self.id("confirm"))

    def give(self) -> Iterator[Action]:
        """Dates for people who named them firmly: when that takes every seat, when
        nobody's answer is expected any more, or shortly before the deadline."""
        free, people = self.free, self.people
        found = match({c.name: c.firm for c in people}, free, self.first)
        whole = len(found) == sum(free.values()) and not self.asking & set(found)
        if not found or not (whole or self.ready):
            near = {slot: seats for slot, seats in free.items() if self.near(slot)}
            urgent = match({c.name: c.firm for c in people}, near)
            yield from self.gives(urgent, "urgent")
            back = self.returned(free)
            sure = {c.name: c.firm for c in people if c.name not in self.asking}
            found = match(sure, back, self.first)
            yield from self.gives(self.unyielding(found, back), "cancelled")
            return
        chosen = found if self.closing else self.unyielding(found, free)
        for name, slot in chosen.items():
            others = [c for c in self.books.waiting if c.name != name]
            rival = any(slot in c.named and not self.first(c.name) for c in others)
            ranked = self.by_role if self.first(name) and rival else ""
            yield give(name, slot, ranked or self.id("confirm"))

    def gives(self, found: Mapping[str, date], rule: str) -> Iterator[Action]:
        """Confirmations, for a rule."""
        return (give(name, slot, self.id(rule)) for name, slot in found.items())

    def unyielding(
        self, found: Mapping[str, date], free: Mapping[date, int]
    ) -> dict[str, date]:
        """Without those who leave a date for now to people who come first, named it
        vaguely, and have no other."""
        leaving: set[str] = set()
        others = [c for c in self.people if c.name not in found]
        for slot in set(found.values()):
            ahead = [c for c in others if c.role == self.ahead and slot in c.maybe]
            takers = [name for name, taken in found.items() if taken == slot]
            roles = {name: self.books.contacts[name].role for name in takers}
            behind = [name for name in takers if roles[name] == self.behind]
            short = len(ahead) - free[slot] + len(takers)
            leaving |= set(behind[::-1][: max(short, 0)])
        return {name: slot for name, slot in found.items() if name not in leaving}

    def give_vague(self) -> Iterator[Action]:
        """Vague dates, for seats that nobody named firmly; with a policy on them, people
        are asked first."""
        free, careful = self.free, "vague" in self.rules
        slots = free
        if not self.ready:
            slots = {s: n for s, n in free.items() if self.near(s, SOON)}
            slots |= self.returned(free)
        wishes = {contact.name: contact.maybe for contact in self.people}
        for name, slot in match(wishes, slots, self.first).items():
            near, asked = self.near(slot), self.asked(name, slot)
            if careful and not asked:
                quiet = self.books.quiet(self.books.contacts[name])
                if quiet is None or quiet >= self.window:
                    goal = words.say("goal", "certain")
                    rule = self.id("vague")
                    yield Action(CLARIFICATION, name, goal, (slot,), rule, CERTAIN)
                continue
            replies = [m.id for m in self.desk.mails if m.sender == name]
            settled = not careful or any(id > asked for id in replies)
            if (self.closing or near) and settled:
                yield give(name, slot, self.id("urgent") if near else "")

    def give_again(self) -> Iterator[Action]:
        """Second dates that nobody without one named, shortly before the deadline."""
        if "one_each" not in self.rules or not self.closing:
            return
        wanted = {slot for c in self.books.waiting for slot in c.named}
        free = {slot: seats for slot, seats in self.free.items() if slot not in wanted}
        have = {}
        for name in sorted(self.order, key=lambda name: self.order[name]):
            held = self.books.held(name)
            if held and name not in self.done:
                have[name] = self.books.contacts[name].firm - {*held}
        yield from self.gives(match(have, free), "one_each")

    def thanks(self) -> Iterator[Action]:
        """Thanks to those who declined, once."""
        for contact in self.books.contacts.values():
            due = contact.declined and not contact.thanked
            if due and "declined" in self.rules:
                goal = words.say("goal", "thanks")
                yield Action(THANKS, contact.name, goal, (), self.id("declined"))

    def further(self) -> Iterator[Action]:
        """Questions for further dates, to people who named few, or vague ones, and were
        not written to since."""
        few = self.desk.policies.number("ask_more")
        for contact in self.answering:
            others = tuple(s for s in self.free if s not in contact.spoken_of)
            rule = "ask_more" if contact.few(few) else ""
            if not rule and "vague" in self.rules and contact.perhaps:
                rule = "vague"
            if rule and contact.named and others and not contact.asked_since:
                goal = words.say("goal", "more")
                asked = contact.name, goal, others, self.id(rule), MORE
                yield Action(CLARIFICATION, *asked)

    def another(self) -> Iterator[Action]:
        """Questions for another date, to people whose dates others got, or now that one
        was given back."""
        free, gone = self.free, {*self.given()}
        for contact in self.answering if free else ():
            if not contact.named or {*free} & (contact.firm | contact.maybe):
                continue
            to_them = [m for m in self.desk.mails if m.to == contact.name]
            asked = [m.day for m in to_them if m.kind in (CLARIFICATION, INVITATION)]
            today = self.desk.day if contact.named & gone else 0
            if max(asked, default=0) >= max(today, self.turned(contact)):
                continue
            holders = [
                a.person for a in self.done.values() if {*a.slots} & contact.named
            ]
            for slot in contact.named & {*self.books.holders}:
                holders += self.books.holders[slot]
            ranked = any(map(self.first, holders)) and not self.first(contact.name)
            rule = self.by_role if ranked else ""
            goal = words.say("goal", "taken")
            yield Action(CLARIFICATION, contact.name, goal, tuple(free), rule, MORE)

    def turned(self, contact: Contact) -> int:
        """The day on which a date of theirs was last given to another, or a free one
        given back; 0 for never."""
        others = [c for c in self.books.contacts.values() if c is not contact]
        free = {*self.books.free}
        gave = {other.name for other in others if other.gave_back & free}
        days = [0]
        for mail in self.desk.mails:
            gives = mail.kind == CONFIRMATION and mail.to != contact.name
            if (gives and {*mail.slots} & contact.named) or mail.sender in gave:
                days.append(mail.day)
        return max(days)

    def undecided(self) -> Iterator[Action]:
        """Once more to people who answered without a date, when the window is over."""
        most = min(self.limit, REMINDED + 1)
        for contact in self.answering if self.free else ():
            late = passed(contact.answered[-1], self.today) >= self.window
            open = not contact.named and not contact.gave_back
            if open and late and len(contact.mails) < most:
                yield self.reminder(contact, "undecided")

    def again(self) -> Iterator[Action]:
        """Follow-ups on mails without an answer, when the window is over and the limit
        not reached."""
        for contact in self.people if self.free else ():
            quiet = self.books.quiet(contact)
            due = quiet is not None and quiet >= self.window
            if due and len(contact.mails) < self.limit:
                yield self.reminder(contact, "again")

    def reminder(self, contact: Contact, why: str) -> Action:
        """A follow-up."""
        goal = words.say("goal", why)
        return Action(FOLLOW_UP, contact.name, goal, (), self.id("follow_up"))

    def invite(self) -> Iterator[Action]:
        """To everybody at the beginning where a policy says so, else to as many people
        as seats are free."""
        contacts, free = self.books.contacts, self.free
        order = sorted(contacts, key=lambda n: (-self.first(n), self.order[n]))
        fresh = [n for n in order if not contacts[n].mails and n not in self.done]
        fresh = [name for name in fresh if not contacts[name].declined]
        begun = any(contact.mails for contact in contacts.values())
        everybody = "begin" in self.rules and not begun
        named = {c.name for c in self.books.waiting if c.named & {*free}}
        hoped = self.expected | named
        hoped -= {n for n, a in self.done.items() if a.kind == CONFIRMATION}
        room = len(fresh) if everybody else sum(free.values()) - len(hoped)
        rule = self.id("begin") if everybody else ""
        for name in fresh[: max(room, 0)] if free else ():
            yield Action(INVITATION, name, words.say("goal", "invite"), (), rule)


def give(name: str, slot: date, policy: str) -> Action:
    """The action that gives a date to somebody, or tells them of it."""
    goal = words.say("goal", "give")
    return Action(CONFIRMATION, name, goal, (slot,), policy)
