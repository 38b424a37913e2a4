"""Organising: an organiser fills dates by mail, a day at a time, and a person at the desk may look at every step.

The loop of "DoubleAgents" (Long et al.), section 3. On each day

1. replies are read, entered, and checked for what no policy covers; the person at the desk is asked about that,
2. the organiser sums up the progress, selects policies, plans the day, and turns the plan into actions,
3. mails are written and sent, dates are given away,
4. whoever got mail reads it in the evening and answers at once, later, or never.

Plans, actions and mails pass a checkpoint, as far as they are not delegated. What a policy forbids is not prevented: it
is done, and recorded as a violation. What cannot be is refused: see `ledger.refusal`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date, timedelta
from typing import Any

from support.errors import InvalidInput
from support.seminar.artefacts import Artefacts, Template, hook_of
from support.seminar.checkpoints import AUTOMATIC
from support.seminar.data import Scenario
from support.seminar.ledger import Ledger, settled
from support.seminar.post import DirectPost, Slips
from support.seminar.records import Hook, Mail, Organizing, OrganizingDay
from support.seminar.views import Desk
from support.seminar.workday import Run


async def organize(
    scenario: Scenario,
    seats: Mapping[str, Any],
    organizer: Any,
    detector: Any,
    reviewer: Any,
    *,
    artefacts: Artefacts,
    past: Sequence[Template] = (),
    delegation: Mapping[str, str] | str = AUTOMATIC,
    until: int | None = None,
) -> AsyncIterator[OrganizingDay]:
    """Yield each finished day, weekends too, to the deadline, or until all is confirmed and no reply is under way.

    A reply of a role that does not fit its form is a `FormatError`, and stands for nothing: no action, no mail.
    """
    post = DirectPost(scenario, seats, slips := Slips())
    run = Run(
        scenario,
        post,
        organizer,
        detector,
        reviewer,
        artefacts,
        past,
        delegation,
        slips,
    )
    if until is not None and (
        isinstance(until, bool) or not isinstance(until, int) or until < 1
    ):
        raise InvalidInput(
            f"until: {until!r} given; expected a whole number of days from 1"
        )
    last = min((scenario.deadline - scenario.start).days + 1, until or 10**6)
    for number in range(1, last + 1):
        yield await run.day(number)
        if settled(run.office.state) and not run.post.awaited(last):
            return


def record(
    scenario: Scenario,
    roles: Mapping[str, Any],
    days: Sequence[OrganizingDay],
    /,  # so that a setting may be called days
    *,
    artefacts: Artefacts,
    **settings: Any,
) -> Organizing:
    """The record of days that went by; `roles` holds people, organizer, detector and reviewer."""
    parts = (
        "id",
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
    told: dict[str, Any] = {name: getattr(scenario, name) for name in parts}
    told |= {
        "start": str(scenario.start),
        "deadline": str(scenario.deadline),
        "slots": list(map(str, scenario.slots)),
    }
    return Organizing(
        told,
        tuple(
            {**asdict(person), "constraints": list(person.constraints)}
            for person in scenario.people
        ),
        {role: who.kind for role, who in roles.items()},
        tuple((policy.id, policy.text) for policy in artefacts.policies),
        tuple(days),
        (*artefacts.hooks, *hooks(days)),
        settings,
    )


def hooks(days: Sequence[OrganizingDay]) -> tuple[Hook, ...]:
    """The stop hooks that flags left behind."""
    return tuple(
        hook_of(flag, day.number)
        for day in days
        for flag in day.flags
        if not flag.dates
    )


def carried(artefacts: Artefacts, days: Sequence[OrganizingDay]) -> Artefacts:
    """What one takes along: what there was, with the hooks and edits of these days; they are an earlier run's then."""
    left = tuple(replace(hook, day=0) for hook in hooks(days))
    learnt = tuple(edit for day in days for edit in day.edits)
    return replace(
        artefacts, hooks=(*artefacts.hooks, *left), learnt=(*artefacts.learnt, *learnt)
    )


def desk_of(
    scenario: Scenario,
    days: Sequence[OrganizingDay],
    artefacts: Artefacts | None = None,
) -> Desk:
    """The desk in the evening of the last of these days, to look things up on it."""
    if not days:
        raise InvalidInput(
            "days: none given; expected the days of a run, from its first"
        )
    ledger, mails = Ledger(scenario), list[Mail]()
    for day in days:
        evening = date.fromisoformat(day.date) - timedelta(
            days=1
        )  # on which the morning's replies were written
        for one in day.understood:
            ledger.received(one, evening)
        for mail in day.sent:
            ledger.sent(
                mail,
                next(
                    a for a in day.actions if (a.person, a.kind) == (mail.to, mail.kind)
                ),
            )
        mails += [*(replace(mail, slots=()) for mail in day.received), *day.sent]
    shown = replace(
        scenario, people=tuple(person.introduced for person in scenario.people)
    )
    begun, today = artefacts or Artefacts(), date.fromisoformat(days[-1].date)
    known = (
        shown,
        ledger.state(today),
        days[-1].number,
        tuple(mails),
        begun.policies,
        begun.templates,
    )
    learnt = tuple(edit for day in days for edit in day.edits)
    return Desk(
        *known, hooks=(*begun.hooks, *hooks(days)), edits=(*begun.learnt, *learnt)
    )
