"""Forms of the replies that are asked of a language model in a seminar: every text and every list is bounded.

What a schema restricts to a list (people, dates, kinds, policies) is checked here, so that a stranger goes back to the
model with the field, the value and the known ones. Room is counted as one token for a character, as for facilitators.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from support.errors import InvalidInput
from support.models.profiles import TIGHT, Limits
from support.seats import form, many, one_of, text
from support.seminar.ledger import State, refusal
from support.seminar.records import ACTIONS, CONFIRMATION, Action

if TYPE_CHECKING:
    from pydantic import BaseModel

# Characters of a tight model's texts; see `Limits.text` for others.
REPORT, PLAN, REASON, CLOSING = 2000, 700, 400, 400
SUBJECT, BODY = 100, 1500
GOAL, SENTENCE, NOTE, FACT = 160, 240, 160, 600
QUESTION, ANSWER = 240, 400
WORDS, ASKED = 60, 40  # words of a reason and of the day's end (about forty are asked for), and of a flag's question
STRANGE = 5  # dates off the programme that are kept of one reply
MOST, LARGEST = 12, 99  # numbers of policies, and the largest where the model does not know how many there are
ANSWERS = ("not said", "can", "perhaps", "cannot", "gives back")
"""What a reply may say of a date; one form for each date, so that none can be possible and impossible at once."""

ISO = "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"


def said(most: int, words: int | None = None) -> Any:
    """A text on one line that is not blank, of so many characters and words at most."""
    from pydantic import AfterValidator

    def short(given: str) -> str:
        if words and len(given.split()) > words:
            raise ValueError(f"{len(given.split())} words given; expected {words} at most")
        return " ".join(given.split())

    return Annotated[_words(most), AfterValidator(short)]


def _words(most: int) -> Any:
    from pydantic import AfterValidator

    def not_blank(given: str) -> str:
        if not given.strip():
            raise ValueError(f"{given!r} given; expected words")
        return given.strip()

    return Annotated[text(most), AfterValidator(not_blank)]


def short(most: int) -> Any:
    """A text that may be empty."""
    from pydantic import Field

    return Annotated[str, Field(max_length=most)]


def report(limits: Limits) -> int:
    """Characters of a report: some words on each of many people."""
    return REPORT if limits.tight else limits.text(4 * REPORT)


def brief(most: int, limits: Limits) -> Any:
    """A reason, or the day's end: words are counted too, unless the limit is told in characters."""
    return said(limits.text(most), WORDS if limits.tight else None)


@cache
def mail_form(slot: str | None, limits: Limits = TIGHT) -> type[BaseModel]:
    """{"subject", "body"}; with a date, the body has to name its day and its month."""
    from pydantic import AfterValidator

    def named(body: str) -> str:
        if slot and not _names(body, date.fromisoformat(slot)):
            raise ValueError(f"body: {slot} is not in it; expected the day and the month in words")
        return body

    return form("MailReply", subject=said(SUBJECT), body=Annotated[_words(limits.text(BODY)), AfterValidator(named)])


@cache
def reading_form(
    slots: tuple[str, ...], today: str, own: tuple[str, ...] = (), limits: Limits = TIGHT
) -> type[BaseModel]:
    """What a reply says: one of `ANSWERS` for each known date, other dates, and what it is about.

    Only dates of the writer's `own` can be given back.
    """
    from pydantic import Field, WithJsonSchema, create_model, model_validator

    def known(given: Any) -> Any:
        if strangers := [key for key in given if key not in slots] if isinstance(given, dict) else []:
            raise ValueError(f"date {strangers[0]!r} given; expected {', '.join(slots)} and no other")
        return given

    def consistent(reply: Any) -> None:
        for day in reply.never_offered:
            _iso("never_offered", day)
        if reply.wait_until is not None and _iso("wait_until", reply.wait_until) <= date.fromisoformat(today):
            raise ValueError(f"wait_until {reply.wait_until!r} given; expected a day after today, {today}, or null")

    free, held = one_of("answer", ANSWERS[:-1]), one_of("answer", ANSWERS)
    fields: Any = {f"slot_{k}": (held if day in own else free, Field(alias=day)) for k, day in enumerate(slots)}
    checks: Any = {"known": model_validator(mode="before")(known)}
    other: Any = Annotated[str, Field(max_length=10), WithJsonSchema({"type": "string", "pattern": ISO})]
    return form(
        "ReadingReply",
        consistent,
        dates=create_model("DatesReply", __validators__=checks, **fields),
        never_offered=many(other, STRANGE),
        declined=bool,
        wait_until=other | None,
        note=short(limits.text(NOTE)),
    )


def sorted_out(reply: Any, slots: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The dates of a reading by what was answered: available, vague, unavailable, cancelled."""
    answers = {slot: getattr(reply.dates, f"slot_{k}") for k, slot in enumerate(slots)}
    return {
        field: tuple(slot for slot in sorted(slots) if answers[slot] == answer)
        for field, answer in zip(("available", "vague", "unavailable", "cancelled"), ANSWERS[1:], strict=True)
    }


def actions_form(state: State, policies: Sequence[str], limits: Limits = TIGHT) -> type[BaseModel]:
    """{"actions"}: at most one for a person; a confirmation gives away a free date, and nothing else has one.

    A model that is not tight gets a form in which no move is illegal, but to give one seat to two people.
    """
    if not limits.tight:
        return _each_form(state, policies, limits)
    people = tuple(state.contacts)
    each: Any = form(
        "ActionReply",
        kind=one_of("kind", ACTIONS),
        person=one_of("person", people),
        goal=short(limits.text(GOAL)),
        slot=one_of("slot", [slot.isoformat() for slot in state.slots]) | None,
        policy=one_of("policy", ("", *policies)),
    )
    return form("ActionsReply", lambda reply: check_actions(state, reply.actions), actions=many(each, len(people)))


def _each_form(state: State, policies: Sequence[str], limits: Limits) -> type[BaseModel]:
    """{"actions"}: an action or null for each person; a confirmation, where there is a date that they can be given."""
    from pydantic import Field, create_model, model_validator

    said = {"goal": short(limits.text(GOAL)), "policy": one_of("policy", ("", *policies))}
    mail = form("Mail", kind=Literal[tuple(kind for kind in ACTIONS if kind != CONFIRMATION)], **said)

    def shape(name: str) -> Any:
        slots = [
            s.isoformat() for s in state.slots if not refusal(state, Action(CONFIRMATION, name, slot=s.isoformat()))
        ]
        gives = form("Confirmation", kind=Literal["confirmation"], slot=one_of("slot", slots), **said)
        return gives | mail | None if slots else mail | None

    def known(given: Any) -> Any:
        if strangers := [key for key in given if key not in state.contacts] if isinstance(given, dict) else []:
            raise ValueError(f"person {strangers[0]!r} given; expected {', '.join(state.contacts)} and no other")
        return given

    people: Any = {f"person_{k}": (shape(name), Field(alias=name)) for k, name in enumerate(state.contacts)}
    checks: Any = {"known": model_validator(mode="before")(known)}
    each = create_model("EachReply", __validators__=checks, **people)
    return form("ActionsReply", lambda reply: check_actions(state, acted(state, reply)), actions=each)


def acted(state: State, reply: Any) -> tuple[Action, ...]:
    """The actions of a reply, of either form."""
    if isinstance(reply.actions, list):
        return tuple(Action(a.kind, a.person, " ".join(a.goal.split()), a.slot, a.policy) for a in reply.actions)
    each = ((name, getattr(reply.actions, f"person_{k}")) for k, name in enumerate(state.contacts))
    return tuple(
        Action(a.kind, name, " ".join(a.goal.split()), getattr(a, "slot", None), a.policy) for name, a in each if a
    )


def check_actions(state: State, actions: Sequence[Any]) -> None:
    """Refuse what a schema cannot: two actions for one person, a date without a confirmation, a seat given twice.

    Raises ValueError with the person, the value and what was expected; it goes back to the model.
    """
    met: set[str] = set()
    taken = {slot.isoformat(): set(names) for slot, names in state.slots.items()}
    for action in actions:
        if action.person in met:
            raise ValueError(f"person {action.person!r} given twice; expected at most one action for each")
        met.add(action.person)
        gives = action.kind == CONFIRMATION
        if gives != (action.slot is not None):
            expected = "the date that they get" if gives else "null, only a confirmation gives one"
            raise ValueError(f"slot {action.slot!r} given in the {action.kind} to {action.person}; expected {expected}")
        if action.slot is not None:
            taken[action.slot].add(action.person)
            if len(taken[action.slot]) > state.seats:
                free = ", ".join(slot.isoformat() for slot in state.open) or "no date, all are taken"
                raise ValueError(f"slot {action.slot!r} given to {action.person} is taken; open: {free}")


@cache
def selection_form(ids: tuple[str, ...] | None) -> type[BaseModel]:
    """{"policies"}: numbers from 1; without ids any up to `LARGEST`, and nothing tells how many there are."""
    from pydantic import AfterValidator, Field, WithJsonSchema

    if ids is None:
        return form("SelectionReply", policies=many(Annotated[int, Field(ge=1, le=LARGEST)], MOST))
    listed = ", ".join(f"{number} ({name})" for number, name in enumerate(ids, 1))

    def known(number: int) -> int:
        if not 1 <= number <= len(ids):
            raise ValueError(f"policy {number} given; expected one of {listed}")
        return number

    schema = WithJsonSchema({"type": "integer", "enum": list(range(1, len(ids) + 1))})
    return form("SelectionReply", policies=many(Annotated[int, AfterValidator(known), schema], max(len(ids), 1)))


@cache
def verdict_form(asks: bool, most: int = QUESTION) -> type[BaseModel]:
    """{"verdict"}, or with `asks` {"verdict", "question"}: a flag has a question, what is clear has none to keep."""

    def answerable(reply: Any) -> None:
        if reply.verdict == "flag":
            reply.question = checked_question(reply.question)

    verdict: Any = Literal["clear", "flag"]
    if not asks:
        return form("VerdictReply", verdict=verdict)
    return form("VerdictReply", answerable, verdict=verdict, question=short(most))


def checked_question(given: str) -> str:
    """A question on one line, one sentence or two, at most forty words; InvalidInput says what it lacks.

    >>> checked_question("He asks for two nights.  Shall we pay both?")
    'He asks for two nights. Shall we pay both?'
    """
    words = given.split()
    if not words or len(words) > ASKED or not words[-1].endswith("?"):
        raise InvalidInput(f"question: {len(words)} words given; expected 1 to {ASKED} that end in a question mark")
    return " ".join(words)


@cache
def answer_form(known: tuple[int, ...], longest: int, most: int) -> type[BaseModel]:
    """{"answer", "mails"}: the mails that the answer rests on are in the log."""
    from pydantic import BaseModel, ConfigDict, Field, field_validator

    class AnswerReply(BaseModel):
        """An answer and the mails that it rests on."""

        model_config = ConfigDict(extra="forbid")
        answer: str = Field(min_length=1, max_length=longest)
        mails: list[int] = Field(max_length=most)

        @field_validator("mails")
        @classmethod
        def _in_the_log(cls, given: list[int]) -> list[int]:
            if strange := [number for number in given if number not in known]:
                raise ValueError(f"mails: {strange[0]} given; expected numbers of mails in the log, or an empty list")
            return given

    return AnswerReply


def _iso(field: str, given: str) -> date:
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise ValueError(f"{field} {given!r} given; expected a date such as 2027-09-15") from None


def _names(body: str, slot: date) -> bool:
    words = body.casefold().replace(",", " ").replace(".", " ").split()
    day = {str(slot.day), f"{slot.day:02d}", *(f"{slot.day}{end}" for end in ("st", "nd", "rd", "th"))}
    return bool(day & set(words)) and any(word.startswith(f"{slot:%b}".casefold()) for word in words)
