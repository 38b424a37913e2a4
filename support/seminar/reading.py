"""Replies about dates, read by patterns: which dates of a programme somebody can do, perhaps can, cannot do.

A text is cut into clauses; a clause gives its mood (firm, vague, impossible) to the dates that it names. What the
patterns do not know is not understood: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from support.seminar.data import later
from support.seminar.rules import NUMBERS

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.IGNORECASE)


_MONTH = "|".join(rf"{name[:3]}(?:{name[3:]}|\.)?" for name in MONTHS if name != "september") + r"|sept?(?:ember|\.)?"
_NAMED = rf"(?:{_MONTH}|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_MORE = r"((?:\s*(?:,|and|or|&|/)\s*(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?){1,31})"
_DATED = _any(rf"{_DAY}(?:\s+of)?\s+({_MONTH})", rf"({_MONTH})\s+(?:the\s+)?{_DAY}", r"(\d{4})-(\d\d)-(\d\d)")
_LIST = _any(rf"{_DAY}{_MORE}(?:\s+of)?\s+({_MONTH})")
_AFTER = _any(rf"({_MONTH})\s+(?:the\s+)?{_DAY}{_MORE}")
_BARE = _any(r"the\s+(\d{1,2})(?:st|nd|rd|th)")
_NUMBER = re.compile(r"\d{1,2}")
_YEAR = re.compile(r",?\s+(20\d\d)\b(?!-)")

_THESE = r"(?:them|(?:the|your|these|those) (?:\w+ )?(?:dates|days|slots)|these|those)"
ALL = _any(
    rf"(?:all|any|every one|each|either) of {_THESE}", r"all (?:the |your |those )?(?:dates|days|slots)",
    r"(?:every|any) (?:one|date|day|slot)(?! (?:of the week|else))", "whichever", "whenever",
)  # fmt: skip
NONE = _any(rf"(?:none|not one) of {_THESE}", "no dates?")
EXCEPT = _any("except", "apart from", "other than", "but not", "save")
REST = _any("the others?", "the rest", "the other dates", "others")
CANNOT = _any(
    "can'?t", "cannot", "can not", "could not", "couldn'?t", "won'?t", "impossible", "unable", "unfortunately",
    "(?:is|are|am|'m) not", "(?:is|are)n'?t(?! out)", "not (?:possible|able|free|work)", "(?:does|do)n'?t work",
    "no good", "out of the question", "taken", "busy", "away(?! from)", "blocked", r"(?:over-?)?committed",
    "fallen through", "is a no", "no to", "(?:is|are) out", "gone(?! through)", "no way",
    rf"not (?:free )?(?:on )?(?:the )?(?:\d\w*|{_NAMED})", "conflicts?", r"clash\w*", "travelling", "abroad", "i teach",
    r"(?:there'?s|there is|have) an? (?:\w+ )?(?:interview|exam)", "interviews (?:on|for)", r"\w+ has me",
)  # fmt: skip
PERHAPS = _any(
    "perhaps", "maybe", "possibly", "probably", "might", "may be able", "unsure", "uncertain", r"tentative\w*",
    "likely", "should (?:be|work)", "could (?:be|perhaps|work|happen)", "with (?:some )?luck", "if all goes",
    "have to (?:check|see)", "pencil", r"provisional\w*", "depends?",
)  # fmt: skip
UNSURE = _any("not (?:quite |really |entirely |yet )?(?:sure|certain)", "not ruled out", "not fixed")
DECLINE = _any(
    "(?:have to|must|will|'ll|need to) (?:decline|pass|say no|refuse)", "decline", "not give talks",
    "cannot (?:speak|take part|join|come) (?:this|at all|in)", "not be able to (?:speak|take part|join)",
    "this (?:term|season|year|autumn|spring|time) (?:is|will be) (?:too full|impossible)",
    "ask (?:somebody|someone) else", "leave me out",
)  # fmt: skip
CANCEL = _any(
    "(?:to|must|will|i|i'll|i'm) cancel(?:ling)?", "withdraw", "have to give [^.]{2,40} back", "bailing on",
    "can no longer", "after all,? not",
    "not (?:come|speak|make it) after all", r"take back (?:my|the) \w+",
)  # fmt: skip
WAITING = _any(
    "get back to you", "let you know", "come back to (?:you|me)", "check (?:my|with|back)", "write again",
    "ask me again", "try me", "need (?:some |a few |more )?(?:time|days)", "have an answer", "tell you",
)  # fmt: skip
LATER = _any(
    r"(?:in|within|after|give me) (?:a |an |about |another )?(\d+|[a-z]+)? ?(?:working )?(days?|weeks?|months?)",
    "next (week|month)",
)

_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
_SHORT = rf"((?i:{'|'.join(name[:3] for name in MONTHS)}|sept))"
_ABBREVIATED = re.compile(rf"(?<!\d )(?<!\d(?:th|st|nd|rd) )\b{_SHORT}\.(?=\s+\d)|\b{_SHORT}\.(?!\s+[A-Z\d]|\s*$)")
"""A month cut short inside of a sentence; before a capital, or as in "8 Dec. 15 Sep", its full stop ends one, too."""
_BLANKS = re.compile(r"[ \t]+")
_CLAUSE = re.compile(
    r"[.;!?\n]+(?:\s|$)|,?\s+(?:but|though|although|while|whereas|however)\s+"
    rf"|,\s+(?=(?:the\s+)?{_WEEKDAY}(?:\d|{_MONTH})|not |maybe |perhaps |possibly |probably |the (?:others?|rest)\b)",
    re.IGNORECASE,
)
"""Where one clause ends and the next begins."""

_ENDS_IN_DATE = re.compile(rf"(?:\d(?:st|nd|rd|th)?|{_MONTH}|\d{{4}})$", re.IGNORECASE)
"""A comma after a date goes on with the list, or with the year."""


FURTHEST = 366
"""Days ahead that somebody may want to wait; whoever writes of more means never."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says about dates; dates in order, each in one of the first three only."""

    available: tuple[date, ...] = ()
    vague: tuple[date, ...] = ()
    unavailable: tuple[date, ...] = ()
    never_offered: tuple[date, ...] = ()
    declined: bool = False
    cancelled: bool = False
    wait_until: date | None = None


def read_reply(text: str, offered: Sequence[date], today: date) -> Reading:
    """What a reply says.

    `offered` are the dates that the organiser named; others that are mentioned are `never_offered`, where they are in
    the future. "In two weeks" counts from `today`.

    >>> slots = (date(2027, 9, 15), date(2027, 10, 13), date(2027, 11, 10))
    >>> read = read_reply("October 13 is fine, the 10th of November perhaps.", slots, date(2027, 8, 16))
    >>> read.available, read.vague
    ((datetime.date(2027, 10, 13),), (datetime.date(2027, 11, 10),))
    """
    moods, strange = _Moods(set(offered)), set[date]()
    for clause in _clauses(text):
        known, others = _dates(clause, offered, today)
        strange |= others
        moods.hear(clause, known)
    firm, vague = moods.firm - moods.cannot, moods.vague - moods.cannot - moods.firm
    declined = bool(DECLINE.search(text)) and not firm and not vague
    return Reading(
        tuple(sorted(firm)),
        tuple(sorted(vague)),
        tuple(sorted(moods.cannot)),
        tuple(sorted(strange)),
        declined,
        bool(CANCEL.search(text)),
        _until(text, today) if not firm and not vague and not declined else None,
    )


@dataclass
class _Moods:
    """The dates by what the clauses so far said of them; a date may be in several, until all clauses are heard."""

    offered: set[date]
    firm: set[date] = field(default_factory=set)
    vague: set[date] = field(default_factory=set)
    cannot: set[date] = field(default_factory=set)

    def hear(self, clause: str, known: set[date]) -> None:
        """Take in one clause and the offered dates that it names."""
        if NONE.search(clause):
            self.cannot |= self.offered
        elif DECLINE.search(clause) and not known:
            return
        elif ALL.search(clause) and EXCEPT.search(clause):
            self.cannot |= known
            (self.vague if PERHAPS.search(clause) else self.firm).update(self.offered - known)
        elif ALL.search(clause) and not known:
            self._of(clause).update(self.offered)
        elif known or REST.search(clause):
            self._of(clause).update(known or self.offered - self.firm - self.vague - self.cannot)

    def _of(self, clause: str) -> set[date]:
        """The dates of the mood that a clause has."""
        if UNSURE.search(clause):
            return self.vague
        if CANNOT.search(clause) or CANCEL.search(clause):
            return self.cannot
        return self.vague if PERHAPS.search(clause) else self.firm


def _clauses(text: str) -> Iterable[str]:
    """The clauses; a comma between two dates of one list does not end one."""
    plain = _ABBREVIATED.sub(lambda match: match[1] or match[2], _BLANKS.sub(" ", text.replace("’", "'")))
    begin = 0
    for cut in _CLAUSE.finditer(plain):
        before = plain[max(begin, cut.start() - len("september")) : cut.start()]
        in_list = cut[0].strip() == "," and _ENDS_IN_DATE.search(before)
        if not in_list:
            yield plain[begin : cut.start()]
            begin = cut.end()
    if plain[begin:].strip():
        yield plain[begin:]


def _dates(text: str, offered: Sequence[date], today: date) -> tuple[set[date], set[date]]:
    """The dates that a text names: of the programme, and others after today."""
    found = set(_written(text))
    known = {slot for slot in offered if {(None, slot.month, slot.day), (slot.year, slot.month, slot.day)} & found}
    without = _DATED.sub(" ", _AFTER.sub(" ", _LIST.sub(" ", text)))  # else "the 5th of May" would be any 5th, too
    for number in {int(match[1]) for match in _BARE.finditer(without)}:
        same = [slot for slot in offered if slot.day == number]
        known |= set(same) if len(same) == 1 else set()
    strange = {
        (y, m, d) for y, m, d in found if not any((m, d) == (s.month, s.day) and y in (None, s.year) for s in known)
    }
    others = {_day(y, m, d) if y else _next(m, d, today) for y, m, d in strange}
    return known, {day for day in others if day and day > today}


def _written(text: str) -> Iterator[tuple[int | None, int, int]]:
    """Year (None where none is given), month and day of every date that is written out."""
    for match in _LIST.finditer(text):
        yield from ((_year(match), _month(match[3]), int(k)) for k in (match[1], *_NUMBER.findall(match[2])))
    for match in _AFTER.finditer(text):
        yield from ((_year(match), _month(match[1]), int(k)) for k in (match[2], *_NUMBER.findall(match[3])))
    for match in _DATED.finditer(text):
        if match[5]:
            yield int(match[5]), int(match[6]), int(match[7])
        else:
            yield _year(match), _month(match[2] or match[3]), int(match[1] or match[4])


def _year(match: re.Match[str]) -> int | None:
    """The year that stands behind a date."""
    found = _YEAR.match(match.string, match.end())
    return int(found[1]) if found else None


def _month(word: str) -> int:
    return next(k for k, name in enumerate(MONTHS, 1) if name.startswith(word.lower().rstrip(".")[:3]))


def _next(month: int, day: int, today: date) -> date | None:
    """The next day of that month and number after today; None where there is no such day."""
    made = (_day(year, month, day) for year in (today.year, today.year + 1))
    return next((day for day in made if day and day > today), None)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _until(text: str, today: date) -> date | None:
    """The day before which somebody does not want to be asked, where they say that they need time."""
    if not WAITING.search(text):
        return None
    match = LATER.search(text)
    if not match:
        return None
    unit = (match[2] or match[3] or "days").rstrip("s").lower()
    word = (match[1] or "one").lower()
    count = int(word) if word.isdigit() else NUMBERS.get(word, 3 if word == "few" else 1)
    days = min(count * {"day": 1, "week": 7, "month": 30}[unit], FURTHEST)
    return later(today, days) if "working" in match[0].lower() else today + timedelta(days=days)
