"""Which servers, which may stand in a setup, and which login, which exists in memory only, while it is used."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from support.errors import InvalidInput, MissingData
from support.mail.letters import checked_address, first_hidden

SERVICE = "convene-mail"
IMPLICIT, STARTTLS = "implicit", "starttls"
PORTS = {465: IMPLICIT, 587: STARTTLS}  # for another, CONVENE_SMTP_TLS says which
USER, PASSWORD = "CONVENE_MAIL_USER", "CONVENE_MAIL_PASSWORD"
NEEDED = {
    "smtp_host": "CONVENE_SMTP_HOST",
    "imap_host": "CONVENE_IMAP_HOST",
    "address": "CONVENE_MAIL_ADDRESS",
}
TOLD = NEEDED | {  # what the environment may say of each field
    "name": "CONVENE_MAIL_NAME", "smtp_port": "CONVENE_SMTP_PORT", "smtp_tls": "CONVENE_SMTP_TLS",
    "imap_port": "CONVENE_IMAP_PORT", "imap_folder": "CONVENE_IMAP_FOLDER", "cafile": "CONVENE_MAIL_CA",
    "authserv": "CONVENE_MAIL_AUTHSERV",
}  # fmt: skip
BOUND = (
    "smtp_host",
    "smtp_port",
    "smtp_tls",
    "imap_host",
    "imap_port",
    "cafile",
)  # what a password is given for


@dataclass(frozen=True)
class MailServers:
    """Where mail of an account is sent and read; no password in it. InvalidInput names a field that does not fit."""

    smtp_host: str  # as its certificate names it
    imap_host: str
    address: str  # from whom mails come
    name: str = ""
    smtp_port: int = 465
    # implicit, starttls: TLS from the first byte (usually port 465), or from the third line on (587). IMAP's is
    # always from the first
    smtp_tls: Literal["implicit", "starttls"] = "implicit"
    imap_port: int = 993
    imap_folder: str = "INBOX"  # the folder that is read; one that holds the seminar's mails only is best
    # A file of certificates to trust instead of the system's, for a server of one's own; "" for the system's
    cafile: str = ""
    # the name under which one's own server says in `Authentication-Results` whether a sender is genuine (RFC 8601);
    # with "" nothing that a mail says of that is believed
    authserv: str = ""

    def __post_init__(self) -> None:
        checked_address(self.address, "address")
        for field in (
            "smtp_host",
            "imap_host",
            "imap_folder",
            "name",
            "cafile",
            "authserv",
        ):
            value = getattr(self, field)
            if first_hidden(value) or not (
                value or field in ("name", "cafile", "authserv")
            ):
                raise InvalidInput(
                    f"{field}: {value!r} given; expected one line of text"
                )
        for field in ("smtp_port", "imap_port"):
            if not 0 < getattr(self, field) < 65536:
                raise InvalidInput(
                    f"{field}: {getattr(self, field)!r} given; expected a number from 1 to 65535"
                )
        if self.smtp_tls not in (IMPLICIT, STARTTLS):
            raise InvalidInput(
                f"smtp_tls: {self.smtp_tls!r} given; expected {IMPLICIT!r} or {STARTTLS!r}, never none"
            )


class Login:
    """A user and a password that does not show: not when printed, not in a traceback, and it cannot be pickled."""

    __slots__ = ("_password", "user")

    def __init__(self, user: str, password: str) -> None:
        if not user or first_hidden(
            user
        ):  # which could end the line that it is sent in
            raise InvalidInput(f"user: {user!r} given; expected one line of text")
        if not password or first_hidden(password):
            raise InvalidInput(
                "password: it is empty, or has a control character in it (not shown here)"
            )
        self.user, self._password = user, password

    @property
    def password(self) -> str:
        """To be handed to a server, and to nobody else."""
        return self._password

    def without(self, text: str) -> str:
        """A text with the password blotted out, in case a server repeats it, in any form that it was told in."""
        user, password = self.user, self._password
        plain = [
            f"\0{user}\0{password}",
            f"{user}\0{user}\0{password}",
            password,
        ]  # SMTP's ways to log in, in base64
        encoded = [base64.b64encode(each.encode()).decode() for each in plain]
        for form in (
            *encoded,
            password.replace("\\", "\\\\").replace('"', '\\"'),
            password,
        ):  # the longest first
            text = text.replace(form, "(password)")
        return text

    def __repr__(self) -> str:
        return f"Login({self.user!r}, password not shown)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            "a Login is not pickled or copied: it would be written somewhere. Make it where it is used."
        )


def find_login(servers: MailServers) -> Login:
    """The login at these very servers and ports: from the environment that names them, else from the keyring.

    MissingData says how to give one.
    """
    import keyring
    from keyring.errors import KeyringError

    user = os.environ.get(USER) or servers.address
    if (password := os.environ.get(PASSWORD)) and _named_there(servers):
        return Login(user, password)
    trouble = (
        f" {PASSWORD} is for the servers that the environment names, not for these."
        if password
        else ""
    )
    try:
        if found := keyring.get_password(service(servers), user):
            return Login(user, found)
    except KeyringError as error:  # shut, or none on this machine
        trouble = f" The keyring cannot be read ({type(error).__name__}: {error})."
    raise MissingData(
        f"no password for {user} at {servers.smtp_host}:{servers.smtp_port} and {servers.imap_host}:"
        f"{servers.imap_port} was found, neither in the environment nor in the keyring.{trouble} Set {PASSWORD}, "
        f"beside CONVENE_SMTP_HOST and the others (and {USER}, if the user is not {user}), for this session, or put "
        f'it into the keyring once: keyring set "{service(servers)}" {user}'
    )


def service(servers: MailServers) -> str:
    """The name under which the keyring holds the password for these servers.

    >>> service(MailServers("smtp.x.org", "imap.x.org", "ana@x.org"))
    'convene-mail smtp.x.org:465 imap.x.org:993'
    """
    hosts = f"{SERVICE} {servers.smtp_host}:{servers.smtp_port} {servers.imap_host}:{servers.imap_port}".lower()
    return (
        f"{hosts} {servers.cafile}".strip()
    )  # whoever names the certificates says who is that host


def _named_there(servers: MailServers) -> bool:
    try:
        named = servers_from_environment()
    except (MissingData, InvalidInput):
        return False
    return all(
        str(getattr(named, name)).lower() == str(getattr(servers, name)).lower()
        for name in BOUND
    )


def servers_from_environment() -> MailServers:
    """The servers that the environment names, by the variables of `TOLD`; MissingData names those that are needed."""
    given: dict[str, Any] = {
        field: value
        for field, variable in TOLD.items()
        if (value := os.environ.get(variable, "").strip())
    }
    if missing := [
        variable for field, variable in NEEDED.items() if field not in given
    ]:
        raise MissingData(
            f"{', '.join(missing)} not set in the environment: expected the servers and the address that live mail is "
            "sent with. Set them, or stay with a rehearsal or a dry run, which need none."
        )
    for field in given.keys() & {"smtp_port", "imap_port"}:
        if not (given[field].isascii() and given[field].isdigit()):
            raise InvalidInput(
                f"{TOLD[field]}: {given[field]!r} given; expected a port's number"
            )
        given[field] = int(given[field])
    return MailServers(
        **{"smtp_tls": PORTS.get(given.get("smtp_port", 465), IMPLICIT)} | given
    )
