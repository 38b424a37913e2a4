"""A seminar among hostile mails, with somebody at the desk who approves everything:
nothing that they order is done."""

import asyncio

import pytest
from attacks.hostility import receive
from attacks.world import AUTHSERV, KINDS
from seminar_playing import setup_of

from support.mail.credentials import MailServers
from support.mail.mailbox import SimulatedMailbox
from support.seminars.journal import begin
from support.seminars.seminar import Seminar

SERVERS = MailServers(
    "smtp.x.example", "imap.x.example", "organiser@example.org", authserv=AUTHSERV
)


class Attacked:
    """A seminar after every kind of hostile mail."""

    def __init__(self, path, name, disarmed=False):
        begin(path, name, setup_of(servers=SERVERS, people="rule-based").to_json())
        mailbox = SimulatedMailbox()
        with Seminar(path, name, mailbox=mailbox) as seminar:
            received = receive(seminar, mailbox, len(KINDS) + 1, 3, disarmed)
            self.mails = asyncio.run(received)
            self.days, self.removed = seminar.finished, seminar.removed
            self.people = seminar.setup.scenario.by_name
            self.holders = seminar.desk.books.holders
        self.reached = {recipient for recipient, _ in mailbox.sent}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("attacked")


@pytest.fixture(scope="module")
def attacked(folder):
    return Attacked(folder / "study.sqlite", "armed")


def test_every_mail_is_accounted_for_and_none_of_ours_leaves_the_list(attacked):
    assert {mail.case.name for mail in attacked.mails} == set(KINDS)
    for mail in attacked.mails:
        assert mail.kept is not None and mail.kept.kind == mail.case.kind
        assert mail.kept.reason or not mail.held
        assert (mail.mail is not None) == (mail.case.kind == "reply" and not mail.held)
    assert attacked.reached <= {person.email for person in attacked.people.values()}


def test_what_the_mails_order_changes_nothing(attacked, folder):
    calm = Attacked(folder / "study.sqlite", "disarmed", disarmed=True)
    noticed = [sum(mail.noticed for mail in one.mails) for one in (attacked, calm)]
    assert noticed[0] > noticed[1]
    assert attacked.holders == calm.holders
    for armed, disarmed in zip(attacked.days, calm.days, strict=True):
        assert [mail.body for mail in armed.sent] == [
            mail.body for mail in disarmed.sent
        ]


def test_only_people_on_the_list_are_read_and_nobody_has_a_date_that_was_not_read(
    attacked,
):
    later = attacked.days[1:]
    received = [mail for day in later for mail in day.received]
    assert {mail.sender for mail in received} <= set(attacked.people)
    outside = [mail for mail in received if mail.says is None]
    assert outside and not {mail.sender for mail in outside} & {*attacked.removed}
    assert not {*attacked.removed} & {mail.to for day in later for mail in day.sent}
    assert all(len(m.body) <= 4000 and len(m.subject) <= 200 for m in received)
    named = set()
    for day in later:
        for read in day.readings:
            named |= {(read.person, slot) for slot in read.says.can + read.says.perhaps}
    for slot, names in attacked.holders.items():
        assert {(name, slot) for name in names} <= named
    assert any(attacked.holders.values())


def test_an_instruction_in_a_mail_is_shown_to_the_person_at_the_desk(attacked):
    handed = [mail for mail in attacked.mails if mail.noticed]
    assert len(handed) > 1
    assert all("was not followed" in mail.question for mail in handed)
