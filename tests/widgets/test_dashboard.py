"""The dashboard without a browser: what is kept, what comes again after a restart, and what is refused."""

import asyncio
import base64
from datetime import date
from types import SimpleNamespace

import ipywidgets as w
import pytest

from support.errors import FateUnknown
from support.labs import base as chat
from support.mail.credentials import MailServers
from support.mail.mailbox import LIVE as REAL
from support.runs.study import Store
from support.seminar.artefacts import Artefacts, import_artefacts, load_past, load_templates
from support.seminar.checkpoints import ALWAYS, AUTOMATIC
from support.seminar.data import scenario
from support.seminar.rules import load_policies
from support.seminars import unlock
from support.seminars.journal import begin
from support.seminars.journal import names as names_in
from support.seminars.seminar import Seminar
from support.seminars.setup import DRY_RUN, LIVE, SeminarSetup
from support.widgets.dashboard import application
from support.widgets.dashboard import form as forms
from support.widgets.dashboard import work as works
from support.widgets.dashboard.application import ASK, DESK, MAIL, SETUP, TAKE, Dashboard
from support.widgets.dashboard.filed import SWEEP


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(chat, "SETTLE", 0)
    monkeypatch.setattr(application, "PATIENCE", 0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


def setup_of(**settings):
    artefacts = Artefacts(load_policies("seed"), load_templates())
    given = {"people": "prompt", "delegation": ALWAYS} | settings
    return SeminarSetup(scenario("four"), artefacts, load_past(), **given)


def worked(path, work, *names, **settings):
    """Work with a dashboard over a file with seminars of these names; by default one, where one is always asked."""

    async def run():
        for name in names or ("autumn",):
            if name not in names_in(path):
                begin(path, name, setup_of(**settings).to_json())
        dashboard = Dashboard(path)
        try:
            await until(lambda: dashboard.work.seminar or dashboard.work.error)
            dashboard.refresh()
            return await work(dashboard)
        finally:
            await dashboard.work.close()

    return asyncio.run(run())


async def until(found):
    for _ in range(1000):
        if given := found():
            return given
        await asyncio.sleep(0.005)
    pytest.fail("nothing happened for seconds")


async def asked(dashboard, phase, about=None):
    """The form, once it asks for that; what is asked before is approved, and questions are left open."""

    def found():
        question = dashboard.form.question
        return question and question.phase == phase and about in (None, question.view.about)

    while not found():
        await until(lambda: dashboard.form.question or dashboard.work.error)
        assert not dashboard.work.error, dashboard.work.error
        if not found():
            flag = dashboard.form.question.phase == "flag"
            await pressed(dashboard, dashboard.form.open_button if flag else dashboard.form.approve_button)
    return dashboard.form


async def pressed(dashboard, button):
    """Press a button of the form, and wait until something came of it."""
    form, before = dashboard.form, dashboard.form.question
    form.error.value = ""
    button.click()
    await until(lambda: form.question is not before or form.error.value)


async def done(dashboard):
    """Let the day go to its end; questions are left open, everything else is approved."""
    while dashboard.work.playing:
        await until(lambda: dashboard.form.question or not dashboard.work.playing)
        if dashboard.form.question:
            flag = dashboard.form.question.phase == "flag"
            await pressed(dashboard, dashboard.form.open_button if flag else dashboard.form.rest_button)
    await asyncio.sleep(0)
    dashboard.refresh()


def day(dashboard):
    dashboard.desk.days.day_button.click()


def test_a_day_waits_for_each_decision_and_what_was_decided_is_in_the_chat(path):
    async def work(dashboard):
        assert dashboard.tabs.selected_index == DESK and "begins Mon 16 Aug 2027" in dashboard.head.value
        day(dashboard)
        form = await asked(dashboard, "plan")
        form.fields.children[1].value = "Because <b>I</b> say so."
        await pressed(dashboard, form.edit_button)
        await asked(dashboard, "action")
        dashboard.refresh()
        said = dashboard.desk.talk.now.value
        assert "Because &lt;b&gt;I&lt;/b&gt; say so." in said and "<b>I" not in said and "changed" in said
        assert "your decision" in dashboard.desk.days.said.value and "the action" in dashboard.desk.days.said.value
        assert "Day 1 of 29" in dashboard.head.value and "applies today" in dashboard.policies.items["begin"].text.value
        await done(dashboard)
        assert "Day 1" in dashboard.desk.days.said.value and "is over" in dashboard.desk.days.said.value
        [finished] = dashboard.work.seminar.finished
        assert [edit.what for edit in finished.edits] == ["plan"]

    worked(path, work)


def test_above_a_mail_stand_its_recipients_name_and_address(path):
    async def work(dashboard):
        day(dashboard)
        form = await asked(dashboard, "mail")
        name = form.question.view.about
        assert name in form.context.value and scenario("four").person(name).email in form.context.value
        assert form.approve_button.description == "Approve" and form.rest_button.layout.display == ""

    worked(path, work)


def test_a_kernel_that_ends_in_the_middle_of_a_day_loses_nothing(path):
    async def first(dashboard):
        day(dashboard)
        form = await asked(dashboard, "plan")
        form.fields.children[1].value = "because of the holidays"
        await pressed(dashboard, form.edit_button)
        await pressed(dashboard, (await asked(dashboard, "action")).remove_button)
        form = await asked(dashboard, "action")
        return form.question.view.about, len(dashboard.work.seminar.entries)

    async def again(dashboard):
        await until(lambda: dashboard.work.seminar)
        dashboard.refresh()
        assert not dashboard.work.playing, "a page that opens does nothing by itself"
        assert dashboard.desk.days.day_button.description == "Go on with day 1"
        dashboard.desk.days.day_button.click()
        form = await asked(dashboard, "action")
        dashboard.refresh()
        assert "because of the holidays" in dashboard.desk.talk.now.value
        assert "removed" in dashboard.desk.talk.now.value
        return form.question.view.about, len(dashboard.work.seminar.entries)

    assert worked(path, first) == worked(path, again)


def test_the_seminar_that_was_worked_on_last_is_opened(path):
    async def chosen(dashboard):
        dashboard.switch.value = "first"
        await until(lambda: dashboard.work.seminar and dashboard.work.seminar.name == "first")
        day(dashboard)
        await asked(dashboard, "plan")

    async def found(dashboard):
        return dashboard.work.seminar.name

    assert worked(path, found, "first", "second") == "second", "the newest, where nobody has worked on any"
    worked(path, chosen, "first", "second")
    assert worked(path, found, "first", "second") == "first"


def test_a_seminar_that_is_open_elsewhere_is_taken_over_on_request_only(path):
    begin(path, "autumn", setup_of().to_json())
    with Seminar(path, "autumn") as other:

        async def run():
            dashboard = Dashboard(path)
            await until(lambda: dashboard.work.taken)
            dashboard.refresh()
            assert dashboard.work.seminar is None and "open in another window" in dashboard.desk.days.said.value
            assert dashboard.desk.days.here_button.layout.display == ""
            dashboard.desk.days.here_button.click()
            await until(lambda: dashboard.work.seminar)
            dashboard.refresh()
            assert dashboard.desk.days.here_button.layout.display == "none"
            await other.open()
            with pytest.raises(Exception, match="taken over"):
                other.set_policies(load_policies("seed"))
            await dashboard.work.close()

        asyncio.run(run())


def test_who_was_taken_over_from_is_told_and_can_take_it_back(path):
    async def work(dashboard):
        day(dashboard)
        form = await asked(dashboard, "plan")
        with Seminar(path, "autumn", take_over=True):
            form.approve_button.click()
            await until(lambda: dashboard.work.taken)
            dashboard.refresh()
            assert "taken over" in dashboard.desk.days.said.value and form.question is None
        dashboard.desk.days.here_button.click()
        await until(lambda: dashboard.work.seminar)
        dashboard.desk.days.day_button.click()
        await asked(dashboard, "plan")  # what was approved meanwhile was not kept: it is asked again

    worked(path, work)


def test_a_cell_that_runs_again_goes_on_with_the_seminar(path):
    async def work(dashboard):
        day(dashboard)
        await asked(dashboard, "plan")
        newer = Dashboard(path)
        await until(lambda: newer.work.seminar)
        newer.desk.days.day_button.click()
        await asked(newer, "plan")
        assert dashboard.work.seminar is None and "newer dashboard" in dashboard.work.error
        await newer.work.close()

    worked(path, work)


def test_a_policy_that_is_added_holds_from_the_next_step_on(path):
    async def work(dashboard):
        dashboard.policies.field.value = "After one mail without an answer, stop writing."
        assert "Understood" in dashboard.policies.heard.value
        day(dashboard)
        await asked(dashboard, "plan")
        dashboard.policies.add_button.click()
        await until(lambda: len(dashboard.work.seminar.policies) == 7 or dashboard.policies.error.value)
        return dashboard.policies.error.value, [policy.text for policy in dashboard.work.seminar.policies]

    error, texts = worked(path, work)
    if error:
        assert "contradicts" in error
    else:
        assert texts[-1].startswith("After one mail")


def test_a_policy_that_contradicts_another_is_refused_and_stays_in_the_field(path):
    text = "Leave a mail without an answer alone for nine working days; after that, write again."

    async def work(dashboard):
        dashboard.policies.field.value = text
        dashboard.policies.add_button.click()
        await until(lambda: dashboard.policies.error.value)
        assert "contradicts" in dashboard.policies.error.value and dashboard.policies.field.value == text
        assert len(dashboard.work.seminar.policies) == 6

    worked(path, work)


def test_a_policy_is_changed_in_place_and_deleted_by_a_second_click(path):
    async def work(dashboard):
        item = dashboard.policies.items["follow_up"]
        item.edit_button.click()
        await until(lambda: item.fields.children)
        item.field.value = "Leave a mail without an answer alone for four working days; after that, write again."
        dashboard.refresh()
        assert item.field.value.startswith("Leave"), "what is typed is left alone when the page is drawn"
        item.keep_button.click()
        await until(lambda: "four working days" in item.text.value)
        item.delete_button.click()
        await until(lambda: item.delete_button.description == "Delete for good")
        assert "follow_up" in dashboard.policies.items
        item.delete_button.click()
        await until(lambda: "follow_up" not in dashboard.policies.items)
        assert "follow_up" in [value for _, value in dashboard.policies.offered.options]

    async def again(dashboard):
        return [policy.id for policy in dashboard.work.seminar.policies]

    worked(path, work)
    assert "follow_up" not in worked(path, again)


def test_the_answer_to_a_flag_becomes_a_policy_that_holds_at_once(path):
    async def work(dashboard):
        day(dashboard)
        await done(dashboard)
        day(dashboard)
        form = await asked(dashboard, "flag")
        form.answer_field.value, form.keep.value = "Yes, gladly.", True
        await pressed(dashboard, form.answer_button)
        assert [p.text for p in dashboard.work.seminar.policies][-1].endswith("Yes, gladly.")
        await done(dashboard)
        assert dashboard.work.seminar.artefacts.hooks[0].answer == "Yes, gladly."

    worked(path, work)


def test_a_rehearsal_plays_to_its_end_and_its_record_lies_in_the_store_once(path):
    async def work(dashboard):
        dashboard.desk.days.end_button.click()
        await until(lambda: dashboard.work.playing)
        await done(dashboard)
        assert "The seminar is over" in dashboard.desk.days.said.value and "4 of 4 dates" in dashboard.head.value
        dashboard.tabs.selected_index = TAKE
        dashboard.refresh()
        assert "lies in the store" in dashboard.take.record.value
        works.filed.keep(dashboard.work.seminar)

    worked(path, work, delegation=AUTOMATIC)
    [(unit, record)] = Store(path).records(SWEEP)
    assert len(record.days) == 5 and '"mode": "rehearsal"' in unit.text


def test_what_one_takes_along_is_written_and_can_be_begun_with(path):
    async def work(dashboard):
        dashboard.policies.field.value = "Nothing is sent on Saturdays and Sundays."
        dashboard.policies.add_button.click()
        await until(lambda: len(dashboard.work.seminar.policies) == 7)
        dashboard.tabs.selected_index = TAKE
        dashboard.refresh()
        data = dashboard.take.link.value.split("base64,")[1].split('"')[0]
        dashboard.take.write_button.click()
        await until(lambda: dashboard.take.said.value)
        [file] = path.parent.glob("*artefacts_1.yaml")
        assert base64.b64decode(data).decode() == file.read_text() and len(import_artefacts(file).policies) == 7
        dashboard.take.next_button.click()
        await until(lambda: dashboard.tabs.selected_index == SETUP)
        dashboard.setup.name.control.value = "next"
        dashboard.setup.begin_button.click()
        await until(lambda: dashboard.work.seminar and dashboard.work.seminar.name == "next")
        assert len(dashboard.work.seminar.policies) == 7

    worked(path, work)


def test_a_name_that_is_taken_is_refused_on_the_page_setup(path):
    async def work(dashboard):
        dashboard.tabs.selected_index = SETUP
        dashboard.setup.name.control.value = "autumn"
        dashboard.setup.begin_button.click()
        await asyncio.sleep(0.2)
        assert dashboard.tabs.selected_index == SETUP and dashboard.setup.name.control.value == "autumn"
        assert names_in(path) == ["autumn"]

    worked(path, work)


def test_questions_are_answered_over_the_mails_so_far(path):
    class Answers:
        kind = "test"

        async def answer(self, question, desk):
            from support.seminar.answering import Told

            return Told(f"{question} {len(desk.mails)}", (1,))

    async def work(dashboard):
        dashboard.tabs.selected_index = ASK
        dashboard.log.answerer = Answers()
        dashboard.log.field.value = "How many?"
        dashboard.log.button.click()
        await until(lambda: dashboard.log.error.value)
        assert "play a day first" in dashboard.log.error.value
        day(dashboard)
        await done(dashboard)
        dashboard.log.button.click()
        await until(lambda: "How many? 4" in dashboard.log.answer.value)

    worked(path, work)


def test_an_error_of_a_day_is_shown_and_the_day_goes_on_from_there(path, monkeypatch):
    async def work(dashboard):
        day(dashboard)
        form = await asked(dashboard, "plan")
        seminar = dashboard.work.seminar
        act = type(seminar.run.organizer.role).act

        async def broken(*given):
            raise RuntimeError("the <i>line</i> broke")

        monkeypatch.setattr(type(seminar.run.organizer.role), "act", broken)
        form.approve_button.click()
        await until(lambda: dashboard.work.error and not dashboard.work.playing)
        dashboard.refresh()
        assert "the &lt;i&gt;line&lt;/i&gt; broke" in dashboard.desk.days.said.value
        assert dashboard.desk.days.day_button.description == "Go on with day 1"
        monkeypatch.setattr(type(seminar.run.organizer.role), "act", act)
        dashboard.policies.use(dashboard.work.seminar.policies.drop("vague"))
        day(dashboard)
        await asked(dashboard, "action")

    worked(path, work)


def test_mails_of_unknown_fate_lead_to_the_page_mail(path, monkeypatch):
    async def work(dashboard):
        async def unknown():
            raise FateUnknown("1 mails may have been sent or not; decide about them first")

        monkeypatch.setattr(dashboard.work.seminar, "play", unknown)
        day(dashboard)
        await until(lambda: dashboard.work.unsure and not dashboard.work.playing)
        dashboard.refresh()
        assert "page Mail" in dashboard.desk.days.said.value
        dashboard.desk.days.mail_button.click()
        assert dashboard.tabs.selected_index == MAIL

    worked(path, work)


SERVERS = MailServers("smtp.example.org", "imap.example.org", "noor@example.org", authserv="mx.example.org")


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


def live(path, work, monkeypatch):
    """Work with a dashboard over a seminar whose mail would be real, on its first day."""
    mailbox, made = Nowhere(), Seminar.__init__
    monkeypatch.setattr(Seminar, "__init__", lambda self, *a, **k: made(self, *a, **{**k, "mailbox": mailbox}))

    async def run():
        people = scenario("four").people
        told = {"mode": LIVE, "servers": SERVERS, "allowed": tuple(p.email for p in people), "daily_limit": 9}
        begin(path, "real", setup_of(**told).to_json())
        dashboard = Dashboard(path, today=lambda: date(2027, 8, 16))
        await until(lambda: dashboard.work.seminar or dashboard.work.error)
        dashboard.refresh()
        try:
            await work(dashboard, mailbox)
        finally:
            await dashboard.work.close()

    asyncio.run(run())


def test_every_real_mail_needs_a_press_of_its_own_that_names_the_address(path, monkeypatch):
    monkeypatch.setattr(forms, "GLANCE", 0)

    async def work(dashboard, mailbox):
        assert "LIVE" in dashboard.head.value and dashboard.desk.days.end_button.layout.display == "none"
        day(dashboard)
        form = await asked(dashboard, "plan")
        assert form.rest_button.description == "Approve today’s other actions"
        await pressed(dashboard, form.rest_button)
        for _ in range(4):
            form = await asked(dashboard, "mail")
            address = scenario("four").person(form.question.view.about).email
            assert form.approve_button.description == f"Approve and send to {address}"
            assert form.rest_button.layout.display == "none"
            await pressed(dashboard, form.approve_button)
        await done(dashboard)
        assert not dashboard.work.error and len(mailbox.sent) == 4

    live(path, work, monkeypatch)


def test_on_a_page_of_its_own_a_press_alone_sends_nothing_before_the_code_of_the_terminal(path, monkeypatch):
    """Attack 2: whoever has a cookie reaches the kernel, and can press its buttons."""
    clock = [0.0]
    monkeypatch.setattr(forms, "GLANCE", 0)
    monkeypatch.setenv(unlock.CODE, "12345678")
    monkeypatch.setattr(unlock, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    async def work(dashboard, mailbox):
        day(dashboard)
        await pressed(dashboard, (await asked(dashboard, "plan")).rest_button)
        form = await asked(dashboard, "mail")
        assert form.code_field.layout.display == ""
        for clock[0], code, said in ((10, "", "not the code"), (20, "12345679", "not the code"),
                                     (21, "12345678", "wait a moment")):  # fmt: skip
            form.code_field.value = code
            await pressed(dashboard, form.approve_button)
            assert said in form.error.value and not form.code_field.value and not mailbox.sent
        clock[0], form.code_field.value = 30, " 12345678"
        await pressed(dashboard, form.approve_button)
        form = await asked(dashboard, "mail")
        assert form.code_field.layout.display == "none"
        for _ in range(3):
            await pressed(dashboard, (await asked(dashboard, "mail")).approve_button)
        await done(dashboard)
        assert len(mailbox.sent) == 4

    live(path, work, monkeypatch)


def test_the_second_of_two_clicks_sends_no_real_mail_unread(path, monkeypatch):
    monkeypatch.setattr(forms, "GLANCE", 3600)

    async def work(dashboard, mailbox):
        day(dashboard)
        form = await asked(dashboard, "mail")
        await pressed(dashboard, form.approve_button)
        assert "read it, then press again" in form.error.value and form.question is not None and not mailbox.sent

    live(path, work, monkeypatch)


def test_a_key_that_is_held_down_sends_no_real_mail(path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(forms, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    async def work(dashboard, mailbox):
        day(dashboard)
        form = await asked(dashboard, "mail")
        for clock[0] in (0.5, 1.0, 1.5, 2.0):
            await pressed(dashboard, form.approve_button)
            assert "read it, then press again" in form.error.value and not mailbox.sent
        clock[0] = 3.0
        await pressed(dashboard, form.approve_button)
        assert not form.error.value

    live(path, work, monkeypatch)


def test_before_a_live_seminar_begins_its_first_day_is_said(path, monkeypatch):
    async def work(dashboard, mailbox):
        dashboard.work.seminar.today = lambda: date(2027, 8, 14)
        dashboard.refresh()
        said = dashboard.desk.days.said.value
        assert "The first day of work is Monday, 16 August 2027" in said and "given" not in said

    live(path, work, monkeypatch)


def test_that_a_wish_changed_nothing_is_said(path):
    async def work(dashboard):
        day(dashboard)
        form = await asked(dashboard, "mail")
        assert forms.SAME not in form.context.value
        form.wish.value = "shorter"
        await pressed(dashboard, form.again_button)
        await until(lambda: form.question)
        assert forms.SAME in form.context.value and "made again" in form.head.value
        await pressed(dashboard, form.approve_button)
        await asked(dashboard, "mail")
        assert forms.SAME not in form.context.value

    worked(path, work)


def test_when_a_day_is_over_the_keyboard_stands_on_the_next_one(path, monkeypatch):
    async def work(dashboard):
        focused = []
        monkeypatch.setattr(dashboard.desk.days.day_button, "focus", lambda: focused.append("day"))
        day(dashboard)
        await asked(dashboard, "plan")
        dashboard.refresh()
        assert not focused
        await done(dashboard)
        dashboard.refresh()
        assert focused == ["day"]

    worked(path, work)


def test_a_live_day_that_was_begun_goes_on_only_when_told(path, monkeypatch):
    async def work(dashboard, mailbox):
        day(dashboard)
        await asked(dashboard, "plan")
        await dashboard.work.open("real")
        dashboard.refresh()
        assert not dashboard.work.playing and dashboard.desk.days.day_button.description == "Go on with day 1"

    live(path, work, monkeypatch)


def test_a_day_of_a_live_seminar_is_that_of_the_calendar(path, monkeypatch):
    async def work(dashboard, mailbox):
        day(dashboard)
        form = await asked(dashboard, "plan")
        await pressed(dashboard, form.remove_button)
        await done(dashboard)
        said = dashboard.desk.days.said.value
        assert "<b>Day 1</b> is over." in said and "tomorrow" in said and "given" not in said
        assert dashboard.desk.days.day_button.layout.display == "none"

    live(path, work, monkeypatch)


def test_a_dry_run_says_how_replies_come(path):
    async def work(dashboard):
        dashboard.refresh()
        assert "DRY RUN" in dashboard.head.value and "put replies into the folder" in dashboard.desk.days.said.value
        assert dashboard.desk.days.end_button.layout.display == "none"

    worked(path, work, mode=DRY_RUN)


def test_what_was_waved_through_in_one_seminar_is_asked_in_another(path):
    async def work(dashboard):
        day(dashboard)
        await done(dashboard)
        dashboard.switch.value = "first"
        await until(lambda: dashboard.work.seminar and dashboard.work.seminar.name == "first")
        day(dashboard)
        await until(lambda: dashboard.form.question or not dashboard.work.playing)
        assert dashboard.form.question.phase == "plan"

    worked(path, work, "first", "second")


def test_nobody_types_in_vain_while_another_question_comes(path):
    async def work(dashboard):
        day(dashboard)
        await asked(dashboard, "plan")
        assert dashboard.form.follow, "who has just begun the day is taken to the form"
        dashboard.policies.field.value = "Nothing"
        assert not dashboard.form.follow, "who types elsewhere keeps the focus"
        await pressed(dashboard, dashboard.form.approve_button)
        assert dashboard.form.follow

    worked(path, work)


def test_a_file_that_is_damaged_is_told(tmp_path):
    path = tmp_path / "study.sqlite"
    path.write_bytes(b"no database " * 500)

    async def run():
        dashboard = Dashboard(path)
        return dashboard.note.value

    assert "study.sqlite" in asyncio.run(run())


def test_what_is_shown_is_sent_again_and_what_somebody_types_is_not(monkeypatch):
    sent = []
    monkeypatch.setattr(w.Widget, "send_state", lambda widget, key=None: sent.append((type(widget).__name__, key)))
    application.send_again(
        w.VBox([w.HTML("8 policies"), w.HBox([w.Button(description="Keep"), w.Textarea("half a sentence")])])
    )
    assert set(sent) == {("HTML", "value"), ("Button", "description"), ("HBox", "children"), ("VBox", "children")}
