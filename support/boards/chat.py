"""The chat: day by day what came in, was asked, planned, decided and sent; the running day at the bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from support.boards.pieces import board, chip, count, folded
from support.boards.steps import Step, steps_to_turns
from support.boards.turns import chips, done, edits, flags, progress, received, turn
from support.seminar.data import in_words
from support.seminar.records import PLAN, Flag, Mail, OrganizingDay
from support.seminar.rules import PolicySet

UNFOLDED = 3
"""Days that are shown unfolded, the running one among them; those before are folded to a line."""

__all__ = ["Running", "Step", "chat_to_html"]


@dataclass(frozen=True, slots=True)
class Running:
    """What is known of a day that is not over.

    Attributes
    ----------
    number, date : int and str
        The day of the run from 1, and the date as ISO text.
    received, flags, progress, selected
        As in `OrganizingDay`, as far as the day has come.
    steps : tuple of Step
        What the person at the desk was shown and decided so far, in its order.
    """

    number: int
    date: str
    received: tuple[Mail, ...] = ()
    flags: tuple[Flag, ...] = ()
    progress: str = ""
    selected: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


def chat_to_html(days: Sequence[OrganizingDay], running: Running | None, policies: PolicySet, seats: int = 1) -> str:
    """The history of a run (Figure 3B), the newest at the bottom.

    Parameters
    ----------
    days : sequence of OrganizingDay
        The finished days, in their order.
    running : Running, optional
        The day that is being played.
    policies : PolicySet
        All that counted; those selected on a day are shown by their ids.
    seats : int
        Of each date.
    """
    first = len(days) + (running is not None) - UNFOLDED
    shown = [_finished(day, policies, seats, place >= first) for place, day in enumerate(days)]
    if running is not None:
        shown.append(_running(running, policies))
    return board("chat", "".join(shown) or "<p>No day was played yet.</p>", "Chat")


def _finished(day: OrganizingDay, policies: PolicySet, seats: int, unfolded: bool) -> str:
    changed = any(edit.what == PLAN and edit.after for edit in day.edits)
    head = f"The organiser’s plan {chip('vague', '✎', 'changed at the desk') if changed else ''}"
    plan = turn(head, [day.plan], quiet=day.reason) if day.plan else ""
    parts = [
        received(day.received), flags(day.flags), progress(day.progress), chips(policies, day.selected), plan,
        done(day), edits(day.edits), _amiss(day), turn("In the evening", [day.summary], "evening"),
    ]  # fmt: skip
    return _day(day.number, day.date, _counts(day, seats), "".join(parts), unfolded)


def _running(running: Running, policies: PolicySet) -> str:
    asked = {(step.about, step.text) for step in running.steps if step.what == "flag"}
    unasked = [flag for flag in running.flags if (flag.person, flag.question) not in asked]
    parts = [
        received(running.received), flags(unasked, open_word="not answered yet"), progress(running.progress),
        chips(policies, running.selected), steps_to_turns(running.steps),
    ]  # fmt: skip
    return _day(running.number, running.date, chip("given", "▸", "in progress"), "".join(parts), True, "day running")


def _day(number: int, when: str, told: str, content: str, unfolded: bool, look: str = "day") -> str:
    head = f"<b>Day {number}</b>, {in_words(date.fromisoformat(when))}: {told}"
    return folded(head, f'<div class="turns">{content or "<p>Nothing yet.</p>"}</div>', look, unfolded)


def _counts(day: OrganizingDay, seats: int) -> str:
    """The day in a line."""
    taken = sum(len(names) for _, names in day.assignment)
    told = [f"{len(day.received)} in"] if day.received else []
    told += [f"{len(day.sent)} out"] if day.sent else []
    told += [count(len(day.flags), "question")] if day.flags else []
    told += [f"{len(day.edits)} changed"] if day.edits else []
    told += [f"{len(day.violations)} broken"] if day.violations else []
    quiet = [] if told else ["no mail"]
    return ", ".join([*quiet, *told, f"{taken} of {seats * len(day.assignment)} seats filled"])


def _amiss(day: OrganizingDay) -> str:
    misfits = [f"{error.agent}, {error.phase}: {error.detail}" for error in day.format_errors]
    return turn("Policies broken", day.violations, "amiss") + turn("Replies that did not fit", misfits, "amiss")
