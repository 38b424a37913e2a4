"""Simulated people: what is true of each is drawn once; what they reply is data (`Says`),
worded for whoever reads along.

Facts, and what is forgotten, are drawn from streams of their own: two organisers who meet
the same people (the same seed) meet the same calendars.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from support.seminar import words
from support.seminar.data import ORGANISER, Persona, Scenario, later
from support.seminar.records import (
    ANSWER,
    CERTAIN,
    CLARIFICATION,
    CONFIRMATION,
    REPLY,
    THANKS,
    Mail,
    Says,
)

TURNS, CONDITIONAL, YIELDS = 0.75, 0.4, 0.6
"""Shares: vague dates that turn out free, issues that are conditions, and of these those
that are dropped when they are not granted."""
LONGEST, HOLDS = 10, 0.25
"""Working days to a cancellation; share of the slow who send a note in between."""
CAN = "can"
PERHAPS = "perhaps"
NO = "no"


@dataclass(frozen=True, slots=True)
class Letter:
    """What somebody is shown on a day: mails, dates that were ever offered, dates that
    they have."""

    person: str
    organiser: str
    day: int
    today: date
    thread: tuple[Mail, ...]
    offered: tuple[date, ...]
    given: tuple[date, ...] = ()

    @property
    def latest(self) -> Mail:
        """The last mail from the organiser."""
        return [mail for mail in self.thread if mail.sender == ORGANISER][-1]


@dataclass(frozen=True, slots=True)
class Response:
    """A reply, or none (no body); `until` is the day on which they look again, None for
    not at all; `says` is what the reply states, None where there are words alone."""

    subject: str = ""
    body: str = ""
    until: int | None = None
    says: Says | None = None

    def mail(self, sender: str, answers: int | None) -> Mail:
        """The reply as a mail that has no number and no day yet."""
        head = 0, 0, REPLY, sender, ORGANISER, self.subject, self.body
        return Mail(*head, answers=answers, says=self.says)


class RuleBasedSpeaker:
    """Somebody who was invited: `mood` is which dates suit, `named` what they named."""

    def __init__(
        self,
        me: Persona,
        scenario: Scenario,
        rng: np.random.Generator,
        kind: str,
    ) -> None:
        self.me = me
        self.kind = kind
        facts, self._memory, _ = rng.spawn(3)
        self._open = bool(me.issue) & bool(facts.random() < CONDITIONAL)
        self._yields = bool(facts.random() < YIELDS)
        after = int(facts.integers(1, LONGEST + 1))
        self._cancels = after if facts.random() < me.cancels else None
        self._facts = facts
        self.mood = dict[date, str]()
        self._turns = dict[date, bool]()
        self._luck = dict[date, float]()
        self._look_up(scenario.slots)
        self.named: set[date] = set()
        self._seen: set[int] = set()
        self._unanswered = 0
        self._spoke = False
        self._raised = False
        self._due: int | None = None
        self._back: tuple[int, date] | None = None
        self._holds = self._memory.random() < HOLDS and me.days > 2

    def _look_up(self, slots: Sequence[date]) -> None:
        """Draw what is true of dates that they did not know of."""
        for slot in slots:
            if slot in self.mood:
                continue
            suits, vague, turns, self._luck[slot] = self._facts.random(4)
            sure = PERHAPS if vague < self.me.vague else CAN
            self.mood[slot] = sure if suits < self.me.share else NO
            self._turns[slot] = turns < TURNS
        self._dear = sorted(self.mood, key=lambda slot: (self._luck[slot], slot))

    async def answer(self, letter: Letter) -> Response:
        """What they do about the latest mail; a reply may name a day too, to send what
        they promised, or to cancel."""
        self._look_up(letter.offered)
        for mail in letter.thread:
            if mail.sender == ORGANISER and mail.id not in self._seen:
                self._take_in(mail, letter)
        if self._back and letter.day >= self._back[0]:
            slot = self._back[1]
            self._back = None
            if slot in letter.given:
                self._due = None
                self.mood[slot] = NO
                return self._sent(letter, Says(gives_back=(slot,)))
        if self._due is None:
            return Response(until=self._next)
        if letter.day < self._due:
            held = self._holds
            self._holds = False
            wait = letter.today + timedelta(days=self._due - letter.day + 1)
            if held:
                return self._sent(letter, Says(not_before=wait))
            return Response(until=self._next)
        says = self._reply(letter, letter.latest)
        self._due = None
        self._unanswered = 0
        self._holds = False
        self._spoke = True
        return self._sent(letter, says)

    def _sent(self, letter: Letter, says: Says) -> Response:
        subject = f"Re: {letter.latest.subject.removeprefix('Re: ')}"
        return Response(subject, words.reply(says, self.me), self._next, says)

    @property
    def _next(self) -> int | None:
        days = [self._due, self._back[0] if self._back else None]
        return min((day for day in days if day is not None), default=None)

    def _take_in(self, mail: Mail, letter: Letter) -> None:
        """A new mail: forgotten, not enough yet, or to be answered on a day; a
        confirmation may be cancelled once."""
        self._seen.add(mail.id)
        forgotten = self._memory.random() < self.me.forgets
        if mail.kind == THANKS:
            return
        self._unanswered += 1
        if mail.kind == CONFIRMATION:
            (slot,), after, self._cancels = mail.slots, self._cancels, None
            if after is not None and self.mood[slot] != NO:
                day = ahead(after + self.me.days, letter)
                if letter.day + (slot - letter.today).days > day:
                    self._back = day, slot
        enough = self._spoke or self._unanswered >= self.me.needs
        if not forgotten and self._due is None and enough:
            self._due = ahead(self.me.days, letter)

    def _reply(self, letter: Letter, mail: Mail) -> Says:
        """The answer to each kind of mail; one without dates is about all that they were
        offered, or about those that they named."""
        slots = mail.slots or letter.offered
        if mail.kind == CONFIRMATION:
            return self._accept(mail.slots[0])
        if mail.asks == ANSWER:
            return self._answered(mail)
        if not self.named:
            return self._offer(slots)
        if mail.asks == CERTAIN:
            return self._settle_all(mail.slots or sorted(self.named))
        if mail.kind == CLARIFICATION:
            return self._more(slots, letter.offered, self.me.limit)
        if letter.given:
            return Says(can=letter.given)
        return self._more(slots, slots, 1)

    def _answered(self, mail: Mail) -> Says:
        """An answer to what they had asked: a condition that is not granted is dropped,
        or they are."""
        withdraws = self._open and mail.grants is False and not self._yields
        self._open = False
        if withdraws:
            self.mood = dict.fromkeys(self.mood, NO)
        return Says(declines=withdraws)

    def _offer(self, offered: Sequence[date]) -> Says:
        """The first answer: the dearest dates that suit; or a refusal."""
        chosen = self._suiting(offered)[: self.me.limit]
        lost = self.me.issue_kind in ("weekday", "substitute")
        raises = not self._raised and bool(chosen or lost)
        issue = self.me.issue if raises else ""
        self._raised = self._raised or bool(issue)
        if not chosen:
            return Says(declines=True, asks=issue)
        return self._dates(chosen, issue, sure=not (issue and self._open))

    def _suiting(self, offered: Sequence[date]) -> list[date]:
        return [d for d in self._dear if d in offered and self.mood[d] != NO]

    def _more(
        self,
        offered: Sequence[date],
        ever: Sequence[date],
        most: int,
    ) -> Says:
        """Further dates; else those named before stand."""
        new = [day for day in self._suiting(offered) if day not in self.named]
        if new:
            return self._dates(new[:most])
        still = [d for d in ever if d in self.named and self.mood[d] != NO]
        return self._dates(still) if still else self._offer(())

    def _settle_all(self, asked: Sequence[date]) -> Says:
        """Each date is looked up: it can be had, or it is gone."""
        can = tuple(day for day in asked if self._settle(day))
        self.named |= {*can}
        return Says(can, cannot=tuple(day for day in asked if day not in can))

    def _settle(self, slot: date) -> bool:
        """A vague date is firm or gone from now on."""
        if self.mood[slot] == PERHAPS:
            self.mood[slot] = CAN if self._turns[slot] else NO
        return self.mood[slot] == CAN

    def _accept(self, slot: date) -> Says:
        """A confirmation is accepted, or given back where the date, or the person's
        terms, do not hold."""
        broken = self._raised and self._open and not self._yields
        if broken or not self._settle(slot):
            self.mood[slot], self._back = NO, None
            return Says(cannot=(slot,))
        self._open = False
        self.named.add(slot)
        return Says(can=(slot,))

    def _dates(
        self,
        chosen: Sequence[date],
        asks: str = "",
        sure: bool = True,
    ) -> Says:
        """Dates, firm or vague; all are vague while coming depends on something."""
        self.named |= {*chosen}
        can = tuple(sorted(d for d in chosen if sure and self.mood[d] == CAN))
        return Says(can, tuple(sorted({*chosen} - {*can})), asks=asks)


def ahead(working: int, letter: Letter) -> int:
    """The day of the run that is so many working days ahead."""
    return letter.day + (later(letter.today, working) - letter.today).days


KINDS: Mapping[str, Callable[[Persona], Persona]] = {
    "rule-based": lambda p: p,
    "prompt": lambda p: replace(
        p,
        days=0,
        needs=1,
        forgets=0.0,
    ),
    "slow": lambda p: replace(p, days=p.days + 3, needs=max(p.needs, 2)),
    "vague": lambda p: replace(p, vague=max(p.vague, 0.7)),
}
"""As personas say; at once and always; three working days later, reminded; mostly vague."""
