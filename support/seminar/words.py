"""What an organiser and simulated people without a model write: reports, plans, mails.

Sentences stand in `data/inputs/sentences/seminar.toml`. They are for whoever reads along
and for models; no rule reads them back.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any

from support.data import inputs
from support.errors import InvalidInput
from support.prompts import render
from support.seminar.data import (
    ORGANISER,
    PROFESSOR,
    Persona,
    Scenario,
    days_in_words,
    in_words,
    passed,
)
from support.seminar.desk import Desk
from support.seminar.records import (
    CONFIRMATION,
    MAIL,
    Action,
    DayPlan,
    Draft,
    Edit,
    Mail,
    Says,
)
from support.seminar.review import in_text

LINE, SUMMED = 80, 60
"""Characters of a greeting, and that a summary of an edit quotes."""
SHOWN, THREAD, LEARNT = 900, 6, 8
"""Characters of a mail, mails and lessons that a tight model is shown; others are shown
four times as many."""
UNDECIDED = "asked, nothing is decided yet"


@cache
def _table() -> dict[str, dict[str, str]]:
    file = inputs("sentences", "seminar.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def say(who: str, what: str, /, **gaps: object) -> str:
    """A sentence of the table, filled."""
    return _table()[who][what].format(**gaps)


def stated(who: str, says: Says) -> list[str]:
    """What is said, a phrase or a sentence for each thing, in the words of a table."""
    dates = {
        "gives_back": says.gives_back,
        "can": says.can,
        "perhaps": says.perhaps,
        "cannot": says.cannot,
        "later": [says.not_before] if says.not_before else [],
    }
    told = {what: days_in_words(days) for what, days in dates.items() if days}
    found = [say(who, what, days=days) for what, days in told.items()]
    found += [say(who, "declines")] if says.declines else []
    return found + ([say(who, "asks", issue=says.asks)] if says.asks else [])


def reply(says: Says, persona: Persona) -> str:
    """A reply that says what its data say."""
    text = " ".join(stated("reply", says)) or say("reply", "noted")
    return f"{text}\n\n{persona.name}"


# ---- what prompts say ------------------------------------------------------------------


class Shows:
    """What prompts say of a desk, as far as a seat is shown it. What others wrote has ">"
    before each line, so that no text can pose as its own end."""

    in_words = staticmethod(in_words)
    in_text = staticmethod(in_text)

    def __init__(self, desk: Any, shown: Any = None) -> None:
        self.desk = desk
        self.shown = shown

    def dated(self, days: Sequence[date]) -> str:
        """Dates as forms have them, and in words."""
        return "; ".join(f"{day} ({in_words(day)})" for day in days) or "none"

    def quoted(self, given: str, most: int = SHOWN) -> str:
        """A text by somebody else."""
        lines = self.shown.text(given, most).splitlines()
        flat = (" ".join(line.split()) for line in lines)
        return "\n".join(f"> {line}" for line in flat if line)

    def letter(self, mail: Any) -> str:
        """A mail, a draft or a template."""
        return self.quoted(f"{mail.subject}\n{mail.body}")

    def mails(self, written: Sequence[Mail], most: int = THREAD) -> list[str]:
        """The last mails, each with a head of ours."""
        found = []
        for mail in self.shown.last(written, most, "mails"):
            head = f"Day {mail.day}, {mail.kind}, from {mail.sender} to {mail.to}:"
            found.append(f"{head}\n{self.letter(mail)}")
        return found

    def person(self, name: str) -> str:
        """All that is known of somebody, in a line."""
        books = self.desk.books
        contact = books.contacts[name]
        events = {
            "written": contact.mails,
            "answered": contact.answered[-1:],
            "has": books.held(name),
        }
        told = {what: days_in_words(days) for what, days in events.items() if days}
        found = [say("known", what, days=days) for what, days in told.items()]
        if quiet := books.quiet(contact):
            found.append(say("known", "quiet", days=quiet))
        dates = contact.can, contact.perhaps, contact.cannot, contact.gave_back
        rest = contact.declined, contact.not_before
        can, perhaps, cannot, back = map(tuple, dates)
        found += stated("known", Says(can, perhaps, cannot, back, *rest))
        known = "; ".join(found) or say("known", "nothing")
        return f"{name} ({contact.role}): {known}"

    def left(self) -> int:
        """Working days to the deadline."""
        return max(0, passed(self.desk.today, self.desk.scenario.deadline))

    def decided(self, about: str) -> Sequence[str]:
        """What the person at the desk decided, about one person or ("") about all, and
        what they were asked in this run and left open."""
        found = []
        due = self.desk.decided
        for flag in self.desk.hooks:
            if about in ("", flag.person) and (flag.answer or flag.day):
                when = "to be passed on" if flag in due else "before"
                asked = self.quoted(flag.question)
                answer = flag.answer or UNDECIDED
                found.append(f"{flag.person}, {when}: {answer}\n{asked}")
        return self.shown.last(found, LEARNT, "decisions")


# ---- reports and plans -----------------------------------------------------------------


def report(desk: Desk) -> str:
    """How things stand, as a model is told it, and the policies that are not followed."""
    lines = [render("organizing/state", desk=desk, show=Shows(desk))]
    for policy in desk.policies.words_alone:
        lines.append(say("report", "unfollowed", id=policy.id, text=policy.text))
    return "\n".join(lines)


def plan(desk: Desk, actions: Sequence[Action]) -> DayPlan:
    """Who gets which kind of mail, and which policies ask for it."""
    parts = []
    for kind in dict.fromkeys(action.kind for action in actions):
        names = [action.person for action in actions if action.kind == kind]
        parts.append(say("do", kind, names=", ".join(names)))
    why = [say("reason", "wish")] if desk.wish else []
    for policy in dict.fromkeys(action.policy for action in actions):
        why.append(say("reason", "policy" if policy else "goal", policy=policy))
    if not actions:
        parts = [say("do", "nothing")]
        why = [*why, say("reason", "idle")]
    return DayPlan(" ".join(parts), " ".join(why))


def named_in(text: str, names: Iterable[str]) -> set[str]:
    """The people whom a text names, a longer name before one inside it."""
    found = set()
    for name in sorted(names, key=len, reverse=True):
        if name in text:
            found.add(name)
            text = text.replace(name, "")
    return found


def evening(desk: Desk) -> str:
    """What came and went, and how full the programme is."""
    today = [mail for mail in desk.mails if mail.day == desk.day]
    sent = [mail for mail in today if mail.sender == ORGANISER]
    given = [mail.to for mail in sent if mail.kind == CONFIRMATION]
    return say(
        "report",
        "evening",
        sent=len(sent),
        came=len(today) - len(sent),
        taken=sum(map(len, desk.books.holders.values())),
        seats=desk.scenario.seats * len(desk.books.holders),
        given=", ".join(given) or "nobody",
    )


# ---- mails by templates ----------------------------------------------------------------


def letter(desk: Desk, action: Action) -> Draft:
    """The mail of an action, with the greeting and the closing that edits taught."""
    programme = desk.scenario
    person = desk.scenario.by_name[action.person]
    template = desk.template(action)
    if template is None:
        raise InvalidInput(f"mail to {person.name}: no template for {action.kind}")
    decided = [flag for flag in desk.decided if flag.person == person.name]
    answer = "\n\n".join(flag.words or "{answer}" for flag in decided)
    asked = action.slots or desk.books.to_come
    last = _names(person, programme)["last"]
    gaps = {
        "speaker": f"Professor {last}" if person.role == PROFESSOR else person.name,
        "dates": "\n".join(map(in_words, asked)),
        "date": in_words(asked[0]) if asked else "",
        "answer": answer or "{answer}",
        "title": programme.title,
        "place": programme.place,
        "time": programme.time,
        "organiser": programme.organiser,
        "field": person.field or say("mail", "field"),
    }
    body = _filled(template.body, gaps)
    body = mannered(body, learnt(desk, person), person, programme)
    return Draft(person.name, _filled(template.subject, gaps), body)


def _filled(text: str, gaps: Mapping[str, str]) -> str:
    """With every known gap filled; what is no gap stays as it is."""
    return re.sub(r"\{(\w+)\}", lambda m: gaps.get(m[1], m[0]), text).strip()


def gap_in(text: str) -> str:
    """A gap that was left in a mail, or ""."""
    found = re.search(r"\{\w+\}", text)
    return found[0] if found else ""


def _names(person: Persona, scenario: Scenario) -> dict[str, str]:
    """What mails call somebody; the last name is the full one where two share it."""
    parts = person.name.split()
    alike = [p for p in scenario.people if p.name.split()[-1] == parts[-1]]
    last = parts[-1] if len(alike) == 1 else person.name
    return {
        "name": person.name,
        "last": last,
        "first": parts[0],
    }


def greets_another(draft: Draft, scenario: Scenario) -> str:
    """Whom the first line of a mail names that it does not go to; "" for nobody."""
    first = {*re.findall(r"[\w'’-]+", draft.body.strip().partition("\n")[0])}
    own = draft.person.split()
    for person in scenario.people:
        parts = person.name.split()
        if first & {parts[0], parts[-1]} - {*own}:
            return person.name
    return ""


# ---- what is learnt of mails that were changed at the desk -----------------------------


def manner(body: str, name: str, organiser: str) -> dict[str, str]:
    """The "greeting" and the "closing" of a mail to somebody, where it has them.

    A greeting is the first line, if it names them and ends with a comma or an exclamation
    mark, with gaps for the name; a closing the line above the organiser's name at the end.

    >>> manner("Hi Ana!\\n\\nCome.\\n\\nYours,\\nNoor", "Ana Ray", "Noor Halvard")
    {'greeting': 'Hi {first}!', 'closing': 'Yours,'}
    """
    lines = body.strip().split("\n")
    parts = name.split()
    greeting = lines[0]
    found = dict[str, str]()
    for gap, part in (("name", name), ("last", parts[-1]), ("first", parts[0])):
        greeting = re.sub(rf"\b{re.escape(part)}(?!\w)", f"{{{gap}}}", greeting)
    line = len(greeting) <= LINE and greeting.endswith((",", "!"))
    if line and greeting != lines[0]:
        found["greeting"] = greeting
    signed = len(lines) > 1 and lines[-1] in (organiser, organiser.split()[0])
    if signed and lines[-2]:
        found["closing"] = lines[-2]
    return found


def mannered(
    body: str,
    wanted: Mapping[str, str],
    person: Persona,
    scenario: Scenario,
) -> str:
    """A mail with another greeting and closing, where it has one."""
    there = manner(body, person.name, scenario.organiser)
    lines = body.strip().split("\n")
    for part, place in (("greeting", 0), ("closing", -2)):
        if part in there and part in wanted:
            lines[place] = _filled(wanted[part], _names(person, scenario))
    return "\n".join(lines)


def restyled(edit: Edit, organiser: str) -> dict[str, tuple[str, str]]:
    """The greeting and the closing of a mail before and after, where these were changed."""
    if edit.what != MAIL or edit.wish:
        return {}
    bodies = [text.partition("\n\n")[2] for text in (edit.before, edit.after)]
    old, new = (manner(body, edit.about, organiser) for body in bodies)
    return {k: (old.get(k, ""), new[k]) for k in new if old.get(k) != new[k]}


def learnt(desk: Desk, person: Persona) -> dict[str, str]:
    """The latest greeting of people of the same role, and the latest closing."""
    found = {}
    for edit in desk.edits:
        for part, (_, new) in restyled(edit, desk.scenario.organiser).items():
            if part == "closing" or edit.role == person.role:
                found[part] = new
    return found


def change(desk: Desk, edit: Edit) -> str:
    """What was changed, quoted; of a mail its greeting and closing alone, since the rest
    of it is nobody else's business."""
    about = {"what": edit.what, "about": edit.about or "the day"}
    if not edit.after:
        return say("change", "removed", **about)
    if edit.what != MAIL:
        old, new = (textwrap.shorten(t, SUMMED) for t in (edit.before, edit.after))
        return say(
            "change",
            "changed",
            old=old,
            new=new,
            **about,
        )
    found = []
    for part, (old, new) in restyled(edit, desk.scenario.organiser).items():
        found.append(
            say(
                "change",
                "part",
                part=part,
                old=old,
                new=new,
            )
        )
    about["about"] = f"a {edit.role}"
    return say("change", "style", changes=" and ".join(found), **about) if found else ""
