"""What does not fit is refused before anything comes of it: one table for the room."""

from datetime import UTC, datetime

import pytest

from support.errors import InvalidInput
from support.mail.composing import compose
from support.mail.credentials import Login, MailServers
from support.mail.letters import SENT_BODY, Outgoing, checked_address
from support.mail.outbox import Clearance

ADDRESSES = [
    "", "a", "@x.org", "a@x.org,b@y.org", "g:a@x.org;", "Ana <a@x.org>", '"a b"@x.org', "a(b)@x.org", "a@[1.2.3.4]",
    "a@x.org\r\nBcc:b@y.org", "a..b@x.org", "a@-x.org", "a@x.org.", "a@bücher.example", "a%b@x.org", "b!a@x.org",
    "a" * 65 + "@x.org", "a@" + "x." * 130 + "org", "|sh@x.org", "a\\@x.org", "a@x_y.org", "*@x.org", None,
]  # fmt: skip
CONTROLS = ["\r\n", "\r", "\x00", "\x85", "\u2028", "\u202e", "\ud800"]
MAILS = [
    *(("subject", f"x{bad}Bcc: e@x") for bad in CONTROLS), ("sender_name", "x\nBcc: e@x"),
    ("recipient_name", "x\rBcc: e@x"), ("subject", " "), ("subject", "x" * 201), ("body", "\n\t "), ("body", "a\x00b"),
    ("body", "x" * (SENT_BODY + 1)), ("recipient", "ana@x.org,eve@x.org"), ("sender", ""),
    ("message_id", "<a@x>\r\nBcc: e@x"), ("in_reply_to", "<a@x><b@x>"), ("references", ("<a@x>", "<é@x>")),
]  # fmt: skip
SERVERS = [
    ("address", "Noor <noor@example.org>"), ("name", "Noor\nBcc: mal@evil.org"), ("smtp_host", ""), ("imap_folder", ""),
    ("smtp_port", 0), ("imap_port", 99999), ("smtp_tls", "none"),
]  # fmt: skip
SERVERS_GIVEN = {
    "smtp_host": "smtp.x.org",
    "imap_host": "imap.x.org",
    "address": "ana@x.org",
}
MAIL = {
    "sender": "seminar@x.org", "sender_name": "", "recipient": "ana@x.org", "recipient_name": "", "subject": "A date",
    "body": "Hello", "message_id": "<1@x.org>", "date": datetime(2027, 1, 1, tzinfo=UTC),
}  # fmt: skip

WRONG = [
    *((lambda bad=bad: checked_address(bad, "it"), "expected one bare address") for bad in ADDRESSES),
    *((lambda field=f, bad=bad: compose(Outgoing(**MAIL | {field: bad})), f) for f, bad in MAILS),
    *((lambda field=f, bad=bad: MailServers(**SERVERS_GIVEN | {field: bad}), f) for f, bad in SERVERS),
    *((lambda given=given: Login(*given), name) for name, given in (
        ("user", ("", "sesame")), ("user", ("a\r\nb", "sesame")), ("password", ("ana", "")),
        ("password", ("ana", "sesame\n")))),
    *((lambda given=given: Clearance(True, *given), name) for name, given in (
        ("allowed", (frozenset({"*@x.org"}),)), ("daily_limit", (frozenset(), -1)))),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_does_not_fit_is_refused_and_named(number):
    wrong, named = WRONG[number]
    with pytest.raises(InvalidInput, match=named) as refused:
        wrong()
    assert not any(bad in str(refused.value) for bad in (*CONTROLS, "sesame"))
