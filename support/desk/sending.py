"""How a seminar's mail travels: the mode, and for real mail the servers, who may be written to, and how many a day."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ipywidgets as w

from support.desk.fields import Entry, Field, Press, beside, columns, heading, hint, row, tell, there, told, wide
from support.desk.people import address_fault
from support.errors import ConveneError, InvalidInput
from support.mail.credentials import IMPLICIT, SERVICE, STARTTLS, MailServers, servers_from_environment
from support.mail.letters import folded
from support.seminars.setup import LIVE, MODES, REHEARSAL

TEXTS = {
    "address": ("your address", "the mails come from it, and replies go there"),
    "name": ("your name, as recipients see it", "empty: the organiser’s"),
    "smtp_host": ("SMTP server (sends)", "smtp.example.org"),
    "imap_host": ("IMAP server (receives)", "imap.example.org"),
    "imap_folder": ("folder that is read", "INBOX"),
    "authserv": ("trusted mail server (authserv-id)", "the name under which your server checks senders"),
    "cafile": ("file of certificates (optional)", "empty: the system’s"),
}
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
ALLOWED = (
    "Nobody gets a mail who is not ticked here. A tick is for the address beside it: where that changes, tick it anew."
)
ASKED = "In a live seminar every mail is shown to you with its recipient, and leaves only when you approve exactly it."
LIMIT = "say how many mails may leave a day; a wrong turn stops there"


class SendingForm:
    """Takes the mode, and what real mail needs."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.changed = changed
        options = [(f"{mode}: {words}", mode) for mode, words in MODES.items()]
        self.mode = w.RadioButtons(options=options, value=REHEARSAL, description="how mail travels")
        self.mode.layout.width, self.mode.style.description_width = "100%", "8rem"
        self.fields = {name: Field(control) for name, control in _controls().items()}
        self.limit = Field(w.BoundedIntText(value=0, min=0, max=500, description="mails a day, at most"), "15rem")
        self.unchecked = w.Checkbox(False, description=UNCHECKED, indent=False, layout=w.Layout(width="100%"))
        self.ticks: dict[str, w.Checkbox] = {}
        self.people = w.GridBox([], layout=w.Layout(grid_template_columns="repeat(auto-fill, minmax(24rem, 1fr))"))
        self.people.add_class("ticks")
        self.untick_button, self.check_button = wide("Untick all"), wide("Check the servers")
        self.found, self.error, self.people_fault, self.from_environment = (w.HTML() for _ in range(4))
        self.live = w.VBox([
            hint(ASKED), heading("Servers"), self.from_environment,
            columns(*(field.view for field in self.fields.values()), narrow="15rem"), hint(TRUSTED), self.unchecked,
            hint(PASSWORD_AT), row(self.check_button, self.found), self.error, heading("Who may be written to"),
            self.limit.view, hint(ALLOWED), self.people_fault, self.people, self.untick_button,
        ])  # fmt: skip
        self.view = w.VBox([self.mode, self.live])
        press = Press(lambda: [field.control.value for field in self.fields.values()], self.error)
        press.button(self.check_button, self.try_servers)
        self.untick_button.on_click(lambda _: self.allow(()))
        controls = (self.mode, self.limit.control, self.unchecked, *(field.control for field in self.fields.values()))
        for control in controls:
            control.observe(lambda _: self._changed(), "value")
        self._changed()
        self._read_environment()

    def _read_environment(self) -> None:
        """Show the servers that the environment names, where it names them all."""
        try:
            self.fill(servers_from_environment())
            said = "Read from the environment (CONVENE_SMTP_HOST and the others)."
        except ConveneError as error:
            begun = any(name.startswith("CONVENE_SMTP") for name in os.environ)
            said = str(error) if begun else "The environment names no servers; type them here."
        self.from_environment.value = told(said, look="hint")

    def fill(self, servers: MailServers | None) -> None:
        """Show servers, where there are any."""
        for name, field in self.fields.items():
            if servers is not None:
                field.control.value = getattr(servers, name)

    def offer(self, people: Iterable[Entry]) -> None:
        """A tick for each person with an address that can be written to; those of before stay as they are."""
        given = {draft["email"].strip(): draft["name"].strip() for draft in people if not address_fault(draft["email"])}
        # The address first, and no formula: one in a name drew over the address behind it, whatever the page's classes.
        plain = str.maketrans({"$": "\uff04", "\\": "\uff3c"})
        words = {address: f"{address}, {name}".removesuffix(", ").translate(plain) for address, name in given.items()}
        if {address: tick.description for address, tick in self.ticks.items()} == words:
            return
        before = self.allowed
        look = {"indent": False, "layout": w.Layout(width="auto")}
        self.ticks = {at: w.Checkbox(at in before, description=said, **look) for at, said in words.items()}
        for tick in self.ticks.values():
            tick.observe(lambda _: self.changed(), "value")
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
        typed = {name: field.control.value for name, field in self.fields.items()}
        given: dict[str, Any] = {n: value.strip() if isinstance(value, str) else value for n, value in typed.items()}
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
        found = tell(self.fields, self._faults() if live else {}, shown)
        found += tell({"limit": self.limit}, {"limit": LIMIT} if live and not self.limit.control.value else {}, shown)
        nobody = live and not self.allowed
        self.people_fault.value = beside("nobody is ticked") if nobody and shown else ""
        return [*found, *(["who may be written to: nobody is ticked"] if nobody else [])]

    def _faults(self) -> dict[str, str]:
        found = {name: "nothing is typed" for name in NEEDED if not str(self.fields[name].control.value).strip()}
        if "address" not in found and (fault := address_fault(self.fields["address"].control.value)):
            found["address"] = fault
        if not str(self.fields["authserv"].control.value).strip() and not self.unchecked.value:
            found["authserv"] = FORGED
        if not found:
            try:
                self.servers()
            except InvalidInput as error:
                name, _, said = str(error).partition(": ")
                return {name if name in self.fields else "smtp_host": said or str(error)}
        return found

    async def try_servers(self) -> None:
        """Log in at the servers and send nothing; say what they said."""
        faults = self._faults()
        faults.pop("authserv", None)
        if said := tell(self.fields, faults, True):
            raise InvalidInput("; ".join(said))
        self.found.value, self.check_button.disabled = told("Asking them …"), True
        answer = ""
        try:
            answer = f"✓ {await checked(self.servers())}"
        finally:
            self.found.value, self.check_button.disabled = told(answer, "status"), False

    def _changed(self) -> None:
        there(self.unchecked, not str(self.fields["authserv"].control.value).strip())
        there(self.live, self.mode.value == LIVE)
        self.changed()


async def checked(servers: MailServers) -> str:
    """What the servers say to a login; nothing is sent."""
    from support.mail.credentials import find_login
    from support.mail.live import LiveMailbox

    return await LiveMailbox(servers, find_login(servers)).check()


def _controls() -> dict[str, Any]:
    texts: dict[str, Any] = {
        name: w.Text(value="INBOX" if name == "imap_folder" else "", description=label, placeholder=example)
        for name, (label, example) in TEXTS.items()
    }
    ports = {"smtp_port": ("SMTP port", 465), "imap_port": ("IMAP port", 993)}
    texts |= {name: w.BoundedIntText(value=port, min=1, max=65535, description=label)
              for name, (label, port) in ports.items()}  # fmt: skip
    options = [("from the first byte (usually 465)", IMPLICIT), ("STARTTLS (usually 587)", STARTTLS)]
    texts["smtp_tls"] = w.Dropdown(options=options, value=IMPLICIT, description="SMTP encryption")
    order = ("address", "name", "smtp_host", "smtp_port", "smtp_tls", "imap_host", "imap_port", "imap_folder",
             "authserv", "cafile")  # fmt: skip
    return {name: texts[name] for name in order}
