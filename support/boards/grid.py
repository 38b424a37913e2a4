"""The assignment grid: people by dates, with what each said of each date, and how many seats are filled."""

from __future__ import annotations

from datetime import date
from html import escape

from support.boards.pieces import board, clean, legend, said, scrolled
from support.boards.standing import Seats, over, seats_of, standing
from support.seminar.data import in_words
from support.seminar.ledger import Contact, State
from support.seminar.views import Desk

WORDED = 4
"""Up to that many dates, cells have room for a word beside the sign."""

BLOCKS = 40
"""Up to that many seats, the bar has a block for each."""

CONFIRMED, GIVEN, FIRM, VAGUE, SPARE, BACK, NO, UNNAMED, UNKNOWN = (
    "confirmed", "given", "firm", "vague", "spare", "back", "no", "unnamed", "unknown",
)  # fmt: skip

SIGNS = {
    CONFIRMED: ("sure", "✓", "confirmed", "has the date, confirmed by mail"),
    GIVEN: ("given", "◑", "given", "has the date, confirmation outstanding"),
    FIRM: ("tentative", "●", "can", "tentative: named it firmly, the date is free"),
    VAGUE: ("vague", "?", "perhaps", "named it vaguely"),
    SPARE: ("quiet", "○", "could", "named it, but it is taken or they have another"),
    BACK: ("amiss", "↩", "gave back", "had the date and gave it back"),
    NO: ("none", "✕", "no", "declined"),
    UNNAMED: ("none", "–", "not named", "answered without naming it"),
    UNKNOWN: ("none", "·", "", "not known yet"),
}
"""Of each kind of cell its tone, its sign, a word and a sentence."""


def grid_to_html(desk: Desk) -> str:
    """People by dates (Figure 3D), below a bar of how many seats are filled.

    Parameters
    ----------
    desk : Desk
        Dates are over once the desk's day has come to them.
    """
    seats = seats_of(desk.state)
    return board("grid", _progress(seats) + _table(desk) + _legend(desk), "Assignment grid")


def kind_of(state: State, contact: Contact, slot: date) -> str:
    """What a cell says of somebody and a date: one of the keys of `SIGNS`."""
    if contact.name in state.slots[slot]:
        return CONFIRMED if slot in contact.confirmed else GIVEN
    if slot in contact.cancelled and slot not in contact.named:
        return BACK
    if contact.declined:
        return NO
    if slot not in contact.named:
        return UNNAMED if contact.answered else UNKNOWN
    if len(state.slots[slot]) >= state.seats or state.dates_of(contact.name) or over(state, slot):
        return SPARE
    return FIRM if slot in contact.available else VAGUE


def _progress(seats: Seats) -> str:
    sure = seats.filled - seats.unconfirmed
    parts = (("sure", "✓", sure), ("given", "◑", seats.unconfirmed), ("tentative", "●", seats.tentative),
             ("quiet", "", seats.open))  # fmt: skip
    if seats.total <= BLOCKS:
        blocks = [f'<span class="{tone}">{sign}</span>' for tone, sign, number in parts for _ in range(number)]
    else:
        blocks = [f'<span class="{t}" style="flex-grow:{n}">{sign} {n}</span>' for t, sign, n in parts if n]
    return f'<p><b>{seats.words}</b></p><div class="bar" aria-hidden="true">{"".join(blocks)}</div>'


def _table(desk: Desk) -> str:
    state, many = desk.state, ' class="many"' if len(desk.state.slots) > WORDED else ""
    heads = "".join(_head(state, slot) for slot in state.slots)
    rows = "".join(_row(state, name) for name in state.contacts)
    top = f'<thead><tr><th scope="col" class="stuck">who</th>{heads}</tr></thead>'
    caption = f"<caption>Who can do which date, as of {in_words(desk.today)}</caption>"
    return scrolled(f"<table{many}>{caption}{top}<tbody>{rows}</tbody></table>", "People by dates")


def _head(state: State, slot: date) -> str:
    names, many = state.slots[slot], len(state.slots) > WORDED
    full = len(names) >= state.seats
    word = "full" if full else "over" if over(state, slot) else "open"
    if state.seats > 1:
        word = f"{len(names)} of {state.seats}" + (", over" if not full and word == "over" else "")
    who = f": {', '.join(names)}" if names else ""
    return (
        f'<th scope="col" title="{escape(clean(in_words(slot) + who))}">{slot.day}{"<br>" if many else " "}{slot:%b}'
        f'<span class="cell small {"given" if full else "none"}">{word}</span></th>'
    )


def _row(state: State, name: str) -> str:
    contact, stands = state.contacts[name], standing(state, name)
    words = len(state.slots) <= WORDED
    cells = "".join(_cell(kind_of(state, contact, slot), words) for slot in state.slots)
    small = f'<span class="small">{said(contact.role)} · {stands.glyph} {stands.words}</span>'
    return f'<tr><th scope="row" class="stuck"><b>{said(name)}</b><br>{small}</th>{cells}</tr>'


def _cell(kind: str, words: bool) -> str:
    tone, sign, word, sentence = SIGNS[kind]
    beside = f'<span class="word"> {word}</span>' if words and kind not in (UNNAMED, UNKNOWN) else ""
    seen = f'<span class="cell {tone}" aria-hidden="true">{sign}{beside}</span>'
    return f'<td title="{sentence}">{seen}<span class="sr">{sentence}</span></td>'


def _legend(desk: Desk) -> str:
    """Signs that the table has, in the order of `SIGNS`."""
    state = desk.state
    there = {kind_of(state, contact, slot) for contact in state.contacts.values() for slot in state.slots}
    return legend((tone, sign, text) for kind, (tone, sign, _, text) in SIGNS.items() if kind in there)
