"""The page on which a seminar is set up: programme, people, policies, mails, roles, and how its mail travels."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from typing import Any

import ipywidgets as w

from support.seminar.artefacts import Artefacts, load_past, load_templates
from support.seminar.data import scenario
from support.seminar.rules import load_policies
from support.seminars.setup import DRY_RUN, LIVE, REHEARSAL, SeminarSetup
from support.widgets.dashboard.bringing import BringForm
from support.widgets.dashboard.listing import PeopleForm
from support.widgets.dashboard.parts import Field, Twice, heading, over, page, summary
from support.widgets.dashboard.programme import ProgrammeForm, fresh_days
from support.widgets.dashboard.roles import RolesForm, most_common
from support.widgets.dashboard.sending import SendingForm
from support.widgets.dashboard.writing import PastForm, TemplatesForm
from support.widgets.organizing.fields import Press, row, wide
from support.widgets.organizing.setup import SCENARIOS

EMPTY = "empty"
LONGEST_NAME = 80
PARTS = ("Programme", "People", "Policies", "Mails", "Roles", "How mail travels")
MEANS = {
    REHEARSAL: "A rehearsal: simulated people answer, and no mail leaves.",
    DRY_RUN: "A dry run: mails become files, replies are files that you put there; nothing leaves this machine.",
    LIVE: "Live: mails go to real people. Each is shown to you before it leaves.",
}


class SetupPage:
    """Takes a name and a `SeminarSetup`. Display `.view`.

    Parameters
    ----------
    begin : callable
        Called with both; what it refuses is shown, and everything that was typed stays. It may be a coroutine.
    model : bool
        Whether a language model is connected.
    taken : callable
        Gives the names of the seminars in the file.
    copied : callable, optional
        Gives the setup of one of them, with its newest artefacts, to begin another like it.
    today : callable
        The calendar.
    """

    def __init__(
        self,
        begin: Callable[[str, SeminarSetup], Any],
        *,
        model: bool,
        taken: Callable[[], list[str]],
        copied: Callable[[str], SeminarSetup] | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self.begin, self.taken, self.copied, self.today = begin, taken, copied, today
        self._quiet, self.strict, self.faults = True, False, list[str]()
        self.programme, self.people = ProgrammeForm(self._changed, today), PeopleForm(self._changed, model)
        self.bringing = BringForm(self._changed, self._brought)
        self.templates, self.past = TemplatesForm(self._changed), PastForm(self._changed)
        self.roles, self.sending = RolesForm(self._changed, model), SendingForm(self._changed)
        self._head()
        self.begin_button, self.state, self.error = wide("Begin", button_style="primary"), w.HTML(), w.HTML()
        self.summary = w.HTML()
        self.view = self._arranged()
        self.press = Press(self._typed, self.error)
        self.press.button(self.begin_button, self._begin)
        self.press.button(self.start_twice.yes, self._start)
        self.refresh()
        self._start()

    def _head(self) -> None:
        self.name = Field(
            w.Text(description="name of this seminar", placeholder="as it is listed in the file"), "22rem"
        )
        self.start = over(w.Dropdown(options=[("", "")], description="starting point"), "22rem")
        self.start_twice = Twice("Fill the pages in", lambda: "Yes, replace what stands below", self._start)
        self.name.control.observe(lambda _: self._changed(), "value")

    def _arranged(self) -> w.VBox:
        self.start_twice.view.layout.align_self = "flex-end"
        top = row(self.name.view, self.start, self.start_twice.view, grid_gap="0 14px")
        words = w.VBox([heading("Templates"), self.templates.view, heading("Your own past mails"), self.past.view])
        inside = [self.programme, self.people, self.bringing, words, self.roles, self.sending]
        self.tabs = w.Tab(
            [part if isinstance(part, w.Widget) else part.view for part in inside], titles=self._titles([])
        )
        self.tabs.selected_index = 0
        foot = w.VBox([self.summary, row(self.begin_button, self.state), self.error])
        foot.add_class("convene-footer")
        return page("Set up a seminar", top, self.tabs, foot)

    def refresh(self) -> None:
        """Look anew at the seminars in the file: for starting points, and for a name that nobody has."""
        names = self.taken()
        options = [(f"the project’s: {words}", name) for name, words in SCENARIOS.items()]
        options += [("empty: a programme of your own", EMPTY)]
        options += [(f"as “{name}”", f"={name}") for name in names] if self.copied else []
        chosen = self.start.value
        self.start.options = options
        self.start.value = chosen if chosen in [value for _, value in options] else options[0][1]
        if not self.name.control.value.strip() or self.name.control.value.strip() in names:
            self.name.control.value = next(made for k in range(1, 10**6) if (made := f"Seminar {k}") not in names)
        self._changed()

    def fill(self, setup: SeminarSetup, name: str = "") -> None:
        """Show a setup; nobody is allowed to be written to, which has to be ticked each time."""
        self._quiet = True
        self.programme.fill(setup.scenario)
        everybody = setup.people if isinstance(setup.people, str) else most_common(setup.people.values())
        played = {} if isinstance(setup.people, str) else {n: k for n, k in setup.people.items() if k != everybody}
        self.people.fill(setup.scenario.people, played)
        self.roles.fill(setup.organizer, setup.detector, everybody, setup.seed, setup.delegation)
        self.past.fill(setup.past)
        self.sending.fill(setup.servers)
        self.sending.offer(self.people.people.entries)
        self.sending.allow(())
        self.sending.mode.value, self.sending.limit.control.value = REHEARSAL, setup.daily_limit
        self.sending.unchecked.value = False
        self.name.control.value = name or self.name.control.value
        self._quiet = False
        self.bring(setup.artefacts)

    def bring(self, artefacts: Artefacts, named: str = "") -> None:
        """Show what an earlier seminar left: policies, templates, answered questions, changes."""
        self.bringing.bring(artefacts, named)
        self._brought(artefacts)

    def check(self, shown: bool = True) -> list[str]:
        """What is missing or wrong on all pages; beside the fields, if it is to be shown."""
        live = self.sending.mode.value == LIVE
        parts = [
            self.programme.check(shown, live),
            self.people.check(shown),
            self.bringing.check(shown),
            [*self.templates.check(shown), *self.past.check(shown)],
            [],
            self.sending.check(shown),
        ]
        name = self._name_fault()
        self.name.say(name if shown else "")
        self.tabs.titles = self._titles([len(part) if shown else 0 for part in parts])
        told = [f"{PARTS[i]}: {fault}" for i, part in enumerate(parts) for fault in part]
        return [*([f"name of this seminar: {name}"] if name else []), *told]

    def setup(self) -> SeminarSetup:
        """What is typed.

        Raises
        ------
        InvalidInput
            When it cannot be; `check` says it in words for the fields.
        """
        people, sending = self.people.persons, self.sending
        programme = self.programme.value(people, self.name.control.value.strip())
        live = sending.mode.value == LIVE
        servers = sending.servers(programme.organiser) if live else None
        return SeminarSetup(
            scenario=programme,
            artefacts=self.bringing.artefacts(self.templates.templates),
            past=self.past.past,
            people=self.people.played(self.roles.everybody.value),
            mode=sending.mode.value,
            daily_limit=sending.limit.control.value if live else 0,
            servers=servers,
            allowed=sending.allowed if live else (),
            unchecked_senders=live and sending.unchecked.value,
            **self.roles.value,
        )

    async def _begin(self) -> None:
        """Begin, if nothing is missing; everything that was typed stays in any case."""
        self.strict = True
        self._changed()
        if self.faults:
            self.error.value = ""
            self._lead()
            return
        begun = self.begin(self.name.control.value.strip(), self.setup())
        if inspect.isawaitable(begun):
            await begun
        self.strict = False
        self.refresh()

    def _lead(self) -> None:
        """Turn to the first page on which something is missing."""
        marked = [i for i, title in enumerate(self.tabs.titles) if "▲" in title]
        if marked and self.tabs.selected_index not in marked:
            self.tabs.selected_index = marked[0]

    def _start(self) -> None:
        """Fill the pages in from the starting point."""
        self.start_twice.rest()
        chosen = self.start.value
        if chosen.startswith("=") and self.copied:
            self.fill(self.copied(chosen[1:]))
            return
        fresh = Artefacts(load_policies(), load_templates())
        self.fill(SeminarSetup(scenario("four" if chosen == EMPTY else chosen), fresh, past=load_past()))
        if chosen == EMPTY:
            self._empty()

    def _empty(self) -> None:
        self.programme.clear()
        start, deadline = fresh_days(self.today())
        self.programme.fields["start"].control.value, self.programme.fields["deadline"].control.value = start, deadline
        self.people.fill(())

    def _brought(self, artefacts: Artefacts) -> None:
        self.templates.fill(artefacts.templates)
        self._changed()

    def _changed(self) -> None:
        """Say how it stands; what is wrong, only after “Begin” was pressed once."""
        if self._quiet or not hasattr(self, "press"):
            return
        self._quiet = True
        mode = self.sending.mode.value
        for part in (self.people, self.roles):
            part.rehearsed(mode == REHEARSAL)
        self.sending.offer(self.people.people.entries)
        self.faults = self.check(self.strict)
        self._quiet = False
        self.summary.value = summary(
            f"{_count(len(self.faults), 'thing')} to mend before it can begin:", self.faults if self.strict else []
        )
        self.state.value = f'<span class="convene-hint">{self._in_words()} {MEANS[mode]}</span>'

    def _in_words(self) -> str:
        people = len(self.people.people.entries)
        return f"{people} {'person' if people == 1 else 'people'}."

    def _name_fault(self) -> str:
        name = self.name.control.value.strip()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            return f"expected 1 to {LONGEST_NAME} characters"
        return "a seminar in the file has it; type another" if name in self.taken() else ""

    def _typed(self) -> Any:
        lists = (self.people.people, self.templates.mails, self.past.mails)
        fields = [*self.programme.fields.values(), *self.sending.fields.values(), self.name]
        return [[dict(entry) for part in lists for entry in part.entries], [field.control.value for field in fields]]

    def _titles(self, faults: list[int]) -> list[str]:
        marks = [f" ▲{many}" if many else "" for many in faults] or [""] * len(PARTS)
        return [f"{i + 1} {title}{mark}" for i, (title, mark) in enumerate(zip(PARTS, marks, strict=True))]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
