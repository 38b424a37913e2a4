"""What policies, followed to the letter, tell an organiser to do on a day: one step for each thing that they speak of.

The steps come in a fixed order, and each looks only at people about whom nothing was decided before it, so that nobody
gets two mails a day. Of dates, as many as possible are given away, then those first whom a policy puts first, then the
earlier dates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property

import numpy as np

from support.seminar import rules
from support.seminar.audit import NO_LIMIT
from support.seminar.data import PROFESSOR, STUDENT, in_words, passed, working
from support.seminar.ledger import Contact
from support.seminar.organizer_log import (
    answered_about,
    answers_to,
    asked_about,
    asked_on,
    turned,
)
from support.seminar.reading import read_reply
from support.seminar.records import (
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    THANKS,
    Action,
)
from support.seminar.views import Desk

PATIENCE, REMINDED = rules.USUAL[rules.FOLLOW_UP], rules.USUAL[rules.GIVE_UP]
"""Where no policy says so: working days that a mail is left alone, mails after which nobody waits for the silent."""

WEEK = 7  # days before a date is urgent on which whoever named it vaguely is asked about it

Wishes = Mapping[str, Sequence[date]]
"""Dates that each person could take, in the order in which ties between people are broken."""


def match(
    wishes: Wishes,
    free: Mapping[date, int],
    priority: Callable[[str], int] = lambda name: 0,
) -> dict[str, date]:
    """A maximum matching of people to seats; one more match outweighs all priority, and that order and earliness.

    >>> early, late = date(2027, 9, 15), date(2027, 10, 13)
    >>> match({"Ana": [early, late], "Bo": [early]}, {early: 1, late: 1}) == {"Ana": late, "Bo": early}
    True
    """
    from scipy.optimize import linear_sum_assignment  # heavy, and needed only here

    names, seats = (
        list(wishes),
        [slot for slot in sorted(free) for _ in range(free[slot])],
    )
    people, columns = len(names), len(seats)
    step = 2 * (people * columns * max(people, columns) + 1)
    worth = np.zeros((people, columns), dtype=np.int64)
    for row, name in enumerate(names):
        for column, slot in enumerate(seats):
            if slot in wishes[name]:
                worth[row, column] = (
                    (people + 1 + priority(name)) * step
                    + people
                    - row
                    + columns
                    - column
                )
    rows, chosen = linear_sum_assignment(worth, maximize=True)
    pairs = zip(rows.tolist(), chosen.tolist(), strict=True)
    return {names[row]: seats[column] for row, column in pairs if worth[row, column]}


def wishes(
    people: Iterable[Contact], free: Iterable[date], *, vague: bool = False
) -> dict[str, list[date]]:
    """Which of the free dates each of these people could take, firmly or (with `vague`) perhaps."""
    named = {
        c.name: [slot for slot in free if slot in (c.perhaps if vague else c.firm)]
        for c in people
    }
    return {name: dates for name, dates in named.items() if dates}


def yielding(
    found: Mapping[str, date],
    free: Mapping[date, int],
    people: Sequence[Contact],
    ahead: str,
    behind: str,
) -> set[str]:
    """Who has to leave a date for now to people who come first and named it vaguely, and have no other one.

    A seat is kept for each of these, as far as there are seats; of who has to leave, the last in the order do.
    """
    roles, leaving = {c.name: c.role for c in people}, set[str]()
    for slot in set(found.values()):
        kept = sum(
            c.role == ahead and c.name not in found and slot in c.perhaps
            for c in people
        )
        takers = [name for name, taken in found.items() if taken == slot]
        short = kept - (free[slot] - len(takers))
        leaving |= set(
            [name for name in takers if roles[name] == behind][::-1][: max(short, 0)]
        )
    return leaving


def todo(desk: Desk, order: Sequence[str] = ()) -> tuple[Action, ...]:
    """The day's actions, at most one for a person; contradictory policies are refused."""
    day = Today(desk, order)
    if rules.WEEKEND in day.rules and not working(desk.today):
        return ()
    for step in (
        day.answers, day.unconfirmed, day.give, day.give_vague, day.give_again, day.thanks, day.further, day.another,
        day.undecided, day.again, day.invite,
    ):  # fmt: skip
        for action in list(step()):
            day.done.setdefault(action.person, action)
    return tuple(day.done.values())


class Today:
    """A day under the policies (`rules`: ids and numbers by kind); `done` is what was decided so far, by person.

    `window` working days pass between a mail and the next one about it, `limit` mails go to somebody who never answers;
    `asking` are those who are to be asked for further dates.
    """

    def __init__(self, desk: Desk, order: Sequence[str]) -> None:
        self.desk, self.state, self.done = desk, desk.state, dict[str, Action]()
        self.order = tuple(
            name
            for name in (order or desk.scenario.by_name)
            if name in desk.state.contacts
        )
        self.rules: dict[str, tuple[str, int]] = {}
        for name, rule in desk.policies.literal().rules.items():
            self.rules.setdefault(rule.kind, (name, rule.number))
        self.window = self.rules.get(rules.FOLLOW_UP, ("", PATIENCE))[1]
        self.limit = self.rules.get(rules.GIVE_UP, ("", NO_LIMIT))[1]
        self.ahead, self.behind = "", ""
        if rules.FACULTY_FIRST in self.rules:
            self.ahead, self.behind = PROFESSOR, STUDENT
        elif rules.STUDENTS_FIRST in self.rules:
            self.ahead, self.behind = STUDENT, PROFESSOR
        self.by_role = self.id(rules.FACULTY_FIRST) or self.id(rules.STUDENTS_FIRST)
        self.closing = (
            passed(desk.today, desk.scenario.deadline) <= self.window
        )  # nothing waits for one more answer
        self.asking = {action.person for action in self.further()}

    # ---- who and what is looked at ----

    def id(self, kind: str) -> str:
        """The id of the policy that states a rule; "" where none does."""
        return self.rules.get(kind, ("", 0))[0]

    def first(self, name: str) -> int:
        """The priority that the policies give to somebody by their role."""
        return int(self.state.contacts[name].role == self.ahead)

    @property
    def free(self) -> dict[date, int]:
        """Dates with seats that nobody has, not those who get one today either; dates that are over are none."""
        given = [
            action.slot for action in self.done.values() if action.kind == CONFIRMATION
        ]
        left = {
            s: self.state.seats - len(self.state.slots[s]) - given.count(s.isoformat())
            for s in self.state.open
        }
        return {
            slot: seats
            for slot, seats in left.items()
            if seats > 0 and slot > self.state.today
        }

    @property
    def people(self) -> list[Contact]:
        """Without a date or a decision of today, not given up, and ready to be written to, in the list's order."""
        return [
            c
            for c in self.state.waiting()
            if c.name not in self.done
            and not c.silent(self.limit)
            and (c.wait_until is None or c.wait_until <= self.state.today)
        ]

    @property
    def candidates(self) -> list[Contact]:
        """The same in the order in which ties are broken."""
        return sorted(self.people, key=lambda contact: self.order.index(contact.name))

    @property
    def answering(self) -> list[Contact]:
        """Those who answered their last mail."""
        return [c for c in self.people if c.answered and not c.unanswered]

    @cached_property
    def expected(self) -> set[str]:
        """Names of people whose answer is worth waiting for before dates are given away."""
        return {c.name for c in self.state.waiting() if self._expected(c)}

    def _expected(self, contact: Contact) -> bool:
        """Whether a reply is: while who never answered gets reminders, and one window after the last; of who answered,
        one window after the last mail; of who asked for time, until it is over, unless the deadline is before that.
        """
        if contact.wait_until is not None and self.state.today < contact.wait_until:
            return contact.wait_until <= self.desk.scenario.deadline
        quiet = self.state.days_silent(contact.name)
        if quiet is None:
            return False
        return quiet < self.window or (
            not contact.answered and len(contact.mails) < min(self.limit, REMINDED)
        )

    @property
    def ready(self) -> bool:
        """Whether it is time to give away what can be given."""
        return self.closing or not (self.expected | self.asking)

    def near(self, slot: date, before: int = 0) -> bool:
        """Whether a date is urgent, where a policy is on that, or will be in so many days."""
        return rules.URGENT in self.rules and self.state.near(
            slot, self.rules[rules.URGENT][1] + before
        )

    def returned(self, free: Mapping[date, int]) -> dict[date, int]:
        """Dates that were given back, where a policy is on them; not those that are urgent besides."""
        back = self.state.given_back if rules.CANCELLED in self.rules else set()
        return {
            slot: seats
            for slot, seats in free.items()
            if slot in back and not self.near(slot)
        }

    # ---- the steps, in their order ----

    def answers(self) -> Iterator[Action]:
        """What was decided about flags, passed on to whoever had asked."""
        for name, hooks in answers_to(self.desk).items():
            contact = self.state.contacts[name]
            if contact.wait_until is None or contact.wait_until <= self.state.today:
                told = [" ".join(hook.answer.split()) for hook in hooks]
                yield ask(
                    name,
                    " ".join(
                        text if text.endswith((".", "!", "?")) else f"{text}."
                        for text in told
                    ),
                )

    def unconfirmed(self) -> Iterator[Action]:
        """Confirmations of dates that people have and were never told of."""
        if rules.CONFIRM in self.rules:
            yield from (
                confirmation(name, slot, self.id(rules.CONFIRM))
                for slot, name in self.state.untold
            )

    def give(self) -> Iterator[Action]:
        """Dates for people who named them firmly: all that can be matched when that takes every seat and nobody of them
        is to be asked before, when nobody's answer is expected any more, or shortly before the deadline.
        """
        free, people = self.free, self.candidates
        found = match(wishes(people, free), free, self.first)
        complete = len(found) == sum(free.values()) and not self.asking & set(found)
        if not found or not (complete or self.ready):
            yield from self._early(people, free)
            return
        leaving = (
            set()
            if self.closing
            else yielding(found, free, people, self.ahead, self.behind)
        )
        for name, slot in found.items():
            rival = any(
                slot in c.named and not self.first(c.name)
                for c in self.state.waiting()
                if c.name != name
            )
            if name not in leaving:
                cause = (
                    self.by_role
                    if self.first(name) and rival
                    else self.id(rules.CONFIRM)
                )
                yield confirmation(name, slot, cause)

    def _early(
        self, people: Sequence[Contact], free: Mapping[date, int]
    ) -> Iterator[Action]:
        """Urgent dates, to whoever named them, and dates that were given back."""
        near = {slot: seats for slot, seats in free.items() if self.near(slot)}
        for name, slot in match(wishes(people, near), near).items():
            yield confirmation(name, slot, self.id(rules.URGENT))
        back, people = (
            self.returned(free),
            [c for c in people if c.name not in self.asking],
        )
        found = match(wishes(people, back), back, self.first)
        leaving = yielding(found, back, people, self.ahead, self.behind)
        for name, slot in found.items():
            if name not in leaving:
                yield confirmation(name, slot, self.id(rules.CANCELLED))

    def give_vague(self) -> Iterator[Action]:
        """Vague dates, for seats that nobody named firmly: given when they are urgent, or shortly before the deadline.

        With a policy on vague answers people are asked first, a week before a date is urgent if not earlier, and
        without an answer no such date is given.
        """
        free, careful = self.free, rules.VAGUE in self.rules
        early = {
            slot: seats for slot, seats in free.items() if self.near(slot, WEEK)
        } | self.returned(free)
        slots = free if self.ready else early
        for name, slot in match(
            wishes(self.candidates, slots, vague=True), slots, self.first
        ).items():
            near = self.near(slot)
            if careful and asked_about(self.desk, name, slot) is None:
                quiet = self.state.days_silent(name)
                if quiet is None or quiet >= self.window:
                    sure = "Is that date certain enough for me to give it to you?"
                    question = (
                        f"You mentioned {in_words(slot)} as a possibility. {sure}"
                    )
                    yield Action(
                        CLARIFICATION,
                        name,
                        question,
                        slot.isoformat(),
                        self.id(rules.VAGUE),
                    )
            elif (self.closing or near) and (
                not careful or answered_about(self.desk, name, slot)
            ):
                yield confirmation(name, slot, self.id(rules.URGENT) if near else "")

    def give_again(self) -> Iterator[Action]:
        """Second dates that nobody without one named, shortly before the deadline, where a policy speaks of them."""
        if rules.ONE_EACH not in self.rules or not self.closing:
            return
        waiting = {slot for c in self.state.waiting() for slot in c.named}
        free = {slot: seats for slot, seats in self.free.items() if slot not in waiting}
        names = [
            name
            for name in self.order
            if self.state.dates_of(name) and name not in self.done
        ]
        for name, slot in match(
            wishes([self.state.contacts[name] for name in names], free), free
        ).items():
            if slot not in self.state.dates_of(name):
                yield confirmation(name, slot, self.id(rules.ONE_EACH))

    def thanks(self) -> Iterator[Action]:
        """Thanks to those who declined, once."""
        for contact in (
            self.state.contacts.values() if rules.DECLINED in self.rules else ()
        ):
            if contact.declined and not contact.thanked:
                yield Action(
                    THANKS,
                    contact.name,
                    "thank them for their answer",
                    None,
                    self.id(rules.DECLINED),
                )

    def further(self) -> Iterator[Action]:
        """Questions for further dates, to people who named few, or vague ones, and were not written to since."""
        few = self.rules.get(rules.ASK_MORE, ("", 0))[1]
        for contact in self.answering:
            others = [slot for slot in self.free if slot not in contact.named]
            if not contact.named or contact.asked_since or not others:
                continue
            question = f"Beside what you named, might there be another date that you could manage: {listed(others)}?"
            if contact.few(few):
                yield ask(contact.name, question, self.id(rules.ASK_MORE))
            elif rules.VAGUE in self.rules and contact.vague:
                yield ask(contact.name, question, self.id(rules.VAGUE))

    def another(self) -> Iterator[Action]:
        """Questions for another date, to people whose dates others got, or now that one was given back."""
        free = self.free
        gone = {
            action.slot for action in self.done.values() if action.kind == CONFIRMATION
        }
        for contact in self.answering if free else ():
            if not contact.named or {*free} & {*contact.firm, *contact.perhaps}:
                continue
            today = (
                self.desk.day
                if any(slot.isoformat() in gone for slot in contact.named)
                else 0
            )
            if asked_on(self.desk, contact.name) < max(
                today, turned(self.desk, contact)
            ):
                question = f"What you named is taken by now. Would another date suit you: {listed(list(free))}?"
                yield ask(contact.name, question, self._why_another(contact))

    def _why_another(self, contact: Contact) -> str:
        """The policy on roles, where one who comes first has a date that somebody else named."""
        owners = [
            name for slot in contact.named for name in self.state.slots.get(slot, ())
        ]
        owners += [
            a.person
            for a in self.done.values()
            if a.slot in {s.isoformat() for s in contact.named}
        ]
        return (
            self.by_role
            if any(map(self.first, owners)) and not self.first(contact.name)
            else ""
        )

    def undecided(self) -> Iterator[Action]:
        """Once more to people who answered without a date, when the window is over; not to those who can do none."""
        free, most = set(self.free), min(self.limit, REMINDED + 1)
        for contact in self.answering if free else ():
            if contact.named or contact.cancelled or len(contact.mails) >= most:
                continue
            late = passed(max(contact.answered), self.state.today) >= self.window
            replies = [
                mail
                for mail in self.desk.thread(contact.name)
                if mail.sender == contact.name
            ]
            read = [
                read_reply(mail.body, self.desk.scenario.slots, self.state.today)
                for mail in replies
            ]
            if late and free - {
                slot for reading in read for slot in reading.unavailable
            }:
                yield self._follow_up(contact, "since they named no date")

    def again(self) -> Iterator[Action]:
        """Follow-ups on mails without an answer, when the window is over and the limit of mails not reached."""
        for contact in self.people if self.free else ():
            quiet = self.state.days_silent(contact.name)
            if (
                quiet is not None
                and quiet >= self.window
                and len(contact.mails) < self.limit
            ):
                days = f"{quiet} working day{'' if quiet == 1 else 's'}"
                yield self._follow_up(contact, f"after {days} without an answer")

    def _follow_up(self, contact: Contact, why: str) -> Action:
        return Action(
            FOLLOW_UP, contact.name, f"ask again, {why}", None, self.id(rules.FOLLOW_UP)
        )

    def invite(self) -> Iterator[Action]:
        """Invitations: to everybody at the beginning where a policy says so, else to as many people as seats are free.

        Those who decline, or are given up, make room for the next on the list.
        """
        contacts, free = self.state.contacts, self.free
        order = [
            contacts[name]
            for name in sorted(self.order, key=lambda name: -self.first(name))
        ]
        fresh = [c for c in order if not c.mails and c.name not in self.done]
        fresh = [c for c in fresh if not c.declined and not c.silent(self.limit)]
        everybody = rules.BEGIN in self.rules and not any(
            c.mails for c in contacts.values()
        )
        hoped = self.expected | {
            c.name for c in self.state.waiting() if {*c.named} & {*free}
        }
        hoped -= {
            name for name, action in self.done.items() if action.kind == CONFIRMATION
        }
        room = len(fresh) if everybody else sum(free.values()) - len(hoped)
        for contact in fresh[: max(room, 0)] if free else ():
            policy = self.id(rules.BEGIN) if everybody else ""
            yield Action(
                INVITATION,
                contact.name,
                "ask which of all the dates suit them",
                None,
                policy,
            )


def confirmation(name: str, slot: date, policy: str) -> Action:
    """The action that gives a date to somebody."""
    return Action(
        CONFIRMATION, name, f"give them {in_words(slot)}", slot.isoformat(), policy
    )


def ask(name: str, question: str, policy: str = "") -> Action:
    """A question, or an answer, that says its goal word for word."""
    return Action(CLARIFICATION, name, question, None, policy)


def listed(slots: Sequence[date]) -> str:
    """Dates in words, as a question lists them."""
    words = [in_words(slot) for slot in slots]
    return " or ".join(part for part in ("; ".join(words[:-1]), words[-1]) if part)
