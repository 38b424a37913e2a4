"""Whom an incoming mail is from and which of our mails it answers; what is not certain is held for a person to see."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from support.mail.headers import LINE_BREAK
from support.mail.letters import Incoming, folded, same

if TYPE_CHECKING:
    from support.mail.outbox import Posted

OUTSIDE = "It came outside the thread of our mails: its sender's address alone, which anybody can write, says who it is."


@dataclass(frozen=True)
class Match:
    """What an incoming mail is taken for."""

    # words of a person on the list; of a program in that person's name; a report that a mail of ours did not arrive; or
    # nothing that may be acted upon
    kind: Literal["reply", "automatic", "bounce", "quarantine"]
    person: str = ""  # whom it is from, or to whom a mail of ours did not arrive; "" if that is nobody on the list
    mail: int | None = None  # which of our mails it answers or reports about
    how: Literal["in-reply-to", "references", "address", ""] = (
        ""  # how that mail was found; "" if it was not
    )
    reason: str = ""  # for one in quarantine: why it is held, in a sentence for people
    warnings: tuple[
        str, ...
    ] = ()  # what whoever acts upon it should know, each a sentence


def match(
    incoming: Incoming,
    sent: Sequence[Posted],
    people: Mapping[str, str],
    removed: Collection[str],
    own: str,
) -> Match:
    """Whom a mail is from and what it answers, of all `sent` in a seminar; `people` by address, those `removed` too.

    Our Message-IDs cannot be guessed, so that a mail in a thread comes from somebody who has seen ours; the From header
    proves nothing. Both together are taken for a reply, and the address alone with a warning.
    """
    person = {folded(address): name for address, name in people.items()}.get(
        folded(incoming.sender), ""
    )
    if same(incoming.sender, own):
        return _held(
            "It says that it was sent from our own address, and we send no mail to ourselves."
        )
    if incoming.bounced:
        found = _last(incoming.bounced[::-1], sent)
        reason = (
            "It reports that a mail could not be delivered, but names none of ours."
        )
        return Match("bounce", found.person, found.mail) if found else _held(reason)
    replied = _last(incoming.in_reply_to, sent)
    thread = replied or _last(incoming.references, sent)
    if reason := _doubt(
        incoming, person, thread, removed, any(each.person == person for each in sent)
    ):
        return _held(reason, person, thread)
    if incoming.automatic or thread:
        how: Literal["in-reply-to", "references", ""] = (
            "in-reply-to" if replied else "references" if thread else ""
        )
        return Match(
            "automatic" if incoming.automatic else "reply",
            person,
            thread.mail if thread else None,
            how,
        )
    return Match(
        "reply",
        person,
        max(each.mail for each in sent if each.person == person),
        "address",
        "",
        (OUTSIDE,),
    )


def _held(reason: str, person: str = "", thread: Posted | None = None) -> Match:
    return Match("quarantine", person, thread.mail if thread else None, "", reason)


def _doubt(
    incoming: Incoming,
    person: str,
    thread: Posted | None,
    removed: Collection[str],
    wrote: bool,
) -> str:
    """Why a mail may not be taken for one of a person's; "" if it may."""
    who = f"{incoming.sender_name} <{incoming.sender}>".strip()
    if not incoming.sender:
        return "It has no sender that can be read."
    if broken := [
        problem for problem in incoming.problems if problem.endswith(LINE_BREAK)
    ]:
        return f"It names {who} as its sender, and {broken[0]}."
    if incoming.authentication == "fail":
        return f"Our mail server found that it was not sent by whom it names as its sender, {who}."
    if not person and thread:
        return f"It answers a mail to {thread.person}, but was sent by {who}, who is not on the list."
    if not person:
        return f"It was sent by {who}, who is not on the list."
    if person in removed:
        return f"It was sent by {person}, who was taken off the list."
    if thread and thread.person != person:
        return f"It answers a mail to {thread.person}, but was sent by {person}."
    return (
        ""
        if thread or wrote
        else f"It was sent by {person}, to whom we have not written yet."
    )


def _last(ids: Sequence[str], sent: Sequence[Posted]) -> Posted | None:
    """The mail of ours that the last of these Message-IDs names."""
    ours = {each.message_id: each for each in sent}
    return next((ours[each] for each in reversed(ids) if each in ours), None)
