"""A composed mail reaches one recipient, says what was approved, and nothing else."""

from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header, make_header
from email.policy import SMTP
from email.utils import parseaddr

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.mail.composing import compose
from support.mail.letters import SENT_BODY, Outgoing, checked_address

MAIL = Outgoing(
    sender="seminar@host.example",
    sender_name="Noor Halvard",
    recipient="ana@up.example",
    recipient_name="Ana Silva",
    subject="An invitation to speak",
    body="Dear Ana,\n\nthe 5th or the 12th?\n",
    message_id="<1a@host.example>",
    date=datetime(2026, 8, 3, 10, 2, tzinfo=UTC),
)
LONG = f"<{'x' * 120}@mail.example>"


def parsed(raw):
    return message_from_bytes(raw, policy=SMTP)


def name_in(raw, header):
    return str(make_header(decode_header(parseaddr(message_from_bytes(raw)[header])[0])))


def test_a_mail_has_the_headers_it_needs_and_no_others():
    message = parsed(compose(replace(MAIL, in_reply_to="<b@y>", references=("<a@x>", "<b@y>"))))
    names = ["Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References"]
    assert sorted(message.keys()) == sorted([*names, "Content-Type", "Content-Transfer-Encoding", "MIME-Version"])
    assert message["Message-ID"] == "<1a@host.example>" and message["In-Reply-To"] == "<b@y>"
    assert message["References"] == "<a@x> <b@y>" and message["Date"].datetime == MAIL.date


def test_a_mail_travels_in_seven_bits_with_lines_that_smtp_takes():
    raw = compose(replace(MAIL, subject="Grüße aus Zürich " * 8, body="é" * 3000 + "\n.\nFrom me\n" + "x" * 1900))
    assert raw.isascii() and max(map(len, raw.split(b"\r\n"))) <= 998
    assert raw.count(b"\n") == raw.count(b"\r\n")
    assert compose(replace(MAIL, body="Grüße")).isascii()


def test_a_long_message_id_stays_whole_so_that_the_thread_is_found():
    raw = compose(replace(MAIL, in_reply_to=LONG, references=(LONG, "<b@y>", LONG)))
    assert raw.count(LONG.encode()) == 3 and b"=?" not in raw
    many = compose(replace(MAIL, references=(LONG,) * 30))
    assert many.count(LONG.encode()) == 30 and max(map(len, many.split(b"\r\n"))) <= 998


@pytest.mark.parametrize("field", ["sender_name", "recipient_name", "subject"])
@pytest.mark.parametrize("bad", ["\r\n", "\n", "\r", "\x00", "\x7f", "\x85", "\u2028", "\u202e", "\ud800"], ids=ascii)
def test_a_control_character_in_a_header_is_refused_and_named(field, bad):
    with pytest.raises(InvalidInput, match=rf"^{field} is 'x.*Bcc") as refused:
        compose(replace(MAIL, **{field: f"x{bad}Bcc: eve@evil.example"}))
    assert bad not in str(refused.value)


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("subject", " ", "empty"),
        ("body", "\n\t ", "empty"),
        ("body", "x" * (SENT_BODY + 1), "at most 5000"),
        ("body", "a\x00b", "control"),
        ("subject", "x" * 201, "at most 200"),
        ("recipient", "ana@x.org,eve@x.org", "one bare address"),
        ("sender", "", "empty"),
        ("message_id", "<a@x>\r\nBcc: e@x", "Message-ID"),
        ("in_reply_to", "<a@x><b@x>", "Message-ID"),
        ("references", ("<a@x>", "<é@x>"), "Message-ID"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_field(field, value, why):
    with pytest.raises(InvalidInput, match=rf"(?s)^{field} .*{why}"):
        compose(replace(MAIL, **{field: value}))


TEXT = st.text(st.characters() | st.sampled_from('\r\n\0:;,<>@"\\=?() \u202e'), max_size=60)


@settings(max_examples=150, deadline=None)
@given(TEXT, TEXT, TEXT, TEXT)
@example('Ana" <eve@evil.example>, "', "=?utf-8?q?x?=", "=?utf-8?b?Cg==?=", ".")
@example("Ana, Eve", "a  b", "x  y", "From x\n.\n..\n")
@example("ana@x.org", "(comment)", "Re: [x] =?utf-8?q?=0D=0ABcc=3A_x?=", "a\r\n.\r\nRCPT TO:<eve@x>")
def test_property_a_mail_reads_back_as_given_to_one_recipient_or_is_refused(sender_name, recipient_name, subject, body):
    outgoing = replace(MAIL, sender_name=sender_name, recipient_name=recipient_name, subject=subject, body=body)
    try:
        raw = compose(outgoing)
    except InvalidInput:
        return
    message = parsed(raw)
    assert [each.addr_spec for each in message["To"].addresses] == [MAIL.recipient]
    assert [each.addr_spec for each in message["From"].addresses] == [MAIL.sender]
    assert name_in(raw, "To") == recipient_name and name_in(raw, "From") == sender_name
    assert not {"cc", "bcc", "resent-to", "reply-to", "sender"} & {name.lower() for name in message}
    assert message["Subject"] == subject
    assert message.get_content().replace("\r\n", "\n").rstrip("\n") == body.rstrip("\n")


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(whitelist_categories=["L", "Nd"]), min_size=1, max_size=40), st.integers(0, 3))
def test_property_plain_words_in_any_script_are_never_refused(word, blanks):
    text = f"{word} {word}{' x' * blanks}"
    raw = compose(replace(MAIL, subject=text, recipient_name=text, body=text))
    assert parsed(raw)["Subject"] == name_in(raw, "To") == text
    words = [word for line in raw.split(b"\r\n") for word in line.split() if word.startswith(b"=?")]
    assert all(len(word) <= 76 for word in words)


BAD = [
    "", " ", "a", "a@", "@x.org", "a@x.org,b@y.org", "a@x.org;b@y.org", "a@x.org b@y.org", "g:a@x.org;",
    "Ana <a@x.org>", "<a@x.org>", '"a b"@x.org', "a(b)@x.org", "a@[1.2.3.4]", "a@x.org\n", "a@x.org\r\nBcc:b@y.org",
    "a@x\x00.org", "a..b@x.org", ".a@x.org", "a@x..org", "a@-x.org", "a@x.org.", "é@x.org", "a@bücher.example",
    "a%b@x.org", "b!a@x.org",
    "a@x@y.org", "a" * 65 + "@x.org", "a@" + "x." * 130 + "org", "|sh@x.org", "a\\@x.org", "a@x_y.org",
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD, ids=[f"{n}-{ascii(each)[:24]}" for n, each in enumerate(BAD)])
def test_what_is_not_one_bare_address_is_refused_in_words(bad):
    with pytest.raises(InvalidInput, match=r"^Ana's address is .*; expected one bare address"):
        checked_address(bad, "Ana's address")


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(max_codepoint=200), max_size=30) | st.from_regex(r"[\w.,;<>@ \"%]{1,20}@[\w.@,-]{1,20}"))
def test_property_an_address_that_is_taken_is_the_only_one_in_its_header(text):
    try:
        checked_address(text, "recipient")
    except InvalidInput:
        return
    message = parsed(compose(replace(MAIL, recipient=text)))
    assert [each.addr_spec for each in message["To"].addresses] == [text]
