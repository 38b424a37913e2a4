"""A meeting to coordinate: settings, seats, a live figure; what is played is stored."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np
import pandas as pd

from support.analysis.meetings import rounds_of
from support.labs.base import SEEDS, control, controls, offered
from support.labs.play import PlayLab
from support.meetings.members import STYLES
from support.meetings.records import Coordination, Round
from support.meetings.scenario import load_group
from support.meetings.seats import COORDINATOR, EVALUATOR, INTERVIEWER
from support.meetings.study import GROUPS, meeting_coordination
from support.models.profiles import MODEL
from support.plots.meetings import draw_coordination
from support.runs.pages import meeting_to_html
from support.runs.study import Store
from support.seats import HUMAN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

RANGES = {
    "members": [3, 4, 5],
    "repetition": (0, GROUPS - 1),
    "options": (1, 4),
    "rounds": (1, 8),
    "decision": ["time", "venue"],
    "database": bool,
    "memory": bool,
}
LED = {role.name: role for role in (INTERVIEWER, COORDINATOR, EVALUATOR)}


class MeetingLab(PlayLab[Round]):
    """Controls over one coordination of a group of the company. Display `lab.view`.

    The arguments beside `store` and `model` say what the controls show at first; `seats`
    is {name: kind}.
    """

    sweep, called, place, study = "coordination", "run", "form", "meetings"

    def __init__(
        self,
        store: Store,
        model: ChatModel | str | None = None,
        *,
        seats: Mapping[str, str] | None = None,
        seed: int = 1,
        **first: Any,
    ) -> None:
        super().__init__(store, model, again="New coordination", width="1056px")
        led = {
            name: offered([*role.kinds, MODEL, HUMAN], model, first.get(name, ""))
            for name, role in LED.items()
        }
        self.controls = controls(meeting_coordination, RANGES | led, **first)
        self.controls["seed"] = control("seed", SEEDS, seed)
        self.controls["repetition"].description = "group"
        self.controls["memory"].description = "notes of earlier rounds stay"
        self.controls["database"].description = "the coordinator has the database"
        self.rounds = self.controls["rounds"]
        self._seat_choices(seats or {})
        for name in ("members", "repetition"):
            self.controls[name].observe(lambda _: self._seat_choices({}), "value")
        shown = list(self.controls.values())
        self._show_controls(w.VBox(shown[:7]), w.VBox(shown[7:]), self.seats)

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        return super().settings | {"seats": self.kinds}

    @property
    def who(self) -> str:
        """Who sits where, those who lead among them."""
        led = [f"{role}: {self.controls[role].value}" for role in LED]
        return ", ".join([super().who, *led])

    def _seat_choices(self, first: Mapping[str, str]) -> None:
        place, size = self.controls["repetition"].value, self.controls["members"].value
        members = load_group(place, size).members
        style = {"description_width": "10rem"}
        self._offer_seats(members, STYLES, "plain", first, style=style)

    def _clear(self) -> None:
        self._record: Coordination | None = None

    async def _sit_down(self) -> None:
        given = dict(self.settings)
        rng = np.random.default_rng(given.pop("seed"))
        steps = inspect.unwrap(meeting_coordination)
        records = steps(rng, model=self.model, **given)
        self._record = await anext(records)
        self.run = self._rounds(records)

    async def _rounds(
        self, records: AsyncIterator[Coordination]
    ) -> AsyncIterator[Round]:
        async for record in records:
            self._record = record
            yield record.rounds[-1]

    def record(self) -> Coordination:
        """The run so far."""
        assert self._record is not None, "nobody has sat down"
        return self._record

    def draw(self) -> Figure:
        """The newest scores, and what the run came to round by round."""
        frame = rounds_of([({}, self.record())]) if self.finished else pd.DataFrame()
        newest = self.finished[-1] if self.finished else None
        return draw_coordination(frame, newest, self.rounds.value)

    def _said(self, rounds: list[Round]) -> str:
        shown = replace(self.record(), rounds=tuple(rounds))
        people = [name for name, kind in self.kinds.items() if kind == HUMAN]
        return meeting_to_html(shown, title="Newest round first", only=people)

    def _result(self) -> str:
        outcome = self.record().outcome
        return f"{outcome.id} is the candidate" if outcome else "there is no candidate"
