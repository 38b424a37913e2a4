"""The desk in a real browser: to a filled schedule, by keyboard and mouse, with its kernel killed on the way."""

import os
import signal

from support.desk.work import SWEEP
from support.draw import png
from support.runs.study import Store

CELL = """import os
from pathlib import Path
from support.desk.application import Desk
Path({pid!r}).write_text(str(os.getpid()))
desk = Desk({path!r})
desk.view"""
BYTES = (
    "async image => [...new Uint8Array(await (await fetch(image.src)).arrayBuffer())]"
)
COLUMNS = (
    "[...document.querySelectorAll('.columns > *')].map(column => column.offsetLeft)"
)
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


def turn(page, name):
    page.get_by_role("tab", name=name).click()


def stepped(page, heading, press):
    """Press something, and wait until another thing than the one of that heading is shown."""
    about = page.get_by_text(heading).inner_text()
    press()
    page.get_by_text(about, exact=True).wait_for(state="hidden")


def finish(page, button, said):
    """Approve what is left of a day, or of all, and leave its questions open, until it is over."""
    asked, over = (
        page.locator(".ask .who:visible"),
        page.locator(".days").get_by_text(said),
    )
    while True:
        asked.or_(over).first.wait_for()
        if over.is_visible():
            return
        heading = asked.inner_text()
        press = button(
            page,
            "Leave it open" if "a question" in heading else "Approve the rest of today",
        )
        stepped(page, heading, lambda press=press: press.press("Enter"))


def test_a_seminar_goes_to_a_filled_schedule_with_its_kernel_killed_on_the_way(
    window, served, tmp_path, screenshot, button
):
    page, path, pid = window, tmp_path / "study.sqlite", tmp_path / "pid"
    page.goto(
        served(CELL.format(path=str(path), pid=str(pid)), "dark"),
        wait_until="domcontentloaded",
    )
    button(page, "Begin").wait_for()
    page.get_by_label("name of this seminar").fill("Autumn")
    turn(page, "Roles")
    page.get_by_label("people played by").select_option("prompt")
    screenshot(page, "desk_1_setup")
    button(page, "Begin").press("Enter")
    button(page, "Begin day 1").press("Enter")
    page.get_by_text("Day 1, Monday: the plan").wait_for()
    page.get_by_text("Who can do which date").wait_for()
    page.get_by_role("textbox", name="reason").fill(
        "Write to <em>all</em> & wait.\nThen look."
    )
    screenshot(page, "desk_2_plan")
    stepped(
        page, "Day 1, Monday: the plan", lambda: button(page, "Use my changes").click()
    )
    page.get_by_text("Monday: the action about").wait_for()
    stepped(
        page, "Monday: the action about", lambda: page.keyboard.press("Enter")
    )  # the focus is on Approve
    finish(page, button, "Day 1 is over.")
    page.get_by_title("a policy of your own").last.fill(
        "Nothing is sent on Saturdays and Sundays."
    )
    page.get_by_text("Understood as weekend").wait_for()
    button(page, "Add policy").click()
    page.get_by_text("7, of which").wait_for()
    button(page, "Begin day 2").press("Enter")
    page.get_by_text("Day 2, Tuesday: a question about").wait_for()
    page.get_by_label("answer", exact=True).fill("Yes, gladly.")
    page.get_by_label("make this answer a policy").check()
    screenshot(page, "desk_3_flag")
    stepped(
        page, "Day 2, Tuesday: a question about", lambda: button(page, "Answer").click()
    )
    page.get_by_text("8, of which").wait_for()
    waiting = page.get_by_text("Day 2, Tuesday: a question about").inner_text()

    os.kill(int(pid.read_text()), signal.SIGKILL)
    page.reload(wait_until="domcontentloaded")
    button(page, "Go on with day 2").click()
    page.get_by_text(waiting, exact=True).wait_for()
    page.wait_for_function(
        "[...document.querySelectorAll('select')].some(one => one.selectedOptions[0]?.innerText === 'Autumn')"
    )
    page.get_by_text("8, of which").wait_for()
    assert page.get_by_text("Yes, gladly.").first.is_visible()
    finish(page, button, "Day 2 is over.")
    button(page, "Play to the end").press("Enter")
    finish(page, button, "The seminar is over.")
    page.get_by_text("4 of 4 dates filled").wait_for()
    left, middle, right = page.evaluate(COLUMNS)
    assert left < middle < right and page.evaluate(FITS), (
        "nothing is wider than a laptop"
    )
    button(page, "▸ What happened so far").click()
    page.wait_for_function("document.querySelector('.right img').naturalWidth > 100")
    drawn = bytes(page.locator(".right img").first.evaluate(BYTES))
    button(page, "Save figure").click()
    page.get_by_text("Saved as").wait_for()
    code = page.locator(".right pre").text_content()
    screenshot(page, "desk_4_over")
    page.set_viewport_size({"width": 800, "height": 768})
    page.wait_for_function(f"new Set({COLUMNS}).size === 1")
    assert page.evaluate(FITS)
    for name, said in (
        ("Mail", "Mails out: "),
        ("People", "4 on the list"),
        ("Take along", "lies in the store"),
    ):
        turn(page, name)
        page.get_by_text(said).first.wait_for()
        screenshot(page, f"desk_5_{name.split()[0].lower()}")
    page.goto("about:blank")
    cell = {}
    exec(code.replace("\ndraw(", "\nfigure = draw("), cell)
    assert png(cell["figure"]) == drawn, (
        "its code, in a cell, draws what the page shows"
    )
    assert {path.suffix for path in (tmp_path / "figures" / "seminar").iterdir()} > {
        ".png",
        ".svg",
        ".pdf",
    }
    [(unit, record)] = Store(path).records(SWEEP)
    assert unit.settings["name"] == "Autumn" and all(
        names for names in record.assignment.values()
    )
    assert record.days[0].reason == "Write to <em>all</em> & wait.\nThen look."
    assert record.hooks[0].answer == "Yes, gladly." and len(record.days) == 5
