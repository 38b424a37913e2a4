"""One lab for every study: settings, who sits where, round by round, the notebook's own figure.

    ranges = {"rule": RULES, "rounds": (1, 20), "seats": {"Ana": kinds, "Ben": kinds}}
    Lab(roundtable_exchange, show, store, ranges, agents=2, seed=SEED).view

The study's function says what can be set, `ranges` what of it has a control.
`show(record)` makes the figure of what was played so far.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np

from support.errors import InvalidInput
from support.labs.base import cell, fill
from support.models import serving
from support.models.profiles import models_in
from support.person import Forms, Home, warning, words
from support.play import held
from support.plots.figure import finish
from support.plots.figure import save as written
from support.roundtable.fork import Start, starting
from support.roundtable.records import Transcript
from support.runs.study import Store, Unit
from support.seats import HUMAN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PACE = 0.5
"""Seconds between two drawings, at least."""
SEEDS = (0, 2**31 - 1)
LARGE = 1000
"""From here on a number is typed and has no slider."""
FORKED = {"rule", "mechanism", "stop", "tie_break", "rounds", "seats"}
"""What may be another from a round on."""


class Lab:
    """A study to play and to look at. Display `view`.

    `ranges` says by setting what is offered: a list of values, a pair of numbers, `bool`,
    or {seat: values}. A person is the kind "human", a model any "model:NAME" among the
    values. `settings` are what is set at first, and what has no control. `told(record)`
    is HTML of one round, given as a record of that round alone.
    """

    def __init__(
        self,
        study: Callable[..., Awaitable[Any]],
        show: Callable[[Any], Figure],
        store: Store,
        ranges: Mapping[str, Any],
        *,
        told: Callable[[Any], str] | None = None,
        seed: int = 1,
        **settings: Any,
    ) -> None:
        self.study = study
        self.show = show
        self.store = store
        self.told = told
        self.name = f"lab, {study.__name__}"
        first = _first(study, {*ranges, *settings}) | settings
        self.fixed = {name: settings[name] for name in settings.keys() - ranges.keys()}
        self.controls: dict[str, Any] = {}
        for name, allowed in ranges.items():
            self.controls[name] = _control(name, allowed, first[name])
        self.controls["seed"] = _control("seed", SEEDS, seed)
        self.home = Home()
        self.task: asyncio.Task[None] | None = None
        self.due: asyncio.TimerHandle | None = None
        self.drawn = -math.inf
        self._make_page()
        self.renew()

    def _make_page(self) -> None:
        """The page, from top to bottom."""
        self.step_button = self._button("Next round", lambda: self.start(1))
        self.step_button.button_style = "primary"
        self.end_button = self._button("To the end", lambda: self.start(math.inf))
        self.stop_button = self._button("Stop", self.stop)
        self.new_button = self._button("New", self.renew)
        self.fork_button = self._button("Fork after it", self.fork)
        self.save_button = self._button("Save figure", self.save)
        self.status = w.HTML()
        self.cell = w.HTML()
        self.words = w.HTML()
        self.forms = Forms()
        self.forked = w.HTML()
        self.before = w.Image(format="png")
        self.figure = w.Image(format="png")
        self.round = w.IntSlider(
            description="round",
            min=1,
            max=1,
        )
        self.round.observe(lambda _: self.home.run(self._draw_soon), "value")
        shown = [each for one in self.controls.values() for each in _widgets(one)]
        for each in shown:
            each.observe(lambda _: self.home.run(self.restart), "value")
        playing = [self.step_button, self.end_button, self.stop_button, self.new_button]
        looking = [self.round, self.fork_button, self.save_button]
        rows = [w.Box(shown), w.Box(playing), self.status, self.forms.view]
        rows += [
            self.forked,
            self.before,
            self.figure,
            w.Box(looking),
            self.cell,
            self.words,
        ]
        self.view = w.VBox([w.HTML(fill("lab")), *rows])
        self.view.add_class("convene-lab")

    def _button(self, name: str, act: Callable[[], Any]) -> w.Button:
        button = w.Button(description=name)
        button.on_click(lambda _: self.home.run(act))
        return button

    @property
    def settings(self) -> dict[str, Any]:
        """What the study is called with, the seed of its stream among it."""
        shown = {name: _value(control) for name, control in self.controls.items()}
        return {**self.fixed, **shown}

    def _seats_a(self, *kinds: str) -> bool:
        text = json.dumps(self.settings, default=str)
        return any(f'"{kind}"' in text for kind in kinds)

    # ---- playing ---------------------------------------------------------------------

    def renew(self) -> None:
        """Begin anew, from the first round."""
        self.origin: Any = None
        self.known: dict[str, Any] = {}
        self.before.value = b""
        self.restart()

    def restart(self) -> None:
        """Begin anew under the settings that are shown; a fork where it forks."""
        if self.task:
            self.task.cancel()
        self.task = None
        self.unit: Unit | None = None
        self.record = self.origin
        self.over = False
        self.left = 0.0
        self.go = asyncio.Event()
        self.rest = asyncio.Event()
        for name, control in self.controls.items():
            for each in _widgets(control):
                each.disabled = self.origin is not None and name not in FORKED
        self._tell("Choose, then press <b>Next round</b>, or play to the end.")
        self._changed()

    def start(self, rounds: float) -> None:
        """Play so many rounds more, in the background."""
        if self.over:
            return
        if self.left > 0:
            self._tell("A round is being played; who is asked below is waited for.")
            return
        self.left = rounds
        self.rest.clear()
        self.go.set()
        if self.task is None:
            self.task = asyncio.ensure_future(self._play())
        self._tell(f"Round {self.played + 1} is being played.")

    async def play(self, rounds: float = math.inf) -> None:
        """Play so many rounds more, and wait until they are played."""
        self.start(rounds)
        await self.rest.wait()

    def stop(self) -> None:
        """Play no round after the one that is being played."""
        self.left = min(self.left, 1)

    @property
    def played(self) -> int:
        """How many rounds were."""
        return len(getattr(self.record, "rounds", ()))

    async def _play(self) -> None:
        settings = self.settings | self._seated
        rng = np.random.default_rng(settings.pop("seed"))
        try:
            with ExitStack() as stack:
                stack.enter_context(self.forms.asked())
                stack.enter_context(held(self._hold))
                stack.enter_context(serving(cache=self.store.path))
                if self.origin is not None:
                    stack.enter_context(starting(self._start))
                self.record = await self.study(rng, **settings)
            self._end()
        except Exception as error:  # nobody awaits this task: it is told here
            self.task = None
            self._pause(warning(words(error)))

    async def _hold(self, record: Any) -> None:
        """Keep what was played, and wait until another round is wanted."""
        if self.origin is not None and len(record.rounds) <= len(self.origin.rounds):
            return
        self.record = record
        self._changed()
        self.left -= 1
        if self.left <= 0:
            self._pause(f"Round {self.played} is played.")
        await asyncio.sleep(0)  # "Stop" is heard
        await self.go.wait()

    def _pause(self, said: str) -> None:
        self.left = 0
        self.go.clear()
        self.rest.set()
        self._tell(said)

    def _end(self) -> None:
        self.over = True
        unit = self._kept()
        self._changed()
        place = f"{self.store.path.name} as play {unit.repetition} of “{self.name}”"
        self._pause(f"Finished after {self.played} rounds, stored in {place}.")

    def _kept(self) -> Unit:
        """What was played is in the study's file."""
        if self.unit is None:
            about = {"settings": self.settings, "played": self.played}
            about |= {"fork": self._forked}
            plain = json.loads(json.dumps(about, default=_expression))
            self.unit = self.store.save(self.name, self.record, plain)
        return self.unit

    # ---- what would have been --------------------------------------------------------

    def fork(self) -> None:
        """Go on after the round that is chosen, under what is changed next."""
        rounds = self.record.rounds[: self.round.value]
        self.known = self.settings
        self.before.value = self.figure.value
        self.origin = replace(self.record, rounds=rounds)
        self.restart()
        self._tell(f"Change a setting, and it goes on after round {len(rounds)}.")

    @property
    def _start(self) -> Start:
        newcomers = {}
        for seat, kind in self.settings.get("seats", {}).items():
            if self.known["seats"][seat] != kind:
                newcomers[seat] = kind
        return Start(self.origin, len(self.origin.rounds) + 1, seats=newcomers)

    @property
    def _seated(self) -> dict[str, Any]:
        """In a fork, who sat there first."""
        return {name: self.known[name] for name in {"seats"} & self.known.keys()}

    @property
    def _forked(self) -> dict[str, Any] | None:
        if self.origin is None:
            return None
        return {"after": len(self.origin.rounds), "of": self.known}

    # ---- what is shown ---------------------------------------------------------------

    def _changed(self) -> None:
        """Something else was played."""
        newest = self.round.value == self.round.max
        self.round.max = max(self.played, 1)
        if newest:
            self.round.value = self.round.max
        forks = isinstance(self.record, Transcript) and self.origin is None
        self.fork_button.disabled = not forks
        self.save_button.disabled = self.record is None
        self.step_button.disabled = self.end_button.disabled = self.over
        self.cell.value = ""
        self._draw_soon()

    def _draw_soon(self) -> None:
        """Draw, twice a second at most."""
        if self.due is None:
            loop = asyncio.get_running_loop()
            self.due = loop.call_at(self.drawn + PACE, self._draw)

    def _draw(self) -> None:
        self.due = None
        if self.record is not None:
            self.figure.value = png(self.show(self.record))
            self.words.value = self._said()
        self.forked.value = fill("hint", "As it was:") if self.before.value else ""
        for image in (self.before, self.figure):
            image.layout.display = "" if self.record and image.value else "none"
        self.drawn = asyncio.get_running_loop().time()

    def _said(self) -> str:
        """What was said in the round that is chosen; who sits there sees it at the end."""
        if self.told is None:
            return ""
        if self._seats_a(HUMAN) and not self.over:
            return fill("hint", "What the others said is shown at the end.")
        at = self.round.value
        return self.told(replace(self.record, rounds=self.record.rounds[at - 1 : at]))

    def _tell(self, text: str) -> None:
        self.status.value = f'<div role="status">{text}</div>'

    # ---- what is kept ----------------------------------------------------------------

    def save(self) -> Path:
        """Write the figure as PNG, SVG and PDF, and show the cell that does it again."""
        from matplotlib import pyplot

        if self.record is None:
            raise InvalidInput("nothing was played yet: press Next round")
        figure = self.show(self.record)
        pyplot.close(figure)
        path = written(figure, self.study.__name__, self.file, self._about)
        told = f"Saved as {path.parent.name}/{path.stem}.png, .svg and .pdf. "
        self.cell.value = fill("code", told, self.code)
        return path

    @property
    def file(self) -> str:
        """What the figure's files are called: other settings, other files."""
        about = [self.settings, self.played, self._forked]
        text = json.dumps(about, default=_expression)
        return f"lab_{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    @property
    def _about(self) -> dict[str, Any]:
        """What the figure says of where it comes from."""
        plain = json.loads(json.dumps(self.settings, default=_expression))
        seed = plain.pop("seed")
        seats = getattr(self.record, "seats", {}).items()
        who = ", ".join(f"{seat}: {kind}" for seat, kind in seats)
        return {
            "parameters": plain,
            "participants": who,
            "seed": seed,
        }

    @property
    def code(self) -> str:
        """A cell that makes the figure of what was played, and its files.

        Where a person or a model spoke it reads the record: they need not say it again.
        """
        spoken = self._seats_a(HUMAN) or models_in(self.settings)
        told = {
            "lab": self,
            "unit": self._kept() if spoken else None,
            "rounds": None if self.over else self.played,
            "start": None if self.origin is None else self._start,
            "again": self.settings | self._seated,
            "about": self._about,
            "named": name_of,
            "code": _expression,
        }
        return cell(**told)


# ---- controls --------------------------------------------------------------------------


def _first(study: Callable[..., Any], names: set[str]) -> dict[str, Any]:
    """The first values of a study's settings; a name that it does not take is refused."""
    taken = inspect.signature(study).parameters
    if unknown := names - taken.keys():
        given = ", ".join(sorted(unknown))
        known = ", ".join(taken)
        raise InvalidInput(f"{given} given; {study.__name__} takes {known}")
    return {name: one.default for name, one in taken.items()}


def _control(name: str, allowed: Any, value: Any) -> Any:
    """The control of a setting, or one for each seat."""
    if isinstance(allowed, Mapping):
        made = {}
        for seat, kinds in allowed.items():
            kind = value[seat] if isinstance(value, Mapping) else value
            made[seat] = _control(seat, kinds, kind)
        return made
    look: dict[str, Any] = {"description": name.replace("_", " ")}
    if allowed is bool:
        return w.Checkbox(
            value=value,
            indent=False,
            **look,
        )
    if isinstance(allowed, tuple):
        low, high = allowed
        look |= {
            "min": low,
            "max": high,
            "value": value,
        }
        if isinstance(high, float):
            return w.FloatSlider(**look)
        return w.BoundedIntText(**look) if high > LARGE else w.IntSlider(**look)
    options = list(dict.fromkeys(allowed))
    if value is inspect.Parameter.empty:
        value = options[0]
    if value not in options:
        raise InvalidInput(f"{name}: {value!r} given; expected one of {options}")
    return w.Dropdown(
        options=options,
        value=value,
        **look,
    )


def _widgets(control: Any) -> list[Any]:
    return [*control.values()] if isinstance(control, dict) else [control]


def _value(control: Any) -> Any:
    if isinstance(control, dict):
        return {seat: one.value for seat, one in control.items()}
    return control.value


def _expression(value: Any) -> str:
    """A value as code: itself, or its name in the notebook."""
    try:
        json.dumps(value)
    except TypeError:
        return name_of(value)
    return repr(value)


def name_of(value: Any) -> str:
    """The name under which the notebook holds something, for code of another cell of it."""
    from IPython import get_ipython

    shell = get_ipython()
    for name, one in (shell.user_ns if shell else {}).items():
        if one is value and not name.startswith("_"):
            return name
    return getattr(value, "__name__", type(value).__name__.lower())


def png(figure: Figure) -> bytes:
    """A figure as the bytes of a PNG, laid out and drawn once, where `savefig` draws it
    twice; pyplot does not show it once more."""
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    pyplot.close(figure)
    figure.dpi = 96
    finish(figure)
    buffer = BytesIO()
    FigureCanvasAgg(figure).print_png(buffer)
    return buffer.getvalue()
