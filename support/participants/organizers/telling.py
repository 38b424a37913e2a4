"""What a rule-based organiser says of the day: the report in the morning, the plan and its reason, the summary."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from support.environments.seminar import rules
from support.environments.seminar.policies import PolicySet
from support.environments.seminar.state import Contact
from support.environments.seminar.views import DayPlan, Desk
from support.environments.seminar.workdays import in_words, working
from support.participants.organizers.flags import adrift
from support.participants.organizers.ways import usable
from support.records.organizing import (
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    ORGANISER,
    THANKS,
    Action,
)

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


def report(desk: Desk) -> str:
    """The morning's report: dates filled and open, what is known of each person, what was not understood."""
    lines = [f"Day {desk.day}, {in_words(desk.today)}."]
    lines += [f"{in_words(slot)}: {_holders(desk, slot)}." for slot in desk.state.slots]
    written = [c for c in desk.state.contacts.values() if c.mails or c.answered]
    lines += [_told(desk, contact) for contact in written]
    if unwritten := [c.name for c in desk.state.contacts.values() if not (c.mails or c.answered)]:
        lines.append(f"Not written to yet: {', '.join(unwritten) if written else 'everybody'}.")
    lines += _strange(desk.policies)
    lines += [f"It is not clear whom this answer concerns, so it goes to nobody: {h.answer}" for h in adrift(desk)]
    return "\n".join(lines)


def _holders(desk: Desk, slot: date) -> str:
    names, seats = desk.state.slots[slot], desk.state.seats
    if not names:
        return "open" if seats == 1 else f"open, {seats} seats"
    left = seats - len(names)
    return f"filled by {', '.join(names)}" if left <= 0 else f"{', '.join(names)}, and {left} of {seats} seats open"


def _told(desk: Desk, contact: Contact) -> str:
    parts = [f"written to on {_days(contact.mails)}"] if contact.mails else ["not written to"]
    quiet = desk.state.days_silent(contact.name)
    if contact.answered:
        parts.append(f"answered last on {_short(max(contact.answered))}")
    if quiet is not None:
        parts.append(f"no answer to the last mail for {quiet} working day{'' if quiet == 1 else 's'}")
    parts += _said(desk, contact)
    return f"{contact.name} ({contact.role}): {'; '.join(parts)}."


def _said(desk: Desk, contact: Contact) -> list[str]:
    said = {
        "has": desk.state.dates_of(contact.name),
        "can do": usable(contact),
        "perhaps": tuple(slot for slot in contact.vague if slot not in contact.cancelled),
        "gave back": contact.cancelled,
    }
    parts = [f"{what} {_days(slots)}" for what, slots in said.items() if slots]
    if contact.declined:
        parts.append("declined")
    if contact.wait_until:
        parts.append(f"not to be asked before {_short(contact.wait_until)}")
    return parts


def _strange(policies: PolicySet) -> list[str]:
    """One line for each policy that is no rule to this organiser."""
    return [
        f"The policy {name!r} is not understood by a rule-based organiser, and not followed: {policies[name].text}"
        for name in policies.unread
    ]


def plan_of(desk: Desk, actions: Sequence[Action], wish: str = "") -> DayPlan:
    """The day's actions as a plan that names everybody concerned, with its reason.

    A wish cannot be followed by rules; the reason says so, and that the plan can be edited instead.
    """
    if not actions:
        text = "Send nothing today."
    else:
        people = {kind: [a.person for a in actions if a.kind == kind] for kind in DOING}
        text = " ".join(f"{DOING[kind]} {', '.join(names)}." for kind, names in people.items() if names)
    unread = "I follow rules and cannot follow a wish: please edit the plan." if wish else ""
    return DayPlan(text, within(WORDS, [unread, *_reasons(desk, actions)]))


def _reasons(desk: Desk, actions: Sequence[Action]) -> list[str]:
    named = list(dict.fromkeys(action.policy for action in actions if action.policy))
    asked = [f"{name!r} asks for {_count(actions, name)}." for name in named]
    free = [action for action in actions if not action.policy]
    if free:
        asked.append(f"{len(free)} of {len(actions)} mails serve the goal without a policy.")
    return asked or [_idle(desk)]


def _count(actions: Sequence[Action], policy: str) -> str:
    kinds = [action.kind.replace("_", "-") for action in actions if action.policy == policy]
    return ", ".join(
        f"{kinds.count(kind)} {kind}{'' if kinds.count(kind) == 1 else 's'}" for kind in dict.fromkeys(kinds)
    )


def _idle(desk: Desk) -> str:
    if not working(desk.today) and any(r.kind == rules.WEEKEND for r in desk.policies.rules.values()):
        return "It is the weekend."
    if not desk.state.open:
        return "Every seat is taken."
    quiet = sum(desk.state.days_silent(c.name) is not None for c in desk.state.waiting())
    return (
        f"Mails to {quiet} of the people without a date may still be answered."
        if quiet
        else "No policy asks for anything."
    )


def in_plan(plan: DayPlan, actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions about people whom a plan names: whoever was struck out of it is left alone.

    Longer names are looked for first, so that one name inside another does not stand for it.
    """
    text, named = plan.text, set[str]()
    for name in sorted({action.person for action in actions}, key=len, reverse=True):
        if name in text:
            named.add(name)
            text = text.replace(name, "")
    return tuple(action for action in actions if action.person in named)


def evening(desk: Desk) -> str:
    """The day in a few sentences."""
    today = [mail for mail in desk.mails if mail.day == desk.day]
    sent = [mail for mail in today if mail.sender == ORGANISER]
    came = list(dict.fromkeys(mail.sender for mail in today if mail.sender != ORGANISER))
    seats = desk.state.seats * len(desk.state.slots)
    filled = sum(len(names) for names in desk.state.slots.values())
    lines = [f"{len(sent)} mail{'' if len(sent) == 1 else 's'} sent, {len(today) - len(sent)} received{_names(came)}."]
    given = [mail.to for mail in sent if mail.kind == CONFIRMATION]
    lines.append(f"{filled} of {seats} seats taken{_names(given, ', today by ')}.")
    quiet = [c.name for c in desk.state.waiting() if c.unanswered]
    if quiet:
        lines.append(f"Without a date and with a mail to answer: {len(quiet)}.")
    return within(WORDS, lines)


def _names(names: Sequence[str], before: str = ", from ") -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{before}{shown}" if names else ""


def within(words: int, sentences: Sequence[str]) -> str:
    """As many whole sentences, from the first, as fit in a number of words; at least one."""
    kept: list[str] = []
    for sentence in (s for s in sentences if s):
        if kept and len(" ".join([*kept, sentence]).split()) > words:
            break
        kept.append(sentence)
    return " ".join(kept)


def _short(day: date) -> str:
    return f"{day.day} {day:%B}"


def _days(slots: Sequence[date]) -> str:
    return ", ".join(_short(slot) for slot in sorted(slots))
