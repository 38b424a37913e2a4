"""The calendar of a run: today, the dates to be filled, the deadline, and the days on which mails went."""

from __future__ import annotations

import calendar as months
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from support.boards.pieces import board, chip, count, folded, legend, medium, said
from support.boards.standing import over
from support.seminar.data import in_words, passed
from support.seminar.ledger import State
from support.seminar.views import Desk

UNFOLDED = 4
"""Months that are shown at once: this one, and the next with dates."""

NEXT = 6
"""Dates that the list shows at once; the others are folded."""

DAYS = tuple(zip(("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"), months.day_name, strict=True))


@dataclass(frozen=True, slots=True)
class _Marks:
    """What the days of a calendar are marked by."""

    state: State
    deadline: date
    mails: Counter[date]


def calendar_to_html(desk: Desk) -> str:
    """Months from the start to the last date that matters (Figure 3F), and the next dates in words."""
    start = desk.scenario.start
    sent = Counter(start + timedelta(days=mail.day - 1) for mail in desk.mails)
    marks = _Marks(desk.state, desk.scenario.deadline, sent)
    shown, before, after = _chosen(desk)
    parts = [
        _months(before, marks, "Earlier"),
        f'<div class="months">{"".join(_month(month, marks) for month in shown)}</div>',
        _months(after, marks, "Further"),
        _legend(marks),
        _next(desk),
    ]
    return board("calendar", "".join(parts), "Calendar")


def _chosen(desk: Desk) -> tuple[list[date], list[date], list[date]]:
    """First days of the months that are shown, of those before them and of the others."""
    ends = (desk.scenario.start, desk.today, desk.scenario.deadline, *desk.state.slots)
    this, month, last = _first(desk.today), _first(min(ends)), _first(max(ends))
    every = [month]
    while every[-1] < last:
        every.append(_first(every[-1] + timedelta(days=31)))
    dated = {_first(slot) for slot in desk.state.slots} | {_first(desk.scenario.deadline)}
    shown = [month for month in every if month == this or (month > this and month in dated)][:UNFOLDED]
    return shown, [m for m in every if m < this], [m for m in every if m > this and m not in shown]


def _first(day: date) -> date:
    return day.replace(day=1)


def _months(chosen: Sequence[date], marks: _Marks, word: str) -> str:
    if not chosen:
        return ""
    names = ", ".join(f"{month:%B}" for month in chosen)
    inside = "".join(_month(month, marks) for month in chosen)
    return folded(f"{word}: {names}", f'<div class="months">{inside}</div>')


def _month(month: date, marks: _Marks) -> str:
    heads = "".join(f'<th scope="col" abbr="{name}">{short}</th>' for short, name in DAYS)
    weeks = months.Calendar(months.MONDAY).monthdatescalendar(month.year, month.month)
    rows = "".join(
        "<tr>" + "".join(_day(day, marks) if day.month == month.month else "<td></td>" for day in week) + "</tr>"
        for week in weeks
    )
    head = f"<caption>{month:%B %Y}</caption><thead><tr>{heads}</tr></thead>"
    return f'<table class="month">{head}<tbody>{rows}</tbody></table>'


def _day(day: date, marks: _Marks) -> str:
    today = marks.state.today
    looks, signs, words = ["d"], [], []
    if day in marks.state.slots:
        tone, sign, word = _slot(marks.state, day)
        looks, signs, words = [*looks, tone], [sign], [word]
    elif day < today:
        looks.append("past")
    if day == marks.deadline:
        looks, signs, words = [*looks, "due"], [*signs, "due"], [*words, "deadline"]
    if number := marks.mails[day]:
        signs, words = [*signs, f"•{number}"], [*words, count(number, "mail")]
    if day == today:
        looks, words = [*looks, "today"], ["today", *words]
    now = ' aria-current="date"' if day == today else ""
    told = f' title="{in_words(day)}: {"; ".join(words)}"' if words else ""
    heard = f'<span class="sr">{"; ".join(words)}</span>' if words else ""
    mark = f'<span class="mark" aria-hidden="true">{" ".join(signs)}</span>' if signs else ""
    return f'<td{now}{told}><span class="{" ".join(looks)}">{day.day}{mark}</span>{heard}</td>'


def _slot(state: State, slot: date) -> tuple[str, str, str]:
    """Tone, sign and words of a date to be filled."""
    names = state.slots[slot]
    if len(names) >= state.seats:
        sure = all(slot in state.contacts[name].confirmed for name in names)
        return ("sure", "✓", "taken") if sure else ("given", "◑", "taken, not confirmed yet")
    left = "over" if over(state, slot) else "open"
    if state.seats > 1:
        return "vague", f"{len(names)}/{state.seats}", f"{len(names)} of {state.seats} seats taken, {left}"
    return "vague", left, "over, given to nobody" if left == "over" else "open date"


def _legend(marks: _Marks) -> str:
    seats = marks.state.seats
    free = ("vague", f"0/{seats}", "date with free seats") if seats > 1 else ("vague", "open", "date to fill")
    days = [("none", "▢", "today"), ("sure", "✓", "date taken"), free]
    return legend([*days, ("none", "due", "deadline"), ("none", "•2", "mails of that day, here two")])


def _next(desk: Desk) -> str:
    """The dates to come and the deadline, in words and in their order."""
    state = desk.state
    ahead = [(slot, _who(state, slot)) for slot in state.slots if slot >= desk.today]
    if desk.scenario.deadline >= desk.today:
        ahead.append((desk.scenario.deadline, chip("amiss", "!", "deadline")))
    items = [_item(desk.today, day, words) for day, words in sorted(ahead, key=lambda entry: entry[0])]
    if not items:
        return "<h3>Next dates</h3><p>No date is to come any more.</p>"
    more = f'<ul class="next">{"".join(items[NEXT:])}</ul>'
    rest = folded(count(len(items) - NEXT, "more date"), more) if len(items) > NEXT else ""
    return f'<h3>Next dates</h3><ul class="next">{"".join(items[:NEXT])}</ul>{rest}'


def _item(today: date, day: date, words: str) -> str:
    away = passed(today, day)
    when = "today" if day == today else f"in {count(away, 'working day')}" if away else "at the weekend"
    return f'<li><span><b>{medium(day)}</b><br><span class="small">{when}</span></span><span>{words}</span></li>'


def _who(state: State, slot: date) -> str:
    names = state.slots[slot]
    has = "".join(
        chip("sure", "✓", said(name))
        if slot in state.contacts[name].confirmed
        else chip("given", "◑", f"{said(name)}, not confirmed yet")
        for name in names
    )
    free = state.seats - len(names)
    if free <= 0:
        return has
    left = f"{free} of {state.seats} seats open" if state.seats > 1 else "open"
    wanted = [c.name for c in state.waiting() if slot in c.available]
    unsure = [c.name for c in state.waiting() if slot in c.vague]
    told = [f"can: {', '.join(map(said, wanted))}"] if wanted else []
    told += [f"perhaps: {', '.join(map(said, unsure))}"] if unsure else []
    who = "; ".join(told) or "nobody without a date has named it"
    return f'{has}{chip("vague", "○", left)} <span class="small">{who}</span>'
