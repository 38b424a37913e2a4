"""A seminar among hostile mails, with somebody at the desk who approves everything:
nothing that they order is done."""

import asyncio

import pytest
from attacks.forms import AUTHSERV
from attacks.hostility import receive
from seminar_playing import setup_of

from support.mail.credentials import MailServers
from support.mail.mailbox import SimulatedMailbox
from support.seminars.answering import play_days
from support.seminars.journal import begin
from support.seminars.seminar import Seminar

SERVERS = MailServers(
    "smtp.x.example", "imap.x.example", "organiser@example.org", authserv=AUTHSERV
)
DAYS = 6


class Attacked:
    """A seminar after every form of hostile mail, or after none."""

    def __init__(self, path, name, **attack):
        begin(path, name, setup_of(servers=SERVERS, people="rule-based").to_json())
        mailbox = SimulatedMailbox()
        with Seminar(path, name, mailbox=mailbox) as seminar:
            if attack:
                self.mails = asyncio.run(receive(seminar, mailbox, DAYS, **attack))
            else:
                asyncio.run(play_days(seminar, DAYS + 1))
            self.days, self.holders = seminar.finished, seminar.desk.books.holders
            self.people = {person.email for person in seminar.setup.scenario.people}
        self.reached = {recipient for recipient, _ in mailbox.sent}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("attacked") / "study.sqlite"


@pytest.fixture(scope="module")
def attacked(path):
    return Attacked(path, "armed", orders=True)


def done(seminar):
    """What was sent and given, and who was asked what."""
    acts = [[(mail.to, mail.body) for mail in day.sent] for day in seminar.days]
    return acts, seminar.holders, [day.flags for day in seminar.days]


def test_a_mail_is_held_or_handed_on_as_it_should_and_none_of_ours_leaves_the_list(
    attacked,
):
    for mail in attacked.mails:
        assert mail.held == bool(mail.form.why) == (mail.mail is None), mail.form.name
        assert mail.form.why in mail.kept.why
    assert attacked.reached <= attacked.people


def test_what_is_held_moves_nothing(path, attacked):
    held, calm = Attacked(path, "held", words=False), Attacked(path, "calm")
    assert done(held) == done(calm) != done(attacked)


def test_what_mails_order_changes_nothing(path, attacked):
    assert done(attacked) == done(Attacked(path, "disarmed", orders=False))
