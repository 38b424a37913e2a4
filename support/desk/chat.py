"""The chat: day by day what came in, was asked, planned, decided and sent; the running day at the bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from support.desk.markup import count, fill, on
from support.seminar.records import ACTION, MAIL, PLAN, WAIT, Action, Mail, OrganizingDay
from support.seminar.rules import PolicySet
from support.seminar.views import AGAIN, APPROVE, EDIT, REMOVE

UNFOLDED = 3
"""Days that are shown unfolded, the running one among them; those before are folded to a line."""

ANSWERED = "answer"
DECIDED = {
    APPROVE: ("good", "✓", "approved"),
    EDIT: ("vague", "✎", "changed"),
    AGAIN: ("tentative", "↻", "to be made again"),
    REMOVE: ("amiss", "✕", "removed"),
    ANSWERED: ("good", "✓", "answered"),
    "": ("flag", "…", "waits for a decision"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the person at the desk was shown on the running day, and the decision about it.

    `what` is "plan", "action", "mail" or "flag"; `decision` one of `DECIDED`, "" while it waits; `text` what was shown,
    `after` what it was changed to (of a flag the answer), `wish` how it was to be made again.
    """

    what: str
    about: str
    decision: str
    text: str
    after: str = ""
    wish: str = ""


def chat(
    days: Sequence[OrganizingDay],
    running: OrganizingDay | None,
    policies: PolicySet,
    seats: int = 1,
    steps: Sequence[Step] = (),
) -> str:
    """The history of a run (Figure 3B), the newest at the bottom, the last days and the running one unfolded.

    `running` is what is known of a day that is not over, `steps` what was shown and decided on it so far.
    """
    known = {policy.id: policy.text for policy in policies}
    first = len(days) + (running is not None) - UNFOLDED
    shown = [_finished(day, known, seats, place >= first) for place, day in enumerate(days)]
    now: dict[str, Any] | None = None
    if running is not None:
        asked = {(step.about, step.text) for step in steps if step.what == "flag"}
        unasked = [flag for flag in running.flags if (flag.person, flag.question) not in asked]
        selected = [(name, known.get(name, "")) for name in running.selected]
        now = {"now": running, "when": on(running.date), "selected": selected, "unasked": unasked}
        now["steps"] = [(step, _decided(step)) for step in steps]
    return fill("chat", "chat", shown, now)


def _finished(day: OrganizingDay, known: dict[str, str], seats: int, unfolded: bool) -> dict[str, Any]:
    left, acts = list(day.sent), []
    for action in day.actions:
        mail = next((one for one in left if (one.to, one.kind) == (action.person, action.kind)), None)
        if mail:
            left.remove(mail)
        acts.append(_act(action, mail, day))
    gone = [edit.before for edit in day.edits if edit.what == ACTION and not edit.after]
    selected = [(name, known.get(name, "")) for name in day.selected]
    planned = any(edit.what == PLAN and edit.after for edit in day.edits)
    told = {"day": day, "when": on(day.date), "told": _counts(day, seats), "selected": selected, "planned": planned}
    return told | {"acts": acts, "gone": gone, "loose": left, "open": unfolded}


def _act(action: Action, mail: Mail | None, day: OrganizingDay) -> dict[str, Any]:
    about = [edit for edit in day.edits if edit.about == action.person]
    changed = [what for what in (ACTION, MAIL) if any(edit.what == what and edit.after for edit in about)]
    amiss = ""
    if mail is None and action.kind != WAIT:
        dropped = any(edit.what == MAIL and not edit.after for edit in about)
        amiss = "mail removed at the desk" if dropped else "no mail went out"
    told = {"person": action.person, "goal": action.goal, "policy": action.policy, "waits": action.kind == WAIT}
    slot = on(action.slot) if action.slot else ""
    return told | {"kind": action.kind.replace("_", "-"), "slot": slot, "changed": changed, "amiss": amiss,
                   "mail": mail}  # fmt: skip


def _counts(day: OrganizingDay, seats: int) -> str:
    """The day in a line."""
    counted = {"in": day.received, "out": day.sent}
    told = [f"{len(found)} {word}" for word, found in counted.items() if found]
    told += [count(len(day.flags), "question")] if day.flags else []
    told += [f"{len(day.edits)} changed"] if day.edits else []
    told += [f"{len(day.violations)} broken"] if day.violations else []
    taken = sum(len(names) for _, names in day.assignment)
    return ", ".join([*(told or ["no mail"]), f"{taken} of {seats * len(day.assignment)} seats filled"])


def _decided(step: Step) -> tuple[str, str, str]:
    """Tone, sign and words of the decision about a step."""
    return (
        ("quiet", "–", "left open")
        if step.decision == ANSWERED and not step.after
        else DECIDED.get(step.decision, DECIDED[""])
    )
