"""A person as a member of a meeting, in a real browser: talks, is asked back, agrees to an option, is in the record."""

import pytest

from support.runs.study import Store
from support.widgets.coordination import SWEEP, CoordinationLab

SAYING = "I'd rather meet in the <b>morning</b> & not late"
HOURS = "Between 9:00 and 11:30."


@pytest.fixture
def page(lab):
    """The page with the widget drawn, two rounds."""
    return lab(CoordinationLab)


def say(page, text, then):
    """Type an answer, send it with Enter, and wait for what is asked next."""
    field = page.get_by_placeholder("your answer")
    field.fill(text)
    field.press("Enter")
    page.get_by_text(then).last.wait_for()
    assert field.input_value() == "", "the field is free again"


def test_a_person_talks_is_asked_back_agrees_and_is_found_in_the_store(page, study, screenshot, button):
    before = page.locator("img").first.get_attribute("src")
    page.locator("select:has(option[value=human])").first.select_option("human")
    button(page, "Next round").click()

    page.get_by_text("What only you know").wait_for()
    page.get_by_text("When would that suit you").wait_for()
    screenshot(page, "coordination_1_asked")
    button(page, "Send").click()
    page.get_by_text("expected words").wait_for()
    say(page, SAYING, "From when to when")
    assert page.get_by_text(SAYING).count(), "what a person says is shown as text, not as markup"
    say(page, HOURS, "else")
    screenshot(page, "coordination_2_asked_back")
    say(page, "No, that is all.", "Round 1 of 2:")
    screenshot(page, "coordination_3_round_1")
    assert page.locator("img").first.get_attribute("src") != before, "the figure follows the run"

    button(page, "Next round").click()
    agree = page.get_by_role("button", name="suits me").first
    agree.wait_for()
    screenshot(page, "coordination_4_options")
    agree.click()
    page.get_by_text("Stored in study.sqlite").wait_for()
    screenshot(page, "coordination_5_finished")

    [(_, run)] = Store(study).records(SWEEP)
    me = run.members[0]
    first, second = (next(c for c in r.conversations if c.member == me) for r in run.rounds)
    assert run.seats[me] == "human"
    assert [t.text for t in first.turns if t.speaker == me] == [SAYING, HOURS, "No, that is all."]
    assert first.interactions == 3 and second.interactions == 1
    assert second.agreed == run.rounds[0].options[0].id
