"""Checkpoints: where the person at the desk may approve, change, have made again, or remove what is proposed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from support.errors import InvalidInput
from support.seminar.post import Slips
from support.seminar.records import ACTIONS, PLAN, Action, Edit, Remade
from support.seminar.reviewing import checked_review, in_text
from support.seminar.views import APPROVE, EDIT, REMOVE, DayPlan, Desk, Draft, Review

ALWAYS, WHEN_FLAGGED, AUTOMATIC = "always ask", "ask when flagged", "automatic"
LEVELS = (ALWAYS, WHEN_FLAGGED, AUTOMATIC)
DELEGATED = (PLAN, *ACTIONS)
"""What is delegated apart: the plan, and every kind of action with its mail."""

AGAINS = 3
"""How often one thing is made again."""

T = TypeVar("T", DayPlan, Action, Draft)


def levels(delegation: Mapping[str, str] | str) -> dict[str, str]:
    """The level of everything in `DELEGATED`: one for all, or some by name and the others automatic."""
    given = dict.fromkeys(DELEGATED, delegation) if isinstance(delegation, str) else dict(delegation)
    for name, level in given.items():
        if name not in DELEGATED:
            raise InvalidInput(f"delegation: {name!r} given; expected some of {', '.join(DELEGATED)}")
        if level not in LEVELS:
            raise InvalidInput(f"delegation: {level!r} given for {name}; expected one of {', '.join(LEVELS)}")
    return {name: given.get(name, AUTOMATIC) for name in DELEGATED}


class Checkpoint:
    """Where a reviewer looks at what an organiser made; `remade` is what was made again, for the record of the day."""

    def __init__(self, reviewer: Any, organizer: Any, delegation: Mapping[str, str], slips: Slips) -> None:
        self.reviewer, self.organizer, self.delegation, self.slips = reviewer, organizer, delegation, slips
        self.remade: list[Remade] = []

    def stops(self, kind: str, about: str, flagged: Collection[str]) -> bool:
        """Whether something of that kind, about somebody ("" for a plan), is shown on a day with those flags."""
        level = self.delegation[kind]
        return level == ALWAYS or (level == WHEN_FLAGGED and (about in flagged if about else bool(flagged)))

    async def look(
        self, desk: Desk, what: str, item: T, about: str, again: Callable[[str], Awaitable[T | None]]
    ) -> tuple[T | None, Edit | None]:
        """What is left of an item (None: removed), and the edit, if it was changed or removed.

        `again` makes another one by a wish, at most `AGAINS` times; who still wants another then has removed it.
        """
        shown: T | None = item
        wishes = 0
        while shown is not None:
            asked = self._reviewed(desk, what, shown, about)
            review: Review | None = await self.slips.ask("reviewer", what, asked)
            if review is None:
                break
            if review.decision == APPROVE:
                return shown, None
            if review.decision == EDIT:
                edited: Any = review.edited
                if edited == shown:
                    return shown, None
                return edited, await self._remembered(desk, Edit(what, about, in_text(shown), in_text(edited)))
            if review.decision == REMOVE or wishes == AGAINS:
                return None, await self._remembered(desk, Edit(what, about, in_text(shown), ""))
            made = await again(review.wish)
            self.remade.append(Remade(what, about, in_text(shown), in_text(made) if made else "", review.wish))
            shown, wishes = made, wishes + 1
        return None, None

    async def _reviewed(self, desk: Desk, what: str, item: T, about: str) -> Review:
        return checked_review(desk, what, item, await self.reviewer.review(desk, what, item, about))

    async def _remembered(self, desk: Desk, edit: Edit) -> Edit:
        summary = await self.slips.ask("organizer", "describe", self.organizer.describe(desk, edit), "")
        return replace(edit, summary=" ".join(summary.split()))
