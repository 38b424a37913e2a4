"""The correspondence: people by days with mails, a sign for each mail, and every thread to be opened below its row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta

from support.boards.pieces import board, count, folded, legend, letters, said, scrolled, short
from support.boards.standing import standing
from support.errors import InvalidInput
from support.seminar.data import in_words, passed
from support.seminar.records import (
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    ORGANISER,
    REPLY,
    THANKS,
    Flag,
    Mail,
)
from support.seminar.views import Desk

DAYS = 14
"""Days with mails that have a column each; earlier ones share one."""

SIGNS = {
    INVITATION: ("given", "→", "invitation"),
    FOLLOW_UP: ("vague", "↻", "follow-up"),
    CLARIFICATION: ("tentative", "→?", "clarification"),
    CONFIRMATION: ("sure", "→✓", "confirmation"),
    THANKS: ("quiet", "→·", "thanks"),
    REPLY: ("good", "←", "reply"),
}
"""Of each kind of mail its tone, its sign and its name."""

FLAGGED = ("flag", "⚑", "reply, flagged")
UNKNOWN = ("quiet", "→", "mail")
FINAL = (CONFIRMATION, THANKS)
"""Mails that wait for no answer."""


def correspondence_to_html(desk: Desk, flags: Sequence[Flag] = (), person: str | None = None) -> str:
    """People by days (Figure 3E), each with the whole thread below, folded.

    Parameters
    ----------
    flags : sequence of Flag
        Whose mails bear a flag in place of the sign of a reply.
    person : str, optional
        Only theirs, unfolded.

    Raises
    ------
    InvalidInput
        When nobody of that name is on the list.
    """
    if person is not None and person not in desk.state.contacts:
        raise InvalidInput(f"person: {person!r} given; expected one of {', '.join(desk.state.contacts)}")
    names = [person] if person is not None else list(desk.state.contacts)
    threads = _threads(desk, names)
    days = sorted({mail.day for mails in threads.values() for mail in mails})
    content = _table(desk, threads, days, {flag.mail for flag in flags}, person is not None)
    nothing = "" if days else "<p>No mail has gone out or come in yet.</p>"
    return board("matrix", nothing + content + _legend(), "Correspondence")


def _threads(desk: Desk, names: Sequence[str]) -> dict[str, list[Mail]]:
    """All mails by whom they are with, in their order."""
    threads: dict[str, list[Mail]] = {name: [] for name in names}
    for mail in desk.mails:
        other = mail.to if mail.sender == ORGANISER else mail.sender
        if other in threads:
            threads[other].append(mail)
    return threads


def _table(
    desk: Desk, threads: dict[str, list[Mail]], days: Sequence[int], flagged: Collection[int], unfolded: bool
) -> str:
    shown = days[-DAYS:]
    earlier = len(days) > len(shown)
    heads = "".join(_head(desk, day) for day in shown)
    first = f'<th scope="col" title="Days before {shown[0]}">before</th>' if earlier else ""
    rows = "".join(_rows(desk, name, mails, shown, earlier, flagged, unfolded) for name, mails in threads.items())
    caption = f"<caption>Mails by person and day, as of {in_words(desk.today)}</caption>"
    top = f'<thead><tr><th scope="col" class="stuck">who</th>{first}{heads}</tr></thead>'
    return scrolled(f"<table>{caption}{top}<tbody>{rows}</tbody></table>", "People by days")


def _head(desk: Desk, day: int) -> str:
    when = _date(desk, day)
    return f'<th scope="col" title="Day {day}, {in_words(when)}">{when.day}<br>{when:%b}</th>'


def _date(desk: Desk, day: int) -> date:
    return desk.scenario.start + timedelta(days=day - 1)


def _rows(
    desk: Desk,
    name: str,
    mails: Sequence[Mail],
    shown: Sequence[int],
    earlier: bool,
    flagged: Collection[int],
    unfolded: bool,
) -> str:
    signs: dict[int, list[str]] = {}
    for mail, sign in zip(mails, _signs(mails, flagged), strict=True):
        signs.setdefault(mail.day, []).append(sign)
    cells = "".join(f"<td>{''.join(signs.get(day, ()))}</td>" for day in shown)
    before = f"<td>{_counts(mail for mail in mails if mail.day < shown[0])}</td>" if earlier else ""
    head = f'<th scope="row" class="stuck">{said(name)}</th>'
    below = f'<td class="thread" colspan="{1 + len(shown) + earlier}"><div class="fit">'
    thread = folded(_gap(desk, name, mails), _thread(desk, mails), "small", unfolded) if mails else _gap(desk, name, ())
    return f"<tr>{head}{before}{cells}</tr><tr>{below}{thread}</div></td></tr>"


def _signs(mails: Iterable[Mail], flagged: Collection[int]) -> Iterable[str]:
    """Signs of one thread; follow-ups are counted."""
    follow_ups = 0
    for mail in mails:
        tone, sign, word = FLAGGED if mail.id in flagged else SIGNS.get(mail.kind, UNKNOWN)
        if mail.kind == FOLLOW_UP:
            follow_ups += 1
            sign, word = f"{sign}{follow_ups}", f"{word} {follow_ups}"
        yield (
            f'<span class="go {tone}" title="{word}"><span aria-hidden="true">{sign}</span>'
            f'<span class="sr">{word}</span></span>'
        )


def _counts(mails: Iterable[Mail]) -> str:
    """How many went out and came in, of days without a column."""
    sides = Counter(mail.sender == ORGANISER for mail in mails)
    told = [(f"→{sides[True]}", f"{sides[True]} out")] if sides[True] else []
    told += [(f"←{sides[False]}", f"{sides[False]} in")] if sides[False] else []
    return "".join(f'<span class="go quiet" title="{word}">{sign}</span>' for sign, word in told)


def _gap(desk: Desk, name: str, mails: Sequence[Mail]) -> str:
    """Mails and replies in numbers, and how long an answer is outstanding."""
    if not mails:
        return '<span class="small">not written to</span>'
    out = [mail for mail in mails if mail.sender == ORGANISER]
    replies = len(mails) - len(out)
    back = count(replies, "reply", "replies") if replies else "no reply"
    head = f"{count(len(out), 'mail')}, {back}"
    since = _outstanding(desk, mails)
    if since is None or desk.state.contacts[name].declined:
        return f"{head}; {standing(desk.state, name).words}"
    head = f"{head}; the last mail unanswered" if replies else head
    return f'{head}, <span class="gap">{count(since, "working day")}</span>' if since else f"{head} yet"


def _outstanding(desk: Desk, mails: Sequence[Mail]) -> int | None:
    """Working days since the last mail, if that asked for an answer and there is none."""
    last = mails[-1]
    if last.sender != ORGANISER or last.kind in FINAL:
        return None
    return passed(_date(desk, last.day), desk.today)


def _thread(desk: Desk, mails: Sequence[Mail]) -> str:
    days = dict.fromkeys(mail.day for mail in mails)
    return "".join(
        f"<h3>Day {day}, {_date(desk, day):%a} {short(_date(desk, day))}</h3>"
        f"{letters(mail for mail in mails if mail.day == day)}"
        for day in days
    )


def _legend() -> str:
    kinds = [*SIGNS.values(), FLAGGED]
    return legend((tone, f"{sign}1" if word == "follow-up" else sign, word) for tone, sign, word in kinds)
