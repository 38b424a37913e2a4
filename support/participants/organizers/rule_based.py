"""An organiser that follows the policies literally, and nothing but them and the goal."""

from __future__ import annotations

import textwrap

import numpy as np

from support.environments.seminar.state import applies
from support.environments.seminar.views import DayPlan, Desk, Draft
from support.participants.organizers.hearing import understood
from support.participants.organizers.manners import closing_of, greeting_of
from support.participants.organizers.steps import todo
from support.participants.organizers.telling import evening, in_plan, plan_of, report
from support.participants.organizers.writing import written
from support.records.organizing import MAIL, Action, Edit, Mail, Understood

SHOWN = 60
"""Characters of a text that a summary of an edit quotes."""


class RuleBasedOrganizer:
    """Reads by patterns, selects and acts by rules, writes by templates.

    A policy that states no rule is not followed, and every morning's report says so. Where no policy says how long to
    wait, a mail is left alone for two working days; where none says whom to ask first, as many people are asked as
    seats are free. It never gives anybody a date that they did not name. A wish ("make it again, but ...") is beyond
    it: it makes the same again, and says so in the plan. Of what was changed before, it learns greetings and closings
    (`manners`).

    Parameters
    ----------
    rng : numpy.random.Generator, optional
        Draws once in which order ties between people are broken; without it, that of the scenario.
    """

    kind = "rule-based"

    def __init__(self, rng: np.random.Generator | None = None) -> None:
        self._rng = rng
        self._order: tuple[str, ...] = ()

    async def read(self, desk: Desk, mail: Mail) -> Understood:
        """What the patterns of `environments.seminar.reading` read, of the dates that the writer was offered."""
        return understood(desk, mail)

    async def progress(self, desk: Desk) -> str:
        """One sentence for each date and each person, and one for each policy that is not understood."""
        return report(desk)

    async def select(self, desk: Desk, progress: str) -> tuple[str, ...]:
        """Those that apply read literally; the report is not needed for that."""
        return applies(desk.state, desk.policies)

    async def plan(self, desk: Desk, progress: str, selected: tuple[str, ...], wish: str = "") -> DayPlan:
        """Who is to get which kind of mail, by name."""
        return plan_of(desk, self._todo(desk), wish)

    async def act(self, desk: Desk, plan: DayPlan, selected: tuple[str, ...], wish: str = "") -> tuple[Action, ...]:
        """What the policies ask for today, about the people whom the plan names."""
        return in_plan(plan, self._todo(desk))

    async def draft(self, desk: Desk, action: Action, wish: str = "") -> Draft:
        """The template of its kind, filled."""
        return written(desk, action)

    async def describe(self, desk: Desk, edit: Edit) -> str:
        """What was changed, quoted; of a mail, its greeting and its closing if they are other ones now."""
        whom = f" about {edit.about}" if edit.about else ""
        if not edit.after:
            return f"The {edit.what}{whom} was removed."
        changes = _style(desk, edit) if edit.what == MAIL else []
        if changes:
            return f"In the {edit.what}{whom}, {' and '.join(changes)}."
        return f"The {edit.what}{whom} was changed from “{_brief(edit.before)}” to “{_brief(edit.after)}”."

    async def close(self, desk: Desk) -> str:
        """Counts of the day, and who got a date."""
        return evening(desk)

    def _todo(self, desk: Desk) -> tuple[Action, ...]:
        if not self._order:
            names = list(desk.scenario.by_name)
            mixed = range(len(names)) if self._rng is None else self._rng.permutation(len(names)).tolist()
            self._order = tuple(names[k] for k in mixed)
        return todo(desk, self._order)


def _style(desk: Desk, edit: Edit) -> list[str]:
    person = desk.scenario.by_name.get(edit.about)
    pairs = [("the closing", closing_of(edit.before, desk.scenario), closing_of(edit.after, desk.scenario))]
    if person:
        pairs.insert(0, ("the greeting", greeting_of(edit.before, person), greeting_of(edit.after, person)))
    return [f"{what} “{old}” became “{new}”" for what, old, new in pairs if old and new and old != new]


def _brief(text: str) -> str:
    return textwrap.shorten(text, SHOWN, placeholder=" …")
