"""The person at the desk: what is shown to them, and what they may leave of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from support.errors import InvalidInput
from support.mail.letters import shown_text
from support.seminar.data import in_words
from support.seminar.desk import Desk
from support.seminar.records import (
    ACTIONS,
    PLAN,
    Action,
    DayPlan,
    Draft,
    Flag,
    Mail,
    Review,
    Says,
)

ALWAYS, AUTOMATIC = LEVELS = "always ask", "automatic"
"""Whether something is shown before it is done."""
DELEGATED = (PLAN, *ACTIONS)
"""What is delegated apart: the plan, and every kind of action with its mail."""
AGAINS = 3
"""How often one thing is made again."""
SUBJECT, BODY = 200, 5000
"""Characters of a subject and of a mail at most: every mail stands in later prompts."""

Items = Sequence[DayPlan | Action | Draft]


def levels(delegation: Mapping[str, str] | str) -> dict[str, str]:
    """The level of everything in `DELEGATED`: one for all, or some by name and the
    others automatic."""
    given = delegation
    if isinstance(given, str):
        given = dict.fromkeys(DELEGATED, given)
    strange = [name for name in given if name not in DELEGATED]
    strange += [level for level in given.values() if level not in LEVELS]
    if strange:
        expected = f"{', '.join(DELEGATED)} at {', '.join(LEVELS)}"
        raise InvalidInput(f"delegation: {strange[0]!r} given; expected {expected}")
    return {name: given.get(name, AUTOMATIC) for name in DELEGATED}


class Automatic:
    """Approves all, decides and reads nothing."""

    kind = "automatic"

    async def review(
        self,
        desk: Desk,
        what: str,
        items: Items,
    ) -> Review:
        """All of it."""
        return Review(tuple(items))

    async def decide(self, desk: Desk, flag: Flag) -> Flag:
        """Left open."""
        return flag

    async def read(self, desk: Desk, mail: Mail) -> Says | None:
        """Nobody is there to read."""
        return None


def checked_review(
    desk: Desk,
    what: str,
    shown: Items,
    review: Review,
) -> Review:
    """A review that fits what was shown, its mails as they would leave: nothing but
    actions is added to it."""
    known = [item.person for item in shown]
    items: list[Any] = []
    for item in review.items:
        if isinstance(item, Action):
            if why := desk.books.refusal(item, items):
                raise InvalidInput(why)
        elif item.person not in known:
            raise InvalidInput(f"{what}: {item.person!r} given, who was not shown")
        elif item.person in [other.person for other in items]:
            raise InvalidInput(f"{what}: two for {item.person!r} given; expected one")
        items.append(checked_draft(item) if isinstance(item, Draft) else item)
    return replace(review, items=tuple(items))


def checked_draft(draft: Draft) -> Draft:
    """A mail as it would leave: in its bounds, without characters that no screen shows."""
    subject = " ".join(shown_text(" ".join(draft.subject.split())).split())
    body = shown_text(draft.body).strip()
    for what, text, most in (("subject", subject, SUBJECT), ("body", body, BODY)):
        if not 0 < len(text) <= most:
            raise InvalidInput(
                f"mail to {draft.person}: a {what} of {len(text)} characters given; "
                f"expected 1 to {most}"
            )
    return Draft(draft.person, subject, body)


def in_text(item: DayPlan | Action | Draft) -> str:
    """A plan, an action or a mail in words, for the log."""
    if isinstance(item, DayPlan):
        return f"{item.text} ({item.reason})" if item.reason else item.text
    if isinstance(item, Draft):
        return f"{item.subject}\n\n{item.body}"
    dates = ", ".join(map(in_words, item.slots))
    head = f"{item.kind} to {item.person}" + (f", {dates}" if dates else "")
    return f"{head}: {item.goal}" if item.goal else head


def texts(items: Items) -> str:
    """All of them in words."""
    return "\n\n".join(map(in_text, items)) or "(nothing)"
