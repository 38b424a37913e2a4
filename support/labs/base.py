"""What labs share: presses of buttons on the loop that made them, and words as HTML."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w

from support.errors import ConveneError

if TYPE_CHECKING:
    from jinja2 import Environment

SETTLE = 0.15
"""Seconds for the last typed letters to arrive: browsers send them behind the Enter that follows them."""


class Home:
    """The loop of whoever makes it, to come back to from wherever a callback runs.

    JupyterLab sends what happens in the browser to a subshell of the kernel, once there is one, and to the main shell
    before: two threads, each with its loop. A future that one of them makes and the other one answers wakes nobody.
    """

    def __init__(self) -> None:
        self.loop = running()

    def run(self, act: Callable[[], Any]) -> None:
        """Do something on this loop: at once where it is the one that runs here, soon otherwise."""
        if self.loop is None or self.loop is running() or self.loop.is_closed():
            act()
        else:
            self.loop.call_soon_threadsafe(act)


class Press:
    """Does one thing at a time in the background, once what was typed has arrived; an error is shown as words.

    `read` gives what stands in the fields; words on a refusal go into `error`; `started` is called at each press.
    """

    def __init__(self, read: Callable[[], Any], error: w.HTML) -> None:
        self.read, self.error, self.home = read, error, Home()
        self.task: asyncio.Task[None] | None = None
        self.started: Callable[[], None] = lambda: None

    def button(self, button: w.Button, act: Callable[[], Any]) -> None:
        """Let a button do it."""
        button.on_click(lambda _: self.start(act))

    def enter(self, field: w.Text, act: Callable[[], Any]) -> None:
        """Let the key Enter, in a field of one line, do it."""

        def heard(_: w.Text, content: Any, __: Any) -> None:
            if content.get("event") == "submit":
                self.start(act)

        field.on_msg(heard)

    def start(self, act: Callable[[], Any]) -> None:
        """Do it in the background; a second press, while the first is at work, does nothing more."""
        self.home.run(lambda: self._begin(act))

    def told(self, text: str) -> str:
        """What was refused, as HTML."""
        return warning(text)

    def _begin(self, act: Callable[[], Any]) -> None:
        self.started()
        if self.task is None or self.task.done():
            self.task = asyncio.ensure_future(self._do(act))

    async def _do(self, act: Callable[[], Any]) -> None:
        before: Any = self
        try:
            while before != (now := self.read()):
                before = now
                await asyncio.sleep(SETTLE)
            self.error.value = ""
            done = act()
            if asyncio.iscoroutine(done):
                await done
        except Exception as error:  # nobody awaits this task: it is told here
            self.error.value = self.told(words(error))


def running() -> asyncio.AbstractEventLoop | None:
    """The loop that runs in this thread, if one does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def templates(folder: Path, escapes: bool = True, **how: Any) -> Environment:
    """The templates of a folder; a name that is given nothing is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=escapes,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **how,
    )


@cache
def _template(name: str, escapes: bool) -> Any:
    return templates(Path(__file__).parent, escapes).get_template(name)


def fill(view: str, *values: Any) -> str:
    """One of the views of the labs' template, filled; every text in it is escaped."""
    return str(getattr(_template("labs.html.j2", True).module, view)(*values))


def cell(**values: Any) -> str:
    """The cell that makes a figure of the lab again."""
    return _template("cell.py.j2", False).render(values)


def warning(text: str) -> str:
    """Words on what went wrong, or cannot be, as HTML."""
    return fill("warning", text)


def words(error: BaseException) -> str:
    """What went wrong, in words; an error that is none of ours with its kind."""
    if isinstance(error, ConveneError):
        return str(error)
    return f"{type(error).__name__}: {error}"
