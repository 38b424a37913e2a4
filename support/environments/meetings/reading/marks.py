"""Time expressions found in a sentence, and marked: amounts of time, dates and weekdays; for hours see `hours`."""

from __future__ import annotations

import re
from datetime import date
from functools import partial

from support.environments.meetings.preferences import WEEKDAYS
from support.environments.meetings.reading.hours import hours
from support.environments.meetings.reading.marked import Day, Marked
from support.environments.meetings.reading.vocabulary import DAY_NAMES, GROUPS, MONTHS


def mark(text: str, year: int | None = None) -> Marked:
    """Mark the time expressions of a sentence in plain spelling.

    >>> mark("no calls before 10 on fridays").text
    'no calls @w1 on @d0'
    """
    found = Marked(text)
    _amounts(found)
    _dates(found, year)
    _groups(found)
    _day_lists(found)
    hours(found)
    return found


_HOURS = {"minute": 1, "min": 1, "hour": 60, "hr": 60, "h": 60, "day": 1440, "week": 7 * 1440}
_COUNT = {"a few": 3, "few": 3, "a couple of": 2, "a couple": 2, "several": 4, "a": 1, "an": 1, "half an": 0.5,
          "half a": 0.5, "a quarter of an": 0.25, "quarter of an": 0.25, "a half": 0.5, "a full": 1, "a whole": 1,
          "3 quarters of an": 0.75, "a good": 1, "the": 1, "a clear": 1}  # fmt: skip


def _amounts(found: Marked) -> None:
    counts = "|".join(sorted(map(re.escape, _COUNT), key=len, reverse=True))
    unit = r"(minute|min|hour|hr|h|day|week)s?\b'?s?'?"
    found.replace(r"\b(an?|1) (hour|day) and a half\b", lambda m: found.put("u", int(_HOURS[m[2]] * 1.5)))
    kind = r"(?:full |whole |working |business |clear |free |quiet |more )?"
    found.replace(
        rf"\b(\d+(?:\.\d+)?|{counts})[- ]?{kind}(?<![a-z]){unit}",
        lambda m: _amount(found, m),
    )


def _amount(found: Marked, m: re.Match[str]) -> str:
    if m[1] == "the" or (m[2] == "week" and m[1] == "a" and m.string[: m.start()].endswith("times ")):
        return m[0]
    count = _COUNT.get(m[1]) or float(m[1])
    return found.put("u", round(count * _HOURS[m[2]]))


_DAY = rf"\b({'|'.join(sorted(DAY_NAMES, key=len, reverse=True))})(s?)\b(?!')\.?"
_MONTH = rf"({'|'.join(MONTHS)}|{'|'.join(m[:3] for m in MONTHS)})\b\.?"


def _dates(found: Marked, year: int | None) -> None:
    lead, tail = rf"(?:{_DAY},? )?(?:the )?", r"(?:,? (?P<y>\d{4}))?"
    found.replace(rf"{lead}\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}{tail}", lambda m: _day(found, m, year))
    found.replace(
        rf"{lead}\b{_MONTH} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d){tail}", lambda m: _day(found, m, year)
    )
    found.replace(r"\b(\d{4})-(\d\d)-(\d\d)\b", lambda m: _iso(found, m))


def _day(found: Marked, m: re.Match[str], year: int | None) -> str:
    month = next(i for i, name in enumerate(MONTHS, 1) if name.startswith(m[3] if m[3].isalpha() else m[4]))
    named = WEEKDAYS[DAY_NAMES[m[1]]] if m[1] else None
    chosen = int(m["y"]) if m["y"] else year
    if chosen is None:
        return found.put("a", Day(None, named))
    try:
        day = date(chosen, month, int(m["d"]))
    except ValueError:
        return m[0]
    return found.put("a", Day(day.isoformat(), WEEKDAYS[day.weekday()]))


def _iso(found: Marked, m: re.Match[str]) -> str:
    try:
        day = date(int(m[1]), int(m[2]), int(m[3]))
    except ValueError:
        return m[0]
    return found.put("a", Day(day.isoformat(), WEEKDAYS[day.weekday()]))


def _groups(found: Marked) -> None:
    found.replace(
        r"\bbefore the weekend|\bby the end of the (?:working )?week|\bbefore the week (?:is out|is over|ends)",
        lambda m: "by the end of friday",
    )
    for pattern, days in GROUPS.items():
        found.replace(rf"\b(?:{pattern})\b(?!')", partial(_group, found, days))


def _group(found: Marked, days: tuple[int, ...], m: re.Match[str]) -> str:
    return found.put("d", tuple(WEEKDAYS[i] for i in days))


def _day_lists(found: Marked) -> None:
    found.replace(rf"{_DAY} ?(?:-|to|through|until) ?{_DAY}", lambda m: _day_range(found, m))
    more = rf"(?:(?:, ?(?:and |or )?| ?/ ?| ?& ?| and | or | and on | or on ){_DAY})*"
    found.replace(rf"{_DAY}{more}", lambda m: _day_list(found, m[0]))


def _day_range(found: Marked, m: re.Match[str]) -> str:
    first, last = DAY_NAMES[m[1]], DAY_NAMES[m[3]]
    return found.put("d", WEEKDAYS[first : last + 1]) if first < last else m[0]


def _day_list(found: Marked, text: str) -> str:
    hits = list(re.finditer(_DAY, text))
    made = found.put("d", tuple(dict.fromkeys(WEEKDAYS[DAY_NAMES[h[1]]] for h in hits)))
    if any(h[2] for h in hits):
        found.plural.add(made)
    return made
