"""A model of the local server that several rooms share, and a clock that jumps."""

import asyncio
import os
import selectors
from contextlib import closing
from itertools import count
from types import SimpleNamespace

import pytest

from support.models import attempts, connect, money


class _Jumping(selectors.SelectSelector):
    now = 0.0

    def select(self, timeout=None):
        assert timeout is not None, "everything waits, and nothing is due: a deadlock"
        self.now += max(0.0, timeout)
        return super().select(0)


def in_virtual_time(main):
    """As `asyncio.run`, with a clock that jumps to the next thing that is due: an hour passes in a moment."""
    loop = asyncio.SelectorEventLoop(selector := _Jumping())
    loop.time = lambda: selector.now
    with pytest.MonkeyPatch.context() as patch, closing(loop):
        patch.setattr(attempts, "time", SimpleNamespace(monotonic=loop.time))
        return loop.run_until_complete(main)


@pytest.fixture(scope="session")
def run():
    return in_virtual_time


@pytest.fixture(scope="session")
def held():
    """A function to the US dollars of an account: spent, uncertain, set aside."""
    return lambda budget: [amount / money.UNIT for amount in budget._account()]


@pytest.fixture
def at(server, monkeypatch):
    """A function to a model of the server, whose retries wait for milliseconds; there are none unless it is said."""
    monkeypatch.setattr(attempts, "FIRST_WAIT", 0.002)
    return lambda **options: connect(
        "gpt-small", base_url=server.url, **{"max_retries": 0, **options}
    )


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A function that writes the user's own models.toml.

    Within one tick of the clock a file system sees no change.
    """
    path, ticks = tmp_path / "own.toml", count(1)
    monkeypatch.setenv("CONVENE_MODELS", str(path))

    def written(text="[models]"):
        path.write_text(text)
        tick = next(ticks)
        os.utime(path, (tick, tick))

    written()
    return written


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    """What a developer has set must not change what the tests see."""
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_ORG_ID",
        "OPENAI_LOG",
        "CONVENE_MODELS",
        "CONVENE_PURSE",
        "CONVENE_ESTIMATE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("support.models._connected", {})
