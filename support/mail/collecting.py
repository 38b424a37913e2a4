"""Reading an IMAP folder: nothing is marked or changed there, and nothing large is fetched whole."""

from __future__ import annotations

import contextlib
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any

from support.errors import MailError
from support.mail.credentials import Login, MailServers
from support.mail.letters import RAW, Fetched
from support.mail.submitting import told

if TYPE_CHECKING:
    from imap_tools import MailBox

MOST = 500  # messages of one look; the next look brings those after them
PARTS = f"(UID RFC822.SIZE BODY.PEEK[]<0.{RAW}>)"  # PEEK: it stays unread


def collect(
    servers: MailServers,
    login: Login,
    context: ssl.SSLContext,
    patience: float,
    after: str = "",
    since: date | None = None,
) -> list[Fetched]:
    """The messages of the folder, oldest first, `MOST` at most; it waits, so give it a thread.

    `after`: the key of the last message that is known. If the folder's messages have been numbered anew since, or it is
    "", all are new. `since`: leave out what arrived before that day, by the server's calendar. Keys are
    "UIDVALIDITY.UID" (RFC 9051, section 2.3.1.1). MailError when the server does not answer as it should.
    """
    with opened(servers, login, context, patience) as box:
        validity = validity_of(box)
        uids = _new(box, _last(after, validity), since)[:MOST]
        found = (_fetched(box, validity, uid) for uid in uids)
        return [message for message in found if message is not None]


@contextmanager
def opened(servers: MailServers, login: Login, context: ssl.SSLContext, patience: float) -> Iterator[MailBox]:
    """The folder, opened for reading only, over a connection that is encrypted and whose certificate is checked.

    MailError when it cannot be opened, or the connection breaks while it is.
    """
    import imaplib

    from imap_tools import MailBox
    from imap_tools.errors import ImapToolsError

    where, box = f"{servers.imap_host}:{servers.imap_port}", None
    try:
        box = MailBox(servers.imap_host, servers.imap_port, timeout=patience, ssl_context=context)
        enter = box.login if login.password.isascii() and login.user.isascii() else box.login_utf8
        enter(login.user, login.password, initial_folder=None)
        box.folder.set(servers.imap_folder, readonly=True)
        yield box
    except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
        raise MailError(
            f"the folder {servers.imap_folder} of {login.user} at {where} cannot be read: {told(error, login)}. Check "
            "the host, the port, the user, the password and the folder."
        ) from None
    finally:
        if box is not None:
            with contextlib.suppress(Exception):  # whatever was to be read has been
                box.logout()


def validity_of(box: MailBox) -> int:
    """The folder's UIDVALIDITY: while it is the same, a number names the same message."""
    values = box.client.response("UIDVALIDITY")[1]
    if not values or values[0] is None or not values[0].isdigit():
        raise OSError(f"the server gives no UIDVALIDITY for the folder ({values!r})")
    return int(values[0])


def _last(after: str, validity: int) -> int:
    found = re.fullmatch(r"([0-9]+)\.([0-9]+)", after)
    return int(found[2]) if found and int(found[1]) == validity else 0


def _new(box: MailBox, last: int, since: date | None) -> list[int]:
    """Their numbers; "n:*" finds the last message also where it is below n."""
    from imap_tools import AND, U

    criteria: dict[str, Any] = {"date_gte": since} if since else {}
    found = box.uids(AND(uid=U(str(last + 1), "*"), **criteria))
    return sorted(uid for uid in map(int, found) if uid > last)


def _fetched(box: MailBox, validity: int, uid: int) -> Fetched | None:
    """One message, or None where it has been taken away meanwhile."""
    status, data = box.client.uid("FETCH", str(uid), PARTS)
    if status != "OK":
        raise OSError(f"the server does not give message {uid}: {status} {data!r:.200}")
    about = b" ".join(item[0] if isinstance(item, tuple) else item or b"" for item in data)
    size = re.search(rb"RFC822\.SIZE ([0-9]+)", about)
    raw = next((item[1] for item in data if isinstance(item, tuple) and b"BODY[]" in item[0].upper()), None)
    if raw is None or size is None:
        return None
    return Fetched(f"{validity}.{uid}", raw[:RAW], int(size[1]))
