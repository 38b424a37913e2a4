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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np

from support import draw
from support.errors import InvalidInput
from support.labs.base import Home, fill, name_of, warning, words
from support.labs.person import PersonForm
from support.models import serving
from support.models.profiles import models_in
from support.play import held
from support.roundtable.fork import Start, starting
from support.roundtable.records import Transcript
from support.runs.study import Store, Unit
from support.seats import HUMAN, Question, people

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
        self.study, self.show, self.store, self.told = study, show, store, told
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
        self.status, self.cell, self.words = w.HTML(), w.HTML(), w.HTML()
        self.forms = w.VBox()
        self.before, self.figure = w.Image(format="png"), w.Image(format="png")
        self.round = w.IntSlider(description="round", min=1, max=1)
        self.round.observe(lambda _: self.home.run(self._draw_soon), "value")
        shown = [each for one in self.controls.values() for each in _widgets(one)]
        for each in shown:
            each.observe(lambda _: self.home.run(self.restart), "value")
        playing = [self.step_button, self.end_button, self.stop_button, self.new_button]
        looking = [self.round, self.fork_button, self.save_button]
        rows = [w.Box(shown), w.Box(playing), self.status, self.forms]
        rows += [self.before, self.figure, w.Box(looking), self.cell, self.words]
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
        self.record, self.over, self.left = self.origin, False, 0.0
        self.go, self.rest = asyncio.Event(), asyncio.Event()
        self.persons: dict[str, PersonForm] = {}
        self.forms.children = ()
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
        self._tell(f"Round {self._played + 1} is being played.")

    async def play(self, rounds: float = math.inf) -> None:
        """Play so many rounds more, and wait until they are played."""
        self.start(rounds)
        await self.rest.wait()

    def stop(self) -> None:
        """Play no round after the one that is being played."""
        self.left = min(self.left, 1)

    @property
    def _played(self) -> int:
        return len(getattr(self.record, "rounds", ()))

    async def _play(self) -> None:
        questions: asyncio.Queue[Question] = asyncio.Queue()
        listening = asyncio.ensure_future(self._listen(questions))
        settings = self.settings | self._seated
        rng = np.random.default_rng(settings.pop("seed"))
        try:
            with ExitStack() as stack:
                stack.enter_context(people(questions))
                stack.enter_context(held(self._hold))
                stack.enter_context(serving(cache=self.store.path))
                if self.origin is not None:
                    stack.enter_context(starting(self._start))
                self.record = await self.study(rng, **settings)
            self._end()
        except Exception as error:  # nobody awaits this task: it is told here
            self.task = None
            self._pause(warning(words(error)))
        finally:
            listening.cancel()

    async def _hold(self, record: Any) -> None:
        """Keep what was played, and wait until another round is wanted."""
        if self.origin is not None and len(record.rounds) <= len(self.origin.rounds):
            return
        self.record = record
        self._changed()
        self.left -= 1
        if self.left <= 0:
            self._pause(f"{self._played} played.")
        await asyncio.sleep(0)  # "Stop" is heard
        await self.go.wait()

    def _pause(self, said: str) -> None:
        self.left = 0
        self.go.clear()
        self.rest.set()
        self._tell(said)

    def _end(self) -> None:
        self.over = True
        self.forms.children = ()
        unit = self._kept()
        self._changed()
        place = f"{self.store.path.name} as play {unit.repetition} of “{self.name}”"
        self._pause(f"Finished after {self._played} rounds, stored in {place}.")

    def _kept(self) -> Unit:
        """What was played is in the study's file."""
        if self.unit is None:
            about = {"settings": self.settings, "played": self._played}
            about |= {"fork": self._forked}
            plain = json.loads(json.dumps(about, default=_expression))
            self.unit = self.store.save(self.name, self.record, plain)
        return self.unit

    async def _listen(self, questions: asyncio.Queue[Question]) -> None:
        """Show people what they are asked."""
        while True:
            question = await questions.get()
            if question.me not in self.persons:
                self.persons[question.me] = PersonForm(question.me)
                views = [person.view for person in self.persons.values()]
                self.forms.children = tuple(views)
            self.persons[question.me].ask(question)

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
        self.round.max = max(self._played, 1)
        if newest:
            self.round.value = self.round.max
        forks = isinstance(self.record, Transcript) and self.origin is None
        self.fork_button.disabled = not forks
        self.save_button.disabled = self.record is None
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
        if self.record is None:
            raise InvalidInput("nothing was played yet: press Next round")
        figure = self.show(self.record)
        path = draw.save(figure, self.study.__name__, self._file, self._about)
        png(figure)
        told = f"Saved as {path.parent.name}/{path.stem}.png, .svg and .pdf. "
        self.cell.value = fill("code", told, self.code)
        return path

    @property
    def _file(self) -> str:
        about = [self.settings, self._played, self._forked]
        text = json.dumps(about, default=_expression)
        return f"lab_{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    @property
    def _about(self) -> dict[str, Any]:
        """What the figure says of where it comes from."""
        plain = json.loads(json.dumps(self.settings, default=_expression))
        seed = plain.pop("seed")
        seats = getattr(self.record, "seats", {}).items()
        who = ", ".join(f"{seat}: {kind}" for seat, kind in seats)
        return {"parameters": plain, "participants": who, "seed": seed}

    @property
    def code(self) -> str:
        """A cell that makes the figure of what was played, and its files.

        Where a person or a model spoke, it reads the record: they need not say it again.
        """
        lines = ["from support import draw"]
        if self._seats_a(HUMAN) or models_in(self.settings):
            unit, store = self._kept(), name_of(self.store)
            lines += ["from support.runs.study import Unit", ""]
            place = f"{unit.sweep!r}, {unit.text!r}, {unit.repetition}"
            lines.append(f"record = {store}.record(Unit({place}))")
        else:
            lines += self._again()
        lines.append(f"figure = {name_of(self.show)}(record)")
        where = f"{self.study.__name__!r}, {self._file!r}"
        lines.append(f"path = draw.save(figure, {where}, {self._about!r})")
        return "\n".join(lines)

    def _again(self) -> list[str]:
        """The lines that play it again."""
        study = self.study
        lines = ["import numpy as np", "from support.play import after"]
        if study.__module__ != "__main__":
            lines.append(f"from {study.__module__} import {study.__name__}")
        rounds = math.inf if self.over else self._played
        if self.origin is None:
            return [*lines, "", *self._call(self.settings, rounds)]
        start = self._start
        lines += ["from support.roundtable.fork import Start, starting", ""]
        lines += self._call(self.known, start.at - 1)
        lines.append(f"start = Start(record, {start.at}, seats={start.seats!r})")
        lines.append("with starting(start):")
        for line in self._call(self.settings | self._seated, rounds):
            lines.append(f"    {line}")
        return lines

    def _call(self, settings: Mapping[str, Any], rounds: float) -> list[str]:
        given = dict(settings)
        lines = [f"play = {self.study.__name__}("]
        lines.append(f"    np.random.default_rng({given.pop('seed')}),")
        for name, value in given.items():
            lines.append(f"    {name}={_expression(value)},")
        awaited = "play" if rounds == math.inf else f"after({rounds}, play)"
        return [*lines, ")", f"record = await {awaited}"]


# ---- controls --------------------------------------------------------------------------


def _first(study: Callable[..., Any], names: set[str]) -> dict[str, Any]:
    """The first values of a study's settings; a name that it does not take is refused."""
    taken = inspect.signature(study).parameters
    if unknown := names - taken.keys():
        given, known = ", ".join(sorted(unknown)), ", ".join(taken)
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
        return w.Checkbox(value=value, indent=False, **look)
    if isinstance(allowed, tuple):
        low, high = allowed
        look |= {"min": low, "max": high, "value": value}
        if isinstance(high, float):
            return w.FloatSlider(**look)
        return w.BoundedIntText(**look) if high > LARGE else w.IntSlider(**look)
    options = list(dict.fromkeys(allowed))
    return w.Dropdown(options=options, value=value, **look)


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


def png(figure: Figure) -> bytes:
    """A figure as the bytes of a PNG, which pyplot does not show once more."""
    from matplotlib import pyplot

    pyplot.close(figure)
    return draw.png(figure)
