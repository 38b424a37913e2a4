"""Every kind of hostile mail, twice, is read and matched, and comes to what it should."""

from email.message import Message
from types import SimpleNamespace

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
SENT = [
    SimpleNamespace(mail=n, person=name, message_id=id)
    for n, (name, (_, id)) in enumerate(OURS.items(), start=1)
]


def test_every_kind_of_hostile_mail_comes_to_what_it_should_bounded_and_nothing_attached_is_decoded(
    monkeypatch,
):
    original, decoded = Message.get_payload, set()

    def watched(self, i=None, decode=False):
        decoded.update([self.get_content_type()] if decode else [])
        return original(self, i, decode)

    monkeypatch.setattr(Message, "get_payload", watched)
    for case in hostile(0, OURS, removed=REMOVED, own=OWN, count=2 * len(KINDS) + 2):
        incoming = read(Fetched("1", case.raw[:RAW], len(case.raw)), authserv=AUTHSERV)
        matched = match(incoming, SENT, PEOPLE, {REMOVED}, OWN)
        assert matched.kind == case.kind, (matched, case.raw[:400])
        assert not case.person or matched.person == case.person
        assert (matched.kind == "reply") <= (
            incoming.sender in PEOPLE and matched.person != REMOVED
        )
        assert case.words in incoming.text
        assert (
            any(case.problem in problem for problem in incoming.problems)
            or not case.problem
        )
        assert bool(matched.reason) == (matched.kind == "quarantine")
        assert not case.flagged or instructions_in(incoming.text)
        assert len(case.raw) <= FIVE or incoming.cut
        bounded(incoming)
        assert matched.reason.replace("\n", "").isprintable()
        if case.name == "script in html":
            assert not any(
                word in incoming.text for word in ("<script", "onerror", "owned")
            )
    assert "text/plain" in decoded and decoded <= {
        "text/plain",
        "text/html",
        "multipart/mixed",
    }
