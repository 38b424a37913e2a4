"""At most once, and only what was allowed: the outbox before any server."""

import asyncio
import contextlib
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from email import message_from_bytes

import pytest

from support.errors import DamagedFile, FateUnknown, InvalidInput, NotSent
from support.mail.mailbox import LIVE, SimulatedMailbox
from support.mail.outbox import Clearance, Outbox

TODAY = date(2026, 3, 2)
LISTED = frozenset({"ana@example.org", "ben@example.org", "eve@example.org"})
FIRST = "<1.ana@example.org>"


class Pretending(SimulatedMailbox):
    """A mailbox that takes itself for a live one."""

    kind = LIVE


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


@pytest.fixture
def made(path):
    """A function to an outbox on the file; all are closed in the end."""
    with contextlib.ExitStack() as opened:

        def make(run="run", clearance=None):
            outbox = Outbox(path, run, clearance or Clearance(True, LISTED, 100))
            return opened.enter_context(contextlib.closing(outbox))

        yield make


@pytest.fixture
def approve(made):
    def approved(outgoing, run="run"):
        made(run).approve(outgoing.recipient, outgoing.subject, outgoing.body)
        return outgoing

    return approved


def send(outbox, box, mail, person="ana", day=1, today=TODAY):
    about = {"mail": 1, "day": day, "person": person, "today": today}
    return asyncio.run(outbox.send(box, mail, **about))


def fails(error, match, *mail, **day):
    with pytest.raises(error, match=match):
        send(*mail, **day)


def test_a_run_that_is_resumed_gets_the_same_mail_and_sends_nothing(made, outgoing):
    outbox, box = made(), SimulatedMailbox()
    first = send(outbox, box, outgoing())
    assert send(made(), box, outgoing(message_id="<0@example.org>")) == first
    other = outgoing(number=2, body="Never mind.")
    fails(NotSent, "a second mail to ana", outbox, box, other)
    assert len(box.sent) == 1
    send(outbox, box, other, day=2)
    assert len(box.sent) == 2


def test_a_refused_mail_is_tried_again_with_the_same_bytes_or_written_anew(
    made, outgoing
):
    outbox, box = made(), SimulatedMailbox([NotSent("full"), None, NotSent("full")])
    fails(NotSent, "full", outbox, box, outgoing())
    assert [(one.status, one.said) for one in outbox.posted()] == [("not sent", "full")]
    again = send(outbox, box, outgoing(message_id="<0@example.org>"))
    assert again.message_id == message_from_bytes(box.sent[0][1])["Message-ID"] == FIRST
    fails(NotSent, "full", outbox, box, outgoing(number=2), day=2)
    better = send(outbox, box, outgoing(number=3, body="Better words."), day=2)
    assert (better.message_id, better.body) == ("<3.ana@example.org>", "Better words.")
    assert len(box.sent) == len(outbox.posted()) == 2


@pytest.mark.parametrize(
    "fault", [FateUnknown("?"), asyncio.CancelledError(), OSError()]
)
def test_whatever_else_goes_wrong_leaves_an_uncertain_mail_that_is_not_sent_again(
    made, outgoing, fault
):
    outbox, box = made(), SimulatedMailbox([fault])
    fails(type(fault), None, outbox, box, outgoing())
    for again in (outgoing(), outgoing(number=2, body="Other words.")):
        fails(FateUnknown, "decide", made(), box, again)
    assert not box.sent and [one.message_id for one in made().uncertain()] == [FIRST]
    assert [one.message_id for one in outbox.sent()] == [FIRST], (
        "somebody may answer it"
    )


def test_a_mail_that_arrived_after_all_counts_as_sent_and_is_decided_once(
    made, outgoing
):
    outbox, box = made(), SimulatedMailbox([FateUnknown("lost")])
    fails(FateUnknown, "lost", outbox, box, outgoing())
    assert outbox.decide(FIRST, True).status == "sent"
    assert send(outbox, box, outgoing()).decided == "arrived"
    assert outbox.uncertain() == box.sent == []
    for message_id in (FIRST, "<none@example.org>"):
        with pytest.raises(InvalidInput, match="uncertain mail of this run"):
            outbox.decide(message_id, False)


def test_a_mail_that_did_not_arrive_needs_a_new_approval_and_keeps_its_bytes(
    made, outgoing, approve
):
    outbox, box = made(), Pretending([FateUnknown("lost")])
    fails(FateUnknown, "lost", outbox, box, approve(outgoing()))
    assert outbox.decide(FIRST, False).status == "not sent"
    fails(NotSent, "nobody has approved", outbox, box, outgoing())
    other = approve(outgoing(number=2, body="Other words."))
    # the first may be there, whatever a person decided
    fails(NotSent, "a second mail", outbox, box, other)
    send(outbox, box, approve(outgoing(message_id="<0@example.org>")))
    assert message_from_bytes(box.sent[0][1])["Message-ID"] == FIRST


def test_a_mail_that_is_being_sent_is_neither_uncertain_nor_sent_by_another_task(
    made, outgoing
):
    other, taken = made(), []

    class Meanwhile(SimulatedMailbox):
        async def send(self, recipient, message):
            taken.append(recipient)
            assert other.uncertain() == []
            with ThreadPoolExecutor(1) as pool:
                pool.submit(
                    fails, FateUnknown, "moment", other, self, outgoing()
                ).result()
            return "taken"

    assert send(made(), Meanwhile(), outgoing()).status == "sent"
    assert taken == ["ana@example.org"]


@pytest.mark.parametrize(
    ("clearance", "why"),
    [
        (Clearance(), "dry run"),
        (Clearance(True, frozenset(), 9), "not on the list"),
        (Clearance(True, {"ben@example.org"}, 9), "not on the list"),
        (Clearance(True, LISTED), "daily limit of 0"),
    ],
)
def test_nothing_leaves_without_clearance(made, outgoing, approve, clearance, why):
    outbox, box = made(clearance=clearance), Pretending()
    fails(NotSent, why, outbox, box, approve(outgoing()))
    box.kind = "of a kind that nobody knows"
    fails(NotSent, why, outbox, box, outgoing())
    assert box.sent == outbox.posted() == []


def test_nothing_leaves_without_approval_of_the_exact_mail(made, outgoing, approve):
    outbox, box = made(), Pretending()
    approve(approve(outgoing()))  # twice is once
    outbox.withdraw(outgoing().recipient, outgoing().subject, outgoing().body)
    approve(outgoing(), run="another")
    fails(NotSent, "nobody has approved", outbox, box, outgoing())
    approve(outgoing())
    changes = {"body": "16?", "subject": "A talk", "recipient": "ben@example.org"}
    for change in changes.items():
        fails(NotSent, "nobody has approved", outbox, box, outgoing(**dict([change])))
    assert not box.sent
    assert send(outbox, box, outgoing()).status == "sent"


def test_an_approval_is_for_one_mail_and_comes_back_if_that_was_certainly_not_sent(
    made, outgoing, approve
):
    outbox, box = made(), Pretending([NotSent("busy")])
    fails(NotSent, "busy", outbox, box, approve(outgoing()))
    assert send(outbox, box, outgoing()).status == "sent"
    fails(NotSent, "approval was used", outbox, box, outgoing(number=2), day=8)
    send(outbox, box, approve(outgoing(number=2)), day=8)
    assert len(box.sent) == 2


def test_the_daily_limit_counts_what_may_have_left_from_the_account_over_all_runs(
    made, outgoing, approve
):
    clearance = Clearance(True, LISTED, 2)
    none, no = made("none"), Pretending([NotSent("no")])
    send(none, SimulatedMailbox(), outgoing("ana", 2), "ana")
    fails(NotSent, "no", none, no, approve(outgoing("ben", 2), "none"), "ben")
    other = outgoing("eve", 2, sender="other@example.org")
    send(none, Pretending(), approve(other, "none"), "eve")
    send(made("one", clearance), Pretending(), approve(outgoing("ana"), "one"))
    lost, ben = Pretending([FateUnknown("?")]), approve(outgoing("ben"), "two")
    fails(FateUnknown, None, made("two", clearance), lost, ben, "ben")
    outbox, box, eve = made("three", clearance), Pretending(), outgoing("eve")
    fails(NotSent, "daily limit of 2", outbox, box, approve(eve, "three"), "eve")
    assert not box.sent
    tomorrow = TODAY + timedelta(days=1)
    assert send(outbox, box, eve, "eve", today=tomorrow).status == "sent"


@pytest.mark.parametrize("live", [False, True])
def test_what_another_sends_between_two_steps_is_not_sent_again_and_counts(
    made, outgoing, approve, monkeypatch, live
):
    outbox, other = (made(clearance=Clearance(True, LISTED, 1)) for _ in range(2))
    box = Pretending() if live else SimulatedMailbox()
    theirs, claim = "ben" if live else "ana", outbox._claim
    approve(outgoing(theirs))

    def late(*wanted):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(send, other, box, outgoing(theirs), theirs).result()
        return claim(*wanted)

    monkeypatch.setattr(outbox, "_claim", late)
    if live:
        fails(NotSent, "daily limit of 1", outbox, box, approve(outgoing("ana")))
    else:
        assert send(outbox, box, outgoing()).status == "sent"
    assert [to for to, _ in box.sent] == [f"{theirs}@example.org"]


BYPASSES = """\
Ana@example.org
ana+list@example.org
ana@example.org.
ana@example.org,mal@evil.org
Ana <ana@example.org>
"ana@example.org" <mal@evil.org>
friends: ana@example.org, mal@evil.org;
ana@example.org(mal@evil.org)
ana@example.org@evil.org
@evil.org:ana@example.org
ana%evil.org@example.org
аna@example.org
ana＠example.org
ana@\u212axample.org
ana@sub.example.org
mal@evil.org""".splitlines()
BYPASSES += ["", " ana@example.org", "ana@example.org\r\nRCPT TO:<mal@evil.org>"]


@pytest.mark.parametrize("address", BYPASSES, ids=ascii)
def test_no_spelling_reaches_anybody_who_is_not_on_the_list(
    made, outgoing, approve, address
):
    outbox, box = made(clearance=Clearance(True, {"ana@example.org"}, 9)), Pretending()
    mail = approve(outgoing(recipient=address))
    fails((NotSent, InvalidInput), None, outbox, box, mail)
    assert not box.sent


CHANGES = {
    "recipient": "'ben@example.org'",
    "message": "CAST(replace(message, 'suit', 'cost') AS BLOB)",
    "message ": "x'00'",
}


@pytest.mark.parametrize("column", CHANGES)
def test_a_file_of_somebody_else_s_sends_no_other_words_than_those_approved(
    path, made, outgoing, approve, column
):
    """It may hold a mail prepared under the digest of other words, or a trigger."""
    made()
    with contextlib.closing(sqlite3.connect(path)) as db:
        act = f"UPDATE outbox SET {column} = {CHANGES[column]}"
        db.execute(f"CREATE TRIGGER evil AFTER INSERT ON outbox BEGIN {act}; END")
        db.commit()
    box = Pretending()
    fails(DamagedFile, "than were approved", made(), box, approve(outgoing()))
    assert not box.sent
