"""Time expressions of a sentence, found and marked: plain spelling, then amounts, dates, weekdays and hours.

A marked sentence reads "no meetings @w1 on @d0", with what the marks stand for beside it: `t` a time of day, `w` a
window, `d` weekdays, `a` a date, `u` an amount of time. The rules then look at the few words that remain.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from importlib.resources import files
from typing import Any

from support.meetings.preferences import WEEKDAYS

KNOWN = tomllib.loads(
    files(__package__).joinpath("times.toml").read_text(encoding="utf-8")
)
END, DAY = 24 * 60, KNOWN["day"]
NUMBERS, UNITS, COUNTS, MONTHS = (
    KNOWN[name] for name in ("numbers", "units", "counts", "months")
)
DAY_NAMES = {name.lower(): i for i, name in enumerate(WEEKDAYS)} | KNOWN["short_days"]

# ---- plain spelling --------------------------------------------------------------------------------------------------

_TABLE = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "–": "-",
        "—": ",",
        "‑": "-",
        "…": "...",
        "\xa0": " ",
    }
)
_TENS = "|".join(w for w, n in NUMBERS.items() if n >= 20)
_UNITS = "|".join(w for w, n in NUMBERS.items() if n < 10)


def plain(text: str) -> str:
    """A text in lower case and plain spelling.

    >>> plain("I can’t do  half past Nine a.m.")
    'i cannot do half past 9 am'
    """
    text = re.sub(r"\s+", " ", text.translate(_TABLE)).strip().lower()
    for pattern, written in KNOWN["spelling"]:
        text = re.sub(pattern, written, text)
    text = re.sub(
        rf"\b({_TENS})[- ]({_UNITS}|one)\b",
        lambda m: str(NUMBERS[m[1]] + NUMBERS.get(m[2], 1)),
        text,
    )
    text = re.sub(rf"\b({'|'.join(NUMBERS)})\b", lambda m: str(NUMBERS[m[1]]), text)
    for pattern, written in KNOWN["ones"]:
        text = re.sub(pattern, written, text)
    return text


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text as they are written."""
    text = re.sub(r"\s+", " ", text.replace("\n\n", ". ")).strip()
    parts = re.split(
        r"(?<=[.!?])(?<!\bi\.e\.)(?<!\be\.g\.)(?<!\b[aApP]\.[mM]\.)\s+(?=\S)", text
    )
    joined: list[str] = []
    for part in parts:  # "10 a.m. On Mondays" is split at the capital after all
        joined += re.split(r"(?<=[aApP]\.[mM]\.) (?=[A-Z][a-z]|A )", part)
    return tuple(p for p in joined if re.search(r"\w", p))


# ---- marks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """A window in minutes after midnight, with the part of the day it is named by and the way in which it is said."""

    start: int
    end: int
    part: str = ""
    via: str = ""


@dataclass(frozen=True, slots=True)
class Day:
    """A date, ISO or None where the year is unknown, and its weekday if known."""

    iso: str | None
    weekday: str | None


@dataclass
class Marked:
    """A sentence with marks in place of time expressions, and what each mark stands for."""

    text: str
    values: dict[str, Any] = field(
        default_factory=dict
    )  # t minutes, w Span, d weekdays, a Day, u minutes
    plural: set[str] = field(default_factory=set)  # marks of weekdays that recur

    def put(self, kind: str, value: Any) -> str:
        """Note a value; gives the mark to write in its place."""
        name = f"@{kind}{len(self.values)}"
        self.values[name] = value
        return name

    def replace(
        self, pattern: str, make: Callable[[Marked, re.Match[str]], str]
    ) -> None:
        """Write marks in place of what a pattern finds."""
        self.text = re.sub(pattern, lambda m: make(self, m), self.text)

    def named(self, kind: str, text: str | None = None) -> list[Any]:
        """What the marks of a kind stand for, in the order of a text."""
        return [
            self.values[mark]
            for mark in re.findall(rf"@{kind}\d+", self.text if text is None else text)
        ]


def clock(minutes: int) -> str:
    """ "HH:MM" of minutes after midnight."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def mark(text: str, year: int | None = None) -> Marked:
    """Mark the time expressions of a sentence in plain spelling.

    >>> mark("no calls before 10 on fridays").text
    'no calls @w1 on @d0'
    """
    found = Marked(text)
    for step in (
        _amounts,
        lambda given: _dates(given, year),
        _days,
        _clock,
        _parts,
        _lunch,
    ):
        step(found)
    found.replace(_REFINED, _joined)
    return found


def _amounts(found: Marked) -> None:
    counts = "|".join(sorted(map(re.escape, COUNTS), key=len, reverse=True))
    kind = r"(?:full |whole |working |business |clear |free |quiet |more )?"
    unit = r"(minute|min|hour|hr|h|day|week)s?\b'?s?'?"
    found.replace(
        r"\b(an?|1) (hour|day) and a half\b",
        lambda to, m: to.put("u", int(UNITS[m[2]] * 1.5)),
    )
    found.replace(rf"\b(\d+(?:\.\d+)?|{counts})[- ]?{kind}(?<![a-z]){unit}", _amount)


def _amount(found: Marked, m: re.Match[str]) -> str:
    if m[1] == "the" or (
        m[2] == "week" and m[1] == "a" and m.string[: m.start()].endswith("times ")
    ):
        return m[0]
    return found.put("u", round((COUNTS.get(m[1]) or float(m[1])) * UNITS[m[2]]))


_DAY = rf"\b({'|'.join(sorted(DAY_NAMES, key=len, reverse=True))})(s?)\b(?!')\.?"
_MONTH = rf"({'|'.join(MONTHS)}|{'|'.join(m[:3] for m in MONTHS)})\b\.?"
_MORE_DAYS = rf"(?:(?:, ?(?:and |or )?| ?/ ?| ?& ?| and | or | and on | or on ){_DAY})*"


def _dates(found: Marked, year: int | None) -> None:
    def day(to: Marked, m: re.Match[str]) -> str:
        month = next(
            i
            for i, name in enumerate(MONTHS, 1)
            if name.startswith(m[3] if m[3].isalpha() else m[4])
        )
        named = WEEKDAYS[DAY_NAMES[m[1]]] if m[1] else None
        chosen = int(m["y"]) if m["y"] else year
        return (
            to.put("a", Day(None, named))
            if chosen is None
            else _dated(to, m[0], chosen, month, int(m["d"]))
        )

    lead, tail = rf"(?:{_DAY},? )?(?:the )?", r"(?:,? (?P<y>\d{4}))?"
    found.replace(
        rf"{lead}\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}{tail}", day
    )
    found.replace(
        rf"{lead}\b{_MONTH} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d){tail}", day
    )
    found.replace(
        r"\b(\d{4})-(\d\d)-(\d\d)\b",
        lambda to, m: _dated(to, m[0], *map(int, m.groups())),
    )


def _dated(found: Marked, said: str, *given: int) -> str:
    try:
        day = date(*given)
    except ValueError:
        return said
    return found.put("a", Day(day.isoformat(), WEEKDAYS[day.weekday()]))


def _days(found: Marked) -> None:
    ends = r"\bbefore the weekend|\bby the end of the (?:working )?week|\bbefore the week (?:is out|is over|ends)"
    found.replace(ends, lambda to, m: "by the end of friday")
    for pattern, days in KNOWN["groups"]:
        group = tuple(WEEKDAYS[i] for i in days)
        found.replace(
            rf"\b(?:{pattern})\b(?!')",
            lambda to, m, group=group: to.put("d", group),  # type: ignore[misc]
        )
    found.replace(rf"{_DAY} ?(?:-|to|through|until) ?{_DAY}", _day_range)
    found.replace(rf"{_DAY}{_MORE_DAYS}", _day_list)


def _day_range(found: Marked, m: re.Match[str]) -> str:
    first, last = DAY_NAMES[m[1]], DAY_NAMES[m[3]]
    return found.put("d", WEEKDAYS[first : last + 1]) if first < last else m[0]


def _day_list(found: Marked, m: re.Match[str]) -> str:
    hits = list(re.finditer(_DAY, m[0]))
    made = found.put("d", tuple(dict.fromkeys(WEEKDAYS[DAY_NAMES[h[1]]] for h in hits)))
    found.plural |= {made} if any(h[2] for h in hits) else set()
    return made


# ---- hours -----------------------------------------------------------------------------------------------------------

_CLOCK = (
    r"\d{1,2}[:.][0-5]\d(?: ?[ap]m)?|\d{1,2} ?[ap]m|\d{1,2} o'clock"
    r"|half past \d{1,2}|(?:a )?quarter (?:past|to) \d{1,2}"
    r"|noon|midday|midnight|\d{1,2} (?:in the (?:morning|afternoon|evening)|at night)"
)
_LATER = r"(?: in the (?:morning|afternoon|evening)| at night)?"
_SURE = rf"(?:(?:{_CLOCK})\b{_LATER})"
_BARE = (
    r"(?:\b\d{1,2}(?![\d:/%]|\.\d|[ -]?(?:meetings?|calls?|people|persons|colleagues|times|things|slots|options|of|more"
    rf"|th|st|nd|rd|days|@u)\b)\b{_LATER})"
)
_TIME = rf"(?:{_SURE}|{_BARE})"
_NEAR = r"(?:about |around |roughly |say |exactly )?"
_LATEST = r"(?:at the latest|or earlier|or before|latest|is the latest)"
_EARLIEST = r"(?:at the earliest|or later|or after|onwards?|earliest|is the earliest)"


def _clock(found: Marked) -> None:
    till = r" ?(?:-|to|and|until|till|up to) ?"
    found.replace(
        rf"\b(?:between |from )?{_NEAR}({_TIME}){till}{_NEAR}({_TIME})", _range
    )
    found.replace(rf"({_TIME}) {_LATEST}", lambda to, m: _edge(to, "by", m[1]))
    found.replace(
        rf"\b(?:from |at )?({_TIME}) {_EARLIEST}",
        lambda to, m: _edge(to, "after", m[1]),
    )
    for via, opener in KNOWN["openers"]:
        opened = rf"\b{opener} {_NEAR}({_TIME})(?: on\b(?! @)|onwards?| and later)?"
        found.replace(opened, lambda to, m, via=via: _edge(to, via, m[1], m[0]))  # type: ignore[misc]
    found.replace(rf"\b{_SURE}", lambda to, m: to.put("t", _minutes(m[0])))
    at = rf"\b(at|for|do|does) {_NEAR}({_BARE})"
    found.replace(at, lambda to, m: f"{m[1]} {to.put('t', _minutes(m[2]))}")


def _range(found: Marked, m: re.Match[str]) -> str:
    if " and " in m[0] and not m[0].startswith("between"):
        return m[0]  # "10:00 and 11:00" are two times
    end = _minutes(m[2])
    start = _minutes(m[1], before=end)
    return found.put("w", Span(start, end, via="between")) if start < end else m[0]


def _edge(found: Marked, via: str, time: str, whole: str = "") -> str:
    minutes = _minutes(time)
    if via == "after":
        return (
            found.put("w", Span(minutes, END, via="after")) if minutes < END else whole
        )
    return found.put("w", Span(0, minutes, via=via)) if minutes else whole


def _minutes(text: str, before: int | None = None) -> int:
    """Minutes after midnight; an hour from 1 to 6 without am or pm, and without a leading zero, is in the afternoon."""
    if (named := re.match(r"noon|midday|midnight", text)) is not None:
        return END if named[0] == "midnight" else 12 * 60
    past = {"half past": 30, "quarter past": 15, "quarter to": -15}.get(
        re.sub(r"^a | \d.*", "", text), 0
    )
    hour, minute = (
        int(digits or 0) for digits in re.findall(r"(\d{1,2})(?:[:.](\d\d))?", text)[0]
    )
    evening = re.search(r"pm\b|afternoon|evening|night", text) is not None
    morning = (
        re.search(r"am\b|morning", text) is not None
        or re.match(r"0\d", text) is not None
    )
    if hour > 24 or (hour == 24 and minute):
        return 0
    if evening and hour < 12:
        hour += 12
    elif morning and hour == 12:
        hour = 0
    elif not (morning or evening):
        later = 1 <= hour <= 6 and (
            before is None or (hour + 12) * 60 + minute < before
        )
        hour += (
            12
            if later or (7 <= hour <= 11 and before is not None and hour * 60 >= before)
            else 0
        )
    return min(max(hour * 60 + minute + past, 0), END)


_NOT_A_WISH = (
    r"(?<!good )(?<!nice )(?<!lovely )(?<!great )(?<!this )(?<!yesterday )(?<!wonderful )(?<!pleasant )(?<!busy )"
    r"(?<!have a )(?<!had a )"
)
_EARLY_OR_LATE = (
    r"\b(?:in |at |over |during |through )?(?:the |an? )?(?:early|late|mid)(?:-| in the |-to-late )"
    r"(?:mornings?|afternoons?)|(?:early|late|mid) (?:mornings?|afternoons?)"
)
_PART = rf"{_NOT_A_WISH}\b(?:lunch ?(?:time|hour|break)?s?|(?:mid-?)?mornings?|(?:mid-?)?afternoons?|evenings?)\b"


def _parts(found: Marked) -> None:
    for pattern, start, end, part in KNOWN["named"]:
        span = Span(start * 60, end * 60, part, "part")
        found.replace(
            rf"\b(?:in |at |over |during )?(?:{pattern})\b",
            lambda to, m, span=span: to.put("w", span),  # type: ignore[misc]
        )
    found.replace(_EARLY_OR_LATE, _part)
    found.replace(_PART, _part)
    found.replace(
        r"\b(?:the )?(?:rest|remainder) of (?:the|her|his|my|their) (?:working )?day\b",
        _rest,
    )


def _part(found: Marked, m: re.Match[str]) -> str:
    base = next(p for p in ("morning", "afternoon", "lunch", "evening") if p in m[0])
    when = next((w for w in ("early", "late", "mid") if re.search(rf"\b{w}", m[0])), "")
    part = f"mid-{base}" if when == "mid" else f"{when} {base}".strip()
    start, end = KNOWN["parts"][part]
    return found.put("w", Span(start * 60, end * 60, part, "part"))


def _rest(found: Marked, m: re.Match[str]) -> str:
    if not (known := found.named("w", m.string[: m.start()])):
        return m[0]
    span, (low, high) = known[-1], DAY
    rest = (
        (span.end, high * 60)
        if span.start <= (low + 2) * 60
        else (low * 60, span.start)
    )
    return found.put("w", Span(*rest, via="rest")) if rest[0] < rest[1] else m[0]


def _lunch(found: Marked) -> None:
    """Lunch is what somebody eats, and no time to meet, in a sentence that says its hours."""
    windows = {
        name: span for name, span in found.values.items() if isinstance(span, Span)
    }
    if any(span.via == "between" for span in windows.values()):
        for name in (name for name, span in windows.items() if span.part == "lunch"):
            eaten = rf"(?<!over )(?<!during )(?<!at )(?<!no ){name}\b(?! (?:meetings?|calls?))"
            found.replace(eaten, lambda to, m: "lunch")


_BETWEEN_MARKS = r"(?:,? ?\(|,|:)?(?: (?:that is|so|from|i mean|meaning|say|roughly|ideally|preferably|but|and|only))*,? ?"
_REFINED = rf"(@w\d+){_BETWEEN_MARKS}(@w\d+)(?:\)|,(?! (?:no|not|never|nothing|and|but|or|except|please|above|if|so)\b))?"


def _joined(found: Marked, m: re.Match[str]) -> str:
    """A part of the day whose hours follow, or come before, is those hours."""
    a, b = found.values[m[1]], found.values[m[2]]
    if (a.via == "part") == (b.via == "part") or "rest" in (a.via, b.via):
        return m[0]
    part, hours = (a, b) if a.via == "part" else (b, a)
    low, high = max(part.start, hours.start), min(part.end, hours.end)
    if low >= high or re.search(r" and(?! only)", m[0]):
        return m[0]
    open_ended = hours.start == 0 or hours.end == END
    return found.put(
        "w",
        Span(low, high, via="hours")
        if open_ended
        else Span(hours.start, hours.end, via="hours"),
    )
