"""A rehearsal of an organiser who fills dates by mail: policies, people, delegation, day by day, you at the desk."""

from __future__ import annotations

import time
from asyncio import Queue
from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, cast

import ipywidgets as w

from support.draw import png
from support.labs.base import PlayLab, warning
from support.runs.pages import assignment_to_html, days_to_html
from support.runs.study import Store
from support.seats import HumanSeat, Question
from support.seminar import organizing
from support.seminar.artefacts import Artefacts, hook_of, hook_to_policy
from support.seminar.checkpoints import ALWAYS
from support.seminar.records import Flag, Organizing, OrganizingDay
from support.seminar.views import Desk
from support.widgets.organizing.desk import DeskForm
from support.widgets.organizing.figure import draw_rehearsal
from support.widgets.organizing.log import LogPanel
from support.widgets.organizing.reply import ReplyForm
from support.widgets.organizing.seating import Seated, seat_all
from support.widgets.organizing.setup import SCENARIOS, Setup
from support.widgets.organizing.taking import TakePanel
from support.widgets.organizing.watching import over

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

SWEEP = "rehearsal lab"
Questions = Queue[Any]
REHEARSAL, POLICIES = 0, 1
"""Places of two of the tabs."""

REDRAWN = 1.0
"""Seconds between two drawings where many days are played at once; the last day is always drawn."""

CHANGED = "You changed the settings: they hold from <b>Begin anew</b> on. This rehearsal stays as it began."


class RehearsalLab(PlayLab[OrganizingDay]):
    """Controls over one rehearsal. Display `lab.view`.

    Parameters
    ----------
    store : Store
        Where finished rehearsals go, as units of the sweep "rehearsal lab"; artefacts are written beside it.
    model : ChatModel or str, optional
        Offered as organiser, detector and as any of the people, and answers questions, when it is given.
    scenario, seed, organizer, detector, reviewer, delegation, rounds
        What the controls show at first: those of `seminar.study.seminar`, `rounds` the days at most (None: up to
        the deadline).

    Notes
    -----
    Settings that are changed while a rehearsal runs hold from the next one on: nothing that was played is lost.
    """

    sweep, called, place = SWEEP, "rehearsal", "form"
    seated: Seated | None

    def __init__(
        self,
        store: Store,
        model: ChatModel | str | None = None,
        *,
        scenario: str = "four",
        seed: int = 1,
        organizer: str = "rule-based",
        detector: str = "lexical",
        reviewer: str = "automatic",
        delegation: str = ALWAYS,
        rounds: int | None = None,
    ) -> None:
        super().__init__(store, model, again="Begin anew", width="60rem")
        self.step_button.description = "Next day"
        self.seats, self.seated = w.Box(), None
        self.setup = Setup(
            self.seats, model, self._changed, scenario=scenario, seed=seed, organizer=organizer,
            detector=detector, reviewer=reviewer, delegation=delegation, rounds=rounds,
        )  # fmt: skip
        self.rounds, self.policies = self.setup.rounds, self.setup.policies
        self.log = LogPanel(lambda: self._newest_desk, self.model)
        self.take = TakePanel(store.path, SCENARIOS, lambda: self.artefacts, self._begin_next, self._tell)
        self.table, self.note = w.HTML(layout=w.Layout(flex="0 1 20rem")), w.HTML()
        self.view = self._pages()
        self.restart()

    def _pages(self) -> w.VBox:
        self.figure.layout = w.Layout(flex="1 1 40rem", max_width="60rem", min_width="0")
        seen = w.HBox([self.figure, self.table], layout=w.Layout(flex_flow="row wrap", align_items="flex-start"))
        pages = {
            "Rehearsal": w.VBox([self.forms, seen, self.talk]),
            "Policies": self.policies.view,
            "People": self.setup.people.view,
            "Delegation": self.setup.delegation.view,
            "Ask about the mails": self.log.view,
            "Take along": self.take.view,
        }
        self.tabs = w.Tab(children=list(pages.values()), titles=list(pages), selected_index=POLICIES)
        buttons = w.HBox([self.step_button, self.end_button, self.new_button])
        return w.VBox([self.setup.view, buttons, self.status, self.note, self.tabs])

    def _changed(self) -> None:
        """A setting is another one: begin anew, unless something would be lost by it."""
        if self.run is None:
            self.restart()
            return
        trouble = f"<br>{warning(self.policies.trouble)}" if self.policies.trouble else ""
        self.note.value = f'<div class="convene-note" role="status">{CHANGED}{trouble}</div>'

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        brought = len(self.take.brought.hooks) + len(self.take.brought.learnt)
        return self.setup.settings | {"brought": brought, "seats": self.kinds}

    @property
    def organizing(self) -> Organizing:
        """The rehearsal so far."""
        kept = {name: self.told[name] for name in ("delegation", "policies", "until", "seed")}
        roles: dict[str, Any] = self.seated.roles if self.seated else {}
        return organizing.record(self.programme, roles, self.finished, artefacts=self.begun, **kept)

    @property
    def artefacts(self) -> Artefacts:
        """What one takes along: the policies that the panel shows, and the hooks and changes of this rehearsal.

        Raises
        ------
        InvalidInput
            When policies contradict each other.
        """
        left = organizing.carried(self.begun, self.finished) if self.finished else self.take.brought
        return replace(left, policies=self.policies.policies)

    @property
    def _over(self) -> bool:
        if not self.finished or self.seated is None or self._newest_desk is None:
            return False
        return over(self._newest_desk, self.seated.people.values(), len(self.finished), self.last)

    def start(self, *, to_the_end: bool) -> None:
        """Play one day, or all that are left, in the background; a person is waited for."""
        self.tabs.selected_index = REHEARSAL
        if self.task and not self.task.done():
            self._tell("A day is being played; it waits for what is asked in the form below.")
            return
        super().start(to_the_end=to_the_end)

    def _clear(self) -> None:
        self.seated = None
        self.desk_form: DeskForm | None = None
        self.reply_forms: dict[str, ReplyForm] = {}
        self.programme, self.told, self.begun = self.setup.programme, self.settings, self.take.brought
        self.note.value = self.table.value = ""
        self._drawn, self._days_drawn = 0.0, 0
        self.log.clear()

    def _welcome(self) -> str:
        if self.policies.trouble:
            return warning(self.policies.trouble)
        p = self.programme
        size = f"{len(p.people)} people, {len(p.slots)} date{'s' if len(p.slots) > 1 else ''}"
        seats = f" with {p.seats} seats" if p.seats > 1 else ""
        return (
            f"<b>{escape(p.title)}</b>: {size}{seats}, {p.start:%-d %B} to {p.deadline:%-d %B %Y}. "
            "Press <b>Next day</b>, or play to the end."
        )

    async def _sit_down(self) -> None:
        self.begun, self.told = replace(self.take.brought, policies=self.policies.policies), self.settings
        self.last = self.rounds.value
        desk = {role: getattr(self.setup, role).value for role in ("organizer", "detector", "reviewer")}
        seated = self.seated = seat_all(self.programme, self.kinds, desk, self.setup.seed.value, self.model)
        self.run = seated.days(self.programme, self.begun, self.told["delegation"], self.last, self._playing)
        self._sit_persons(seated)

    def _playing(self, day: int) -> None:
        self._tell(f"Day {day} of at most {self.last} is being played.")

    def _sit_persons(self, seated: Seated) -> None:
        """A form for whoever is a person."""
        self.reply_forms = {name: ReplyForm(self.programme.person(name)) for name in seated.own}
        for name, seat in seated.own.items():
            self._listen(cast(Questions, seat.questions), self._asking(self.reply_forms[name], f"your mail as {name}"))
        if isinstance(seated.reviewer, HumanSeat):
            self.desk_form = DeskForm(self._morning, self._make_policy)
            self._listen(
                cast(Questions, seated.reviewer.questions), self._asking(self.desk_form, "your decision at the desk")
            )
        desk = [self.desk_form.view] if self.desk_form else []
        self.forms.children = (*desk, *(form.view for form in self.reply_forms.values()))

    def _asking(self, form: DeskForm | ReplyForm, awaited: str) -> Callable[[Any], None]:
        def ask(question: Question) -> None:
            """Pass a question on to its form; say so when it is not answered at once."""
            form.ask(question)
            if form.question:
                self._tell(f"Day {len(self.finished) + 1} waits for {escape(awaited)} in the form below.")

        return ask

    def _morning(self) -> tuple[str, tuple[str, ...]]:
        return (self.seated.organizer.report, self.seated.organizer.selected) if self.seated else ("", ())

    @property
    def _newest_desk(self) -> Desk | None:
        return self.seated.organizer.desk if self.seated else None

    def _make_policy(self, flag: Flag, day: int) -> None:
        """Make a policy of a flag with its answer; it holds from the next rehearsal on."""
        made = [*hook_to_policy(hook_of(flag, day), self.policies.policies)][-1]
        taken = {policy.id for policy in self.policies.own}
        name = next(n for k in range(1, 1000) if (n := f"hook_{k}") not in taken)
        self.policies.take(replace(made, id=name))

    def _show(self) -> None:
        self.talk.value = days_to_html(
            self.finished[::-1], self.begun.policies, self.programme.seats, unfolded={len(self.finished)}
        )
        slots = [slot.isoformat() for slot in self.programme.slots]
        self.table.value = assignment_to_html(slots, dict(self.finished[-1].assignment), self.programme.seats)
        self._redraw()

    def _redraw(self) -> None:
        """Draw what happened so far; of many days in a row, about one a second."""
        self.figure.layout.display = "" if self.finished else "none"
        if self.finished and time.monotonic() - self._drawn > REDRAWN:
            self._draw_now()

    def _draw_now(self) -> None:
        if self._days_drawn != len(self.finished):
            self.figure.value = png(self.draw())
            self._drawn, self._days_drawn = time.monotonic(), len(self.finished)

    def draw(self) -> Figure:
        """The figure as it is now, for a page without a kernel."""
        return draw_rehearsal(self.organizing)

    def _begin_next(self, name: str) -> None:
        """Begin another scenario with what was brought."""
        self.setup.choose(name)
        self.restart()
        self._tell(f"{self.take.in_words} {self._welcome()}")

    def _record(self) -> Organizing:
        return self.organizing

    def _result(self) -> str:
        newest, mails = self.finished[-1], sum(len(day.sent) for day in self.finished)
        taken = sum(len(names) for _, names in newest.assignment)
        seats = self.programme.seats * len(self.programme.slots)
        return f"{taken} of {seats} seats taken, {mails} mail{'' if mails == 1 else 's'} sent"

    def _conclude(self) -> None:
        """Say how it stands; the days of a rehearsal that is over go to the store, once."""
        played = len(self.finished)
        self._draw_now()
        if not self._over:
            self._tell(f"Day {played} of at most {self.last}: {self._result()}.")
        elif not self.stored:
            self.forms.children = ()
            unit = self.store.save(self.sweep, self._record(), self.told)
            self.stored = True
            self._tell(
                f"Finished after {played} day{'' if played == 1 else 's'}: {self._result()}. Stored in "
                f"{escape(self.store.path.name)} as {self.called} {unit.repetition} of “{self.sweep}” with these "
                "settings."
            )
