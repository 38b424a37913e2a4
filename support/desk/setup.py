"""What a seminar begins with: people out of a spreadsheet, a programme, policies and
templates as YAML, and who sits where."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import ipywidgets as w

from support.desk.boards import fill
from support.desk.cards import button, row
from support.desk.pages import area, from_yaml, halves, plain, titled, to_yaml
from support.errors import ConveneError, InvalidInput
from support.labs.base import Press, words
from support.mail.credentials import MailServers, find_login, servers_from_environment
from support.models.profiles import MODEL
from support.runs.estimate import estimate
from support.runs.sweep import Sweep
from support.seats import HUMAN, MIXED
from support.seminar.acts import DETECTOR
from support.seminar.data import Persona, Scenario, scenario
from support.seminar.desk import Artefacts, Template, load_past, load_templates
from support.seminar.policies import as_entries, checked, load_policies, policies_of
from support.seminar.review import ALWAYS, AUTOMATIC, LEVELS, levels
from support.seminar.speakers import KINDS
from support.seminar.study import seminar as rehearsal
from support.seminars.journal import begin, names
from support.seminars.setup import LIVE, MODES, REHEARSAL, SeminarSetup

TOLD = (
    "title",
    "goal",
    "organiser",
    "organiser_role",
    "place",
    "time",
    "start",
    "deadline",
    "slots",
    "seats",
)
COLUMNS = ("name", "email", "role", "field", "affiliation", "notes")
PLAYED, ALLOWED = "played by", "may be written to"
ALIASES = {"address": "email", "mail": "email", "e-mail": "email"}
EXAMPLES = ("four", "panel", "series")
TABLE = (
    "as a spreadsheet copies it; “played by” may be human, “may be written to” yes (for "
    "live mail)"
)


# ---- a table of people -----------------------------------------------------------------


@dataclass(frozen=True)
class People:
    """Who is on a table, by whom they are played where it says so, and who may get
    live mail."""

    people: tuple[Persona, ...]
    played: Mapping[str, str]
    allowed: tuple[str, ...]


def read_people(text: str, known: Iterable[Persona] = ()) -> People:
    """People out of a table with a head, separated by tabs, commas or semicolons.

    Of those `known` by name stays how they behave in a rehearsal. InvalidInput names
    the line.
    """
    head = text.strip().partition("\n")[0]
    mark = max("\t;,", key=head.count)
    rows = csv.DictReader(io.StringIO(text.strip()), delimiter=mark)
    before = {persona.name: persona for persona in known}
    people, played, allowed = [], {}, []
    for number, line in enumerate(rows, start=2):
        told = _cells(line, number)
        seat, may = told.pop(PLAYED, ""), told.pop(ALLOWED, "")
        name = told.get("name", "")
        made = {"id": name, **told}
        old = before.get(name)
        if old:
            made = asdict(old) | dict.fromkeys(COLUMNS, "") | told
        persona = checked(Persona, made, f"people, line {number}")
        people.append(persona)
        if seat:
            played[name] = seat
        if may.casefold() == "yes":
            allowed.append(persona.email)
    return People(tuple(people), played, tuple(allowed))


def _cells(line: Mapping[Any, Any], number: int) -> dict[str, str]:
    """The cells of a row by their column."""
    if None in line:
        raise InvalidInput(f"people, line {number}: more cells than the head has")
    told = {}
    for column, cell in line.items():
        name = " ".join(column.split()).casefold()
        told[ALIASES.get(name, name)] = (cell or "").strip()
    strange = {*told} - {*COLUMNS, PLAYED, ALLOWED}
    if strange:
        expected = ", ".join((*COLUMNS, PLAYED, ALLOWED))
        given = ", ".join(sorted(strange))
        raise InvalidInput(f"people, head: {given} given; expected some of {expected}")
    return {name: cell for name, cell in told.items() if cell}


def write_people(people: Iterable[Persona]) -> str:
    """A table of people, with tabs."""
    out = io.StringIO()
    table = csv.writer(out, delimiter="\t", lineterminator="\n")
    table.writerow((*COLUMNS, PLAYED, ALLOWED))
    for one in people:
        table.writerow([*(getattr(one, name) for name in COLUMNS), "", ""])
    return out.getvalue()


# ---- the page --------------------------------------------------------------------------


def kinds(first: str, *others: str, description: str) -> w.Combobox:
    """A field for a kind, or a model by its name."""
    known = [first, *others, f"{MODEL}:gpt-4o-mini"]
    return w.Combobox(value=first, options=known, description=description)


def menu(description: str, options: Iterable[str], value: str) -> w.Dropdown:
    """One of a few."""
    return w.Dropdown(options=list(options), value=value, description=description)


def known_servers() -> dict[str, Any]:
    """Those of the environment, as far as it names them."""
    try:
        return asdict(servers_from_environment())
    except ConveneError:
        return {"smtp_host": "", "imap_host": "", "address": "", "authserv": ""}


class SetupPage:
    """The page on which a seminar is set up; `opened` is called with the name of one
    that was begun."""

    def __init__(self, path: Path, model: Any, opened: Callable[[str], Any]) -> None:
        self.path, self.model, self.opened = path, model, opened
        self.begun, self.people_known = Artefacts(), tuple[Persona, ...]()
        self.error, self.costs, self.found = w.HTML(), w.HTML(), w.HTML()
        self._controls(["model"] if model is not None else [])
        self.press = Press(self._typed, self.error)
        start, cost = button("Begin", primary=True), button("What will it cost?")
        check = button("Check the servers")
        self.press.button(start, self.start)
        self.press.button(cost, self.cost)
        self.press.button(check, self.check)
        about = "who may be written to stands in the table; no password here"
        self.live = titled("Servers", self.servers, row(check, self.found), about=about)
        seats = [*self.seats.values(), *self.shown.values(), self.seed]
        first = w.VBox([self.example, self.name, self.mode, *seats])
        below = [row(start, cost), self.error, self.costs, self.live]
        programme = titled("Programme", self.programme)
        self.view = w.VBox(
            [
                halves(w.VBox([first, *below]), programme),
                titled("People", self.people, self.table, about=TABLE),
                halves(
                    titled("Policies", self.policies),
                    titled("Templates", self.templates),
                ),
                titled("Past mails, for their style", self.past),
            ]
        )
        self._example()

    def _controls(self, model: list[str]) -> None:
        self.example = menu("example", EXAMPLES, EXAMPLES[0])
        self.name = w.Text(description="name")
        self.mode = menu("mode", MODES, REHEARSAL)
        speakers = (*list(KINDS)[1:], MIXED, HUMAN, *model)
        self.seats = {
            "organizer": kinds("rule-based", *model, description="organiser"),
            "detector": kinds(*DETECTOR.kinds, *model, description="detector"),
            "people": kinds("rule-based", *speakers, description="people"),
        }
        self.shown = {
            "plan": menu("plan", LEVELS, AUTOMATIC),
            "rest": menu("mails", LEVELS, ALWAYS),
        }
        self.seed = w.BoundedIntText(value=1, max=10**9, description="seed")
        self.programme, self.people = area(19), area(9)
        self.policies, self.templates, self.past = area(14), area(14), area(8)
        self.servers, self.table = area(12), w.HTML()
        self.example.observe(lambda _: self._example(), "value")
        self.people.observe(lambda _: self._look(), "value")
        self.mode.observe(lambda _: self._fold(), "value")

    def _typed(self) -> Any:
        texts = (self.programme, self.people, self.policies, self.templates, self.past)
        fields = (*texts, self.servers, self.name, *self.seats.values())
        return [field.value for field in fields]

    def _fold(self) -> None:
        self.live.layout.display = "" if self.mode.value == LIVE else "none"

    def _example(self) -> None:
        made = Artefacts(load_policies(), load_templates())
        self._show(scenario(self.example.value), made, load_past())

    def _show(self, programme: Scenario, made: Artefacts, past: Any) -> None:
        told = {name: getattr(programme, name) for name in TOLD}
        told["slots"] = list(programme.slots)
        self.programme.value = to_yaml(told)
        self.begun, self.people_known = made, programme.people
        self.people.value = write_people(programme.people)
        self.policies.value = to_yaml(as_entries(made.policies))
        self.templates.value = to_yaml(plain(made.templates))
        self.past.value = to_yaml(plain(past))
        live = {"daily_limit": 20, "unchecked_senders": False}
        self.servers.value = to_yaml(known_servers() | live)
        taken, number = names(self.path), 1
        while f"{self.mode.value} {number}" in taken:
            number += 1
        self.name.value = f"{self.mode.value} {number}"
        self._look()
        self._fold()

    def fill(self, setup: SeminarSetup, made: Artefacts) -> None:
        """Begin with what another seminar left."""
        self._show(setup.scenario, made, setup.past)

    def _look(self) -> None:
        """Show the people as they are read, or why not."""
        try:
            people = read_people(self.people.value, self.people_known).people
            self.table.value = fill("people", people)
        except ConveneError as error:
            self.table.value = fill("note", words(error), "bad")

    def read(self) -> SeminarSetup:
        """The setup that is typed; InvalidInput or DamagedFile says what does not fit."""
        people = read_people(self.people.value, self.people_known)
        told = from_yaml(self.programme.value, "programme")
        strange = {*told} - {*TOLD}
        if strange:
            given, expected = ", ".join(sorted(strange)), ", ".join(TOLD)
            raise InvalidInput(f"programme: {given} given; expected some of {expected}")
        all_of_it = {"id": self.name.value, **told, "people": people.people}
        programme = checked(Scenario, all_of_it, "programme")
        given = {what: from_yaml(text.value, what) for what, text in self._texts()}
        made = replace(
            self.begun,
            policies=policies_of(given["policies"]),
            templates=checked(tuple[Template, ...], given["templates"], "templates"),
        )
        past = checked(tuple[Template, ...], given["past"], "past mails")
        seats = {role: field.value.strip() for role, field in self.seats.items()}
        if people.played:
            everybody = dict.fromkeys(programme.by_name, seats["people"])
            seats["people"] = everybody | people.played
        rest = levels(self.shown["rest"].value)
        delegation = rest | {"plan": self.shown["plan"].value}
        kept = {"delegation": delegation, "seed": self.seed.value, **seats}
        mode = self.mode.value
        live = self._live(people.allowed) if mode == LIVE else {}
        return SeminarSetup(programme, made, past, mode=mode, **kept, **live)

    def _texts(self) -> Iterable[tuple[str, w.Textarea]]:
        fields = self.policies, self.templates, self.past
        return zip(("policies", "templates", "past"), fields, strict=True)

    def _live(self, allowed: tuple[str, ...]) -> dict[str, Any]:
        told = from_yaml(self.servers.value, "servers")
        limits = {name: told.pop(name) for name in ("daily_limit", "unchecked_senders")}
        return {
            "servers": checked(MailServers, told, "servers"),
            "allowed": allowed,
            **limits,
        }

    def start(self) -> Any:
        """Begin the seminar that is typed."""
        begin(self.path, self.name.value, self.read().to_json())
        return self.opened(self.name.value)

    async def check(self) -> None:
        """Log in at the servers, send nothing, and show what they say."""
        from support.mail.live import LiveMailbox

        servers = self._live(())["servers"]
        found = await LiveMailbox(servers, find_login(servers)).check()
        self.found.value = fill("note", found, "good")

    async def cost(self) -> None:
        """Show what a rehearsal of this will ask of each model: two are played with
        stand-ins."""
        setup = self.read()
        told = {
            "scenario": setup.scenario,
            "artefacts": setup.artefacts,
            "organizer": setup.organizer,
            "detector": setup.detector,
            "seats": _simulated(setup.people),
            "model": self.model,
        }
        sweep = Sweep("what it will cost", rehearsal, {}, 1, setup.seed)
        frame = await estimate(sweep, **told)
        rows = frame.to_dict("records")
        nothing = fill("note", "Nothing: no model is asked.")
        self.costs.value = fill("costs", rows) if rows else nothing


def _simulated(people: Any) -> Any:
    """The same people without persons, who cost nothing."""
    if isinstance(people, str):
        return "rule-based" if people == HUMAN else people
    return {name: _simulated(kind) for name, kind in people.items()}
