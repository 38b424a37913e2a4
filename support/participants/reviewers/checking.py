"""Whether what a person at the desk says fits what they were shown."""

from __future__ import annotations

import unicodedata
from dataclasses import asdict
from typing import Any

from support.environments.seminar.views import AGAIN, DECISIONS, EDIT, DayPlan, Desk, Draft, Review
from support.errors import InvalidInput
from support.mail.characters import shown_text
from support.mail.letters import SUBJECT
from support.records.organizing import ACTION, ACTIONS, CONFIRMATION, MAIL, PLAN, REVIEWED, Action

KINDS: dict[str, type] = {PLAN: DayPlan, ACTION: Action, MAIL: Draft}
"""What is shown under each name."""

MOST = 4000
"""Characters of a plan, a mail, a wish or an answer; language models that read it have small contexts."""


def checked_item(what: str, item: Any) -> DayPlan | Action | Draft:
    """What is shown to the person at the desk, if it is what it is called.

    Raises
    ------
    InvalidInput
        On another name than those of `records.organizing.REVIEWED`, or a thing of another kind.
    """
    if what not in KINDS:
        raise InvalidInput(f"what: {what!r} given; expected one of {', '.join(REVIEWED)}")
    if isinstance(item, DayPlan | Action | Draft) and isinstance(item, KINDS[what]):
        return item
    raise InvalidInput(f"{what}: a {type(item).__name__} given; expected a {KINDS[what].__name__}")


def checked_review(desk: Desk, what: str, item: DayPlan | Action | Draft, review: Any) -> Review:
    """A review that fits what was shown.

    Raises
    ------
    InvalidInput
        On an unknown decision, an edit without what was edited (or of another kind, without words, about somebody
        else, with an unknown kind of action or date), or a wish that is too long.
    """
    if not isinstance(review, Review) or review.decision not in DECISIONS:
        raise InvalidInput(f"review: {review!r} given; expected a Review that is one of {', '.join(DECISIONS)}")
    if review.decision == AGAIN:
        _bounded("wish", review.wish, least=0)
    if (review.decision == EDIT) != (review.edited is not None):
        raise InvalidInput(
            f"review: {review.decision!r} with edited = {review.edited!r} given; expected the edited {what}"
        )
    if review.edited is not None:
        _check_edited(desk, checked_item(what, item), checked_item(what, review.edited))
        for name, text in asdict(review.edited).items():
            _bounded(name, text or "", least=0)
    return review


def _check_edited(desk: Desk, shown: DayPlan | Action | Draft, edited: DayPlan | Action | Draft) -> None:
    if isinstance(edited, DayPlan):
        _bounded("plan", edited.text)
    elif isinstance(edited, Draft):
        _bounded("subject", edited.subject, most=SUBJECT)
        _bounded("body", edited.body)
    else:
        _check_action(desk, shown, edited)


def _check_action(desk: Desk, shown: Any, edited: Action) -> None:
    if edited.kind not in ACTIONS:
        raise InvalidInput(f"action: {edited.kind!r} given; expected one of {', '.join(ACTIONS)}")
    if edited.person != shown.person:
        raise InvalidInput(f"action: about {edited.person!r} given; expected {shown.person!r}: remove it instead")
    known = [slot.isoformat() for slot in desk.state.slots]
    if edited.slot is not None and edited.slot not in known:
        raise InvalidInput(f"slot: {edited.slot!r} given; expected one of {', '.join(known)}")
    if edited.kind == CONFIRMATION and edited.slot is None:
        raise InvalidInput(f"slot: none given; expected one of {', '.join(known)} for a confirmation")


def checked_answer(text: Any) -> str:
    """An answer to a flag, without the blanks around it; "" leaves the question open.

    >>> checked_answer(" Video is fine. ")
    'Video is fine.'
    """
    return _bounded("answer", text, least=0)


def _bounded(what: str, text: Any, least: int = 1, most: int = MOST) -> str:
    """A text in its bounds; characters that no screen shows make no words, and half of a character is refused."""
    if isinstance(text, str) and any(unicodedata.category(c) == "Cs" for c in text):
        raise InvalidInput(f"{what}: half of a character (of an emoji?) is in it; type that character anew")
    words = shown_text(text).strip() if isinstance(text, str) else ""
    if not isinstance(text, str) or not least <= len(words) <= most:
        given = f"{len(words)} characters" if isinstance(text, str) else repr(text)
        raise InvalidInput(f"{what}: {given} given; expected a text of {least} to {most} characters")
    return text.strip()
