"""Times of day, windows and parts of the day found in a sentence, and marked."""

from __future__ import annotations

import re
from functools import partial

from support.environments.meetings.reading.marked import END, Marked, Span
from support.environments.meetings.reading.vocabulary import DAY, OFFICE, PARTS


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
