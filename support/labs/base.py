"""What labs share: controls of a study's settings, presses of buttons, a figure with its files and its code."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import ipywidgets as w

from support.draw import png
from support.errors import ConveneError, InvalidInput
from support.models.profiles import MODEL, is_model
from support.notebook import save as save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

SEEDS = (0, 2**31 - 1)

SETTLE = 0.15
"""Seconds for the last typed letters to arrive: browsers send them behind the Enter that follows them."""

ROW = {"flex_flow": "row wrap"}


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
        field.on_msg(
            lambda _, content, __: (
                self.start(act) if content.get("event") == "submit" else None
            )
        )

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
        except (
            Exception
        ) as error:  # nobody awaits this task: what went wrong has to be shown here
            self.error.value = self.told(words(error))


def running() -> asyncio.AbstractEventLoop | None:
    """The loop that runs in this thread, if one does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def controls(
    study: Callable[..., Any], ranges: Mapping[str, Any], **start: Any
) -> dict[str, Any]:
    """A control for each of a study's parameters that has a range: a pair of numbers, some choices, or `bool`.

    What `start` does not say begins at the function's own default; a name that no
    control has is refused.

    >>> shown = controls(lambda rng, rule, rounds=10: None, {"rule": ["borda"], "rounds": (1, 20)}, rule="borda")
    >>> [control.value for control in shown.values()]
    ['borda', 10]
    """
    if unknown := start.keys() - ranges.keys():
        raise InvalidInput(f"{unknown} given; expected some of {set(ranges)}")
    first = {
        name: parameter.default
        for name, parameter in inspect.signature(study).parameters.items()
    } | start
    return {
        name: control(name, allowed, first[name]) for name, allowed in ranges.items()
    }


def control(name: str, allowed: Any, value: Any) -> Any:
    """The control of one setting; a list says what may be chosen, as values or pairs of words and a value."""
    look: dict[str, Any] = {
        "description": name.replace("_", " "),
        "layout": w.Layout(width="20rem"),
        "style": {"description_width": "7.5rem"},
    }
    if allowed is bool:
        return w.Checkbox(value=value, **look | {"indent": False})
    match allowed:
        case (float(low), float(high)):
            step = (high - low) / 20
            return w.FloatSlider(
                value=value,
                min=low,
                max=high,
                step=step,
                continuous_update=False,
                **look,
            )
        case (int(low), int(high)) if high > 1000:
            return w.BoundedIntText(value=value, min=low, max=high, **look)
        case (int(low), int(high)):
            return w.IntSlider(
                value=value, min=low, max=high, continuous_update=False, **look
            )
    return w.Dropdown(options=list(allowed), value=value, **look)


def offered(
    kinds: Iterable[str], model: ChatModel | str | None, chosen: str = ""
) -> list[str]:
    """The kinds of a menu: "model" where there is one, and the one that is chosen at first, where it is a model's name.

    >>> offered(["rule-based", "model"], None, "model:chat")
    ['rule-based', 'model:chat']
    """
    kept = [kind for kind in kinds if model or kind != MODEL]
    return [*kept, chosen] if is_model(chosen) and chosen not in kept else kept


@cache
def _views() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    look: dict[str, Any] = {
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "lstrip_blocks": True,
    }
    folder = FileSystemLoader(Path(__file__).parent)
    return (
        Environment(loader=folder, autoescape=True, **look)
        .get_template("labs.html.j2")
        .module
    )


def fill(view: str, *values: Any) -> str:
    """One of the views of the labs' template, filled; every text in it is escaped."""
    return str(getattr(_views(), view)(*values))


def warning(text: str) -> str:
    """Words on what went wrong, or cannot be, as HTML."""
    return fill("warning", text)


def words(error: BaseException) -> str:
    """What went wrong, in words; an error that is none of ours with its kind."""
    return (
        str(error)
        if isinstance(error, ConveneError)
        else f"{type(error).__name__}: {error}"
    )


def name_of(value: Any) -> str:
    """The name under which the notebook holds something, for code of another cell of it."""
    from IPython import get_ipython

    shell = get_ipython()
    for name, held in (shell.user_ns if shell else {}).items():
        if held is value and not name.startswith("_"):
            return name
    return getattr(value, "__name__", type(value).__name__.lower())


def held(value: Any, otherwise: str) -> str:
    """Replaced soon."""
    return name_of(value)


def blank(width: float, height: float) -> tuple[Figure, Any]:
    """A new figure of this size in inches, and its Axes."""
    from matplotlib.figure import Figure

    fig = Figure(figsize=(width, height), layout="constrained")
    return fig, fig.subplots()


class Lab(ABC):
    """Controls over one figure, which can be saved, and whose code is shown. Display `lab.view`.

    Public: `settings`, what is shown; `draw()`, the figure, for a page without a kernel; `code`; `save()`.
    `given` is what the lab is made with beside its settings: expressions, those without a name first.
    """

    study: ClassVar[str]
    """The folder of its figures."""
    page: w.VBox

    def __init__(self, width: str, given: Mapping[str, str] | None = None) -> None:
        self.controls: dict[str, Any] = {}
        self._given = dict(given or {})
        self.figure = w.Image(
            format="png", layout=w.Layout(width="100%", max_width=width)
        )
        self.status, self.made = w.HTML(), w.HTML()
        self.save_button = w.Button(
            description="Save figure",
            tooltip="as PNG, SVG and PDF, with what produced it",
        )
        self.save_button.on_click(lambda _: self._saved())
        self.kept = w.VBox([self.save_button, self.made])
        self._at_rest, self._looked_at = True, False

    @property
    def view(self) -> w.VBox:
        """The lab's page. From the first look at it the figure is drawn anew at every change, and not before."""
        if not self._looked_at:
            self._looked_at = True
            self._redraw()
        return self.page

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def given(self) -> dict[str, str]:
        """What the lab is made with."""
        return self._given

    @property
    def who(self) -> str:
        """Whose doing the figure shows, for its provenance."""
        return "as stored in the records that are shown"

    @abstractmethod
    def draw(self) -> Figure:
        """The figure as it is now."""

    @property
    def code(self) -> str:
        """A cell that makes the same figure."""
        made = [
            f"{name}={value}" if name.isidentifier() else value
            for name, value in self.given.items()
        ]
        made += [f"{name}={value!r}" for name, value in self.settings.items()]
        name = type(self).__name__
        arguments = "".join(f"    {argument},\n" for argument in made)
        return f"from {type(self).__module__} import {name}\n\nlab = {name}(\n{arguments})\n{self._last_line}"

    @property
    def _last_line(self) -> str:
        return "lab.draw()"

    def save(self) -> Path:
        """Write the figure as PNG, SVG and PDF with its provenance and code; other settings, another file."""
        digest = hashlib.sha256(
            json.dumps(self.settings, default=str).encode()
        ).hexdigest()[:8]
        told = {
            "parameters": self.settings,
            "participants": self.who,
            "seed": self.settings.get("seed"),
        }
        return save_figure(
            self.draw(), self.study, f"lab_{digest}", {**told, "code": self.code}
        )

    def _saved(self) -> None:
        try:
            path = self.save()
        except ConveneError as error:
            self._tell(warning(str(error)))
        else:
            self._show_code(
                f"Saved as {path.parent.name}/{path.stem}.png, .svg and .pdf. "
            )

    def _show_code(self, said: str = "") -> None:
        self.made.value = fill("code", said, self.code)

    def _redraw(self) -> None:
        """Put what `draw` draws into `figure`, where somebody looks, and show its code."""
        if self._looked_at:
            self.figure.value = png(self.draw())
        self._show_code()

    def _tell(self, text: str) -> None:
        self.status.value = f'<div class="convene-status" role="status">{text}</div>'
