"""At most once, and only what was allowed: the outbox before any server."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from email import message_from_bytes

import pytest

from support.errors import DiskFull, FateUnknown, InvalidInput, NotSent
from support.mail.journal import Approvals
from support.mail.mailbox import LIVE, SimulatedMailbox
from support.mail.outbox import Clearance, Outbox
from support.presence import Presence

TODAY = date(2026, 3, 2)
LISTED = frozenset({"ana@example.org", "ben@example.org", "eve@example.org"})


class Pretending(SimulatedMailbox):
    """A mailbox that takes itself for a live one."""

    kind = LIVE


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


@pytest.fixture
def made(path):
    """A function to an outbox on the file; all are closed in the end."""
    opened = []

    def make(run="run", clearance=None, presence=None):
        opened.append(Outbox(path, run, clearance or Clearance(True, LISTED, 100), presence=presence))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


@pytest.fixture
def approve(path):
    def approved(outgoing, run="run"):
        approvals = Approvals(path, run)
        approvals.approve(outgoing.recipient, outgoing.subject, outgoing.body)
        approvals.close()
        return outgoing

    return approved


def send(outbox, box, outgoing, person="ana", day=1, mail=1, today=TODAY):
    return asyncio.run(outbox.send(box, outgoing, mail=mail, day=day, person=person, today=today))


def statuses(outbox):
    return [(one.person, one.status) for one in outbox.posted()]


def test_a_run_that_is_resumed_gets_the_same_mail_and_sends_nothing(made, outgoing):
    box = SimulatedMailbox()
    first = send(made(), box, outgoing())
    assert send(made(), box, outgoing(message_id="<other@example.org>")) == first
    assert len(box.sent) == 1


def test_a_second_mail_on_a_day_with_other_words_is_not_sent(made, outgoing):
    outbox, box = made(), SimulatedMailbox()
    send(outbox, box, outgoing())
    with pytest.raises(NotSent, match="a second mail to ana"):
        send(outbox, box, outgoing(number=2, body="Never mind."))
    send(outbox, box, outgoing(number=2, body="Never mind."), day=2)
    assert len(box.sent) == 2


def test_two_mails_never_share_a_message_id(made, outgoing):
    outbox, box = made(), SimulatedMailbox()
    send(outbox, box, outgoing())
    with pytest.raises(InvalidInput, match="which another mail has"):
        send(outbox, box, outgoing("ben", message_id="<1.ana@example.org>"), "ben")
    assert len(box.sent) == 1


def test_a_refused_mail_is_tried_again_with_the_same_bytes(made, outgoing):
    outbox, box = made(), SimulatedMailbox([NotSent("mailbox full")])
    with pytest.raises(NotSent, match="mailbox full"):
        send(outbox, box, outgoing())
    assert statuses(outbox) == [("ana", "not sent")] and outbox.posted()[0].said == "mailbox full"
    assert send(outbox, box, outgoing(message_id="<other@example.org>")).message_id == "<1.ana@example.org>"
    assert message_from_bytes(box.sent[0][1])["Message-ID"] == "<1.ana@example.org>"


def test_a_mail_that_was_certainly_never_sent_may_be_written_anew(made, outgoing):
    outbox, box = made(), SimulatedMailbox([NotSent("no such user")])
    with pytest.raises(NotSent):
        send(outbox, box, outgoing())
    posted = send(outbox, box, outgoing(number=2, body="Better words."))
    assert (posted.message_id, posted.body) == ("<2.ana@example.org>", "Better words.")
    assert len(box.sent) == len(outbox.posted()) == 1


@pytest.mark.parametrize("fault", [FateUnknown("lost"), asyncio.CancelledError(), KeyboardInterrupt(), OSError("odd")])
def test_whatever_else_goes_wrong_leaves_an_uncertain_mail_that_is_not_sent_again(made, outgoing, fault):
    outbox, box = made(), SimulatedMailbox([fault])
    with pytest.raises(type(fault)):
        send(outbox, box, outgoing())
    for again in (outgoing(), outgoing(number=2, body="Other words.")):
        with pytest.raises(FateUnknown, match="decide"):
            send(made(), box, again)
    assert box.sent == []
    assert [one.message_id for one in made().uncertain()] == ["<1.ana@example.org>"]
    assert [one.message_id for one in outbox.sent()] == ["<1.ana@example.org>"]  # somebody may answer it


def test_a_mail_that_arrived_after_all_counts_as_sent(made, outgoing):
    outbox, box = made(), SimulatedMailbox([FateUnknown("lost")])
    with pytest.raises(FateUnknown):
        send(outbox, box, outgoing())
    assert outbox.decide("<1.ana@example.org>", True).status == "sent"
    assert outbox.uncertain() == []
    assert send(outbox, box, outgoing()).said == "decided by a person: it arrived"
    assert box.sent == []


def test_a_mail_that_did_not_arrive_needs_a_new_approval_and_keeps_its_bytes(made, outgoing, approve):
    outbox, box = made(), Pretending([FateUnknown("lost")])
    with pytest.raises(FateUnknown):
        send(outbox, box, approve(outgoing()))
    assert outbox.decide("<1.ana@example.org>", False).status == "not sent"
    with pytest.raises(NotSent, match="nobody has approved"):
        send(outbox, box, outgoing())
    with pytest.raises(NotSent, match="a second mail"):  # the first may be there, whatever a person decided
        send(outbox, box, approve(outgoing(number=2, body="Other words.")))
    approve(outgoing())
    assert send(outbox, box, outgoing(message_id="<other@example.org>")).message_id == "<1.ana@example.org>"
    assert message_from_bytes(box.sent[0][1])["Message-ID"] == "<1.ana@example.org>"


def test_only_an_uncertain_mail_is_decided(made, outgoing):
    outbox = made()
    send(outbox, SimulatedMailbox(), outgoing())
    for message_id in ("<1.ana@example.org>", "<none@example.org>"):
        with pytest.raises(InvalidInput, match="uncertain mail of this run"):
            outbox.decide(message_id, False)
    assert statuses(outbox) == [("ana", "sent")]


def test_an_answer_that_cannot_be_kept_leaves_an_uncertain_mail(made, outgoing, path, monkeypatch):
    with Presence(path) as presence:
        outbox, box = made(presence=presence), SimulatedMailbox()
        with monkeypatch.context() as patch:
            patch.setattr(outbox, "_keep", lambda *_: (_ for _ in ()).throw(DiskFull("full")))
            with pytest.raises(DiskFull):
                send(outbox, box, outgoing())
        assert [one.person for one in outbox.uncertain()] == ["ana"]
        with pytest.raises(FateUnknown):
            send(outbox, box, outgoing())
    assert len(box.sent) == 1


def test_a_mail_that_is_being_sent_is_neither_uncertain_nor_sent_by_another_task(made, outgoing, path):
    box = SimulatedMailbox()

    async def both():
        with Presence(path) as presence:
            outbox, other = made(presence=presence), made(presence=presence)
            under_way, go_on, take = asyncio.Event(), asyncio.Event(), box.send

            async def slow(recipient, message):
                under_way.set()
                await go_on.wait()
                return await take(recipient, message)

            box.send = slow
            key = {"mail": 1, "day": 1, "person": "ana", "today": TODAY}
            first = asyncio.create_task(outbox.send(box, outgoing(), **key))
            await under_way.wait()
            assert other.uncertain() == []
            with pytest.raises(FateUnknown, match="at this moment"):
                await other.send(box, outgoing(), **key)
            go_on.set()
            return await first

    assert asyncio.run(both()).status == "sent"
    assert len(box.sent) == 1


@pytest.mark.parametrize(
    ("clearance", "why"),
    [
        (Clearance(), "dry run"),
        (Clearance(True, frozenset(), 9), "not on the list"),
        (Clearance(True, {"ben@example.org"}, 9), "not on the list"),
        (Clearance(True, LISTED, 0), "daily limit of 0"),
        (Clearance(True, LISTED), "daily limit of 0"),
    ],
)
def test_nothing_leaves_without_clearance(made, outgoing, approve, clearance, why):
    outbox, box = made(clearance=clearance), Pretending()
    with pytest.raises(NotSent, match=why):
        send(outbox, box, approve(outgoing()))
    assert box.sent == [] and outbox.posted() == []


def test_nothing_leaves_without_approval_of_the_exact_mail(made, outgoing, approve):
    outbox, box = made(), Pretending()
    approve(outgoing())
    for changed in (
        outgoing(body="Dear colleague, would 6 September suit you?"),
        outgoing(subject="A date in October"),
        outgoing(recipient="ben@example.org"),
    ):
        with pytest.raises(NotSent, match="nobody has approved"):
            send(outbox, box, changed)
    assert box.sent == []
    assert send(outbox, box, outgoing()).status == "sent"


def test_an_approval_is_for_one_mail(made, outgoing, approve):
    outbox, box = made(), Pretending()
    send(outbox, box, approve(outgoing()))
    with pytest.raises(NotSent, match="that approval was used"):
        send(outbox, box, outgoing(number=2), day=8)
    send(outbox, box, approve(outgoing(number=2)), day=8)
    assert len(box.sent) == 2


def test_a_mail_that_was_certainly_not_sent_gives_its_approval_back(made, outgoing, approve):
    outbox, box = made(), Pretending([NotSent("busy")])
    with pytest.raises(NotSent, match="busy"):
        send(outbox, box, approve(outgoing()))
    assert send(outbox, box, outgoing()).status == "sent"
    with pytest.raises(NotSent, match="nobody has approved"):
        send(outbox, box, outgoing(number=2), day=2)


def test_the_daily_limit_counts_what_may_have_left_from_the_account_over_all_runs(made, outgoing, approve):
    clearance = Clearance(True, LISTED, 2)
    send(made("one", clearance), Pretending(), approve(outgoing("ana"), "one"))
    with pytest.raises(FateUnknown):
        send(made("two", clearance), Pretending([FateUnknown("?")]), approve(outgoing("ben"), "two"), "ben")
    outbox, box = made("three", clearance), Pretending()
    third = approve(outgoing("eve"), "three")
    with pytest.raises(NotSent, match="daily limit of 2"):
        send(outbox, box, third, "eve")
    assert box.sent == []
    for days in (-1, 1):
        other = approve(outgoing("eve", 10 + days), "three")
        assert send(outbox, box, other, "eve", day=5 + days, today=TODAY + timedelta(days=days)).status == "sent"


def test_rehearsed_and_refused_mails_and_other_accounts_do_not_count(made, outgoing, approve):
    outbox = made(clearance=Clearance(True, LISTED, 1))
    send(outbox, SimulatedMailbox(), outgoing("ana"), "ana")
    with pytest.raises(NotSent):
        send(outbox, Pretending([NotSent("no")]), approve(outgoing("ben")), "ben")
    send(outbox, Pretending(), approve(outgoing("ben", 2, sender="other@example.org")), "ben", day=2)
    assert send(outbox, Pretending(), approve(outgoing("eve")), "eve").status == "sent"


def test_a_mail_that_another_sends_between_two_steps_is_not_sent_again(made, outgoing, monkeypatch):
    (outbox, other), box = (made() for _ in range(2)), SimulatedMailbox()
    claim = outbox._claim

    def late(wanted):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(send, other, box, outgoing()).result()
        return claim(wanted)

    monkeypatch.setattr(outbox, "_claim", late)
    assert send(outbox, box, outgoing()).status == "sent"
    assert len(box.sent) == 1


def test_the_limit_holds_where_two_are_prepared_before_either_is_sent(made, outgoing, approve, monkeypatch):
    outbox, other = (made(clearance=Clearance(True, LISTED, 1)) for _ in range(2))
    box, ben, claim = Pretending(), approve(outgoing("ben")), outbox._claim

    def late(wanted):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(send, other, box, ben, "ben").result()
        return claim(wanted)

    monkeypatch.setattr(outbox, "_claim", late)
    with pytest.raises(NotSent, match="daily limit of 1"):
        send(outbox, box, approve(outgoing("ana")))
    assert [to for to, _ in box.sent] == ["ben@example.org"]


BYPASSES = [
    "Ana@example.org", "ANA@EXAMPLE.ORG", "ana+list@example.org", "ana@example.org.", "ana@example.org ",
    " ana@example.org", "ana@example.org\n", "ana@example.org\r\nRCPT TO:<mal@evil.org>",
    "ana@example.org,mal@evil.org", "ana@example.org;mal@evil.org", "ana@example.org mal@evil.org",
    "mal@evil.org,ana@example.org", "Ana <ana@example.org>", "<ana@example.org>", "ana@example.org>,<mal@evil.org",
    '"ana@example.org" <mal@evil.org>', '"ana@example.org"@evil.org', "friends: ana@example.org, mal@evil.org;",
    "ana@example.org(mal@evil.org)", "ana@example.org@evil.org", "@evil.org:ana@example.org",
    "ana%evil.org@example.org", "evil.org!ana@example.org", "аna@example.org", "ana@exаmple.org", "ana＠example.org",
    "ana@example。org", "ana@ｅxample.org", "ana\u200b@example.org", "ana@example.org\u202e", "ana@\u212axample.org",
    "ana@[127.0.0.1]", "ana@sub.example.org", "ana@example.organisation", "mal@evil.org", "ana@example.org\x00", "",
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(BYPASSES)))
def test_no_spelling_reaches_anybody_who_is_not_on_the_list(made, outgoing, approve, number):
    outbox, box, address = made(clearance=Clearance(True, {"ana@example.org"}, 9)), Pretending(), BYPASSES[number]
    changed = outgoing(recipient=address)
    with pytest.raises((NotSent, InvalidInput)):
        send(outbox, box, approve(changed))
    assert box.sent == []
