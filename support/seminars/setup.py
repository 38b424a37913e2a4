"""What is settled before the first day of a seminar: programme, people, roles, delegation, and how its mail travels."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from support.errors import DamagedFile, InvalidInput
from support.mail.composing import compose
from support.mail.letters import Outgoing, checked_address, folded, same
from support.mail.outbox import Clearance
from support.models.profiles import MODEL, is_model
from support.seats import HUMAN, MIXED, TEMPERATURE
from support.seminar.artefacts import Artefacts, Template, as_content, from_content
from support.seminar.checkpoints import ALWAYS, levels
from support.seminar.data import Persona, Scenario, day, days
from support.seminar.seats import DETECTORS, ORGANIZERS, REVIEWERS
from support.seminar.speakers import VARIATIONS

if TYPE_CHECKING:
    from support.mail.credentials import MailServers

REHEARSAL, DRY_RUN, LIVE = "rehearsal", "dry run", "live"
MODES = {
    REHEARSAL: "simulated people answer; no mail leaves",
    DRY_RUN: "mails become files in a folder; replies are files that you put there; nothing leaves this machine",
    LIVE: "mails go to real people by SMTP, replies come by IMAP",
}
"""How a seminar's mail travels, in words."""

WRITERS = (
    "post",
    "user",
    "day",
)  # who writes into the journal beside people and the roles of a record
OWN_ADDRESS = "organiser@example.org"  # where no mail leaves; mail to example.org reaches nobody (RFC 2606)


@dataclass(frozen=True)
class SeminarSetup:
    """All that a seminar begins with; InvalidInput names a setting that does not fit."""

    scenario: Scenario
    artefacts: Artefacts  # policies, templates, and what earlier rehearsals left
    past: tuple[Template, ...] = ()  # mails of the organiser's own, for their style
    organizer: str = "rule-based"  # of `seminar.seats.ORGANIZERS`
    detector: str = "lexical"  # of `DETECTORS`
    # who plays the people in a rehearsal; in a dry run whoever is "human" answers at the desk, and the others by files
    people: str | Mapping[str, str] = "rule-based"
    reviewer: str = HUMAN  # who sits at the desk, of `seminar.seats.REVIEWERS`; a person where mail is real
    delegation: Mapping[str, str] | str = ALWAYS  # see `seminar.checkpoints.levels`
    seed: int = 1  # of a rehearsal's people and of ties between them
    temperature: float = TEMPERATURE  # of the models among them
    mode: str = REHEARSAL  # one of `MODES`
    # needed live. No credentials are in it: they come from the environment or the keyring
    servers: MailServers | None = None
    allowed: tuple[str, ...] = field(
        default=()
    )  # addresses that live mail may go to; nobody else gets any
    daily_limit: int = 0  # live mails a day, at most
    # yes in words, where `servers.authserv` is empty: nobody checks then who wrote a reply, and a forger who knows a
    # mail's number passes as the person
    unchecked_senders: bool = False

    def __post_init__(self) -> None:
        levels(self.delegation)
        if self.mode not in MODES:
            raise InvalidInput(
                f"mode: {self.mode!r} given; expected one of {', '.join(MODES)}"
            )
        self._check_kinds()
        self._check_people()
        Clearance(
            self.mode == LIVE, frozenset(self.allowed), self.daily_limit
        )  # refuses what is none
        if self.mode == LIVE:
            self._check_live()

    def _check_kinds(self) -> None:
        """Whether there is somebody of each kind to be seated, and a seed to draw them with."""
        known: list[tuple[str, Any, Collection[str]]]
        known = [("organizer", self.organizer, ORGANIZERS), ("detector", self.detector, DETECTORS),
                 ("reviewer", self.reviewer, REVIEWERS)]  # fmt: skip
        kinds = (
            self.people.values() if isinstance(self.people, Mapping) else [self.people]
        )
        known += [
            ("people", kind, (*VARIATIONS, MIXED, MODEL, HUMAN)) for kind in kinds
        ]
        for role, kind, listed in known:
            if not isinstance(kind, str) or not (kind in listed or is_model(kind)):
                raise InvalidInput(
                    f"{role}: {kind!r} given; expected one of {', '.join(listed)} (or {MODEL}:NAME)"
                )
        if isinstance(self.people, Mapping) and set(self.people) != set(
            self.scenario.by_name
        ):
            raise InvalidInput(
                f"people: {', '.join(self.people)} given; expected a kind for each on the list of people"
            )
        if (
            isinstance(self.seed, bool)
            or not isinstance(self.seed, int)
            or self.seed < 0
        ):
            raise InvalidInput(
                f"seed: {self.seed!r} given; expected a whole number from 0"
            )

    def _check_people(self) -> None:
        """Whether everybody has an address of their own, and a name that can stand in a mail beside the sender's."""
        writes, seen = (
            (self.servers and self.servers.name) or self.scenario.organiser,
            dict[str, str](),
        )
        for person in self.scenario.people:
            checked_address(person.email, f"address of {person.name}")
            if person.name in WRITERS:
                raise InvalidInput(
                    f"name: {person.name!r} given, which has another meaning in the journal; add to it"
                )
            other = seen.setdefault(folded(person.email), person.name)
            if other != person.name:
                raise InvalidInput(
                    f"address of {person.name}: {person.email!r} given, which is that of {other}, too"
                )
            about = (
                "A date",
                "Dear all,",
                "<0@example.org>",
                datetime(2027, 1, 1, tzinfo=UTC),
            )
            try:
                compose(
                    Outgoing(self.sender, writes, person.email, person.name, *about)
                )
            except InvalidInput as error:
                raise InvalidInput(
                    f"a mail from {writes!r} to {person.name!r} cannot be written: {error}"
                ) from None

    def _check_live(self) -> None:
        if self.servers is None:
            raise InvalidInput(
                "servers: none given; a live seminar needs the names of an SMTP and an IMAP server"
            )
        if not self.allowed:
            raise InvalidInput(
                "allowed: nobody given; a live seminar needs the addresses that mail may go to"
            )
        if self.reviewer != HUMAN:
            raise InvalidInput(
                f"reviewer: {self.reviewer!r} given; real mail needs a person at the desk ({HUMAN!r})"
            )
        if not self.daily_limit:
            raise InvalidInput(
                "daily_limit: 0 given; a live seminar needs how many mails may go out a day, at most"
            )
        if not self.servers.authserv and self.unchecked_senders is not True:
            raise InvalidInput(
                "authserv: none given; without the name of the server that checks who wrote a reply "
                "(CONVENE_MAIL_AUTHSERV), a forger passes as one of the people. Give it, or say yes to that risk "
                "(unchecked_senders=True)"
            )
        known = [person.email for person in self.scenario.people]
        for address in self.allowed:
            if not any(same(address, other) for other in known):
                raise InvalidInput(
                    f"allowed: {address!r} given, which is nobody's on the list of people"
                )

    @property
    def sender(self) -> str:
        """The address that mails come from."""
        return self.servers.address if self.servers else OWN_ADDRESS

    def to_json(self) -> str:
        """The setup as text; `from_json` reads it."""
        plain = asdict(self) | {"artefacts": as_content(self.artefacts)}
        return json.dumps(plain, ensure_ascii=False, default=date.isoformat)

    @classmethod
    def from_json(cls, text: str) -> SeminarSetup:
        """The setup that `to_json` wrote; DamagedFile on text of another form."""
        from support.mail.credentials import MailServers

        try:
            plain: dict[str, Any] = json.loads(text)
            told = plain["scenario"]
            people = tuple(
                Persona(**{**one, "constraints": tuple(one["constraints"])})
                for one in told["people"]
            )
            dates = {name: day(told[name], name) for name in ("start", "deadline")}
            plain["scenario"] = Scenario(
                **{
                    **told,
                    **dates,
                    "slots": days(told["slots"], "slots"),
                    "people": people,
                }
            )
            plain["artefacts"] = from_content(
                plain["artefacts"], "the setup of the seminar"
            )
            plain["past"] = tuple(Template(**entry) for entry in plain["past"])
            plain["allowed"] = tuple(plain["allowed"])
            plain["servers"] = plain["servers"] and MailServers(**plain["servers"])
            return cls(**plain)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise DamagedFile(
                f"setup of a seminar: {error!r}; expected what SeminarSetup.to_json writes"
            ) from error
