"""What does not fit is refused before anything comes of it: one table for the room."""

from datetime import UTC, datetime
from functools import partial

import pytest

from support.errors import InvalidInput
from support.mail.composing import compose
from support.mail.credentials import MailServers
from support.mail.letters import SENT_BODY, Outgoing, checked_address

ADDRESSES = """\
a
@x.org
a@x.org,b@y.org
g:a@x.org;
Ana <a@x.org>
"a b"@x.org
a(b)@x.org
a@[1.2.3.4]
a..b@x.org
a@-x.org
a@x.org.
a@bücher.example
a%b@x.org
b!a@x.org
|sh@x.org
a\\@x.org
a@x_y.org
*@x.org""".splitlines()
ADDRESSES += [
    "",
    None,
    "a@x.org\r\nBcc:b@y.org",
    f"{'a' * 65}@x.org",
    f"a@{'x.' * 130}org",
]
CONTROLS = ["\r\n", "\r", "\x00", "\x85", "\u2028", "\u202e", "\ud800"]
MAILS = [
    *(("subject", f"x{bad}Bcc: e@x") for bad in CONTROLS),
    ("sender_name", "x\nBcc: e@x"),
    ("recipient_name", "x\rBcc: e@x"),
    ("subject", " "),
    ("subject", "x" * 201),
    ("body", "\n\t "),
    ("body", "a\x00b"),
    ("body", "x" * (SENT_BODY + 1)),
    ("recipient", "ana@x.org,eve@x.org"),
    ("message_id", "<a@x> <b@x>\t"),
]
SERVERS = [
    ("address", "Noor <noor@example.org>"),
    ("smtp_tls", "none"),
]
ACCOUNT = {"smtp_host": "smtp.x.org", "imap_host": "imap.x.org", "address": "ana@x.org"}
MAIL = {
    "sender": "seminar@x.org",
    "sender_name": "",
    "recipient": "ana@x.org",
    "recipient_name": "",
    "subject": "A date",
    "body": "Hello",
    "message_id": "<1@x.org>",
    "date": datetime(2027, 1, 1, tzinfo=UTC),
}
WRONG = [(partial(checked_address, bad, "it"), "it is") for bad in ADDRESSES]
WRONG += [(lambda f=f, x=x: compose(Outgoing(**MAIL | {f: x})), f) for f, x in MAILS]
WRONG += [(lambda f=f, x=x: MailServers(**ACCOUNT | {f: x}), f) for f, x in SERVERS]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_does_not_fit_is_refused_and_named(number):
    wrong, named = WRONG[number]
    with pytest.raises(InvalidInput, match=named) as refused:
        wrong()
    assert not any(bad in str(refused.value) for bad in (*CONTROLS, "sesame"))
