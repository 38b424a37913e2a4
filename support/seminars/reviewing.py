"""The person at the desk of a seminar whose mail is real: what they approve may go out, in these words.

An approval is given where a person presses the button, and nowhere else: no delegation and no stand-in gives one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.mail.journal import Approvals
from support.seats import HUMAN
from support.seminar.post import checked_letter
from support.seminar.records import MAIL, Action, Flag
from support.seminar.views import APPROVE, EDIT, DayPlan, Desk, Draft, Review


class ApprovingReviewer:
    """A person whose yes to a mail is kept as the approval of its exact text, recipient and subject."""

    kind = HUMAN

    def __init__(self, reviewer: Any, approvals: Approvals, addresses: Mapping[str, str]) -> None:
        self.reviewer, self._approvals, self._addresses = reviewer, approvals, dict(addresses)

    async def review(self, desk: Desk, what: str, item: DayPlan | Action | Draft, about: str = "") -> Review:
        """What the person does with it; a mail that they let go, as it is or changed, is approved so, and no other."""
        review = await self.reviewer.review(desk, what, item, about)
        if isinstance(item, Draft):
            self._approvals.withdraw(self._addresses[about], item.subject, item.body)
        if what == MAIL and review.decision in (APPROVE, EDIT):
            self._approve(about, review.edited if review.decision == EDIT else item)
        return review

    def _approve(self, name: str, draft: Any) -> None:
        letter = checked_letter(f"mail to {name}", draft.subject, draft.body)
        self._approvals.approve(self._addresses[name], letter.subject, letter.body)

    async def decide(self, desk: Desk, flag: Flag) -> str:
        """What the person decides."""
        return await self.reviewer.decide(desk, flag)
