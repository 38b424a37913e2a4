"""Forms of the replies that facilitators and members ask of a language model: every text and every list is bounded.

Room for a reply is counted as one token for a character, since what a small model repeats takes as much; a longer limit
costs nothing where the reply ends by itself.

What a schema restricts to a list (names, starts) is checked here, so that a reply with a stranger goes back to the
model with the field, the value and what was expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from support.environments.meetings.satisfaction import HIGHEST
from support.models.profiles import TIGHT

if TYPE_CHECKING:
    from pydantic import BaseModel

# What a tight model is given; others have more.
TEXT, OPENING = TIGHT.message, 700  # characters of a turn, and of a turn that lists the options
NOTE, NOTES = 120, 8  # characters of a restated preference, and how many
REASON, REASONS = 120, 4  # characters of a reason for an option, and how many
JUDGEMENTS = 2  # reasons for a score
SHOWN = 6  # starts that a complaint lists


@cache
def text_form(most: int = TEXT) -> type[BaseModel]:
    """{"text"}: something said, not blank."""
    from pydantic import create_model

    return create_model("TextReply", text=(_said(most), ...))


@cache
def remark_form(most: int = TEXT) -> type[BaseModel]:
    """{"text", "done"}: what an interviewer says, and whether the conversation ends with it."""
    from pydantic import create_model

    return create_model("RemarkReply", text=(_said(most), ...), done=(bool, ...))


@cache
def intent_form(ids: tuple[str, ...], most: int = NOTE, notes: int = NOTES) -> type[BaseModel]:
    """{"preferences", "agreed"}: notes, and one of the options or null; without options {"preferences"}."""
    from pydantic import create_model

    fields: dict[str, Any] = {"preferences": _list(_said(most), notes)}
    if ids:
        fields["agreed"] = (_one_of("option", ids) | None, ...)
    return create_model("IntentReply", **fields)


@cache
def options_form(members: tuple[str, ...], starts: tuple[str, ...], k: int, most: int = REASON) -> type[BaseModel]:
    """{"options"}: one to k options, each with a start of its own."""
    from pydantic import create_model

    options = _list(_option(members, starts, most), k, at_least=1)
    return create_model("OptionsReply", __validators__=_each_once("options"), options=options)


@cache
def revision_form(
    members: tuple[str, ...], starts: tuple[str, ...], others: int, most: int = REASON
) -> type[BaseModel]:
    """{"candidate", "others"}: for whom the candidate works and why, and so many other options at most."""
    from pydantic import create_model

    kept = create_model("CandidateReply", **_claims(members, most))
    rest = _list(_option(members, starts, most), others)
    return create_model("RevisionReply", __validators__=_each_once("others"), candidate=(kept, ...), others=rest)


@cache
def scores_form(members: tuple[str, ...], lowest: int, most: int = REASON) -> type[BaseModel]:
    """One entry for each member, by name: {"reasons", "score"}, the score from `lowest` to 3."""
    from pydantic import Field, create_model

    judged = create_model(
        "Judged",
        reasons=_list(_said(most), JUDGEMENTS),
        score=(int, Field(ge=lowest, le=HIGHEST)),
    )
    fields: dict[str, Any] = {f"member_{i}": (judged, Field(alias=name)) for i, name in enumerate(members)}
    return create_model("ScoresReply", **fields)


def _option(members: tuple[str, ...], starts: tuple[str, ...], most: int) -> type[BaseModel]:
    from pydantic import create_model

    fields: dict[str, Any] = {"start": (_one_of("start", starts), ...), **_claims(members, most)}
    return create_model("OptionReply", **fields)


def _claims(members: tuple[str, ...], most: int) -> dict[str, Any]:
    return {"members": _list(_one_of("member", members), len(members)), "reasons": _list(_said(most), REASONS)}


def _list(item: Any, most: int, at_least: int = 0) -> Any:
    """A field that holds a bounded list."""
    from pydantic import Field

    return list[item], Field(min_length=at_least, max_length=most)


def _said(most: int) -> Any:
    """A text of so many characters at most that is not blank."""
    from pydantic import AfterValidator, Field

    return Annotated[str, Field(min_length=1, max_length=most), AfterValidator(_not_blank)]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError(f"{text!r} given; expected words")
    return " ".join(text.split())


def _one_of(what: str, allowed: Sequence[str]) -> Any:
    """One of some texts: the schema lists them, the complaint names what was given."""
    from pydantic import AfterValidator, WithJsonSchema

    listed = ", ".join(allowed[:SHOWN]) + (f" … ({len(allowed)} in all)" if len(allowed) > SHOWN else "")

    def known(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"{what} {value!r} given; expected one of {listed}")
        return value

    return Annotated[str, AfterValidator(known), WithJsonSchema({"type": "string", "enum": list(allowed)})]


def _each_once(field: str) -> dict[str, Any]:
    """What a JSON schema cannot say: no two options begin at the same time."""
    from pydantic import model_validator

    def apart(self: Any) -> Any:
        starts = [option.start for option in getattr(self, field)]
        if twice := next((start for start in starts if starts.count(start) > 1), None):
            raise ValueError(f"{field}: start {twice!r} given twice; expected another start for each option")
        return self

    return {"apart": model_validator(mode="after")(apart)}
