"""Calendar scheduling of NaturalPlan (Zheng et al. 2024): 500 problems in words, each with one golden slot.

What a problem says as data, from the words to the data, whether a slot meets every stated constraint (which knows no
solver), and the data as hard constraints, solved. Times of the day are minutes since midnight, intervals half-open.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.data import shared
from support.errors import InvalidInput
from support.solvers.scheduling import Block, SchedulingProblem, merged, solve

if TYPE_CHECKING:
    import numpy as np

FILE = "natural_plan_calendar.jsonl.gz"
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
MIDNIGHT, STEP = 24 * 60, 30  # minutes; all times in the problems are half hours


@dataclass(frozen=True, slots=True, order=True)
class DaySlot:
    """A time on a day of the week.

    >>> DaySlot.read("Here is the proposed time: Monday, 14:30 - 15:30")
    DaySlot(day='Monday', start=870, end=930)
    >>> str(_)
    'Monday, 14:30 - 15:30'
    """

    day: str
    start: int
    end: int

    @classmethod
    def read(cls, text: str) -> DaySlot:
        """The slot in a plan's words."""
        found = re.findall(rf"({'|'.join(DAYS)}), (\d?\d:\d\d) - (\d?\d:\d\d)", text)
        if len(found) != 1:
            raise InvalidInput(
                f"plan {text!r}: {len(found)} slots found; expected one like Monday, 14:30 - 15:30."
            )
        day, start, end = found[0]
        return cls(day, minutes(start), minutes(end))

    def __str__(self) -> str:
        return f"{self.day}, {clock_time(self.start)} - {clock_time(self.end)}"


@dataclass(frozen=True, slots=True, order=True)
class Busy:
    """A part of a day, [start, end), on which somebody cannot meet: by the calendar, or by the sentence `said`."""

    person: str
    day: str
    start: int
    end: int
    said: str = ""

    def __post_init__(self) -> None:
        if self.start >= self.end:
            raise InvalidInput(
                f"{self.person}, {self.day}: {_span(self.start, self.end)} ends before it begins."
            )


@dataclass(frozen=True, slots=True)
class Task:
    """A meeting to schedule: who has to be there, how long (minutes), on which days and in which hours of each, what
    stands against it in calendars and in sentences, and whether the first slot that works is asked for."""

    people: tuple[str, ...]
    duration: int
    days: tuple[str, ...]
    hours: tuple[int, int]
    busy: tuple[Busy, ...] = ()
    limits: tuple[Busy, ...] = ()
    earliest: bool = False

    @property
    def meaning(self) -> tuple[object, ...]:
        """What it comes to, whatever the order and the way of saying it: equal for two readings of the same text."""
        blocks = taken(self.busy), taken(self.limits)
        return (
            frozenset(self.people),
            self.duration,
            frozenset(self.days),
            self.hours,
            *blocks,
            self.earliest,
        )


def taken(items: Iterable[Busy]) -> frozenset[tuple[str, str, int, int]]:
    """(person, day, start, end) of blocks, overlapping and touching ones made one."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for item in items:
        found.setdefault((item.person, item.day), []).append((item.start, item.end))
    return frozenset(
        (*key, *span) for key, spans in found.items() for span in merged(spans)
    )


def minutes(time: str) -> int:
    """Minutes since midnight."""
    found = re.fullmatch(r"(\d?\d):(\d\d)", time.strip())
    if not found or int(found[2]) > 59 or int(found[1]) * 60 + int(found[2]) > MIDNIGHT:
        raise InvalidInput(
            f"time {time!r}: expected hours and minutes from 0:00 to 24:00, such as 9:30."
        )
    return int(found[1]) * 60 + int(found[2])


def clock_time(minute: int) -> str:
    """Minutes since midnight as the problems write them, such as "9:30"."""
    return f"{minute // 60}:{minute % 60:02d}"


# ---- the problems as they come ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """`text` is the last task of the prompt, which may show solved ones before it."""

    id: str
    text: str
    golden: DaySlot


def load() -> tuple[Problem, ...]:
    """All problems, in the order of the registered file, whose sum `shared` checks."""
    with gzip.open(shared("natural_plan") / FILE, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    tasks = [
        row["prompt"].rpartition("TASK:")[2].partition("SOLUTION:")[0].strip()
        for row in rows
    ]
    return tuple(
        Problem(row["id"], text, DaySlot.read(row["golden_plan"]))
        for row, text in zip(rows, tasks, strict=True)
    )


def draw(
    problems: Iterable[Problem],
    n: int,
    rng: np.random.Generator,
    most_people: int = 7,
    most_days: int = 5,
) -> tuple[Problem, ...]:
    """n of the problems that ask for no more people and days, without replacement, in the order of the file."""
    read = [(p, parse(p.text)) for p in problems]
    short = [
        p
        for p, task in read
        if len(task.people) <= most_people and len(task.days) <= most_days
    ]
    return tuple(
        short[i] for i in sorted(rng.choice(len(short), size=n, replace=False))
    )


# ---- from the words to the data --------------------------------------------------------------------------------------
#
#   task      = opening, note, calendar…, wishes
#   opening   = "You need to schedule a meeting for" people "for" duration "between the work hours of" hours "on" days
#   calendar  = person, "has meetings | is busy | has blocked their calendar", day "during" blocks, …
#             | person, "is free | calendar is wide open | has no meetings"
#   wishes    = (limit | day that goes on with the limit before it | earliest | closing)…
#   limit     = person, "would rather not meet | can not meet | …", "on" day ["before" | "after" time]
#
# A list of days goes on over full stops: after "Ana can not meet on Monday." the sentence "Tuesday after 15:30." is
# Ana's as well. "before" forbids the day up to that time, "after" from that time on.

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
_DAY_BLOCKS = re.compile(
    rf"({_DAY}) during ({_TIME} to {_TIME}(?:, {_TIME} to {_TIME})*)"
)
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
    """Read a problem's text, without the words around it ("TASK:", "SOLUTION:"). Every sentence has to fit a rule.

    InvalidInput, which quotes it, where one fits none, names a stranger, or a person's calendar is missing.
    """
    lines = [
        *(line.strip() for line in text.strip().splitlines() if line.strip()),
        "",
        "",
    ]
    opening = _match(
        _OPENING,
        lines[0],
        "opening sentence",
        "You need to schedule a meeting for … on …",
    )
    _match(
        _NOTE,
        lines[1],
        "second sentence",
        "Here are the existing schedules for everyone during the day:",
    )
    people = tuple(re.split(r", | and ", opening["people"]))
    calendars, wishes = lines[2 : 2 + len(people)], lines[2 + len(people) :]
    limits, earliest = _wishes(" ".join(wishes), people)
    days, hours = (
        tuple(re.findall(_DAY, opening["days"])),
        (minutes(opening["low"]), minutes(opening["high"])),
    )
    return Task(
        people,
        DURATIONS[opening["duration"]],
        days,
        hours,
        _calendars(calendars, people),
        limits,
        earliest,
    )


def _calendars(lines: list[str], people: tuple[str, ...]) -> tuple[Busy, ...]:
    """One line for each person; "Ethanhas no meetings" is in the data as well, without the blank."""
    said: dict[str, str] = {}
    for line in lines:
        person = _person(line, people)
        match = _match(
            _CALENDAR, line[len(person) :] if person else "", "calendar", CALENDAR, line
        )
        said[person] = match["blocks"] or ""
    if missing := [person for person in people if person not in said]:
        raise InvalidInput(
            f"task: no calendar of {', '.join(missing)} among {lines}; expected one for each person."
        )
    return tuple(
        block for person, blocks in said.items() for block in _blocks(person, blocks)
    )


def _blocks(person: str, said: str) -> Iterator[Busy]:
    """The blocks of "Monday during 9:00 to 9:30, 11:00 to 12:00, Tuesday during …"."""
    for part in re.split(rf", (?={_DAY})", said) if said else []:
        match = _match(
            _DAY_BLOCKS,
            part,
            f"day in {person}'s calendar",
            "Monday during 9:00 to 9:30, 11:00 to 12:00",
        )
        for span in match[2].split(", "):
            low, high = map(minutes, span.split(" to "))
            yield Busy(person, match[1], low, high)


def _wishes(text: str, people: tuple[str, ...]) -> tuple[tuple[Busy, ...], bool]:
    limits: list[Busy] = []
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
        low, high = forbidden(when["side"], when["time"])
        limits.append(Busy(person, when["day"], low, high, stem + when[0]))
    return tuple(limits), earliest


def forbidden(side: str | None, time: str | None) -> tuple[int, int]:
    """The part of a day "before" or "after" a time; without either the whole of it."""
    return minutes(time) if time and side == "after" else 0, minutes(
        time
    ) if time and side == "before" else MIDNIGHT


def _person(sentence: str, people: tuple[str, ...]) -> str:
    """Whose name a sentence begins with, the longest that fits; "" for nobody's."""
    return max(
        (person for person in people if sentence.startswith(person)),
        key=len,
        default="",
    )


def _match(
    rule: re.Pattern[str], text: str, what: str, expected: str, sentence: str = ""
) -> re.Match[str]:
    found = rule.fullmatch(text)
    if not found:
        raise InvalidInput(
            f"task: {what} not understood: {sentence or text!r}; expected one like {expected!r}."
        )
    return found


# ---- whether a slot meets every stated constraint --------------------------------------------------------------------

GOLDEN, OTHER, BREAKS, NONE = (
    "golden",
    "another that meets every constraint",
    "breaks a constraint",
    "no slot",
)


def judge(task: Task, golden: DaySlot, slot: DaySlot | None) -> tuple[str, list[str]]:
    """`GOLDEN`, `OTHER`, `BREAKS` or `NONE`, and which constraints a slot breaks, in words.

    A golden slot may break one: then the file is wrong, or our reading of it.
    """
    broken = list(violations(task, slot)) if slot else []
    return (
        NONE
        if slot is None
        else GOLDEN
        if slot == golden
        else BREAKS
        if broken
        else OTHER,
        broken,
    )


def violations(task: Task, slot: DaySlot) -> Iterator[str]:
    """Every stated constraint that a slot breaks, in words."""
    yield from _unavailable(task, slot)
    if task.earliest and (sooner := _sooner(task, slot)):
        yield f"the earliest time is asked for, and {sooner} works as well"


def _unavailable(task: Task, slot: DaySlot) -> Iterator[str]:
    if slot.end - slot.start != task.duration:
        yield f"it takes {slot.end - slot.start} minutes, not {task.duration}"
    if slot.day not in task.days:
        yield f"{slot.day} is not among {', '.join(task.days)}"
    low, high = task.hours
    if slot.start < low or slot.end > high:
        yield f"{_span(slot.start, slot.end)} is outside the work hours {_span(low, high)}"
    for item in (*task.busy, *task.limits):
        if slot.day == item.day and slot.start < item.end and item.start < slot.end:
            yield (
                item.said
                or f"{item.person} is busy on {item.day}, {_span(item.start, item.end)}"
            )


def _sooner(task: Task, slot: DaySlot) -> DaySlot | None:
    """An earlier slot that works. The first one begins with the work hours, or where something that forbids ends."""
    days = (
        task.days[: task.days.index(slot.day) + 1]
        if slot.day in task.days
        else task.days
    )
    for day in days:
        ends = {item.end for item in (*task.busy, *task.limits) if item.day == day}
        for start in sorted({task.hours[0], *ends}):
            found = DaySlot(day, start, start + task.duration)
            if not any(_unavailable(task, found)) and (
                day != slot.day or start < slot.start
            ):
                return found
    return None


def _span(start: int, end: int) -> str:
    return f"{clock_time(start)} - {clock_time(end)}"


# ---- solved ----------------------------------------------------------------------------------------------------------


def to_scheduling(task: Task) -> SchedulingProblem:
    """The task in minutes since the midnight before Monday: all that it states binds, wishes included."""

    def at(day: str, minute: int) -> int:
        return DAYS.index(day) * MIDNIGHT + minute

    return SchedulingProblem(
        duration=task.duration,
        horizon=tuple(
            (at(day, task.hours[0]), at(day, task.hours[1])) for day in task.days
        ),
        step=STEP,
        required=task.people,
        blocks=tuple(
            Block(
                at(b.day, b.start),
                at(b.day, b.end),
                b.said or f"{b.person}'s calendar",
                b.person,
            )
            for b in (*task.busy, *task.limits)
        ),
    )


def solve_task(task: Task) -> tuple[DaySlot | None, str]:
    """The earliest slot that meets every constraint and "", or None and what conflicts."""
    starts, conflict = solve(to_scheduling(task))
    if conflict is not None:
        return None, conflict.text
    day, start = divmod(starts[0], MIDNIGHT)
    return DaySlot(DAYS[day], start, start + task.duration), ""
