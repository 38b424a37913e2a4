"""The language-model respondent: one question for each section, in a conversation that remembers the earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from support.errors import InvalidInput
from support.instruments import Instrument, Item, Section, cells_of
from support.participants.respondents.personas import Persona
from support.participants.respondents.protocol import Filled, passed
from support.participants.seating import MODEL, given_model
from support.prompts import render

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.model import ChatModel

TEXT = 300
"""Characters of a tight model's free text; others, and people, have more."""
TOKENS = {"text": 110, "multiple": 40}
EACH, FRAME = 20, 40


class ModelRespondent:
    """A language model that fills in an instrument.

    Parameters
    ----------
    model : ChatModel or str
        From `support.models.connect`, or a model's name.
    persona : Persona
        Its traits are told to the model in words; a model with none at temperature 0 answers alike each time.
    temperature, seed, repetition
        As for `ChatModel.reply`; `repetition` tells respondents apart in the cache.
    """

    def __init__(
        self,
        model: ChatModel | str,
        persona: Persona | None = None,
        *,
        temperature: float = 0.7,
        seed: int | None = None,
        repetition: int = 0,
    ) -> None:
        self.model, self.persona = given_model(MODEL, model, "the respondent"), persona or Persona()
        self.settings: dict[str, Any] = {"temperature": temperature, "seed": seed, "repetition": repetition}
        self.source = f"simulated: {self.model.name}"

    async def fill(self, instrument: Instrument, group: str) -> Filled:
        """Answer every item from the perspective of a group, section by section.

        Raises
        ------
        ModelError
            When a reply does not come, or does not fit its section even after the repairs.
        """
        instrument.check_group(group)
        filled, limits = passed(instrument), self.model.limits
        longest = limits.text(TEXT)
        messages = [{"role": "system", "content": briefing(instrument, group, self.persona)}]
        for section in instrument.asked:
            messages.append({"role": "user", "content": questions(instrument, section, group, longest)})
            asked: dict[str, Any] = {"schema": section_schema(section, longest), **self.settings}
            reply = await self.model.reply(messages, max_tokens=limits.room(room(section)), **asked)
            messages.append({"role": "assistant", "content": reply.value.model_dump_json()})
            filled |= reply.value.model_dump()
        return filled


def briefing(instrument: Instrument, group: str, persona: Persona) -> str:
    """What the model is told first: what it takes part in, whose part it takes, and what it is like."""
    scenario = instrument.scenario
    return render(
        "survey/respondent",
        title=instrument.title,
        member=scenario.member(group).name if scenario else "",
        leniency=persona.leniency,
        acquiescence=persona.acquiescence,
        attention=persona.attention,
        best=persona.best,
    )


def questions(instrument: Instrument, section: Section, group: str, longest: int = TEXT) -> str:
    """A section as the model reads it: what it shows of the scenario, and its items with their choices."""
    scenario, shows = instrument.scenario, section.shows
    members = scenario.members if scenario and "all wishes" in shows else ()
    if scenario and "own wishes" in shows:
        members = (scenario.member(group),)
    return render(
        "survey/section",
        title=section.title,
        text=instrument.wording(section.text, group),
        invitation=scenario.invitation if scenario and "invitation" in shows else "",
        members=members,
        options=scenario.options if scenario and "options" in shows else (),
        names={member.group: member.name for member in scenario.members} if scenario else {},
        items=[(item, instrument.wording(item.text, group)) for item in section.items],
        longest=longest,
    )


def section_schema(section: Section, longest: int = TEXT) -> type[BaseModel]:
    """The form of a reply to a section: a field for each item, every string and list bounded."""
    from pydantic import create_model

    fields: dict[str, Any] = {item.id: (_type(item, longest), ...) for item in section.items}
    return create_model("Answers", **fields)


def room(section: Section) -> int:
    """Tokens that a reply to a section may take."""
    return FRAME + sum(EACH + TOKENS.get(item.kind, 0) for item in section.items)


def _type(item: Item, longest: int) -> Any:
    from typing import Annotated

    from pydantic import AfterValidator, Field

    # Grammars hold a reply to types and lengths; what they cannot say goes back to the model as a complaint.
    fits = AfterValidator(lambda value: _fitting(item, value))
    if item.kind == "text":
        return Annotated[str, Field(min_length=int(item.required), max_length=longest), fits]
    if item.kind == "number":
        return Annotated[float, Field(ge=item.low, le=item.high), fits]
    one = Literal[tuple(choice.value for choice in item.choices)]  # type: ignore[valid-type]
    return Annotated[list[one], Field(max_length=len(item.choices)), fits] if item.kind == "multiple" else one  # type: ignore[valid-type]


def _fitting(item: Item, value: Any) -> Any:
    if item.kind == "multiple":
        value = list(dict.fromkeys(value))  # a box that is ticked twice is ticked
    cells = list(cells_of(item, value))
    if item.required and not cells:
        raise InvalidInput(f"{item.id}: nothing given; expected an answer")
    return value
