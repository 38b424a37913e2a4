"""Rehearsals, selections and verdicts written down by hand."""

from types import SimpleNamespace

import pandas as pd
import pytest

from support.play import FormatError
from support.seminar.records import (
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    ORGANISER,
    REPLY,
    Flag,
    Mail,
    Organizing,
    OrganizingDay,
    Understood,
)

SLOTS = ("2027-09-15", "2027-10-13")
START = pd.Timestamp("2027-08-13")  # a Friday


def out(number, day, to, kind=INVITATION):
    """A mail of the organiser."""
    return Mail(number, day, kind, ORGANISER, to, "subject", "body")


def back(number, day, who, *meant):
    """A reply."""
    return Mail(number, day, REPLY, who, ORGANISER, "subject", "body", meant)


def a_day(number, *, held=((), ()), **what):
    """A day with its date and what is held in the evening."""
    date = (START + pd.Timedelta(days=number - 1)).date().isoformat()
    return OrganizingDay(number, date, assignment=tuple(zip(SLOTS, held, strict=True)), **what)


def rehearsal(*days, people=("Ana", "Ben", "Cem"), kinds=(), **settings):
    """A whole run; everybody is rule-based but those in `kinds`."""
    seats = {**dict.fromkeys(people, "rule-based"), "organizer": "rule-based", **dict(kinds)}
    scenario = {"id": "two", "seats": 1}
    return Organizing(scenario, tuple({"name": name} for name in people), seats, (), days, (), settings)


def eventful():
    """Ana gets a date, gives it back and gets the other; Ben answers the second mail; Cem never does."""
    first, second = SLOTS
    invited = tuple(out(k, 1, name) for k, name in enumerate(("Ana", "Ben", "Cem")))
    read = Understood(3, "Ana", (first,), (second,))
    misread = Understood(6, "Ben", (second,), never_offered=("x",))
    gone = Understood(7, "Ana", cancelled=(first,))
    heard = {"received": (back(3, 2, "Ana", first, second),), "understood": (read,)}
    late = {"received": (back(6, 3, "Ben", first),), "understood": (misread,)}
    lost = {"received": (back(7, 4, "Ana"),), "understood": (gone,)}
    return rehearsal(
        a_day(1, sent=invited, replies=2, tokens=50),
        a_day(2, **heard, sent=(out(4, 2, "Ana", CONFIRMATION), out(5, 2, "Ben", FOLLOW_UP)), held=(("Ana",), ())),
        a_day(3, **late, held=(("Ana",), ("Ben",)), flags=(Flag(6, "Ben", "May he?", "yes"), Flag(6, "Ben", "And?"))),
        a_day(4, **lost, held=((), ("Ben",)), violations=("one_each: a", "weekend: b"), tokens=7),
        a_day(5, held=(("Ana",), ("Ben",)), format_errors=(FormatError("organizer", "act", "no"),)),
        a_day(6, held=(("Ana",), ("Ben",)), sent=(out(8, 6, "Cem", FOLLOW_UP),)),
    )


def chosen(technique, *runs, truth=(("begin",), ("vague", "ask_more"), ())):
    """Selections: for each run a selection for each state."""
    return pd.DataFrame(
        {"technique": technique, "run": r, "item": k, "selected": s, "applies": truth[k]}
        for r, states in enumerate(runs)
        for k, s in enumerate(states)
    )


def verdicts(technique, *runs, cases=2, voices=2):
    """Verdicts as texts of 0 and 1, a letter a reply; the first half of the cases are to be flagged."""
    rows = []
    for r, said in enumerate(runs):
        for k, letter in enumerate(said):
            case = k // voices
            place = {"technique": technique, "run": r, "item": f"{case}-{k % voices}", "case": f"case {case}"}
            rows.append(place | {"flag": case < cases // 2, "flagged": letter == "1"})
    return pd.DataFrame(rows)


@pytest.fixture(scope="session")
def made():
    """All of the above, by name."""
    return SimpleNamespace(
        SLOTS=SLOTS, a_day=a_day, back=back, chosen=chosen, eventful=eventful, rehearsal=rehearsal, verdicts=verdicts
    )
