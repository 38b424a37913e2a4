"""Forms of the replies that are asked of a language model in a seminar: every text and every list is bounded.

What a schema restricts to a list (people, dates, kinds, policies) is checked here, so that a stranger goes back to the
model with the field, the value and the known ones. Room is counted as one token for a character, as for facilitators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    WithJsonSchema,
    create_model,
    model_validator,
)

from support.errors import InvalidInput
from support.models.profiles import Limits
from support.seats import form, many, one_of, text
from support.seminar.ledger import State, refusal
from support.seminar.records import ACTIONS, CONFIRMATION, Action

# Characters of a tight model's texts; see `Limits.text` for others.
REPORT, PLAN, REASON, CLOSING = 2000, 700, 400, 400
SUBJECT, BODY = 100, 1500
GOAL, SENTENCE, NOTE, FACT = 160, 240, 160, 600
QUESTION, ANSWER = 240, 400
WORDS, ASKED = (
    60,
    40,
)  # words of a reason and of the day's end (about forty are asked for), and of a flag's question
STRANGE = 5  # dates off the programme that are kept of one reply
MOST, LARGEST = (
    12,
    99,
)  # numbers of policies, and the largest where the model does not know how many there are
# what a reply may say of a date; one for each date, so that none can be possible and impossible at once
ANSWERS = ("not said", "can", "perhaps", "cannot", "gives back")

ISO = "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"


def said(most: int, words: int | None = None) -> Any:
    """A text on one line that is not blank, of so many characters and words at most."""

    def fitting(given: str) -> str:
        if not given.strip():
            raise ValueError(f"{given!r} given; expected words")
        if words and len(given.split()) > words:
            raise ValueError(
                f"{len(given.split())} words given; expected {words} at most"
            )
        return " ".join(given.split())

    return Annotated[text(most), AfterValidator(fitting)]


def report(limits: Limits) -> int:
    """Characters of a report: some words on each of many people."""
    return REPORT if limits.tight else limits.text(4 * REPORT)


def brief(most: int, limits: Limits) -> Any:
    """A reason, or the day's end: words are counted too, unless the limit is told in characters."""
    return said(limits.text(most), WORDS if limits.tight else None)


def _each(name: str, what: str, kinds: Mapping[str, Any], stem: str) -> Any:
    """A form with an entry of its kind under each key; a key that there is not is a stranger."""

    def known(given: Any) -> Any:
        if (
            strangers := [key for key in given if key not in kinds]
            if isinstance(given, dict)
            else []
        ):
            raise ValueError(
                f"{what} {strangers[0]!r} given; expected {', '.join(kinds)} and no other"
            )
        return given

    fields: Any = {
        f"{stem}_{k}": (kind, Field(alias=key))
        for k, (key, kind) in enumerate(kinds.items())
    }
    checks: Any = {"known": model_validator(mode="before")(known)}
    return create_model(name, __validators__=checks, **fields)


@cache
def mail_form(slot: str | None, limits: Limits) -> type[BaseModel]:
    """{"subject", "body"}; with a date, the body has to name its day and its month."""

    def named(body: str) -> str:
        if not body.strip():
            raise ValueError(f"{body!r} given; expected words")
        if slot and not _names(body, date.fromisoformat(slot)):
            raise ValueError(
                f"body: {slot} is not in it; expected the day and the month in words"
            )
        return body.strip()

    return form(
        "MailReply",
        subject=said(SUBJECT),
        body=Annotated[text(limits.text(BODY)), AfterValidator(named)],
    )


def _names(body: str, slot: date) -> bool:
    words = body.casefold().replace(",", " ").replace(".", " ").split()
    day = {
        str(slot.day),
        f"{slot.day:02d}",
        *(f"{slot.day}{end}" for end in ("st", "nd", "rd", "th")),
    }
    return bool(day & set(words)) and any(
        word.startswith(f"{slot:%b}".casefold()) for word in words
    )


@cache
def reading_form(
    slots: tuple[str, ...], today: str, own: tuple[str, ...], limits: Limits
) -> type[BaseModel]:
    """What a reply says: one of `ANSWERS` for each known date (only `own` ones can be given back), and others."""

    def parsed(field: str, given: str) -> date:
        try:
            return date.fromisoformat(given)
        except ValueError:
            raise ValueError(
                f"{field} {given!r} given; expected a date such as 2027-09-15"
            ) from None

    def consistent(reply: Any) -> None:
        for day in reply.never_offered:
            parsed("never_offered", day)
        if reply.wait_until is not None and parsed(
            "wait_until", reply.wait_until
        ) <= date.fromisoformat(today):
            raise ValueError(
                f"wait_until {reply.wait_until!r} given; expected a day after today, {today}, or null"
            )

    free, held = one_of("answer", ANSWERS[:-1]), one_of("answer", ANSWERS)
    other: Any = Annotated[
        str, Field(max_length=10), WithJsonSchema({"type": "string", "pattern": ISO})
    ]
    return form(
        "ReadingReply",
        consistent,
        dates=_each(
            "DatesReply",
            "date",
            {slot: held if slot in own else free for slot in slots},
            "slot",
        ),
        never_offered=many(other, STRANGE),
        declined=bool,
        wait_until=other | None,
        note=text(limits.text(NOTE), 0),
    )


def sorted_out(reply: Any, slots: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The dates of a reading by what was answered: available, vague, unavailable, cancelled."""
    answers = {slot: getattr(reply.dates, f"slot_{k}") for k, slot in enumerate(slots)}
    return {
        field: tuple(slot for slot in sorted(slots) if answers[slot] == answer)
        for field, answer in zip(
            ("available", "vague", "unavailable", "cancelled"), ANSWERS[1:], strict=True
        )
    }


def actions_form(
    state: State, policies: Sequence[str], limits: Limits
) -> type[BaseModel]:
    """{"actions"}: at most one for a person; a confirmation gives away a free date, and nothing else has one.

    A model that is not tight gets, for each person, an action or null, and a confirmation only where there is a date
    that they can be given: no move is illegal, but to give one seat to two people.
    """
    goes = {
        "goal": text(limits.text(GOAL), 0),
        "policy": one_of("policy", ("", *policies)),
    }
    if limits.tight:
        slot = one_of("slot", [slot.isoformat() for slot in state.slots]) | None
        kind, person = one_of("kind", ACTIONS), one_of("person", tuple(state.contacts))
        each: Any = form(
            "ActionReply",
            kind=kind,
            person=person,
            goal=goes["goal"],
            slot=slot,
            policy=goes["policy"],
        )
        actions = many(each, len(state.contacts))
        return form(
            "ActionsReply",
            lambda reply: check_actions(state, reply.actions),
            actions=actions,
        )
    mail = form(
        "Mail",
        kind=Literal[tuple(kind for kind in ACTIONS if kind != CONFIRMATION)],
        **goes,
    )

    def shape(name: str) -> Any:
        possible = [slot.isoformat() for slot in state.slots]
        slots = [
            slot
            for slot in possible
            if not refusal(state, Action(CONFIRMATION, name, slot=slot))
        ]
        gives = form(
            "Confirmation",
            kind=Literal["confirmation"],
            slot=one_of("slot", slots),
            **goes,
        )
        return gives | mail | None if slots else mail | None

    people = _each(
        "EachReply", "person", {name: shape(name) for name in state.contacts}, "person"
    )
    return form(
        "ActionsReply",
        lambda reply: check_actions(state, acted(state, reply)),
        actions=people,
    )


def acted(state: State, reply: Any) -> tuple[Action, ...]:
    """The actions of a reply, of either form."""
    if isinstance(reply.actions, list):
        given = [(action.person, action) for action in reply.actions]
    else:
        given = [
            (name, getattr(reply.actions, f"person_{k}"))
            for k, name in enumerate(state.contacts)
        ]
    return tuple(
        Action(
            a.kind, name, " ".join(a.goal.split()), getattr(a, "slot", None), a.policy
        )
        for name, a in given
        if a
    )


def check_actions(state: State, actions: Sequence[Any]) -> None:
    """Refuse what a schema cannot: two actions for one person, a date without a confirmation, a seat given twice."""
    met: set[str] = set()
    taken = {slot.isoformat(): set(names) for slot, names in state.slots.items()}
    for action in actions:
        if action.person in met:
            raise ValueError(
                f"person {action.person!r} given twice; expected at most one action for each"
            )
        met.add(action.person)
        gives = action.kind == CONFIRMATION
        if gives != (action.slot is not None):
            expected = (
                "the date that they get"
                if gives
                else "null, only a confirmation gives one"
            )
            raise ValueError(
                f"slot {action.slot!r} given in the {action.kind} to {action.person}; expected {expected}"
            )
        if action.slot is not None:
            taken[action.slot].add(action.person)
            if len(taken[action.slot]) > state.seats:
                free = (
                    ", ".join(slot.isoformat() for slot in state.open)
                    or "no date, all are taken"
                )
                raise ValueError(
                    f"slot {action.slot!r} given to {action.person} is taken; open: {free}"
                )


@cache
def selection_form(ids: tuple[str, ...] | None) -> type[BaseModel]:
    """{"policies"}: numbers from 1; without ids any up to `LARGEST`, and nothing tells how many there are."""
    if ids is None:
        return form(
            "SelectionReply",
            policies=many(Annotated[int, Field(ge=1, le=LARGEST)], MOST),
        )
    listed = ", ".join(f"{number} ({name})" for number, name in enumerate(ids, 1))

    def known(number: int) -> int:
        if not 1 <= number <= len(ids):
            raise ValueError(f"policy {number} given; expected one of {listed}")
        return number

    schema = WithJsonSchema({"type": "integer", "enum": list(range(1, len(ids) + 1))})
    return form(
        "SelectionReply",
        policies=many(Annotated[int, AfterValidator(known), schema], max(len(ids), 1)),
    )


@cache
def verdict_form(asks: bool, most: int) -> type[BaseModel]:
    """{"verdict"}, or with `asks` {"verdict", "question"}: a flag has a question, what is clear has none to keep."""

    def answerable(reply: Any) -> None:
        if reply.verdict == "flag":
            reply.question = checked_question(reply.question)

    more = {"question": text(most, 0)} if asks else {}
    return form(
        "VerdictReply",
        answerable if asks else None,
        verdict=Literal["clear", "flag"],
        **more,
    )


def checked_question(given: str) -> str:
    """A question on one line, one sentence or two, at most forty words; InvalidInput says what it lacks."""
    words = given.split()
    if not words or len(words) > ASKED or not words[-1].endswith("?"):
        raise InvalidInput(
            f"question: {len(words)} words given; expected 1 to {ASKED} that end in a question mark"
        )
    return " ".join(words)


@cache
def answer_form(known: tuple[int, ...], longest: int, most: int) -> type[BaseModel]:
    """{"answer", "mails"}: the mails that the answer rests on are in the log."""

    def in_the_log(given: list[int]) -> list[int]:
        if strange := [number for number in given if number not in known]:
            raise ValueError(
                f"mails: {strange[0]} given; expected numbers of mails in the log, or an empty list"
            )
        return given

    mails: Any = Annotated[
        list[int], Field(max_length=most), AfterValidator(in_the_log)
    ]
    told: Any = {
        "__config__": ConfigDict(extra="forbid"),
        "__doc__": "An answer and the mails that it rests on.",
    }
    return create_model(
        "AnswerReply", **told, answer=(text(longest), ...), mails=(mails, ...)
    )
