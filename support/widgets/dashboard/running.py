"""The running day as the chat shows it, out of the journal: what was shown at the desk, and what was decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from support.boards.chat import Running
from support.boards.steps import ANSWERED, Step
from support.seats import Question
from support.seminar.records import ACTION, MAIL, ORGANISER, PLAN, Action, Flag
from support.seminar.reviewing import FLAG
from support.seminar.views import DayPlan, Desk, Draft, Review
from support.seminars.journal import Entry
from support.seminars.remembering import KINDS, from_text

REVIEWER, ORGANIZER = "reviewer", "organizer"


def running_day(entries: Iterable[Entry], desk: Desk, day: int, question: Question | None = None) -> Running:
    """What is known of a day that is not over.

    Parameters
    ----------
    entries : iterable of Entry
        The journal.
    desk : Desk
        As it is now.
    day : int
    question : Question, optional
        What waits for a decision.
    """
    today = [entry for entry in entries if entry.day == day and entry.answer is not None]
    steps = [step for entry in today if entry.role == REVIEWER for step in [_decided(entry)]]
    steps += [_step(question.phase, question.view.item, question.view.about)] if question else []
    came = tuple(mail for mail in desk.mails if mail.day == day and mail.sender != ORGANISER)
    said = {entry.step: entry.answer or "" for entry in today if entry.role == ORGANIZER}
    return Running(
        day,
        desk.today.isoformat(),
        came,
        progress=from_text(str, said["progress"]) if "progress" in said else "",
        selected=chosen(today, day),
        steps=tuple(steps),
    )


def chosen(entries: Iterable[Entry], day: int) -> tuple[str, ...]:
    """The policies that the organiser selected on a day; none before it did."""
    found = [e.answer for e in entries if (e.day, e.role, e.step) == (day, ORGANIZER, "select") and e.answer]
    return from_text(tuple[str, ...], found[-1]) if found else ()


def _decided(entry: Entry) -> Step:
    """A line of the journal as a step."""
    if entry.step == "decide":
        flag: Flag = from_text(Flag, entry.asked)
        answer = from_text(str, entry.answer or "")
        return _step(FLAG, flag, flag.person, ANSWERED, answer or "(left open)")
    what, _, about = entry.about.partition(" ")
    review: Review = from_text(Review, entry.answer or "")
    after = in_words(review.edited) if review.edited is not None else ""
    return _step(what, from_text(KINDS[what], entry.asked), about, review.decision, after, review.wish)


def _step(what: str, item: Any, about: str, decision: str = "", after: str = "", wish: str = "") -> Step:
    return Step(_name(what), about, decision, in_words(item), after, wish)


def _name(what: str) -> Any:
    return what if what in (PLAN, ACTION, MAIL) else FLAG


def in_words(item: DayPlan | Action | Draft | Flag) -> str:
    """A plan, an action, a mail or a question as a text.

    >>> in_words(Action("follow_up", "Ana Ray", "get an answer"))
    'follow-up to Ana Ray: get an answer'
    """
    if isinstance(item, DayPlan):
        return f"{item.text}\n{item.reason}".strip()
    if isinstance(item, Draft):
        return f"{item.subject}\n\n{item.body}"
    if isinstance(item, Flag):
        return item.question
    slot = f", {item.slot}" if item.slot else ""
    goal = f": {item.goal}" if item.goal else ""
    return f"{item.kind.replace('_', '-')} to {item.person}{slot}{goal}"
