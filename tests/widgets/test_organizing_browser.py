"""A person at the desk in a real browser: two days, a plan approved, a mail edited, a question answered; all kept."""

import pytest

from support.runs.study import Store
from support.widgets.organizing.lab import SWEEP

LAB = """
from support.runs.study import Store
from support.widgets.organizing.lab import RehearsalLab
lab = RehearsalLab(Store({path!r}), reviewer="human", rounds=2)
lab.view
"""


@pytest.fixture
def page(browse, study, button):
    """The page with the lab drawn at the size of a laptop's screen, two days at most, a person at the desk."""
    page = browse(LAB.format(path=str(study)))
    page.set_viewport_size({"width": 1366, "height": 768})
    button(page, "Next day").wait_for()
    return page


def answered(page, heading, button):
    """Press a button by keyboard, and wait until another thing is shown."""
    about = page.get_by_text(heading).inner_text()
    button.press("Enter")
    page.get_by_text(about, exact=True).wait_for(state="hidden")


def test_a_person_plays_two_days_and_finds_what_was_decided(page, study, screenshot, button):
    page.get_by_role("tab", name="Delegation").focus()
    screenshot(page, "organizing_1_policies")
    button(page, "Next day").press("Enter")
    page.get_by_text("Day 1, Monday: the plan").wait_for()
    screenshot(page, "organizing_2_plan")
    button(page, "Approve").press("Enter")
    for _ in range(4):
        answered(page, "the action about", button(page, "Approve"))
    mail = page.get_by_label("mail", exact=True)
    mail.fill("Dear colleague,\n\ndo <em>come</em> & speak.\n\nYours, Noor")
    screenshot(page, "organizing_3_mail")
    answered(page, "the mail to", button(page, "Use my changes"))
    button(page, "Approve the rest of today").click()
    page.get_by_text("Day 1 of at most 2: 0 of 4 seats taken, 4 mails sent.").wait_for()
    assert page.get_by_text("do <em>come</em> & speak.").first.is_visible(), "the edit is in the diary, as it was typed"
    screenshot(page, "organizing_4_day_1")

    button(page, "Next day").press("Enter")
    page.get_by_text("Day 2, Tuesday: a question about").wait_for()
    page.get_by_label("answer", exact=True).fill("Yes, gladly.")
    page.get_by_label("make this answer a policy").check()
    screenshot(page, "organizing_5_flag")
    button(page, "Answer").click()
    page.get_by_text("Day 2, Tuesday: the plan").wait_for()
    button(page, "Approve the rest of today").click()
    page.get_by_text("Stored in study.sqlite").wait_for()
    page.get_by_text("Answer: Yes, gladly.").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "nothing is wider than a laptop"
    screenshot(page, "organizing_6_finished")
    page.get_by_role("tab", name="Policies").click()
    button(page, "Remove hook_1").wait_for()

    [(_, run)] = Store(study).records(SWEEP)
    first, second = run.days
    assert run.seats["reviewer"] == "human" and first.sent[0].body.startswith(
        "Dear colleague,\n\ndo <em>come</em> & speak."
    )
    assert [(edit.what, edit.about) for edit in first.edits] == [("mail", first.sent[0].to)]
    assert second.flags[0].answer == "Yes, gladly." and run.hooks[0].answer == "Yes, gladly."


def test_the_tabs_are_reached_and_turned_by_keyboard(page):
    tabs = page.get_by_role("tab")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role') === 'tab'"):
            break
    assert page.get_by_label("begin", exact=True).is_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_label("Ngozi Tarrant").wait_for()
    assert tabs.count() == 6 and not page.get_by_label("begin", exact=True).is_visible()
