"""The form of a programme: what is to be organised, by whom, where, when, and from when until when work goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from html import escape
from typing import Any

import ipywidgets as w

from support.mail.characters import first_hidden
from support.mail.letters import NAME
from support.seminar.data import Persona, Scenario, in_words, working
from support.widgets.dashboard.parts import Field, grid, tell

TEXTS = {
    "title": ("title", "Colloquium of the autumn term", 120),
    "organiser": ("organiser (name)", "signs the mails", NAME),
    "organiser_role": ("organiser’s role", "for example: lecturer (may stay empty)", 120),
    "place": ("place", "a room, or “online”", 200),
    "time": ("time", "for example: 14:00 to 15:30, Central European Time", 120),
}
"""Fields of one line: label, an example, characters at most."""

OPTIONAL = ("organiser_role",)
MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
          "december")  # fmt: skip
SPOKEN = re.compile(r"(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})(?:\.\s*|\s+)(?:(\d{1,2})\.|([A-Za-z]{3,9})\.?)\s*(\d{4})")
"""A day as people write it, by number or by name of the month; 3/4/2027 is April to some, and March to others."""

LONGEST_GOAL = 2000
LIVE_START = "the first day is over; with real mail the calendar counts, so begin today or later"


class ProgrammeForm:
    """Takes a programme; dates in any order.

    Parameters
    ----------
    changed : callable
        Called when something is another.
    today : callable
        The calendar; where mail is real, dates have to be in its future.
    """

    def __init__(self, changed: Callable[[], None], today: Callable[[], date]) -> None:
        self.changed, self.today = changed, today
        self.fields = {name: Field(_line(label, example)) for name, (label, example, _) in TEXTS.items()}
        goal = w.Textarea(description="goal, in words", rows=2, placeholder="what the series is for, and who is wanted")
        self.fields["goal"] = Field(goal)
        self.fields["start"] = Field(w.DatePicker(description="first day of work"))
        self.fields["deadline"] = Field(w.DatePicker(description="deadline (last day of work)"))
        self.fields["seats"] = Field(w.BoundedIntText(value=1, min=1, max=99, description="speakers a date"))
        example = "2027-09-05\n2027-09-12"
        self.fields["slots"] = Field(w.Textarea(description="dates, one a line", rows=6, placeholder=example))
        self.read_as = w.HTML()
        self.view = self._arranged()
        for field in self.fields.values():
            field.control.observe(lambda _: self._typed(), "value")
        self._typed()

    def _arranged(self) -> w.VBox:
        lines = [self.fields[name].view for name in TEXTS]
        shown = [grid(*lines[:3], narrow="20rem"), grid(*lines[3:], narrow="30rem"), self.fields["goal"].view]
        days = w.VBox([self.fields[name].view for name in ("start", "deadline", "seats")])
        dates = grid(days, self.fields["slots"].view, self.read_as, narrow="15rem")
        return w.VBox([*shown, dates])

    def fill(self, programme: Scenario) -> None:
        """Show a programme."""
        plain: dict[str, Any] = {name: getattr(programme, name) for name in self.fields}
        plain["slots"] = "\n".join(slot.isoformat() for slot in programme.slots)
        for name, field in self.fields.items():
            field.control.value = plain[name]

    def clear(self) -> None:
        """Show nothing."""
        for name, field in self.fields.items():
            field.control.value = None if name in ("start", "deadline") else 1 if name == "seats" else ""

    def value(self, people: Sequence[Persona], named: str) -> Scenario:
        """The programme with these people.

        Raises
        ------
        InvalidInput
            When it cannot be; `check` says it in words for the fields.
        """
        given: dict[str, Any] = {name: self._text(name) for name in (*TEXTS, "goal")}
        slots = tuple(sorted(read_dates(self.fields["slots"].control.value)[0]))
        rest = {name: self.fields[name].control.value for name in ("start", "deadline", "seats")}
        return Scenario(id=named, slots=slots, people=tuple(people), **given, **rest)

    def check(self, shown: bool, live: bool = False) -> list[str]:
        """What does not fit, said beside each field if that is to be shown."""
        return tell(self.fields, self._faults(live), shown)

    def _faults(self, live: bool) -> dict[str, str]:
        found = {name: fault for name in TEXTS if (fault := self._text_fault(name))}
        goal = self._text("goal")
        if not goal:
            found["goal"] = "nothing is typed; say in a sentence what is to be organised"
        elif len(goal) > LONGEST_GOAL:
            found["goal"] = f"{len(goal)} characters are typed; at most {LONGEST_GOAL} are possible"
        return found | self._day_faults(live)

    def _text_fault(self, name: str) -> str:
        text, most = self._text(name), TEXTS[name][2]
        if not text:
            return "" if name in OPTIONAL else "nothing is typed"
        if first_hidden(text):
            return "there is a character in it that no screen shows; type it anew"
        return f"{len(text)} characters are typed; at most {most} are possible" if len(text) > most else ""

    def _day_faults(self, live: bool) -> dict[str, str]:
        start, deadline = self.fields["start"].control.value, self.fields["deadline"].control.value
        found: dict[str, str] = {}
        if start is None:
            found["start"] = "no day is chosen"
        elif not working(start):
            found["start"] = f"{start} is a {start:%A}; choose a working day"
        elif live and start < self.today():
            found["start"] = LIVE_START
        if deadline is None:
            found["deadline"] = "no day is chosen"
        elif start is not None and deadline <= start:
            found["deadline"] = f"{deadline} is not after the first day ({start})"
        if fault := self._slots_fault(start):
            found["slots"] = fault
        return found

    def _slots_fault(self, start: date | None) -> str:
        slots, problems = read_dates(self.fields["slots"].control.value)
        if not slots and not problems:
            return "no date is typed; type one a line, such as 2027-09-05"
        early = [slot for slot in slots if start is not None and slot <= start]
        problems += [f"{slot} is not after the first day ({start})" for slot in early]
        return "\n".join(problems[:6]) + (f"\nand {len(problems) - 6} more" if len(problems) > 6 else "")

    def _text(self, name: str) -> str:
        return str(self.fields[name].control.value).strip()

    def _typed(self) -> None:
        slots, problems = read_dates(self.fields["slots"].control.value)
        lines = "".join(f"<li>{escape(in_words(slot))}</li>" for slot in sorted(slots))
        amiss = f", {len(problems)} line{'' if len(problems) == 1 else 's'} not: write 2027-09-05" if problems else ""
        many = f"{len(slots)} date{'' if len(slots) == 1 else 's'} understood{amiss}"
        box = "max-height:8.6rem;overflow:auto;margin:.1rem 0;padding-left:1.2rem"
        listed = f'<ul style="{box}" tabindex="0" aria-label="dates understood">{lines}</ul>' if lines else ""
        self.read_as.value = f'<div class="convene-hint"><b>{many}</b>{listed}</div>'
        self.changed()


def read_dates(text: str) -> tuple[list[date], list[str]]:
    """The dates of a text, one a line and in its order, and what is wrong with the other lines.

    >>> read_dates("2027-09-05\\n5 Sep")
    ([datetime.date(2027, 9, 5)], ["line 2: '5 Sep' is no date such as 2027-09-05 or 5 September 2027"])
    """
    found: list[date] = []
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not (typed := line.strip().rstrip(",; ")):
            continue
        try:
            made = _read_date(typed)
        except ValueError:
            problems.append(f"line {number}: {typed[:40]!r} is no date such as 2027-09-05 or 5 September 2027")
            continue
        if made in found:
            problems.append(f"line {number}: {made} stands there twice; raise “speakers a date” instead")
        else:
            found.append(made)
    return found, problems


def _read_date(typed: str) -> date:
    """The date that a line says, or a ValueError.

    >>> [str(_read_date(line)) for line in ("2027-09-05", "5.9.2027", "Sun, 5 Sept 2027")]
    ['2027-09-05', '2027-09-05', '2027-09-05']
    """
    spoken = SPOKEN.fullmatch(typed)
    if spoken is None:
        return date.fromisoformat(typed)
    day, number, name, year = spoken.groups()
    fits = [k for k, month in enumerate(MONTHS, start=1) if name and month.startswith(name.lower())]
    return date(int(year), int(number) if number else fits[0] if fits else 0, int(day))


def fresh_days(today: date) -> tuple[date, date]:
    """A first day and a deadline to begin a programme of one's own with: the next working day, and 8 weeks later."""
    start = next(day for k in range(1, 8) if working(day := today + timedelta(days=k)))
    return start, start + timedelta(weeks=8)


def _line(label: str, example: str) -> w.Text:
    return w.Text(description=label, placeholder=example)
