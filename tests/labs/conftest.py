"""A real browser for labs, in which Voila serves one cell; and a lab's code run as the cell it is pasted into."""

import asyncio
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest
from browser import browse, button, chromium, dropdown, screenshot, served, voila, window  # noqa: F401 (fixtures)
from markupsafe import escape

from support.draw import png
from support.labs import base


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
def repeats(pasted):
    """A function that holds what each lab promises: the code that it shows, pasted into a cell, draws its figure."""

    def hold(lab, **names):
        assert str(escape(lab.code)) in lab.made.value
        assert png(pasted(lab.code, **names)) == bytes(lab.figure.value)
        return lab.code

    return hold


@pytest.fixture
def study(tmp_path):
    """The file of a study."""
    return tmp_path / "study.sqlite"
