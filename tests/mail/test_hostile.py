"""Two hundred hostile mails are read and matched, and each comes to what it should."""

from collections import Counter
from email.message import Message
from html import escape
from types import SimpleNamespace

import pytest
from attacks.generating import FIVE, hostile, kept
from attacks.world import AUTHSERV, EVIL, KINDS

from support.mail.letters import ATTACHMENTS, BODY, NAME, PROBLEMS, RAW, SUBJECT, Fetched
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


def handled(seed=0, count=200):
    """Each case, what is read of it, and what that is matched with."""
    for case in hostile(seed, OURS, removed=REMOVED, own=OWN, count=count):
        raw, size = kept(case, RAW)
        incoming = read(Fetched("1", raw, size), authserv=AUTHSERV)
        yield case, incoming, match(incoming, SENT, PEOPLE, {REMOVED}, OWN)


@pytest.fixture(scope="module")
def mails():
    return list(handled())


def test_there_are_two_hundred_of_every_kind(mails):
    cases = [case for case, _, _ in mails]
    assert len(cases) == 200 and {case.name for case in cases} == set(KINDS)
    assert min(Counter(case.name for case in cases).values()) >= 3 and len({case.raw for case in cases}) > 160
    assert sum(len(case.raw) > FIVE and incoming.cut for case, incoming, _ in mails) > 10


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_comes_to_what_it_should(mails, name):
    for case, incoming, matched in mails:
        if case.name == name:
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
        assert EVIL not in PEOPLE and (incoming.sender == EVIL) <= (matched.kind == "quarantine")


def test_what_would_be_shown_is_bounded_and_has_no_markup_and_nothing_hidden(mails):
    for case, incoming, matched in mails:
        assert len(incoming.text) <= BODY and len(incoming.subject) <= SUBJECT
        assert len(incoming.sender_name) <= NAME and len(incoming.problems) <= PROBLEMS
        assert len(incoming.attachments) <= ATTACHMENTS and all(len(name) <= NAME for name in incoming.attachments)
        lines = (incoming.sender, incoming.sender_name, incoming.subject, *incoming.attachments, *incoming.problems)
        for shown in (incoming.text, *lines, matched.reason, *matched.warnings):
            assert "<" not in escape(shown)
            assert not set(shown) & set("\x00\x07\x1b\r\u202e\u202d\u2066\U000e0041")
        assert not any("\n" in line for line in lines)
        if case.name == "script in html":
            assert not any(word in incoming.text for word in ("<script", "onerror", "owned"))


def test_nothing_attached_is_decoded(monkeypatch):
    decoded, original = [], Message.get_payload

    def watched(self, i=None, decode=False):
        decoded.append(self.get_content_type()) if decode else None
        return original(self, i, decode)

    monkeypatch.setattr(Message, "get_payload", watched)
    list(handled(count=len(KINDS) + 1))
    assert decoded and set(decoded) <= {"text/plain", "text/html", "multipart/mixed"}


@pytest.mark.parametrize("seed", range(1, 4))
def test_other_seeds_come_to_the_same(seed):
    for case, _, matched in handled(seed, len(KINDS) + 1):
        assert matched.kind == case.kind, (case.name, case.raw[:400])
