"""A real browser for labs, in which Voila serves one cell; and a lab's code run as the cell it is pasted into."""

import asyncio
import textwrap
from concurrent.futures import ThreadPoolExecutor
from html import escape

import pytest
from browser import browse, button, chromium, dropdown, screenshot, served, window  # noqa: F401 (fixtures)

from support.draw import FORMATS, png
from support.labs import base

BYTES = "async image => [...new Uint8Array(await (await fetch(image.src)).arrayBuffer())]"


@pytest.fixture(autouse=True)
def own_figures(monkeypatch, tmp_path):
    monkeypatch.setenv("CONVENE_FIGURES", str(tmp_path / "figures"))
    monkeypatch.setattr(base, "SETTLE", 0)


@pytest.fixture(scope="session")
def pasted():
    """A function from code and what the notebook holds to what the cell's last line gives."""

    def run(code, **names):
        *before, last = code.splitlines()
        cell = textwrap.indent("\n".join([*before, f"return {last}"]), "    ")
        exec(f"async def cell():\n{cell}", names)
        with ThreadPoolExecutor(1) as apart:  # Playwright keeps a loop in this thread
            return apart.submit(asyncio.run, names["cell"]()).result()

    return run


@pytest.fixture(scope="session")
def until():
    """A coroutine that waits until something is found, five seconds at most."""

    async def wait(found):
        for _ in range(500):
            if found():
                return
            await asyncio.sleep(0.01)
        pytest.fail("nothing happened for five seconds")

    return wait


@pytest.fixture
def keeps(tmp_path, pasted, button):  # noqa: F811
    """A function that holds what each lab promises: its figure is saved, and its copied code gives the same figure."""

    def hold(page, **names):
        button(page, "Save figure").click()
        page.get_by_text("Saved as").wait_for()
        assert sorted({path.suffix[1:] for path in (tmp_path / "figures").rglob("lab_*")}) == sorted([*FORMATS, "json"])
        page.get_by_text("The code of this figure, for a cell").click()
        button(page, "Copy").click()
        button(page, "Copied").wait_for()
        code = page.evaluate("navigator.clipboard.readText()")
        drawn = bytes(page.locator("img.widget-image, .widget-image img, img").first.evaluate(BYTES))
        assert png(pasted(code, **names)) == drawn, "what is pasted into a cell draws what the page shows"
        return code

    return hold


@pytest.fixture
def repeats(pasted):
    """The same promise without a browser: the code that a lab shows, pasted into a cell, draws its figure again."""

    def hold(lab, **names):
        lab.save_button.click()
        assert "Saved as" in lab.made.value and escape(lab.code) in lab.made.value
        assert png(pasted(lab.code, **names)) == bytes(lab.figure.value)
        return lab.code

    return hold


@pytest.fixture
def study(tmp_path):
    """The file of a study."""
    return tmp_path / "study.sqlite"
