"""Who a mail is from: a reply comes from a person on the list, and all that is doubtful is held."""

import re
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.mail.letters import Fetched, Incoming
from support.mail.matching import Match, match
from support.mail.reading import read


class Sent(NamedTuple):
    """What matching looks at of a mail of ours."""

    mail: int
    person: str
    message_id: str


OWN, EVE, ANSWER = (
    "seminar@host.example",
    "eve@evil.example",
    {"in_reply_to": ("<a1@host>",)},
)
PEOPLE = {
    "ana@up.example": "Ana Silva", "ben@ki.example": "Ben Ito", "cem@il.example": "Cem Odu", "dao@x.example": "Dao Li",
}  # fmt: skip
REMOVED = {"Cem Odu"}
SENT = [
    Sent(1, "Ana Silva", "<a1@host>"), Sent(2, "Ben Ito", "<b1@host>"), Sent(3, "Ana Silva", "<a2@host>"),
    Sent(4, "Cem Odu", "<c1@host>"),
]  # fmt: skip
MAIL = Incoming(
    message_id="<m@up>",
    sender="ana@up.example",
    sender_name="Ana Silva",
    subject="Re",
    text="Yes",
)


def matched(**changes):
    return match(replace(MAIL, **changes), SENT, PEOPLE, REMOVED, OWN)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        (ANSWER, Match("reply", "Ana Silva", 1, "in-reply-to")),
        (
            {"in_reply_to": ("<a1@host>", "<x@y>", "<a2@host>", "<z@y>")},
            Match("reply", "Ana Silva", 3, "in-reply-to"),
        ),
        (
            {"references": ("<a1@host>", "<a2@host>", "<o@up>")},
            Match("reply", "Ana Silva", 3, "references"),
        ),
        (
            {"in_reply_to": ("<lost@up>",), "references": ("<a1@host>",)},
            Match("reply", "Ana Silva", 1, "references"),
        ),
        (
            ANSWER | {"sender": "ANA@UP.example"},
            Match("reply", "Ana Silva", 1, "in-reply-to"),
        ),
        (
            ANSWER | {"automatic": True},
            Match("automatic", "Ana Silva", 1, "in-reply-to"),
        ),
        ({"automatic": True}, Match("automatic", "Ana Silva")),
        (
            {
                "sender": "daemon@mx",
                "bounced": ("<x@y>", "<b1@host>"),
                "automatic": True,
            },
            Match("bounce", "Ben Ito", 2),
        ),
    ],
)
def test_a_mail_in_a_thread_is_matched_by_it(changes, found):
    assert matched(**changes) == found


def test_a_reply_outside_any_thread_answers_the_newest_mail_and_warns():
    found = matched()
    assert (found.kind, found.person, found.mail, found.how) == (
        "reply",
        "Ana Silva",
        3,
        "address",
    )
    assert "outside the thread" in found.warnings[0]
    assert match(MAIL, [], PEOPLE, (), OWN).kind == "quarantine", (
        "who was not written to does not reply"
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (ANSWER | {"sender": OWN}, "our own address"),
        ({"sender": OWN.upper(), "bounced": ("<a1@host>",)}, "our own address"),
        (ANSWER | {"sender": ""}, "no sender"),
        (ANSWER | {"authentication": "fail"}, "not sent by whom it names"),
        (ANSWER | {"sender": EVE}, "answers a mail to Ana Silva.*eve@evil"),
        (
            ANSWER | {"sender": "ben@ki.example"},
            "answers a mail to Ana Silva.*sent by Ben Ito",
        ),
        ({"sender": EVE}, "eve@evil.example>, who is not on the list"),
        (
            {"sender": "cem@il.example", "in_reply_to": ("<c1@host>",)},
            "Cem Odu, who was taken off",
        ),
        ({"sender": "dao@x.example"}, "to whom we have not written"),
        ({"bounced": ("",)}, "names none of ours"),
    ],
)
def test_what_is_doubtful_is_held_with_its_reason(changes, reason):
    found = matched(**changes)
    assert (
        found.kind == "quarantine"
        and re.search(reason, found.reason)
        and found.reason.endswith(".")
    )


IDS = st.lists(
    st.sampled_from(["<a1@host>", "<b1@host>", "<c1@host>", "<x@y>", ""]), max_size=3
).map(tuple)
SENDERS = st.sampled_from(
    [*PEOPLE, OWN, "", EVE, "ana@up.example.evil", "Ana@UP.example", " ana@up.example"]
)


@given(
    SENDERS | st.text(max_size=20),
    IDS,
    IDS,
    IDS,
    st.booleans(),
    st.sampled_from(["pass", "fail", ""]),
)
def test_property_a_reply_comes_from_the_address_of_its_person(
    sender, replied, references, bounced, automatic, proof
):
    found = matched(sender=sender, in_reply_to=replied, references=references, bounced=bounced, automatic=automatic,
                    authentication=proof)  # fmt: skip
    mails = {each.mail: each.person for each in SENT}
    if found.kind in ("reply", "automatic"):
        assert (
            PEOPLE[sender.strip().casefold()] == found.person
            and found.person not in REMOVED
            and proof != "fail"
        )
        assert found.mail is None or mails[found.mail] == found.person
    if found.kind == "reply":
        assert (
            found.mail
            and not automatic
            and not bounced
            and (found.how == "address") == bool(found.warnings)
        )
    assert (found.kind == "quarantine") == bool(found.reason)


@pytest.mark.parametrize(
    "head",
    [
        b"From: =?utf-8?q?Ana=0D=0ABcc:_eve?= <ana@example.org>",
        b"From: ana@example.org\r\nSubject: Re: =?utf-8?q?x=0D=0ABcc:_eve?=",
        b"From: ana@example.org\r<eve@evil.example>",
        b"X: y\rFrom: ana@example.org",
        b"From : eve@evil.example\r\nFrom: ana@example.org",
    ],
)
def test_a_head_with_a_line_break_or_that_a_server_reads_in_another_way_is_held(head):
    """The server sees mail of Eve's, and vouches for it; Python's parser ends a line at a lone CR and sees Ana's."""
    raw = (
        head
        + b"\r\nIn-Reply-To: <1@ours>\r\nAuthentication-Results: mx; dmarc=pass\r\n\r\nYes.\r\n"
    )
    incoming = read(Fetched("1", raw, len(raw)), authserv="mx")
    found = match(
        incoming,
        [Sent(1, "Ana", "<1@ours>")],
        {"ana@example.org": "Ana"},
        (),
        "me@x.org",
    )
    assert found.kind == "quarantine" and "line break" in found.reason
