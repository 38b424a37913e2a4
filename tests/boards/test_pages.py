"""Boards in a real browser: they fit their panels, open by key, keep their names in sight, and run nothing."""

import os
import shutil
from dataclasses import replace

import pytest

from support.boards.calendar import calendar_to_html
from support.boards.chat import chat_to_html
from support.boards.correspondence import correspondence_to_html
from support.boards.grid import grid_to_html
from support.seminar.rules import load_policies

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip
NEEDS = "apt-get install chromium (Debian), or any chromium on the PATH"


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail(f"no chromium on this machine, and CI has to run the browser test: {NEEDS}")
        pytest.skip(f"no chromium on this machine: {NEEDS}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def show(browser):
    """A function from a board and the width of its panel, in rem, to its page."""
    pages = []

    def open_page(board, width):
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.route("**", lambda route: route.abort())
        page.set_content(f'<!doctype html><body><div id="panel" style="width:{width}rem">{board}</div>')
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()


@pytest.fixture(scope="module")
def boards(played):
    days, desk = played("series", 12)
    policies = load_policies("seed")
    return {
        "grid": grid_to_html(desk),
        "calendar": calendar_to_html(desk),
        "correspondence": correspondence_to_html(desk, [flag for day in days for flag in day.flags]),
        "chat": chat_to_html(days, None, policies),
    }


WIDER = "(p => p.scrollWidth - p.clientWidth)(document.querySelector('#panel'))"


def test_no_board_is_wider_than_its_panel_even_with_every_fold_open(boards, show):
    page = show("".join(boards.values()).replace("<details", "<details open"), 18)
    for width in (18, 26, 34, 76):
        page.evaluate(f"document.querySelector('#panel').style.width = '{width}rem'")
        assert page.evaluate(WIDER) <= 1, width


def test_ten_dates_of_twenty_three_people_fit_a_panel_of_34_rem(boards, show):
    page = show(boards["grid"], 34)
    assert page.evaluate(WIDER.replace("#panel", ".scroll")) <= 1


def test_names_stay_in_sight_while_dates_are_scrolled(boards, show):
    page = show(boards["grid"], 18)
    where = "document.querySelector('tbody th').getBoundingClientRect().left"
    before = page.evaluate(where)
    page.evaluate("document.querySelector('.scroll').scrollLeft = 200")
    assert page.evaluate("document.querySelector('.scroll').scrollLeft") > 50 and page.evaluate(where) == before


def test_a_thread_opens_by_key(boards, show):
    page = show(boards["correspondence"], 34)
    assert page.locator("details[open]").count() == 0
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details[open]").count() == 1
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("details.mail[open] .text").first.is_visible()


def test_a_word_without_end_breaks_and_nothing_of_a_mail_runs(make_desk, mail, show):
    name = "A" * 3000
    bad = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>' + "b" * 3000
    mails = [replace(mail(1, 1, "reply", name), subject=bad, body=bad)]
    slot = next(iter(make_desk({name: {}}).state.slots))
    desk = make_desk({name: {"confirmed": (slot,)}}, {slot: (name,)}, mails)
    boards = grid_to_html(desk) + calendar_to_html(desk) + correspondence_to_html(desk, person=name)
    page = show(boards.replace("<details", "<details open"), 26)
    assert page.evaluate(WIDER) <= 1 and page.evaluate(WIDER.replace("#panel", ".grid .scroll")) <= 1
    assert page.evaluate("window.ran") is None and page.locator("img, script").count() == 0
