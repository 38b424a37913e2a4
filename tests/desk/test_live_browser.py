"""A dry run, and real mail on this machine's servers, in a real browser: from the setup to a filled schedule."""

import sqlite3
import sys
from datetime import timedelta
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "seminars"))

from correspondents import Correspondents
from live_servers import live
from seminar_playing import setup_of

from support.mail.credentials import MailServers
from support.seminar.organizing import desk_of
from support.seminar.records import OrganizingDay
from support.seminars.remembering import from_text

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH", "ignore:Session.login_data")
CELL = """from datetime import date
from pathlib import Path
from support.desk.application import Desk
desk = Desk({path!r}, today=lambda: date.fromisoformat(Path({today!r}).read_text()))
desk.view"""


def days_of(path):
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT answer FROM journal WHERE role = 'day' AND step = 'finished' ORDER BY number")
        return [from_text(OrganizingDay, answer) for (answer,) in rows]


def click(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def play_day(page, number, screenshot, name):
    """Approve the day: each real mail by a press of its own, once it was there for a moment."""
    click(page, f"Begin day {number}")
    days = page.locator(".days")
    over = days.get_by_text(f"Day {number} is over.").or_(days.get_by_text("The seminar is over."))
    asked = page.locator(".ask .who:visible")
    while True:
        asked.or_(over).first.wait_for()
        if over.is_visible():
            return
        heading = asked.inner_text()
        sends = page.get_by_role("button", name="Approve and send to")
        if "a question" in heading:
            click(page, "Leave it open")
        elif "the mail to" in heading and sends.count():  # real mail: each by a press of its own
            screenshot(page, f"{name}_mail")
            page.wait_for_timeout(800)
            sends.click()
        else:
            shortcut = page.get_by_role("button", name="Approve today’s other actions", exact=True)
            shortcut.or_(page.get_by_role("button", name="Approve the rest of today", exact=True)).click()
        page.get_by_text(heading, exact=True).wait_for(state="hidden")


@pytest.mark.parametrize("theme", ["light"])  # the dry run below is in the dark
def test_real_mail_goes_from_the_setup_to_a_filled_schedule(window, served, tmp_path, screenshot, theme):
    path, today, name = tmp_path / "study.sqlite", tmp_path / "today", f"desk_live_{theme}"
    with live(tmp_path) as (setup, _, smtp, people):
        start = setup.scenario.start
        today.write_text(start.isoformat())
        page = window
        page.goto(served(CELL.format(path=str(path), today=str(today)), theme), wait_until="domcontentloaded")
        page.get_by_role("button", name="Begin", exact=True).wait_for()
        page.get_by_role("tab", name="6 How mail travels").click()
        page.get_by_label("live: mails go to real people").check()
        page.get_by_label("mails a day, at most").fill("50")
        page.keyboard.press("Tab")
        for person in setup.scenario.people:
            page.get_by_label(person.email).check()
        click(page, "Begin")
        page.get_by_text("a forger passes as one of the people").first.wait_for()
        screenshot(page, f"{name}_refused")
        page.get_by_label("I have no such name").check()
        click(page, "Check the servers")
        page.get_by_text("✓").first.wait_for()
        screenshot(page, f"{name}_setup")
        click(page, "Begin")
        for number in range(1, 12):
            play_day(page, number, screenshot, name)
            desk = desk_of(setup.scenario, days_of(path))
            if not desk.state.open:
                break
            people.evening(number, start + timedelta(days=number - 1), desk)
            today.write_text((start + timedelta(days=number)).isoformat())
            page.get_by_role("tab", name="Mail").click()
            if number == 1:
                click(page, "Check mail now")
                page.get_by_text("came; read on the next day").wait_for()
                page.get_by_role("button", name="Leave it out").first.wait_for()
                screenshot(page, f"{name}_checked")
            page.get_by_role("tab", name="Desk").click()
        page.get_by_text("4 of 4 dates filled").wait_for()
        screenshot(page, f"{name}_filled")
        page.goto("about:blank")
        assert not desk.state.open
        sent = [recipient for sender, (recipient,), _ in smtp.handler.taken if sender == setup.sender]
        assert set(sent) <= set(setup.allowed) and len(sent) == sum(len(day.sent) for day in days_of(path))


class Folders(Correspondents):
    """People whose mails are files: they read the outbox of a dry run, and write into its inbox."""

    def __init__(self, setup, folder):
        super().__init__(setup, self, 0, "", ())
        self.folder = folder

    def messages(self, user):
        written = [file.read_bytes() for file in sorted((self.folder / "outbox").glob("*.eml"))]
        return [raw for raw in written if f"{user}@example.org".encode() in raw.partition(b"\r\n\r\n")[0]]

    def submit(self, raw, sender):
        (self.folder / "inbox" / f"{self.wrote}.eml").write_bytes(raw)
        self.wrote += 1


def test_a_dry_run_goes_from_the_setup_to_a_filled_schedule_by_files(window, served, tmp_path, screenshot):
    path, today = tmp_path / "study.sqlite", tmp_path / "today"
    setup = setup_of(mode="dry run", servers=MailServers("smtp.x.example", "imap.x.example", "organiser@example.org"))
    start = setup.scenario.start
    today.write_text(start.isoformat())
    page = window
    page.goto(served(CELL.format(path=str(path), today=str(today)), "dark"), wait_until="domcontentloaded")
    page.get_by_role("button", name="Begin", exact=True).wait_for()
    page.get_by_role("tab", name="6 How mail travels").click()
    page.get_by_label("dry run: mails become files").check()
    screenshot(page, "desk_dry_setup")
    click(page, "Begin")
    people = None
    for number in range(1, 12):
        play_day(page, number, screenshot, "desk_dry")
        desk = desk_of(setup.scenario, days_of(path))
        if not desk.state.open:
            break
        [folder] = [outbox.parent for outbox in tmp_path.rglob("outbox")]
        people = people or Folders(setup, folder)
        people.evening(number, start + timedelta(days=number - 1), desk)
    page.get_by_text("4 of 4 dates filled").wait_for()
    page.get_by_role("tab", name="Mail").click()
    page.get_by_text(str(folder)).first.wait_for()
    screenshot(page, "desk_dry_filled")
    page.goto("about:blank")
    assert not desk.state.open and people.wrote >= 4
