"""An organiser that follows the policies literally, and nothing but them and the goal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from datetime import date

import numpy as np

from support.seminar import records, rules
from support.seminar.artefacts import load_templates
from support.seminar.audit import applies
from support.seminar.data import (
    PROFESSOR,
    Persona,
    Scenario,
    in_words,
    iso,
    surname_twice,
    working,
)
from support.seminar.ledger import Contact
from support.seminar.organizer_log import about, adrift, answers_to, offered
from support.seminar.organizer_steps import todo
from support.seminar.reading import SAYS, Reading, agrees, read_reply
from support.seminar.records import ORGANISER, Action, Edit, Mail, Understood
from support.seminar.views import DayPlan, Desk, Draft

NOTE, SHOWN = (
    120,
    60,
)  # characters that are kept of a reply, and that a summary of an edit quotes
WORDS = 40  # of a reason and of a summary, as in section 3.3.3 of the paper: more than that is not read
DOING = {
    records.INVITATION: "Invite",
    records.FOLLOW_UP: "Write again to",
    records.CLARIFICATION: "Put a question or an answer to",
    records.CONFIRMATION: "Give a date to",
    records.THANKS: "Thank",
}
"""How a plan says what is to be done; people's names follow."""

_NO = re.compile(r"\bno\b", re.I)


class RuleBasedOrganizer:
    """Reads by patterns, selects and acts by rules, writes by templates; it gives nobody a date that they did not name.

    A policy that states no rule is not followed, and every morning's report says so. A wish ("make it again, but ...")
    is beyond it: it makes the same again, and says so in the plan. Of what was changed before, it learns greetings and
    closings (`mannered`).
    """

    kind = "rule-based"

    def __init__(self, rng: np.random.Generator | None = None) -> None:
        self._rng = rng
        self._order: tuple[str, ...] = ()
        self._decided: tuple[Desk, tuple[Action, ...]] | None = (
            None  # a plan and its actions are made on one desk
        )

    async def read(self, desk: Desk, mail: Mail) -> Understood:
        """What `reading` reads, of the dates that the writer was offered.

        A cancellation gives back the dates of theirs that it names, or all of theirs where it names none.
        """
        reading = read_reply(
            mail.body, offered(desk, mail.sender), desk.today, desk.scenario.time
        )
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
        lines += [
            f"{in_words(slot)}: {_holders(desk, slot)}." for slot in desk.state.slots
        ]
        written = [c for c in desk.state.contacts.values() if c.mails or c.answered]
        lines += [f"{c.name} ({c.role}): {'; '.join(_told(desk, c))}." for c in written]
        if unwritten := [
            c.name for c in desk.state.contacts.values() if not (c.mails or c.answered)
        ]:
            lines.append(
                f"Not written to yet: {', '.join(unwritten) if written else 'everybody'}."
            )
        lines += [
            f"The policy {name!r} is not understood by a rule-based organiser, and not followed: "
            f"{desk.policies[name].text}"
            for name in desk.policies.unread
        ]
        lines += [
            f"It is not clear whom this answer concerns, so it goes to nobody: {h.answer}"
            for h in adrift(desk)
        ]
        return "\n".join(lines)

    async def select(self, desk: Desk, progress: str) -> tuple[str, ...]:
        """Those that apply read literally; the report is not needed for that."""
        return applies(desk.state, desk.policies)

    async def plan(
        self, desk: Desk, progress: str, selected: tuple[str, ...], wish: str = ""
    ) -> DayPlan:
        """Who is to get which kind of mail, by name, and why; no wish is followed, and the reason says so."""
        actions = self._todo(desk)
        people = {kind: [a.person for a in actions if a.kind == kind] for kind in DOING}
        parts = [
            f"{DOING[kind]} {', '.join(names)}."
            for kind, names in people.items()
            if names
        ]
        unread = (
            "I follow rules and cannot follow a wish: please edit the plan."
            if wish
            else ""
        )
        reason = within(WORDS, [unread, *(_reasons(actions) or [_idle(desk)])])
        return DayPlan(" ".join(parts) or "Send nothing today.", reason)

    async def act(
        self, desk: Desk, plan: DayPlan, selected: tuple[str, ...], wish: str = ""
    ) -> tuple[Action, ...]:
        """What the policies ask for today, about the people whom the plan names, a longer name before one inside it."""
        actions = self._todo(desk)
        text, named = plan.text, set[str]()
        for name in sorted(
            {action.person for action in actions}, key=len, reverse=True
        ):
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
        if edit.what == records.MAIL and (changes := _style(desk, edit)):
            return f"In the {edit.what}{whom}, {' and '.join(changes)}."
        before, after = (
            textwrap.shorten(text, SHOWN, placeholder=" …")
            for text in (edit.before, edit.after)
        )
        return f"The {edit.what}{whom} was changed from “{before}” to “{after}”."

    async def close(self, desk: Desk) -> str:
        """Counts of the day, and who got a date."""
        today = [mail for mail in desk.mails if mail.day == desk.day]
        sent = [mail for mail in today if mail.sender == ORGANISER]
        came = list(
            dict.fromkeys(mail.sender for mail in today if mail.sender != ORGANISER)
        )
        seats = desk.state.seats * len(desk.state.slots)
        filled = sum(len(names) for names in desk.state.slots.values())
        given = [mail.to for mail in sent if mail.kind == records.CONFIRMATION]
        quiet = [c.name for c in desk.state.waiting() if c.unanswered]
        return within(
            WORDS,
            [
                f"{_counted(len(sent), 'mail')} sent, {len(today) - len(sent)} received{_names(', from ', came)}.",
                f"{filled} of {seats} seats taken{_names(', today by ', given)}.",
                f"Without a date and with a mail to answer: {len(quiet)}."
                if quiet
                else "",
            ],
        )

    def _todo(self, desk: Desk) -> tuple[Action, ...]:
        if not self._order:
            names = list(desk.scenario.by_name)
            mixed = (
                range(len(names))
                if self._rng is None
                else self._rng.permutation(len(names)).tolist()
            )
            self._order = tuple(names[k] for k in mixed)
        if self._decided is None or self._decided[0] != desk:
            self._decided = desk, todo(desk, self._order)
        return self._decided[1]


def _answered(
    desk: Desk, mail: Mail, reading: Reading
) -> tuple[tuple[date, ...], tuple[date, ...]]:
    """The firm and the impossible dates; to a question about a single one, a yes or a no without a date is about it."""
    firm, cannot = reading.available, reading.unavailable
    before = [
        m
        for m in desk.mails
        if m.to == mail.sender and m.sender == ORGANISER and m.id < mail.id
    ]
    asks = before and before[-1].kind == records.CLARIFICATION
    asked = (
        tuple(slot for slot in desk.scenario.slots if about(before[-1], slot))
        if asks
        else ()
    )
    if (
        len(asked) != 1
        or firm
        or reading.vague
        or cannot
        or reading.declined
        or reading.unclear
    ):
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
    return (
        f"filled by {', '.join(names)}"
        if left <= 0
        else f"{', '.join(names)}, and {left} of {seats} seats open"
    )


def _told(desk: Desk, contact: Contact) -> list[str]:
    quiet = desk.state.days_silent(contact.name)
    said = {
        "has": desk.state.dates_of(contact.name),
        "can do": contact.firm,
        "perhaps": tuple(
            slot for slot in contact.vague if slot not in contact.cancelled
        ),
        "gave back": contact.cancelled,
    }
    parts = [
        f"written to on {_days(contact.mails)}" if contact.mails else "not written to",
        f"answered last on {_days([max(contact.answered)])}"
        if contact.answered
        else "",
        f"no answer to the last mail for {_counted(quiet, 'working day')}"
        if quiet is not None
        else "",
        *(f"{what} {_days(slots)}" for what, slots in said.items() if slots),
        "declined" if contact.declined else "",
        f"not to be asked before {_days([contact.wait_until])}"
        if contact.wait_until
        else "",
    ]
    return [part for part in parts if part]


def _reasons(actions: Sequence[Action]) -> list[str]:
    """What each policy asks for, and how many mails none does."""
    reasons = []
    for policy in dict.fromkeys(action.policy for action in actions if action.policy):
        kinds = [
            action.kind.replace("_", "-")
            for action in actions
            if action.policy == policy
        ]
        asked = ", ".join(
            _counted(kinds.count(kind), kind) for kind in dict.fromkeys(kinds)
        )
        reasons.append(f"{policy!r} asks for {asked}.")
    if free := [action for action in actions if not action.policy]:
        reasons.append(
            f"{len(free)} of {len(actions)} mails serve the goal without a policy."
        )
    return reasons


def _idle(desk: Desk) -> str:
    if not working(desk.today) and any(
        r.kind == rules.WEEKEND for r in desk.policies.rules.values()
    ):
        return "It is the weekend."
    if not desk.state.open:
        return "Every seat is taken."
    if quiet := len(desk.state.pending):
        return f"Mails to {quiet} of the people without a date may still be answered."
    return "No policy asks for anything."


def _style(desk: Desk, edit: Edit) -> list[str]:
    pairs = [
        (
            "the closing",
            *(closing_of(text, desk.scenario) for text in (edit.before, edit.after)),
        )
    ]
    if person := desk.scenario.by_name.get(edit.about):
        pairs.insert(
            0,
            (
                "the greeting",
                *(greeting_of(text, person) for text in (edit.before, edit.after)),
            ),
        )
    return [
        f"{what} “{old}” became “{new}”"
        for what, old, new in pairs
        if old and new and old != new
    ]


def within(words: int, sentences: Sequence[str]) -> str:
    """As many whole sentences, from the first, as fit in a number of words; at least one."""
    kept: list[str] = []
    for sentence in (s for s in sentences if s):
        if kept and len(" ".join([*kept, sentence]).split()) > words:
            break
        kept.append(sentence)
    return " ".join(kept)


def _names(before: str, names: Sequence[str]) -> str:
    shown = ", ".join(names[:3]) + (
        f" and {len(names) - 3} more" if len(names) > 3 else ""
    )
    return f"{before}{shown}" if names else ""


def _days(slots: Sequence[date]) -> str:
    return ", ".join(f"{slot.day} {slot:%B}" for slot in sorted(slots))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


# ---- mails out of templates, and what is learnt of mails that were changed at the desk ----
# A greeting is the first line that names the person and ends with a comma or an exclamation mark, a closing the line
# before the organiser's name. A greeting is used again for people of the same role, a closing for everybody; of several
# the latest. Nothing else of an edit is copied into other mails.

LONGEST = 80  # characters of a line that can be a greeting or a closing


def written(desk: Desk, action: Action) -> Draft:
    """The mail of an action. The goal of a clarification is what it says: those who edit the action edit the mail."""
    held, person = desk.scenario, desk.scenario.person(action.person)
    template = desk.templates.get(action.kind) or load_templates()[action.kind]
    notes = {
        records.INVITATION: f"We would like to hear about your work on {person.field}."
        if person.field
        else "",
        records.CONFIRMATION: " ".join(
            hook.answer.strip() for hook in answers_to(desk).get(person.name, ())
        ),
    }
    subject, body = template.fill(
        speaker=addressed(person, held.people),
        dates="\n".join(
            in_words(slot) for slot in desk.state.open if slot > desk.today
        ),
        date=in_words(date.fromisoformat(action.slot or ""))
        if action.kind == records.CONFIRMATION
        else "",
        place=held.place,
        time=held.time,
        organiser=held.organiser,
        title=held.title,
        question=action.goal if action.kind == records.CLARIFICATION else "",
        note=notes.get(action.kind, ""),
    )
    return Draft(subject, mannered(body, desk.edits, person, held))


def addressed(person: Persona, people: Sequence[Persona]) -> str:
    """How mails address somebody: professors by title and last name, in full where another shares it; others by name.

    >>> ana = Persona("a", "Ana Ray", "ana@example.org", "professor")
    >>> addressed(ana, [ana]), addressed(ana, [ana, Persona("b", "Bo Ray", "bo@example.org", "postdoc")])
    ('Professor Ray', 'Professor Ana Ray')
    """
    return (
        f"Professor {_last(person, people)}"
        if person.role == PROFESSOR
        else person.name
    )


def _last(person: Persona, people: Sequence[Persona]) -> str:
    return (
        person.name if person.name in surname_twice(people) else person.name.split()[-1]
    )


def mannered(
    body: str, edits: Sequence[Edit], person: Persona, scenario: Scenario
) -> str:
    """A mail with the greeting and the closing that edits of mails teach."""
    greeting, closing, lines = "", "", body.split("\n")
    for edit in (edit for edit in edits if edit.what == records.MAIL and edit.after):
        known = scenario.by_name.get(edit.about)
        if known and known.role == person.role:
            greeting = (
                _replaced(
                    greeting_of(edit.before, known), greeting_of(edit.after, known)
                )
                or greeting
            )
        closing = (
            _replaced(
                closing_of(edit.before, scenario), closing_of(edit.after, scenario)
            )
            or closing
        )
    if greeting and greeting_of(lines[0], person):
        gaps = {
            "{name}": person.name,
            "{last}": _last(person, scenario.people),
            "{first}": person.name.split()[0],
        }
        lines[0] = re.sub(
            r"\{(?:name|last|first)\}", lambda gap: gaps[gap[0]], greeting
        )
    if closing and (old := closing_of(body, scenario)):
        lines[max(k for k, line in enumerate(lines) if line.strip() == old)] = closing
    return "\n".join(lines)


def _replaced(old: str, new: str) -> str:
    return new if new and new != old else ""


def greeting_of(text: str, person: Persona) -> str:
    """The greeting of a mail, with gaps for the name; braces of its own are no gaps. "" where there is none.

    >>> greeting_of("Hi Ana!", Persona("a", "Ana Ray", "ana@example.org", "professor"))
    'Hi {first}!'
    """
    names = {
        "name": person.name,
        "last": person.name.split()[-1],
        "first": person.name.split()[0],
    }
    for line in map(str.strip, text.splitlines()):
        if not 0 < len(line) <= LONGEST or not line.endswith((",", "!")):
            continue
        gaps = line.replace("{", "(").replace("}", ")")
        for gap, name in names.items():
            gaps = re.sub(rf"\b{re.escape(name)}(?!\w)", f"{{{gap}}}", gaps)
        if gaps != line:
            return gaps
    return ""


def closing_of(text: str, scenario: Scenario) -> str:
    """The line before the organiser's own name at the end; "" where there is none."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    names = (scenario.organiser, scenario.organiser.split()[0])
    signed = [k for k, line in enumerate(lines) if line.rstrip(",.") in names]
    return (
        lines[signed[-1] - 1]
        if signed and signed[-1] and len(lines[signed[-1] - 1]) <= LONGEST
        else ""
    )
