"""From a problem's words to its data. Every sentence has to fit a rule: one that does not is an error, never skipped.

    task      = opening, note, calendar…, wishes
    opening   = "You need to schedule a meeting for" people "for" duration "between the work hours of" hours "on" days
    calendar  = person, "has meetings | is busy | has blocked their calendar", day "during" blocks, …
              | person, "is free | calendar is wide open | has no meetings"
    wishes    = (limit | day that goes on with the limit before it | earliest | closing)…
    limit     = person, "would rather not meet | can not meet | …", "on" day ["before" | "after" time]

A list of days goes on over full stops: after "Ana can not meet on Monday." the sentence "Tuesday after 15:30." is
Ana's as well. "before" forbids the day up to that time, "after" from that time on.
"""

from __future__ import annotations

import re

from support.environments.natural_plan.task import DAYS, MIDNIGHT, Busy, Limit, Task, minutes
from support.errors import InvalidInput

CALENDAR = "<somebody invited> is busy on Monday during 9:00 to 9:30, 11:00 to 12:00;"
WISH = "<somebody invited> can not meet on Monday before 15:30"
DURATIONS = {"half an hour": 30, "one hour": 60}

_DAY, _TIME = "|".join(DAYS), r"\d?\d:\d\d"
_OPENING = re.compile(
    r"You need to schedule a meeting for (?P<people>.+?) for (?P<duration>half an hour|one hour) between the work "
    rf"hours of (?P<low>{_TIME}) to (?P<high>{_TIME}) on (?:either )?(?P<days>(?:{_DAY})(?:(?:, | or )(?:{_DAY}))*)\."
)
_NOTE = re.compile(r"Here are the existing schedules for everyone during the days?:")
_CALENDAR = re.compile(
    rf" ?(?:(?:has meetings|is busy|has blocked their calendar) on (?P<blocks>(?:{_DAY}) during .+);"
    r"|(?:'s calendar is wide open|is free|has no meetings) (?:the entire|the whole) (?:day|week)\.)"
)
_DAY_BLOCKS = re.compile(rf"({_DAY}) during ({_TIME} to {_TIME}(?:, {_TIME} to {_TIME})*)")
_LIMIT = re.compile(
    r" (?:would rather not meet|can not meet|do(?:es)? not want to meet|would like to avoid more meetings) on "
)
_WHEN = re.compile(rf"(?P<day>{_DAY})(?: (?P<side>before|after) (?P<time>{_TIME}))?")
_EARLIEST = re.compile(
    r"(?:The group would like to meet|You would like to schedule the meeting) at their "
    r"(?:earliest|earlist) availability"
)
_CLOSING = re.compile(r"Find a time that works for everyone's schedule and constraints")


def parse(text: str) -> Task:
    """Read a problem's text, without the words around it ("TASK:", "SOLUTION:").

    Raises
    ------
    InvalidInput
        When a sentence fits no rule, names a stranger, or a person's calendar is missing; the message quotes it.
    """
    lines = [*(line.strip() for line in text.strip().splitlines() if line.strip()), "", ""]
    opening = _match(_OPENING, lines[0], "opening sentence", "You need to schedule a meeting for … on …")
    _match(_NOTE, lines[1], "second sentence", "Here are the existing schedules for everyone during the day:")
    people = tuple(re.split(r", | and ", opening["people"]))
    calendars, wishes = lines[2 : 2 + len(people)], lines[2 + len(people) :]
    limits, earliest = _wishes(" ".join(wishes), people)
    return Task(
        people=people,
        duration=DURATIONS[opening["duration"]],
        days=tuple(re.findall(_DAY, opening["days"])),
        hours=(minutes(opening["low"]), minutes(opening["high"])),
        busy=_calendars(calendars, people),
        limits=limits,
        earliest=earliest,
    )


def _calendars(lines: list[str], people: tuple[str, ...]) -> tuple[Busy, ...]:
    """One line for each person; "Ethanhas no meetings" is in the data as well, without the blank."""
    said: dict[str, str] = {}
    for line in lines:
        person = _person(line, people)
        match = _match(_CALENDAR, line[len(person) :] if person else "", "calendar", CALENDAR, line)
        said[person] = match["blocks"] or ""
    if missing := [person for person in people if person not in said]:
        raise InvalidInput(f"task: no calendar of {', '.join(missing)} among {lines}; expected one for each person.")
    return tuple(block for person, blocks in said.items() for block in _blocks(person, blocks))


def _blocks(person: str, said: str) -> list[Busy]:
    """The blocks of "Monday during 9:00 to 9:30, 11:00 to 12:00, Tuesday during …"."""
    blocks = []
    for part in re.split(rf", (?={_DAY})", said) if said else []:
        match = _match(_DAY_BLOCKS, part, f"day in {person}'s calendar", "Monday during 9:00 to 9:30, 11:00 to 12:00")
        for low, high in (span.split(" to ") for span in match[2].split(", ")):
            blocks.append(Busy(person, match[1], minutes(low), minutes(high)))
            if blocks[-1].start >= blocks[-1].end:
                raise InvalidInput(f"task: {person}'s block {low} to {high} on {match[1]} ends before it begins.")
    return blocks


def _wishes(text: str, people: tuple[str, ...]) -> tuple[tuple[Limit, ...], bool]:
    limits: list[Limit] = []
    stem, person, earliest = "", "", False
    for sentence in (part.strip() for part in text.split(".") if part.strip()):
        if _CLOSING.fullmatch(sentence) or _EARLIEST.fullmatch(sentence):
            earliest |= bool(_EARLIEST.fullmatch(sentence))
            stem = person = ""  # a day after this belongs to nobody
            continue
        named = _person(sentence, people)
        if named and (limit := _LIMIT.match(sentence, len(named))):
            stem, person = sentence[: limit.end()], named
            sentence = sentence[limit.end() :]
        when = _match(_WHEN, sentence if person else "", "wish", WISH, sentence)
        limits.append(_limit(person, when, stem))
    return tuple(limits), earliest


def _limit(person: str, when: re.Match[str], stem: str) -> Limit:
    low, high = 0, MIDNIGHT
    if when["side"] == "before":
        high = minutes(when["time"])
    elif when["side"] == "after":
        low = minutes(when["time"])
    return Limit(person, when["day"], low, high, stem + when[0])


def _person(sentence: str, people: tuple[str, ...]) -> str:
    """Whose name a sentence begins with, the longest that fits; "" for nobody's."""
    return max((person for person in people if sentence.startswith(person)), key=len, default="")


def _match(rule: re.Pattern[str], text: str, what: str, expected: str, sentence: str = "") -> re.Match[str]:
    found = rule.fullmatch(text)
    if not found:
        raise InvalidInput(f"task: {what} not understood: {sentence or text!r}; expected one like {expected!r}.")
    return found
