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

from support.data import inputs
from support.seminar.books import Contact
from support.seminar.data import (
    ORGANISER,
    PROFESSOR,
    Persona,
    Scenario,
    days_in_words,
    in_words,
    working,
)
from support.seminar.desk import Desk, Template, load_templates
from support.seminar.records import (
    CONFIRMATION,
    MAIL,
    Action,
    DayPlan,
    Draft,
    Edit,
    Says,
)

SHOWN = 60  # characters that a summary of an edit quotes
LINE = 80  # characters of a line that can be a greeting or a closing


@cache
def _table() -> dict[str, dict[str, str]]:
    file = inputs("sentences", "seminar.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def say(who: str, what: str, /, **gaps: object) -> str:
    """A sentence of the table, filled."""
    return _table()[who][what].format(**gaps)


def counted(count: int, what: str) -> str:
    """A number of things."""
    return f"{count} {what}{'' if count == 1 else 's'}"


# ---- reports and plans -----------------------------------------------------------------


def report(desk: Desk) -> str:
    """How things stand: every date, everybody who was written to, who was not, and the
    policies that are not followed."""
    contacts = desk.books.contacts.values()
    lines = [say("report", "day", day=desk.day, today=in_words(desk.today))]
    for slot, names in desk.books.holders.items():
        left = desk.scenario.seats - len(names)
        has = ", ".join(names) or "nobody"
        lines.append(say("report", "slot", slot=in_words(slot), has=has, left=left))
    met = [contact for contact in contacts if contact.mails or contact.answered]
    lines += [f"{c.name} ({c.role}): {'; '.join(known(desk, c))}." for c in met]
    if unwritten := [c.name for c in contacts if c not in met]:
        lines.append(say("report", "unwritten", names=", ".join(unwritten)))
    for policy in desk.policies.words_alone:
        lines.append(say("report", "unfollowed", id=policy.id, text=policy.text))
    return "\n".join(lines)


def known(desk: Desk, contact: Contact) -> list[str]:
    """What is known of somebody, a phrase for each thing."""
    quiet = desk.books.quiet(contact)
    said = {
        "written": contact.mails,
        "answered": contact.answered[-1:],
        "has": desk.books.held(contact.name),
        "can": contact.can,
        "perhaps": contact.perhaps,
        "cannot": contact.cannot,
        "gave_back": contact.gave_back,
        "later": [contact.not_before] if contact.not_before else [],
    }
    found = [
        say("known", what, days=days_in_words(days))
        for what, days in said.items()
        if days
    ]
    if quiet:
        found.append(say("known", "quiet", days=counted(quiet, "working day")))
    return found + ([say("known", "declined")] if contact.declined else [])


def plan(desk: Desk, actions: Sequence[Action], wish: str = "") -> DayPlan:
    """Who gets which kind of mail, and which policies ask for it."""
    people: dict[str, list[str]] = {}
    asked: dict[str, list[str]] = {}
    for action in actions:
        people.setdefault(action.kind, []).append(action.person)
        asked.setdefault(action.policy, []).append(action.kind)
    parts = [say("do", kind, names=", ".join(of)) for kind, of in people.items()]
    why = [say("reason", "wish")] if wish else []
    for policy, kinds in asked.items():
        said = {"policy": policy, "mails": counted(len(kinds), "mail")}
        why.append(say("reason", "policy" if policy else "goal", **said))
    if not actions:
        weekend = "weekend" in desk.policies.rules and not working(desk.today)
        why.append(say("reason", "weekend" if weekend else "idle"))
    return DayPlan(" ".join(parts) or say("do", "nothing"), " ".join(why))


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
    taken = sum(map(len, desk.books.holders.values()))
    return say(
        "report",
        "evening",
        sent=counted(len(sent), "mail"),
        came=len(today) - len(sent),
        taken=taken,
        seats=desk.scenario.seats * len(desk.books.holders),
        given=", ".join(given) or "nobody",
    )


# ---- mails by templates ----------------------------------------------------------------


def letter(desk: Desk, action: Action) -> Draft:
    """The mail of an action, with the greeting and the closing that edits taught."""
    person = desk.scenario.by_name[action.person]
    template = template_for(desk.templates, action) or template_for(
        load_templates(), action
    )
    decided = [flag for flag in desk.decided if flag.person == person.name]
    answer = "\n\n".join(flag.words or "{answer}" for flag in decided)
    asked = action.slots or desk.books.to_come
    gaps = {
        "speaker": addressed(person, desk.scenario),
        "dates": "\n".join(map(in_words, asked)),
        "date": in_words(asked[0]) if asked else "",
        "answer": answer or "{answer}",
        "title": desk.scenario.title,
        "place": desk.scenario.place,
        "time": desk.scenario.time,
        "organiser": desk.scenario.organiser,
        "field": person.field or say("mail", "field"),
    }
    subject, body = (_filled(t, gaps) for t in (template.subject, template.body))
    return Draft(
        person.name, subject, mannered(body, desk.edits, person, desk.scenario)
    )


def template_for(known: Sequence[Template], action: Action) -> Template:
    """The one for what a clarification asks goes before one for all."""
    same = [t for t in known if t.kind == action.kind and t.asks in ("", action.asks)]
    return max(same, key=lambda template: template.asks, default=None)  # type: ignore[return-value]


def _filled(text: str, gaps: Mapping[str, str]) -> str:
    """With every known gap filled; what is no gap stays as it is."""
    return re.sub(r"\{(\w+)\}", lambda m: gaps.get(m[1], m[0]), text).strip()


def gap_in(text: str) -> str:
    """A gap that was left in a mail, or ""."""
    found = re.search(r"\{\w+\}", text)
    return found[0] if found else ""


def addressed(person: Persona, scenario: Scenario) -> str:
    """How mails address somebody: professors by title and last name, in full where
    another shares it; others by name."""
    if person.role != PROFESSOR:
        return person.name
    return f"Professor {_last(person, scenario)}"


def _last(person: Persona, scenario: Scenario) -> str:
    last = person.name.split()[-1]
    alike = [p for p in scenario.people if p.name.split()[-1] == last]
    return person.name if len(alike) > 1 else last


# ---- what is learnt of mails that were changed at the desk -----------------------------
# A greeting is the first line that names the person and ends with a comma or an
# exclamation mark, a closing the line before the organiser's name. A greeting is used
# again for people of the same role, a closing for everybody; of several the latest.


def change(desk: Desk, edit: Edit) -> str:
    """What was changed, quoted; of a mail its greeting and its closing, if these are
    other ones now."""
    about = {"what": edit.what, "about": edit.about or "the day"}
    if not edit.after:
        return say("change", "removed", **about)
    found = []
    for part, (old, new) in restyled(edit, desk.scenario).items():
        found.append(say("change", "part", part=part, old=old, new=new))
    if found:
        about["about"] = f"a {edit.role}" if edit.role else "somebody"
        return say("change", "style", changes=" and ".join(found), **about)
    old, new = (textwrap.shorten(t, SHOWN) for t in (edit.before, edit.after))
    return say("change", "changed", old=old, new=new, **about)


def restyled(edit: Edit, scenario: Scenario) -> dict[str, tuple[str, str]]:
    """The greeting and the closing of a mail before and after, where these were changed."""
    if edit.what != MAIL or edit.wish:
        return {}
    texts = edit.before, edit.after
    greeting, other = (greeting_of(text, edit.about) for text in texts)
    closing, last = (closing_of(text, scenario) for text in texts)
    parts = {"greeting": (greeting, other), "closing": (closing, last)}
    return {
        name: (old, new) for name, (old, new) in parts.items() if old != new and new
    }


def mannered(
    body: str, edits: Sequence[Edit], person: Persona, scenario: Scenario
) -> str:
    """A mail with the greeting and the closing that edits of mails teach."""
    learnt = {}
    for edit in edits:
        for part, (_, new) in restyled(edit, scenario).items():
            if part == "closing" or edit.role == person.role:
                learnt[part] = new
    first, _, rest = body.partition("\n")
    if "greeting" in learnt and greeting_of(first, person.name):
        gaps = {**_names(person.name), "last": _last(person, scenario)}
        body = f"{_filled(learnt['greeting'], gaps)}\n{rest}"
    old = closing_of(body, scenario)
    if "closing" in learnt and old:
        head, _, tail = body.rpartition(old)
        body = f"{head}{learnt['closing']}{tail}"
    return body


def _names(name: str) -> dict[str, str]:
    parts = name.split()
    return {"name": name, "last": parts[-1], "first": parts[0]}


def greeting_of(text: str, name: str) -> str:
    """The greeting of a mail to somebody, with gaps for the name; "" where there is none.

    >>> greeting_of("Hi Ana!", "Ana Ray")
    'Hi {first}!'
    """
    for line in map(str.strip, text.splitlines()):
        if not 0 < len(line) <= LINE or not line.endswith((",", "!")):
            continue
        gaps = line.replace("{", "(").replace("}", ")")
        for gap, part in _names(name).items():
            gaps = re.sub(rf"\b{re.escape(part)}(?!\w)", f"{{{gap}}}", gaps)
        if gaps != line:
            return gaps
    return ""


def closing_of(text: str, scenario: Scenario) -> str:
    """The line before the organiser's own name at the end; "" where there is none."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    names = (scenario.organiser, scenario.organiser.split()[0])
    signed = [k for k, line in enumerate(lines) if line.rstrip(",.") in names]
    found = lines[signed[-1] - 1] if signed and signed[-1] else ""
    return found if len(found) <= LINE else ""


def greets_another(draft: Draft, scenario: Scenario) -> str:
    """Whom the first line of a mail names that it does not go to; "" for nobody."""
    first = draft.body.strip().partition("\n")[0]
    own = scenario.by_name[draft.person].name.split()
    for person in scenario.people:
        parts = [person.name, person.name.split()[-1], person.name.split()[0]]
        strange = [part for part in parts if part not in own and part != draft.person]
        if any(re.search(rf"\b{re.escape(part)}\b", first) for part in strange):
            return person.name
    return ""


# ---- replies ---------------------------------------------------------------------------


def reply(says: Says, persona: Persona) -> str:
    """A reply that says what its data say."""
    dates = {
        "gives_back": says.gives_back,
        "can": says.can,
        "perhaps": says.perhaps,
        "cannot": says.cannot,
        "later": [says.not_before] if says.not_before else [],
    }
    said = [
        say("reply", what, dates=_listed(days)) for what, days in dates.items() if days
    ]
    said += [say("reply", "declines")] if says.declines else []
    said += [say("reply", "asks", issue=says.asks)] if says.asks else []
    text = " ".join(said) or say("reply", "noted")
    return f"{text}\n\n{persona.name}"


def _listed(days: Iterable[date]) -> str:
    return " and ".join(in_words(day) for day in sorted(days))
