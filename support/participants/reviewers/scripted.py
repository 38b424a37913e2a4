"""A reviewer for tests and notebooks: it gives the reviews that were written down for it, in their order."""

from __future__ import annotations

from collections.abc import Iterable

from support.environments.seminar.views import APPROVE, DayPlan, Desk, Draft, Review
from support.errors import InvalidInput
from support.participants.reviewers.checking import checked_item, checked_review
from support.records.organizing import Action, Flag


class Scripted:
    """Gives each review in turn, and approves when there are none left.

    Parameters
    ----------
    reviews : iterable of Review
    answers : iterable of str
        To flags, in turn; then "".

    Attributes
    ----------
    seen : list of (what, item, about)
        All that was shown.

    Raises
    ------
    InvalidInput
        On a review that is none.
    """

    kind = "scripted"

    def __init__(self, reviews: Iterable[Review] = (), answers: Iterable[str] = ()) -> None:
        given = list(reviews)
        for review in given:
            if not isinstance(review, Review):
                raise InvalidInput(f"reviews: {review!r} given; expected a Review, such as Review({APPROVE!r})")
        self._reviews, self._answers = iter(given), iter(list(answers))
        self.seen: list[tuple[str, DayPlan | Action | Draft, str]] = []

    async def review(self, desk: Desk, what: str, item: DayPlan | Action | Draft, about: str = "") -> Review:
        """The next review, which has to fit what is shown."""
        self.seen.append((what, checked_item(what, item), about))
        return checked_review(desk, what, item, next(self._reviews, Review(APPROVE)))

    async def decide(self, desk: Desk, flag: Flag) -> str:
        """The next answer."""
        return next(self._answers, "")
