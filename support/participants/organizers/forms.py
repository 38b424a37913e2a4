"""Forms of the replies that an organiser asks of a language model: every text and every list is bounded.

What a schema restricts to a list (people, dates, kinds, policies) is checked here, so that a stranger goes back to the
model with the field, the value and the known ones. Room is counted as one token for a character, as for facilitators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from support.environments.seminar.state import State
from support.models.profiles import TIGHT, Limits
from support.records.organizing import ACTIONS, CONFIRMATION, Action

if TYPE_CHECKING:
    from pydantic import BaseModel

# Characters of a tight model's texts; see `Limits.text` for others.
REPORT, PLAN, REASON, CLOSING = 2000, 700, 400, 400
WORDS = 60  # words of a reason and of the day's end: about forty are asked for
SUBJECT, BODY = 100, 1500
GOAL, SENTENCE, NOTE = 160, 240, 160
STRANGE = 5  # dates off the programme that are kept of one reply
ANSWERS = ("not said", "can", "perhaps", "cannot", "gives back")
"""What a reply may say of a date; one form for each date, so that none can be possible and impossible at once."""

ISO = "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"

SHOWN = 12  # known values that a complaint lists


@cache
def report_form(limits: Limits = TIGHT) -> type[BaseModel]:
    """{"summary"}: the state in prose."""
    return _model("ReportReply", summary=(said(report(limits)), ...))


def report(limits: Limits) -> int:
    """Characters of a report: some words on each of many people."""
    return REPORT if limits.tight else limits.text(4 * REPORT)


def most_words(limits: Limits) -> int | None:
    """Words of a reason and of the day's end; where the limit is told, characters alone are counted."""
    return WORDS if limits.tight else None


@cache
def plan_form(limits: Limits = TIGHT) -> type[BaseModel]:
    """{"plan", "reason"}: what to do today, and why."""
    reason = said(limits.text(REASON), most_words(limits))
    return _model("PlanReply", plan=(said(limits.text(PLAN)), ...), reason=(reason, ...))


@cache
def closing_form(limits: Limits = TIGHT) -> type[BaseModel]:
    """{"summary"}: the day, short."""
    return _model("ClosingReply", summary=(said(limits.text(CLOSING), most_words(limits)), ...))


@cache
def change_form(limits: Limits = TIGHT) -> type[BaseModel]:
    """{"sentence"}: what was changed; "" where there is nothing to remember."""
    from pydantic import Field

    return _model("ChangeReply", sentence=(str, Field(max_length=limits.text(SENTENCE))))


@cache
def mail_form(slot: str | None, limits: Limits = TIGHT) -> type[BaseModel]:
    """{"subject", "body"}; with a date, the body has to name its day and its month."""
    from pydantic import AfterValidator

    def named(body: str) -> str:
        if slot and not _names(body, date.fromisoformat(slot)):
            raise ValueError(f"body: {slot} is not in it; expected the day and the month in words")
        return body

    body: Any = Annotated[_text(limits.text(BODY)), AfterValidator(named)]
    return _model("MailReply", subject=(said(SUBJECT), ...), body=(body, ...))


@cache
def reading_form(
    slots: tuple[str, ...], today: str, own: tuple[str, ...] = (), limits: Limits = TIGHT
) -> type[BaseModel]:
    """What a reply says: one of `ANSWERS` for each known date, other dates, and what it is about.

    Only dates of the writer's `own` can be given back.
    """
    from pydantic import Field, WithJsonSchema, model_validator

    free, held = one_of("answer", ANSWERS[:-1]), one_of("answer", ANSWERS)
    dates = _model(
        "DatesReply",
        {"known": model_validator(mode="before")(_only("date", slots))},
        **{f"slot_{k}": (held if slot in own else free, Field(alias=slot)) for k, slot in enumerate(slots)},
    )
    other = Annotated[str, Field(max_length=10), WithJsonSchema({"type": "string", "pattern": ISO})]

    def consistent(self: Any) -> Any:
        _check_others(self, today)
        return self

    validator: Any = model_validator(mode="after")(consistent)
    return _model(
        "ReadingReply",
        {"consistent": validator},
        dates=(dates, ...),
        never_offered=(list[other], Field(max_length=STRANGE)),
        declined=(bool, ...),
        wait_until=(other | None, ...),
        note=(str, Field(max_length=limits.text(NOTE))),
    )


def sorted_out(reply: Any, slots: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The dates of a reading by what was answered: available, vague, unavailable, cancelled."""
    answers = {slot: getattr(reply.dates, f"slot_{k}") for k, slot in enumerate(slots)}
    return {
        field: tuple(slot for slot in sorted(slots) if answers[slot] == answer)
        for field, answer in zip(("available", "vague", "unavailable", "cancelled"), ANSWERS[1:], strict=True)
    }


def actions_form(state: State, policies: Sequence[str], limits: Limits = TIGHT) -> type[BaseModel]:
    """{"actions"}: at most one for a person; a confirmation gives away a free date, and nothing else has one."""
    from pydantic import Field, model_validator

    people = tuple(state.contacts)
    slots = tuple(slot.isoformat() for slot in state.slots)
    policy: Any = (one_of("policy", ("", *policies)), ...)
    goal = Annotated[str, Field(max_length=limits.text(GOAL))]
    fields = {
        "kind": (one_of("kind", ACTIONS), ...),
        "person": (one_of("person", people), ...),
        "goal": (goal, ...),
        "slot": (one_of("slot", slots) | None, ...),
        "policy": policy,
    }
    each: Any = _model("ActionReply", **fields)

    def possible(self: Any) -> Any:
        check_actions(state, self.actions)
        return self

    validator: Any = model_validator(mode="after")(possible)
    return _model("ActionsReply", {"possible": validator}, actions=(list[each], Field(max_length=len(people))))


def check_actions(state: State, actions: Sequence[Any]) -> None:
    """Refuse what a schema cannot: two actions for one person, a date without a confirmation, a seat given twice.

    Raises
    ------
    ValueError
        Naming the person, the value and what was expected; it goes back to the model.
    """
    met: set[str] = set()
    taken = {slot.isoformat(): set(names) for slot, names in state.slots.items()}
    for action in actions:
        if action.person in met:
            raise ValueError(f"person {action.person!r} given twice; expected at most one action for each")
        met.add(action.person)
        if (action.kind == CONFIRMATION) != (action.slot is not None):
            expected = (
                "the date that they get" if action.kind == CONFIRMATION else "null, only a confirmation gives one"
            )
            raise ValueError(f"slot {action.slot!r} given in the {action.kind} to {action.person}; expected {expected}")
        if action.slot is not None:
            taken[action.slot].add(action.person)
            if len(taken[action.slot]) > state.seats:
                free = ", ".join(slot.isoformat() for slot in state.open) or "no date, all are taken"
                raise ValueError(f"slot {action.slot!r} given to {action.person} is taken; open: {free}")


def made(actions: Sequence[Any]) -> tuple[Action, ...]:
    """A reply's actions as records."""
    return tuple(Action(a.kind, a.person, " ".join(a.goal.split()), a.slot, a.policy) for a in actions)


def said(most: int, words: int | None = None) -> Any:
    """A text on one line that is not blank, of so many characters and words at most."""
    from pydantic import AfterValidator

    def short(text: str) -> str:
        if words and len(text.split()) > words:
            raise ValueError(f"{len(text.split())} words given; expected {words} at most")
        return " ".join(text.split())

    return Annotated[_text(most), AfterValidator(short)]


def _text(most: int) -> Any:
    from pydantic import AfterValidator, Field

    def not_blank(text: str) -> str:
        if not text.strip():
            raise ValueError(f"{text!r} given; expected words")
        return text.strip()

    return Annotated[str, Field(min_length=1, max_length=most), AfterValidator(not_blank)]


def one_of(what: str, allowed: Sequence[str]) -> Any:
    """One of some texts: the schema lists them, the complaint names what was given and the known ones."""
    from pydantic import AfterValidator, WithJsonSchema

    shown = ", ".join(value or '""' for value in allowed[:SHOWN])
    listed = shown + (f" … ({len(allowed)} in all)" if len(allowed) > SHOWN else "")

    def known(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"{what} {value!r} given; expected one of {listed}")
        return value

    return Annotated[str, AfterValidator(known), WithJsonSchema({"type": "string", "enum": list(allowed)})]


def _only(what: str, allowed: Sequence[str]) -> Callable[[Any], Any]:
    """Refuse keys that are not known; pydantic would say nothing of them."""

    def known(given: Any) -> Any:
        strangers = [key for key in given if key not in allowed] if isinstance(given, dict) else []
        if strangers:
            raise ValueError(f"{what} {strangers[0]!r} given; expected {', '.join(allowed)} and no other")
        return given

    return known


def _check_others(reply: Any, today: str) -> None:
    for day in reply.never_offered:
        _iso("never_offered", day)
    if reply.wait_until is not None and _iso("wait_until", reply.wait_until) <= date.fromisoformat(today):
        raise ValueError(f"wait_until {reply.wait_until!r} given; expected a day after today, {today}, or null")


def _iso(field: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{field} {text!r} given; expected a date such as 2027-09-15") from None


def _names(body: str, slot: date) -> bool:
    words = body.casefold().replace(",", " ").replace(".", " ").split()
    day = {str(slot.day), f"{slot.day:02d}", *(f"{slot.day}{end}" for end in ("st", "nd", "rd", "th"))}
    month = f"{slot:%B}".casefold()
    return bool(day & set(words)) and any(word.startswith(month[:3]) for word in words)


def _model(name: str, validators: dict[str, Any] | None = None, **fields: Any) -> Any:
    from pydantic import create_model

    return create_model(name, __validators__=validators or {}, **fields)
