"""What lies in a study's file of its seminars: the one worked on last, what each leaves, the records of those over."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from support.errors import InvalidInput
from support.runs.study import Store
from support.seminar.artefacts import Artefacts
from support.seminar.organizing import carried
from support.seminar.records import OrganizingDay
from support.seminar.rules import policies_of
from support.seminars.changing import POLICIES, TEMPLATES, Entries, Templates
from support.seminars.journal import names
from support.seminars.remembering import FINISHED, USER, from_text
from support.seminars.seminar import Seminar
from support.seminars.setup import SeminarSetup

SWEEP = "seminars"
"""Under which name the records of seminars that are over lie in the store."""


def latest(path: Path) -> str:
    """The seminar that was worked on last, or the newest one where nobody has worked on any; "" for none."""
    known = names(path)
    if not known:
        return ""
    with closing(Store(path)) as store:
        rows = store.select("SELECT seminar FROM journal ORDER BY rowid DESC LIMIT 1")
    return str(rows[0][0]) if rows else known[-1]


def copied(path: Path, name: str) -> SeminarSetup:
    """The setup of a seminar, with what it leaves by now; nobody who works on it is disturbed.

    Raises
    ------
    InvalidInput
        When there is none of that name.
    """
    with closing(Store(path)) as store:
        found = store.select("SELECT setup FROM seminars WHERE name = ?", (name,))
        query = "SELECT step, answer FROM journal WHERE seminar = ? AND role IN (?, 'day') ORDER BY number"
        rows = store.select(query, (name, USER))
    if not found:
        raise InvalidInput(f"seminar: {name!r} given; {path.name} has {', '.join(names(path)) or 'none'}")
    setup = SeminarSetup.from_json(found[0][0])
    return replace(setup, artefacts=left(setup.artefacts, rows))


def left(begun: Artefacts, rows: Iterable[tuple[str, str]]) -> Artefacts:
    """What a seminar leaves that began with those artefacts.

    Parameters
    ----------
    rows : pairs of step and answer
        The days of its journal and what was changed by its user, in order.
    """
    told = list(rows)
    made = carried(begun, [from_text(OrganizingDay, said) for step, said in told if step == FINISHED])
    for step, said in told:
        if step == POLICIES:
            made = replace(made, policies=policies_of(from_text(Entries, said), "journal"))
        elif step == TEMPLATES:
            made = replace(made, templates={one.kind: one for one in from_text(Templates, said)})
    return made


def kept(seminar: Seminar) -> bool:
    """Whether the record of a seminar lies in the store."""
    settings = json.dumps(settings_of(seminar), sort_keys=True)
    with closing(Store(seminar.path)) as store:
        return any(unit.text == settings for unit in store.finished(SWEEP))


def keep(seminar: Seminar) -> None:
    """Put the record of a seminar that is over into the store, once."""
    if not kept(seminar):
        with closing(Store(seminar.path)) as store:
            store.save(SWEEP, seminar.record, settings_of(seminar))


def settings_of(seminar: Seminar) -> dict[str, Any]:
    """What a record in the store is found by."""
    setup = seminar.setup
    told = {"organizer": setup.organizer, "detector": setup.detector, "seed": setup.seed}
    return {"name": seminar.name, "mode": setup.mode, "days": len(seminar.finished), **told}
