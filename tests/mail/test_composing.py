"""A composed mail reaches one recipient, says what was approved, and nothing else."""

from email import message_from_bytes
from email.header import decode_header, make_header
from email.policy import SMTP
from email.utils import parseaddr

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.mail.composing import compose
from support.seminar.records import Draft
from support.seminar.review import checked_draft

LONG = f"<{'x' * 120}@mail.example>"
MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
HEADERS = {
    *("Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References"),
    *("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
}


def parsed(raw):
    return message_from_bytes(raw, policy=SMTP)


def name_in(raw, header):
    name = parseaddr(message_from_bytes(raw)[header])[0]
    return str(make_header(decode_header(name)))


def test_a_mail_travels_in_seven_bits_with_its_thread(outgoing):
    body = "é" * 3000 + "\n.\nFrom me\n" + "x" * 1900
    mail = outgoing(subject="Grüße " * 30, body=body, thread=(LONG,) * 10)
    raw = compose(mail)
    lines = raw.split(b"\r\n")
    assert (
        raw.isascii() and max(map(len, lines)) <= 998 and b"\n" not in b"".join(lines)
    )
    message = parsed(raw)
    assert {*message.keys()} == HEADERS and message["Date"].datetime == mail.date
    assert (message["Message-ID"], message["In-Reply-To"]) == (mail.message_id, LONG)
    assert raw.count(LONG.encode()) == 11, "it stays whole, so that the thread is found"


TEXT = st.text(
    st.characters() | st.sampled_from('\r\n\0:;,<>@"\\=?() \u202e'), max_size=60
)


@MANY
@given(TEXT, TEXT, TEXT, TEXT)
@example('Ana" <eve@evil.example>, "', "=?utf-8?q?x?=", "=?utf-8?b?Cg==?=", ".")
@example("Ana, Eve", "a  b", "x  y", "From x\n.\n..\n")
@example(
    "ana@x.org", "(comment)", "=?utf-8?q?=0D=0ABcc=3A_x?=", "a\r\n.\r\nRCPT TO:<e@x>"
)
def test_property_a_mail_reads_back_as_given_to_one_recipient_or_is_refused(
    outgoing, ours, theirs, subject, body
):
    mail = outgoing(sender_name=ours, recipient_name=theirs, subject=subject, body=body)
    try:
        raw = compose(mail)
    except InvalidInput:
        return
    message = parsed(raw)
    assert [each.addr_spec for each in message["To"].addresses] == [mail.recipient]
    assert [each.addr_spec for each in message["From"].addresses] == [mail.sender]
    assert name_in(raw, "To") == theirs and name_in(raw, "From") == ours
    assert {*message} <= HEADERS and len({*message}) == len(message)
    assert message["Subject"] == subject
    assert message.get_content().replace("\r\n", "\n").rstrip("\n") == body.rstrip("\n")


WORDS = st.characters(whitelist_categories=["L", "Nd"])


@MANY
@given(st.text(WORDS, min_size=1, max_size=40), st.integers(0, 3))
def test_property_plain_words_in_any_script_are_never_refused(outgoing, word, blanks):
    text = f"{word} {word}{' x' * blanks}"
    raw = compose(outgoing(subject=text, recipient_name=text, body=text))
    assert parsed(raw)["Subject"] == name_in(raw, "To") == text
    assert all(len(word) <= 76 for word in raw.split() if word.startswith(b"=?"))


SECRET = "".join(f"{byte:08b}" for byte in b"Ben said no")
HIDING = {
    "zero width": SECRET.translate({48: "\u200b", 49: "\u200c"}),
    "joiners": SECRET.translate({48: "\u200d", 49: "\u200c"}),
    "selectors": "".join(chr(0xE0100 + byte) for byte in b"Ben said no"),
    "tags": "".join(chr(0xE0000 + byte) for byte in b"Ben said no"),
    "letters": "".join(f"{c}\ufe01" for c in "the 5th"),
}


@pytest.mark.parametrize("text", HIDING.values(), ids=HIDING)
def test_nothing_leaves_that_the_person_who_approves_it_cannot_see(outgoing, text):
    """A model that obeys a hostile mail could write to its sender what others said, between
    the letters."""
    for field in ("subject", "body"):
        with pytest.raises(InvalidInput, match=f"^{field} is .*control"):
            compose(outgoing(**{field: f"Dear Ana {text}, the 5th?"}))
    drafted = checked_draft(
        Draft("Ana", f"A date {text}", f"Dear Ana{text},\n\nthe 5th?")
    )
    assert f"{drafted.subject}{drafted.body}".isascii()


@pytest.mark.parametrize("text", ["می‌خواهم", "❤️‍🔥", "ක්‍ෂ", "葛󠄀", "Grüße"])
def test_what_letters_need_leaves(outgoing, text):
    assert text in parsed(compose(outgoing(body=text))).get_content()
    assert checked_draft(Draft("Ana", text, text)).body == text
