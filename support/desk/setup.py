"""The page on which a seminar is set up: programme, people, policies, mails, roles, and how its mail travels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import ipywidgets as w

from support.desk import fields as f
from support.desk.markup import count, fill
from support.desk.people import PeopleForm, persons_of
from support.desk.policies import BringForm
from support.desk.sending import SendingForm
from support.desk.writing import PastForm, TemplatesForm
from support.mail.letters import NAME
from support.models.profiles import MODEL
from support.seats import HUMAN, MIXED
from support.seminar.artefacts import Artefacts, load_past, load_templates
from support.seminar.checkpoints import ALWAYS, DELEGATED, LEVELS, levels
from support.seminar.data import Persona, Scenario, in_words, scenario, working
from support.seminar.rules import load_policies
from support.seminar.seats import DETECTORS, ORGANIZERS, REVIEWERS
from support.seminar.speakers import RULE_BASED, VARIATIONS
from support.seminars.setup import DRY_RUN, LIVE, REHEARSAL, SeminarSetup

EMPTY, LONGEST_NAME = "empty", 80  # a starting point; characters of a name

SCENARIOS = {
    "four": "four people, four dates",
    "panel": "a panel of 6 from 18",
    "series": "23 people, ten dates",
}
PARTS = ("Programme", "People", "Policies", "Mails", "Roles", "How mail travels")
MEANS = {
    REHEARSAL: "A rehearsal: simulated people answer, and no mail leaves.",
    DRY_RUN: "A dry run: mails become files, replies are files that you put there; nothing leaves this machine.",
    LIVE: "Live: mails go to real people. Each is shown to you before it leaves.",
}
KINDS = (
    "Played by: rule-based: as their persona says, some late, some vague; prompt: at once and always; slow: three "
    "working days later, and reminded; vague: most dates vaguely; mixed: one of these, drawn; model: a language model; "
    "human: you, in a form below the chat that shows their mail. Somebody may be played by another than all: see "
    "People. In a dry run whoever is human answers in that form, and everybody else by files."
)
ASKED = (
    "always ask: you are shown it first; ask when flagged: only on a day when a reply of the person (for the plan: of "
    "anybody) raised a question; automatic: it is done. An action’s mail goes with it; a live mail is always shown."
)
NO_MODEL = "No language model is connected: what it could do is done by rules."
PROGRAMME = {
    "title": f.Spec("title", "Colloquium of the autumn term", most=120),
    "organiser": f.Spec("organiser (name)", "signs the mails", most=NAME),
    "organiser_role": f.Spec(
        "organiser’s role", "for example: lecturer (may stay empty)", most=120
    ),
    "place": f.Spec("place", "a room, or “online”", most=200),
    "time": f.Spec(
        "time", "for example: 14:00 to 15:30, Central European Time", most=120
    ),
    "goal": f.Spec(
        "goal, in words",
        "what the series is for, and who is wanted",
        "lines",
        2,
        most=2000,
    ),
    "start": f.Spec("first day of work", kind="day"),
    "deadline": f.Spec("deadline (last day of work)", kind="day"),
    "seats": f.Spec("speakers a date", kind="number", rest=(1, 99, 1)),
    "slots": f.Spec("dates, one a line", "2027-09-05\n2027-09-12", "lines", 6),
}
EMPTY_TEXTS = {
    "organiser_role": "",
    "goal": "nothing is typed; say in a sentence what is to be organised",
}

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
          "december")  # fmt: skip
SPOKEN = re.compile(
    r"(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})(?:\.\s*|\s+)(?:(\d{1,2})\.|([A-Za-z]{3,9})\.?)\s*(\d{4})"
)
# a day as people write it, by number or by name of the month; 3/4/2027 is April to some, and March to others


class SetupPage:
    """Takes a name and a `SeminarSetup`, and gives both to `begin`; what it refuses is shown, and what was typed stays.

    `taken` gives the names of the seminars in the file, `copied` the setup of one of them with its newest artefacts.
    """

    def __init__(
        self,
        begin: Callable[[str, SeminarSetup], Any],
        taken: Callable[[], list[str]],
        copied: Callable[[str], SeminarSetup],
        *,
        model: bool,
        today: Callable[[], date] = date.today,
    ) -> None:
        self.begin, self.taken, self.copied, self.today = begin, taken, copied, today
        self._quiet, self.strict, self.faults = True, False, list[str]()
        self.programme, self.people = (
            ProgrammeForm(self._changed, today),
            PeopleForm(self._changed, model),
        )
        self.bringing, self.roles = (
            BringForm(self._changed, self._brought),
            RolesForm(self._changed, model),
        )
        self.templates, self.past = (
            TemplatesForm(self._changed),
            PastForm(self._changed),
        )
        self.sending = SendingForm(self._changed)
        self.state, self.error, self.summary = w.HTML(), w.HTML(), w.HTML()
        named = w.Text(
            description="name of this seminar",
            placeholder="as it is listed in the file",
        )
        self.name = f.Field(named, "22rem")
        self.start = f.over(
            w.Dropdown(options=[("", "")], description="starting point"), "22rem"
        )
        press = f.Press(self._typed, self.error)
        self.begin_button = press.new("Begin", self._begin, button_style="primary")
        self.again = f.Twice(
            "Fill the pages in",
            lambda: "Yes, replace what stands below",
            self._start,
            press,
        )
        self.again.view.layout.align_self = "flex-end"
        words = w.VBox(
            [
                f.heading("Templates"),
                self.templates.view,
                f.heading("Your own past mails"),
                self.past.view,
            ]
        )
        parts = [
            self.programme.view,
            self.people.view,
            self.bringing.view,
            words,
            self.roles.view,
            self.sending.view,
        ]
        self.tabs = w.Tab(parts, titles=self._titles([]), selected_index=0)
        foot = f.boxed(
            "footer", self.summary, f.row(self.begin_button, self.state), self.error
        )
        top = f.row(self.name.view, self.start, self.again.view, grid_gap="0 14px")
        self.view = f.page("Set up a seminar", top, self.tabs, foot)
        self.name.control.observe(lambda _: self._changed(), "value")
        self.refresh()
        self._start()

    def refresh(self) -> None:
        """Look anew at the seminars in the file: for starting points, and for a name that nobody has."""
        names = self.taken()
        options = [
            (f"the project’s: {words}", name) for name, words in SCENARIOS.items()
        ]
        options += [
            ("empty: a programme of your own", EMPTY),
            *((f"as “{name}”", f"={name}") for name in names),
        ]
        chosen, typed = self.start.value, self.name.given
        self.start.options = options
        self.start.value = (
            chosen if chosen in [value for _, value in options] else options[0][1]
        )
        if not typed or typed in names:
            self.name.control.value = next(
                made for k in range(1, 10**6) if (made := f"Seminar {k}") not in names
            )
        self._changed()

    def fill(self, setup: SeminarSetup) -> None:
        """Show a setup; nobody is allowed to be written to, which has to be ticked each time."""
        self._quiet = True
        self.programme.fill(setup.scenario)
        kinds = {"": setup.people} if isinstance(setup.people, str) else setup.people
        [(everybody, _)] = Counter(kinds.values()).most_common(1)
        played = {name: kind for name, kind in kinds.items() if kind != everybody}
        self.people.fill(setup.scenario.people, played)
        self.roles.fill(setup, everybody)
        self.past.fill(setup.past)
        self.sending.fill(setup.servers)
        self.sending.offer(self.people.people.entries)
        self.sending.allow(())
        self.sending.mode.value, self.sending.limit.control.value = (
            REHEARSAL,
            setup.daily_limit,
        )
        self.sending.unchecked.value = False
        self.bringing.bring(setup.artefacts)
        self._quiet = False
        self._brought(setup.artefacts)

    def check(self, shown: bool = True) -> list[str]:
        """What is missing or wrong on all pages; beside the fields, if it is to be shown."""
        parts = [
            self.programme.check(shown, self.sending.mode.value == LIVE),
            self.people.check(shown),
            self.bringing.check(),
            [*self.templates.mails.check(shown), *self.past.mails.check(shown)],
            [],
            self.sending.check(shown),
        ]
        name = self._name_fault()
        self.name.say(name if shown else "")
        self.tabs.titles = self._titles([len(part) if shown else 0 for part in parts])
        found = [
            f"{PARTS[i]}: {fault}" for i, part in enumerate(parts) for fault in part
        ]
        return [*([f"name of this seminar: {name}"] if name else []), *found]

    def setup(self) -> SeminarSetup:
        """What is typed; what cannot be raises, and `check` says it in words for the fields."""
        people = persons_of(self.people.people.entries)
        programme = self.programme.value(people, self.name.given)
        return SeminarSetup(
            scenario=programme,
            artefacts=self.bringing.artefacts(self.templates.templates),
            past=self.past.past,
            people=self.people.played(self.roles.everybody.value),
            **self.sending.settings(programme.organiser),
            **self.roles.value,
        )

    def _begin(self) -> None:
        """Begin, if nothing is missing; else turn to the first page on which something is."""
        self.strict = True
        self._changed()
        if self.faults:
            marked = [i for i, title in enumerate(self.tabs.titles) if "▲" in title]
            if marked and self.tabs.selected_index not in marked:
                self.tabs.selected_index = marked[0]
            return
        self.begin(self.name.given, self.setup())
        self.strict = False
        self.refresh()

    def _start(self) -> None:
        """Fill the pages in from the starting point."""
        self.again.rest()
        chosen = self.start.value
        if chosen.startswith("="):
            self.fill(self.copied(chosen[1:]))
            return
        fresh = Artefacts(load_policies(), load_templates())
        self.fill(
            SeminarSetup(
                scenario("four" if chosen == EMPTY else chosen), fresh, past=load_past()
            )
        )
        if chosen == EMPTY:
            self.programme.clear()
            self.people.fill(())

    def _brought(self, artefacts: Artefacts) -> None:
        self.templates.fill(artefacts.templates)
        self._changed()

    def _changed(self) -> None:
        """Say how it stands; what is wrong, only after “Begin” was pressed once."""
        if self._quiet or not hasattr(self, "view"):
            return
        self._quiet = True
        mode = self.sending.mode.value
        self.people.rehearsed(mode == REHEARSAL)
        self.roles.rehearsed(mode)
        self.sending.offer(self.people.people.entries)
        self.faults = self.check(self.strict)
        self._quiet = False
        head = f"{count(len(self.faults), 'thing')} to mend before it can begin:"
        self.summary.value = fill(
            "page", "faults", head, self.faults if self.strict else []
        )
        people = len(self.people.people.entries)
        self.state.value = f.told(
            f"{count(people, 'person', 'people')}. {MEANS[mode]}", look="hint"
        )

    def _name_fault(self) -> str:
        name = self.name.given
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            return f"expected 1 to {LONGEST_NAME} characters"
        return (
            "a seminar in the file has it; type another" if name in self.taken() else ""
        )

    def _typed(self) -> Any:
        lists = (self.people.people, self.templates.mails, self.past.mails)
        fields = [
            *self.programme.fields.values(),
            *self.sending.fields.values(),
            self.name,
        ]
        return [
            [dict(entry) for part in lists for entry in part.entries],
            [field.control.value for field in fields],
        ]

    def _titles(self, faults: list[int]) -> list[str]:
        marks = [f" ▲{many}" if many else "" for many in faults] or [""] * len(PARTS)
        return [
            f"{i + 1} {title}{mark}"
            for i, (title, mark) in enumerate(zip(PARTS, marks, strict=True))
        ]


class ProgrammeForm:
    """What is to be organised, by whom, where, when, and from when until when work goes on; dates in any order."""

    def __init__(self, changed: Callable[[], None], today: Callable[[], date]) -> None:
        self.changed, self.today = changed, today
        self.fields = f.fields_of(PROGRAMME)
        self.read_as = w.HTML()
        seen = [field.view for field in self.fields.values()]
        days = f.columns(w.VBox(seen[6:9]), seen[9], self.read_as, narrow="15rem")
        self.view = w.VBox(
            [
                f.columns(*seen[:3], narrow="20rem"),
                f.columns(*seen[3:5], narrow="30rem"),
                seen[5],
                days,
            ]
        )
        f.watch((field.control for field in self.fields.values()), self._typed)
        self._typed()

    def fill(self, programme: Scenario) -> None:
        """Show a programme."""
        for name, field in self.fields.items():
            value = getattr(programme, name)
            field.control.value = (
                "\n".join(slot.isoformat() for slot in value)
                if name == "slots"
                else value
            )

    def clear(self) -> None:
        """Show nothing but days to begin with: the next working day, and eight weeks later."""
        start = next(
            day for k in range(1, 8) if working(day := self.today() + timedelta(days=k))
        )
        fixed: dict[str, Any] = {
            "start": start,
            "deadline": start + timedelta(weeks=8),
            "seats": 1,
        }
        for name, field in self.fields.items():
            field.control.value = fixed.get(name, "")

    def value(self, people: Sequence[Persona], named: str) -> Scenario:
        """The programme with these people."""
        given: dict[str, Any] = {
            name: field.given for name, field in self.fields.items()
        }
        given["slots"] = tuple(sorted(read_dates(given["slots"])[0]))
        return Scenario(id=named, people=tuple(people), **given)

    def check(self, shown: bool, live: bool) -> list[str]:
        """What does not fit, said beside each field if that is to be shown."""
        found = {
            name: f.text_fault(self.fields[name].given, spec.most, EMPTY_TEXTS.get(name, f.NOTHING),
                               None if spec.kind == "lines" else "")
            for name, spec in PROGRAMME.items() if spec.most
        }  # fmt: skip
        start, deadline = self.fields["start"].given, self.fields["deadline"].given
        if start is None:
            found["start"] = "no day is chosen"
        elif not working(start):
            found["start"] = f"{start} is a {start:%A}; choose a working day"
        elif live and start < self.today():
            found["start"] = (
                "the first day is over; with real mail the calendar counts, so begin today or later"
            )
        if deadline is None:
            found["deadline"] = "no day is chosen"
        elif start is not None and deadline <= start:
            found["deadline"] = f"{deadline} is not after the first day ({start})"
        found["slots"] = self._slots_fault(start)
        return f.tell(self.fields, found, shown)

    def _slots_fault(self, start: date | None) -> str:
        slots, problems = read_dates(self.fields["slots"].control.value)
        if not slots and not problems:
            return "no date is typed; type one a line, such as 2027-09-05"
        problems += [
            f"{s} is not after the first day ({start})"
            for s in slots
            if start is not None and s <= start
        ]
        return "\n".join(problems[:6]) + (
            f"\nand {len(problems) - 6} more" if len(problems) > 6 else ""
        )

    def _typed(self) -> None:
        slots, problems = read_dates(self.fields["slots"].control.value)
        amiss = (
            f", {count(len(problems), 'line')} not: write 2027-09-05"
            if problems
            else ""
        )
        head = f"{count(len(slots), 'date')} understood{amiss}"
        self.read_as.value = f.told(
            "\n".join([head, *map(in_words, sorted(slots))]), look="hint text dates"
        )
        self.changed()


def read_dates(text: str) -> tuple[list[date], list[str]]:
    """The dates of a text, one a line and in its order, and what is wrong with the other lines.

    >>> read_dates("2027-09-05\\n5 Sep")
    ([datetime.date(2027, 9, 5)], ["line 2: '5 Sep' is no date such as 2027-09-05 or 5 September 2027"])
    """
    found, problems = list[date](), list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if not (typed := line.strip().rstrip(",; ")):
            continue
        try:
            made = _read_date(typed)
        except ValueError:
            problems.append(
                f"line {number}: {typed[:40]!r} is no date such as 2027-09-05 or 5 September 2027"
            )
            continue
        if made in found:
            problems.append(
                f"line {number}: {made} stands there twice; raise “speakers a date” instead"
            )
        else:
            found.append(made)
    return found, problems


def _read_date(typed: str) -> date:
    """The date that a line says, or a ValueError.

    >>> [str(_read_date(line)) for line in ("2027-09-05", "5.9.2027", "Sun, 5 Sept 2027")]
    ['2027-09-05', '2027-09-05', '2027-09-05']
    """
    if (spoken := SPOKEN.fullmatch(typed)) is None:
        return date.fromisoformat(typed)
    day, number, name, year = spoken.groups()
    fits = [
        k
        for k, month in enumerate(MONTHS, start=1)
        if name and month.startswith(name.lower())
    ]
    return date(int(year), int(number) if number else fits[0] if fits else 0, int(day))


class RolesForm:
    """Who organises, raises flags, sits at the desk and plays the people; what is done without asking."""

    def __init__(self, changed: Callable[[], None], model: bool) -> None:
        def choice(kinds: Mapping[str, str]) -> list[tuple[str, str]]:
            return [
                (f"{k}: {said}" if said else k, k)
                for k, said in kinds.items()
                if model or k != MODEL
            ]

        played = choice(dict.fromkeys([*VARIATIONS, MIXED, MODEL, HUMAN], ""))
        at_once = [("as chosen below", ""), *choice(dict.fromkeys(LEVELS, ""))]
        self.fields = f.fields_of({
            "organizer": f.Spec("organiser", kind="choice", rest=choice(ORGANIZERS)),
            "detector": f.Spec("flags raised by", kind="choice", rest=choice(DETECTORS)),
            "reviewer": f.Spec("at the desk", kind="choice", rest=choice(REVIEWERS)),
            "everybody": f.Spec("people played by", kind="choice", rest=played),
            "seed": f.Spec("seed (of chance in a rehearsal)", kind="number", rest=(0, 2**31 - 1, 1)),
            "everything": f.Spec("everything", kind="choice", rest=at_once),
            **{name: f.Spec(name.replace("_", "-"), kind="choice", rest=LEVELS) for name in DELEGATED},
        })  # fmt: skip
        (
            self.organizer,
            self.detector,
            self.reviewer,
            self.everybody,
            self.seed,
            self.everything,
            *levels,
        ) = (field.control for field in self.fields.values())
        self.levels = dict(zip(DELEGATED, levels, strict=True))
        self.reviewer.value, self.everybody.value, self.everything.value = (
            HUMAN,
            RULE_BASED,
            ALWAYS,
        )
        seen = [field.view for field in self.fields.values()]
        self.played = w.VBox([f.columns(*seen[3:5]), f.hint(KINDS)])
        self.asked = w.VBox(
            [
                f.heading("What is done without asking you"),
                f.hint(ASKED),
                f.columns(*seen[5:]),
            ]
        )
        told = [] if model else [f.hint(NO_MODEL)]
        self.view = w.VBox(
            [f.columns(*seen[:3], narrow="20rem"), *told, self.played, self.asked]
        )
        f.watch(
            (
                self.organizer,
                self.detector,
                self.reviewer,
                self.everybody,
                self.seed,
                *levels,
            ),
            changed,
        )
        f.watch([self.everything], self._set_all)
        f.watch(levels, self._one)

    def _set_all(self) -> None:
        if level := self.everything.value:
            for control in self.levels.values():
                control.value = level

    def _one(self) -> None:
        found = {control.value for control in self.levels.values()}
        self.everything.value = found.pop() if len(found) == 1 else ""

    @property
    def value(self) -> dict[str, Any]:
        """The fields of a `SeminarSetup`, but for who plays the people."""
        chosen = {
            name: getattr(self, name).value
            for name in ("organizer", "detector", "reviewer", "seed")
        }
        return chosen | {
            "delegation": {name: control.value for name, control in self.levels.items()}
        }

    def rehearsed(self, mode: str) -> None:
        """Show what counts in a mode: real people are played by nobody, and real mail needs a person at the desk."""
        f.there(self.played, mode != LIVE)
        f.there(self.asked, self.reviewer.value == HUMAN)
        self.reviewer.disabled = mode == LIVE
        if mode == LIVE:
            self.reviewer.value = HUMAN

    def fill(self, setup: SeminarSetup, everybody: str) -> None:
        """Show who does what; what is not to be had here stays as it is."""
        wanted = {
            self.organizer: setup.organizer,
            self.detector: setup.detector,
            self.reviewer: setup.reviewer,
        }
        for control, kind in (*wanted.items(), (self.everybody, everybody)):
            if kind in [value for _, value in control.options]:
                control.value = kind
        self.seed.value = setup.seed
        for name, level in levels(setup.delegation).items():
            self.levels[name].value = level
