"""What a seminar begins with: people out of a spreadsheet, a programme, policies and
templates as YAML, and who sits where."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import ipywidgets as w

from support.desk.boards import fill
from support.desk.cards import button, row
from support.desk.pages import (
    COLUMNS,
    area,
    from_yaml,
    halves,
    titled,
    to_yaml,
)
from support.errors import ConveneError, InvalidInput
from support.mail.credentials import find_login, servers_from_environment
from support.models.profiles import MODEL
from support.person import Press
from support.runs.estimate import estimate
from support.runs.sweep import Sweep
from support.seats import HUMAN, MIXED
from support.seminar.acts import DETECTOR, STATED, STEPS
from support.seminar.data import Persona, Scenario, scenario
from support.seminar.desk import Artefacts, load_past, load_templates
from support.seminar.policies import as_entries, checked, load_policies
from support.seminar.review import ALWAYS, AUTOMATIC, LEVELS, levels
from support.seminar.speakers import KINDS
from support.seminar.study import seminar as rehearsal
from support.seminars.journal import begin, names
from support.seminars.setup import LIVE, MODES, REHEARSAL, SeminarSetup

PLAYED = "played by"
ALLOWED = "may be written to"
ALIASES = {
    "address": "email",
    "mail": "email",
    "e-mail": "email",
}
EXAMPLES = ("four", "panel", "series")
TABLE = (
    f"as a spreadsheet copies it; “{PLAYED}” human: somebody at this desk; "
    f"“{ALLOWED}” yes: for live mail"
)
WHO = (
    "“rule-based”: no model, follows only policies that have a rule; “human”: you; "
    "“model:NAME”: a model; “stated”: people of a rehearsal state what they mean beside "
    "their words, and of real mail you are asked"
)
ROWS = {
    "programme": 18,
    "people": 7,
    "policies": 14,
    "templates": 14,
    "past mails": 8,
    "servers": 8,
}
COST = ("model", "calls", "prompt_tokens", "completion_tokens", "dollars", "most")


# ---- a table of people -----------------------------------------------------------------


class People(NamedTuple):
    """Who is on a table, by whom they are played where it says so, and who may get
    live mail."""

    people: tuple[Persona, ...]
    played: dict[str, str]
    allowed: tuple[str, ...]


def read_people(text: str, known: Iterable[Persona] = ()) -> People:
    """People out of a table with a head, separated by tabs, commas or semicolons.

    Of those `known` by name stays how they behave in a rehearsal. DamagedFile
    or InvalidInput names the line.
    """
    head, _, _ = text.strip().partition("\n")
    mark = max("\t;,", key=head.count)
    table = csv.DictReader(io.StringIO(text.strip()), delimiter=mark, restval="")
    heads = [name.strip().lower() for name in table.fieldnames or ()]
    table.fieldnames = [ALIASES.get(name, name) for name in heads]
    strange = {*table.fieldnames} - {*COLUMNS, PLAYED, ALLOWED}
    if strange:
        expected = ", ".join((*COLUMNS, PLAYED, ALLOWED))
        given = ", ".join(sorted(strange))
        raise InvalidInput(f"people, head: {given} given; expected some of {expected}")
    before = {persona.name: asdict(persona) for persona in known}
    people = []
    played = dict[str, str]()
    allowed = list[str]()
    for number, line in enumerate(table, start=2):
        if None in line:
            raise InvalidInput(f"people, line {number}: more cells than the head has")
        cells = {column: cell.strip() for column, cell in line.items()}
        seat = cells.pop(PLAYED, "")
        may = cells.pop(ALLOWED, "")
        name = cells.get("name", "")
        made = {
            "id": name,
            **before.get(name, {}),
            **cells,
        }
        people.append(checked(Persona, made, f"people, line {number}"))
        played |= {name: seat} if seat else {}
        allowed += [people[-1].email] if may.lower() == "yes" else []
    return People(tuple(people), played, tuple(allowed))


def write_people(people: Iterable[Persona]) -> str:
    """A table of people, with tabs."""
    lines = ["\t".join((*COLUMNS, PLAYED, ALLOWED))]
    for one in people:
        lines.append("\t".join([*(getattr(one, name) for name in COLUMNS), "", ""]))
    return "\n".join(lines)


# ---- the page --------------------------------------------------------------------------


def kinds(description: str, *known: str) -> w.Combobox:
    """A field for a kind, or for a model by its name."""
    options = [*known, f"{MODEL}:gpt-4o-mini"]
    return w.Combobox(
        value=known[0],
        options=options,
        description=description,
    )


def menu(description: str, options: Iterable[Any], value: str) -> w.Dropdown:
    """One of a few."""
    return w.Dropdown(
        options=list(options),
        value=value,
        description=description,
    )


def known_servers() -> dict[str, Any]:
    """Those of the environment, if it names them."""
    try:
        return asdict(servers_from_environment())
    except ConveneError:
        return {
            "smtp_host": "",
            "imap_host": "",
            "address": "",
            "authserv": "",
        }


class SetupPage:
    """The page on which a seminar is set up; `opened` is called with the name of one
    that was begun."""

    def __init__(
        self,
        path: Path,
        model: Any,
        opened: Callable[[str], Any],
    ) -> None:
        self.path = path
        self.model = model
        self.opened = opened
        self.begun = Artefacts()
        self.known = tuple[Persona, ...]()
        self.texts = {name: area(name, rows) for name, rows in ROWS.items()}
        self.error = w.HTML()
        self.told = w.HTML()
        self._menus([MODEL] if model is not None else [])
        self.press = Press(self._typed, self.error)
        begin = button(self.press, "Begin", self.start)
        begin.button_style = "primary"
        asking = Press(self._typed, self.error)  # "Begin" does not wait for an answer
        cost = button(asking, "What will it cost?", self.cost)
        check = button(asking, "Check the servers", self.check)
        part = {name: titled(name, text) for name, text in self.texts.items()}
        people = titled("people", self.texts["people"], about=TABLE)
        seats = [*self.seats.values(), self.plans, self.mails, self.seed]
        parts = [
            w.VBox([self.example, self.name, self.mode]),
            people,
            halves(part["programme"], titled("who does what", *seats, about=WHO)),
            row(begin, cost, check),
            self.error,
            self.told,
            halves(part["policies"], part["templates"]),
            halves(part["past mails"], part["servers"]),
        ]
        self.view = w.VBox(parts)
        self._example()

    def _menus(self, model: list[str]) -> None:
        examples = [(f"{name}: fills all fields below anew", name) for name in EXAMPLES]
        modes = [(f"{name}: {how}", name) for name, how in MODES.items()]
        self.example = menu("example", examples, EXAMPLES[0])
        self.name = w.Text(description="name")
        self.mode = menu("mode", modes, REHEARSAL)
        for wide in (self.example, self.name, self.mode):
            wide.layout.width = "auto"
        rules = ("rule-based", *model, HUMAN)
        self.seats = {step: kinds(f"{step} by", *rules) for step in STEPS}
        self.seats["detector"] = kinds("flags by", *DETECTOR.kinds, *model)
        self.seats["reader"] = kinds("replies read by", STATED, *model)
        self.seats["people"] = kinds("people played by", *KINDS, MIXED, HUMAN, *model)
        self.plans = menu("plans shown", LEVELS, AUTOMATIC)
        self.mails = menu("mails shown", LEVELS, ALWAYS)
        self.seed = w.BoundedIntText(
            value=1,
            max=10**9,
            description="seed",
        )
        self.example.observe(lambda _: self._example(), "value")

    def _typed(self) -> Any:
        fields = (*self.texts.values(), self.name, *self.seats.values())
        return [field.value for field in fields]

    def _example(self) -> None:
        made = Artefacts(load_policies(), load_templates())
        self._show(scenario(self.example.value), made, load_past())

    def _show(
        self,
        programme: Scenario,
        made: Artefacts,
        past: Any,
    ) -> None:
        told = asdict(programme) | {"slots": list(programme.slots)}
        del told["id"], told["people"]
        shown = {
            "programme": told,
            "policies": as_entries(made.policies),
            "templates": [asdict(one) for one in made.templates],
            "past mails": [asdict(one) for one in past],
            "servers": known_servers()
            | {"daily_limit": 20, "unchecked_senders": False},
        }
        self.begun = made
        self.known = programme.people
        for name, plain in shown.items():
            self.texts[name].value = to_yaml(plain)
        self.texts["people"].value = write_people(programme.people)
        self.name.value = f"seminar {len(names(self.path)) + 1}"

    def fill(self, setup: SeminarSetup, made: Artefacts) -> None:
        """Begin with what another seminar left."""
        self._show(setup.scenario, made, setup.past)

    def read(self) -> SeminarSetup:
        """The setup that is typed; InvalidInput or DamagedFile says what does not fit."""
        found = read_people(self.texts["people"].value, self.known)
        given = {}
        for name in {*self.texts} - {"people"}:
            given[name] = from_yaml(self.texts[name].value, name)
        seats: dict[str, Any] = {}
        for role, field in self.seats.items():
            seats[role] = field.value.strip()
        steps = {step: seats.pop(step) for step in STEPS}
        one = len({*steps.values()}) == 1
        if found.played:
            everybody = dict.fromkeys((p.name for p in found.people), seats["people"])
            seats["people"] = everybody | found.played
        told = {
            "scenario": {
                "id": self.name.value,
                "people": found.people,
                **dict(given["programme"]),
            },
            "artefacts": {
                "policies": {"policies": given["policies"]},
                "templates": given["templates"],
                "hooks": self.begun.hooks,
                "learnt": self.begun.learnt,
            },
            "past": given["past mails"],
            "organizer": steps["plan"] if one else steps,
            "delegation": levels(self.mails.value) | {"plan": self.plans.value},
            "seed": self.seed.value,
            "mode": self.mode.value,
            **seats,
        }
        if self.mode.value == LIVE:
            servers = given["servers"]
            for name in {"daily_limit", "unchecked_senders"} & servers.keys():
                told[name] = servers.pop(name)
            told |= {"servers": servers, "allowed": found.allowed}
        return SeminarSetup.made(told)

    def start(self) -> Any:
        """Begin the seminar that is typed."""
        begin(self.path, self.name.value, self.read().to_json())
        return self.opened(self.name.value)

    async def check(self) -> None:
        """Log in at the servers, send nothing, and show what they say."""
        from support.mail.live import LiveMailbox

        servers = self.read().servers
        self.told.value = ""
        if servers is None:
            raise InvalidInput("servers: none are needed; choose the mode live first")
        found = await LiveMailbox(servers, find_login(servers)).check()
        self.told.value = fill("note", found, "good")

    async def cost(self) -> None:
        """Show what a rehearsal of this will ask of each model: two are played with
        stand-ins, and rules in the place of persons."""
        setup = self.read()
        self.told.value = fill("note", "Two rehearsals are played to count …")
        await asyncio.sleep(0)
        played = setup.people
        if isinstance(played, str):
            played = dict.fromkeys(setup.scenario.by_name, played)
        told = {
            "scenario": setup.scenario,
            "artefacts": setup.artefacts,
            "organizer": setup.organizer,
            "detector": setup.detector,
            "reader": setup.reader,
            "seats": {
                n: kind.replace(HUMAN, "rule-based") for n, kind in played.items()
            },
            "model": self.model,
        }
        sweep = Sweep("what it will cost", rehearsal, {}, 1, setup.seed)
        frame = await estimate(sweep, **told)
        nothing = fill("note", "Nothing: no model is asked.")
        known = frame[[*COST]].round(2).convert_dtypes().astype(object)
        rows = known.where(frame.notna(), "not known").itertuples(index=False)
        self.told.value = nothing if frame.empty else fill("table", rows, COST)
