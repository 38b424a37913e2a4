"""What one clause says: rules over its marks and the few words around them, each for one kind of preference."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from support.meetings.preferences import (
    WEEKDAYS,
    At,
    Deadline,
    Flexible,
    Focus,
    Gap,
    Notice,
    Preference,
    Weekdays,
    Window,
)
from support.meetings.reading.clauses import Clause, any_of, has
from support.meetings.reading.times import DAY, END, KNOWN, Day, Marked, Span, clock

_LEAVES = rf"\b{any_of('ends_day')}\b[a-z ]*"
_ARRIVES = rf"\b{any_of('starts_day')}\b[a-z ]*"
_TO_MEET = rf"\b(?:for|on|to|with) (?:\w+ )?{any_of('meeting')}\b|\bneeds? (?:\w+ )?meetings?\b"
_GIVEN = r"\b(?:free|clear|empty|aside|for|to|on|with|in|when|belongs?|own|off)\b"
_OWN_WORK = rf"\b(?:prefers?|likes?|loves?|tends?|wants?) to (?!(?:{any_of('meeting')}|{any_of('no_work')})\b)"
_MEANT_FOR = r"@w\d+ (?:is|are) (?:\w+ )?for (?!me\b|him\b|her\b)"


def preferences(clause: Clause, found: Marked) -> tuple[Preference, ...]:
    """The preferences of one clause.

    Amounts of time and deadlines take a clause to themselves; then focus blocks, or windows, weekdays and exact times;
    being flexible counts only where no time is named.
    """
    if measured := notice(clause, found) + gap(clause, found):
        return tuple(measured)
    if dated := deadline(clause, found) or onwards(clause, found):
        return tuple(dated)
    spans, days = _spans(clause.text, found), named(clause.text, found)
    if blocks := _focus(clause, spans, days):
        return tuple(blocks)
    if clause.about or any(s.via == "own day" for s in spans):
        return tuple(
            _windows(clause, spans, days) + _ats(clause, found, days)
        ) or tuple(_flexible(clause))
    return tuple(_flexible(clause))


def ranges(said: Iterable[Preference]) -> list[Preference]:
    """What one sentence says, each thing once; "not before ten" and "over by four" make the window from ten to four."""
    made: list[Preference] = []
    for wish in said:
        if isinstance(
            wish, Gap | Notice
        ):  # "not back to back: ten minutes" is ten minutes
            made = [p for p in made if type(p) is not type(wish)]
        if same := [p for p in made if replace(p, priority=wish.priority) == wish]:
            made[made.index(same[0])] = max(same[0], wish, key=lambda p: p.priority)
            continue
        if isinstance(wish, Window) and not isinstance(wish, Focus):
            windows = [
                p for p in made if isinstance(p, Window) and not isinstance(p, Focus)
            ]
            open_ended = [
                p
                for p in windows
                if p.weekdays == wish.weekdays and positive(p)[1:] == ("24:00", False)
            ]
            start, end, avoid = positive(wish)
            if (
                open_ended
                and start == "00:00"
                and not avoid
                and (low := positive(open_ended[0])[0]) < end
            ):
                priority = max(open_ended[0].priority, wish.priority)
                made[made.index(open_ended[0])] = Window(
                    priority, low, end, False, wish.weekdays
                )
                continue
        made.append(wish)
    return made


def positive(window: Window) -> tuple[str, str, bool]:
    """(start, end, avoid) of a window; one to avoid at an end of the day is the rest of the day wanted."""
    if window.avoid and window.start == "00:00":
        return window.end, "24:00", False
    if window.avoid and window.end == "24:00":
        return "00:00", window.start, False
    return window.start, window.end, window.avoid


def _spans(text: str, found: Marked) -> list[Span]:
    """The windows of a clause, those that touch made one ("late morning and early afternoon"), and one's own day."""
    spans = found.named("w", text)
    for pattern, leaves in ((_LEAVES, True), (_ARRIVES, False)):
        for hit in re.finditer(rf"{pattern}(@t\d+)", text):
            if not re.search(
                r"\b(?:meetings?|calls?|sessions?|we|it)\b", text[: hit.start()]
            ):
                time = found.values[hit[1]]
                spans.append(
                    Span(0, time, via="own day")
                    if leaves
                    else Span(time, END, via="own day")
                )
    return list(_merged(_between(spans)))


def _between(spans: list[Span]) -> list[Span]:
    """ "From nine on and over by four" is between nine and four."""
    low, high = [s for s in spans if s.end == END], [s for s in spans if s.start == 0]
    if len(low) != 1 or len(high) != 1 or low == high or low[0].start >= high[0].end:
        return spans
    return [s for s in spans if s not in (*low, *high)] + [
        Span(low[0].start, high[0].end, via="between")
    ]


def _merged(spans: Iterable[Span]) -> Iterable[Span]:
    left = sorted(dict.fromkeys(spans), key=lambda s: (s.start, s.end))
    while left:
        one = left.pop(0)
        while left and left[0].start <= one.end:
            one = Span(one.start, max(one.end, left.pop(0).end), one.part, one.via)
        yield one


def _focus(
    clause: Clause, spans: list[Span], days: tuple[str, ...]
) -> list[Preference]:
    """Times that are given to something other than meetings."""
    text = clause.text
    meets = re.search(_TO_MEET, text) or re.search(r"open\b", text)
    refused = (
        clause.refuses
        and re.search(r"\bmeet|\bcalls?\b", text)
        and not (has(text, "keep") or has(text, "quiet"))
    )
    given = (
        (has(text, "keep") and re.search(_GIVEN, text))
        or re.search(_OWN_WORK, text)
        or re.search(_MEANT_FOR, text)
    )
    if meets or refused or not (given or has(text, "quiet")):
        return []
    return [
        Focus(clause.priority, clock(s.start), clock(s.end), True, days) for s in spans
    ]


def _windows(
    clause: Clause, spans: list[Span], days: tuple[str, ...]
) -> list[Preference]:
    priority = clause.priority
    avoid = clause.refuses and not any(s.via == "own day" for s in spans)
    if not spans:
        exact = re.search(r"@t\d+", clause.text) and not avoid
        return [Weekdays(priority, days, avoid)] if days and not exact else []
    if len(spans) > 1 and not avoid:
        return _either(priority, spans, days)
    return [Window(priority, clock(s.start), clock(s.end), avoid, days) for s in spans]


def _either(
    priority: int, spans: list[Span], days: tuple[str, ...]
) -> list[Preference]:
    """ "Early mornings or late afternoons": from the first to the last, without what lies between.

    An hour between them, such as lunch, is nothing that was refused; the whole of a day is no preference.
    """
    first, last = spans[0].start, spans[-1].end
    gaps = [(a.end, b.start) for a, b in pairwise(spans) if b.start - a.end > 60]
    whole = first <= DAY[0] * 60 and last >= DAY[1] * 60
    outer: list[Preference] = (
        [] if whole else [Window(priority, clock(first), clock(last), False, days)]
    )
    return outer + [Window(priority, clock(a), clock(b), True, days) for a, b in gaps]


def _ats(clause: Clause, found: Marked, days: tuple[str, ...]) -> list[Preference]:
    """Exact starts, on the date if one is known; the weekday stands beside them otherwise."""
    text = clause.text
    if (
        clause.refuses
        or not clause.about
        or re.search(rf"{_LEAVES}@t|{_ARRIVES}@t", text)
    ):
        return []
    date = next((day.iso for day in found.named("a", text)), None)
    made: list[Preference] = [
        At(clause.priority, clock(time), date) for time in found.named("t", text)
    ]
    return (
        [*made, Weekdays(clause.priority, days)]
        if made and days and date is None
        else made
    )


def _flexible(clause: Clause) -> list[Preference]:
    text = clause.text
    says = (
        has(text, "any_time")
        and not has(text, "not_about_time")
        and not has(text, "inflexible")
    )
    return (
        [Flexible(clause.priority)]
        if says and not re.search(r"@[twda]\d+", text)
        else []
    )


# ---- amounts ---------------------------------------------------------------------------------------------------------

LONGEST_GAP = 180
"""Minutes; a longer amount between meetings is no gap."""


def notice(clause: Clause, found: Marked) -> list[Preference]:
    """ "A day in advance", "no last-minute invitations", "appreciates notice"."""
    text, amounts = clause.text, found.named("u", clause.text)
    early = (
        has(text, "notice")
        if amounts and amounts[-1] >= 60
        else has(text, "some_notice")
    )
    if amounts and early and not has(text, "gap"):
        least = re.search(r"without|less than|under @u|shorter than|with @u", text)
        waived = clause.refuses and has(text, "waived") and not least
        return (
            []
            if waived
            else [Notice(clause.priority, max(1, math.ceil(amounts[-1] / 60)))]
        )
    short = clause.refuses and has(text, "short_notice")
    some = (
        has(text, "some_notice")
        and has(text, "notice_wanted")
        and not (clause.refuses or has(text, "short_notice"))
    )
    before = re.search(r"(?:the|a) day before", text) and has(text, "arranged")
    return (
        [Notice(clause.priority, KNOWN["notice_hours"])]
        if short or some or before
        else []
    )


def gap(clause: Clause, found: Marked) -> list[Preference]:
    """ "No back-to-back meetings", "ten minutes between calls", "some room between meetings"."""
    text, amounts = clause.text, found.named("u", clause.text)
    if (
        not has(text, "gap")
        or re.search(r"@w\d+ and @w|between @", text)
        or (has(text, "waived") and not amounts)
    ):
        return []
    if has(text, "chained"):
        wanted = clause.refuses or amounts or has(text, "not_chained")
    elif amounts:
        wanted = amounts[-1] <= LONGEST_GAP and not has(text, "waived")
    else:
        wanted = has(text, "some_gap") and has(text, "gap_wanted")
    return (
        [Gap(clause.priority, amounts[-1] if amounts else KNOWN["gap_minutes"])]
        if wanted
        else []
    )


# ---- days ------------------------------------------------------------------------------------------------------------

_DAY, _TIME = r"(?P<day>@[da]\d+)", r"(?P<time>@[tw]\d+)"
_EDGE = r"(?P<edge>(?:no|not) later than|not after|by|until|up to|before)"
_BY_DAY = rf"{_EDGE}(?P<end> (?:the )?(?:end|close|evening) of)?(?: the)? {_DAY}(?:,? ?(?:at |in the |around )?{_TIME})?"
_LATEST = rf"(?P<edge>){_DAY}(?P<end>)(?: {_TIME})? at the latest"
_BY_TIME = rf"{_TIME} on (?:the )?{_DAY}(?P<edge>)(?P<end>)"
_FROM = r"(not before|no earlier than|from|after|once) (?:the )?(@d\d+)( onwards?| on\b| or later)?"


def named(text: str, found: Marked) -> tuple[str, ...]:
    """The weekdays that a clause names, those of dates included, in its order."""
    days = [day for named in found.named("d", text) for day in named]
    return tuple(
        dict.fromkeys(
            days + [day.weekday for day in found.named("a", text) if day.weekday]
        )
    )


def deadline(clause: Clause, found: Marked) -> list[Preference]:
    """ "By Wednesday noon", "before the end of Thursday", "by 4 pm on Tuesday"; "before Thursday" ends on Wednesday."""
    text = clause.text
    hit = (
        re.search(_BY_DAY, text)
        or _by_time(text, found, clause.refuses)
        or re.search(_LATEST, text)
    )
    day = hit and _one(hit["day"], found)
    if (
        not hit
        or not day
        or re.search(r"not before|no earlier than", text)
        or not (clause.about or has(text, "done"))
    ):
        return []
    before = hit["edge"] == "before" and not hit["end"]
    if hit["time"] is None:
        index = WEEKDAYS.index(day) - before
        return (
            [Deadline(clause.priority, WEEKDAYS[index], "24:00")] if index >= 0 else []
        )
    time = found.values[hit["time"]]
    if isinstance(time, Span):
        time = (
            time.start if (before and time.start) or time.via == "after" else time.end
        )
    return [Deadline(clause.priority, day, clock(time))]


def _by_time(text: str, found: Marked, refuses: bool) -> re.Match[str] | None:
    """ "By noon on Wednesday", "never ends after noon on Wednesday"; "before 9 on Fridays" is a window."""
    hit = re.search(_BY_TIME, text)
    span = hit and hit["time"][1] == "w" and found.values[hit["time"]]
    if (
        hit
        and span
        and span.via == "after"
        and refuses
        and has(text, "done")
        and hit["day"] not in found.plural
    ):
        return hit
    if (
        not hit
        or not span
        or span.start
        or hit["day"] in found.plural
        or re.search(r"\bevery\b|\bany\b", text)
    ):
        return None
    return (
        hit
        if span.via == "by" or (span.via == "before" and has(text, "done"))
        else None
    )


def onwards(clause: Clause, found: Marked) -> list[Preference]:
    """ "Not before Wednesday", "from Wednesday on", "after Tuesday": the days left of the working week."""
    hit = re.search(_FROM, clause.text)
    if (
        hit is None
        or not clause.about
        or (hit[1] == "from" and not hit[3])
        or hit[2] in found.plural
    ):
        return []
    day = _one(hit[2], found)
    rest = (
        WEEKDAYS[WEEKDAYS.index(day) + (hit[1] in ("after", "once")) : 5] if day else ()
    )
    return [Weekdays(clause.priority, rest)] if rest else []


def _one(mark: str, found: Marked) -> str | None:
    """The weekday that a mark stands for, None if there are several or it is unknown."""
    meant = found.values[mark]
    return (
        meant.weekday
        if isinstance(meant, Day)
        else meant[0]
        if len(meant) == 1
        else None
    )
