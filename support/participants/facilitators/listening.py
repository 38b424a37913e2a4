"""What a member said in a private conversation: the preferences, and the option that was agreed to, if any."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from support.environments.meetings.preferences import At, Preference, Window, minutes
from support.environments.meetings.reading import read_sentences, vague
from support.environments.meetings.views import Chat
from support.records import Option

SENTENCE = re.compile(r"(?<![ap]\.m)[.;!?]+(?=\s|$)|\n")
PIECE = re.compile(r",\s|\s(?:and|but)\s")
NAMED = re.compile(r"\b(?:option\s+)?(o\d+)\b|\boption\s+(\d+)\b")
HARMLESS = re.compile(
    r"\b(no (problem|objections?|issues?)|nothing against|not (bad|a problem)|why not|(don't|do not) mind)\b"
)
REFUSAL = re.compile(
    r"\b(not|no|none|neither|nor|never|cannot|nothing|unfortunately|afraid|impossible|decline|reject|clash(es)?|"
    r"conflicts?|except|unless|rather than|instead of|too (early|late|soon)|if it (were|was))\b|n't\b"
)
CONSENT = re.compile(
    r"\b(suits?|works?|fine|good|great|ok(ay)?|happy|agreed?|take|choose|pick|prefer|go (with|for)|yes|perfect|best|"
    r"accept|stay with|vote|confirm|(can|could) (do|make)|it is|please|like|ideal|sounds|no problem|nothing against|"
    r"why not|mind)\b"
)
ANY = re.compile(r"\b(both|either|any|all)\b")


@dataclass(frozen=True, slots=True)
class Understood:
    """What a reader gets out of one text.

    `parts` are the parts of the day that it names without hours, `unclear` the windows read from such sentences.
    """

    preferences: tuple[Preference, ...]
    parts: tuple[str, ...]
    unclear: tuple[Window, ...]


@lru_cache(maxsize=20_000)  # an interviewer goes over the whole conversation at each of its turns
def understand(text: str, year: int) -> Understood:
    """Read one text of a member, in the member's zone; `year` is that of dates without one."""
    said = read_sentences(text, year)
    parts = {sentence: vague(sentence) for sentence, found in said if found}
    unclear = [p for sentence, found in said for p in found if isinstance(p, Window) and parts[sentence]]
    return Understood(
        tuple(dict.fromkeys(p for _, found in said for p in found)),
        tuple(dict.fromkeys(part for named in parts.values() for part in named)),
        tuple(unclear),
    )


def spoken(chat: Chat) -> list[str]:
    """The member's turns, in order."""
    return [turn.text for turn in chat.turns if turn.speaker == chat.member]


def heard(texts: Iterable[str], year: int) -> tuple[Preference, ...]:
    """Every preference that some turns of one member state, each once and as it was said last.

    Hours that a turn gives for a part of the day which the turn before had only named replace that part: the sense
    (wanted or to avoid, weekdays, priority) comes from where it was named.
    """
    found: list[Preference] = []
    named: list[Window] = []
    for text in texts:
        new = list(understand(text, year).preferences)
        for window in [p for p in new if isinstance(p, Window)]:
            if part := _part_of(window, named):
                found[found.index(part)] = _with_hours(part, window)
                named.remove(part)
                new.remove(window)
        found += new
        named = [p for p in understand(text, year).unclear if p in found]
    return tuple({_sense(p): p for p in found}.values())


def agreed(chat: Chat, zone: str) -> Option | None:
    """The option that the member agreed to, by its id or its time on the member's clock; the last, if several."""
    for text in reversed(spoken(chat)):
        for sentence in reversed(_sentences(text)):
            if option := _agreed_in(sentence, chat, zone):
                return option
    return None


def consents(text: str) -> bool:
    """Whether a text sounds like a yes, whatever it is to."""
    calm = HARMLESS.sub("fine", _folded(text))
    return bool(CONSENT.search(calm)) and not REFUSAL.search(calm)


def starts(option: Option, at: Preference, zone: str) -> bool:
    """Whether an exact time, on the clock of a zone, is an option's start."""
    start = datetime.fromisoformat(option.start).astimezone(ZoneInfo(zone))
    if not isinstance(at, At) or f"{start:%H:%M}" != at.time:
        return False
    return at.date is None or at.date == start.date().isoformat()


def _agreed_in(sentence: str, chat: Chat, zone: str) -> Option | None:
    calm = HARMLESS.sub("fine", _folded(sentence))
    if REFUSAL.search(calm):
        pieces = [piece for piece in PIECE.split(calm) if consents(piece)]
        return next((o for piece in pieces for o in _named(piece, chat)), None)
    named = _named(calm, chat)
    timed = [o for o in chat.options for p in _read(sentence, chat) if starts(o, p, zone)]
    if named and (CONSENT.search(calm) or named[0] in timed or len(NAMED.sub("", calm).split()) <= 3):
        return named[0]
    if named or len(timed) == 1:
        return timed[0] if timed and not named else None
    nothing_else = CONSENT.search(calm) and not _read(sentence, chat)
    return _only(chat, calm) if nothing_else else None


def _only(chat: Chat, calm: str) -> Option | None:
    """The option meant by a plain yes: the only one, or the candidate if any will do."""
    if len(chat.options) == 1:
        return chat.options[0]
    best = [o for o in chat.options if o.id == chat.candidate] or list(chat.options)
    return best[0] if ANY.search(calm) else None


def _named(calm: str, chat: Chat) -> list[Option]:
    by_id = {option.id.casefold(): option for option in chat.options}
    ids = [f"o{number}" if number else name for name, number in NAMED.findall(calm)]
    return [by_id[id] for id in ids if id in by_id]


def _read(sentence: str, chat: Chat) -> tuple[Preference, ...]:
    return understand(sentence, int(chat.meeting.date[:4])).preferences


def _part_of(hours: Window, named: Sequence[Window]) -> Window | None:
    """Of the parts of the day that were named, the one that these hours make exact."""
    fitting = [p for p in named if _overlap(hours, p) > 0 and _same_sense(hours, p)]
    return max(fitting, key=lambda p: _overlap(hours, p), default=None)


def _same_sense(hours: Window, part: Window) -> bool:
    bare = not hours.avoid and not hours.weekdays  # "from nine to twelve", said of whatever was asked
    same_days = not hours.weekdays or not part.weekdays or set(hours.weekdays) == set(part.weekdays)
    return bare or (hours.avoid == part.avoid and same_days)


def _with_hours(part: Window, hours: Window) -> Window:
    priority = part.priority if hours.priority == 2 else hours.priority
    days = part.weekdays or hours.weekdays
    return replace(part, start=hours.start, end=hours.end, weekdays=days, priority=priority)


def _overlap(a: Window, b: Window) -> int:
    return min(minutes(a.end), minutes(b.end)) - max(minutes(a.start), minutes(b.start))


def _sense(given: Preference) -> Preference:
    """The preference without its priority, to tell whether it was said before."""
    return replace(given, priority=2)


def _sentences(text: str) -> list[str]:
    return [piece.strip() for piece in SENTENCE.split(text) if piece.strip()]


def _folded(text: str) -> str:
    return text.casefold().replace("’", "'")
