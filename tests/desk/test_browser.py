"""The desk in a real browser: a rehearsal by clicks with its kernel killed on the way."""

import os
import signal

CELL = """import os
from pathlib import Path
from support.desk.desk import Desk
Path({pid!r}).write_text(str(os.getpid()))
desk = Desk({path!r})
desk.view"""
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


def through(page, button, day):
    """Whatever waits on a day is approved or answered, until the day is over."""
    over = button(page, f"Begin day {day + 1}")
    card = page.locator(".card h3")
    while True:
        card.or_(over).first.wait_for()
        if over.is_visible():
            return
        head = card.first.inner_text()
        if "a question" in head:
            page.get_by_label("answer", exact=True).fill("Yes, gladly.")
            page.get_by_label("words", exact=True).fill("That suits us well.")
            page.get_by_role("button", name="Answer", exact=True).click()
        else:
            page.locator(".card .mod-primary").first.click()
        page.get_by_text(head, exact=True).first.wait_for(state="detached")


def test_a_rehearsal_goes_on_by_clicks_with_its_kernel_killed_on_the_way(
    window, served, tmp_path, screenshot, button
):
    path = tmp_path / "study.sqlite"
    page, cell = window, CELL.format(pid=str(tmp_path / "pid"), path=str(path))
    page.goto(served(cell, "dark"), wait_until="domcontentloaded")
    button(page, "Begin").click()
    button(page, "Begin day 1").click()
    page.get_by_text("what is to be done today").wait_for()
    screenshot(page, "desk_1_actions")
    page.keyboard.press("Enter")  # the focus is on the usual button
    page.get_by_text("the mails, before they go").wait_for()
    page.get_by_label("mail", exact=True).fill("Dear Professor, come <b>soon</b>.")
    screenshot(page, "desk_2_mails")

    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    page.reload(wait_until="domcontentloaded")
    button(page, "Go on with day 1").click()
    page.get_by_text("the mails, before they go").wait_for()
    page.get_by_label("mail", exact=True).fill("Dear Professor, come <b>soon</b>.")
    button(page, "Send 4 mails").click()
    through(page, button, 1)
    button(page, "Begin day 2").click()
    through(page, button, 2)
    assert page.evaluate(FITS), "nothing is wider than a laptop"
    page.get_by_role("tab", name="Mails").click()
    page.get_by_text("come <b>soon</b>").first.wait_for(state="attached")
    screenshot(page, "desk_3_mails")
