"""A whole seminar by real mail: SMTP to aiosmtpd, replies through Dovecot, TLS, a person's yes to every mail."""

import asyncio
import itertools
import multiprocessing
import os
import signal
from datetime import timedelta

import pytest
from aiosmtplib.protocol import SMTPProtocol
from attacks.breaking import ANSWERED, HALF
from live_servers import live
from seminar_playing import answered

from support.errors import FateUnknown
from support.mail.outbox import Outbox
from support.seminar.records import MAIL
from support.seminar.reviewing import FLAG
from support.seminars.journal import begin
from support.seminars.seminar import Seminar

pytestmark = pytest.mark.filterwarnings(
    "ignore:Requiring AUTH", "ignore:Session.login_data"
)


@pytest.fixture
def there(tmp_path):
    """Servers, an account in the environment, and the setup of a live seminar."""
    with live(tmp_path) as (setup, office, smtp, people):
        yield setup, office, smtp, people


def test_the_organiser_invites_respondents_answer_by_smtp_and_the_dates_are_filled(
    there, tmp_path
):
    setup, office, smtp, people = there
    path = tmp_path / "study.sqlite"
    begin(path, "spring", setup.to_json())
    shown = []

    def look(question):
        if question.phase == MAIL:
            shown.append(
                (
                    question.view.about,
                    question.view.item.subject,
                    question.view.item.body,
                )
            )
        return "Yes, that is fine." if question.phase == FLAG else None

    async def go():
        start = setup.scenario.start
        with Seminar(
            path, "spring", today=lambda: start + timedelta(days=len(seminar.finished))
        ) as seminar:
            for _ in range(14):
                await answered(seminar, look)
                people.evening()
                if not seminar.desk.state.open:
                    break
            return seminar.desk, seminar.finished, seminar.workplace.inbox.all()

    desk, days, inbox = asyncio.run(go())
    assert not desk.state.open, "every date has a speaker"
    sent = [mail for day in days for mail in day.sent]
    assert len(sent) == len(smtp.handler.taken) - people.wrote == len(shown)
    assert {
        recipient
        for sender, (recipient,), _ in smtp.handler.taken
        if sender == setup.sender
    } <= set(setup.allowed)
    assert [kept.kind for kept in inbox if kept.person] == ["reply"] * sum(
        len(day.received) for day in days
    )
    assert all(">" not in mail.body for day in days for mail in day.received), (
        "what they quoted is cut"
    )
    ids = [
        i
        for person in setup.scenario.people
        for i in office.ids(person.email.partition("@")[0])
    ]
    assert len(ids) == len(set(ids)) == len(sent)


def end():
    """As a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def day_that_ends(path, start, point):
    """A process that plays the first day, with a person who approves all, until it is killed at its second mail."""
    write, keep, mails = SMTPProtocol.write, Outbox._keep, itertools.count(1)

    def half_of_it(self, data):
        second = data.endswith(b"\r\n.\r\n") and next(mails) == 2
        write(self, data[: len(data) // 2] if second else data)
        if second:
            end()

    def before_it_is_kept(self, *answer):
        if next(mails) == 2:
            end()
        keep(self, *answer)

    if point == HALF:
        SMTPProtocol.write = half_of_it
    else:
        Outbox._keep = before_it_is_kept
    with Seminar(path, "spring", today=lambda: start) as seminar:
        asyncio.run(answered(seminar))


@pytest.mark.parametrize("point", [HALF, ANSWERED])
def test_a_seminar_killed_while_it_sends_sends_nothing_twice_and_lists_what_nobody_knows(
    there, tmp_path, point
):
    setup, office, _, _ = there
    path, start = tmp_path / "study.sqlite", setup.scenario.start
    begin(path, "spring", setup.to_json())
    playing = multiprocessing.get_context("fork").Process(
        target=day_that_ends, args=(path, start, point)
    )
    playing.start()
    playing.join(120)
    assert playing.exitcode == -signal.SIGKILL

    def delivered():
        return [
            i
            for person in setup.scenario.people
            for i in office.ids(person.email.partition("@")[0])
        ]

    async def resume():
        with Seminar(path, "spring", today=lambda: start) as seminar:
            await seminar.open()
            (mail,) = seminar.uncertain
            with pytest.raises(FateUnknown, match="decide"):
                await answered(seminar)
            arrived = mail.message_id in delivered()
            seminar.decide(mail.message_id, arrived, again=True)
            await answered(seminar)
            return arrived, seminar.desk

    arrived, desk = asyncio.run(resume())
    assert arrived == (point == ANSWERED)
    assert len(delivered()) == len(set(delivered())) == len(setup.scenario.people), (
        "one for each, none twice"
    )
    assert all(len(contact.mails) == 1 for contact in desk.state.contacts.values())
