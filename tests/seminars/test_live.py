"""A whole seminar by real mail: SMTP to aiosmtpd, replies through Dovecot, TLS, a person's
yes to every mail, and a process that is killed twice while it sends."""

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
from support.seminars.journal import begin
from support.seminars.seminar import Seminar

pytestmark = pytest.mark.filterwarnings(
    "ignore:Requiring AUTH", "ignore:Session.login_data"
)


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


async def decided(path, start, people):
    """Whether the one mail whose fate nobody knows arrived; a person looks, and says."""
    with Seminar(path, "spring", today=lambda: start) as seminar:
        await seminar.open()
        (mail,) = seminar.uncertain
        with pytest.raises(FateUnknown, match="decide"):
            await answered(seminar)
        arrived = mail.message_id in people.ids()
        seminar.decide(mail.message_id, arrived, again=True)
        return arrived


def can(question):
    """A person who reads in every reply that all of its writer's dates suit them."""
    if question.phase != "read":
        return None
    desk, mail = question.view
    assert mail.body == "Any of your dates would suit me.", "quotes are cut"
    offered = dict.fromkeys(map(str, desk.offered(mail.sender)), "can")
    return NOTHING | {"dates": offered}


async def to_its_end(path, start, people):
    """The seminar, when every date has a speaker who knows it."""

    def today():
        return start + timedelta(days=len(seminar.finished))

    with Seminar(path, "spring", today=today) as seminar:
        for _ in range(14):
            await answered(seminar, can)
            people.evening()
            if seminar.desk.books.settled:
                break
        return seminar.desk.books, seminar.finished, seminar.inbox.held()


def test_dates_are_filled_by_real_mail_and_a_killed_process_sends_nothing_twice(
    tmp_path,
):
    path = tmp_path / "study.sqlite"
    fork = multiprocessing.get_context("fork")
    with live(tmp_path) as (setup, _, smtp, people):
        start = setup.scenario.start
        begin(path, "spring", setup.to_json())
        for point in (HALF, ANSWERED):
            playing = fork.Process(target=day_that_ends, args=(path, start, point))
            playing.start()
            playing.join(120)
            assert playing.exitcode == -signal.SIGKILL
            arrived = asyncio.run(decided(path, start, people))
            assert arrived == (point == ANSWERED), "nobody knows it but a person"
        books, days, held = asyncio.run(to_its_end(path, start, people))
        ids = people.ids()

    assert books.settled, "every date has a speaker, who knows it"
    sent = [mail for day in days for mail in day.sent]
    assert len(ids) == len({*ids}) == len(sent), "each arrived, none twice"
    assert sum(len(day.received) for day in days) >= len(setup.scenario.people)
    assert len(held) == 1, "the mailbox's own welcome, which answers nothing"
    ours = [to for sender, (to,), _ in smtp.handler.taken if sender == setup.sender]
    assert {*ours} <= {*setup.allowed}
