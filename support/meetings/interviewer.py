"""The rule-based interviewer: asks, listens with the lexical reader, and restates what it understood.

It ends when the member has nothing more to say (round 1), agrees or offers an alternative (later rounds), and at the
latest after `LIMIT` answers. What it restates was read from the member's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from itertools import pairwise, takewhile
from zoneinfo import ZoneInfo

from support.meetings.data import Meeting, in_words
from support.meetings.preferences import At, Preference, Window, minutes
from support.meetings.reading import read_sentences, restate, vague
from support.meetings.records import Option
from support.meetings.scenario import Chat, Intent, Remark

LIMIT = 6  # answers after which it stops asking
NOTHING_MORE = re.compile(
    r"^\W*(no|nope|nothing|none)\b|\bnothing (more|else|further|better|to add)\b|\bno more\b|\ball set\b|"
    r"\b(that|this)('s| is| was| would be|s)? (all|it|everything)\b|\bI'm done\b",
    re.IGNORECASE,
)
NO_ALTERNATIVE = re.compile(
    r"\bnothing (better|else|to offer)\b|\b(can't|cannot) name\b|\bno (better|other)\b",
    re.IGNORECASE,
)
ANYTHING_ELSE = (
    "Thank you. Is there anything else that matters to you about the time?",
    "Noted. Anything else?",
    "Good to know. Is there more that I should keep in mind?",
)
IN_TERMS_OF_TIMES = "Could you say that in terms of days and times: when does it suit you, and when not?"
WHY_AND_WHEN = (
    "What makes these times unsuitable, and which day and time would suit you instead?"
)
WHEN_INSTEAD = "I see. Which day and time would suit you instead?"
WHICH_ONE = "Which of them do you mean: {ids}?"
THANKS = "Thank you, that helps."


@dataclass(frozen=True)
class RuleBasedInterviewer:
    """Asks a member in private when it suits, and later whether an option does; each in the member's own zone."""

    zones: Mapping[str, str]
    kind: str = "rule-based"

    async def remark(self, chat: Chat) -> Remark:
        """What to say next; in round 1 about preferences, later about the options."""
        if not chat.turns:
            return Remark(
                _offer(chat, self.zones[chat.member])
                if chat.options
                else _opening(chat.meeting)
            )
        question = (
            self._about_options(chat) if chat.options else self._about_preferences(chat)
        )
        enough = len(chat.spoken) >= LIMIT
        return (
            Remark(THANKS, done=True)
            if enough or question is None
            else Remark(question)
        )

    async def extract(self, chat: Chat) -> Intent:
        """The member's preferences, restated compactly; an option that was agreed to first."""
        zone, found = self.zones[chat.member], heard(chat.spoken, chat.meeting.year)
        option = agreed(chat, zone) if chat.options else None
        mentioned = {p for p in found for o in chat.options if starts(o, p, zone)}
        rest = [restate(p) for p in found if p not in mentioned]
        if option is None:
            return Intent(tuple(rest))
        return Intent((f"Agrees to {in_words(local(option, zone))}", *rest), option.id)

    def _about_preferences(self, chat: Chat) -> str | None:
        """The next question of round 1; None when there is nothing more to ask."""
        answers = chat.spoken or [""]
        more = ANYTHING_ELSE[(len(answers) - 1) % len(ANYTHING_ELSE)]
        *before, last = [understand(text, chat.meeting.year).parts for text in answers]
        if parts := [
            f"the {part}"
            for part in last
            if not any(part in earlier for earlier in before)
        ]:
            return f"From when to when is that for you: {' and '.join(parts)}?"
        in_vain = len(list(takewhile(lambda told: not told, reversed(_news(chat)))))
        if in_vain and any(
            map(NOTHING_MORE.search, re.split(r"(?<=[.!?])\s+", answers[-1]))
        ):
            return None
        return (more, IN_TERMS_OF_TIMES, more, None)[min(in_vain, 3)]

    def _about_options(self, chat: Chat) -> str | None:
        """The next question of a later round: none once an option is agreed to or an alternative is named."""
        answers, zone = chat.spoken, self.zones[chat.member]
        found = heard(answers, chat.meeting.year)
        elsewhere = [
            p
            for p in found
            if isinstance(p, At) and not any(starts(o, p, zone) for o in chat.options)
        ]
        if (
            agreed(chat, zone)
            or elsewhere
            or len(answers) > 2
            or (found and len(answers) > 1)
        ):
            return None
        if answers and (
            NO_ALTERNATIVE.search(answers[-1]) and (found or len(answers) > 1)
        ):
            return None
        if answers and consents(answers[-1]) and not found:
            return WHICH_ONE.format(ids=", ".join(option.id for option in chat.options))
        return WHEN_INSTEAD if found else WHY_AND_WHEN


def _news(chat: Chat) -> list[bool]:
    """For each answer, whether it told something that the ones before had not."""
    answers = chat.spoken
    known = [
        heard(answers[:count], chat.meeting.year) for count in range(len(answers) + 1)
    ]
    return [set(after) != set(before) for before, after in pairwise(known)]


def _opening(meeting: Meeting) -> str:
    days = list(
        dict.fromkeys(f"{slot:%A} {slot.day} {slot:%B}" for slot in meeting.slots())
    )
    when = f"on {days[0]}" if len(days) == 1 else f"between {days[0]} and {days[-1]}"
    return (
        f"{meeting.organiser} would like to meet you {when} for {meeting.duration} minutes: {meeting.subject}. "
        "When would that suit you, and when would it not?"
    )


def _offer(chat: Chat, zone: str) -> str:
    elsewhere = f", on your clock ({zone})" if zone != chat.meeting.zone else ""
    lines = [
        f"These times came up for {chat.meeting.subject} ({chat.meeting.duration} minutes){elsewhere}:"
    ]
    for option in chat.options:
        best = " (the best for the group so far)" if option.id == chat.candidate else ""
        because = f" – {'; '.join(option.reasons)}" if option.reasons else ""
        lines.append(f"- {option.id}: {in_words(local(option, zone))}{best}{because}")
    return "\n".join(
        [
            *lines,
            "Does one of them suit you? If not, please tell me why, and which day and time would.",
        ]
    )


def local(option: Option, zone: str) -> datetime:
    """An option's start on the clock of a zone."""
    return datetime.fromisoformat(option.start).astimezone(ZoneInfo(zone))


# ---- what a member said: the preferences, and the option that was agreed to, if any ----------------------------------

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
    """What a reader gets out of one text: `parts` are the parts of the day that it names without hours, `unclear` the
    windows read from such sentences."""

    preferences: tuple[Preference, ...]
    parts: tuple[str, ...]
    unclear: tuple[Window, ...]


@lru_cache(
    maxsize=20_000
)  # an interviewer goes over the whole conversation at each of its turns
def understand(text: str, year: int) -> Understood:
    """Read one text of a member, in the member's zone; `year` is that of dates without one."""
    said = read_sentences(text, year)
    parts = {sentence: vague(sentence) for sentence, found in said if found}
    unclear = [
        p
        for sentence, found in said
        for p in found
        if isinstance(p, Window) and parts[sentence]
    ]
    return Understood(
        tuple(dict.fromkeys(p for _, found in said for p in found)),
        tuple(dict.fromkeys(part for named in parts.values() for part in named)),
        tuple(unclear),
    )


def heard(texts: Iterable[str], year: int) -> tuple[Preference, ...]:
    """Every preference that some turns of one member state, each once and as it was said last.

    Hours that a turn gives for a part of the day which the turn before had only named replace that part: the sense
    (wanted or to avoid, weekdays, priority) comes from where it was named.
    """
    found: list[Preference] = []
    named: list[Window] = []
    for text in texts:
        new = list(understand(text, year).preferences)
        for hours in [p for p in new if isinstance(p, Window)]:
            if fitting := [
                p for p in named if _overlap(hours, p) > 0 and _same_sense(hours, p)
            ]:
                part = max(fitting, key=partial(_overlap, hours))
                priority = part.priority if hours.priority == 2 else hours.priority
                days = part.weekdays or hours.weekdays
                exact = replace(
                    part,
                    start=hours.start,
                    end=hours.end,
                    weekdays=days,
                    priority=priority,
                )
                found[found.index(part)] = exact
                named.remove(part)
                new.remove(hours)
        found += new
        named = [p for p in understand(text, year).unclear if p in found]
    return tuple({replace(p, priority=2): p for p in found}.values())


def agreed(chat: Chat, zone: str) -> Option | None:
    """The option that the member agreed to, by its id or its time on the member's clock; the last, if several."""
    for text in reversed(chat.spoken):
        for sentence in reversed(
            [piece.strip() for piece in SENTENCE.split(text) if piece.strip()]
        ):
            if option := _agreed_in(sentence, chat, zone):
                return option
    return None


def consents(text: str) -> bool:
    """Whether a text sounds like a yes, whatever it is to."""
    calm = _calm(text)
    return bool(CONSENT.search(calm)) and not REFUSAL.search(calm)


def starts(option: Option, at: Preference, zone: str) -> bool:
    """Whether an exact time, on the clock of a zone, is an option's start."""
    start = local(option, zone)
    return (
        isinstance(at, At)
        and at.time == f"{start:%H:%M}"
        and at.date in (None, start.date().isoformat())
    )


def _agreed_in(sentence: str, chat: Chat, zone: str) -> Option | None:
    calm = _calm(sentence)
    if REFUSAL.search(calm):
        pieces = [piece for piece in PIECE.split(calm) if consents(piece)]
        return next((o for piece in pieces for o in _named(piece, chat)), None)
    named, said = (
        _named(calm, chat),
        understand(sentence, chat.meeting.year).preferences,
    )
    timed = [o for o in chat.options for p in said if starts(o, p, zone)]
    if named and (
        CONSENT.search(calm)
        or named[0] in timed
        or len(NAMED.sub("", calm).split()) <= 3
    ):
        return named[0]
    if named or len(timed) == 1:
        return timed[0] if timed and not named else None
    return _only(chat, calm) if CONSENT.search(calm) and not said else None


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


def _same_sense(hours: Window, part: Window) -> bool:
    bare = (
        not hours.avoid and not hours.weekdays
    )  # "from nine to twelve", said of whatever was asked
    same_days = (
        not hours.weekdays
        or not part.weekdays
        or set(hours.weekdays) == set(part.weekdays)
    )
    return bare or (hours.avoid == part.avoid and same_days)


def _overlap(a: Window, b: Window) -> int:
    return min(minutes(a.end), minutes(b.end)) - max(minutes(a.start), minutes(b.start))


def _calm(text: str) -> str:
    """In small letters, with refusing words that refuse nothing taken for a yes."""
    return HARMLESS.sub("fine", text.casefold().replace("’", "'"))
