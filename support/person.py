"""A person in a notebook: the form of a reply below the text that a model would read, and
buttons whose acts run on the loop that made them.

The fields are those of `form.html.j2`, as on a page of a room. What stands in them comes
to the kernel as JSON, by a field that is hidden.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import ipywidgets as w
from pydantic import BaseModel, ValidationError

from support.errors import ConveneError, InvalidInput
from support.forms import field_of, misfits, readable, template
from support.seats import Question, people

SETTLE = 0.15
"""Seconds for the last typed letters to arrive: browsers send them behind the Enter that follows them."""
NUMBERS = count(1)


# ---- what is pressed -------------------------------------------------------------------


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

    `read` gives what stands in the fields; words on a refusal go into `error`.
    """

    def __init__(self, read: Callable[[], Any], error: w.HTML) -> None:
        self.read = read
        self.error = error
        self.home = Home()
        self.task: asyncio.Task[None] | None = None

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

    def _begin(self, act: Callable[[], Any]) -> None:
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
            self.error.value = warning(words(error))


def running() -> asyncio.AbstractEventLoop | None:
    """The loop that runs in this thread, if one does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def warning(text: str) -> str:
    """Words on what went wrong, or cannot be, as HTML."""
    return str(_views().warning(text))


def words(error: BaseException) -> str:
    """What went wrong, in words; an error that is none of ours with its kind."""
    if isinstance(error, ConveneError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _views() -> Any:
    return template("form.html.j2").module


# ---- a form, and who fills it in -------------------------------------------------------


class Sheet:
    """The fields of a form. Display `view`.

    `reply` is what they hold, or an error in the words of the schema, with a mark beside
    each that does not fit; `focus` puts the cursor into the first.
    """

    def __init__(self, form: type[BaseModel], focus: bool = False) -> None:
        self.form = form
        self.field = field_of(form)
        self.name = f"sheet_{next(NUMBERS)}"
        self.kept = w.Textarea(layout=w.Layout(display="none"))
        self.kept.add_class("convene-kept")
        self.marks = w.HTML()
        fields = w.HTML(str(_views().sheet(self.field, self.name, focus)))
        self.view = w.VBox([fields, self.kept, self.marks])
        self.view.add_class("convene-sheet")

    def read(self) -> str:
        """All that stands there, as the page tells it."""
        return self.kept.value

    def reply(self) -> BaseModel:
        """What stands there; InvalidInput says what does not fit."""
        told = json.loads(self.read() or "{}")
        self.marks.value = ""
        try:
            return self.form.model_validate(told.get("reply", {}))
        except ValidationError as error:
            wrong = [each["loc"][0] for each in error.errors() if each["loc"]]
            self.marks.value = str(_views().marks(self.name, wrong))
            raise InvalidInput("\n".join(misfits(error, self.field))) from None


class PersonForm:
    """Shows the questions to one person, in the order in which they come. Display `view`.

    Send answers the one that is shown, as Enter does in a line and Ctrl+Enter elsewhere; an answer that does not fit
    stays, with the reason below it.
    """

    def __init__(self, name: str = "") -> None:
        self.waiting: list[Question] = []
        self.sheet: Sheet | None = None
        self._answered = False
        self.text = w.HTML()
        self.fields = w.VBox()
        self.error = w.HTML()
        self.send_button = w.Button(description="Send", button_style="primary")
        self.send_button.add_class("convene-send")
        self.press = Press(lambda: self.sheet and self.sheet.read(), self.error)
        self.press.button(self.send_button, self.send)
        head = w.HTML(str(_views().person(name)))
        shown = [head, self.text, self.fields, self.error, self.send_button]
        self.view = w.VBox(shown)
        self.view.add_class("convene-person")
        self._show()

    def ask(self, question: Question) -> None:
        """Show a question, or keep it until those before it are answered."""
        self.waiting.append(question)
        if len(self.waiting) == 1:
            self._show()

    def send(self) -> None:
        """Give what stands in the fields as the answer; one that does not fit raises."""
        if self.sheet is None:
            return
        self.waiting[0].answer(self.sheet.reply())
        self.waiting.pop(0)
        self._answered = True
        self._show()

    def _show(self) -> None:
        """The fields of the first question that waits; the focus goes along with who answers."""
        self.send_button.layout.display = "" if self.waiting else "none"
        if not self.waiting:
            self.sheet = None
            self.fields.children = ()
            self.text.value = str(_views().resting())
            return
        asked = self.waiting[0]
        first = not self._answered
        told = readable(asked.text), readable(asked.briefing), first
        self.text.value = str(_views().question(*told))
        self.sheet = Sheet(asked.form, focus=not first)
        self.fields.children = (self.sheet.view,)


class Forms:
    """A form for each person who is asked, as they come. Display `forms.view`."""

    def __init__(self) -> None:
        self.view = w.VBox()
        self.persons: dict[str, PersonForm] = {}

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Within it, whoever is a person in any study is asked here."""
        questions: asyncio.Queue[Question] = asyncio.Queue()
        listening = asyncio.ensure_future(self._listen(questions))
        try:
            with people(questions):
                yield
        finally:
            listening.cancel()
            self.persons = {}
            self.view.children = ()

    async def _listen(self, questions: asyncio.Queue[Question]) -> None:
        while True:
            question = await questions.get()
            if question.me not in self.persons:
                self.persons[question.me] = PersonForm(question.me)
                shown = [person.view for person in self.persons.values()]
                self.view.children = tuple(shown)
            self.persons[question.me].ask(question)
