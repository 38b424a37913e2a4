"""A seminar's mail, people and templates while it runs: what only a person can say is asked, and it is kept."""

import asyncio
from contextlib import suppress
from email.message import EmailMessage

import ipywidgets as w
import pytest
from seminars.seminar_playing import answered, setup_of

from support.desk.pages import MailPage, PeoplePage
from support.desk.writing import TemplatesPage
from support.errors import FateUnknown
from support.labs import base
from support.mail.journal import Inbox
from support.mail.mailbox import SimulatedMailbox
from support.seminar.artefacts import Template
from support.seminar.checkpoints import ALWAYS
from support.seminar.data import scenario
from support.seminar.records import MAIL, PLAN
from support.seminar.views import AGAIN, REMOVE, Review
from support.seminars.journal import begin
from support.seminars.seminar import Seminar
from support.seminars.setup import DRY_RUN, OWN_ADDRESS

EVIL = '<script>alert(1)</script><img src=x onerror=alert(1)>" onmouseover="x $$x$$'
PEOPLE = scenario("four").people
RUNNERS = []


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No waiting for late letters, and one loop for the whole of a test."""
    monkeypatch.setattr(base, "SETTLE", 0)
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
        if not name:
            name = f"seminar {len(made)}"
            begin(path, name, setup_of(**settings).to_json())
        made.append(Seminar(path, name, mailbox=mailbox))
        return made[-1]

    yield open_one
    for seminar in made:
        with suppress(Exception):  # a test may have closed it
            seminar.close()


def again(opened, seminar):
    """The same seminar after a restart of the kernel, which has to know the same."""
    days, desk = list(seminar.finished), seminar.desk
    seminar.close()
    newer = opened(name=seminar.name)
    run(newer.open())
    assert list(newer.finished) == days and (newer.desk.state, newer.desk.hooks) == (
        desk.state,
        desk.hooks,
    )
    return newer


def pressed(*buttons):
    async def press():
        for button in buttons:
            button.click()
            for _ in range(50):
                await asyncio.sleep(0)

    run(press())


def shown(widget, words=None):
    """All that stands below a widget and is not hidden; or the buttons of these words there."""
    if widget.layout.display == "none":
        return [] if words else ""
    if words:
        found = (
            [widget]
            if isinstance(widget, w.Button) and widget.description == words
            else []
        )
        return found + [
            one
            for child in getattr(widget, "children", ())
            for one in shown(child, words)
        ]
    return (
        widget.value
        if isinstance(widget, w.HTML)
        else "".join(map(shown, getattr(widget, "children", ())))
    )


def message(sender, subject, body, **headers):
    made = EmailMessage()
    told = {
        "From": sender,
        "To": OWN_ADDRESS,
        "Subject": subject,
        "Message-ID": f"<{len(subject)}.{len(body)}@x.org>",
    }
    for name, value in (told | headers).items():
        made[name.replace("_", "-")] = value
    made.set_content(body)
    return made


def played(seminar, answer=lambda question: None):
    return run(answered(seminar, answer))


def page_of(kind, seminar):
    return kind(lambda: seminar, lambda: None)


@pytest.mark.parametrize(
    ("words", "copies"), [("It arrived", 0), ("It did not arrive: send it again", 1)]
)
def test_an_uncertain_mail_stands_first_and_is_settled_as_it_was_pressed(
    opened, words, copies
):
    fate = FateUnknown("the connection broke <b>after</b> the last dot")
    seminar = opened(SimulatedMailbox([None, fate]))
    with pytest.raises(FateUnknown):
        played(seminar)
    page = page_of(MailPage, seminar)
    [mail] = seminar.uncertain
    told = shown(page.view)
    assert (
        "the connection broke &lt;b&gt;after&lt;/b&gt; the last dot" in told
        and mail.recipient in told
    )
    assert told.index("Uncertain: decide first") < told.index("Mails out")
    pressed(*shown(page.view, words))
    assert (
        seminar.uncertain == []
        and "Uncertain" not in shown(page.view)
        and "settled" in page.said.value
    )
    played(seminar)
    sent = [raw for to, raw in seminar.workplace.mailbox.sent if to == mail.recipient]
    assert len(sent) == copies and all(mail.message_id.encode() in raw for raw in sent)


def test_a_held_mail_is_shown_as_text_and_is_read_as_theirs_who_claim_it(
    opened, monkeypatch
):
    box, other = SimulatedMailbox(), SimulatedMailbox()
    seminar, elsewhere = opened(box), opened(other)
    other.deliver(bytes(message("eve@elsewhere.example", "Another seminar's", "x")))
    raw = message(
        f'"{EVIL[:24]}" <eve@elsewhere.example>', EVIL, f"2027-09-15 suits me.\n{EVIL}"
    )
    raw.add_attachment(
        b"x", maintype="application", subtype="zip", filename="dates<b>.zip"
    )
    for one in (
        raw,
        *(message("eve@elsewhere.example", f"{k:03}", "x" * k) for k in range(25)),
    ):
        box.deliver(bytes(one))
    for one in (seminar, elsewhere):
        played(one), played(one)
    at_hand = [elsewhere]
    page = MailPage(lambda: at_hand[0], lambda: None)
    assert "Another seminar’s" in shown(page.view) or "Another seminar&#39;s" in shown(
        page.view
    )
    at_hand[0] = seminar
    page.refresh()
    told = shown(page.view)
    assert (
        "&lt;script&gt;" in told
        and "<script" not in told
        and "<img" not in told
        and "not opened" in told
    )
    assert (
        len(shown(page.view, "Leave it out")) == 20
        and "6 more follow" in told
        and "Another" not in told
    )
    release, second = (
        shown(page.view, "It is from them")[0],
        shown(page.view, "Leave it out")[1],
    )
    pressed(release)
    assert (
        "nobody is chosen" in shown(page.view)
        and len(seminar.workplace.inbox.held()) == 26
    )
    whose = next(iter(page.held.shown.values())).children[1].children[0]
    whose.value = name = PEOPLE[0].name
    with monkeypatch.context() as flooded:
        flooded.setattr(
            Inbox,
            "all",
            lambda self: pytest.fail(
                "mails of anybody's, 256 kB each, several times a second"
            ),
        )
        page.refresh()
    assert whose.value == name, "a refresh leaves what was chosen"
    pressed(release, second)
    assert len(seminar.workplace.inbox.held()) == 24
    assert any(
        mail.sender == name and "2027-09-15 suits me." in mail.body
        for mail in played(seminar).received
    )


def bounce(mail, number):
    parts = ("text/plain\n\nNo such user.", "message/delivery-status\n\nReporting-MTA: dns; mx.example.org\n\n"
             f"Final-Recipient: rfc822; {mail.recipient}\nAction: failed\nStatus: 5.1.1\n",
             f"text/rfc822-headers\n\nMessage-ID: {mail.message_id}\n")  # fmt: skip
    body = "".join(f"--x\nContent-Type: {part}\n" for part in parts)
    return (f"From: MAILER-DAEMON@mx.example.org\nTo: {OWN_ADDRESS}\nSubject: Undelivered\nMIME-Version: 1.0\n"
            f"Message-ID: <b{number}@mx.example.org>\nAuto-Submitted: auto-replied\nContent-Type: multipart/report; "
            f'report-type=delivery-status; boundary="x"\n\n{body}--x--\n').encode()  # fmt: skip


def test_mail_is_checked_at_once_and_one_that_came_back_is_a_question(opened):
    box = SimulatedMailbox()
    seminar = opened(box, mode=DRY_RUN)
    played(seminar)
    sent = seminar.workplace.outbox.posted()[0]
    page = page_of(MailPage, seminar)
    pressed(page.check_button)
    assert "Nothing new has come" in page.said.value
    headers = {"Auto_Submitted": "auto-replied", "In_Reply_To": sent.message_id}
    for raw in (
        bytes(message(sent.recipient, "Away", "Not <b>here.", **headers)),
        bounce(sent, 1),
        bounce(sent, 2),
    ):
        box.deliver(raw)
    pressed(page.check_button)
    told = shown(page.view)
    assert (
        "3 mails came" in told
        and "Automatic answers: 1" in told
        and "Came back undelivered: 2" in told
    )
    day = played(seminar, lambda question: "Write to her other address.")
    [flag] = day.flags
    assert (
        flag.person == sent.person
        and "came back undelivered" in flag.question
        and flag.mail == sent.mail
    )
    assert (
        not day.received
        and seminar.artefacts.hooks[0].answer == "Write to her other address."
    )
    again(opened, seminar)


def test_somebody_is_taken_off_the_list_and_put_back_by_a_second_press_and_a_restart_keeps_both(
    opened,
):
    seminar = opened(SimulatedMailbox())
    played(seminar)
    page, name = page_of(PeoplePage, seminar), PEOPLE[1].name
    pressed(page.off.first)
    assert page.off.yes.layout.display == "none", "nobody is chosen"
    page.whom.value = name
    pressed(page.off.first)
    assert (
        shown(page.view, f"Yes, take {name} off the list")
        and seminar.workplace.removed == []
    )
    page.whom.value = PEOPLE[2].name
    assert page.off.yes.layout.display == "none", "another person is another question"
    page.whom.value = name
    pressed(page.off.first, page.off.yes)
    assert seminar.workplace.removed == [
        name
    ] and "3 on the list, 1 taken off" in shown(page.view)
    assert not any(mail.to == name for mail in played(seminar).sent)
    seminar = again(opened, seminar)
    page = page_of(PeoplePage, seminar)
    page.whom.value = name
    assert not shown(page.view, "Take off the list")
    pressed(page.back.first, page.back.yes)
    assert seminar.workplace.removed == [] and "4 on the list" in shown(page.view)
    written = {mail.to for _ in range(6) for mail in played(seminar).sent}
    assert name in written, "they are written to again"
    assert again(opened, seminar).workplace.removed == []


def test_templates_hold_from_the_next_mail_on_and_a_refusal_keeps_what_was_typed(
    opened,
):
    seminar = opened()
    run(seminar.open())
    page = TemplatesPage(lambda: seminar)
    typed = page.form.mails.fields
    typed["body"].control.value = "Dear {nobody}"
    pressed(page.keep_button)
    seminar.set_templates((Template("invitation", "Elsewhere", "Dear {speaker}"),))
    page.refresh()
    assert (
        "{nobody}" in page.error.value
        and typed["body"].control.value == "Dear {nobody}"
    )
    pressed(page.undo_button)
    page.refresh()
    assert typed["subject"].control.value == "Elsewhere" and page.keep_button.disabled
    typed["subject"].control.value = "Come and speak"
    pressed(page.keep_button)
    assert page.keep_button.disabled and "Kept" in page.said.value
    assert {
        mail.subject for mail in played(seminar).sent if mail.kind == "invitation"
    } == {"Come and speak"}


def test_what_was_made_again_and_what_was_rejected_are_in_the_record(opened):
    seminar, wishes = opened(delegation=ALWAYS), {PLAN: "shorter", MAIL: "warmer"}

    def answer(question):
        if question.phase in wishes:
            return Review(AGAIN, wish=wishes.pop(question.phase))
        first = question.phase == "action" and not wishes.get("gone")
        wishes["gone"] = wishes.get("gone") or (question.view.about if first else "")
        return Review(REMOVE) if first else None

    played(seminar, answer)
    [day] = seminar.record.days
    assert [(one.what, one.wish) for one in day.remade] == [
        ("plan", "shorter"),
        ("mail", "warmer"),
    ]
    assert all(one.before and one.after for one in day.remade)
    assert [(edit.what, edit.about, edit.after) for edit in day.edits] == [
        ("action", wishes["gone"], "")
    ]


def test_in_a_dry_run_a_person_among_the_speakers_answers_at_the_desk_and_the_reply_is_a_file(
    opened,
):
    first, *others = [person.name for person in PEOPLE]
    people = {first: "human"} | dict.fromkeys(others, "prompt")
    seminar, asked = opened(mode=DRY_RUN, reviewer="automatic", people=people), []

    def answer(question):
        asked.append(question.view.person)
        return "Dear Noor,\n\n15 September 2027 suits me.\n\nYours"

    played(seminar, answer)
    assert (
        asked == [first]
        and len(list(seminar.workplace.mailbox.inbox.glob("*.eml"))) == 1
    )
    [mail] = played(seminar, answer).received
    assert mail.sender == first and "15 September 2027" in mail.body
    assert seminar.desk.state.contacts[first].available
