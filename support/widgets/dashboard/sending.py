"""How a seminar's mail travels: the mode, and for real mail the servers, who may be written to, and how many a day."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields as fields_of
from html import escape
from typing import Any

import ipywidgets as w

from support.errors import ConveneError, InvalidInput
from support.mail.addresses import folded
from support.mail.credentials import IMPLICIT, SERVICE, STARTTLS, MailServers, servers_from_environment
from support.seminars.setup import DRY_RUN, LIVE, MODES, REHEARSAL
from support.widgets.dashboard.drafts import Draft, address_fault
from support.widgets.dashboard.parts import Field, grid, heading, hint, hinted, tell, there
from support.widgets.organizing.fields import Press, row, wide

FIRST_MODES = (REHEARSAL, DRY_RUN, LIVE)
TEXTS = {
    "address": ("your address", "the mails come from it, and replies go there"),
    "name": ("your name, as recipients see it", "empty: the organiser’s"),
    "smtp_host": ("SMTP server (sends)", "smtp.example.org"),
    "imap_host": ("IMAP server (receives)", "imap.example.org"),
    "imap_folder": ("folder that is read", "INBOX"),
    "authserv": ("authserv-id", "the name under which your server checks senders (Authentication-Results)"),
    "cafile": ("file of certificates (optional)", "empty: the system’s"),
}
PORTS = {"smtp_port": ("SMTP port", 465), "imap_port": ("IMAP port", 993)}
NEEDED = ("address", "smtp_host", "imap_host", "imap_folder")
KNOWN = tuple(field.name for field in fields_of(MailServers))
PASSWORD_AT = (
    "No password is typed here, and none is ever kept. It belongs to the servers that it was given for: put it into "
    "the environment beside them (CONVENE_SMTP_HOST and the others, CONVENE_MAIL_PASSWORD, and CONVENE_MAIL_USER where "
    "the user is not your address) before Convene starts, or once into the system’s keyring: keyring set "
    f'"{SERVICE} smtp-server:port imap-server:port" your-address'
)
ALLOWED = (
    "Nobody gets a mail who is not ticked here. A tick is for the address beside it: where that changes, tick it anew."
)
UNCHECKED = "I have no such name: replies may be forged by whoever has seen one of the mails, and I go on all the same"
FORGED = "without it, a forger passes as one of the people: give it, or say below that you go on all the same"
ASKED = "In a live seminar every mail is shown to you with its recipient, and leaves only when you approve exactly it."


class SendingForm:
    """Takes the mode, and what real mail needs.

    Parameters
    ----------
    changed : callable
        Called when something is another.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self.changed = changed
        options = [(f"{mode}: {MODES[mode]}", mode) for mode in FIRST_MODES]
        self.mode = w.RadioButtons(options=options, value=REHEARSAL, description="how mail travels")
        self.mode.layout.width, self.mode.style.description_width = "100%", "8rem"
        self.fields = {name: Field(control) for name, control in _controls().items()}
        self.limit = Field(w.BoundedIntText(value=0, min=0, max=500, description="mails a day, at most"))
        self.ticks: dict[str, w.Checkbox] = {}
        self.people = w.GridBox([], layout=w.Layout(grid_template_columns="repeat(auto-fill, minmax(24rem, 1fr))"))
        self.people.add_class("convene-ticks")
        self.untick_button, self.check_button = wide("Untick all"), wide("Check the servers")
        self.found, self.error, self.people_fault = w.HTML(), w.HTML(), w.HTML()
        self.from_environment = w.HTML()
        self.unchecked = w.Checkbox(False, description=UNCHECKED, indent=False, layout=w.Layout(width="100%"))
        self.unchecked_fault = w.HTML()
        self.live = self._arranged()
        self.view = w.VBox([self.mode, self.live])
        self._connect()
        self.read_environment()

    def _arranged(self) -> w.VBox:
        servers = grid(*(field.view for field in self.fields.values()), narrow="15rem")
        self.limit.view.layout.width = "15rem"
        return w.VBox([
            hint(ASKED), heading("Servers"), self.from_environment, servers, self.unchecked_fault, self.unchecked,
            hint(PASSWORD_AT),
            row(self.check_button, self.found), self.error, heading("Who may be written to"), self.limit.view,
            hint(ALLOWED), self.people_fault, self.people, self.untick_button,
        ])  # fmt: skip

    def _connect(self) -> None:
        self.press = Press(lambda: [field.control.value for field in self.fields.values()], self.error)
        self.press.button(self.check_button, self.try_servers)
        self.untick_button.on_click(lambda _: self.allow(()))
        for control in (
            self.mode,
            self.limit.control,
            self.unchecked,
            *(field.control for field in self.fields.values()),
        ):
            control.observe(lambda _: self._changed(), "value")
        self._changed()

    def read_environment(self) -> None:
        """Show the servers that the environment names, where it names them all."""
        try:
            self.fill(servers_from_environment())
            self.from_environment.value = hinted("Read from the environment (CONVENE_SMTP_HOST and the others).")
        except ConveneError as error:
            told = str(error) if any(name.startswith("CONVENE_SMTP") for name in os.environ) else ""
            self.from_environment.value = hinted(told or "The environment names no servers; type them here.")

    def fill(self, servers: MailServers | None) -> None:
        """Show servers, where there are any."""
        for name, field in self.fields.items():
            if servers is not None:
                field.control.value = getattr(servers, name)

    def offer(self, people: Iterable[Draft]) -> None:
        """A tick for each person with an address that can be written to; those of before stay as they are."""
        given = {draft["email"].strip(): draft["name"].strip() for draft in people if not address_fault(draft["email"])}
        if [(tick.description, address) for address, tick in self.ticks.items()] == [
            (_whom(n, a), a) for a, n in given.items()
        ]:
            return
        before = self.allowed
        self.ticks = {address: self._tick(_whom(name, address), address in before) for address, name in given.items()}
        self.people.children = tuple(self.ticks.values())

    def allow(self, addresses: Sequence[str]) -> None:
        """Tick these, and no other."""
        for address, tick in self.ticks.items():
            tick.value = folded(address) in [folded(other) for other in addresses]

    @property
    def allowed(self) -> tuple[str, ...]:
        """The addresses that are ticked."""
        return tuple(address for address, tick in self.ticks.items() if tick.value)

    def servers(self, organiser: str = "") -> MailServers:
        """The servers as they are typed.

        Raises
        ------
        InvalidInput
            When a field does not fit; `check` says it beside the field.
        """
        given = {name: _plain(field.control.value) for name, field in self.fields.items()}
        return MailServers(**{**given, "name": given.get("name") or organiser})

    def check(self, shown: bool) -> list[str]:
        """What does not fit; nothing where no real mail is sent."""
        live = self.mode.value == LIVE
        found = tell(self.fields, self._faults() if live else {}, shown)
        nobody = live and not self.allowed
        self.people_fault.value = '<span class="convene-beside">▲ nobody is ticked</span>' if nobody and shown else ""
        forged = live and not str(self.fields["authserv"].control.value).strip() and not self.unchecked.value
        self.unchecked_fault.value = f'<span class="convene-beside">▲ {FORGED}</span>' if forged and shown else ""
        unlimited = live and not self.limit.control.value
        limit = "say how many mails may leave a day; a wrong turn stops there"
        found += tell({"limit": self.limit}, {"limit": limit} if unlimited else {}, shown)
        found += [f"authserv-id: {FORGED}"] if forged else []
        return [*found, *(["who may be written to: nobody is ticked"] if nobody else [])]

    def _faults(self) -> dict[str, str]:
        found = {name: "nothing is typed" for name in NEEDED if not str(self.fields[name].control.value).strip()}
        if "address" not in found and (fault := address_fault(self.fields["address"].control.value)):
            found["address"] = fault
        if found:
            return found
        try:
            self.servers()
        except InvalidInput as error:
            name, _, said = str(error).partition(": ")
            return {name if name in self.fields else "smtp_host": said or str(error)}
        return {}

    async def try_servers(self) -> None:
        """Log in at the servers and send nothing; say what they said."""
        self.found.value = ""
        if faults := tell(self.fields, self._faults(), True):
            raise InvalidInput("; ".join(faults))
        self.found.value, self.check_button.disabled = "Asking them …", True
        try:
            said = await checked(self.servers(), self.allowed)
            self.found.value = f'<span role="status">✓ {escape(said)}</span>'
        except BaseException:
            self.found.value = ""
            raise
        finally:
            self.check_button.disabled = False

    def _tick(self, words: str, ticked: bool) -> w.Checkbox:
        tick = w.Checkbox(ticked, description=words, indent=False, layout=w.Layout(width="auto"))
        tick.observe(lambda _: self.changed(), "value")
        return tick

    def _changed(self) -> None:
        there(self.unchecked, not str(self.fields["authserv"].control.value).strip())
        there(self.live, self.mode.value == LIVE)
        self.changed()


async def checked(servers: MailServers, allowed: Sequence[str]) -> str:
    """What the servers say to a login; nothing is sent.

    Raises
    ------
    MissingData
        Without a password; it says where to put it.
    MailError
        When a server does not answer as it should.
    """
    from support.mail.credentials import find_login
    from support.mail.live import LiveMailbox

    return await LiveMailbox(servers, find_login(servers), allowed=allowed).check()


def _controls() -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, (label, example) in TEXTS.items():
        if name in KNOWN:
            made[name] = w.Text(value="INBOX" if name == "imap_folder" else "", description=label, placeholder=example)
    for name, (label, port) in PORTS.items():
        made[name] = w.BoundedIntText(value=port, min=1, max=65535, description=label)
    options = [("from the first byte (usually 465)", IMPLICIT), ("STARTTLS (usually 587)", STARTTLS)]
    made["smtp_tls"] = w.Dropdown(options=options, value=IMPLICIT, description="SMTP encryption")
    order = ("address", "name", "smtp_host", "smtp_port", "smtp_tls", "imap_host", "imap_port", "imap_folder")
    return {name: made[name] for name in (*order, *(rest for rest in made if rest not in order))}


def _plain(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _whom(name: str, address: str) -> str:
    return f"{name} <{address}>" if name else address
