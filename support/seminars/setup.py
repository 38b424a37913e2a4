"""What is settled before the first day of a seminar: programme, people, roles, delegation,
and how its mail travels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from support.errors import DamagedFile, InvalidInput
from support.forms import misfits
from support.mail.composing import compose
from support.mail.credentials import MailServers
from support.mail.letters import Outgoing, checked_address, folded
from support.seats import HUMAN, TEMPERATURE, by_name
from support.seminar.acts import DETECTOR, ORGANIZER, READER, REVIEWER, SPEAKER, STEPS
from support.seminar.data import Persona, Scenario
from support.seminar.desk import Artefacts, Template
from support.seminar.review import ALWAYS, levels

REHEARSAL = "rehearsal"
DRY_RUN = "dry run"
LIVE = "live"
MODES = {
    REHEARSAL: "simulated people answer; no mail leaves",
    DRY_RUN: "mails become files in a folder; replies are files that you put there; "
    "nothing leaves this machine",
    LIVE: "mails go to real people by SMTP, replies come by IMAP",
}
"""How a seminar's mail travels, in words."""
WRITERS = ("post", "user", "day")
"""Who writes into the journal beside people and roles."""
OWN_ADDRESS = "organiser@example.org"
"""Where no mail leaves; mail to example.org reaches nobody (RFC 2606)."""

Kinds = str | dict[str, str]


@dataclass(frozen=True)
class SeminarSetup:
    """All that a seminar begins with; `made` and `from_json` check every setting.

    `organizer` is a kind for all of its steps, or one for each; `people` who plays them
    in a rehearsal (in a dry run, whoever is "human" answers at the desk, and the others
    by files); `seed` draws these people. Live mail goes to `allowed` addresses alone,
    and no more than `daily_limit` a day; credentials are never here. Where
    `servers.authserv` is empty, nobody checks who wrote a reply, and a forger who knows
    a mail's number passes as the person: `unchecked_senders` says yes to that.
    """

    scenario: Scenario
    artefacts: Artefacts
    past: tuple[Template, ...] = ()
    organizer: Kinds = "rule-based"
    detector: str = "stated"
    reader: str = "stated"
    people: Kinds = "rule-based"
    reviewer: str = HUMAN
    delegation: Kinds = ALWAYS
    seed: Annotated[int, Field(ge=0, strict=True)] = 1
    temperature: float = TEMPERATURE
    mode: Literal["rehearsal", "dry run", "live"] = "rehearsal"
    servers: MailServers | None = None
    allowed: tuple[str, ...] = ()
    daily_limit: Annotated[int, Field(ge=0, strict=True)] = 0
    unchecked_senders: bool = False

    def __post_init__(self) -> None:
        levels(self.delegation)
        for role, kinds, names in (
            (ORGANIZER, self.organizer, STEPS),
            (DETECTOR, self.detector, [""]),
            (READER, self.reader, [""]),
            (REVIEWER, self.reviewer, [""]),
            (SPEAKER, self.people, self.scenario.by_name),
        ):
            for kind in by_name(role.name, kinds, list(names)).values():
                role.check(kind)
        for person in self.scenario.people:
            self.check_person(person)
        for address in self.allowed:
            checked_address(address, "an address of `allowed`")
        for fault in self._faults() if self.mode == LIVE else ():
            raise InvalidInput(fault)

    def check_person(self, person: Persona) -> None:
        """Whether somebody has an address, and a name that can stand in a mail."""
        if person.name in WRITERS:
            raise InvalidInput(
                f"name: {person.name!r} means another thing in the journal"
            )
        checked_address(person.email, f"address of {person.name}")
        ours = self.sender, self.writer, person.email, person.name
        when = datetime(2027, 1, 1, tzinfo=UTC)
        compose(Outgoing(*ours, "A date", "Dear all,", "<0@example.org>", when))

    def _faults(self) -> list[str]:
        """What keeps mail from being real."""
        known = {folded(person.email) for person in self.scenario.people}
        strange = [one for one in self.allowed if folded(one) not in known]
        found = {
            "servers: none given; expected the names of an SMTP and an IMAP server": (
                self.servers is None
            ),
            "allowed: nobody given; expected the addresses that mail may go to": (
                not self.allowed
            ),
            f"allowed: {strange} given, which is nobody's on the list": bool(strange),
            f"reviewer: {self.reviewer!r} given; real mail needs a person ({HUMAN!r})": (
                self.reviewer != HUMAN
            ),
            "daily_limit: 0 given; expected how many mails may go out a day": (
                not self.daily_limit
            ),
            "authserv: none given; name the server that checks who wrote a reply "
            "(CONVENE_MAIL_AUTHSERV), or say yes to forgers (unchecked_senders=True)": (
                not self.authserv and not self.unchecked_senders
            ),
        }
        return [fault for fault, there in found.items() if there]

    @property
    def sender(self) -> str:
        """The address that mails come from."""
        return self.servers.address if self.servers else OWN_ADDRESS

    @property
    def writer(self) -> str:
        """The name that recipients see."""
        return (self.servers and self.servers.name) or self.scenario.organiser

    @property
    def authserv(self) -> str:
        """Under which name the own server says whether a sender is genuine."""
        return self.servers.authserv if self.servers else ""

    @classmethod
    def made(cls, given: Mapping[str, Any]) -> SeminarSetup:
        """A setup out of plain data or records; InvalidInput names what does not fit."""
        try:
            return _form().validate_python(dict(given))
        except ValidationError as error:
            raise InvalidInput("\n".join(misfits(error))) from error

    @classmethod
    def from_json(cls, text: str) -> SeminarSetup:
        """The setup that `to_json` wrote; DamagedFile on text of another form."""
        try:
            return cls.made(json.loads(text))
        except ValueError as error:
            raise DamagedFile(f"the setup of the seminar: {error}") from error

    def to_json(self) -> str:
        """The setup as text."""
        return _form().dump_json(self).decode()


@cache
def _form() -> TypeAdapter[SeminarSetup]:
    return TypeAdapter(SeminarSetup)
