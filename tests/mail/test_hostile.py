"""Every kind of hostile mail, twice, is read and matched, and comes to what it should."""

from email.message import Message
from types import SimpleNamespace

import pytest
from attacks.generating import FIVE, hostile
from attacks.world import AUTHSERV, KINDS
from test_reading import bounded

from support.mail.letters import RAW, Fetched
from support.mail.matching import match
from support.mail.reading import read
from support.mail.suspicion import instructions_in

OWN, REMOVED = "seminar@host.example", "Cem Odu"
OURS = {
    "Ana Silva": ("ana@up.example", "<a1@host.example>"), "Ben Ito": ("ben@ki.example", "<b1@host.example>"),
    REMOVED: ("cem@il.example", "<c1@host.example>"),
}  # fmt: skip
PEOPLE = {address: name for name, (address, _) in OURS.items()}
SENT = [SimpleNamespace(mail=n, person=name, message_id=id) for n, (name, (_, id)) in enumerate(OURS.items(), start=1)]


@pytest.fixture(scope="module")
def decoded():
    """The types of what was decoded."""
    return set()


@pytest.fixture(scope="module")
def mails(decoded):
    """Each case, what is read of it, and what that is matched with."""
    original = Message.get_payload

    def watched(self, i=None, decode=False):
        decoded.update([self.get_content_type()] if decode else [])
        return original(self, i, decode)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Message, "get_payload", watched)
        cases = hostile(0, OURS, removed=REMOVED, own=OWN, count=2 * len(KINDS) + 2)
        read_of = [read(Fetched("1", case.raw[:RAW], len(case.raw)), authserv=AUTHSERV) for case in cases]
    return [(case, mail, match(mail, SENT, PEOPLE, {REMOVED}, OWN)) for case, mail in zip(cases, read_of, strict=True)]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_comes_to_what_it_should(mails, name):
    cases = [one for one in mails if one[0].name == name]
    assert len(cases) >= 2
    for case, incoming, matched in cases:
        assert matched.kind == case.kind, (matched, case.raw[:400])
        assert not case.person or matched.person == case.person
        assert case.words in incoming.text
        assert any(case.problem in problem for problem in incoming.problems) or not case.problem
        assert bool(matched.reason) == (matched.kind == "quarantine")
        assert not case.flagged or instructions_in(incoming.text)
        assert len(case.raw) <= FIVE or incoming.cut


def test_whoever_is_not_on_the_list_never_replies(mails):
    for case, incoming, matched in mails:
        assert (matched.kind == "reply") <= (incoming.sender in PEOPLE and matched.person != REMOVED)
        assert (case.sender_is in ("unknown", "own", "none", "removed")) <= (matched.kind != "reply")


def test_what_would_be_shown_is_bounded_and_has_nothing_hidden(mails):
    for case, incoming, matched in mails:
        bounded(incoming)
        assert matched.reason.replace("\n", "").isprintable()
        if case.name == "script in html":
            assert not any(word in incoming.text for word in ("<script", "onerror", "owned"))


def test_nothing_attached_is_decoded(mails, decoded):
    assert "text/plain" in decoded and decoded <= {"text/plain", "text/html", "multipart/mixed"}
