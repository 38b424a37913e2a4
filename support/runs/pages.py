"""Runs as readable HTML: discussions and coordinations, round by round.

Every text is escaped, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from support.forms import template
from support.meetings.preferences import moment
from support.meetings.records import Coordination
from support.meetings.wording import worded
from support.roundtable.records import ENVIRONMENTS, Transcript, environment_of

PAGE = "runs/pages.html.j2"


def to_html(record: Transcript, *, title: str = "", reasons: bool = False) -> str:
    """A discussion as HTML for `IPython.display.HTML`; `reasons` were private."""
    known = record.environment.get("name") in ENVIRONMENTS
    return template(PAGE).render(
        record=record,
        title=title,
        reasons=reasons,
        hidden=(),
        describe=environment_of(record).describe if known else str,
    )


def meeting_to_html(
    record: Coordination,
    *,
    title: str = "",
    only: Collection[str] = (),
) -> str:
    """A coordination as HTML.

    `only` says whose talks are shown: a member who is a person should see no other's.
    """
    return template(PAGE).render(
        record=record,
        title=title,
        hidden=[one for one in record.members if only and one not in only],
        zone=record.meeting.get("zone", "UTC"),
        when=_when,
        worded=worded,
    )


def _when(slot: str) -> str:
    """A start in words; a venue is its name."""
    try:
        return moment(datetime.fromisoformat(slot))
    except ValueError:
        return slot
