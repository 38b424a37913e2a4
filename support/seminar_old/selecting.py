"""Policy selection by a language model under four contexts (section 4.1 of 002), with a prompt of our own.

In the paper's prompts only the context "summary" prints the list of policies (appendices C.1.2 and D.1.1). A model that
is asked for numbers without the list cannot know what they stand for, so that the printed comparison mixes two things:
what is told of the state, and whether the list is shown. `listed=True` is the control in which every context has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from support.errors import InvalidInput
from support.seats import Act, ModelSeat, Repeated, Spoken
from support.seminar.data import iso
from support.seminar.forms import MOST, selection_form
from support.seminar.ledger import State
from support.seminar.rules import PolicySet
from support.seminar.told import LEARNT, quoted, reached

if TYPE_CHECKING:
    from support.models.model import ChatModel

SPEAKER, SLOT, BOTH, SUMMARY = "speaker", "slot", "both", "summary"
CONTEXTS = (SPEAKER, SLOT, BOTH, SUMMARY)

TEMPERATURE = 1.0  # that of section 4.1.1, the default of the paper's model
SELECTION = "organizing/selection"
REPORT = 4000  # characters of a summary in a prompt
ROOM = 30 + 4 * MOST  # tokens of a reply: four for a number


def contexts(state: State, summary: str) -> dict[str, str]:
    """The texts of the four contexts: who is pending, which dates are open, both, or a report in prose."""
    pending = [
        f"- {contact.name}: {reached(state, contact)}" for contact in state.waiting()
    ]
    speaker = "\n".join(["Speakers pending:", *(pending or ["- none"])])
    filled = [slot for slot in state.slots if slot not in state.open]
    slot = f"Dates filled: {', '.join(iso(filled)) or 'none'}\nDates open: {', '.join(iso(state.open)) or 'none'}"
    return {SPEAKER: speaker, SLOT: slot, BOTH: f"{slot}\n{speaker}", SUMMARY: summary}


def selection(
    seat: ModelSeat,
    context: str,
    policies: PolicySet,
    text: str,
    listed: bool,
    learnt: Sequence[str] = (),
) -> dict[str, Any]:
    """What the model is told; a summary is quoted, since what people wrote may stand in it."""
    return {
        "report": quoted(text, seat.shown, REPORT)
        if context == SUMMARY
        else text[: seat.shown.characters(REPORT)],
        "quotes": context == SUMMARY,
        "policies": [policy.text for policy in policies] if listed else [],
        "learnt": seat.shown.last(learnt, LEARNT, "lessons"),
    }


def selected(policies: PolicySet, numbers: Sequence[int]) -> tuple[str, ...]:
    """Policies by their numbers from 1; one of no policy, possible where no list was shown, is a wrong answer."""
    ids, given = policies.ids, sorted(set(numbers))
    return tuple(
        ids[number - 1] if number <= len(ids) else f"no policy {number}"
        for number in given
    )


SELECT = Act(
    SELECTION,
    lambda seat, context, policies, text, listed: selection_form(
        policies.ids if listed else None
    ),
    selection,
    lambda seat, reply, context, policies, text, listed: selected(
        policies, reply.policies
    ),
    room=ROOM,
)


async def select_with(
    model: ChatModel | str,
    context: str,
    policies: PolicySet,
    known: Mapping[str, str],
    *,
    listed: bool | None = None,
    temperature: float = TEMPERATURE,
    repetition: int = 0,
) -> tuple[str, ...]:
    """Ids of what a model selects when it is told so much and no more; runs differ by their repetition's seed.

    `known` is made by `contexts`; the list of policies is shown, unless `listed` says so, under "summary" only.
    """
    if context not in CONTEXTS or context not in known:
        ours = ", ".join(one for one in CONTEXTS if one in known)
        raise InvalidInput(f"context: {context!r} given; expected one of {ours}")
    shown = context == SUMMARY if listed is None else listed
    if shown and not len(policies):
        raise InvalidInput("policies: none given; expected at least one to select from")
    spoken = Spoken(temperature=temperature, repetition=repetition)
    seat = Repeated(model, {"select": SELECT}, spoken=spoken)
    found: tuple[str, ...] = await seat.select(context, policies, known[context], shown)
    return found
