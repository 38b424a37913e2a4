"""The rule-based interviewer: asks, listens with the lexical reader, and restates what it understood.

It ends when the member has nothing more to say (round 1), agrees or offers an alternative (later rounds), and at the
latest after `limit` answers. What it restates was read from the member's own words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise, takewhile
from zoneinfo import ZoneInfo

from support.environments.meetings.meeting import Meeting, in_words
from support.environments.meetings.preferences import At
from support.environments.meetings.reading import restate
from support.environments.meetings.views import Chat, Intent, Remark
from support.errors import InvalidInput
from support.participants.facilitators.listening import agreed, consents, heard, spoken, starts, understand
from support.records import Option

NOTHING_MORE = re.compile(
    r"^\W*(no|nope|nothing|none)\b|\bnothing (more|else|further|better|to add)\b|\bno more\b|\ball set\b|"
    r"\b(that|this)('s| is| was| would be|s)? (all|it|everything)\b|\bI'm done\b",
    re.IGNORECASE,
)
NO_ALTERNATIVE = re.compile(
    r"\bnothing (better|else|to offer)\b|\b(can't|cannot) name\b|\bno (better|other)\b", re.IGNORECASE
)
ANYTHING_ELSE = (
    "Thank you. Is there anything else that matters to you about the time?",
    "Noted. Anything else?",
    "Good to know. Is there more that I should keep in mind?",
)
IN_TERMS_OF_TIMES = "Could you say that in terms of days and times: when does it suit you, and when not?"
WHY_AND_WHEN = "What makes these times unsuitable, and which day and time would suit you instead?"
WHEN_INSTEAD = "I see. Which day and time would suit you instead?"
WHICH_ONE = "Which of them do you mean: {ids}?"
THANKS = "Thank you, that helps."


@dataclass(frozen=True)
class RuleBasedInterviewer:
    """Asks a member in private when it suits, and later whether an option does.

    Parameters
    ----------
    zones : mapping
        Each member's IANA time zone: options are presented, and answers understood, in it.
    limit : int
        Answers after which it stops asking.
    """

    zones: Mapping[str, str]
    limit: int = 6
    kind: str = "rule-based"

    def __post_init__(self) -> None:
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or self.limit < 1:
            raise InvalidInput(f"limit: {self.limit!r} given; expected a whole number of at least 1")

    async def ask(self, chat: Chat) -> Remark:
        """What to say next; in round 1 about preferences, later about the options."""
        if not chat.turns:
            return Remark(_offer(chat, self._zone(chat)) if _has_options(chat) else _opening(chat.meeting))
        question = self._about_options(chat) if _has_options(chat) else self._about_preferences(chat)
        enough = len(spoken(chat)) >= self.limit
        return Remark(THANKS, done=True) if enough or question is None else Remark(question)

    async def extract(self, chat: Chat) -> Intent:
        """The member's preferences, restated compactly; an option that was agreed to first."""
        found = heard(spoken(chat), _year(chat))
        option = agreed(chat, self._zone(chat)) if _has_options(chat) else None
        mentioned = {p for p in found for o in chat.options if isinstance(p, At) and starts(o, p, self._zone(chat))}
        rest = [restate(p) for p in found if p not in mentioned]
        if option is None:
            return Intent(tuple(rest))
        return Intent((f"Agrees to {in_words(_local(option, self._zone(chat)))}", *rest), option.id)

    def _about_preferences(self, chat: Chat) -> str | None:
        """The next question of round 1; None when there is nothing more to ask."""
        answers = spoken(chat) or [""]
        more = ANYTHING_ELSE[(len(answers) - 1) % len(ANYTHING_ELSE)]
        *before, last = [understand(text, _year(chat)).parts for text in answers]
        if parts := [f"the {part}" for part in last if not any(part in earlier for earlier in before)]:
            return f"From when to when is that for you: {' and '.join(parts)}?"
        in_vain = len(list(takewhile(lambda told: not told, reversed(_news(chat)))))
        if in_vain and any(map(NOTHING_MORE.search, re.split(r"(?<=[.!?])\s+", answers[-1]))):
            return None
        return (more, IN_TERMS_OF_TIMES, more, None)[min(in_vain, 3)]

    def _about_options(self, chat: Chat) -> str | None:
        """The next question of a later round: none once an option is agreed to or an alternative is named."""
        answers, zone = spoken(chat), self._zone(chat)
        found = heard(answers, _year(chat))
        elsewhere = [p for p in found if isinstance(p, At) and not any(starts(o, p, zone) for o in chat.options)]
        if agreed(chat, zone) or elsewhere or len(answers) > 2 or (found and len(answers) > 1):
            return None
        if answers and (NO_ALTERNATIVE.search(answers[-1]) and (found or len(answers) > 1)):
            return None
        if answers and consents(answers[-1]) and not found:
            return WHICH_ONE.format(ids=", ".join(option.id for option in chat.options))
        return WHEN_INSTEAD if found else WHY_AND_WHEN

    def _zone(self, chat: Chat) -> str:
        if chat.member not in self.zones:
            raise InvalidInput(f"zones: none given for {chat.member}; expected one for each member of the meeting")
        return self.zones[chat.member]


def _has_options(chat: Chat) -> bool:
    return chat.round > 1 and bool(chat.options)


def _news(chat: Chat) -> list[bool]:
    """For each answer, whether it told something that the ones before had not."""
    answers = spoken(chat)
    known = [heard(answers[:count], _year(chat)) for count in range(len(answers) + 1)]
    return [set(after) != set(before) for before, after in pairwise(known)]


def _opening(meeting: Meeting) -> str:
    days = list(dict.fromkeys(f"{slot:%A} {slot.day} {slot:%B}" for slot in meeting.slots()))
    when = f"on {days[0]}" if len(days) == 1 else f"between {days[0]} and {days[-1]}"
    return (
        f"{meeting.organiser} would like to meet you {when} for {meeting.duration} minutes: {meeting.subject}. "
        "When would that suit you, and when would it not?"
    )


def _offer(chat: Chat, zone: str) -> str:
    elsewhere = f", on your clock ({zone})" if zone != chat.meeting.zone else ""
    best = {chat.candidate: " (the best for the group so far)"}
    lines = [
        f"- {option.id}: {in_words(_local(option, zone))}{best.get(option.id, '')}{_because(option)}"
        for option in chat.options
    ]
    heading = f"These times came up for {chat.meeting.subject} ({chat.meeting.duration} minutes){elsewhere}:"
    ask = "Does one of them suit you? If not, please tell me why, and which day and time would."
    return "\n".join([heading, *lines, ask])


def _because(option: Option) -> str:
    return f" – {'; '.join(option.reasons)}" if option.reasons else ""


def _local(option: Option, zone: str) -> datetime:
    return datetime.fromisoformat(option.start).astimezone(ZoneInfo(zone))


def _year(chat: Chat) -> int:
    return int(chat.meeting.date[:4])
