"""The desk without a browser: what is kept, what comes again after a restart, and what is refused."""

import asyncio
import base64
import sys
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from support.desk import application
from support.desk import form as forms
from support.desk import work as works
from support.desk.application import ASK, DESK, SETUP, TAKE, Desk
from support.desk.work import SWEEP
from support.errors import FileInUse, InvalidInput
from support.labs import base
from support.mail.credentials import MailServers
from support.mail.mailbox import LIVE as REAL
from support.runs.study import Store
from support.seminar.artefacts import import_artefacts
from support.seminar.checkpoints import ALWAYS, AUTOMATIC
from support.seminar.data import scenario
from support.seminars import unlock
from support.seminars.journal import begin
from support.seminars.journal import names as names_in
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE

sys.path.insert(0, str(Path(__file__).parent.parent / "seminars"))
from live_servers import live
from seminar_playing import setup_of


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(base, "SETTLE", 0)
    monkeypatch.setattr(application, "PATIENCE", 0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


def worked(path, work, *names, **settings):
    """Work with a desk over a file with seminars of these names; by default one, where one is always asked."""

    async def run():
        for name in names or ("autumn",):
            if name not in names_in(path):
                begin(
                    path, name, setup_of(**{"delegation": ALWAYS} | settings).to_json()
                )
        desk = Desk(path)
        try:
            await until(lambda: desk.work.seminar or desk.work.error)
            desk.refresh()
            return await work(desk)
        finally:
            await desk.work.close()

    return asyncio.run(run())


async def until(found):
    for _ in range(10_000):
        if given := found():
            return given
        await asyncio.sleep(0.005)
    pytest.fail("nothing happened for a minute")


async def asked(desk, phase):
    """The form, once it asks for that; what is asked before is approved, and questions are left open."""
    while await until(lambda: desk.form.question or desk.work.error):
        assert not desk.work.error, desk.work.error
        now = desk.form.question.phase
        if now == phase:
            return desk.form
        await pressed(
            desk, desk.form.open_button if now == "flag" else desk.form.approve_button
        )


async def pressed(desk, button):
    """Press a button of the form, and wait until something came of it."""
    form, before = desk.form, desk.form.question
    form.error.value = ""
    button.click()
    await until(lambda: form.question is not before or form.error.value)


async def done(desk):
    """Let the day go to its end; questions are left open, everything else is approved."""
    while desk.work.playing:
        await until(lambda: desk.form.question or not desk.work.playing)
        if desk.form.question:
            flag = desk.form.question.phase == "flag"
            await pressed(
                desk, desk.form.open_button if flag else desk.form.rest_button
            )
    await asyncio.sleep(0)
    desk.refresh()


def day(desk):
    desk.desk.day_button.click()


def test_a_day_waits_for_each_decision_and_what_was_decided_is_in_the_chat(path):
    async def work(desk):
        assert (
            desk.tabs.selected_index == DESK
            and "begins Mon 16 Aug 2027" in desk.head.value
        )
        day(desk)
        form = await asked(desk, "plan")
        form.fields.children[1].value = "Because <b>I</b> say so."
        await pressed(desk, form.edit_button)
        await asked(desk, "action")
        desk.refresh()
        said = desk.desk.now.value
        assert (
            "Because &lt;b&gt;I&lt;/b&gt; say so." in said
            and "<b>I" not in said
            and "changed" in said
        )
        assert (
            "your decision" in desk.desk.said.value
            and "the action" in desk.desk.said.value
        )
        assert (
            "Day 1 of 29" in desk.head.value
            and "applies today" in desk.policies.items["begin"].text.value
        )
        await done(desk)
        assert (
            "Day 1 is over." in desk.desk.said.value
            and "Because &lt;b&gt;I" in desk.desk.past.value
        )
        [finished] = desk.work.seminar.finished
        assert [edit.what for edit in finished.edits] == ["plan"]

    worked(path, work)


def test_a_kernel_that_ends_in_the_middle_of_a_day_loses_nothing(path):
    async def first(desk):
        day(desk)
        form = await asked(desk, "plan")
        form.fields.children[1].value = "because of the holidays"
        await pressed(desk, form.edit_button)
        await pressed(desk, (await asked(desk, "action")).remove_button)
        form = await asked(desk, "action")
        return form.question.view.about, len(desk.work.seminar.entries)

    async def again(desk):
        await until(lambda: desk.work.seminar)
        desk.refresh()
        assert not desk.work.playing, "a page that opens does nothing by itself"
        assert desk.desk.day_button.description == "Go on with day 1"
        desk.desk.day_button.click()
        form = await asked(desk, "action")
        desk.refresh()
        assert "because of the holidays" in desk.desk.now.value
        assert "removed" in desk.desk.now.value
        return form.question.view.about, len(desk.work.seminar.entries)

    assert worked(path, first) == worked(path, again)


def test_the_seminar_that_was_worked_on_last_is_opened_and_what_was_waved_through_in_another_is_asked(
    path,
):
    async def chosen(desk):
        assert desk.work.seminar.name == "second", (
            "the newest, where nobody has worked on any"
        )
        day(desk)
        await done(desk)
        desk.switch.value = "first"
        await until(lambda: desk.work.seminar and desk.work.seminar.name == "first")
        day(desk)
        await until(lambda: desk.form.question or not desk.work.playing)
        assert desk.form.question.phase == "plan"

    async def found(desk):
        assert desk.work.seminar.name == "first"

    worked(path, chosen, "first", "second")
    worked(path, found, "first", "second")


def test_a_cell_that_runs_again_goes_on_with_the_seminar(path):
    async def work(desk):
        day(desk)
        await asked(desk, "plan")
        newer = Desk(path)
        await until(lambda: newer.work.seminar)
        newer.desk.day_button.click()
        await asked(newer, "plan")
        assert desk.work.seminar is None and "newer desk" in desk.work.error
        await newer.work.close()

    worked(path, work)


def test_a_seminar_that_another_window_has_open_is_worked_on_only_when_one_is_told_to(
    path,
):
    async def work(desk):
        day(desk)
        form = await asked(desk, "plan")
        with Seminar(path, "autumn", take_over=True) as elsewhere:
            await pressed(desk, form.approve_button)
            await until(lambda: desk.work.taken and not desk.work.playing)
            assert "was taken over by another window" in desk.work.error
            desk.do(desk._open("autumn"))
            await until(lambda: "is open in another window" in desk.work.error)
            desk.refresh()
            assert (
                desk.desk.here_button.layout.display == ""
                and desk.desk.day_button.layout.display == "none"
            )
            desk.desk.here_button.click()
            await until(lambda: desk.work.seminar)
            with pytest.raises(FileInUse, match="taken over"):
                await elsewhere.play()
        day(desk)
        await asked(desk, "plan")

    worked(path, work)


def test_a_policy_is_changed_in_place_and_deleted_by_a_second_click(path):
    async def work(desk):
        item = desk.policies.items["follow_up"]
        item.edit_button.click()
        await until(lambda: item.fields.children)
        item.field.value = "Leave a mail without an answer alone for four working days; after that, write again."
        desk.refresh()
        assert item.field.value.startswith("Leave"), (
            "what is typed is left alone when the page is drawn"
        )
        item.keep_button.click()
        await until(lambda: "four working days" in item.text.value)
        item.delete_button.click()
        await until(lambda: item.delete_button.description == "Delete for good")
        assert "follow_up" in desk.policies.items
        item.delete_button.click()
        await until(lambda: "follow_up" not in desk.policies.items)
        assert "follow_up" in [value for _, value in desk.policies.offered.options]

        text = desk.policies.field.value = "Students come before professors."
        desk.policies.add_button.click()
        await until(lambda: desk.policies.error.value)
        assert (
            "contradicts" in desk.policies.error.value
            and desk.policies.field.value == text
        )

    async def again(desk):
        return [policy.id for policy in desk.work.seminar.policies]

    worked(path, work)
    assert "follow_up" not in worked(path, again) and len(worked(path, again)) == 5


def test_a_rehearsal_plays_to_its_end_and_its_record_lies_in_the_store_once(path):
    async def work(desk):
        desk.desk.end_button.click()
        await until(lambda: desk.work.playing)
        await done(desk)
        assert (
            "The seminar is over" in desk.desk.said.value
            and "4 of 4 dates" in desk.head.value
        )
        desk.tabs.selected_index = TAKE
        desk.refresh()
        assert "lies in the store" in desk.take.left.value
        works.keep(desk.work.seminar)

    worked(path, work, delegation=AUTOMATIC)
    [(unit, record)] = Store(path).records(SWEEP)
    assert len(record.days) == 5 and '"mode": "rehearsal"' in unit.text


def test_what_one_takes_along_is_written_and_can_be_begun_with(path):
    async def work(desk):
        desk.policies.field.value = "Nothing is sent on Saturdays and Sundays."
        desk.policies.add_button.click()
        await until(lambda: len(desk.work.seminar.policies) == 7)
        desk.tabs.selected_index = TAKE
        desk.refresh()
        data = desk.take.left.value.split("base64,")[1].split('"')[0]
        desk.take.write_button.click()
        await until(lambda: desk.take.said.value)
        [file] = path.parent.glob("*artefacts_1.yaml")
        assert (
            base64.b64decode(data).decode() == file.read_text()
            and len(import_artefacts(file).policies) == 7
        )
        desk.take.next_button.click()
        await until(lambda: desk.tabs.selected_index == SETUP)
        desk.setup.name.control.value = "next"
        desk.setup.begin_button.click()
        await until(lambda: desk.work.seminar and desk.work.seminar.name == "next")
        assert len(desk.work.seminar.policies) == 7

    worked(path, work)


def test_a_seminar_is_closed_by_a_second_press_between_days_and_stays_so(path):
    async def work(desk):
        day(desk)
        await asked(desk, "plan")
        desk.tabs.selected_index = TAKE
        desk.take.end.first.click()
        desk.take.end.yes.click()
        await until(lambda: desk.take.error.value)
        assert "day 1 is being played" in desk.take.error.value
        await done(desk)
        desk.take.why.value = "the speakers have <b>moved</b>"
        desk.take.end.yes.click()
        await until(lambda: desk.work.seminar.closed)

    async def again(desk):
        assert (
            "The seminar is closed." in desk.desk.said.value
            and "&lt;b&gt;moved" in desk.desk.said.value
        )
        assert desk.desk.day_button.layout.display == "none" and desk.work.seminar.over
        with pytest.raises(InvalidInput, match="closed"):
            await desk.work.seminar.play()

    worked(path, work)
    worked(path, again)
    [(_, record)] = Store(path).records(SWEEP)
    assert (
        len(record.days) == 1
        and record.settings["closed"] == "the speakers have <b>moved</b>"
    )


def test_questions_are_answered_with_the_mails_so_far(path, monkeypatch):
    encoder = SimpleNamespace(encode=lambda texts: np.ones((len(texts), 1)))
    monkeypatch.setattr("support.analysis.embeddings.Encoder", lambda: encoder)

    async def work(desk):
        desk.tabs.selected_index = ASK
        desk.ask.field.value = "What did we write to Professor Tarrant last?"
        desk.ask.button.click()
        await until(lambda: desk.ask.error.value)
        assert "play a day first" in desk.ask.error.value
        day(desk)
        await done(desk)
        desk.ask.button.click()
        await until(lambda: "The mails that it rests on" in desk.ask.answer.value)
        assert "</bdi> to <bdi>Ngozi Tarrant</bdi>" in desk.ask.answer.value

    worked(path, work)


def test_an_error_of_a_day_is_shown_and_the_day_goes_on_from_there(path, monkeypatch):
    async def work(desk):
        day(desk)
        form = await asked(desk, "plan")
        seminar = desk.work.seminar
        act = type(seminar.run.organizer.role).act

        async def broken(*given):
            raise RuntimeError("the <i>line</i> broke")

        monkeypatch.setattr(type(seminar.run.organizer.role), "act", broken)
        form.approve_button.click()
        await until(lambda: desk.work.error and not desk.work.playing)
        desk.refresh()
        assert "the &lt;i&gt;line&lt;/i&gt; broke" in desk.desk.said.value
        assert desk.desk.day_button.description == "Go on with day 1"
        monkeypatch.setattr(type(seminar.run.organizer.role), "act", act)
        desk.policies.use(desk.work.seminar.policies.drop("vague"))
        day(desk)
        await asked(desk, "action")

    worked(path, work)


SERVERS = MailServers(
    "smtp.example.org",
    "imap.example.org",
    "noor@example.org",
    authserv="mx.example.org",
)


class Nowhere:
    """A mailbox that takes every mail."""

    kind = REAL

    def __init__(self):
        self.sent = []

    async def send(self, recipient, message):
        self.sent.append(recipient)
        return "250 taken"

    async def fetch(self, after=""):
        return []


def pretended(path, work, monkeypatch):
    """Work with a desk over a seminar whose mail would be real, on its first day."""
    mailbox, made = Nowhere(), Seminar.__init__
    monkeypatch.setattr(
        Seminar,
        "__init__",
        lambda self, *a, **k: made(self, *a, **{**k, "mailbox": mailbox}),
    )

    async def run():
        people = scenario("four").people
        told = {
            "mode": LIVE,
            "servers": SERVERS,
            "allowed": tuple(p.email for p in people),
            "daily_limit": 9,
        }
        begin(path, "real", setup_of(delegation=ALWAYS, **told).to_json())
        desk = Desk(path, today=lambda: date(2027, 8, 16))
        await until(lambda: desk.work.seminar or desk.work.error)
        desk.refresh()
        try:
            await work(desk, mailbox)
        finally:
            await desk.work.close()

    asyncio.run(run())


@pytest.mark.filterwarnings("ignore:Requiring AUTH", "ignore:Session.login_data")
def test_real_mail_goes_by_a_press_each_to_those_who_were_ticked_and_answers_come_in(
    path, tmp_path, monkeypatch
):
    monkeypatch.setattr(forms, "GLANCE", 0)

    async def work(setup, smtp, people):
        start = setup.scenario.start
        desk = Desk(path, today=lambda: start)
        page = desk.setup
        page.sending.mode.value, page.sending.limit.control.value = LIVE, 50
        for tick in page.sending.ticks.values():
            tick.value = True
        page.begin_button.click()
        await until(
            lambda: "a forger passes as one of the people" in page.summary.value
        )
        page.sending.unchecked.value = True
        page.sending.check_button.click()
        await until(lambda: "✓ Logged in" in page.sending.found.value)
        page.begin_button.click()
        await until(lambda: desk.work.seminar)
        desk.refresh()
        assert (
            "LIVE" in desk.head.value and desk.desk.end_button.layout.display == "none"
        )
        day(desk)
        form = await asked(desk, "plan")
        assert form.rest_button.description == "Approve today’s other actions"
        await pressed(desk, form.rest_button)
        for _ in setup.scenario.people:
            form = await asked(desk, "mail")
            address = setup.scenario.person(form.question.view.about).email
            assert form.approve_button.description == f"Approve and send to {address}"
            assert form.rest_button.layout.display == "none"
            await pressed(desk, form.approve_button)
        await done(desk)
        said = desk.desk.said.value
        assert (
            "<b>Day 1 is over.</b>" in said
            and "tomorrow" in said
            and desk.desk.day_button.layout.display == "none"
        )
        people.evening()
        desk.mail.check_button.click()
        await until(lambda: "came; read on the next day" in desk.mail.said.value)
        await desk.work.close()
        return {
            recipient
            for sender, (recipient,), _ in smtp.handler.taken
            if sender == setup.sender
        }

    with live(tmp_path) as (setup, _, smtp, people):
        assert asyncio.run(work(setup, smtp, people)) == set(setup.allowed)


def test_on_a_page_of_its_own_a_press_alone_sends_nothing_before_the_code_of_the_terminal(
    path, monkeypatch
):
    """Attack 2: whoever has a cookie reaches the kernel, and can press its buttons."""
    clock = [0.0]
    monkeypatch.setattr(forms, "GLANCE", 0)
    monkeypatch.setenv(unlock.CODE, "12345678")
    monkeypatch.setattr(unlock, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    async def work(desk, mailbox):
        day(desk)
        await pressed(desk, (await asked(desk, "plan")).rest_button)
        form = await asked(desk, "mail")
        assert form.code.layout.display == ""
        for clock[0], code, said in ((10, "", "not the code"), (20, "12345679", "not the code"),
                                     (21, "12345678", "wait a moment")):  # fmt: skip
            form.code.value = code
            await pressed(desk, form.approve_button)
            assert said in form.error.value and not form.code.value and not mailbox.sent
        clock[0], form.code.value = 30, " 12345678"
        await pressed(desk, form.approve_button)
        form = await asked(desk, "mail")
        assert form.code.layout.display == "none"
        for _ in range(3):
            await pressed(desk, (await asked(desk, "mail")).approve_button)
        await done(desk)
        assert len(mailbox.sent) == 4

    pretended(path, work, monkeypatch)


def test_mail_that_was_approved_before_a_reload_leaves_only_after_the_code(
    path, monkeypatch
):
    monkeypatch.setenv(unlock.CODE, "87654321")

    async def work(desk, mailbox):
        person = desk.work.seminar.setup.scenario.people[0]
        desk.work.seminar.workplace.outbox.approve(
            person.email, "A date", "Would the 5th suit you?"
        )
        desk.mail.refresh()
        assert desk.mail.code_row.layout.display == ""
        day(desk)
        await until(lambda: desk.work.error)
        assert "page Mail" in desk.work.error and not mailbox.sent
        for code in ("12345678", "87654321"):
            monkeypatch.setattr(unlock, "WRONG", 0)
            desk.mail.code.value = code
            desk.mail.code_button.click()
            await until(lambda: not desk.mail.code.value)
        assert desk.mail.lock.open and desk.mail.code_row.layout.display == "none"
        day(desk)
        await asked(desk, "plan")

    pretended(path, work, monkeypatch)


def test_a_key_that_is_held_down_sends_no_real_mail(path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(forms, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    async def work(desk, mailbox):
        day(desk)
        form = await asked(desk, "mail")
        for clock[0] in (0.5, 1.0, 1.5, 2.0):
            await pressed(desk, form.approve_button)
            assert "read it, then press again" in form.error.value and not mailbox.sent
        clock[0] = 3.0
        await pressed(desk, form.approve_button)
        assert not form.error.value

    pretended(path, work, monkeypatch)


def test_that_a_wish_changed_nothing_is_said(path):
    async def work(desk):
        day(desk)
        form = await asked(desk, "mail")
        assert forms.SAME not in form.context.value
        form.wish.value = "shorter"
        await pressed(desk, form.again_button)
        await until(lambda: form.question)
        assert forms.SAME in form.context.value and "made again" in form.head.value
        await pressed(desk, form.approve_button)
        await asked(desk, "mail")
        assert forms.SAME not in form.context.value

    worked(path, work)


def test_the_keyboard_goes_along_unless_somebody_types_elsewhere(path, monkeypatch):
    async def work(desk):
        focused = []
        monkeypatch.setattr(
            desk.desk.day_button, "focus", lambda: focused.append("day")
        )
        day(desk)
        form = await asked(desk, "plan")
        assert form.follow, "who has just begun the day is taken to the form"
        desk.policies.field.value = "Nothing"
        assert not form.follow, "who types elsewhere keeps the focus"
        await pressed(desk, form.approve_button)
        desk.refresh()
        assert form.follow and not focused
        await done(desk)
        desk.refresh()
        assert focused == ["day"], "when a day is over it stands on the next one"

    worked(path, work)


def test_a_file_that_is_damaged_is_told(tmp_path):
    path = tmp_path / "study.sqlite"
    path.write_bytes(b"no database " * 500)

    async def run():
        desk = Desk(path)
        return desk.note.value

    assert "study.sqlite" in asyncio.run(run())
