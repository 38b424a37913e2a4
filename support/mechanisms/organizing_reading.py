"""The morning: replies are read, entered into the books, and checked for what no policy covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from support.environments.seminar.hooks import hook_of
from support.environments.seminar.views import Desk, Verdict
from support.environments.seminar.workdays import in_words
from support.errors import InvalidInput
from support.mechanisms.organizing_office import Office
from support.mechanisms.organizing_post import Written
from support.mechanisms.organizing_slips import Asked
from support.participants.detectors.protocol import Detector
from support.participants.organizers.protocol import Organizer
from support.participants.reviewers.protocol import Reviewer
from support.records import Flag, Mail, Understood
from support.records.organizing import ORGANISER, REPLY

UNSAID = "This reply is not covered by any policy. What is to be done about it?"
"""The question of a flag that asks nothing."""

SEVERAL = "{name} wrote {count} mails since the last morning; the last one counts. What shall I answer, if anything?"
"""What is asked where somebody wrote more than once: of contradicting replies the newest would win unseen."""


class Morning:
    """Reads the post."""

    def __init__(self, office: Office, organizer: Organizer, detector: Detector, reviewer: Reviewer) -> None:
        self._office, self.organizer, self.detector, self.reviewer = office, organizer, detector, reviewer

    def collect(self, written: Sequence[Written]) -> tuple[list[Mail], dict[int, str]]:
        """The morning's post, numbered, and the warnings that came with it by the number of the mail."""
        received = [self._office.arrive(_mail(one)) for one in written]
        warned = {mail.id: one.warning for mail, one in zip(received, written, strict=True) if one.warning}
        return received, warned | _contradictory(received, warned)

    async def read(
        self, received: Sequence[Mail], warned: Mapping[int, str] | None = None
    ) -> tuple[list[Understood], list[Flag]]:
        """What replies say goes into the books; what no policy covers goes to the person at the desk.

        So does a reply with a warning, whatever a detector thinks of it.
        """
        office = self._office
        desk, shown = office.desk(), office.mails[len(office.mails) - len(received) :]
        reading = [Asked("organizer", "read", self.organizer.read(desk, m), Understood(m.id, m.sender)) for m in shown]
        verdicts = [self.detector.check(m.body, office.policies, self._known(desk, m)) for m in shown]
        checking = [Asked("detector", "check", verdict, Verdict(False)) for verdict in verdicts]
        found = await office.slips.together([*reading, *checking])
        understood = [self._enter(m, read) for m, read in zip(shown, found, strict=False)]
        judged = zip(shown, found[len(shown) :], strict=True)
        asked = [(m, _question(verdict, (warned or {}).get(m.id, ""))) for m, verdict in judged]
        flags = [Flag(m.id, m.sender, question) for m, question in asked if question]
        office.flagged = {flag.person for flag in flags}
        return understood, [await self._ask(flag) for flag in flags]

    def _enter(self, mail: Mail, read: Understood) -> Understood:
        """The reading of a mail is about that mail; one that cannot be is that of a reply which says nothing."""
        office, yesterday = self._office, self._office.state.today - timedelta(days=1)
        read = replace(read, mail=mail.id, person=mail.sender)
        try:
            office.ledger.received(read, yesterday)
        except InvalidInput as error:
            office.slips.note("organizer", "read", str(error))
            read = Understood(mail.id, mail.sender)
            office.ledger.received(read, yesterday)
        return read

    def _known(self, desk: Desk, mail: Mail) -> str:
        """What a detector is told of a reply's writer."""
        contact, person = desk.state.contacts[mail.sender], self._office.scenario.person(mail.sender)
        has = ", ".join(in_words(slot) for slot in desk.state.dates_of(mail.sender)) or "no date"
        asked = next((m for m in self._office.mails if m.id == mail.answers), None)
        parts = [
            f"{person.name} is a {person.role}, was written {len(contact.mails)} mails and has {has}.",
            f"They said before: {contact.said}." if contact.said else "",
            f"The reply answers: {asked.subject}." if asked else "",
        ]
        return " ".join(part for part in parts if part)

    async def _ask(self, flag: Flag) -> Flag:
        office = self._office
        answer = await office.slips.ask("reviewer", "decide", self.reviewer.decide(office.desk(), flag), "")
        flag = replace(flag, answer=answer.strip())
        hook = hook_of(flag, office.number)
        office.hooks.append(hook)
        office.answers += (hook,) if flag.answer else ()
        return flag


def _question(verdict: Verdict, warning: str) -> str:
    """What the person at the desk is asked about a reply; "" for nothing."""
    found = (verdict.question.strip() or UNSAID) if verdict.flag else ""
    return " ".join(part for part in (warning, found) if part)


def _contradictory(received: Sequence[Mail], warned: Mapping[int, str]) -> dict[int, str]:
    """A warning for the last of several mails that one person wrote until the same morning."""
    count, last = Counter(mail.sender for mail in received), {mail.sender: mail.id for mail in received}
    several = {last[name]: SEVERAL.format(name=name, count=n) for name, n in count.items() if n > 1}
    return {mail: " ".join(part for part in (warned.get(mail, ""), said) if part) for mail, said in several.items()}


def _mail(one: Written) -> Mail:
    """A reply as a mail, before it has a number."""
    said, meant = one.response, tuple(slot.isoformat() for slot in one.response.meant)
    return Mail(0, 0, REPLY, one.person, ORGANISER, said.subject, said.body, meant, one.answers or None)
