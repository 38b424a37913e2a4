"""What a person at the desk was shown on the running day, and what they decided about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from support.boards.pieces import block, chip, folded, said, titled
from support.boards.turns import bubble
from support.seminar.views import AGAIN, APPROVE, EDIT, REMOVE

FLAG, ANSWERED = "flag", "answer"

DECIDED = {
    APPROVE: ("good", "✓", "approved"),
    EDIT: ("vague", "✎", "changed"),
    AGAIN: ("tentative", "↻", "to be made again"),
    REMOVE: ("amiss", "✕", "removed"),
    ANSWERED: ("good", "✓", "answered"),
}
"""Of each decision its tone, its sign and words."""

NOTHING = "<i>nothing was proposed</i>"
OPEN = ("quiet", "–", "left open")
WAITING = ("flag", "…", "waits for a decision")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was shown, and the decision about it.

    Attributes
    ----------
    what : "plan", "action", "mail" or "flag"
    about : str
        The person concerned; "" for a plan.
    decision : "approve", "edit", "again", "remove", "answer", or "" while it waits
    text : str
        What was shown: the plan, the action or the mail in words; of a flag, its question.
    after : str
        What it was changed to; of a flag, the answer.
    wish : str
        What was said when it was to be made again.
    """

    what: str
    about: str
    decision: str
    text: str
    after: str = ""
    wish: str = ""


def steps_to_turns(steps: Iterable[Step]) -> str:
    """What was shown on the left, what was decided on the right, in the order given."""
    return "".join(map(_step, steps))


def _step(step: Step) -> str:
    about = f"{' to' if step.what == 'mail' else ' about'} {said(step.about)}" if step.about else ""
    shown = f"⚑ Asked of the desk,{about}" if step.what == FLAG else f"The {said(step.what)}{about}"
    tone, sign, words = OPEN if step.decision == ANSWERED and not step.after else DECIDED.get(step.decision, WAITING)
    state = chip(tone, sign, words)
    if step.what == FLAG:
        asked = f'<div class="turn flag"><p class="who">{shown} {state}</p>{block(step.text)}</div>'
        return asked + bubble("At the desk: answered", block(step.after), "desk")
    left = bubble(f"{shown} {state}", _shown(step))
    if step.decision == EDIT:
        return left + bubble("At the desk: changed to", block(step.after), "desk")
    if step.decision == AGAIN:
        return left + bubble("At the desk: make it again", block(step.wish) or "<i>no wish was given</i>", "desk")
    return left


def _shown(step: Step) -> str:
    """A mail folded below its first line; anything else as it is."""
    head, _, rest = step.text.partition("\n")
    return (
        folded(titled(head), block(rest.lstrip("\n"))) if step.what == "mail" and rest else block(step.text) or NOTHING
    )
