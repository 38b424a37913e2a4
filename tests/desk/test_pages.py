"""A seminar's mail, people, templates and end while it runs: what only a person can say is asked, and it is kept."""

import asyncio
from contextlib import suppress
from email.message import EmailMessage

import ipywidgets as w
import pytest

from support.desk import fields
from support.desk.pages import MailPage, PeoplePage
from support.desk.writing import TemplatesPage
from support.errors import FateUnknown, InvalidInput
from support.mail.credentials import MailServers
from support.mail.simulated import SimulatedMailbox
from support.seminar.artefacts import Artefacts, Template, load_past, load_templates
from support.seminar.checkpoints import ALWAYS, AUTOMATIC
from support.seminar.data import scenario
from support.seminar.records import MAIL, PLAN
from support.seminar.rules import load_policies
from support.seminar.views import AGAIN, APPROVE, REMOVE, Review
from support.seminars.journal import begin
from support.seminars.seminar import Seminar
from support.seminars.setup import DRY_RUN, LIVE, OWN_ADDRESS, SeminarSetup

EVIL = '<script>alert(1)</script><img src=x onerror=alert(1)>" onmouseover="x $$x$$'
RUNNERS = []


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No waiting for late letters, and one loop for the whole of a test."""
    monkeypatch.setattr(fields, "SETTLE", 0)
    with asyncio.Runner() as runner:
        RUNNERS.append(runner)
        yield
        RUNNERS.pop()


def run(what):
    return RUNNERS[-1].run(what)


@pytest.fixture
def opened(tmp_path):
    """A function from a mailbox and settings to an open seminar; without a name it is a new one."""
    made = []

    def open_one(mailbox=None, name="", **settings):
        path = tmp_path / "study.sqlite"
        given = {"people": "prompt", "delegation": AUTOMATIC, "seed": 3} | settings
        artefacts = Artefacts(load_policies(), load_templates())
        if not name:
            name = f"seminar {len(made)}"
            begin(path, name, SeminarSetup(scenario("four"), artefacts, load_past(), **given).to_json())
        made.append(Seminar(path, name, mailbox=mailbox))
        return made[-1]

    yield open_one
    for seminar in made:
        with suppress(Exception):  # a test may have closed it
            seminar.close()


def pressed(*buttons):
    async def press():
        for button in buttons:
            button.click()
            for _ in range(50):
                await asyncio.sleep(0)

    run(press())


def button(view, words):
    """The buttons of these words below a widget."""
    found = [view] if isinstance(view, w.Button) and view.description == words else []
    return found + [one for child in getattr(view, "children", ()) for one in button(child, words)]


def html(widget):
    """All that stands below a widget and is not hidden."""
    if widget.layout.display == "none":
        return ""
    return widget.value if isinstance(widget, w.HTML) else "".join(map(html, getattr(widget, "children", ())))


def message(sender, subject="Hello", body="Hello.", **headers):
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = sender, OWN_ADDRESS, subject
    made["Message-ID"] = f"<{subject[:3]}{len(body)}@x.org>"
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(body)
    return bytes(made)


def played(seminar, answer=lambda question: ""):
    """A day; what is asked is answered by a function, by default left open."""

    async def play():
        day = asyncio.ensure_future(seminar.play())
        while not day.done():
            asked = asyncio.ensure_future(seminar.questions.get())
            await asyncio.wait({asked, day}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
            if asked.done():
                asked.result().answer(answer(asked.result()))
            else:
                asked.cancel()
                break
        return await asyncio.wait_for(day, 20)

    return run(play())


def page_of(kind, seminar):
    return kind(lambda: seminar, lambda: None)


# ---- mail -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("words", "copies"), [("It arrived", 0), ("It did not arrive: send it again", 1)])
def test_an_uncertain_mail_stands_first_and_is_settled_as_it_was_pressed(opened, words, copies, monkeypatch):
    fate = FateUnknown("the connection broke <b>after</b> the last dot")
    seminar = opened(SimulatedMailbox([None, fate]))
    with pytest.raises(FateUnknown):
        played(seminar)
    page = page_of(MailPage, seminar)
    [mail] = seminar.uncertain
    shown = html(page.view)
    assert "the connection broke &lt;b&gt;after&lt;/b&gt; the last dot" in shown and mail.recipient in shown
    assert shown.index("Uncertain: decide first") < shown.index("Mails out")

    def refused(self, name, arrived, *, again=False):
        raise InvalidInput("message_id: <b>settled</b> in another window")

    with monkeypatch.context() as other:
        other.setattr(Seminar, "decide", refused)
        pressed(*button(page.view, words))
    assert "&lt;b&gt;settled&lt;/b&gt; in another window" in html(page.view)
    pressed(*button(page.view, words))
    assert seminar.uncertain == [] and "Uncertain" not in html(page.view) and "settled" in page.said.value
    played(seminar)
    again = [raw for to, raw in seminar.workplace.mailbox.sent if to == mail.recipient]
    assert len(again) == copies and all(mail.message_id.encode() in raw for raw in again)


def test_a_held_mail_is_shown_as_text_and_is_read_as_theirs_who_claim_it(opened):
    box = SimulatedMailbox()
    seminar = opened(box)
    played(seminar)
    raw = EmailMessage()
    raw["From"], raw["To"], raw["Subject"] = f'"{EVIL[:24]}" <eve@elsewhere.example>', OWN_ADDRESS, EVIL
    raw.set_content(f"2027-09-15 suits me.\n{EVIL}")
    raw.add_attachment(b"x", maintype="application", subtype="zip", filename="dates<b>.zip")
    for one in (bytes(raw), *(message("eve@elsewhere.example", f"{k:03}", "x" * k) for k in range(25))):
        box.deliver(one)
    played(seminar)
    page = page_of(MailPage, seminar)
    shown = html(page.view)
    assert "&lt;script&gt;" in shown and "<script" not in shown and "<img" not in shown and "not opened" in shown
    assert len(button(page.view, "Leave it out")) == 20 and "6 more follow" in shown
    release, second = button(page.view, "It is from them")[0], button(page.view, "Leave it out")[1]
    pressed(release)
    assert "nobody is chosen" in html(page.view) and len(seminar.workplace.inbox.held()) == 26
    whose = next(iter(page.held.shown.values())).children[1].children[0]
    whose.value = name = seminar.setup.scenario.people[0].name
    page.refresh()
    assert whose.value == name, "a refresh leaves what was chosen"
    pressed(release, second)
    assert len(seminar.workplace.inbox.held()) == 24
    assert any(mail.sender == name and "2027-09-15 suits me." in mail.body for mail in played(seminar).received)


BOUNCED = """From: MAILER-DAEMON@mx.example.org
To: {own}
Subject: Undelivered
Message-ID: <b{n}@mx.example.org>
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="x"

--x
Content-Type: text/plain

No such user.
--x
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; {to}
Action: failed
Status: 5.1.1

--x
Content-Type: text/rfc822-headers

Message-ID: {id}

--x--
"""


def test_mail_is_checked_at_once_and_one_that_came_back_is_a_question(opened):
    box = SimulatedMailbox()
    seminar = opened(box, mode=DRY_RUN)
    played(seminar)
    sent = seminar.workplace.outbox.posted()[0]
    page = page_of(MailPage, seminar)
    pressed(page.check_button)
    assert "Nothing new has come" in page.said.value
    away = message(sent.recipient, "Away", "Not <b>here.", Auto_Submitted="auto-replied", In_Reply_To=sent.message_id)
    for raw in (away, *(BOUNCED.format(own=OWN_ADDRESS, to=sent.recipient, id=sent.message_id, n=n).encode()
                        for n in range(2))):  # fmt: skip
        box.deliver(raw)
    pressed(page.check_button)
    shown = html(page.view)
    assert "3 mails came" in shown and "Automatic answers: 1" in shown and "Came back undelivered: 2" in shown
    day = played(seminar, lambda question: "Write to her other address.")
    [flag] = day.flags
    assert flag.person == sent.person and "came back undelivered" in flag.question and flag.mail == sent.mail
    assert not day.received and seminar.artefacts.hooks[0].answer == "Write to her other address."
    seminar.close()
    again = opened(name=seminar.name)
    run(again.open())
    assert again.finished == [*seminar.finished] and again.desk.hooks == seminar.desk.hooks


def test_how_mail_travels_is_said_for_each_mode(opened, monkeypatch):
    shown = html(page_of(MailPage, opened(mode=DRY_RUN)).view)
    assert "nothing leaves this machine" in shown and "study mail" in shown and "seminar_0" in shown
    people = scenario("four").people
    monkeypatch.setenv("CONVENE_MAIL_PASSWORD", "secret-word")
    servers = MailServers("smtp.example.org", "imap.example.org", "me@example.org", "Noor")
    told = {"mode": LIVE, "servers": servers, "allowed": (people[0].email,), "daily_limit": 7}
    live = opened(SimulatedMailbox(), unchecked_senders=True, **told)
    shown = html(page_of(MailPage, live).view)
    assert "smtp.example.org:465" in shown and people[0].email in shown and people[1].email not in shown
    assert "0 of at most 7" in shown and "1 of 4" in shown and "may be forged" in shown and "secret-word" not in shown
    run(live.open())
    listed = html(page_of(PeoplePage, live).view)
    assert listed.count("not allowed") == 3 and listed.count("not written to") == 4
    for kind in (MailPage, PeoplePage):
        assert "No seminar is open" in html(page_of(kind, None).view)


# ---- people, templates, the end -------------------------------------------------------------------------------------


def test_somebody_is_taken_off_the_list_and_put_back_by_a_second_press_and_a_restart_keeps_both(opened):
    seminar = opened(SimulatedMailbox())
    played(seminar)
    page, name = page_of(PeoplePage, seminar), seminar.setup.scenario.people[1].name
    pressed(page.off.first)
    assert page.off.yes.layout.display == "none", "nobody is chosen"
    page.whom.value = name
    pressed(page.off.first)
    assert page.off.yes.description == f"Yes, take {name} off the list" and seminar.workplace.removed == []
    page.whom.value = seminar.setup.scenario.people[2].name
    assert page.off.yes.layout.display == "none", "another person is another question"
    page.whom.value = name
    pressed(page.off.first, page.off.yes)
    assert seminar.workplace.removed == [name] and "3 on the list, 1 taken off" in html(page.view)
    assert not any(mail.to == name for mail in played(seminar).sent)
    assert page.off.view.layout.display == "none"
    pressed(page.back.first, page.back.yes)
    assert seminar.workplace.removed == [] and "4 on the list" in html(page.view)
    written = [any(mail.to == name for mail in played(seminar).sent) for _ in range(6)]
    assert any(written), "they are written to again"
    days, state = seminar.finished, seminar.desk.state
    seminar.close()
    again = opened(name=seminar.name)
    run(again.open())
    assert again.finished == days and again.desk.state == state and again.workplace.removed == []


def test_templates_hold_from_the_next_mail_on_and_a_refusal_keeps_what_was_typed(opened):
    seminar = opened()
    run(seminar.open())
    page = TemplatesPage(lambda: seminar)
    fields = page.form.mails.fields
    fields["body"].control.value = "Dear {nobody}"
    pressed(page.keep_button)
    assert "{nobody}" in page.error.value and fields["body"].control.value == "Dear {nobody}"
    seminar.set_templates((Template("invitation", "Elsewhere", "Dear {speaker}"),))
    page.refresh()
    assert fields["body"].control.value == "Dear {nobody}", "a refresh leaves what is being typed"
    pressed(page.undo_button)
    page.refresh()
    assert fields["subject"].control.value == "Elsewhere" and page.keep_button.disabled
    fields["subject"].control.value = "Come and speak"
    pressed(page.keep_button)
    assert page.keep_button.disabled and "Kept" in page.said.value
    assert {mail.subject for mail in played(seminar).sent if mail.kind == "invitation"} == {"Come and speak"}


def test_what_was_made_again_and_what_was_rejected_are_in_the_record(opened):
    seminar, wishes = opened(delegation=ALWAYS), {PLAN: "shorter", MAIL: "warmer"}

    def answer(question):
        if question.phase in wishes:
            return Review(AGAIN, wish=wishes.pop(question.phase))
        first = question.phase == "action" and not wishes.get("gone")
        wishes["gone"] = wishes.get("gone") or (question.view.about if first else "")
        return Review(REMOVE) if first else Review(APPROVE)

    played(seminar, answer)
    [day] = seminar.record.days
    assert [(one.what, one.wish) for one in day.remade] == [("plan", "shorter"), ("mail", "warmer")]
    assert all(one.before and one.after for one in day.remade)
    assert [(edit.what, edit.about, edit.after) for edit in day.edits] == [("action", wishes["gone"], "")]


def test_in_a_dry_run_a_person_among_the_speakers_answers_at_the_desk_and_the_reply_is_a_file(opened):
    names = [person.name for person in scenario("four").people]
    seminar = opened(mode=DRY_RUN, reviewer="automatic", people=dict.fromkeys(names[:1], "human") | dict.fromkeys(
        names[1:], "prompt"))  # fmt: skip
    asked = []

    def answer(question):
        asked.append(question.view.person)
        return "Dear Noor,\n\n15 September 2027 suits me.\n\nYours"

    played(seminar, answer)
    assert asked == names[:1] and len(list(seminar.workplace.mailbox.inbox.glob("*.eml"))) == 1
    [mail] = played(seminar, answer).received
    assert mail.sender == names[0] and "15 September 2027" in mail.body
    assert seminar.desk.state.contacts[names[0]].available
