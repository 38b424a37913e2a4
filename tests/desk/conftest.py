"""A desk without a browser, and a real browser for it."""

import asyncio
import sys
from pathlib import Path

import pytest
from browser import button, chromium, screenshot, served, voila, window  # noqa: F401 (fixtures)

from support import person
from support.desk import desk as desks
from support.desk.desk import Desk
from support.seminars.journal import begin, names

sys.path.insert(0, str(Path(__file__).parent))
from at_desk import SHOWN, until
from seminar_playing import setup_of


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(person, "SETTLE", 0)
    monkeypatch.setattr(desks, "REDRAWN", 0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


@pytest.fixture
def worked(path):
    """A function from what somebody does at a desk, and settings, to what comes of it."""

    def run(work, **settings):
        async def at_work():
            if not names(path):
                setup = setup_of(**{"delegation": SHOWN} | settings)
                begin(path, "autumn", setup.to_json())
            desk = Desk(path)
            try:
                await until(lambda: desk.open_one or desk.cards)
                return await work(desk)
            finally:
                await desk.close()

        return asyncio.run(at_work())

    return run
