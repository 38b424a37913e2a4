"""A person at the round table, in a real browser: Voila serves the widget, Chromium plays a whole decision."""

import pytest

from support.runs.study import Store
from support.widgets.roundtable import SWEEP, RoundTableLab

SAYING = "I am <b>a person</b> & I need good A"


@pytest.fixture
def page(lab):
    """The page with the widget drawn: the seat of Ana to be chosen, two rounds."""
    return lab(RoundTableLab)


def test_a_person_plays_a_whole_decision_and_it_is_found_in_the_store(page, study, screenshot, button, dropdown):
    before = page.locator("img").first.get_attribute("src")
    dropdown(page, "Ana").select_option("human")
    button(page, "Play to the end").click()

    page.get_by_placeholder("what you want to say").fill(SAYING)
    screenshot(page, "1_message")
    button(page, "Send").click()

    amount = page.locator("input[type=number]:visible").nth(1)  # the first is the seed
    button(page, "Propose").wait_for()
    amount.fill("130")
    amount.press("Tab")
    button(page, "Propose").click()
    page.get_by_text("share out exactly 100 of every good").wait_for()
    screenshot(page, "2_refused_proposal")
    assert amount.input_value() == "130", "what was typed is kept after an error"
    amount.fill("33.34")
    amount.press("Tab")
    button(page, "Propose").click()

    button(page, "Vote").wait_for()
    page.locator("input[type=radio]").first.check()
    screenshot(page, "3_ballot")
    button(page, "Vote").click()

    button(page, "Say nothing").click()
    button(page, "No new proposal").click()
    button(page, "Abstain").click()
    page.get_by_text("Stored in study.sqlite").wait_for()
    screenshot(page, "4_finished")
    assert page.locator("img").first.get_attribute("src") != before, "the figure follows the discussion"
    assert page.get_by_text(SAYING).count(), "what a person says is shown as text, not as markup"

    [(_, transcript)] = Store(study).records(SWEEP)
    assert transcript.seats["Ana"] == "human"
    assert [m.text for m in transcript.rounds[0].messages if m.sender == "Ana"] == [SAYING]
    first, second = (next(b for b in r.ballots if b.agent == "Ana").choice for r in transcript.rounds)
    assert [p.value[0] for p in transcript.rounds[0].proposals if p.agent == "Ana"] == [(33.34, 33.333333, 33.333333)]
    assert first == transcript.rounds[0].candidates[0].id
    assert second is None


def test_a_slider_and_a_button_redraw_the_live_figure(page, screenshot, button):
    figure = page.locator("img").first
    before = figure.get_attribute("src")
    handle = page.locator(".widget-slider .noUi-handle").first
    handle.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Dev", exact=True).wait_for()
    button(page, "Next round").click()
    page.get_by_text("Round 1 of 2:").wait_for()
    screenshot(page, "5_four_agents")
    assert figure.get_attribute("src") != before
