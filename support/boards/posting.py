"""The post: mails that went out, or did not, and mails that are held; of each what happened to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from support.boards.pieces import block, board, chip, count, folded, said, titled

STATUSES = {
    "sent": ("good", "✓", "sent"),
    "dry": ("tentative", "◌", "dry run: kept as a file"),
    "prepared": ("quiet", "…", "prepared"),
    "sending": ("vague", "…", "being sent"),
    "uncertain": ("flag", "?", "uncertain: decide"),
    "not sent": ("amiss", "✕", "not sent"),
}
"""Of each status its tone, its sign and words."""


def outbox_to_html(rows: Iterable[Any]) -> str:
    """Mails that were to go out, in the order given, with what became of each and what the server said.

    Parameters
    ----------
    rows : objects with recipient, subject, body, status, said, person (texts), day (number), on (date or text)
        A status that is none of `STATUSES` is shown as it is.
    """
    shown = [_posted(row) for row in rows]
    return _post(shown, ("status", "to", "mail"), "Mails out", "No mail has gone out.")


def held_to_html(rows: Iterable[Any]) -> str:
    """Mails that are held because nobody can say for sure whose they are, in the order given.

    Parameters
    ----------
    rows : objects with sender, sender_name, subject, text, reason (texts), problems, attachments (tuples of text)
    """
    shown = [f"<article>{held_mail(row, row.reason)}</article>" for row in rows]
    head = f"<p><b>Mails held: {len(shown)}</b></p>" if shown else "<p>No mail is held.</p>"
    return board("post", head + "".join(shown), "Mails held")


def _post(rows: Sequence[str], heads: Sequence[str], title: str, nothing: str) -> str:
    if not rows:
        return board("post", f"<p>{nothing}</p>", title)
    wide = [f'<th scope="col"{"" if head == heads[-1] else _NARROW}>{head}</th>' for head in heads]
    caption = f"<caption>{title}: {len(rows)}</caption>"
    table = f"<table>{caption}<thead><tr>{''.join(wide)}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return board("post", table, title)


_NARROW = ' class="narrow"'


def _posted(row: Any) -> str:
    tone, sign, words = STATUSES.get(row.status, ("quiet", "·", said(row.status)))
    when = f'<br><span class="small">day {int(row.day)}, {said(_when(row.on))}</span>'
    answer = f'<p class="small">The server: {said(row.said)}</p>' if row.said else ""
    mail = folded(titled(row.subject), block(row.body, "text letter"))
    return (
        f"<tr><td>{chip(tone, sign, words)}{when}</td>"
        f'<td>{said(row.person)}<br><span class="small">{said(row.recipient)}</span></td><td>{mail}{answer}</td></tr>'
    )


def held_mail(mail: Any, reason: str, *, cut: bool = False) -> str:
    """One mail that is held: whom it says it is from, why it is held, and its words as text.

    Parameters
    ----------
    mail : object with sender, sender_name, subject, text (texts), problems, attachments (tuples of text)
    reason : str
    cut : bool
        Whether it is longer than what is shown.
    """
    name = f"{said(mail.sender_name)} " if mail.sender_name else ""
    sender = f"{name}&lt;{said(mail.sender)}&gt;" if mail.sender else f"{name}(no sender that can be read)"
    why = f"<p><b>Held:</b> {said(reason)}</p>"
    wrong = "".join(f'<li class="small">{said(problem)}</li>' for problem in mail.problems)
    files = ", ".join(map(said, mail.attachments))
    added = f'<p class="small">{count(len(mail.attachments), "attachment")}, not opened: {files}</p>' if files else ""
    head = f"<p>From {sender}<br><b>{titled(mail.subject)}</b></p>"
    text = block(mail.text, "text letter") or "<p>(no text)</p>"
    longer = '<p class="small">It is longer than what is shown.</p>' if cut else ""
    return f"{head}{why}{f'<ul>{wrong}</ul>' if wrong else ''}{text}{longer}{added}"


def _when(on: date | str) -> str:
    """A date, with the time to the minute where there is one; text that is no date as it is."""
    try:
        moment = datetime.fromisoformat(on) if isinstance(on, str) and len(on) > len("2027-09-15") else on
    except ValueError:
        return str(on)
    return f"{moment:%Y-%m-%d %H:%M}" if isinstance(moment, datetime) else str(moment)
