"""Which servers, which may stand in a setup, and which login, which exists in memory only,
while it is used."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass, field
from typing import Any, Literal

from support.errors import InvalidInput, MissingData
from support.mail.letters import checked_address

IMPLICIT = "implicit"
STARTTLS = "starttls"
USER = "CONVENE_MAIL_USER"
PASSWORD = "CONVENE_MAIL_PASSWORD"
TOLD = {
    "smtp_host": "CONVENE_SMTP_HOST",
    "imap_host": "CONVENE_IMAP_HOST",
    "address": "CONVENE_MAIL_ADDRESS",
    "name": "CONVENE_MAIL_NAME",
    "smtp_port": "CONVENE_SMTP_PORT",
    "smtp_tls": "CONVENE_SMTP_TLS",
    "imap_port": "CONVENE_IMAP_PORT",
    "imap_folder": "CONVENE_IMAP_FOLDER",
    "cafile": "CONVENE_MAIL_CA",
    "authserv": "CONVENE_MAIL_AUTHSERV",
}
"""What the environment may say of each field; the first three it has to."""
NEEDED = ("smtp_host", "imap_host", "address")
BOUND = ("smtp_host", "smtp_port", "smtp_tls", "imap_host", "imap_port", "cafile")
"""What a password is given for."""


@dataclass(frozen=True)
class MailServers:
    """Where mail of an account is sent and read; no password in it.

    Hosts as their certificates name them; mails come from `address`; "implicit" is TLS
    from the first byte (usually port 465), "starttls" from the third line on (587), IMAP's
    is always the first; a folder that holds the seminar's mails only is best; `cafile`
    names certificates to trust in the place of the system's; `authserv` is the name under
    which one's own server says in Authentication-Results whether a sender is genuine
    (RFC 8601), "" to believe nothing that a mail says of that. InvalidInput names a field
    that does not fit.
    """

    smtp_host: str
    imap_host: str
    address: str
    name: str = ""
    smtp_port: int = 465
    smtp_tls: Literal["implicit", "starttls"] = "implicit"
    imap_port: int = 993
    imap_folder: str = "INBOX"
    cafile: str = ""
    authserv: str = ""

    def __post_init__(self) -> None:
        checked_address(self.address, "address")
        if self.smtp_tls not in (IMPLICIT, STARTTLS):
            raise InvalidInput(f"smtp_tls: expected {IMPLICIT!r} or {STARTTLS!r}")


@dataclass(frozen=True)
class Login:
    """A user and a password, which does not show: not when printed, not in a traceback."""

    user: str
    password: str = field(repr=False)

    def without(self, text: str) -> str:
        """A text with the password blotted out, in case a server repeats it, in any form
        that it was told in: all are in base64."""
        user = self.user
        password = self.password
        plain = f"\0{user}\0{password}", password
        forms = [base64.b64encode(each.encode()).decode() for each in plain]
        for form in (*forms, password):
            text = text.replace(form, "(password)")
        return text


def find_login(servers: MailServers) -> Login:
    """The login at these very servers and ports: from the environment that names them,
    else from the keyring. MissingData says how to give one."""
    import keyring
    from keyring.errors import KeyringError

    user = os.environ.get(USER) or servers.address
    password = os.environ.get(PASSWORD)
    if password and _named_there(servers):
        return Login(user, password)
    trouble = f"{PASSWORD} is not for these servers" if password else f"no {PASSWORD}"
    try:
        if found := keyring.get_password(service(servers), user):
            return Login(user, found)
    except KeyringError as error:  # shut, or none on this machine
        trouble += f"; the keyring cannot be read ({type(error).__name__}: {error})"
    raise MissingData(
        f"no password for {user} was found ({trouble}). Set {PASSWORD} beside {USER} and "
        f"{', '.join(TOLD.values())} as these servers have them, or put it into the "
        f'keyring once: keyring set "{service(servers)}" {user}'
    )


def service(servers: MailServers) -> str:
    """The name under which the keyring holds the password for these servers; whoever names
    the certificates says who is that host.

    >>> service(MailServers("smtp.x.org", "imap.x.org", "ana@x.org"))
    'convene-mail smtp.x.org:465 imap.x.org:993'
    """
    return (
        f"convene-mail {servers.smtp_host}:{servers.smtp_port} "
        f"{servers.imap_host}:{servers.imap_port} {servers.cafile}"
    ).strip()


def _named_there(servers: MailServers) -> bool:
    try:
        named = servers_from_environment()
    except (MissingData, InvalidInput):
        return False
    return all(getattr(named, name) == getattr(servers, name) for name in BOUND)


def servers_from_environment() -> MailServers:
    """The servers that the environment names, by the variables of `TOLD`; MissingData
    names those that are needed."""
    said = {
        name: os.environ.get(variable, "").strip() for name, variable in TOLD.items()
    }
    given: dict[str, Any] = {name: value for name, value in said.items() if value}
    if missing := [TOLD[name] for name in NEEDED if name not in given]:
        raise MissingData(
            f"{', '.join(missing)} not set in the environment: expected the servers and "
            "the address that live mail is sent with; a rehearsal or a dry run needs none"
        )
    for name in given.keys() & {"smtp_port", "imap_port"}:
        if not given[name].isdecimal():
            raise InvalidInput(
                f"{TOLD[name]}: {given[name]!r} given; expected a number"
            )
        given[name] = int(given[name])
    usual = STARTTLS if given.get("smtp_port") == 587 else IMPLICIT
    return MailServers(**{"smtp_tls": usual} | given)
