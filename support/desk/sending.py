"""How a seminar's mail travels: the mode, and for real mail the servers, who may be written to, and how many a day."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ipywidgets as w

from support.desk import fields as f
from support.desk.people import address_fault
from support.errors import ConveneError, InvalidInput
from support.mail.credentials import (
    IMPLICIT,
    SERVICE,
    STARTTLS,
    MailServers,
    find_login,
    servers_from_environment,
)
from support.mail.letters import folded
from support.seminars.setup import LIVE, MODES, REHEARSAL

SERVERS = {
    "address": f.Spec("your address", "the mails come from it, and replies go there"),
    "name": f.Spec("your name, as recipients see it", "empty: the organiser’s"),
    "smtp_host": f.Spec("SMTP server (sends)", "smtp.example.org"),
    "smtp_port": f.Spec("SMTP port", kind="number", rest=(1, 65535, 465)),
    "smtp_tls": f.Spec("SMTP encryption", kind="choice",
                       rest=[("from the first byte (usually 465)", IMPLICIT), ("STARTTLS (usually 587)", STARTTLS)]),
    "imap_host": f.Spec("IMAP server (receives)", "imap.example.org"),
    "imap_port": f.Spec("IMAP port", kind="number", rest=(1, 65535, 993)),
    "imap_folder": f.Spec("folder that is read", "INBOX", rest="INBOX"),
    "authserv": f.Spec("trusted mail server (authserv-id)", "the name under which your server checks senders"),
    "cafile": f.Spec("file of certificates (optional)", "empty: the system’s"),
}  # fmt: skip
NEEDED = ("address", "smtp_host", "imap_host", "imap_folder")
PASSWORD_AT = (
    "No password is typed here, and none is ever kept. It belongs to the servers that it was given for: put it into "
    "the environment beside them (CONVENE_SMTP_HOST and the others, CONVENE_MAIL_PASSWORD, and CONVENE_MAIL_USER where "
    "the user is not your address) before Convene starts, or once into the system’s keyring: keyring set "
    f'"{SERVICE} smtp-server:port imap-server:port" your-address'
)
TRUSTED = (
    "The trusted mail server is the name that your own server writes into “Authentication-Results” of what it receives "
    "(CONVENE_MAIL_AUTHSERV): look into the source of any mail in your mailbox."
)
UNCHECKED = "I have no such name: replies may be forged by whoever has seen one of the mails, and I go on all the same"
FORGED = "without it, a forger passes as one of the people: give it, or say below that you go on all the same"
ALLOWED = "Nobody gets a mail who is not ticked here. A tick is for the address beside it: where that changes, tick it anew."
ASKED = "In a live seminar every mail is shown to you with its recipient, and leaves only when you approve exactly it."
LIMIT = "say how many mails may leave a day; a wrong turn stops there"


class SendingForm:
    """Takes the mode, and what real mail needs."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.changed = changed
        options = [(f"{mode}: {words}", mode) for mode, words in MODES.items()]
        self.mode = w.RadioButtons(
            options=options, value=REHEARSAL, description="how mail travels"
        )
        self.mode.layout.width, self.mode.style.description_width = "100%", "8rem"
        self.fields = f.fields_of(SERVERS)
        self.limit = f.Field(
            w.BoundedIntText(
                value=0, min=0, max=500, description="mails a day, at most"
            ),
            "15rem",
        )
        self.unchecked = w.Checkbox(
            False, description=UNCHECKED, indent=False, layout=w.Layout(width="100%")
        )
        self.ticks: dict[str, w.Checkbox] = {}
        self.people = w.GridBox(
            [],
            layout=w.Layout(
                grid_template_columns="repeat(auto-fill, minmax(24rem, 1fr))"
            ),
        )
        self.people.add_class("ticks")
        self.found, self.error, self.people_fault, self.from_environment = (
            w.HTML() for _ in range(4)
        )
        press = f.Press(
            lambda: [field.given for field in self.fields.values()], self.error
        )
        self.check_button = press.new("Check the servers", self.try_servers)
        self.untick_button = f.wide("Untick all")
        self.live = w.VBox([
            f.hint(ASKED), f.heading("Servers"), self.from_environment,
            f.columns(*(field.view for field in self.fields.values()), narrow="15rem"), f.hint(TRUSTED), self.unchecked,
            f.hint(PASSWORD_AT), f.row(self.check_button, self.found), self.error, f.heading("Who may be written to"),
            self.limit.view, f.hint(ALLOWED), self.people_fault, self.people, self.untick_button,
        ])  # fmt: skip
        self.view = w.VBox([self.mode, self.live])
        self.untick_button.on_click(lambda _: self.allow(()))
        typed = [field.control for field in self.fields.values()]
        f.watch((self.mode, self.limit.control, self.unchecked, *typed), self._changed)
        self._changed()
        self._read_environment()

    def _read_environment(self) -> None:
        """Show the servers that the environment names, where it names them all."""
        try:
            self.fill(servers_from_environment())
            said = "Read from the environment (CONVENE_SMTP_HOST and the others)."
        except ConveneError as error:
            begun = any(name.startswith("CONVENE_SMTP") for name in os.environ)
            said = (
                str(error)
                if begun
                else "The environment names no servers; type them here."
            )
        self.from_environment.value = f.told(said, look="hint")

    def fill(self, servers: MailServers | None) -> None:
        """Show servers, where there are any."""
        for name, field in self.fields.items():
            if servers is not None:
                field.control.value = getattr(servers, name)

    def offer(self, people: Iterable[f.Entry]) -> None:
        """A tick for each person with an address that can be written to; those of before stay as they are."""
        given = {
            draft["email"].strip(): draft["name"].strip()
            for draft in people
            if not address_fault(draft["email"])
        }
        # The address first, and no formula: one in a name drew over the address behind it, whatever the page's classes.
        plain = str.maketrans({"$": "\uff04", "\\": "\uff3c"})
        words = {
            address: f"{address}, {name}".removesuffix(", ").translate(plain)
            for address, name in given.items()
        }
        if {address: tick.description for address, tick in self.ticks.items()} == words:
            return
        before = self.allowed
        look = {"indent": False, "layout": w.Layout(width="auto")}
        self.ticks = {
            at: w.Checkbox(at in before, description=said, **look)
            for at, said in words.items()
        }
        f.watch(self.ticks.values(), self.changed)
        self.people.children = tuple(self.ticks.values())

    def allow(self, addresses: Sequence[str]) -> None:
        """Tick these, and no other."""
        wanted = {folded(address) for address in addresses}
        for address, tick in self.ticks.items():
            tick.value = folded(address) in wanted

    @property
    def allowed(self) -> tuple[str, ...]:
        """The addresses that are ticked."""
        return tuple(address for address, tick in self.ticks.items() if tick.value)

    def servers(self, organiser: str = "") -> MailServers:
        """The servers as they are typed; a field that does not fit raises, and `check` says it beside the field."""
        given: dict[str, Any] = {
            name: field.given for name, field in self.fields.items()
        }
        return MailServers(**{**given, "name": given["name"] or organiser})

    def settings(self, organiser: str) -> Mapping[str, Any]:
        """What a setup is told of how mail travels."""
        if self.mode.value != LIVE:
            return {"mode": self.mode.value}
        return {"mode": LIVE, "servers": self.servers(organiser), "allowed": self.allowed,
                "daily_limit": self.limit.control.value, "unchecked_senders": self.unchecked.value}  # fmt: skip

    def check(self, shown: bool) -> list[str]:
        """What does not fit; nothing where no real mail is sent."""
        live = self.mode.value == LIVE
        found = f.tell(self.fields, self._faults() if live else {}, shown)
        found += f.tell(
            {"limit": self.limit},
            {"limit": LIMIT} if live and not self.limit.control.value else {},
            shown,
        )
        nobody = live and not self.allowed
        self.people_fault.value = (
            f.beside("nobody is ticked") if nobody and shown else ""
        )
        return [
            *found,
            *(["who may be written to: nobody is ticked"] if nobody else []),
        ]

    def _faults(self) -> dict[str, str]:
        given = {name: field.given for name, field in self.fields.items()}
        found = {name: f.NOTHING for name in NEEDED if not given[name]}
        if given["address"] and (fault := address_fault(given["address"])):
            found["address"] = fault
        if not given["authserv"] and not self.unchecked.value:
            found["authserv"] = FORGED
        if not found:
            try:
                self.servers()
            except InvalidInput as error:
                name, _, said = str(error).partition(": ")
                return {
                    name if name in self.fields else "smtp_host": said or str(error)
                }
        return found

    async def try_servers(self) -> None:
        """Log in at the servers and send nothing; say what they said."""
        from support.mail.live import LiveMailbox

        faults = self._faults() | {"authserv": ""}
        if said := f.tell(self.fields, faults, True):
            raise InvalidInput("; ".join(said))
        self.found.value, self.check_button.disabled = f.told("Asking them …"), True
        answer = ""
        try:
            servers = self.servers()
            answer = f"✓ {await LiveMailbox(servers, find_login(servers)).check()}"
        finally:
            self.found.value, self.check_button.disabled = (
                f.told(answer, "status"),
                False,
            )

    def _changed(self) -> None:
        f.there(self.unchecked, not self.fields["authserv"].given)
        f.there(self.live, self.mode.value == LIVE)
        self.changed()
