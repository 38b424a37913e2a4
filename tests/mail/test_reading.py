"""Any bytes become an incoming mail: bounded, clean, and held where they may not be what
their sender wrote."""

import time
from email.message import Message

import pytest
from attacks.forms import (
    AUTHSERV,
    EVIL,
    POST,
    YES,
    honest,
    hostile,
    matched,
    reading,
)
from hypothesis import example, given
from hypothesis import strategies as st

from support.mail.letters import BODY, NAME, RAW, SUBJECT, WHOLE
from support.mail.reading import ATTACHMENTS, LINES

HOSTILE = {form.name: form for form in hostile(POST)}
HONEST = {form.name: form for form in honest(POST)}


def bounded(found):
    """Whatever was read can be shown: it is short, and nothing is hidden in it."""
    lines = f"{found.sender}{found.sender_name}{found.subject}{found.attachments}"
    unseen = {*"\r\x00\x07\x1b\u202e\u2066\U000e0041"}
    assert not {*lines, *found.text, *found.whole} & unseen and "\n" not in lines
    assert len(found.text) <= BODY and len(found.whole) <= WHOLE
    assert len(found.sender_name) <= NAME and len(found.subject) <= SUBJECT
    assert len(found.attachments) <= ATTACHMENTS


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_mail_is_held_for_its_reason_or_is_words(name, monkeypatch):
    original, decoded = Message.get_payload, set()

    def watched(self, i=None, decode=False):
        decoded.update([self.get_content_type()] if decode else [])
        return original(self, i, decode)

    monkeypatch.setattr(Message, "get_payload", watched)
    form, begun = HOSTILE[name], time.process_time()
    found, incoming = matched(form.raw), reading(form.raw)
    assert time.process_time() - begun < 10
    assert form.why in found.why and bool(form.why) == bool(found.why), found.why
    assert found.why or (found.person, found.mail) == ("Ana Silva", 1)
    assert decoded <= {"text/plain", "text/html", "text/calendar"}
    bounded(incoming)


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_mail_is_a_reply_with_its_new_words(name):
    raw = HONEST[name].raw
    assert matched(raw).why == ""
    found = reading(raw)
    assert YES in found.text and "9th" not in found.text
    assert found.sender.lower() == "ana@up.example" and found.message_id in raw.decode(
        "latin-1"
    )


def test_who_was_taken_off_or_was_never_written_to_does_not_reply():
    assert "taken off" in matched(POST.mail(), {"Ana Silva"}).why
    assert "none of our mails" in matched(POST.mail(), sent=[]).why


def test_a_report_names_the_mail_and_what_is_held_is_shown_whole():
    found = matched(HOSTILE["bounce"].raw)
    assert (found.person, found.mail) == ("", 1) and "Ana Silva" in found.why
    forward = reading(HOSTILE["forward"].raw)
    assert forward.text == "" and EVIL in forward.whole
    assert "DECLINED" in reading(HOSTILE["calendar"].raw).text
    page = reading(HOSTILE["HTML alone"].raw).whole
    assert page == YES, "no markup, no script"


SIGNED = f"{AUTHSERV}; "


@pytest.mark.parametrize(
    ("verdict", "believed"),
    [
        (f"{SIGNED}dmarc=pass header.from=up.example", True),
        (f"{SIGNED}spf=pass (x) smtp.mailfrom=a@mail.up.example; dmarc=none", True),
        (f"{SIGNED}dkim=fail; dkim=pass header.i=@up.example", True),
        (f"{SIGNED}dkim=pass header.d=signup.example; spf=pass", False),
        (
            f"{SIGNED}dkim=pass header.d=evil.example; dkim=fail header.d=up.example",
            False,
        ),
        (f"{SIGNED}dmarc=pass (p=none) header.from=evil.example", False),
        (f"{SIGNED}dmarc=fail (p=none; dmarc=pass header.from=up.example)", False),
        (f"{SIGNED}spf=pass smtp.mailfrom=up.example; dmarc=fail", False),
        (
            f'{SIGNED}spf=fail smtp.mailfrom="a\\"; dkim=pass header.d=up.example"',
            False,
        ),
        (f"{SIGNED}spf=pass smtp.mailfrom=a@up.example@evil.example", False),
        ("mistyped.example; dmarc=pass header.from=up.example", False),
        (f"{SIGNED}none\r\nAuthentication-Results: {SIGNED}dmarc=pass", False),
        ("", False),
    ],
)
def test_only_our_own_servers_topmost_verdict_on_the_sender_counts(verdict, believed):
    raw = POST.mail(Authentication_Results=verdict)
    assert bool(matched(raw).why) != believed
    assert not reading(raw, "").doubts, "nobody is believed"


@pytest.mark.parametrize(
    ("sender", "address"),
    [
        ('"Silva, \\"Ana\\"" <ana@up.example>', "ana@up.example"),
        ("ana@up.example (Ana Silva)", "ana@up.example"),
        ('"ana@up.example" <eve@x.org>', "eve@x.org"),
        ("ana@up.example <eve@x.org>", ""),
        ("alice@x.org)bob@y.org", ""),
        ("team: ana@up.example, eve@x.org;", ""),
        ("<ana@up.example> <eve@x.org>", ""),
    ],
)
def test_the_sender_is_one_address_or_none(sender, address):
    assert reading(POST.mail(From=sender)).sender == address


SPLINTERS = st.binary(max_size=12) | st.sampled_from(
    [b"\r\n", b"=?utf-8?b?", b"?=", b"--b\r\n", b"Content-Type: ", b"*0*=", b"\xff"]
)
CHANGES = st.lists(st.tuples(st.integers(0, 900), st.integers(0, 30), SPLINTERS))


@given(st.sampled_from([*HOSTILE, *HONEST]), CHANGES)
def test_property_damaged_mails_are_read(name, changes):
    raw = (HOSTILE | HONEST)[name].raw[:2000]
    for at, gone, new in changes:
        raw = raw[:at] + new + raw[at + gone :]
    bounded(reading(raw))


@given(st.binary(max_size=400))
@example(b"Content-Type: a/b;" + b"".join(b" name*%d=a;" % n for n in range(190)))
@example(b"Content-Type: text/plain; charset=\xff\r\n\r\nx")
def test_property_any_bytes_are_read(raw):
    bounded(reading(raw))


def filled(unit):
    return (unit * (RAW // len(unit) + 1))[:RAW]


MANY = LINES - 200
HEAD = POST.mail("", None).rstrip() + b"\r\n"
SLOW = {
    "mails in mails": HEAD + filled(b"Content-Type: message/rfc822\r\n\r\n"),
    "boundaries": HEAD
    + b"".join(
        b"Content-Type: multipart/a; boundary=%d\n\n--%d\n" % (n, n) for n in range(45)
    )
    + b"-x\n" * MANY,
    "headers": HEAD + b"a:\n" * MANY,
    "parameters": HEAD + b"Content-Type: text/plain;" + filled(b'";'),
    "comments": b"From: " + filled(b"("),
    "encoded words": HEAD + b"Subject: " + filled(b"=?utf-8?q?a?= "),
    "attributions": HEAD + b"\r\n" + filled(b"Am "),
    "references": HEAD + b"References: " + filled(b"<"),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_mail_made_to_be_slow_takes_no_time_to_speak_of(name):
    begun = time.process_time()  # of some of these Python's own parsers need minutes
    bounded(reading(SLOW[name]))
    assert time.process_time() - begun < 10
