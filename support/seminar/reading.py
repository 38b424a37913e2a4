"""Replies about dates, read by patterns: which dates of a programme somebody can do, perhaps can, cannot do.

A text is cut into sentences and clauses; a clause gives its mood (firm, vague, impossible) to the dates that it names.
The reader is precise first: a date is firm only where every word of its sentence is understood as a plain yes (see
`plainly`), and nothing else in the reply takes it back. Any other sentence with a date is `unclear`: somebody is asked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files

from support.seminar import plainly
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


def _lexicon() -> dict[str, re.Pattern[str]]:
    """The phrases of `reading.toml`."""
    known = tomllib.loads(files(__package__).joinpath("reading.toml").read_text(encoding="utf-8"))
    filled = {name: [p.replace("{these}", _THESE).replace("{named}", _NAMED) for p in known[name]] for name in known}
    return {name: _any(*phrases) for name, phrases in filled.items()}


_KNOWN = _lexicon()
ALL = _KNOWN["all"]
NONE = _KNOWN["none"]
EXCEPT = _KNOWN["except"]
REST = _KNOWN["rest"]
CANNOT = _KNOWN["cannot"]
PERHAPS = _KNOWN["perhaps"]
UNSURE = _KNOWN["unsure"]
DECLINE = _KNOWN["decline"]
CANCEL = _KNOWN["cancel"]
WAITING = _KNOWN["waiting"]
DOUBLE = _KNOWN["double"]
HEDGE = _KNOWN["hedge"]
HARMLESS = _KNOWN["harmless"]
OUT = _KNOWN["out"]
HINTS = _KNOWN["hints"]
LATER = _any(
    r"(?:in|within|after|give me) (?:a |an |about |another )?(\d+|[a-z]+)? ?(?:working )?(days?|weeks?|months?)",
    "next (week|month)",
)

BUT = re.compile(
    r"(?:and |or |oh )?(?:but|hardly|never|however|sadly|unfortunately|alas|though|although|except"
    r"|actually|wait|no|not|nope|oh no"
    r"|sorry,? (?:but|no|not|i can))\b",
    re.IGNORECASE,
)
"""How a sentence begins that may take back what was said before it."""
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth",
)  # fmt: skip

_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
_SHORT = rf"((?i:{'|'.join(name[:3] for name in MONTHS)}|sept))"
_ABBREVIATED = re.compile(rf"(?<!\d )(?<!\d(?:th|st|nd|rd) )\b{_SHORT}\.(?=\s+\d)|\b{_SHORT}\.(?!\s+[A-Z\d]|\s*$)")
"""A month cut short inside of a sentence; before a capital, or as in "8 Dec. 15 Sep", its full stop ends one, too."""
_BLANKS = re.compile(r"[ \t]+")
_CLAUSE = re.compile(
    r"[.;!?\n]+(?:\s|$)|,?\s+(?:but|though|although|while|whereas|however)\s+"
    rf"|,\s+(?=(?:and\s+|or\s+)?(?:(?:the|der|am|le|el|on)\s+)?{_WEEKDAY}(?:\d|{_MONTH})|not |maybe "
    r"|perhaps |possibly |probably |(?:all )?the (?:others?|rest)\b|(?:and )?(?:yes|no) (?:to|for|on) )",
    re.IGNORECASE,
)
"""Where one clause ends and the next begins."""

_ENDS_IN_DATE = re.compile(rf"(?:\d(?:st|nd|rd|th)?|{_MONTH}|\d{{4}})$", re.IGNORECASE)
"""A comma after a date goes on with the list, or with the year."""


_SENTENCE = re.compile(r"[.;!?]+(?=[\s)\"']|$)|\n\s*\n|\n(?=\s*(?:[-*•]|[A-Z\d]))")
_DOTTED = re.compile(r"\b(?:a\.m\.|p\.m\.|prof\.|dr\.|e\.g\.|i\.e\.|approx\.|incl\.)", re.IGNORECASE)
_FIGURES = re.compile(r"(?<![\d/.:])(\d{1,2})[./](\d{1,2})(?:[./](?:20)?\d\d\b|\.)?(?![\d/:])")
_PLACE = re.compile(
    rf"\bthe (first|second|third|fourth|last|{_MONTH})(?: (?:one|date|option|slot|session)\b(?! (?:you|of))"
    r"|(?=[.,;!]|$| (?:works?|would|is|suits|and|or)\b))",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"(?<!\d )(?<!\dth )(?<!\dst )(?<!\dnd )(?<!\drd )(?<!\dth of )(?<!\d of )(?<!\dst of )(?<!\dth, )"
    rf"(?:\bin )?\b({'|'.join(name for name in MONTHS if name not in ('march', 'may'))})\b(?!\s+(?:the\s+)?\d)",
    re.IGNORECASE,
)
"""A month that stands for the only date in it."""
_PERIOD = re.compile(
    r"\b(?:end|start|beginning|middle|rest|most|half|whole|until|till|by|before|after|since|from|early|late|mid|all)"
    r"[- ](?:of )?(?:the )?(?:of )?$|\b(?:see you(?: all)?|forward to|back) (?:in )?$",
    re.IGNORECASE,
)
"""Before a month that is a time and no date."""
_TURNS = re.compile(r"(?:and )?(?:yes|no|not|perhaps|maybe|possibly|probably)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\s*(?:and |or )?(?:(?:on|the|der|am|le|el) )?@\s+(?:is|are|would|will|works?|suits?|fits?|depends?|might|may"
    r"|could|can|only|perhaps|maybe|with|if|i|we|has|looks?|seems?|less|too|also|as|yes|no|not|ok|fine|good|probably|possibly|passt|ook|geht|-|:)\b",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\b((?:any|all|anything|everything|every one|each)(?: of (?:it|them|these|those|the dates|your dates))?) but\b",
    re.IGNORECASE,
)
PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
_YEARED = re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+(?:{_MONTH}),?\s+20\d\d\b", re.IGNORECASE)
_LEFT = re.compile(rf"@(?:\s+of)?(?:\s+(?:{_MONTH})\b)?(?:,?\s+20\d\d\b)?", re.IGNORECASE)
FOREIGN = {
    "September": "septembre|septiembre|settembre|setembro", "October": "oktober|octobre|octubre|ottobre|outubro",
    "November": "novembre|noviembre|novembro", "December": "dezember|décembre|decembre|diciembre|dicembre|dezembro",
    "January": "januar|janvier|enero|januari", "February": "februar|février|febrero|februari",
    "March": "märz|mars|marzo|maart", "May": "mai|mayo|mei", "June": "juni|juin|junio", "July": "juli|juillet|julio",
    "August": "août|agosto|augustus",
}  # fmt: skip
"""Months that need no English to be seen."""
_FOREIGN = re.compile(
    "|".join(rf"(?P<{month}>\b(?:de )?(?:{words})\b)" for month, words in FOREIGN.items()), re.IGNORECASE
)
_GERMAN = re.compile(rf"(?<=\d)\.(?= ?(?:{_MONTH})\b)", re.IGNORECASE)  # "13. October"
_SPELLED = re.compile(
    rf"\b(?:the )?(twenty|thirty)?[ -]?({'|'.join(ORDINALS)})(?=(?: of)? (?:{_MONTH})\b)"
    rf"|\bthe (twenty)?[ -]?({'|'.join(ORDINALS[4:])})\b(?! (?:of|week|day|year|month|floor|talk|chapter))",
    re.IGNORECASE,
)
_HEADER = re.compile(r"^On .{3,80} wrote:\s*$", re.MULTILINE)
_ORIGINAL = re.compile(
    r"^(?:-{2,} ?(?:original|forwarded|ursprüngliche|message)|_{6,}|(?:from|von|de): .*\n"
    r"|on .{3,80} wrote:\s*\n\s*[^>\s])",
    re.MULTILINE | re.IGNORECASE,
)
"""Where a mail that is answered begins, if no line of it has a mark."""
_INLINE = re.compile(r"^\s*>[^\n]*\d[^\n]*\n[ \t]*(?!>)\S[^\n]*", re.MULTILINE)
_CLOSING = re.compile(
    r"\n\s*(?:(?:with |my |all |many |very |and )*(?:best|kind|warm|warmest|kindest|regards|cheers|yours|sincerely"
    r"|greetings|thanks|thank you|love|hugs|warmly|cordially|all the best|xx?|mfg)\b[^\n.?]{0,30}[,.!]?[ \t]*(?=\n|$)"
    r"|--|sent from)"
    r"|\n\s*(?:[^\W\d_][\w.'-]*[,!]?[ \t]*){1,3}\s*$",
    re.IGNORECASE,
)
"""Where the letter ends and the signature begins."""


FURTHEST = 366
"""Days ahead that somebody may want to wait; whoever writes of more means never."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says about dates; dates in order, each in one of the first three only.

    `unclear` are the sentences with a date of which not every word is understood: they give nothing, and are to be
    asked about.
    """

    available: tuple[date, ...] = ()
    vague: tuple[date, ...] = ()
    unavailable: tuple[date, ...] = ()
    never_offered: tuple[date, ...] = ()
    declined: bool = False
    cancelled: bool = False
    wait_until: date | None = None
    unclear: tuple[str, ...] = ()


@lru_cache(4096)  # rehearsals of the same people read the same replies
def read_reply(text: str, offered: tuple[date, ...], today: date, time: str = "14:00") -> Reading:
    """What a reply says.

    `offered` are the dates that the organiser named; others that are mentioned are `never_offered`, where they are in
    the future. "In two weeks" counts from `today`. A date is firm only where every word of its sentence is understood;
    `time` is that of all dates, and a date at another one is asked about.

    >>> slots = (date(2027, 9, 15), date(2027, 10, 13), date(2027, 11, 10))
    >>> read = read_reply("October 13 is fine, the 10th of November perhaps.", slots, date(2027, 8, 16))
    >>> read.available, read.vague
    ((datetime.date(2027, 10, 13),), (datetime.date(2027, 11, 10),))
    >>> read_reply("On 13 October I have to be at the dentist's.", slots, date(2027, 8, 16)).unclear
    ("On 13 October I have to be at the dentist's.",)
    """
    inline = tuple(" ".join(match[0].split()) for match in _INLINE.finditer(text))
    written, text = [sentence for _, sentence in _sentences(text)], _plain(text, offered, time)
    letter = _CLOSING.search(text + "\n")
    body = letter.start() if letter else len(text)
    moods, strange, unclear, others = _Moods(set(offered)), set[date](), [*inline], list[str]()
    for begin, sentence in _sentences(text):
        whole = plainly.understood(_with_marks(sentence)) == plainly.YES
        heard = [_heard(clause, offered, today, sentence) for clause in ([sentence] if whole else _clauses(sentence))]
        if any(clause.mood or clause.others for clause in heard):
            listed = begin >= body and any(clause.plain == plainly.BARE for clause in heard)  # below the signature
            if all(_sure(clause, heard) for clause in heard) and not listed:
                for clause in heard:
                    moods.hear(clause)
                    strange |= clause.others
            elif not OUT.search(sentence):
                unclear.append(sentence)
                moods.unclear |= {day for clause in heard for day in clause.known}
        elif begin < body or HEDGE.search(sentence):
            others.append(sentence)
    taken = moods.taken_back(others)
    unclear += taken
    firm, vague = moods.firm - moods.cannot - moods.unclear, moods.vague - moods.cannot - moods.firm
    declined = bool(DECLINE.search(text)) and not firm and not vague
    until = _until(text, today) if not firm and not vague and not declined else None
    if not (firm or vague or moods.cannot or strange or unclear or declined or until or OUT.search(text)):
        unclear = [sentence for sentence in others if HINTS.search(sentence)]
    return Reading(
        tuple(sorted(firm)),
        tuple(sorted(vague)),
        tuple(sorted(moods.cannot)),
        tuple(sorted(strange)),
        declined,
        bool(CANCEL.search(text)),
        until,
        tuple(dict.fromkeys((get_close_matches(sentence, written, 1) or [sentence])[0] for sentence in unclear)),
    )


def agrees(text: str) -> bool:
    """Whether a reply that names no date is a plain yes to the only one that was asked about.

    >>> agrees("Yes, that still works for me. Best wishes, Ana"), agrees("Yes, if my flight is on time.")
    (True, False)
    """
    sentences = [sentence for _, sentence in _sentences(_plain(text, ()))]
    kinds = [plainly.understood(sentence, asked=True) for sentence in sentences if not sentence.endswith("?")]
    taken = any(_takes_back(sentence) for sentence, kind in zip(sentences, kinds, strict=False) if not kind)
    return plainly.YES in kinds and len(kinds) == len(sentences) and not taken


def named(text: str, offered: Sequence[date]) -> tuple[date, ...]:
    """The offered dates that a text names, whatever it says of them."""
    return tuple(sorted(_dates(_plain(text, offered), offered, min(offered))[0])) if offered else ()


def settled(answer: str, unclear: Sequence[str], offered: Sequence[date], today: date) -> Reading | None:
    """What somebody who was asked about unclear sentences says of their dates; None where no date is in the answer.

    >>> slots = (date(2027, 9, 15), date(2027, 10, 13))
    >>> settled("yes", ("13 October: can't wait!!1",), slots, date(2027, 8, 16)).available
    (datetime.date(2027, 10, 13),)
    """
    about = named(" . ".join(unclear), offered) or tuple(offered)
    word = answer.casefold().strip(" .!")
    if word in ("all", "all of them", "yes", "both", "these", "yes, all"):
        return Reading(available=about)
    if word in ("none", "none of them", "no", "neither", "no date", "nothing"):
        return Reading()
    found = read_reply(answer, tuple(offered), today)
    return found if (found.available or found.vague or found.unavailable) and not found.unclear else None


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
    mood = _mood(text, bool(known), plain)
    if mood == FIRM and sentence.endswith("?"):
        mood = VAGUE if plain == plainly.BARE else UNCLEAR
    if mood == FIRM and not known and _counted(text, len(offered)):
        mood = UNCLEAR
    if not mood and others and plain not in (plainly.YES, plainly.BARE):
        mood = UNCLEAR
    return _Clause(text, frozenset(known), frozenset(others), plain, mood)


def _counted(clause: str, offered: int) -> bool:
    """Whether "all three" is said of another number of dates."""
    match = re.search(r"\b(?:all|any)(?: of the)? (two|three|four|five|six)\b", clause, re.IGNORECASE)
    return bool(match and NUMBERS[match[1].lower()] != offered)


def _mood(clause: str, dated: bool, plain: str) -> str:
    """What a clause says of its dates."""
    if NONE.search(clause):
        return CANNOT_DO
    if not dated and (
        DECLINE.search(clause) or WAITING.search(clause) or not (ALL.search(clause) or REST.search(clause))
    ):
        return ""
    if plain in (plainly.YES, plainly.BARE):
        return FIRM
    clause = EXCEPT.sub(" ", clause) if (less := ALL.search(clause) and EXCEPT.search(clause)) else clause
    if UNSURE.search(clause):
        return VAGUE
    if CANNOT.search(clause) or CANCEL.search(clause):
        return UNCLEAR if less or DOUBLE.search(clause) else CANNOT_DO
    return VAGUE if PERHAPS.search(clause) else UNCLEAR


def _sure(clause: _Clause, heard: Sequence[_Clause]) -> bool:
    """Whether a clause may be heard: beside a firm one there is none that is not understood."""
    if clause.mood:
        return clause.mood != UNCLEAR
    if clause.plain == plainly.COURTESY:  # "Sorry, 13 October."
        return not any(other.mood == FIRM and other.plain == plainly.BARE for other in heard)
    return bool(clause.plain) or not any(other.mood == FIRM for other in heard)


def _takes_back(sentence: str) -> bool:
    """Whether a sentence without a date may take one back that another sentence gave."""
    return bool(BUT.match(sentence) or HEDGE.search(HARMLESS.sub(" ", sentence)))


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
        if NONE.search(text):
            self.cannot |= self.offered
        elif ALL.search(text) and EXCEPT.search(text):
            self.cannot |= known
            mine |= self.offered - known
        elif ALL.search(text) and not known:
            before = self.firm | self.vague | self.cannot | self.unclear
            if before and clause.mood == FIRM:  # "any of them" may be any of those that were named
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
        found = [sentence for sentence in strange if _takes_back(sentence)] if self.firm else []
        if found:
            self.vague, self.firm = self.vague | self.firm, set()
        elif (self.bare and any(not s.endswith("?") for s in strange)) or (
            self.whole and any(HINTS.search(s) or CANNOT.search(s) for s in strange)
        ):
            found, self.unclear = [*self.bare, *self.whole], self.unclear | self.firm
        return found


def _plain(text: str, offered: Sequence[date], time: str = "") -> str:
    """A text without what it quotes; dates in figures and by their place in the programme are written out."""
    text = _clock(time).sub(" at the usual time ", text) if time else text
    text = text[: first.start()] if (first := _ORIGINAL.search(text)) else text
    lines = [line for line in text.replace("’", "'").splitlines() if not line.lstrip().startswith(">")]
    plain = _FOREIGN.sub(lambda match: str(match.lastgroup), _HEADER.sub("", _BLANKS.sub(" ", "\n".join(lines))))
    plain = _SPELLED.sub(_numbered, plain.replace("@", " at "))
    plain = _DOTTED.sub(lambda match: match[0].replace(".", ""), _GERMAN.sub("", plain))
    plain = _ABBREVIATED.sub(lambda match: match[1] or match[2], plain)
    plain = _BUT.sub(r"\1 except", _FIGURES.sub(lambda match: _written_out(match, offered), plain))
    return _ALONE.sub(lambda match: _placed(match, offered), _PLACE.sub(lambda match: _placed(match, offered), plain))


@cache
def _clock(time: str) -> re.Pattern[str]:
    """How people write a time of the day such as "14:00"."""
    if not (first := re.search(r"\b(\d{1,2}):(\d\d)\b", time)):
        return re.compile(r"(?!)")
    hours, minute = {int(first[1]), int(first[1]) % 12 or 12}, int(first[2])
    hour = "|".join(map(str, sorted(hours)))
    exact = rf"(?:{hour})[:.]{minute:02}(?:\s?(?:h|hrs|hours|uhr|pm|p\.m\.|o'clock))?"
    whole = "" if minute else rf"|(?:{hour})\s?(?:h|hrs|hours|uhr|pm|p\.m\.|o'clock)"
    return re.compile(rf"(?:(?:\bat|@)\s)?\b(?:{exact}{whole})(?![\w:]|[./-]\d)", re.IGNORECASE)


def _numbered(match: re.Match[str]) -> str:
    """ "the thirteenth" as "the 13th"."""
    tens = {"twenty": 20, "thirty": 30}.get((match[1] or match[3] or "").casefold(), 0)
    return f"the {tens + ORDINALS.index((match[2] or match[4]).casefold()) + 1}th"


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
    if word in PLACES:
        place = PLACES[word]
        found = days[place : place + 1] if place >= 0 else days[-1:]
    else:
        found = [] if _PERIOD.search(match.string[: match.start()]) else [d for d in days if d.month == _month(word)]
    return f"{found[0].day} {found[0]:%B}" if len(found) == 1 else match[0]


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences, with what ends them, and where each begins."""
    begin = 0
    for end in (*(cut.end() for cut in _SENTENCE.finditer(text)), len(text)):
        if sentence := " ".join(text[begin:end].split()):
            yield begin, sentence
        begin = end


def _clauses(text: str) -> Iterable[str]:
    """The clauses; a comma between two dates of one list does not end one."""
    begin = 0
    for cut in _CLAUSE.finditer(text):
        before = text[max(begin, cut.start() - len("september")) : cut.start()]
        in_list = cut[0].strip() == "," and _ENDS_IN_DATE.search(before) and not _turns(text, begin, cut)
        if not in_list:
            yield text[begin : cut.start()]
            begin = cut.end()
    if text[begin:].strip():
        yield text[begin:]


NEAR = 80
"""Characters before and after a comma that tell what it is."""


def _turns(text: str, begin: int, cut: re.Match[str]) -> bool:
    """Whether a comma after a date begins something else: another yes or no, or a date with a verb of its own."""
    if _TURNS.match(text, cut.end()):
        return True
    said = plainly.understood(_with_marks(text[max(begin, cut.start() - NEAR) : cut.start()])) != plainly.BARE
    return said and bool(_VERB.match(_with_marks(text[cut.end() : cut.end() + NEAR])))


def _with_marks(clause: str) -> str:
    """A clause with "@" for its dates, and for all of them."""
    marked = _YEARED.sub(" @ ", _LIST.sub(" @ ", _AFTER.sub(" @ ", clause)))
    marked = REST.sub(" @ ", ALL.sub(" @ ", _BARE.sub(" @ ", _DATED.sub(" @ ", _YEARED.sub(" @ ", marked)))))
    marked = EXCEPT.sub(" and ", marked) if ALL.search(clause) else marked
    return _LEFT.sub("@", marked)


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
