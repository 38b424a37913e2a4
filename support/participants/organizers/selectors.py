"""Policy selection by a language model under four contexts (section 4.1 of 002), with a prompt of our own.

In the paper's prompts only the context "summary" prints the list of policies (appendices C.1.2 and D.1.1). A model that
is asked for numbers without the list cannot know what they stand for, so that the printed comparison mixes two things:
what is told of the state, and whether the list is shown. `listed=True` is the control in which every context has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from support.environments.seminar.policies import PolicySet
from support.environments.seminar.state import State
from support.errors import InvalidInput
from support.participants.asking import Asker
from support.participants.organizers.told import LEARNT, quoted, slot_context, speaker_context
from support.prompts import render
from support.seats import Shown

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.model import ChatModel

SPEAKER, SLOT, BOTH, SUMMARY = "speaker", "slot", "both", "summary"
CONTEXTS = (SPEAKER, SLOT, BOTH, SUMMARY)

TEMPERATURE = 1.0
"""That of section 4.1.1, the default of the paper's model."""

REPORT = 4000  # characters of a summary in a prompt
MOST, LARGEST = 12, 99  # numbers in a reply, and the largest where the model does not know how many policies there are


@dataclass(frozen=True, slots=True)
class Selected:
    """What a model selected.

    Attributes
    ----------
    ids : tuple of str
        Of the policies whose numbers it gave, in their order.
    unknown : tuple of int
        Numbers that it gave and no policy has; only possible where the list was not shown.
    tokens : int
    """

    ids: tuple[str, ...]
    unknown: tuple[int, ...] = ()
    tokens: int = 0

    @property
    def answer(self) -> tuple[str, ...]:
        """What is to be scored: a number that stands for nothing is a wrong one.

        >>> Selected(("begin",), (9,)).answer
        ('begin', 'no policy 9')
        """
        return (*self.ids, *(f"no policy {number}" for number in self.unknown))


async def select_with(
    model: ChatModel | str,
    context: str,
    policies: PolicySet,
    known: Mapping[str, str],
    *,
    listed: bool | None = None,
    temperature: float = TEMPERATURE,
    seed: int | None = None,
    repetition: int = 0,
) -> Selected:
    """The policies that a model selects when it is told so much and no more.

    Parameters
    ----------
    context : one of `CONTEXTS`
    known : mapping of context to text
        As `contexts` makes it.
    listed : bool, optional
        Whether the list of policies is shown; by default as in the paper, under "summary" only.
    temperature, seed, repetition
        As for `ChatModel.reply`; the seed is by default the number of the repetition, so that runs differ.

    Raises
    ------
    InvalidInput
        On an unknown context, one without a text, or a list of policies that is to be shown and empty.
    MalformedReply
        When the reply is no list of numbers (of policies, where they are listed), and again after two repairs.
    """
    if context not in CONTEXTS or context not in known:
        raise InvalidInput(
            f"context: {context!r} given; expected one of {', '.join(c for c in CONTEXTS if c in known)}"
        )
    shown = context == SUMMARY if listed is None else listed
    if shown and not len(policies):
        raise InvalidInput("policies: none given; expected at least one to select from")
    own = repetition if seed is None else seed
    asker = Asker(model, temperature=temperature, seed=own, repetition=repetition)
    question = selection_question(context, policies, known[context], asker.shown, listed=shown)
    reply = await asker.ask_model(selection_form(names(policies) if shown else None), ROOM, question)
    return selected(policies, reply.policies, asker.tokens)


def contexts(state: State, summary: str) -> dict[str, str]:
    """The texts of the four contexts: who is pending, which dates are open, both, or a report in prose."""
    speaker, slot = speaker_context(state), slot_context(state)
    return {SPEAKER: speaker, SLOT: slot, BOTH: f"{slot}\n{speaker}", SUMMARY: summary}


def selection_question(
    context: str, policies: PolicySet, text: str, shown: Shown, *, listed: bool, learnt: Sequence[str] = ()
) -> str:
    """What the model is asked; a summary is quoted, since what people wrote may stand in it."""
    return render(
        "organizing/selection",
        report=quoted(text, shown, REPORT) if context == SUMMARY else text[: shown.characters(REPORT)],
        quotes=context == SUMMARY,
        policies=[policy.text for policy in policies] if listed else [],
        learnt=shown.last(learnt, LEARNT, "lessons"),
    )


ROOM = 30 + 4 * MOST  # tokens of a reply: four for a number


@cache
def selection_form(ids: tuple[str, ...] | None) -> type[BaseModel]:
    """{"policies"}: numbers from 1; without ids any up to `LARGEST`, and nothing tells how many there are."""
    from pydantic import AfterValidator, Field, WithJsonSchema, create_model

    if ids is None:
        number: Any = Annotated[int, Field(ge=1, le=LARGEST)]
        return create_model("SelectionReply", policies=(list[number], Field(max_length=MOST)))
    listed = ", ".join(f"{number} ({name})" for number, name in enumerate(ids, 1))

    def known(number: int) -> int:
        if not 1 <= number <= len(ids):
            raise ValueError(f"policy {number} given; expected one of {listed}")
        return number

    schema = WithJsonSchema({"type": "integer", "enum": list(range(1, len(ids) + 1))})
    one = Annotated[int, AfterValidator(known), schema]
    return create_model("SelectionReply", policies=(list[one], Field(max_length=max(len(ids), 1))))


def names(policies: PolicySet) -> tuple[str, ...]:
    """Ids in the order in which policies are numbered."""
    return tuple(policy.id for policy in policies)


def selected(policies: PolicySet, numbers: Sequence[int], tokens: int = 0) -> Selected:
    """Numbers, counted from 1, as policies."""
    ids, given = names(policies), sorted(set(numbers))
    unknown = tuple(number for number in given if number > len(ids))
    return Selected(tuple(ids[number - 1] for number in given if number <= len(ids)), unknown, tokens)
