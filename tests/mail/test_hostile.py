"""Two hundred hostile mails are read and matched, and each comes to what it should."""

from collections import Counter
from html import escape

import pytest
from attacks.forms import FIVE
from attacks.generating import KINDS, hostile, kept
from attacks.world import AUTHSERV, EVIL

from support.mail.letters import ATTACHMENTS, BODY, NAME, PROBLEMS, RAW, SUBJECT, Fetched, Sent
from support.mail.matching import match
from support.mail.reading import read
from support.mail.suspicion import instructions_in

OWN = "seminar@host.example"
REMOVED = "Cem Odu"
OURS = {
    "Ana Silva": ("ana@up.example", "<a1@host.example>"),
    "Ben Ito": ("ben@ki.example", "<b1@host.example>"),
    REMOVED: ("cem@il.example", "<c1@host.example>"),
}
PEOPLE = {address: name for name, (address, _) in OURS.items()}
SENT = [Sent(n, name, id) for n, (name, (_, id)) in enumerate(OURS.items(), start=1)]
CASES = hostile(0, OURS, removed=REMOVED, own=OWN)


def read_case(case):
    raw, size = kept(case, RAW)
    return read(Fetched("1", raw, size), authserv=AUTHSERV)


def match_case(case):
    return match(read_case(case), SENT, PEOPLE, {REMOVED}, OWN)


@pytest.fixture(scope="module")
def handled():
    return [
        (case, incoming, match(incoming, SENT, PEOPLE, {REMOVED}, OWN))
        for case in CASES
        for incoming in [read_case(case)]
    ]


def test_there_are_two_hundred_of_every_kind_and_they_are_the_same_again():
    again = hostile(0, OURS, removed=REMOVED, own=OWN)
    assert [case.raw for case in again] == [case.raw for case in CASES]
    assert len(CASES) == 200
    assert {case.name for case in CASES} == set(KINDS)
    assert min(Counter(case.name for case in CASES).values()) >= 3
    assert len({case.raw for case in CASES}) > 160


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_comes_to_what_it_should(handled, name):
    for case, incoming, matched in handled:
        if case.name == name:
            assert matched.kind in case.kinds, (matched, case.raw[:400])
            assert not case.person or matched.person == case.person
            assert case.words in incoming.text
            assert any(case.problem in problem for problem in incoming.problems) or not case.problem
            assert bool(matched.reason) == (matched.kind == "quarantine")


def test_every_instruction_to_the_system_is_noticed(handled):
    unseen = [case.name for case, incoming, _ in handled if case.flagged and not instructions_in(incoming.text)]
    assert not unseen


def test_whoever_is_not_on_the_list_never_replies(handled):
    for case, incoming, matched in handled:
        assert (matched.kind == "reply") <= (incoming.sender in PEOPLE and matched.person != REMOVED)
        assert (case.sender_is in ("unknown", "own", "none", "removed")) <= (matched.kind != "reply")
        assert EVIL not in PEOPLE and (incoming.sender == EVIL) <= (matched.kind == "quarantine")


def test_what_would_be_shown_is_bounded_and_has_no_markup_and_nothing_hidden(handled):
    for _, incoming, matched in handled:
        assert len(incoming.text) <= BODY and len(incoming.subject) <= SUBJECT
        assert len(incoming.sender_name) <= NAME and len(incoming.problems) <= PROBLEMS
        assert len(incoming.attachments) <= ATTACHMENTS and all(len(name) <= NAME for name in incoming.attachments)
        lines = (incoming.sender, incoming.sender_name, incoming.subject, *incoming.attachments, *incoming.problems)
        for shown in (incoming.text, *lines, matched.reason, *matched.warnings):
            assert "<" not in escape(shown)
            assert not set(shown) & set("\x00\x07\x1b\r\u202e\u202d\u2066\U000e0041")
        assert not any("\n" in line for line in lines)


def test_html_leaves_no_tag_and_no_script(handled):
    words = [incoming.text for case, incoming, _ in handled if b"text/html" in case.raw]
    assert words and not any("<script" in text or "onerror" in text or "owned" in text for text in words)


def test_five_megabytes_are_cut_and_say_so(handled):
    large = [(case, incoming) for case, incoming, _ in handled if len(case.raw) > FIVE]
    assert len(large) > 10 and all(incoming.cut for case, incoming in large)


def test_nothing_attached_is_decoded(monkeypatch):
    decoded = []
    from email.message import Message

    original = Message.get_payload

    def watched(self, i=None, decode=False):
        decoded.append(self.get_content_type()) if decode else None
        return original(self, i, decode)

    monkeypatch.setattr(Message, "get_payload", watched)
    for case in CASES[: len(KINDS) + 1]:
        read_case(case)
    assert decoded and set(decoded) <= {"text/plain", "text/html", "multipart/mixed"}


@pytest.mark.parametrize("seed", range(1, 4))
def test_other_seeds_come_to_the_same(seed):
    for case in hostile(seed, OURS, removed=REMOVED, own=OWN, count=len(KINDS) + 1):
        assert match_case(case).kind in case.kinds, (case.name, case.raw[:400])
