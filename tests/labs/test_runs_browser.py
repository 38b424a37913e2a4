"""The run viewer in a real browser, by keyboard, while another process stores a unit."""

import asyncio

import pytest

from support.errors import CallFailed
from support.models.cache import Cache
from support.models.fakes import scripted
from support.roundtable.records import Transcript
from support.runs.study import Store
from support.runs.sweep import Sweep

SOURCE = """
import sys
sys.path.insert(0, {tests!r})
from test_runs_browser import sweep
from support.runs.study import Store
from support.labs.runs import RunViewer
viewer = RunViewer(sweep(), Store({path!r}))
viewer.view
"""


async def ask(rng, rule, model=None):
    """A study of one question, which one rule cannot answer."""
    reply = await model.reply(f"By {rule}: <b>which</b>? It costs $5 or $6.")
    return Transcript({"text": reply.text}, rule, {}, ())


def sweep():
    return Sweep("votes", ask, {"rule": ["majority", "borda", "rated"]}, 2, 7)


def answer(messages):
    return CallFailed("no such rule") if "borda" in messages[-1]["content"] else "P1 <i>it is</i>"


@pytest.fixture
def played(study):
    """All units but the last two, borda's failed."""
    store = Store(study)
    part = Sweep("votes", ask, {"rule": ["majority", "borda"]}, 2, 7)
    asyncio.run(part.run(store, model=scripted(answer, "m", cache=Cache(study)), progress=False))
    return store


def test_units_are_chosen_by_keyboard_and_a_refresh_shows_new_ones(
    played, study, browse, button, dropdown, screenshot, keeps
):
    page = browse(SOURCE.format(tests=str(__file__).rpartition("/")[0], path=str(study)))
    page.get_by_text("2 done, 2 failed, 2 missing").wait_for()
    page.get_by_text("By majority: <b>which</b>? It costs $5 or $6.").wait_for()  # neither markup nor a formula
    page.locator(".widget-select select").press("ArrowDown")
    page.get_by_text("votes, repetition 1").wait_for()
    screenshot(page, "runs_1_first")

    dropdown(page, "units").select_option("failed")
    page.get_by_text("1 to 2 of 2 units, chosen from 6").wait_for()
    page.get_by_text("The unit failed.").wait_for()
    screenshot(page, "runs_2_failed")

    for unit in list(sweep().units())[4:]:
        played.add(unit, Transcript({}, "rated", {}, ()))
    button(page, "Refresh").press("Enter")
    page.get_by_text("4 done, 2 failed, 0 missing").wait_for()
    code = keeps(page, sweep=sweep(), store=played)
    assert "units='failed'" in code
    screenshot(page, "runs_3_code")
