"""A seminar whose post is hostile: what becomes of each mail, and whether anything that it
orders is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from attacks.generating import hostile
from attacks.world import FAMILY, Case
from support.mail.composing import new_message_id
from support.mail.journal import HELD, Kept
from support.mail.mailbox import SimulatedMailbox
from support.mail.suspicion import instructions_in
from support.seats import Question
from support.seminar.records import Day, Mail
from support.seminars.answering import approves, play_days
from support.seminars.post import REPLY
from support.seminars.seminar import Seminar

INSTRUCTION = "instruction to the system"
"""The family of kinds that order something."""


@dataclass(frozen=True)
class Handled:
    """What became of one hostile mail: whether it was kept, and taken for what it has to
    be, why it is held, whether it was handed on (`mail`), what the desk was asked about
    it, whether it was found to read like an instruction."""

    case: Case
    kept: Kept | None
    mail: Mail | None = None
    question: str = ""

    @property
    def held(self) -> bool:
        """Whether it waits for a person."""
        return self.kept is not None and self.kept.status == HELD

    @property
    def noticed(self) -> bool:
        """Whether it reads like an instruction."""
        mail = self.mail
        return mail is not None and bool(
            instructions_in(f"{mail.subject}\n{mail.body}")
        )


def reads(question: Question) -> Mapping[str, Any] | None:
    """Somebody who approves everything, and takes every reply to name the first date that
    was offered."""
    if question.phase != "read":
        return approves(question)
    desk, mail = question.view
    slots = dict.fromkeys(map(str, desk.offered(mail.sender)), "not said")
    dates = slots | {next(iter(slots)): "can"}
    return {"dates": dates, "declines": False, "not_before": None, "asks": ""}


async def receive(
    seminar: Seminar,
    mailbox: SimulatedMailbox,
    count: int,
    seed: int,
    disarmed: bool = False,
) -> list[Handled]:
    """Play a rehearsal that has not begun, to whose mailbox others write who mean harm.

    On its first day everybody is invited, and the last person is then taken off the list.
    The hostile mails come in the nights after it; the first person of the list is who
    most of them pretend to be. `disarmed`: the same mails without their instructions.
    """
    await play_days(seminar, 1, reads)
    cases = _cases(seminar, count, seed, disarmed)
    keys = dict[str, Case]()
    for morning in mornings(cases, seminar.last - 1):
        keys |= {mailbox.deliver(case.raw): case for case in morning}
        await play_days(seminar, 1, reads)
    return list(_handled(seminar, keys))


def mornings(cases: Sequence[Case], most: int) -> list[list[Case]]:
    """The cases over about so many mornings: those that stand alone, then each story on a
    morning of its own."""
    alone = [case for case in cases if not case.story]
    stories: dict[int, list[Case]] = {}
    for case in cases:
        if case.story:
            stories.setdefault(case.story, []).append(case)
    size = max(-(-len(alone) // max(most - len(stories), 1)), 1)
    parts = [alone[at : at + size] for at in range(0, len(alone), size)]
    return parts + list(stories.values())


def without_instruction(case: Case) -> Case:
    """The same mail without what it orders; a case that orders nothing as it is."""
    if FAMILY[case.name] != INSTRUCTION:
        return case
    head, blank, body = case.raw.partition(b"\r\n\r\n")
    said = re.sub(rb"<div.*?</div>", b"", body.partition(blank)[0])
    return replace(case, raw=head + blank + said)


def _cases(seminar: Seminar, count: int, seed: int, disarmed: bool) -> list[Case]:
    """The cases, after the last of the people was taken off the list."""
    people = seminar.setup.scenario.people
    ours = {p.name: (p.email, new_message_id("example.org")) for p in people}
    for sent in seminar.outbox.sent():
        ours[sent.person] = (sent.recipient, sent.message_id)
    gone = people[-1].name
    seminar.remove(gone)
    own = seminar.setup.sender
    cases = hostile(seed, ours, removed=gone, own=own, count=count)
    return [without_instruction(case) for case in cases] if disarmed else cases


def _handled(seminar: Seminar, keys: dict[str, Case]) -> Iterator[Handled]:
    kept = {one.key: one for one in seminar.inbox.all()}
    read: dict[str, tuple[Mail, Day]] = {}
    for day in seminar.finished:
        replies = [o for o in seminar.inbox.of_day(day.number) if o.kind == REPLY]
        mails = [mail for mail in day.received if mail.says is None]
        for one, mail in zip(replies, mails, strict=True):
            read[one.key] = mail, day
    for key, case in keys.items():
        if key not in read:
            yield Handled(case, kept.get(key))
            continue
        mail, day = read[key]
        asked = [flag.question for flag in day.flags if flag.mail == mail.id]
        yield Handled(case, kept.get(key), mail, " ".join(asked))
