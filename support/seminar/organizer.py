"""An organiser that follows the policies literally, and nothing but them and the goal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from datetime import date

import numpy as np

from support.seminar import rules
from support.seminar.audit import applies
from support.seminar.data import in_words, iso, working
from support.seminar.ledger import Contact
from support.seminar.organizer_log import about, adrift, offered
from support.seminar.organizer_steps import todo
from support.seminar.organizer_writing import closing_of, greeting_of, written
from support.seminar.reading import SAYS, Reading, agrees, read_reply
from support.seminar.records import (
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    MAIL,
    ORGANISER,
    THANKS,
    Action,
    Edit,
    Mail,
    Understood,
)
from support.seminar.views import DayPlan, Desk, Draft

NOTE, SHOWN = 120, 60
"""Characters that are kept of a reply, and that a summary of an edit quotes."""

WORDS = 40
"""Of a reason and of a summary, as in section 3.3.3 of the paper: more than that is not read."""

DOING = {
    INVITATION: "Invite",
    FOLLOW_UP: "Write again to",
    CLARIFICATION: "Put a question or an answer to",
    CONFIRMATION: "Give a date to",
    THANKS: "Thank",
}
"""How a plan says what is to be done; people's names follow."""

_NO = re.compile(r"\bno\b", re.I)


class RuleBasedOrganizer:
    """Reads by patterns, selects and acts by rules, writes by templates.

    A policy that states no rule is not followed, and every morning's report says so. Where no policy says how long to
    wait, a mail is left alone for two working days; where none says whom to ask first, as many people are asked as
    seats are free. It never gives anybody a date that they did not name. A wish ("make it again, but ...") is beyond
    it: it makes the same again, and says so in the plan. Of what was changed before, it learns greetings and closings
    (`mannered`).
    """

    kind = "rule-based"

    def __init__(self, rng: np.random.Generator | None = None) -> None:
        self._rng = rng
        self._order: tuple[str, ...] = ()
        self._decided: tuple[Desk, tuple[Action, ...]] | None = None  # a plan and its actions are made on one desk

    async def read(self, desk: Desk, mail: Mail) -> Understood:
        """What the patterns of `reading` read, of the dates that the writer was offered.

        A reply without a date to a question about a single one is taken as a yes or a no to it, where it says so. A
        cancellation gives back the dates of theirs that it names, or all of theirs where it names none.
        """
        reading = read_reply(mail.body, offered(desk, mail.sender), desk.today, desk.scenario.time)
        available, unavailable = _answered(desk, mail, reading)
        mine = desk.state.dates_of(mail.sender) if reading.cancelled else ()
        named = {*reading.available, *reading.vague, *reading.unavailable}
        back = tuple(slot for slot in mine if slot in named) or mine
        return Understood(
            mail.id,
            mail.sender,
            iso(slot for slot in available if slot not in back),
            iso(slot for slot in reading.vague if slot not in back),
            iso(unavailable),
            iso(reading.never_offered),
            reading.declined,
            iso(back),
            reading.wait_until.isoformat() if reading.wait_until else None,
            textwrap.shorten(mail.body, NOTE, placeholder=" …"),
            reading.unclear,
        )

    async def progress(self, desk: Desk) -> str:
        """One sentence for each date and each person, and one for each policy that is not understood."""
        lines = [f"Day {desk.day}, {in_words(desk.today)}."]
        lines += [f"{in_words(slot)}: {_holders(desk, slot)}." for slot in desk.state.slots]
        written = [c for c in desk.state.contacts.values() if c.mails or c.answered]
        lines += [f"{c.name} ({c.role}): {'; '.join(_told(desk, c))}." for c in written]
        if unwritten := [c.name for c in desk.state.contacts.values() if not (c.mails or c.answered)]:
            lines.append(f"Not written to yet: {', '.join(unwritten) if written else 'everybody'}.")
        lines += [
            f"The policy {name!r} is not understood by a rule-based organiser, and not followed: "
            f"{desk.policies[name].text}"
            for name in desk.policies.unread
        ]
        lines += [f"It is not clear whom this answer concerns, so it goes to nobody: {h.answer}" for h in adrift(desk)]
        return "\n".join(lines)

    async def select(self, desk: Desk, progress: str) -> tuple[str, ...]:
        """Those that apply read literally; the report is not needed for that."""
        return applies(desk.state, desk.policies)

    async def plan(self, desk: Desk, progress: str, selected: tuple[str, ...], wish: str = "") -> DayPlan:
        """Who is to get which kind of mail, by name, and why; no wish is followed, and the reason says so."""
        actions = self._todo(desk)
        people = {kind: [a.person for a in actions if a.kind == kind] for kind in DOING}
        parts = [f"{DOING[kind]} {', '.join(names)}." for kind, names in people.items() if names]
        unread = "I follow rules and cannot follow a wish: please edit the plan." if wish else ""
        reason = within(WORDS, [unread, *(_reasons(actions) or [_idle(desk)])])
        return DayPlan(" ".join(parts) or "Send nothing today.", reason)

    async def act(self, desk: Desk, plan: DayPlan, selected: tuple[str, ...], wish: str = "") -> tuple[Action, ...]:
        """What the policies ask for today, about the people whom the plan names: who was struck out is left alone.

        Longer names are looked for first, so that one name inside another does not stand for it.
        """
        actions = self._todo(desk)
        text, named = plan.text, set[str]()
        for name in sorted({action.person for action in actions}, key=len, reverse=True):
            if name in text:
                named.add(name)
                text = text.replace(name, "")
        return tuple(action for action in actions if action.person in named)

    async def draft(self, desk: Desk, action: Action, wish: str = "") -> Draft:
        """The template of its kind, filled."""
        return written(desk, action)

    async def describe(self, desk: Desk, edit: Edit) -> str:
        """What was changed, quoted; of a mail, its greeting and its closing if they are other ones now."""
        whom = f" about {edit.about}" if edit.about else ""
        if not edit.after:
            return f"The {edit.what}{whom} was removed."
        if edit.what == MAIL and (changes := _style(desk, edit)):
            return f"In the {edit.what}{whom}, {' and '.join(changes)}."
        before, after = (textwrap.shorten(text, SHOWN, placeholder=" …") for text in (edit.before, edit.after))
        return f"The {edit.what}{whom} was changed from “{before}” to “{after}”."

    async def close(self, desk: Desk) -> str:
        """Counts of the day, and who got a date."""
        today = [mail for mail in desk.mails if mail.day == desk.day]
        sent = [mail for mail in today if mail.sender == ORGANISER]
        came = list(dict.fromkeys(mail.sender for mail in today if mail.sender != ORGANISER))
        seats = desk.state.seats * len(desk.state.slots)
        filled = sum(len(names) for names in desk.state.slots.values())
        given = [mail.to for mail in sent if mail.kind == CONFIRMATION]
        quiet = [c.name for c in desk.state.waiting() if c.unanswered]
        return within(
            WORDS,
            [
                f"{_counted(len(sent), 'mail')} sent, {len(today) - len(sent)} received{_names(', from ', came)}.",
                f"{filled} of {seats} seats taken{_names(', today by ', given)}.",
                f"Without a date and with a mail to answer: {len(quiet)}." if quiet else "",
            ],
        )

    def _todo(self, desk: Desk) -> tuple[Action, ...]:
        if not self._order:
            names = list(desk.scenario.by_name)
            mixed = range(len(names)) if self._rng is None else self._rng.permutation(len(names)).tolist()
            self._order = tuple(names[k] for k in mixed)
        if self._decided is None or self._decided[0] != desk:
            self._decided = desk, todo(desk, self._order)
        return self._decided[1]


def _answered(desk: Desk, mail: Mail, reading: Reading) -> tuple[tuple[date, ...], tuple[date, ...]]:
    """The firm and the impossible dates, with the only one that the mail before the reply asked about."""
    firm, cannot = reading.available, reading.unavailable
    before = [m for m in desk.mails if m.to == mail.sender and m.sender == ORGANISER and m.id < mail.id]
    asks = before and before[-1].kind == CLARIFICATION
    asked = tuple(slot for slot in desk.scenario.slots if about(before[-1], slot)) if asks else ()
    if len(asked) != 1 or firm or reading.vague or cannot or reading.declined or reading.unclear:
        return firm, cannot
    if _NO.search(mail.body) or SAYS.cannot.search(mail.body):
        return firm, asked
    return (asked if agrees(mail.body) else firm), cannot


# ---- how a report, a plan and a summary say it ----


def _holders(desk: Desk, slot: date) -> str:
    names, seats = desk.state.slots[slot], desk.state.seats
    if not names:
        return "open" if seats == 1 else f"open, {seats} seats"
    left = seats - len(names)
    return f"filled by {', '.join(names)}" if left <= 0 else f"{', '.join(names)}, and {left} of {seats} seats open"


def _told(desk: Desk, contact: Contact) -> list[str]:
    """All that is known of one person."""
    quiet = desk.state.days_silent(contact.name)
    said = {
        "has": desk.state.dates_of(contact.name),
        "can do": contact.firm,
        "perhaps": tuple(slot for slot in contact.vague if slot not in contact.cancelled),
        "gave back": contact.cancelled,
    }
    parts = [
        f"written to on {_days(contact.mails)}" if contact.mails else "not written to",
        f"answered last on {_days([max(contact.answered)])}" if contact.answered else "",
        f"no answer to the last mail for {_counted(quiet, 'working day')}" if quiet is not None else "",
        *(f"{what} {_days(slots)}" for what, slots in said.items() if slots),
        "declined" if contact.declined else "",
        f"not to be asked before {_days([contact.wait_until])}" if contact.wait_until else "",
    ]
    return [part for part in parts if part]


def _reasons(actions: Sequence[Action]) -> list[str]:
    """What each policy asks for, and how many mails none does."""
    reasons = []
    for policy in dict.fromkeys(action.policy for action in actions if action.policy):
        kinds = [action.kind.replace("_", "-") for action in actions if action.policy == policy]
        asked = ", ".join(_counted(kinds.count(kind), kind) for kind in dict.fromkeys(kinds))
        reasons.append(f"{policy!r} asks for {asked}.")
    if free := [action for action in actions if not action.policy]:
        reasons.append(f"{len(free)} of {len(actions)} mails serve the goal without a policy.")
    return reasons


def _idle(desk: Desk) -> str:
    """Why nothing is done."""
    if not working(desk.today) and any(r.kind == rules.WEEKEND for r in desk.policies.rules.values()):
        return "It is the weekend."
    if not desk.state.open:
        return "Every seat is taken."
    quiet = len(desk.state.pending)
    if quiet:
        return f"Mails to {quiet} of the people without a date may still be answered."
    return "No policy asks for anything."


def _style(desk: Desk, edit: Edit) -> list[str]:
    person = desk.scenario.by_name.get(edit.about)
    pairs = [("the closing", closing_of(edit.before, desk.scenario), closing_of(edit.after, desk.scenario))]
    if person:
        pairs.insert(0, ("the greeting", greeting_of(edit.before, person), greeting_of(edit.after, person)))
    return [f"{what} “{old}” became “{new}”" for what, old, new in pairs if old and new and old != new]


def within(words: int, sentences: Sequence[str]) -> str:
    """As many whole sentences, from the first, as fit in a number of words; at least one."""
    kept: list[str] = []
    for sentence in (s for s in sentences if s):
        if kept and len(" ".join([*kept, sentence]).split()) > words:
            break
        kept.append(sentence)
    return " ".join(kept)


def _names(before: str, names: Sequence[str]) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{before}{shown}" if names else ""


def _days(slots: Sequence[date]) -> str:
    return ", ".join(f"{slot.day} {slot:%B}" for slot in sorted(slots))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
