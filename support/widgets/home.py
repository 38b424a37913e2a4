"""One event loop for all that a widget does: JupyterLab runs callbacks in a thread and loop of their own.

JupyterLab sends what happens in the browser to a subshell of the kernel, once there is one, and to the main shell
before: two threads, each with its loop. A future that one of them makes and the other one answers wakes nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


class Home:
    """The loop of whoever makes it, to come back to from wherever a callback runs.

    Examples
    --------
    >>> said = []
    >>> Home().run(lambda: said.append("no loop runs here: at once"))
    >>> len(said)
    1
    """

    def __init__(self) -> None:
        self.loop = running()

    def run(self, act: Callable[[], Any]) -> None:
        """Do something on this loop: at once where it is the one that runs here, soon otherwise."""
        if self.loop is None or self.loop is running() or self.loop.is_closed():
            act()
        else:
            self.loop.call_soon_threadsafe(act)


def running() -> asyncio.AbstractEventLoop | None:
    """The loop that runs in this thread, if one does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
