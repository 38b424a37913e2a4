"""A whole seminar by real mail: SMTP to aiosmtpd, replies through Dovecot, TLS, a person's
yes to every mail."""

import asyncio
import itertools
import multiprocessing
import os
import signal
from datetime import timedelta

import pytest
from aiosmtplib.protocol import SMTPProtocol
from attacks.breaking import ANSWERED, HALF
from lines import NOTHING
from live_servers import live
from seminar_playing import answered

from support.errors import FateUnknown
from support.mail.outbox import Outbox
from support.seminar.records import MAIL
from support.seminars.journal import begin
from support.seminars.seminar import Seminar

pytestmark = pytest.mark.filterwarnings(
    "ignore:Requiring AUTH", "ignore:Session.login_data"
)


@pytest.fixture
def there(tmp_path):
    """Servers, an account in the environment, and the setup of a live seminar."""
    with live(tmp_path) as (setup, _, smtp, people):
        begin(tmp_path / "study.sqlite", "spring", setup.to_json())
        yield tmp_path / "study.sqlite", setup, smtp, people


def test_the_organiser_invites_people_answer_by_smtp_and_the_dates_are_filled(there):
    path, setup, smtp, people = there
    shown = []

    def look(question):
        if question.phase == "read":
            desk, mail = question.view
            assert mail.body == "Any of your dates would suit me.", "quotes are cut"
            offered = dict.fromkeys(map(str, desk.offered(mail.sender)), "can")
            return NOTHING | {"dates": offered}
        if question.phase == "review" and question.view[1] == MAIL:
            shown.extend(question.view[2])
        return None

    async def go():
        def today():
            return setup.scenario.start + timedelta(days=len(seminar.finished))

        with Seminar(path, "spring", today=today) as seminar:
            for _ in range(14):
                await answered(seminar, look)
                people.evening()
                if seminar.desk.books.settled:
                    break
            return (
                seminar.desk.books,
                seminar.finished,
                [seminar.inbox.of_day(n + 1) for n in range(14)],
            )

    books, days, inbox = asyncio.run(go())
    assert books.settled, "every date has a speaker, who knows it"
    sent = [mail for day in days for mail in day.sent]
    assert len(sent) == len(smtp.handler.taken) - people.wrote
    assert [(m.to, m.body) for m in sent] == [(d.person, d.body) for d in shown]
    ours = [to for sender, (to,), _ in smtp.handler.taken if sender == setup.sender]
    assert {*ours} <= {*setup.allowed}
    replies = sum(len(day.received) for day in days)
    assert sum(map(len, inbox)) == replies
    assert len(people.ids()) == len({*people.ids()}) == len(sent)


def end():
    """As a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def day_that_ends(path, start, point):
    """A process that plays the first day, with a person who approves all, until it is
    killed at its second mail."""
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
    there, point
):
    path, setup, _, people = there
    start = setup.scenario.start
    fork = multiprocessing.get_context("fork")
    playing = fork.Process(target=day_that_ends, args=(path, start, point))
    playing.start()
    playing.join(120)
    assert playing.exitcode == -signal.SIGKILL

    async def resume():
        with Seminar(path, "spring", today=lambda: start) as seminar:
            await seminar.open()
            (mail,) = seminar.uncertain
            with pytest.raises(FateUnknown, match="decide"):
                await answered(seminar)
            arrived = mail.message_id in people.ids()
            seminar.decide(mail.message_id, arrived, again=True)
            await answered(seminar)
            return arrived, seminar.desk.books.contacts.values()

    arrived, contacts = asyncio.run(resume())
    assert arrived == (point == ANSWERED)
    ids = people.ids()
    assert len(ids) == len({*ids}) == len(setup.scenario.people), "one each, none twice"
    assert all(len(contact.mails) == 1 for contact in contacts)
