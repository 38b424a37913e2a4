"""The dashboard in a real browser: from the setup to a filled schedule, with a kernel that is killed on the way."""

import os
import signal

import pytest

from support.runs.study import Store
from support.widgets.dashboard.filed import SWEEP

CELL = """
import os
from pathlib import Path
from support.widgets.dashboard.application import Dashboard
Path({pid!r}).write_text(str(os.getpid()))
dashboard = Dashboard({path!r})
dashboard.view
"""
BELOW = "new Set([...document.querySelectorAll('.convene-desk > *')].map(column => column.offsetLeft)).size === 1"
LAPTOP = {"width": 1366, "height": 768}


@pytest.fixture
def pid(tmp_path):
    """The file with the number of the kernel's process."""
    return tmp_path / "pid"


@pytest.fixture
def page(browse, study, pid):
    """The dashboard at the size of a laptop's screen, over an empty store."""
    page = browse(CELL.format(path=str(study), pid=str(pid)))
    page.set_viewport_size(LAPTOP)
    page.get_by_role("button", name="Begin", exact=True).wait_for()
    return page


def stepped(page, heading, press):
    """Press something, and wait until another thing than the one of that heading is shown."""
    about = page.get_by_text(heading).inner_text()
    press()
    page.get_by_text(about, exact=True).wait_for(state="hidden")


def turn(page, name):
    page.get_by_role("tab", name=name).click()


def status(page, text):
    page.locator(".convene-days").get_by_text(text).wait_for()


def test_a_seminar_goes_to_a_filled_schedule_with_its_kernel_killed_on_the_way(
    page, study, pid, screenshot, button, finish_day
):
    page.get_by_label("name of this seminar").fill("Autumn")
    page.get_by_role("tab", name="Roles").click()
    page.get_by_label("people played by").select_option("prompt")
    screenshot(page, "dashboard_1_setup")
    button(page, "Begin").press("Enter")

    button(page, "Begin day 1").wait_for()
    page.get_by_text("Who can do which date").wait_for()
    screenshot(page, "dashboard_2_ready")
    button(page, "Begin day 1").press("Enter")
    page.get_by_text("Day 1, Monday: the plan").wait_for()
    screenshot(page, "dashboard_3_plan")
    stepped(page, "Day 1, Monday: the plan", lambda: page.keyboard.press("Enter"))  # the focus is on Approve
    for _ in range(4):
        page.get_by_text("Monday: the action about").wait_for()
        stepped(page, "Monday: the action about", lambda: button(page, "Approve").press("Enter"))
    page.get_by_text("To Ngozi Tarrant <ngozi.tarrant@example.org>").wait_for()
    page.get_by_label("mail", exact=True).fill("Dear colleague,\n\ndo <em>come</em> & speak.\n\nYours, Noor")
    screenshot(page, "dashboard_4_mail")
    stepped(page, "Monday: the mail to", lambda: button(page, "Use my changes").click())
    finish_day(page, 1)

    page.locator(".convene-desk").get_by_title("a policy of your own").fill("Nothing is sent on Saturdays and Sundays.")
    page.locator(".convene-desk").get_by_text("Understood as weekend").wait_for()
    button(page, "Add policy").click()
    page.get_by_text("7, of which").wait_for()
    screenshot(page, "dashboard_5_day_1")

    button(page, "Begin day 2").press("Enter")
    page.get_by_text("Day 2, Tuesday: a question about").wait_for()
    first = page.get_by_text("Day 2, Tuesday: a question about").inner_text()
    page.get_by_label("answer", exact=True).fill("Yes, gladly.")
    page.get_by_label("make this answer a policy").check()
    screenshot(page, "dashboard_6_flag")
    stepped(page, "Day 2, Tuesday: a question about", lambda: button(page, "Answer").click())
    page.get_by_text("8, of which").wait_for()
    page.get_by_text("Day 2, Tuesday: a question about").wait_for()
    waiting = page.get_by_text("Day 2, Tuesday: a question about").inner_text()

    os.kill(int(pid.read_text()), signal.SIGKILL)
    page.reload(wait_until="domcontentloaded")
    button(page, "Go on with day 2").click()
    page.get_by_text(waiting, exact=True).wait_for()
    page.get_by_text("8, of which").wait_for()
    assert waiting != first and page.get_by_text("Yes, gladly.").first.is_visible()
    screenshot(page, "dashboard_7_after_the_kernel_was_killed")
    finish_day(page, 2)

    for number in (3, 4, 5):
        button(page, f"Begin day {number}").press("Enter")
        finish_day(page, number)
    status(page, "The seminar is over.")
    page.get_by_text("4 of 4 dates filled").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "nothing is wider than a laptop"
    screenshot(page, "dashboard_8_over")

    turn(page, "Take along")
    page.get_by_text("8 policies").wait_for()
    page.get_by_text("lies in the store").wait_for()
    screenshot(page, "dashboard_9_take")
    turn(page, "Ask")
    page.get_by_label("your question").fill("What did Professor Tarrant say last?")
    button(page, "Ask").click()
    page.get_by_text("The mails that it rests on").wait_for()
    screenshot(page, "dashboard_10_ask")

    [(unit, record)] = Store(study).records(SWEEP)
    assert unit.settings["name"] == "Autumn" and all(names for names in record.assignment.values())
    sent = record.days[0].sent[0]
    assert sent.body.startswith("Dear colleague,\n\ndo <em>come</em> & speak.")
    assert record.hooks[0].answer == "Yes, gladly."
    assert len(record.days) == 5


def test_another_window_works_on_only_when_it_is_told_to(page, button, screenshot):
    button(page, "Begin").click()
    button(page, "Begin day 1").press("Enter")
    page.get_by_text("Day 1, Monday: the plan").wait_for()
    other = page.context.browser.new_page()
    other.set_default_timeout(150_000)  # a second kernel starts, on a machine that may be busy
    other.set_viewport_size(LAPTOP)
    other.goto(page.url, wait_until="domcontentloaded")
    other.get_by_text("is open in another window").wait_for()
    screenshot(other, "dashboard_11_open_elsewhere")
    button(other, "Work here instead").press("Enter")
    button(other, "Go on with day 1").press("Enter")
    other.get_by_text("Day 1, Monday: the plan").wait_for()
    button(page, "Approve").click()
    page.get_by_text("was taken over by another window").wait_for()
    stepped(other, "Day 1, Monday: the plan", lambda: button(other, "Approve").press("Enter"))
    other.get_by_text("Monday: the action about").wait_for()

    columns = other.locator(".convene-desk > *")
    at = [column.bounding_box() for column in columns.all()]
    assert at[0]["x"] < at[1]["x"] < at[2]["x"] and len({box["y"] for box in at}) == 1
    other.set_viewport_size({"width": 800, "height": 768})
    other.wait_for_function(BELOW)
    assert other.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    screenshot(other, "dashboard_12_narrow")
