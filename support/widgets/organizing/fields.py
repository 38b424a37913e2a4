"""Small things that the forms of a rehearsal share: waiting for the last letters, words on what went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets as w

from support.errors import ConveneError
from support.labs import base
from support.labs.base import Home


class Press:
    """Does one thing at a time in the background, once what was typed has arrived; an error is shown as words.

    Parameters
    ----------
    read : callable
        Gives what stands in the fields.
    error : HTML
        Where words on a refusal go.

    Attributes
    ----------
    started : callable
        Called when somebody has it done.
    """

    def __init__(self, read: Callable[[], Any], error: w.HTML) -> None:
        self.read, self.error = read, error
        self.task: asyncio.Task[None] | None = None
        self.home = Home()
        self.started: Callable[[], None] = lambda: None
        error.add_class("convene-error")

    def button(self, button: w.Button, act: Callable[[], Any]) -> None:
        """Let a button do it."""
        button.on_click(lambda _: self.start(act))

    def enter(self, field: w.Text, act: Callable[[], Any]) -> None:
        """Let the key Enter, in a field of one line, do it."""
        field.on_msg(lambda _, content, __: self.start(act) if content.get("event") == "submit" else None)

    def start(self, act: Callable[[], Any]) -> None:
        """Do it in the background; a second press, while the first is at work, does nothing more."""
        self.home.run(lambda: self._begin(act))

    def _begin(self, act: Callable[[], Any]) -> None:
        self.started()
        if self.task is None or self.task.done():
            self.task = asyncio.ensure_future(self.do(act))

    async def do(self, act: Callable[[], Any]) -> None:
        """Do it once the fields stand still."""
        before: Any = self
        while before != (now := self.read()):
            before = now
            await asyncio.sleep(base.SETTLE)
        self.error.value = ""
        try:
            done = act()
            if asyncio.iscoroutine(done):
                await done
        except Exception as error:  # nobody awaits this task: what went wrong has to be shown here
            name = "" if isinstance(error, ConveneError) else f"{type(error).__name__}: "
            self.error.value = alert(name + str(error))


def alert(text: str) -> str:
    """Words on what was refused, as HTML that screen readers read at once."""
    return f'<span role="alert" style="color:#8a3b00;white-space:pre-wrap">{escape(text)}</span>' if text else ""


def wide(button: str, **look: Any) -> w.Button:
    """A button as wide as its words."""
    return w.Button(description=button, layout=w.Layout(width="auto", align_self="flex-start"), **look)


def row(*children: w.Widget, **layout: Any) -> w.HBox:
    """Widgets beside each other, on as many lines as they need."""
    return w.HBox(list(children), layout=w.Layout(flex_flow="row wrap", align_items="center", **layout))


def frame(colour: str) -> w.Layout:
    """The look of a form that waits for somebody; hidden at first."""
    return w.Layout(border=f"2px solid {colour}", padding="6px 10px", margin="4px 0", display="none", max_width="76rem")
