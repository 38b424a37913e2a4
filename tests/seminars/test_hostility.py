"""A seminar among hostile mails, with somebody at the desk who approves everything: nothing that they order is done."""

import asyncio
import re

import pytest
from attacks.hostility import receive
from attacks.world import AUTHSERV, KINDS
from seminar_playing import setup_of

from support.desk import views
from support.mail.credentials import MailServers
from support.mail.mailbox import SimulatedMailbox
from support.mail.reading import read
from support.plots.mail import HANDLING
from support.seminars.journal import begin
from support.seminars.seminar import Seminar

SERVERS = MailServers(
    "smtp.x.example", "imap.x.example", "organiser@example.org", authserv=AUTHSERV
)


class Attacked:
    """A seminar after every kind of hostile mail, and what a test may look at when it is closed."""

    def __init__(self, path, name, disarmed=False):
        begin(path, name, setup_of(servers=SERVERS, people="rule-based").to_json())
        mailbox = SimulatedMailbox()
        with Seminar(path, name, mailbox=mailbox) as seminar:
            self.mails = asyncio.run(
                receive(seminar, mailbox, len(KINDS) + 1, 3, disarmed=disarmed)
            )
            self.desk, self.days, self.policies = (
                seminar.desk,
                seminar.finished,
                seminar.policies,
            )
            self.people, self.gone = (
                seminar.setup.scenario.by_name,
                seminar.workplace.removed,
            )
            self.posted, self.held = (
                seminar.workplace.outbox.sent(),
                seminar.workplace.inbox.held(),
            )
            self.reached = {recipient for recipient, _ in mailbox.sent}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("attacked")


@pytest.fixture(scope="module")
def attacked(folder):
    return Attacked(folder / "study.sqlite", "armed")


def test_every_mail_is_accounted_for_and_none_of_ours_leaves_the_list(attacked):
    mails = attacked.mails
    assert (
        set(mails["kind"]) == set(KINDS)
        and set(mails["handling"]) <= set(HANDLING)
        and mails["as_expected"].all()
    )
    assert (mails.loc[mails["handling"] == "held for a person", "reason"] != "").all()
    assert (
        (mails["handling"] == "handed on with a question")
        .eq(mails["question"] != "")
        .all()
    )
    assert attacked.reached <= {person.email for person in attacked.people.values()}


def test_what_the_mails_order_changes_nothing(attacked, folder):
    calm = Attacked(folder / "study.sqlite", "disarmed", disarmed=True)
    assert attacked.mails["noticed"].sum() > calm.mails["noticed"].sum()
    assert attacked.desk.state.slots == calm.desk.state.slots
    sent = [
        [[mail.body for mail in day.sent] for day in one.days]
        for one in (attacked, calm)
    ]
    assert sent[0] == sent[1]


def test_only_people_on_the_list_are_read_within_bounds_and_nobody_has_a_date_that_they_did_not_name(
    attacked,
):
    later = attacked.days[1:]
    received = [mail for day in later for mail in day.received]
    assert {mail.sender for mail in received} <= set(attacked.people) - set(
        attacked.gone
    )
    assert not set(attacked.gone) & {mail.to for day in later for mail in day.sent}
    assert received and all(
        len(mail.body) <= 4000 and len(mail.subject) <= 200 for mail in received
    )
    named = {
        (read.person, slot)
        for day in later
        for read in day.understood
        for slot in (*read.available, *read.vague)
    }
    holders = {
        (name, slot.isoformat())
        for slot, names in attacked.desk.state.slots.items()
        for name in names
    }
    assert holders and holders <= named


def test_an_instruction_in_a_mail_is_shown_to_the_person_at_the_desk(attacked):
    handed = attacked.mails[
        attacked.mails["noticed"] & (attacked.mails["handling"] != "held for a person")
    ]
    assert len(handed) > 1 and handed["question"].str.contains("was not followed").all()


TAGS = "script|img|iframe|svg|object|a|form|input|link"


def test_nothing_of_a_mail_becomes_markup(attacked):
    pages = [
        views.chat(attacked.days, attacked.policies),
        views.grid(attacked.desk),
        views.correspondence(
            attacked.desk, [flag for day in attacked.days for flag in day.flags]
        ),
        views.outbox(attacked.posted),
        *(views.held(read(kept.fetched), kept.reason) for kept in attacked.held),
    ]
    assert "owned" in "".join(pages), "the texts are there"
    for page in pages:
        assert not re.search(
            rf"<(?:{TAGS})\b|<[^>]*\s(?:on\w+|src|href)\s*=", page, re.IGNORECASE
        )
