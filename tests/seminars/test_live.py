"""A whole seminar by real mail: SMTP to aiosmtpd, replies through Dovecot, TLS, a person's yes to every mail."""

import asyncio
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from live_servers import live
from seminar_playing import answered

from support.errors import FateUnknown
from support.seminar.records import MAIL
from support.seminar.reviewing import FLAG
from support.seminars.journal import begin
from support.seminars.seminar import Seminar

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH", "ignore:Session.login_data")


@pytest.fixture
def there(tmp_path):
    """Servers, an account in the environment, and the setup of a live seminar."""
    with live(tmp_path) as (setup, office, smtp, people):
        yield setup, office, smtp, people


def test_the_organiser_invites_respondents_answer_by_smtp_and_the_dates_are_filled(there, tmp_path):
    setup, office, smtp, people = there
    path = tmp_path / "study.sqlite"
    begin(path, "spring", setup.to_json())
    shown = []

    def look(question):
        if question.phase == MAIL:
            shown.append((question.view.about, question.view.item.subject, question.view.item.body))
        return "Yes, that is fine." if question.phase == FLAG else None

    async def go():
        day = 0
        with Seminar(path, "spring", today=lambda: setup.scenario.start + timedelta(days=day)) as seminar:
            for day in range(14):
                await answered(seminar, look)
                people.evening(day + 1, setup.scenario.start + timedelta(days=day), seminar.desk)
                if not seminar.desk.state.open:
                    break
            return seminar.desk, seminar.finished, seminar.workplace.inbox.all()

    desk, days, inbox = asyncio.run(go())
    assert not desk.state.open, "every date has a speaker"
    sent = [mail for day in days for mail in day.sent]
    assert len(sent) == len(smtp.handler.taken) - people.wrote == len(shown)
    assert {recipient for sender, (recipient,), _ in smtp.handler.taken if sender == setup.sender} <= set(setup.allowed)
    assert [kept.kind for kept in inbox if kept.person] == ["reply"] * sum(len(day.received) for day in days)
    assert all(">" not in mail.body for day in days for mail in day.received), "what they quoted is cut"
    ids = [i for person in setup.scenario.people for i in office.ids(person.email.partition("@")[0])]
    assert len(ids) == len(set(ids)) == len(sent)


@pytest.mark.parametrize("point", ["prepared", "claimed", "half the message", "answered", "kept"])
def test_a_seminar_killed_while_it_sends_sends_nothing_twice_and_lists_what_nobody_knows(there, tmp_path, point):
    setup, office, _, _ = there
    path, names = tmp_path / "study.sqlite", [person.name for person in setup.scenario.people]
    begin(path, "spring", setup.to_json())
    dying = Path(__file__).with_name("dying.py")
    died = subprocess.run([sys.executable, dying, path, "spring", point, "2"], capture_output=True, text=True)
    assert died.returncode == -signal.SIGKILL, died.stderr

    def delivered():
        return [i for person in setup.scenario.people for i in office.ids(person.email.partition("@")[0])]

    async def resume():
        with Seminar(path, "spring", today=lambda: setup.scenario.start) as seminar:
            await seminar.open()
            uncertain = seminar.uncertain
            for mail in uncertain:
                with pytest.raises(FateUnknown, match="decide"):
                    await answered(seminar)
                seminar.decide(mail.message_id, mail.message_id in delivered(), again=True)
            await answered(seminar)
            return uncertain, seminar.desk

    uncertain, desk = asyncio.run(resume())
    assert len(uncertain) == (point in ("claimed", "half the message", "answered"))
    assert len(delivered()) == len(set(delivered())) == len(names), "one for each, none twice"
    assert all(len(contact.mails) == 1 for contact in desk.state.contacts.values())
