"""Small pieces that every board is made of: words from outside, chips, mails, folds. Nothing here trusts a text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from html import escape
from typing import Any

from support.boards.style import STYLE
from support.mail.characters import shown_text
from support.runs.pages import mails_to_html
from support.seminar.records import Mail


def clean(text: str) -> str:
    """A text without what would turn its reading order or cannot be shown; its lines and tabs stay.

    >>> clean("Ana\\u202egro.live")
    'Anagro.live'
    """
    plain = text.replace("\n", "").replace("\t", "").isprintable()  # as most texts are; the other way is slower
    return text if plain else shown_text(text)


def said(text: str) -> str:
    """Words from outside inside a line, escaped; their reading order reaches no further than they do."""
    return f"<bdi>{escape(clean(text))}</bdi>"


def block(text: str, look: str = "text") -> str:
    """Words from outside as a block of their own, with their lines; nothing where there are none."""
    return f'<div class="{look}" dir="auto">{escape(clean(text))}</div>' if text else ""


def titled(subject: str) -> str:
    """The subject of a mail inside a line, also where there is none that can be seen."""
    return said(subject if clean(subject).strip() else "(no subject)")


def chip(tone: str, glyph: str, words: str) -> str:
    """A state in colour, sign and words; `words` are markup, from `said` where they came from outside."""
    return f'<span class="chip {tone}"><span aria-hidden="true">{glyph}</span> {words}</span>'


def legend(entries: Iterable[tuple[str, str, str]]) -> str:
    """What signs mean: of each its tone, the sign, and words."""
    shown = [f'<span><b class="{tone}" aria-hidden="true">{glyph}</b>{words}</span>' for tone, glyph, words in entries]
    return f'<div class="legend">{"".join(shown)}</div>'


def folded(head: str, content: str, look: str = "", unfolded: bool = False) -> str:
    """A line that opens by click or key; head and content are markup."""
    kind = f' class="{look}"' if look else ""
    return f"<details{kind}{' open' if unfolded else ''}><summary>{head}</summary>{content}</details>"


def letters(mails: Iterable[Mail], *, unfolded: bool = False) -> str:
    """Mails, each folded below a line that says from whom, to whom and about what."""
    return mails_to_html((_cleaned(mail) for mail in mails), unfolded=unfolded)


def _cleaned(mail: Mail) -> Mail:
    words: dict[str, Any] = {name: clean(getattr(mail, name)) for name in ("kind", "sender", "to", "subject", "body")}
    return replace(mail, **words)


def board(kind: str, content: str, label: str) -> str:
    """A board around its content, with the sheet of rules; no page reads formulas in it.

    Parameters
    ----------
    kind : its class
    label : what screen readers call it
    """
    look = f"convene-board {kind} tex2jax_ignore mathjax_ignore"
    return f'{STYLE}<div class="{look}" role="region" aria-label="{escape(label)}">{content}</div>'


def scrolled(content: str, label: str) -> str:
    """Content that may be wider than the panel: it scrolls by itself, with the keys too."""
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(label)}">{content}</div>'


def count(number: int, thing: str, things: str = "") -> str:
    """A number of things in words.

    >>> count(1, "mail"), count(2, "mail"), count(2, "reply", "replies")
    ('1 mail', '2 mails', '2 replies')
    """
    return f"{number} {thing if number == 1 else things or thing + 's'}"


def short(day: date) -> str:
    """A date as heads of columns have it.

    >>> short(date(2027, 9, 5))
    '5 Sep'
    """
    return f"{day.day} {day:%b}"


def medium(day: date) -> str:
    """A date as lists have it.

    >>> medium(date(2027, 9, 5))
    'Sun 5 Sep 2027'
    """
    return f"{day:%a} {day.day} {day:%b %Y}"
