"""Who sits at the desk: approves plans, actions and mails, changes them, and decides about flags."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from support.errors import InvalidInput
from support.mail.letters import SUBJECT, shown_text
from support.seminar.records import (
    ACTION,
    ACTIONS,
    CONFIRMATION,
    MAIL,
    PLAN,
    Action,
    Flag,
)
from support.seminar.views import (
    AGAIN,
    APPROVE,
    DECISIONS,
    EDIT,
    DayPlan,
    Desk,
    Draft,
    Review,
)

FLAG = (
    "flag"  # the phase of a question about a flag; the others are those of `REVIEWED`
)

KINDS: dict[str, type] = {
    PLAN: DayPlan,
    ACTION: Action,
    MAIL: Draft,
}  # what is shown under each name
MOST = 4000  # characters of a plan, a mail, a wish or an answer; language models that read it have small contexts


@dataclass(frozen=True, slots=True)
class OnDesk:
    """What a person sees with a question: the desk, and what it is about."""

    desk: Desk
    item: Any = None
    about: str = ""

    @property
    def round(self) -> int:
        """The day of the run."""
        return self.desk.day


def checked_review(
    desk: Desk, what: str, item: DayPlan | Action | Draft, review: Any
) -> Review:
    """A review that fits what was shown."""
    if not isinstance(review, Review) or review.decision not in DECISIONS:
        raise InvalidInput(
            f"review: {review!r} given; expected a Review that is one of {', '.join(DECISIONS)}"
        )
    if review.decision == AGAIN:
        bounded("wish", review.wish, least=0)
    if (review.decision == EDIT) != (review.edited is not None):
        raise InvalidInput(
            f"review: {review.decision!r} with edited = {review.edited!r} given; expected the edited {what}"
        )
    edited = review.edited
    if edited is not None:
        if not isinstance(edited, KINDS[what]):
            raise InvalidInput(
                f"{what}: a {type(edited).__name__} given; expected a {KINDS[what].__name__}"
            )
        if isinstance(edited, DayPlan):
            bounded("plan", edited.text)
        elif isinstance(edited, Draft):
            bounded("subject", edited.subject, most=SUBJECT)
            bounded("body", edited.body)
        else:
            _check_action(desk, item, edited)
        for name, text in asdict(edited).items():
            bounded(name, text or "", least=0)
    return review


def _check_action(desk: Desk, shown: Any, edited: Action) -> None:
    if edited.kind not in ACTIONS:
        raise InvalidInput(
            f"action: {edited.kind!r} given; expected one of {', '.join(ACTIONS)}"
        )
    if edited.person != shown.person:
        raise InvalidInput(
            f"action: about {edited.person!r} given; expected {shown.person!r}: remove it instead"
        )
    known = [slot.isoformat() for slot in desk.state.slots]
    if edited.slot is not None and edited.slot not in known:
        raise InvalidInput(
            f"slot: {edited.slot!r} given; expected one of {', '.join(known)}"
        )
    if edited.kind == CONFIRMATION and edited.slot is None:
        raise InvalidInput(
            f"slot: none given; expected one of {', '.join(known)} for a confirmation"
        )


def bounded(what: str, text: Any, least: int = 1, most: int = MOST) -> str:
    """A text in its bounds; characters that no screen shows make no words, and half of a character is refused."""
    if isinstance(text, str) and any(unicodedata.category(c) == "Cs" for c in text):
        raise InvalidInput(
            f"{what}: half of a character (of an emoji?) is in it; type that character anew"
        )
    words = shown_text(text).strip() if isinstance(text, str) else ""
    if not isinstance(text, str) or not least <= len(words) <= most:
        given = f"{len(words)} characters" if isinstance(text, str) else repr(text)
        raise InvalidInput(
            f"{what}: {given} given; expected a text of {least} to {most} characters"
        )
    return text.strip()


def in_text(item: DayPlan | Action | Draft) -> str:
    """A plan, an action or a mail in words, for the log."""
    if isinstance(item, DayPlan):
        return f"{item.text} ({item.reason})" if item.reason else item.text
    if isinstance(item, Draft):
        return f"{item.subject}\n\n{item.body}"
    head = f"{item.kind} to {item.person}" + (f" of {item.slot}" if item.slot else "")
    return f"{head}: {item.goal}" if item.goal else head


class Automatic:
    """Approves all; decides nothing, except where an answer was given for a topic."""

    kind = "automatic"

    def __init__(self, answers: Mapping[str, str] | None = None) -> None:
        self.answers = dict(answers or {})

    async def review(
        self, desk: Desk, what: str, item: DayPlan | Action | Draft, about: str = ""
    ) -> Review:
        """Approved."""
        return Review(APPROVE)

    async def decide(self, desk: Desk, flag: Flag) -> str:
        """The answer that was given for the flag's topic; "" leaves it open."""
        question = flag.question.casefold()
        return next(
            (
                answer
                for topic, answer in self.answers.items()
                if topic.casefold() in question
            ),
            "",
        )
