"""Checkpoints: where the person at the desk may approve, change, have made again, or remove what is proposed."""

from __future__ import annotations

from collections.abc import Mapping

from support.errors import InvalidInput
from support.seminar.records import ACTIONS, PLAN

ALWAYS, WHEN_FLAGGED, AUTOMATIC = "always ask", "ask when flagged", "automatic"
LEVELS = (ALWAYS, WHEN_FLAGGED, AUTOMATIC)
DELEGATED = (
    PLAN,
    *ACTIONS,
)  # what is delegated apart: the plan, and every kind of action with its mail
AGAINS = 3  # how often one thing is made again


def levels(delegation: Mapping[str, str] | str) -> dict[str, str]:
    """The level of everything in `DELEGATED`: one for all, or some by name and the others automatic."""
    given = (
        dict.fromkeys(DELEGATED, delegation)
        if isinstance(delegation, str)
        else dict(delegation)
    )
    for name, level in given.items():
        if name not in DELEGATED:
            raise InvalidInput(
                f"delegation: {name!r} given; expected some of {', '.join(DELEGATED)}"
            )
        if level not in LEVELS:
            raise InvalidInput(
                f"delegation: {level!r} given for {name}; expected one of {', '.join(LEVELS)}"
            )
    return {name: given.get(name, AUTOMATIC) for name in DELEGATED}
