"""A seminar's mail, people and templates while it runs: uncertain mails first, held ones settled, nothing rendered."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from email.message import EmailMessage
from html import escape
from html.parser import HTMLParser

import ipywidgets as w
import pytest

from support.errors import FateUnknown, InvalidInput
from support.labs import base as chat
from support.mail.credentials import MailServers
from support.mail.simulated import SimulatedMailbox
from support.seminar.artefacts import Artefacts, Template, load_past, load_templates
from support.seminar.checkpoints import AUTOMATIC
from support.seminar.data import scenario
from support.seminar.rules import load_policies
from support.seminars.journal import begin
from support.seminars.seminar import Seminar
from support.seminars.setup import DRY_RUN, LIVE, OWN_ADDRESS, SeminarSetup
from support.widgets.dashboard.mailing import MailPage, ways_to_html
from support.widgets.dashboard.people import PeoplePage
from support.widgets.dashboard.writing import TemplatesPage

EVIL = '<script>alert(1)</script><img src=x onerror=alert(1)>" onmouseover="x $$x$$'
TAGS = {"div", "p", "b", "br", "span", "ul", "li", "dl", "dt", "dd", "details", "summary", "table", "caption", "thead",
        "tbody", "tr", "th", "td", "bdi", "style", "h2", "h3"}  # fmt: skip


RUNNERS = []


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No waiting for late letters, and one loop for the whole of a test."""
    monkeypatch.setattr(chat, "SETTLE", 0)
    with asyncio.Runner() as runner:
        RUNNERS.append(runner)
        yield
        RUNNERS.pop()


def run(what):
    return RUNNERS[-1].run(what)


@pytest.fixture
def opened(tmp_path):
    """A function from a mailbox and settings to an open seminar."""
    made = []

    def open_one(mailbox=None, **settings):
        path = tmp_path / "study.sqlite"
        setup = SeminarSetup(
            scenario("four"), Artefacts(load_policies(), load_templates()), load_past(),
            **({"people": "prompt", "delegation": AUTOMATIC, "seed": 3} | settings),
        )  # fmt: skip
        begin(path, f"seminar {len(made)}", setup.to_json())
        made.append(Seminar(path, f"seminar {len(made)}", mailbox=mailbox))
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
    if isinstance(widget, w.HTML):
        return widget.value
    return "".join(html(child) for child in getattr(widget, "children", ()))


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.attributes = set(), set()

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
        self.attributes |= {name for name, _ in attrs}


def harmless(markup):
    parser = Tags()
    parser.feed(markup)
    return parser.found <= TAGS and not any(name.startswith("on") or name == "src" for name in parser.attributes)


def message(sender, subject="Hello", body="Hello.", **headers):
    made = EmailMessage()
    made["From"], made["To"], made["Subject"], made["Message-ID"] = (
        sender,
        OWN_ADDRESS,
        subject,
        f"<{subject[:3]}{len(body)}@x.org>",
    )
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(body)
    return bytes(made)


def played(seminar):
    """A day, on which every flag is left open."""

    async def play():
        day = asyncio.ensure_future(seminar.play())
        while not day.done():
            asked = asyncio.ensure_future(seminar.questions.get())
            await asyncio.wait({asked, day}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
            if asked.done():
                asked.result().answer("")
            else:
                asked.cancel()
                break
        return await asyncio.wait_for(day, 20)

    return run(play())


# mail


def lost(opened, **settings):
    """A seminar one of whose first mails may have been sent or not."""
    seminar = opened(
        SimulatedMailbox([None, FateUnknown("the connection broke <b>after</b> the last dot")]), **settings
    )
    with pytest.raises(FateUnknown):
        played(seminar)
    return seminar


def test_uncertain_mails_stand_first_with_their_words_and_what_the_server_said(opened):
    seminar = lost(opened)
    page = MailPage(lambda: seminar)
    [mail] = seminar.uncertain
    shown = html(page.view)
    assert "the connection broke &lt;b&gt;after&lt;/b&gt; the last dot" in shown and mail.recipient in shown
    assert shown.index("Uncertain: decide first") < shown.index("Held") < shown.index("Mails out")
    assert mail.message_id.strip("<>") in shown and mail.body.splitlines()[0] in shown


def test_one_that_arrived_counts_as_sent_and_nothing_leaves_again(opened):
    seminar, told = lost(opened), []
    page = MailPage(lambda: seminar, lambda: told.append(1))
    [mail] = seminar.uncertain
    pressed(*button(page.view, "It arrived"))
    assert seminar.uncertain == [] and told and "settled" in page.status.value
    assert "Uncertain" not in html(page.view)
    played(seminar)
    assert [to for to, _ in seminar.workplace.mailbox.sent].count(mail.recipient) == 0


def test_one_that_did_not_arrive_is_sent_again_as_it_is(opened):
    seminar = lost(opened)
    page = MailPage(lambda: seminar)
    [mail] = seminar.uncertain
    pressed(*button(page.view, "It did not arrive: send it again"))
    played(seminar)
    again = [raw for to, raw in seminar.workplace.mailbox.sent if to == mail.recipient]
    assert len(again) == 1 and mail.message_id.encode() in again[0]


def test_what_is_decided_is_told_to_the_seminar_as_it_was_pressed(opened, monkeypatch):
    seminar, said = lost(opened), []
    monkeypatch.setattr(Seminar, "decide", lambda self, name, arrived, *, again=False: said.append((arrived, again)))
    page = MailPage(lambda: seminar)
    for words in ("It arrived", "It did not arrive: send it again", "It did not arrive: leave it out"):
        pressed(*button(page.view, words))
    assert said == [(True, False), (False, True), (False, False)]


def test_a_decision_that_is_refused_is_said_on_its_card(opened, monkeypatch):
    def refused(self, name, arrived, *, again=False):
        raise InvalidInput("message_id: <b>settled</b> in another window")

    seminar = lost(opened)
    page = MailPage(lambda: seminar)
    monkeypatch.setattr(Seminar, "decide", refused)
    pressed(*button(page.view, "It arrived"))
    assert "&lt;b&gt;settled&lt;/b&gt; in another window" in html(page.view) and 'role="alert"' in html(page.view)


def held(opened, *messages):
    box = SimulatedMailbox()
    seminar = opened(box)
    played(seminar)
    for one in messages:
        box.deliver(one)
    played(seminar)
    return seminar


def test_a_held_mail_is_shown_as_text_with_its_reason_and_its_attachments_by_name(opened):
    raw = EmailMessage()
    raw["From"], raw["To"], raw["Subject"] = f'"{EVIL[:24]}" <eve@elsewhere.example>', OWN_ADDRESS, EVIL
    raw.set_content(f"I can come.\n{EVIL}")
    raw.add_attachment(b"x", maintype="application", subtype="zip", filename="dates<b>.zip")
    seminar = held(opened, bytes(raw))
    page = MailPage(lambda: seminar)
    shown = html(page.view)
    assert harmless(shown) and "eve@elsewhere.example" in shown and "&lt;script&gt;" in shown
    assert (
        escape(seminar.workplace.inbox.held()[0].reason) in shown
        and "not opened" in shown
        and "dates&lt;b&gt;.zip" in shown
    )


def test_a_held_mail_that_somebody_claims_is_read_on_the_next_day_as_theirs(opened):
    seminar = held(opened, message("ana@private.example", "dates", "2027-09-15 suits me."))
    page = MailPage(lambda: seminar)
    name = seminar.setup.scenario.people[0].name
    [release] = button(page.view, "It is from them")
    pressed(release)
    assert "nobody is chosen" in html(page.view) and len(seminar.workplace.inbox.held()) == 1
    [whose] = [
        child
        for card in page.held.cards.shown.values()
        for child in card.children[1].children
        if isinstance(child, w.Dropdown)
    ]
    whose.value = name
    page.refresh()
    assert whose.value == name, "a refresh leaves what was chosen"
    pressed(release)
    assert seminar.workplace.inbox.held() == [] and "No mail is held" in html(page.view)
    day = played(seminar)
    assert any(mail.sender == name and "2027-09-15 suits me." in mail.body for mail in day.received)


def test_a_held_mail_can_be_left_out(opened):
    seminar = held(
        opened, message("eve@elsewhere.example", "one"), message("eve@elsewhere.example", "two", "Hello again.")
    )
    page = MailPage(lambda: seminar)
    first, second = button(page.view, "Leave it out")
    pressed(first)
    assert len(seminar.workplace.inbox.held()) == 1 and len(button(page.view, "Leave it out")) == 1
    assert button(page.view, "Leave it out") == [second], "the other card is left alone"


def test_a_flood_of_held_mails_is_shown_a_few_at_a_time(opened):
    seminar = held(opened, *(message("eve@elsewhere.example", f"{k:03}", "x" * k) for k in range(30)))
    page = MailPage(lambda: seminar)
    assert len(button(page.view, "Leave it out")) == 20 and "10 more follow" in html(page.view)


def test_automatic_answers_and_bounces_have_lists_of_their_own(opened):
    box = SimulatedMailbox()
    seminar = opened(box)
    played(seminar)
    sent = seminar.workplace.outbox.posted()[0]
    box.deliver(
        message(sent.recipient, "Away", "I am away <b>.", Auto_Submitted="auto-replied", In_Reply_To=sent.message_id)
    )
    played(seminar)
    page = MailPage(lambda: seminar)
    shown = html(page.view)
    assert "Automatic answers: 1" in shown and "I am away &lt;b&gt;." in shown and sent.subject in shown
    assert seminar.workplace.inbox.held() == []


def test_a_refresh_while_nothing_happened_reads_no_mail_again(opened, monkeypatch):
    seminar = held(opened, message("eve@elsewhere.example"))
    page = MailPage(lambda: seminar)
    looked, whole = [], type(seminar.workplace.inbox).all
    monkeypatch.setattr(type(seminar.workplace.inbox), "all", lambda self: looked.append(1) or whole(self))
    page.refresh()
    assert not looked


def test_how_mail_travels_is_said_for_each_mode(opened, monkeypatch):
    dry = opened(mode=DRY_RUN)
    shown = html(MailPage(lambda: dry).view)
    assert "nothing leaves this machine" in shown and "study mail" in shown and "seminar_0" in shown
    people = scenario("four").people
    monkeypatch.setenv("CONVENE_MAIL_PASSWORD", "secret-word")
    servers = MailServers("smtp.example.org", "imap.example.org", "me@example.org", "Noor")
    live = opened(SimulatedMailbox(), mode=LIVE, servers=servers, allowed=(people[0].email,), daily_limit=7,
                  unchecked_senders=True)  # fmt: skip
    shown = html(MailPage(lambda: live).view)
    assert "smtp.example.org:465" in shown and people[0].email in shown and people[1].email not in shown
    assert "0 of at most 7" in shown and "1 of 4" in shown and "secret-word" not in shown


def test_a_mail_that_may_have_been_sent_counts_as_sent_today(opened):
    seminar = lost(opened)
    posted = seminar.workplace.outbox.posted()
    servers = MailServers("smtp.example.org", "imap.example.org", "me@example.org")
    live = {"mode": LIVE, "servers": servers, "allowed": (posted[0].recipient,), "daily_limit": 7,
            "unchecked_senders": True}  # fmt: skip
    seminar.setup, seminar.today = replace(seminar.setup, **live), lambda: posted[0].on
    assert [mail.status for mail in posted] == ["sent", "uncertain"]
    assert "2 of at most 7" in ways_to_html(seminar, posted)
    assert "1 of at most 7" in ways_to_html(seminar, [posted[0], replace(posted[1], status="not sent")])


def test_without_a_seminar_the_pages_say_so():
    for page in (MailPage(lambda: None), PeoplePage(lambda: None)):
        assert "No seminar is open" in html(page.view)
        page.refresh()
    assert TemplatesPage(lambda: None).keep_button.disabled


# people


def test_somebody_is_taken_off_the_list_by_a_second_press_only(opened):
    seminar, told = opened(), []
    played(seminar)
    page = PeoplePage(lambda: seminar, lambda: told.append(1))
    pressed(page.off.first)
    assert page.off.yes.layout.display == "none", "nobody is chosen"
    name = seminar.setup.scenario.people[1].name
    page.whom.value = name
    pressed(page.off.first)
    assert page.off.yes.description == f"Yes, take {name} off the list" and seminar.workplace.removed == []
    page.whom.value = seminar.setup.scenario.people[2].name
    assert page.off.yes.layout.display == "none", "another person is another question"
    page.whom.value = name
    pressed(page.off.first, page.off.no)
    assert page.off.yes.layout.display == "none" and seminar.workplace.removed == []
    pressed(page.off.first, page.off.yes)
    assert seminar.workplace.removed == [name] and told
    shown = html(page.view)
    assert "3 on the list, 1 taken off" in shown and "off the list" in shown
    assert name not in [value for _, value in page.whom.options] and page.whom.value == ""


def test_the_list_says_how_it_stands_with_each_and_who_may_be_written_to(opened):
    people = scenario("four").people
    servers = MailServers("smtp.example.org", "imap.example.org", "me@example.org")
    seminar = opened(SimulatedMailbox(), mode=LIVE, servers=servers, allowed=(people[0].email,), daily_limit=7,
                  unchecked_senders=True)  # fmt: skip
    page = PeoplePage(lambda: seminar)
    assert "not written to" not in html(page.view), "not opened yet"
    run(seminar.open())
    page.refresh()
    shown = html(page.view)
    assert shown.count("not allowed") == 3 and shown.count("not written to") == 4
    assert all(person.email in shown for person in people)


def test_no_name_or_address_becomes_markup(opened):
    four = scenario("four")
    people = (replace(four.people[0], name=EVIL, field=EVIL, affiliation=EVIL), *four.people[1:])
    seminar = Seminar.__new__(Seminar)
    seminar.setup = SeminarSetup(replace(four, people=people), Artefacts())
    seminar.workplace = type("Place", (), {"removed": []})()
    shown = html(PeoplePage(lambda: seminar).view)
    assert harmless(shown) and "&lt;script&gt;" in shown


# templates


def test_templates_hold_from_the_next_mail_on_and_are_kept(opened, tmp_path):
    seminar = opened()
    run(seminar.open())
    page = TemplatesPage(lambda: seminar)
    assert page.keep_button.disabled
    page.form.fields["subject"].control.value = "Come and speak"
    assert not page.keep_button.disabled and "not kept yet" in page.said.value
    pressed(page.keep_button)
    assert page.keep_button.disabled and "Kept" in page.said.value
    day = played(seminar)
    assert {mail.subject for mail in day.sent if mail.kind == "invitation"} == {"Come and speak"}
    seminar.close()
    with Seminar(tmp_path / "study.sqlite", "seminar 0") as again:
        run(again.open())
        assert again.templates["invitation"].subject == "Come and speak"


def test_a_gap_that_nothing_fills_is_refused_and_what_was_typed_stays(opened):
    seminar = opened()
    run(seminar.open())
    page = TemplatesPage(lambda: seminar)
    page.form.fields["body"].control.value = "Dear {nobody}"
    pressed(page.keep_button)
    assert "{nobody}" in page.summary.value and 'role="alert"' in page.summary.value
    assert page.form.fields["body"].control.value == "Dear {nobody}"
    assert seminar.templates["invitation"] == load_templates()["invitation"]
    page.refresh()
    assert page.form.fields["body"].control.value == "Dear {nobody}", "a refresh leaves what is being typed"
    pressed(page.undo_button)
    assert page.form.fields["body"].control.value == load_templates()["invitation"].body.strip()
    assert page.keep_button.disabled


def test_templates_that_changed_elsewhere_are_shown_unless_something_is_typed(opened):
    seminar = opened()
    run(seminar.open())
    page = TemplatesPage(lambda: seminar)
    seminar.set_templates((Template("invitation", "Another", "Dear {speaker}"),))
    page.refresh()
    assert page.form.fields["subject"].control.value == "Another"
    page.form.fields["subject"].control.value = "Mine, not kept"
    seminar.set_templates((Template("invitation", "A third", "Dear {speaker}"),))
    page.refresh()
    assert page.form.fields["subject"].control.value == "Mine, not kept"
