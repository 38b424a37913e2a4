"""Time expressions of a sentence, found and marked: plain spelling, then amounts, dates, weekdays and hours.

A marked sentence reads "no meetings @w1 on @d0", with what the marks stand for beside it: `t` a time of day, `w` a
window, `d` weekdays, `a` a date, `u` an amount of time. The rules then look at the few words that remain.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any

from support.meetings.data import WEEKDAYS

# ---- the words that are known ----------------------------------------------------------------------------------------

PARTS = {
    "early morning": (8, 10),
    "mid-morning": (9, 11),
    "late morning": (10, 12),
    "morning": (8, 12),
    "lunch": (12, 13),
    "early afternoon": (13, 15),
    "mid-afternoon": (14, 16),
    "late afternoon": (15, 18),
    "afternoon": (12, 18),
    "evening": (17, 21),
}
"""Hours of a part of the day when a text gives none; they follow an office day from 8 to 18."""

OFFICE = (9, 17)
"""Office hours when a text names them without times."""

DAY = (8, 18)
"""The day that "the rest of the day" fills up."""

NOTICE_HOURS, GAP_MINUTES = 24, 15
"""What "advance notice" and "no back-to-back meetings" mean when a text gives no amount."""

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

_TO_TWELVE = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TO_NINETEEN = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
NUMBERS = {word: n for n, word in enumerate((*_TO_TWELVE, *_TO_NINETEEN), start=2)} | {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
}  # fmt: skip

SHORT_DAYS = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
DAY_NAMES = {name.lower(): i for i, name in enumerate(WEEKDAYS)} | SHORT_DAYS

GROUPS = {
    r"(?:early in|the start of|start of|the beginning of|beginning of|at the top of) the week": (0, 1),
    r"(?:the )?first half of the week": (0, 1, 2),
    r"(?:mid-?week|(?:the )?middle of the week)": (1, 2, 3),
    r"(?:the )?second half of the week": (2, 3, 4),
    r"(?:late in the week|later in the week|towards? the end of the week)": (3, 4),
    r"weekends?": (5, 6),
    r"weekdays|working days": (0, 1, 2, 3, 4),
}
"""Groups of weekdays by name, as indices from Monday."""


# ---- plain spelling --------------------------------------------------------------------------------------------------

_TABLE = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": ",", "‑": "-", "…": "...", "\xa0": " "})
_TENS = "|".join(w for w, n in NUMBERS.items() if n >= 20)
_UNITS = "|".join(w for w, n in NUMBERS.items() if n < 10)
_PLAIN: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r" ?& ?", " and "),
    (r"\bi\.e\.|\be\.g\.", "that is"),
    (r"\b([ap])\. ?m\b\.?", r"\1m"),
    (r"\bcan'?t\b", "cannot"),
    (r"\bwon'?t\b", "will not"),
    (r"\b(do|does|did|is|are|was|were|would|could|should|have|has|must|need)n't\b", r"\1 not"),
    (r"\b(that|it|he|she|there|what|here)'s\b", r"\1 is"),
    (r"\b(i)'m\b", r"\1 am"),
    (r"\b(they|we|you)'re\b", r"\1 are"),
    (r"\b(\w+)'ll\b", r"\1 will"),
    (r"\b(i|he|she|they|we|you)'d\b", r"\1 would"),
    (r"\b(i|we|they|you)'ve\b", r"\1 have"),
    (r"\blet's\b", "let us"),
    (rf"\b({_TENS})[- ]({_UNITS}|one)\b", lambda m: str(_number(m[1]) + _number(m[2]))),
    (rf"\b({'|'.join(NUMBERS)})\b", lambda m: str(_number(m[1]))),
    (r"\bone(?= (?:to|until|till) \d)", "1"),
    (r"\bone(?= (?:full |whole |working |business )?(?:hours?|days?|weeks?|minutes?|am\b|pm\b|o'clock))", "1"),
    (r"\b(at|by|before|after|until|till|from|past|than|between) one\b(?! (?:of|more|another|who|that)\b)", r"\1 1"),
    (r"(\d(?: ?[ap]m)? (?:to|and|until|till) |\d ?- ?)one\b", r"\g<1>1"),
]


def _number(word: str) -> int:
    return NUMBERS.get(word, 1)


def plain(text: str) -> str:
    """A text in lower case and plain spelling.

    >>> plain("I can’t do  half past Nine a.m.")
    'i cannot do half past 9 am'
    """
    text = re.sub(r"\s+", " ", text.translate(_TABLE)).strip().lower()
    for pattern, replacement in _PLAIN:
        text = re.sub(pattern, replacement, text)
    return text


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text as they are written.

    >>> sentences("Hello! Before 10 a.m. is fine. Not at 9.30.")
    ('Hello!', 'Before 10 a.m. is fine.', 'Not at 9.30.')
    """
    text = re.sub(r"\s+", " ", text.replace("\n\n", ". ")).strip()
    parts = re.split(r"(?<=[.!?])(?<!\bi\.e\.)(?<!\be\.g\.)(?<!\b[aApP]\.[mM]\.)\s+(?=\S)", text)
    joined: list[str] = []
    for part in parts:  # "10 a.m. On Mondays" is split at the capital after all
        joined += re.split(r"(?<=[aApP]\.[mM]\.) (?=[A-Z][a-z])", part)
    return tuple(p for p in joined if re.search(r"\w", p))


# ---- marks -----------------------------------------------------------------------------------------------------------

END = 24 * 60


@dataclass(frozen=True, slots=True)
class Span:
    """A window in minutes after midnight, with the part of the day it is named by and the way in which it is said."""

    start: int
    end: int
    part: str | None = None
    via: str = ""

    @property
    def open(self) -> bool:
        """Whether one side of it is not said."""
        return self.start == 0 or self.end == END


@dataclass(frozen=True, slots=True)
class Day:
    """A date, ISO or None where the year is unknown, and its weekday if known."""

    iso: str | None
    weekday: str | None


@dataclass
class Marked:
    """A sentence with marks in place of time expressions."""

    text: str
    times: dict[str, int] = field(default_factory=dict)
    windows: dict[str, Span] = field(default_factory=dict)
    weekdays: dict[str, tuple[str, ...]] = field(default_factory=dict)
    dates: dict[str, Day] = field(default_factory=dict)
    amounts: dict[str, int] = field(default_factory=dict)
    plural: set[str] = field(default_factory=set)

    def put(self, kind: str, value: Any) -> str:
        """Note a value; gives the mark to write in its place."""
        kinds: dict[str, dict[str, Any]] = {
            "t": self.times,
            "w": self.windows,
            "d": self.weekdays,
            "a": self.dates,
            "u": self.amounts,
        }
        name = f"@{kind}{sum(map(len, kinds.values()))}"
        kinds[kind][name] = value
        return name

    def replace(self, pattern: str, make: Callable[[re.Match[str]], str]) -> None:
        """Write marks in place of what a pattern finds."""
        self.text = re.sub(pattern, make, self.text)


def clock(minutes: int) -> str:
    """ "HH:MM" of minutes after midnight.

    >>> clock(570)
    '09:30'
    """
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


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


# ---- hours -----------------------------------------------------------------------------------------------------------


def hours(found: Marked) -> None:
    """Mark the times of a sentence whose amounts and days are marked."""
    _clock(found)
    _parts(found)
    _lunch(found)
    _refine(found)


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
_OPENERS = {
    "by": r"(?:(?:no|not) later than|by|up to)",
    "after": r"(?:(?:no|not) (?:earlier|sooner) than|starting(?: at| from)?|any time after|from|after|later than"
             r"|(?<!half )(?<!quarter )past|as of|beyond)",
    "before": r"(?:before|until|till|earlier than|prior to|ahead of)",
}  # fmt: skip


def _clock(found: Marked) -> None:
    found.replace(
        rf"\b(?:between |from )?{_NEAR}({_TIME}) ?(?:-|to|and|until|till|up to) ?{_NEAR}({_TIME})",
        lambda m: _range(found, m),
    )
    found.replace(
        rf"({_TIME}) (?:at the latest|or earlier|or before|latest|is the latest)", lambda m: _edge(found, "by", m[1])
    )
    found.replace(
        rf"\b(?:from |at )?({_TIME}) (?:at the earliest|or later|or after|onwards?|earliest|is the earliest)",
        lambda m: _edge(found, "after", m[1]),
    )
    for via, opener in _OPENERS.items():
        found.replace(
            rf"\b{opener} {_NEAR}({_TIME})(?: on\b(?! @)|onwards?| and later)?",
            partial(_opened, found, via),
        )
    found.replace(rf"\b{_SURE}", lambda m: found.put("t", _minutes(m[0])))
    found.replace(rf"\b(at|for|do|does) {_NEAR}({_BARE})", lambda m: f"{m[1]} {found.put('t', _minutes(m[2]))}")


def _opened(found: Marked, via: str, m: re.Match[str]) -> str:
    return _edge(found, via, m[1], m[0])


def _window(found: Marked, span: Span, m: re.Match[str]) -> str:
    return found.put("w", span)


def _range(found: Marked, m: re.Match[str]) -> str:
    if " and " in m[0] and not m[0].startswith("between"):
        return m[0]  # "10:00 and 11:00" are two times
    end = _minutes(m[2])
    start = _minutes(m[1], before=end)
    return found.put("w", Span(start, end, via="between")) if start < end else m[0]


def _edge(found: Marked, via: str, time: str, whole: str = "") -> str:
    minutes = _minutes(time)
    if via == "after":
        return found.put("w", Span(minutes, END, via="after")) if minutes < END else whole
    return found.put("w", Span(0, minutes, via=via)) if minutes else whole


def _minutes(text: str, before: int | None = None) -> int:
    """Minutes after midnight; an hour from 1 to 6 without am or pm, and without a leading zero, is in the afternoon."""
    if (named := re.match(r"noon|midday|midnight", text)) is not None:
        return END if named[0] == "midnight" else 12 * 60
    past = {"half past": 30, "quarter past": 15, "quarter to": -15}.get(re.sub(r"^a | \d.*", "", text), 0)
    hour, minute = (int(digits or 0) for digits in re.findall(r"(\d{1,2})(?:[:.](\d\d))?", text)[0])
    evening = re.search(r"pm\b|afternoon|evening|night", text) is not None
    morning = re.search(r"am\b|morning", text) is not None or re.match(r"0\d", text) is not None
    if hour > 24 or (hour == 24 and minute):
        return 0
    if evening and hour < 12:
        hour += 12
    elif morning and hour == 12:
        hour = 0
    elif (not (morning or evening) and 1 <= hour <= 6 and (before is None or (hour + 12) * 60 + minute < before)) or (
        not (morning or evening) and 7 <= hour <= 11 and before is not None and hour * 60 >= before
    ):
        hour += 12
    return hour * 60 + minute + past


_NOT_A_WISH = (
    r"(?<!good )(?<!nice )(?<!lovely )(?<!great )(?<!this )(?<!yesterday )(?<!wonderful )(?<!pleasant )(?<!busy )"
    r"(?<!have a )(?<!had a )"
)
_NAMED = {
    r"(?:right|straight|just|directly) after lunch(?:time)?": (13, 15, "early afternoon"),
    r"(?:before|until|by) lunch(?:time)?": (0, 12, None),
    r"after lunch(?:time)?": (13, 24, None),
    r"first thing(?: in the (?:morning|day))?|(?:at )?the start of (?:the|her|his|my|their) (?:working )?day"
    r"|early (?:on )?in the day|earl(?:y|ier) (?:slots|meetings|starts)": (*PARTS["early morning"], "early morning"),
    r"last thing(?: in the (?:day|afternoon))?|(?:at )?the end of (?:the|her|his|my|their) (?:working )?day"
    r"|late in the day|late slots|late meetings": (*PARTS["late afternoon"], "late afternoon"),
    r"(?:the )?first half of the day": (*PARTS["morning"], "morning"),
    r"(?:the )?second half of the day": (*PARTS["afternoon"], "afternoon"),
    r"(?:office|working|business) hours": (*OFFICE, None),
}  # fmt: skip


def _parts(found: Marked) -> None:
    for pattern, (start, end, part) in _NAMED.items():
        found.replace(
            rf"\b(?:in |at |over |during )?(?:{pattern})\b",
            partial(_window, found, Span(start * 60, end * 60, part, "part")),
        )
    found.replace(
        r"\b(?:in |at |over |during |through )?(?:the |an? )?(?:early|late|mid)(?:-| in the |-to-late )"
        r"(?:mornings?|afternoons?)|(?:early|late|mid) (?:mornings?|afternoons?)",
        lambda m: _part(found, m[0]),
    )
    found.replace(
        rf"{_NOT_A_WISH}\b(?:lunch ?(?:time|hour|break)?s?|(?:mid-?)?mornings?|(?:mid-?)?afternoons?|evenings?)\b",
        lambda m: _part(found, m[0]),
    )
    found.replace(
        r"\b(?:the )?(?:rest|remainder) of (?:the|her|his|my|their) (?:working )?day\b", lambda m: _rest(found, m)
    )


def _lunch(found: Marked) -> None:
    """Lunch is what somebody eats, and no time to meet, in a sentence that says its hours."""
    hours = [m for m, s in found.windows.items() if s.via == "between"]
    for name, span in found.windows.items():
        if span.part == "lunch" and hours:
            found.replace(
                rf"(?<!over )(?<!during )(?<!at )(?<!no ){name}\b(?! (?:meetings?|calls?))", lambda m: "lunch"
            )


def _part(found: Marked, text: str) -> str:
    base = next(p for p in ("morning", "afternoon", "lunch", "evening") if p in text)
    when = next((w for w in ("early", "late", "mid") if re.search(rf"\b{w}", text)), "")
    part = f"mid-{base}" if when == "mid" else f"{when} {base}".strip()
    start, end = PARTS[part]
    return found.put("w", Span(start * 60, end * 60, part, "part"))


def _rest(found: Marked, m: re.Match[str]) -> str:
    known = re.findall(r"@w\d+", m.string[: m.start()])
    if not known:
        return m[0]
    span, (low, high) = found.windows[known[-1]], DAY
    rest = (span.end, high * 60) if span.start <= (low + 2) * 60 else (low * 60, span.start)
    return found.put("w", Span(*rest, via="rest")) if rest[0] < rest[1] else m[0]


_BETWEEN_MARKS = (
    r"(?:,? ?\(|,|:)?(?: (?:that is|so|from|i mean|meaning|say|roughly|ideally|preferably|but|and|only))*,? ?"
)


def _refine(found: Marked) -> None:
    """A part of the day whose hours follow, or come before, is those hours."""
    found.replace(
        rf"(@w\d+){_BETWEEN_MARKS}(@w\d+)(?:\)|,(?! (?:no|not|never|nothing|and|but|or|except|please|above|if|so)\b))?",
        lambda m: _joined(found, m),
    )


def _joined(found: Marked, m: re.Match[str]) -> str:
    a, b = found.windows[m[1]], found.windows[m[2]]
    if (a.via == "part") == (b.via == "part") or "rest" in (a.via, b.via):
        return m[0]
    part, hours = (a, b) if a.via == "part" else (b, a)
    low, high = max(part.start, hours.start), min(part.end, hours.end)
    if low >= high or re.search(r" and(?! only)", m[0]):
        return m[0]
    both = Span(low, high, via="hours") if hours.open else Span(hours.start, hours.end, via="hours")
    return found.put("w", both)
