"""Handing one mail to an SMTP server, so that it is known afterwards whether the server has it.

A server has a mail when it has answered the dot that ends it (RFC 5321, sections 3.3 and 4.1.1.4). Whatever goes wrong
before the first byte of the message, it has none. Whatever goes wrong between there and the answer, nobody here knows.
The library's own `sendmail` does not tell these apart, so the dialogue is led here command by command.
"""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from support.errors import FateUnknown, NotSent
from support.mail.characters import shown
from support.mail.credentials import IMPLICIT, STARTTLS, Login, MailServers

if TYPE_CHECKING:
    from aiosmtplib import SMTP

GO_ON = 354
SAID = 300  # characters of a server's answer that are shown
HELLO = "[127.0.0.1]"  # what mail programs say, rather than the name of their machine


async def submit(
    servers: MailServers,
    login: Login,
    context: ssl.SSLContext,
    recipient: str,
    message: bytes,
    patience: tuple[float, float],
) -> str:
    """Hand a mail over; what the server said when it took it.

    `context`: that checks certificates. `patience`: seconds to wait for each answer, and for that to the message
    itself. NotSent when the server certainly has no such mail. FateUnknown when it may have it.
    """
    async with connected(servers, login, context, patience[0]) as client:
        await _ask_for(client, servers.address, recipient, login)
        return await _transfer(client, message, recipient, login, patience[1])


@asynccontextmanager
async def connected(
    servers: MailServers, login: Login, context: ssl.SSLContext, patience: float
) -> AsyncIterator[SMTP]:
    """A connection to the server, encrypted, its certificate checked, and logged in.

    NotSent when it cannot be made.
    """
    from aiosmtplib import SMTP, SMTPException

    client = SMTP(
        hostname=servers.smtp_host,
        port=servers.smtp_port,
        use_tls=servers.smtp_tls == IMPLICIT,
        start_tls=servers.smtp_tls == STARTTLS,
        tls_context=context,
        timeout=patience,
        local_hostname=HELLO,
    )
    where = f"{servers.smtp_host}:{servers.smtp_port}"
    try:
        try:
            await client.connect()
        except (SMTPException, OSError, ValueError) as error:
            raise NotSent(f"no connection to {where} for sending: {told(error, login)}. {_way_out(error)}") from None
        try:
            await client.login(login.user, login.password)
        except (SMTPException, OSError, ValueError) as error:
            raise NotSent(f"{where} lets {login.user} not log in for sending: {told(error, login)}") from None
        yield client
    finally:
        _leave(client)


def told(error: Exception, login: Login) -> str:
    """What a server or the network said, in one bounded line without the password."""
    code = f"{error.code} " if hasattr(error, "code") else ""
    text = getattr(error, "message", None) or str(error) or type(error).__name__
    return shown(login.without(f"{code}{text}"), SAID)


async def _ask_for(client: SMTP, sender: str, recipient: str, login: Login) -> None:
    """Everything up to the message; the server has none of it yet."""
    from aiosmtplib import SMTPException

    try:
        await client.mail(sender)
        await client.rcpt(recipient)
        answer = await client.execute_command(b"DATA")
    except (SMTPException, OSError, ValueError) as error:
        raise NotSent(f"the mail to {recipient} was refused before it was sent: {told(error, login)}") from None
    if answer.code != GO_ON:
        said = shown(login.without(f"{answer.code} {answer.message}"), SAID)
        raise NotSent(f"the mail to {recipient} was refused before it was sent: {said}")
    if client.protocol is None or not client.protocol.is_connected:
        raise NotSent(f"the mail to {recipient} was not sent: the connection broke before its first byte")


async def _transfer(client: SMTP, message: bytes, recipient: str, login: Login, patience: float) -> str:
    """The message and its dot, and the answer; from the first byte on, only the answer tells."""
    from aiosmtplib import SMTPException
    from aiosmtplib.protocol import PERIOD_REGEX, normalize_message_line_endings

    assert client.protocol is not None  # _ask_for has looked
    payload = PERIOD_REGEX.sub(b"..", normalize_message_line_endings(message)) + b".\r\n"
    try:
        client.protocol.write(payload)
        answer = await client.protocol.read_response(timeout=patience)
    except (SMTPException, OSError) as error:
        raise FateUnknown(
            f"the mail to {recipient} may have been sent: the server's answer did not come ({told(error, login)})"
        ) from None
    said = shown(login.without(f"{answer.code} {answer.message}"), SAID)
    if 200 <= answer.code < 300:
        return said
    if 400 <= answer.code < 600:
        raise NotSent(f"the mail to {recipient} was refused by the server: {said}")
    raise FateUnknown(f"the mail to {recipient} may have been sent: the server's answer is none of SMTP's ({said})")


def _leave(client: SMTP) -> None:
    """Say good-bye without waiting for the answer: whether the mail was taken is known by now."""
    with contextlib.suppress(Exception):
        if client.protocol is not None and client.protocol.is_connected:
            client.protocol.write(b"QUIT\r\n")
    client.close()


def _way_out(error: Exception) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return (
            "The certificate is not that of this host, or nobody known vouches for it: check the host's name; for a "
            "server of your own, name its certificate in cafile (CONVENE_MAIL_CA)."
        )
    return "Check the host, the port and the kind of TLS."
