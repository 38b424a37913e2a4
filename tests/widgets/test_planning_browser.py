"""A person coordinates in a real browser: proposes, is refused, proposes again, stops; the game is in the record."""

import pytest

from support.fair_decisions.problem import FairDecisions
from support.runs.study import Store
from support.widgets.planning import SWEEP, PlanningLab


@pytest.fixture
def page(lab):
    """The page with the widget drawn, two rounds, a person as coordinator."""
    return lab(PlanningLab)


def decisions(page):
    """The lists of options, one for each decision."""
    return page.locator("select:has(option:text-is('choose …'))")


def choose(page, *options):
    """Choose options, counted from 0, from the first list on."""
    for i, option in enumerate(options):
        decisions(page).nth(i).select_option(index=option + 1)


def chosen(page):
    """What stands in the form: an option, counted from 0, for each decision; -1 where none is chosen."""
    return [field.evaluate("field => field.selectedIndex - 1") for field in decisions(page).all()]


def test_a_person_coordinates_a_game_and_it_is_found_in_the_store(page, study, screenshot, button, dropdown):
    figure = page.locator("img").first
    before = figure.get_attribute("src")
    page.get_by_text("You coordinate Player 1, Player 2 and Player 3.").wait_for()
    assert decisions(page).count() == 5
    screenshot(page, "planning_1_before")

    choose(page, 0, 1, 2)
    button(page, "Propose").click()
    page.get_by_text("no option chosen").wait_for()
    assert page.get_by_role("alert").count() == 1 and chosen(page) == [0, 1, 2, -1, -1]
    choose(page, 0, 1, 2, 0, 1)
    button(page, "Propose").press("Enter")
    page.get_by_text("Round 1 of 2:").wait_for()
    page.wait_for_function("src => document.querySelector('img').src != src", arg=before)
    assert page.get_by_text("optimum").count() == 0 and page.get_by_text("true").count() == 0
    screenshot(page, "planning_2_mid_game")

    button(page, "Propose").press("Enter")
    page.get_by_text("is known already").wait_for()
    assert chosen(page) == [0, 1, 2, 0, 1], "what was chosen stays"
    screenshot(page, "planning_3_refused")
    choose(page, 1)
    button(page, "Propose").press("Enter")
    page.get_by_text("Stored in study.sqlite").wait_for()
    page.get_by_text("What was hidden").wait_for()
    screenshot(page, "planning_4_finished")

    [(unit, game)] = Store(study).records(SWEEP)
    assert game.seats["coordinator"] == "human" and '"coordinator": "human"' in unit.text
    assert [entry.plans for entry in game.rounds] == [((0, 1, 2, 0, 1),), ((1, 1, 2, 0, 1),)]
    told = [a.score for a in game.rounds[0].feedback]
    assert told == FairDecisions(game.gains).totals((0, 1, 2, 0, 1)).tolist() == list(game.rounds[0].heard[0])


def test_a_person_compares_two_plans_and_stops_by_keyboard(page, study, screenshot, button, dropdown):
    dropdown(page, "feedback").select_option("comparison")
    page.get_by_text("Plan B", exact=True).wait_for()
    choose(page, *(0, 1, 2, 0, 1), *(1, 1, 1, 1, 1))
    button(page, "Propose").press("Enter")
    page.get_by_text("Round 1 of 2:").wait_for()
    screenshot(page, "planning_5_compared")
    button(page, "Stop with the known plan").press("Enter")
    page.get_by_text("Stored in study.sqlite").wait_for()
    screenshot(page, "planning_6_stopped")
    page.get_by_text("stopped with plan 1").wait_for()
    [(_, game)] = Store(study).records(SWEEP)
    assert game.rounds[1].finish and game.chosen == game.rounds[0].best
    assert {answer.prefers for answer in game.rounds[0].feedback} <= {0, 1, None}
