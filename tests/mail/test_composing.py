"""A composed mail reaches one recipient, says what was approved, and nothing else."""

from email import message_from_bytes
from email.header import decode_header, make_header
from email.policy import SMTP
from email.utils import parseaddr

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.mail.composing import HEADERS, compose
from support.mail.letters import checked_address
from support.seminar.records import Draft
from support.seminar.review import checked_draft

LONG = f"<{'x' * 120}@mail.example>"
MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def parsed(raw):
    return message_from_bytes(raw, policy=SMTP)


def name_in(raw, header):
    return str(
        make_header(decode_header(parseaddr(message_from_bytes(raw)[header])[0]))
    )


def test_a_mail_travels_in_seven_bits_with_its_thread_and_no_other_headers(outgoing):
    body = "é" * 3000 + "\n.\nFrom me\n" + "x" * 1900
    mail = outgoing(
        subject="Grüße aus Zürich " * 8,
        body=body,
        references=(LONG,) * 30,
        in_reply_to=LONG,
    )
    raw = compose(mail)
    assert raw.isascii() and max(map(len, raw.split(b"\r\n"))) <= 998
    assert raw.count(b"\n") == raw.count(b"\r\n")
    message = parsed(raw)
    assert set(message.keys()) == HEADERS and message["Date"].datetime == mail.date
    assert (message["Message-ID"], message["In-Reply-To"]) == (mail.message_id, LONG)
    assert raw.count(LONG.encode()) == 31, (
        "a long Message-ID stays whole, so that the thread is found"
    )


TEXT = st.text(
    st.characters() | st.sampled_from('\r\n\0:;,<>@"\\=?() \u202e'), max_size=60
)


@MANY
@given(TEXT, TEXT, TEXT, TEXT)
@example('Ana" <eve@evil.example>, "', "=?utf-8?q?x?=", "=?utf-8?b?Cg==?=", ".")
@example("Ana, Eve", "a  b", "x  y", "From x\n.\n..\n")
@example(
    "ana@x.org",
    "(comment)",
    "Re: [x] =?utf-8?q?=0D=0ABcc=3A_x?=",
    "a\r\n.\r\nRCPT TO:<eve@x>",
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
    assert not {"cc", "bcc", "resent-to", "reply-to", "sender"} & {
        name.lower() for name in message
    }
    assert message["Subject"] == subject
    assert message.get_content().replace("\r\n", "\n").rstrip("\n") == body.rstrip("\n")


@MANY
@given(
    st.text(st.characters(whitelist_categories=["L", "Nd"]), min_size=1, max_size=40),
    st.integers(0, 3),
)
def test_property_plain_words_in_any_script_are_never_refused(outgoing, word, blanks):
    text = f"{word} {word}{' x' * blanks}"
    raw = compose(outgoing(subject=text, recipient_name=text, body=text))
    assert parsed(raw)["Subject"] == name_in(raw, "To") == text
    words = [
        word
        for line in raw.split(b"\r\n")
        for word in line.split()
        if word.startswith(b"=?")
    ]
    assert all(len(word) <= 76 for word in words)


LETTERS = st.text(st.sampled_from("ax1.-+'_#,;<>@ \"%(:é\n"), min_size=1, max_size=8)


@MANY
@given(st.builds("{}@{}".format, LETTERS, LETTERS))
@example("o'brien+a.b_c#1@sub.example-1.org")
def test_property_an_address_that_is_taken_is_the_only_one_in_its_header(
    outgoing, text
):
    try:
        mail = outgoing(recipient=checked_address(text, "recipient"))
    except InvalidInput:
        assert "o'brien" not in text
        return
    assert [each.addr_spec for each in parsed(compose(mail))["To"].addresses] == [text]


SECRET = b"Ben said no"
HIDING = {
    "zero width": "".join("\u200b\u200c"[int(bit)] for byte in SECRET for bit in f"{byte:08b}"),
    "joiners": "".join("\u200d\u200c"[int(bit)] for byte in SECRET for bit in f"{byte:08b}"),
    "selectors": "".join(chr(0xE0100 + byte) for byte in SECRET), "operators": "\u2062\u2063",
    "tags": "".join(chr(0xE0000 + byte) for byte in SECRET), "letters": "".join(f"{c}\ufe01" for c in "the 5th"),
}  # fmt: skip


def test_nothing_leaves_that_the_person_who_approves_it_cannot_see_but_what_letters_need(
    outgoing,
):
    """A model that obeys a hostile mail could write to its sender what others said, between the letters."""
    for text in HIDING.values():
        for field in ("subject", "body"):
            with pytest.raises(InvalidInput, match=f"^{field} is .*control"):
                compose(outgoing(**{field: f"Dear Ana {text}, the 5th?"}))
        drafted = checked_draft(
            Draft("Ana", f"A date {text}", f"Dear Ana{text},\n\nthe 5th?")
        )
        assert (
            "".join(c for c in drafted.subject + drafted.body if not c.isascii()) == ""
        )
    for text in ("می‌خواهم", "❤️‍🔥", "ක්‍ෂ", "葛󠄀", "Grüße"):
        assert text in parsed(compose(outgoing(body=text))).get_content()
        assert checked_draft(Draft("Ana", text, text)).body == text
