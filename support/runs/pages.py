"""Runs as readable HTML: discussions and coordinations, round by round.

Every text is escaped, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from support.fair_decisions.measures import value
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Planning, PlanningRound
from support.forms import templates
from support.meetings.preferences import moment
from support.meetings.records import Coordination
from support.meetings.wording import worded
from support.roundtable.records import ENVIRONMENTS, Transcript, environment_of


@cache
def _template(name: str = "pages.html.j2") -> Any:
    return templates(Path(__file__).parent).get_template(name)


def to_html(record: Transcript, *, title: str = "", reasons: bool = False) -> str:
    """A discussion as HTML for `IPython.display.HTML`; `reasons` were private."""
    known = record.environment.get("name") in ENVIRONMENTS
    return _template().render(
        record=record,
        title=title,
        reasons=reasons,
        hidden=(),
        describe=environment_of(record).describe if known else str,
    )


def meeting_to_html(
    record: Coordination,
    *,
    title: str = "",
    private: bool = False,
    only: Collection[str] = (),
) -> str:
    """A coordination as HTML; `private` shows the true scores.

    `only` says whose talks are shown: a member who is a person should see no other's.
    """
    return _template().render(
        record=record,
        title=title,
        private=private,
        hidden=[one for one in record.members if only and one not in only],
        zone=record.meeting.get("zone", "UTC"),
        when=_when,
        worded=worded,
    )


def _when(slot: str) -> str:
    """A start in words; a venue is its name."""
    try:
        return moment(datetime.fromisoformat(slot))
    except ValueError:
        return slot


def planning_to_html(
    record: Planning, problem: FairDecisions, *, title: str = "", truth: bool = False
) -> str:
    """A search for a fair plan as HTML, newest plan first; `problem` has the names.

    `truth` shows the true totals beside what the group knows or estimates (≈).
    """
    objective = str(record.settings.get("objective", "divergence"))
    rows: list[dict[str, Any]] = []
    for entry in record.rounds:
        for i, plan in enumerate(entry.plans if entry.feedback else ()):
            name = f"{entry.number}{'AB'[i] if len(entry.plans) > 1 else ''}"
            known = entry.heard[i] if entry.heard else ()
            row = {"name": name, "words": problem.words(plan), "known": "–", "true": ""}
            if known:
                worth = abs(value(objective, np.array(known), problem.best))
                row["known"] = f"{worth:.0f}"
            if truth:
                worth = abs(value(objective, np.array(entry.totals[i]), problem.best))
                row["true"] = f"true: {worth:.0f}"
            answers = _answers(entry, i, known, truth)
            rows.append(row | {"answers": answers, "chosen": plan == record.chosen})
    told = {"title": title, "objective": objective, "rows": rows[::-1]}
    return _template("planning.html.j2").render(record=record, **told)


def _answers(
    entry: PlanningRound, i: int, known: tuple[float, ...], truth: bool
) -> list[tuple[str, str]]:
    """What each participant said of a plan, and a note: what is expected, what is true."""
    told = []
    for at, answer in enumerate(entry.feedback):
        said = answer.text
        if answer.score is not None:
            said = str(answer.score)
        elif not said and answer.alike:
            said = "likes both alike"
        elif not said and answer.prefers is not None:
            said = "prefers this" if answer.prefers == i else ""
        notes = [f"≈ {known[at]:.0f}"] if known and answer.score is None else []
        notes += [f"true: {entry.totals[i][at]}"] if truth else []
        told.append((said or "–", ", ".join(notes)))
    return told
