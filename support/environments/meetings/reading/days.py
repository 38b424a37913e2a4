"""Days: which are meant, deadlines on one of them, and those from one on."""

from __future__ import annotations

import re

from support.environments.meetings.preferences import WEEKDAYS, Deadline, Preference, Weekdays
from support.environments.meetings.reading.clauses import Clause
from support.environments.meetings.reading.marked import Marked, clock
from support.environments.meetings.reading.phrases import has

_DAY, _TIME = r"(?P<day>@[da]\d+)", r"(?P<time>@[tw]\d+)"
_EDGE = r"(?P<edge>(?:no|not) later than|not after|by|until|up to|before)"
_BY_DAY = (
    rf"{_EDGE}(?P<end> (?:the )?(?:end|close|evening) of)?(?: the)? {_DAY}(?:,? ?(?:at |in the |around )?{_TIME})?"
)
_LATEST = rf"(?P<edge>){_DAY}(?P<end>)(?: {_TIME})? at the latest"
_BY_TIME = rf"{_TIME} on (?:the )?{_DAY}(?P<edge>)(?P<end>)"
_FROM = r"(not before|no earlier than|from|after|once) (?:the )?(@d\d+)( onwards?| on\b| or later)?"


def named(text: str, found: Marked) -> tuple[str, ...]:
    """The weekdays that a clause names, those of dates included, in its order."""
    days = [day for m in re.findall(r"@d\d+", text) for day in found.weekdays[m]]
    dated = [found.dates[m].weekday for m in re.findall(r"@a\d+", text)]
    return tuple(dict.fromkeys(days + [day for day in dated if day]))


def deadline(clause: Clause, found: Marked) -> list[Preference]:
    """ "By Wednesday noon", "before the end of Thursday", "by 4 pm on Tuesday"; "before Thursday" ends on Wednesday."""
    text = clause.text
    hit = re.search(_BY_DAY, text) or _by_time(text, found, clause.refuses) or re.search(_LATEST, text)
    day = hit and _one(hit["day"], found)
    if not hit or not day or re.search(r"not before|no earlier than", text) or not (clause.about or has(text, "done")):
        return []
    before = hit["edge"] == "before" and not hit["end"]
    if hit["time"] is None:
        index = WEEKDAYS.index(day) - before
        return [Deadline(clause.priority, WEEKDAYS[index], "24:00")] if index >= 0 else []
    if hit["time"] in found.times:
        return [Deadline(clause.priority, day, clock(found.times[hit["time"]]))]
    span = found.windows[hit["time"]]
    return [
        Deadline(
            clause.priority, day, clock(span.start if (before and span.start) or span.via == "after" else span.end)
        )
    ]


def _by_time(text: str, found: Marked, refuses: bool) -> re.Match[str] | None:
    """ "By noon on Wednesday", "never ends after noon on Wednesday"; "before 9 on Fridays" is a window."""
    hit = re.search(_BY_TIME, text)
    span = hit and found.windows.get(hit["time"])
    if hit and span and span.via == "after" and refuses and has(text, "done") and hit["day"] not in found.plural:
        return hit
    if not hit or not span or span.start or hit["day"] in found.plural or re.search(r"\bevery\b|\bany\b", text):
        return None
    return hit if span.via == "by" or (span.via == "before" and has(text, "done")) else None


def onwards(clause: Clause, found: Marked) -> list[Preference]:
    """ "Not before Wednesday", "from Wednesday on", "after Tuesday": the days left of the working week."""
    hit = re.search(_FROM, clause.text)
    if hit is None or not clause.about or (hit[1] == "from" and not hit[3]) or hit[2] in found.plural:
        return []
    day = _one(hit[2], found)
    rest = WEEKDAYS[WEEKDAYS.index(day) + (hit[1] in ("after", "once")) : 5] if day else ()
    return [Weekdays(clause.priority, rest)] if rest else []


def _one(mark: str, found: Marked) -> str | None:
    """The weekday that a mark stands for, None if there are several or it is unknown."""
    if mark in found.dates:
        return found.dates[mark].weekday
    return found.weekdays[mark][0] if len(found.weekdays[mark]) == 1 else None
