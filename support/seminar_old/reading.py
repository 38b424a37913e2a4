"""Replies about dates, read by patterns: which dates of a programme somebody can do, perhaps can, cannot do.

A text is cut into sentences and clauses; a clause gives its mood (firm, vague, impossible) to the dates that it names.
The reader is precise first: a date is firm only where every word of its sentence is understood as a plain yes (see
`plainly`), and nothing else in the reply takes it back. Any other sentence with a date is `unclear`: somebody is asked.
The phrases and the patterns are in `reading.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from difflib import get_close_matches
from functools import cache, lru_cache
from types import SimpleNamespace

from support.seminar import plainly
from support.seminar.data import later, lexicon
from support.seminar.rules import NUMBERS

MONTHS = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)


def _lexicon() -> tuple[SimpleNamespace, SimpleNamespace, list[str]]:
    """What `reading.toml` holds: phrases, patterns, and the numbers of days as words."""
    known, filled = lexicon("reading.toml")
    patterns = {
        name: re.compile(filled(pattern))
        for name, pattern in known.pop("patterns").items()
    }
    months = "|".join(
        rf"(?P<{month}>\b(?:de )?(?:{words})\b)"
        for month, words in known.pop("foreign").items()
    )
    patterns["foreign"] = re.compile(months, re.IGNORECASE)
    says = {
        name: re.compile(
            rf"\b(?:{'|'.join(map(filled, known[name]))})\b", re.IGNORECASE
        )
        for name in known
    }
    return (
        SimpleNamespace(**says),
        SimpleNamespace(**patterns),
        filled("{ordinal}").split("|"),
    )


SAYS, _FORM, _ORDINALS = _lexicon()
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
FURTHEST = (
    366  # days ahead that somebody may want to wait; whoever writes of more means never
)
NEAR = 80  # characters before and after a comma that tell what it is


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says about dates, in order, each in one of the first three only; `unclear` sentences give none."""

    available: tuple[date, ...] = ()
    vague: tuple[date, ...] = ()
    unavailable: tuple[date, ...] = ()
    never_offered: tuple[date, ...] = ()
    declined: bool = False
    cancelled: bool = False
    wait_until: date | None = None
    unclear: tuple[str, ...] = ()


@lru_cache(4096)  # rehearsals of the same people read the same replies
def read_reply(
    text: str, offered: tuple[date, ...], today: date, time: str = "14:00"
) -> Reading:
    """What a reply says of the dates that the organiser `offered`, and of others to come.

    "In two weeks" counts from `today`; `time` is that of all dates, and a date at another one is asked about.

    >>> slots = (date(2027, 9, 15), date(2027, 10, 13), date(2027, 11, 10))
    >>> read = read_reply("October 13 is fine, the 10th of November perhaps.", slots, date(2027, 8, 16))
    >>> read.available, read.vague
    ((datetime.date(2027, 10, 13),), (datetime.date(2027, 11, 10),))
    >>> read_reply("On 13 October I have to be at the dentist's.", slots, date(2027, 8, 16)).unclear
    ("On 13 October I have to be at the dentist's.",)
    """
    inline = tuple(" ".join(match[0].split()) for match in _FORM.inline.finditer(text))
    written, text = (
        [sentence for _, sentence in _sentences(text)],
        _plain(text, offered, time),
    )
    letter = _FORM.closing.search(text + "\n")
    body = letter.start() if letter else len(text)
    moods, strange, unclear, others = (
        _Moods(set(offered)),
        set[date](),
        [*inline],
        list[str](),
    )
    for begin, sentence in _sentences(text):
        whole = plainly.understood(_with_marks(sentence)) == plainly.YES
        heard = [
            _heard(clause, offered, today, sentence)
            for clause in ([sentence] if whole else _clauses(sentence))
        ]
        if any(clause.mood or clause.others for clause in heard):
            listed = begin >= body and any(
                clause.plain == plainly.BARE for clause in heard
            )  # below the signature
            if all(_sure(clause, heard) for clause in heard) and not listed:
                for clause in heard:
                    moods.hear(clause)
                    strange |= clause.others
            elif not SAYS.out.search(sentence):
                unclear.append(sentence)
                moods.unclear |= {day for clause in heard for day in clause.known}
        elif begin < body or SAYS.hedge.search(sentence):
            others.append(sentence)
    unclear += moods.taken_back(others)
    firm, vague = (
        moods.firm - moods.cannot - moods.unclear,
        moods.vague - moods.cannot - moods.firm,
    )
    declined = bool(SAYS.decline.search(text)) and not firm and not vague
    until = _until(text, today) if not firm and not vague and not declined else None
    if not (
        firm
        or vague
        or moods.cannot
        or strange
        or unclear
        or declined
        or until
        or SAYS.out.search(text)
    ):
        unclear = [sentence for sentence in others if SAYS.hints.search(sentence)]
    quoted = dict.fromkeys(
        (get_close_matches(sentence, written, 1) or [sentence])[0]
        for sentence in unclear
    )
    can, perhaps, cannot, never = (
        tuple(sorted(days)) for days in (firm, vague, moods.cannot, strange)
    )
    cancelled = bool(SAYS.cancel.search(text))
    return Reading(
        can, perhaps, cannot, never, declined, cancelled, until, tuple(quoted)
    )


def agrees(text: str) -> bool:
    """Whether a reply that names no date is a plain yes to the only one that was asked about."""
    sentences = [sentence for _, sentence in _sentences(_plain(text, ()))]
    kinds = [
        plainly.understood(sentence, asked=True)
        for sentence in sentences
        if not sentence.endswith("?")
    ]
    taken = any(
        _takes_back(sentence)
        for sentence, kind in zip(sentences, kinds, strict=False)
        if not kind
    )
    return plainly.YES in kinds and len(kinds) == len(sentences) and not taken


def named(text: str, offered: Sequence[date]) -> tuple[date, ...]:
    """The offered dates that a text names, whatever it says of them."""
    return (
        tuple(sorted(_dates(_plain(text, offered), offered, min(offered))[0]))
        if offered
        else ()
    )


def settled(
    answer: str, unclear: Sequence[str], offered: Sequence[date], today: date
) -> Reading | None:
    """What somebody who was asked about unclear sentences says of their dates; None where no date is in the answer."""
    about = named(" . ".join(unclear), offered) or tuple(offered)
    word = answer.casefold().strip(" .!")
    if word in ("all", "all of them", "yes", "both", "these", "yes, all"):
        return Reading(available=about)
    if word in ("none", "none of them", "no", "neither", "no date", "nothing"):
        return Reading()
    found = read_reply(answer, tuple(offered), today)
    return (
        found
        if (found.available or found.vague or found.unavailable) and not found.unclear
        else None
    )


FIRM, VAGUE, CANNOT_DO, UNCLEAR = "firm", "vague", "cannot", "unclear"


@dataclass(frozen=True)
class _Clause:
    """A clause with the offered dates and the others that it names, what it says of them, "" for nothing of dates."""

    text: str
    known: frozenset[date]
    others: frozenset[date]
    plain: str
    mood: str


def _heard(text: str, offered: Sequence[date], today: date, sentence: str) -> _Clause:
    known, others = _dates(text, offered, today)
    plain = plainly.understood(_with_marks(text))
    mood, counted = _mood(text, bool(known), plain), _FORM.counted.search(text)
    if mood == FIRM and sentence.endswith("?"):
        mood = VAGUE if plain == plainly.BARE else UNCLEAR
    if (
        mood == FIRM
        and not known
        and counted
        and NUMBERS[counted[1].lower()] != len(offered)
    ):  # "all three" of four
        mood = UNCLEAR
    if not mood and others and plain not in (plainly.YES, plainly.BARE):
        mood = UNCLEAR
    return _Clause(text, frozenset(known), frozenset(others), plain, mood)


def _mood(clause: str, dated: bool, plain: str) -> str:
    if SAYS.none.search(clause):
        return CANNOT_DO
    whole = SAYS.all.search(clause) or SAYS.rest.search(clause)
    if not dated and (
        not whole or SAYS.decline.search(clause) or SAYS.waiting.search(clause)
    ):
        return ""
    if plain in (plainly.YES, plainly.BARE):
        return FIRM
    less = SAYS.all.search(clause) and SAYS.except_.search(clause)
    clause = SAYS.except_.sub(" ", clause) if less else clause
    if SAYS.unsure.search(clause):
        return VAGUE
    if SAYS.cannot.search(clause) or SAYS.cancel.search(clause):
        return UNCLEAR if less or SAYS.double.search(clause) else CANNOT_DO
    return VAGUE if SAYS.perhaps.search(clause) else UNCLEAR


def _sure(clause: _Clause, heard: Sequence[_Clause]) -> bool:
    """Whether a clause may be heard: beside a firm one there is none that is not understood."""
    if clause.mood:
        return clause.mood != UNCLEAR
    if clause.plain == plainly.COURTESY:  # "Sorry, 13 October."
        return not any(
            other.mood == FIRM and other.plain == plainly.BARE for other in heard
        )
    return bool(clause.plain) or not any(other.mood == FIRM for other in heard)


def _takes_back(sentence: str) -> bool:
    """Whether a sentence without a date may take one back that another sentence gave."""
    return bool(
        _FORM.but.match(sentence) or SAYS.hedge.search(SAYS.harmless.sub(" ", sentence))
    )


@dataclass
class _Moods:
    """The dates by what the clauses so far said of them; a date may be in several, until all clauses are heard."""

    offered: set[date]
    firm: set[date] = field(default_factory=set)
    vague: set[date] = field(default_factory=set)
    cannot: set[date] = field(default_factory=set)
    unclear: set[date] = field(default_factory=set)
    bare: list[str] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)

    def hear(self, clause: _Clause) -> None:
        """Take in one clause."""
        text, known = clause.text, set(clause.known)
        if not clause.mood:
            return
        mine = {FIRM: self.firm, VAGUE: self.vague, CANNOT_DO: self.cannot}[clause.mood]
        if SAYS.none.search(text):
            self.cannot |= self.offered
        elif SAYS.all.search(text) and SAYS.except_.search(text):
            self.cannot |= known
            mine |= self.offered - known
        elif SAYS.all.search(text) and not known:
            before = self.firm | self.vague | self.cannot | self.unclear
            if (
                before and clause.mood == FIRM
            ):  # "any of them" may be any of those that were named
                self.unclear |= self.offered - before
                self.whole.append(text.strip())
            mine |= self.offered
        else:
            mine |= known or self.offered - self.firm - self.vague - self.cannot
        if clause.mood == FIRM and clause.plain == plainly.BARE:
            self.bare.append(text.strip())
        elif clause.mood == FIRM and not known:
            self.whole.append(text.strip())

    def taken_back(self, others: Sequence[str]) -> list[str]:
        """Sentences without a date that leave none of the firm ones firm, and the first date that they leave so."""
        strange = [sentence for sentence in others if not plainly.understood(sentence)]
        found = (
            [sentence for sentence in strange if _takes_back(sentence)]
            if self.firm
            else []
        )
        if found:
            self.vague, self.firm = self.vague | self.firm, set()
        elif (self.bare and any(not s.endswith("?") for s in strange)) or (
            self.whole
            and any(SAYS.hints.search(s) or SAYS.cannot.search(s) for s in strange)
        ):
            found, self.unclear = [*self.bare, *self.whole], self.unclear | self.firm
        return found


def _plain(text: str, offered: Sequence[date], time: str = "") -> str:
    """A text without what it quotes; dates in figures and by their place in the programme are written out."""
    text = _clock(time).sub(" at the usual time ", text) if time else text
    text = text[: first.start()] if (first := _FORM.original.search(text)) else text
    lines = [
        line
        for line in text.replace("’", "'").splitlines()
        if not line.lstrip().startswith(">")
    ]
    plain = _FORM.header.sub("", re.sub(r"[ \t]+", " ", "\n".join(lines)))
    plain = _FORM.foreign.sub(lambda match: match.lastgroup, plain)
    plain = _FORM.spelled.sub(_numbered, plain.replace("@", " at "))
    plain = _FORM.dotted.sub(
        lambda match: match[0].replace(".", ""), _FORM.german.sub("", plain)
    )
    plain = _FORM.abbreviated.sub(lambda match: match[1] or match[2], plain)
    plain = _FORM.figures.sub(lambda match: _written_out(match, offered), plain)
    plain = _FORM.any_but.sub(r"\1 except", plain)
    for form in (_FORM.place, _FORM.alone):
        plain = form.sub(lambda match: _placed(match, offered), plain)
    return plain


@cache
def _clock(time: str) -> re.Pattern[str]:
    """How people write a time of the day such as "14:00"."""
    if not (first := re.search(r"\b(\d{1,2}):(\d\d)\b", time)):
        return re.compile(r"(?!)")
    hours, minute = {int(first[1]), int(first[1]) % 12 or 12}, int(first[2])
    hour = "|".join(map(str, sorted(hours)))
    exact = rf"(?:{hour})[:.]{minute:02}(?:\s?(?:h|hrs|hours|uhr|pm|p\.m\.|o'clock))?"
    whole = "" if minute else rf"|(?:{hour})\s?(?:h|hrs|hours|uhr|pm|p\.m\.|o'clock)"
    return re.compile(
        rf"(?:(?:\bat|@)\s)?\b(?:{exact}{whole})(?![\w:]|[./-]\d)", re.IGNORECASE
    )


def _numbered(match: re.Match[str]) -> str:
    tens = {"twenty": 20, "thirty": 30}.get((match[1] or match[3] or "").casefold(), 0)
    return f"the {tens + _ORDINALS.index((match[2] or match[4]).casefold()) + 1}th"


def _written_out(match: re.Match[str], offered: Sequence[date]) -> str:
    """ "13/10" and "13.10." as a date of the programme, or as they stand where there is none such."""
    first, second = int(match[1]), int(match[2])
    for slot in offered:
        if (slot.day, slot.month) in ((first, second), (second, first)):
            return f"{slot.day} {slot:%B}"
    return match[0]


def _placed(match: re.Match[str], offered: Sequence[date]) -> str:
    """ "the second one" and "the October date" as a date of the programme, where there is exactly one."""
    days, word = sorted(offered), match[1].casefold()
    if word in _PLACES:
        found = days[_PLACES[word] :][:1]
    elif _FORM.period.search(match.string[: match.start()]):
        found = []
    else:
        found = [day for day in days if day.month == _month(word)]
    return f"{found[0].day} {found[0]:%B}" if len(found) == 1 else match[0]


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences, with what ends them, and where each begins."""
    begin = 0
    for end in (*(cut.end() for cut in _FORM.sentence.finditer(text)), len(text)):
        if sentence := " ".join(text[begin:end].split()):
            yield begin, sentence
        begin = end


def _clauses(text: str) -> Iterable[str]:
    """The clauses; a comma between two dates of one list does not end one."""
    begin = 0
    for cut in _FORM.clause.finditer(text):
        before = text[max(begin, cut.start() - len("september")) : cut.start()]
        in_list = (
            cut[0].strip() == ","
            and _FORM.ends_in_date.search(before)
            and not _turns(text, begin, cut)
        )
        if not in_list:
            yield text[begin : cut.start()]
            begin = cut.end()
    if text[begin:].strip():
        yield text[begin:]


def _turns(text: str, begin: int, cut: re.Match[str]) -> bool:
    """Whether a comma after a date begins something else: another yes or no, or a date with a verb of its own."""
    if _FORM.turns.match(text, cut.end()):
        return True
    said = (
        plainly.understood(
            _with_marks(text[max(begin, cut.start() - NEAR) : cut.start()])
        )
        != plainly.BARE
    )
    return said and bool(
        _FORM.verb.match(_with_marks(text[cut.end() : cut.end() + NEAR]))
    )


def _with_marks(clause: str) -> str:
    """A clause with "@" for its dates, and for all of them."""
    marked = clause
    for dates in (
        _FORM.after,
        _FORM.list,
        _FORM.yeared,
        _FORM.dated,
        _FORM.bare,
        SAYS.all,
        SAYS.rest,
    ):
        marked = dates.sub(" @ ", marked)
    marked = SAYS.except_.sub(" and ", marked) if SAYS.all.search(clause) else marked
    return _FORM.left.sub("@", marked)


def _dates(
    text: str, offered: Sequence[date], today: date
) -> tuple[set[date], set[date]]:
    """The dates that a text names: of the programme, and others after today."""
    found = set(_written(text))
    known = {
        slot
        for slot in offered
        if {(None, slot.month, slot.day), (slot.year, slot.month, slot.day)} & found
    }
    without = text  # else "the 5th of May" would be any 5th, too
    for written in (_FORM.list, _FORM.after, _FORM.dated):
        without = written.sub(" ", without)
    for number in {int(match[1]) for match in _FORM.bare.finditer(without)}:
        same = [slot for slot in offered if slot.day == number]
        known |= set(same) if len(same) == 1 else set()
    strange = {
        (y, m, d)
        for y, m, d in found
        if not any((m, d) == (s.month, s.day) and y in (None, s.year) for s in known)
    }
    others = {_next(*named, today) for named in strange}
    return known, {day for day in others if day}


def _written(text: str) -> Iterator[tuple[int | None, int, int]]:
    """Year (None where none is given), month and day of every date that is written out."""
    for match in _FORM.list.finditer(text):
        yield from (
            (_year(match), _month(match[3]), int(day))
            for day in re.findall(r"\d{1,2}", match[1] + match[2])
        )
    for match in _FORM.after.finditer(text):
        yield from (
            (_year(match), _month(match[1]), int(day))
            for day in re.findall(r"\d{1,2}", match[2] + match[3])
        )
    for match in _FORM.dated.finditer(text):
        if match[5]:
            yield int(match[5]), int(match[6]), int(match[7])
        else:
            yield _year(match), _month(match[2] or match[3]), int(match[1] or match[4])


def _year(match: re.Match[str]) -> int | None:
    found = _FORM.year.match(match.string, match.end())
    return int(found[1]) if found else None


def _month(word: str) -> int:
    return MONTHS.index(word[:3].lower()) + 1


def _next(year: int | None, month: int, day: int, today: date) -> date | None:
    """The day of that month and number; without a year the next one after today. None where there is no such day."""
    for each in (year,) if year else (today.year, today.year + 1):
        with suppress(ValueError):
            if (found := date(each, month, day)) > today:
                return found
    return None


def _until(text: str, today: date) -> date | None:
    """The day before which somebody does not want to be asked, where they say that they need time."""
    if not SAYS.waiting.search(text) or not (match := _FORM.later.search(text)):
        return None
    unit = (match[2] or match[3] or "days").rstrip("s").lower()
    word = (match[1] or "one").lower()
    count = (
        int(word) if word.isdigit() else NUMBERS.get(word, 3 if word == "few" else 1)
    )
    days = min(count * {"day": 1, "week": 7, "month": 30}[unit], FURTHEST)
    return (
        later(today, days)
        if "working" in match[0].lower()
        else today + timedelta(days=days)
    )
