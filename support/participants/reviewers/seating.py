"""Who sits at the desk, by the name of its kind."""

from __future__ import annotations

from support.errors import InvalidInput
from support.participants.reviewers.automatic import Automatic
from support.participants.reviewers.human import HumanReviewer
from support.participants.reviewers.protocol import Reviewer
from support.participants.seating import check_own

REVIEWERS = {"automatic": "approves all and decides nothing", "human": "a person, who answers a queue of questions"}
"""What each name stands for; an `Automatic` with answers, a `Scripted`, or a reviewer of your own is seated itself."""


def seat_reviewer(kind: str | Reviewer = "automatic") -> Reviewer:
    """Seat who reviews.

    Parameters
    ----------
    kind : a key of `REVIEWERS`, or the reviewer itself

    Raises
    ------
    InvalidInput
        On an unknown kind, or an object that cannot review.
    """
    if not isinstance(kind, str):
        check_own(kind, "the desk", ("review",), "desk, what, item, about", "support.participants.reviewers.protocol")
        check_own(kind, "the desk", ("decide",), "desk, flag", "support.participants.reviewers.protocol")
        return kind
    if kind not in REVIEWERS:
        raise InvalidInput(f"reviewer: {kind!r} given; expected one of {', '.join(REVIEWERS)}")
    return Automatic() if kind == "automatic" else HumanReviewer()
