"""One rehearsal as events: who was written to, who wrote, who was asked about, and who got which date, on which day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from support.seminar.records import Organizing, OrganizingDay

FLAG, GIVEN, TAKEN_BACK = "flag", "date given", "date taken back"
COLUMNS = ("day", "date", "person", "event", "slot")


def timeline(record: Organizing) -> pd.DataFrame:
    """The events of a rehearsal in their order.

    Returns
    -------
    DataFrame
        day, date, person, event (a kind of mail; "reply", "flag", "date given", "date taken back"), slot (of the last
        two; else ""). Everybody on the list who had no event is in the frame's `attrs["people"]` all the same, as are
        the days in `attrs["days"]`.
    """
    rows = [row for before, day in _pairs(record) for row in _events(before, day)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame.attrs = {"people": [str(one["name"]) for one in record.people], "days": len(record.days)}
    return frame


def _pairs(record: Organizing) -> Iterator[tuple[Mapping[str, tuple[str, ...]], OrganizingDay]]:
    before: dict[str, tuple[str, ...]] = {}
    for day in record.days:
        yield before, day
        before = dict(day.assignment)


def _events(before: Mapping[str, tuple[str, ...]], day: OrganizingDay) -> Iterator[dict[str, Any]]:
    def event(person: str, what: str, slot: str = "") -> dict[str, Any]:
        return {"day": day.number, "date": day.date, "person": person, "event": what, "slot": slot}

    after = dict(day.assignment)
    yield from (event(mail.sender, mail.kind) for mail in day.received)
    yield from (event(flag.person, FLAG) for flag in day.flags)
    yield from (event(mail.to, mail.kind) for mail in day.sent)
    for slot in dict.fromkeys((*before, *after)):
        one, other = before.get(slot, ()), after.get(slot, ())
        yield from (event(name, TAKEN_BACK, slot) for name in one if name not in other)
        yield from (event(name, GIVEN, slot) for name in other if name not in one)
