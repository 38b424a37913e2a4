"""Whom an incoming mail is from and which of our mails it answers; where that is not
certain, it waits for a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.mail.letters import Incoming, folded

if TYPE_CHECKING:
    from support.mail.outbox import Posted


@dataclass(frozen=True)
class Match:
    """On the list, whose address a mail comes from ("" for nobody's); the last of our
    mails that it answers; why a person has to say whose it is, "" where it is a reply."""

    person: str = ""
    mail: int | None = None
    why: str = ""


def match(
    incoming: Incoming,
    sent: Sequence[Posted],
    people: Mapping[str, str],
    removed: Collection[str],
    own: str,
) -> Match:
    """Whom a mail is from and what it answers, of all `sent` in a seminar; `people` by
    address, those `removed` too.

    Our Message-IDs cannot be guessed, so that a mail in a thread comes from somebody who
    has seen ours; the From header proves nothing. Both together are taken for a reply.
    """
    names = {folded(address): name for address, name in people.items()}
    person = names.get(folded(incoming.sender), "")
    ours = {one.message_id: one for one in sent}
    thread = [ours[name] for name in incoming.thread if name in ours]
    last = thread[-1] if thread else None
    others = sorted({one.person for one in thread} - {person})
    who = f"{incoming.sender_name} <{incoming.sender}>".strip()
    why = {
        "It comes from our own address.": folded(incoming.sender) == folded(own),
        f"{who} is not on the list.": incoming.sender and not person,
        "It bears the Message-ID of a mail of ours.": incoming.message_id in ours,
        f"{person} was taken off the list.": person in removed,
        "It answers none of our mails: only its address, which anybody can write, says "
        "who sent it.": not last,
        f"It answers a mail to {', '.join(others)}.": others,
    }
    doubts = [*incoming.doubts, *(words for words, so in why.items() if so)]
    return Match(person, last.mail if last else None, " ".join(doubts))
