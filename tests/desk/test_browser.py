"""The desk in a real browser: to a filled schedule, with a kernel killed on the way; a day of real mail."""

import os
import signal
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError

from support.desk.work import SWEEP
from support.draw import png
from support.runs.study import Store
from support.seminar.records import OrganizingDay
from support.seminars.remembering import from_text

sys.path.insert(0, str(Path(__file__).parent.parent / "seminars"))
from live_servers import live

CELL = """import os
from pathlib import Path
from support.desk.application import Desk
Path({pid!r}).write_text(str(os.getpid()))
desk = Desk({path!r})
desk.view"""
BYTES = "async image => [...new Uint8Array(await (await fetch(image.src)).arrayBuffer())]"
BELOW = "new Set([...document.querySelectorAll('.columns > *')].map(column => column.offsetLeft)).size === 1"


@pytest.fixture
def cell(tmp_path):
    return CELL.format(path=str(tmp_path / "study.sqlite"), pid=str(tmp_path / "pid"))


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def turn(page, name):
    page.get_by_role("tab", name=name).click()


def stepped(page, heading, press):
    """Press something, and wait until another thing than the one of that heading is shown."""
    about = page.get_by_text(heading).inner_text()
    press()
    page.get_by_text(about, exact=True).wait_for(state="hidden")


def finish_day(page, number):
    """Approve what is left of a day, and leave its questions and letters open."""
    asked, letter, ends = page.locator(".ask .who:visible"), button(page, "Leave it unanswered"), page.locator(".days")
    over = ends.get_by_text(f"Day {number} is over.").or_(ends.get_by_text("The seminar is over."))
    while True:
        asked.or_(letter).or_(over).first.wait_for()
        if over.is_visible():
            return
        if letter.is_visible():
            letter.click()
            letter.wait_for(state="hidden")
            continue
        heading = asked.inner_text()
        button(page, "Leave it open" if "a question" in heading else "Approve the rest of today").press("Enter")
        page.get_by_text(heading, exact=True).wait_for(state="hidden")


def begun(page, name, everybody="prompt"):
    """Begin a rehearsal."""
    button(page, "Begin").wait_for()
    page.get_by_label("name of this seminar").fill(name)
    turn(page, "Roles")
    page.get_by_label("people played by").select_option(everybody)
    button(page, "Begin").press("Enter")
    button(page, "Begin day 1").press("Enter")
    page.get_by_text("Day 1, Monday: the plan").wait_for()


def test_a_seminar_goes_to_a_filled_schedule_with_its_kernel_killed_on_the_way(
    window, served, cell, tmp_path, screenshot
):
    page, theme = window, "dark"  # the other tests are light
    page.goto(served(cell, theme), wait_until="domcontentloaded")
    button(page, "Begin").wait_for()
    screenshot(page, f"desk_{theme}_1_setup")
    begun(page, "Autumn")
    page.get_by_text("Who can do which date").wait_for()
    screenshot(page, f"desk_{theme}_2_plan")
    stepped(page, "Day 1, Monday: the plan", lambda: page.keyboard.press("Enter"))  # the focus is on Approve
    for _ in range(4):
        stepped(page, "Monday: the action about", lambda: button(page, "Approve").press("Enter"))
    page.get_by_text("To Ngozi Tarrant <ngozi.tarrant@example.org>").wait_for()
    page.get_by_label("mail", exact=True).fill("Dear colleague,\n\ndo <em>come</em> & speak.\n\nYours, Noor")
    screenshot(page, f"desk_{theme}_3_mail")
    stepped(page, "Monday: the mail to", lambda: button(page, "Use my changes").click())
    finish_day(page, 1)
    page.get_by_title("a policy of your own").last.fill("Nothing is sent on Saturdays and Sundays.")
    page.get_by_text("Understood as weekend").wait_for()
    button(page, "Add policy").click()
    page.get_by_text("7, of which").wait_for()
    button(page, "Begin day 2").press("Enter")
    page.get_by_text("Day 2, Tuesday: a question about").wait_for()
    first = page.get_by_text("Day 2, Tuesday: a question about").inner_text()
    page.get_by_label("answer", exact=True).fill("Yes, gladly.")
    page.get_by_label("make this answer a policy").check()
    screenshot(page, f"desk_{theme}_4_flag")
    stepped(page, "Day 2, Tuesday: a question about", lambda: button(page, "Answer").click())
    page.get_by_text("8, of which").wait_for()
    waiting = page.get_by_text("Day 2, Tuesday: a question about").inner_text()

    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    page.reload(wait_until="domcontentloaded")
    button(page, "Go on with day 2").click()
    page.get_by_text(waiting, exact=True).wait_for()
    page.wait_for_function(
        "[...document.querySelectorAll('select')].some(one => one.selectedOptions[0]?.innerText === 'Autumn')"
    )
    page.get_by_text("8, of which").wait_for()
    assert waiting != first and page.get_by_text("Yes, gladly.").first.is_visible()
    finish_day(page, 2)
    for number in (3, 4, 5):
        button(page, f"Begin day {number}").press("Enter")
        finish_day(page, number)
    page.get_by_text("4 of 4 dates filled").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "nothing is wider than a laptop"
    button(page, "▸ What happened so far").click()
    page.wait_for_function("document.querySelector('.right img').naturalWidth > 100")
    drawn = bytes(page.locator(".right img").first.evaluate(BYTES))
    button(page, "Save figure").click()
    page.get_by_text("Saved as").wait_for()
    code = page.locator(".right pre").text_content()
    screenshot(page, f"desk_{theme}_5_over")
    for name, said in (("Mail", "Mails out: "), ("People", "4 on the list"), ("Take along", "lies in the store")):
        turn(page, name)
        page.get_by_text(said).first.wait_for()
        screenshot(page, f"desk_{theme}_6_{name.split()[0].lower()}")
    turn(page, "Ask")
    page.get_by_label("your question").fill("What did Professor Tarrant say last?")
    button(page, "Ask").click()
    page.get_by_text("The mails that it rests on").wait_for()
    screenshot(page, f"desk_{theme}_7_ask")
    page.goto("about:blank")
    cell = {}
    exec(code.replace("\ndraw(", "\nfigure = draw("), cell)
    assert png(cell["figure"]) == drawn, "its code, in a cell, draws what the page shows"
    assert {path.suffix for path in (tmp_path / "figures" / "seminar").iterdir()} > {".png", ".svg", ".pdf"}
    [(unit, record)] = Store(tmp_path / "study.sqlite").records(SWEEP)
    assert unit.settings["name"] == "Autumn" and all(names for names in record.assignment.values())
    assert record.days[0].sent[0].body.startswith("Dear colleague,\n\ndo <em>come</em> & speak.")
    assert record.hooks[0].answer == "Yes, gladly." and len(record.days) == 5


def test_another_window_works_on_only_when_it_is_told_to(window, served, cell, screenshot):
    page = window
    page.goto(served(cell), wait_until="domcontentloaded")
    begun(page, "Autumn")
    other = page.context.new_page()
    for number in (2, 3, 4):  # of two pages of a notebook, Voila leaves one empty, or uncovers it never, now and then
        other.goto(f"{page.url}&window={number}", wait_until="domcontentloaded")
        with suppress(TimeoutError):
            other.get_by_text("is open in another window").wait_for(timeout=30_000)
            break
    else:
        pytest.fail("the second window was never shown")
    button(other, "Work here instead").press("Enter")
    button(other, "Go on with day 1").press("Enter")
    other.get_by_text("Day 1, Monday: the plan").wait_for()
    button(page, "Approve").click()
    page.get_by_text("was taken over by another window").wait_for()
    screenshot(page, "desk_taken_over")
    columns = [column.bounding_box() for column in other.locator(".columns > *").all()]
    assert columns[0]["x"] < columns[1]["x"] < columns[2]["x"] and len({box["y"] for box in columns}) == 1
    other.set_viewport_size({"width": 800, "height": 768})
    other.wait_for_function(BELOW)
    assert other.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    screenshot(other, "desk_narrow")
    other.close()


LIVE = """from datetime import date
from pathlib import Path
from support.desk.application import Desk
desk = Desk({path!r}, today=lambda: date.fromisoformat(Path({today!r}).read_text()))
desk.view"""


def days_of(path):
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT answer FROM journal WHERE role = 'day' AND step = 'finished' ORDER BY number")
        return [from_text(OrganizingDay, answer) for (answer,) in rows]


def play_day(page, screenshot):
    """Approve the first day: each real mail by a press of its own, once it was there for a moment."""
    button(page, "Begin day 1").click()
    over, asked = page.locator(".days").get_by_text("Day 1 is over."), page.locator(".ask .who:visible")
    while True:
        asked.or_(over).first.wait_for()
        if over.is_visible():
            return
        heading = asked.inner_text()
        if "the mail to" in heading:
            screenshot(page, "desk_live_mail")
            page.wait_for_timeout(800)
            page.get_by_role("button", name="Approve and send to").click()
        else:
            button(page, "Approve today’s other actions").click()
        page.get_by_text(heading, exact=True).wait_for(state="hidden")


@pytest.mark.filterwarnings("ignore:Requiring AUTH", "ignore:Session.login_data")
def test_real_mail_goes_from_the_setup_to_those_who_were_ticked_and_answers_come_in(
    window, served, tmp_path, screenshot
):
    path, today, page = tmp_path / "study.sqlite", tmp_path / "today", window
    with live(tmp_path) as (setup, _, smtp, people):
        start = setup.scenario.start
        today.write_text(start.isoformat())
        page.goto(served(LIVE.format(path=str(path), today=str(today))), wait_until="domcontentloaded")
        button(page, "Begin").wait_for()
        turn(page, "6 How mail travels")
        page.get_by_label("live: mails go to real people").check()
        page.get_by_label("mails a day, at most").fill("50")
        page.keyboard.press("Tab")
        for person in setup.scenario.people:
            page.get_by_label(person.email).check()
        button(page, "Begin").click()
        page.get_by_text("a forger passes as one of the people").first.wait_for()
        screenshot(page, "desk_live_refused")
        page.get_by_label("I have no such name").check()
        button(page, "Check the servers").click()
        page.get_by_text("✓").first.wait_for()
        button(page, "Begin").click()
        play_day(page, screenshot)
        days = days_of(path)
        people.evening()
        turn(page, "Mail")
        button(page, "Check mail now").click()
        page.get_by_text("came; read on the next day").wait_for()
        screenshot(page, "desk_live_checked")
        page.goto("about:blank")
        sent = [recipient for sender, (recipient,), _ in smtp.handler.taken if sender == setup.sender]
        assert set(sent) <= set(setup.allowed) and len(sent) == len(days[0].sent) > 0
