"""A real browser for labs, in which Voila serves one cell; and a lab's code run as the cell it is pasted into."""

import asyncio
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest
from browser import (
    browse,
    button,
    chromium,
    dropdown,
    screenshot,
    served,
    voila,
    window,
)
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


@pytest.fixture
def repeats(pasted):
    """A function that holds what each lab promises: the code that it shows, pasted into a cell, draws its figure."""

    def hold(lab, *parts, **names):
        shown = lab.view and bytes(lab.figure.value)
        assert str(escape(lab.code)) in lab.made.value and all(
            part in lab.code for part in parts
        )
        assert png(pasted(lab.code, **names)) == shown

    return hold


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
def played(store):
    """A function that makes a lab and plays it to the end, or has a coroutine play it, which is given the lab."""

    def play(make, talk=None, **settings):
        async def run():
            lab = make(store, **settings)
            await (talk(lab) if talk else lab.advance(to_the_end=True))
            lab.restart()  # ends what still listens
            return lab

        return asyncio.run(run())

    return play


@pytest.fixture(scope="session")
def within():
    """A function to the widgets of a kind in a widget, itself among them."""

    def find(widget, kind):
        children = [
            found
            for child in getattr(widget, "children", ())
            for found in find(child, kind)
        ]
        return [widget, *children] if isinstance(widget, kind) else children

    return find
