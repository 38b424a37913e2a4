"""A simulated principal: somebody with preferences that the organiser is not told, who
sits at the desk, corrects what goes against them, and leaves behind what can be learnt.

What DoubleAgents (Long et al., 002) claims of its users is tried on this one: over the
sessions less has to be corrected, since policies, templates, hooks and summaries of edits
are kept. Each can be left out. What is learnt is tried on a programme with other people
and dates, once with the principal at the desk, who corrects (interventions), once alone:
what the principal would have corrected then are violations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import numpy as np

from support.data import inputs
from support.errors import InvalidInput
from support.play import FormatError, check_number
from support.seats import Seats
from support.seminar import words
from support.seminar.data import PROFESSOR, Scenario, load_personas, scenario
from support.seminar.desk import Artefacts, Desk, load_templates
from support.seminar.policies import (
    RULES,
    Judged,
    Policy,
    PolicySet,
    checked,
    load_policies,
    read_yaml,
)
from support.seminar.records import (
    ACTION,
    CERTAIN,
    CLARIFICATION,
    CONFIRMATION,
    MAIL,
    MORE,
    WAIT,
    Action,
    Draft,
    Flag,
    Organizing,
    Review,
)
from support.seminar.review import ALWAYS, Automatic
from support.seminar.study import seminar

KEPT = POLICIES, TEMPLATES, HOOKS, EDITS = "policies", "templates", "hooks", "edits"
"""What an organiser may learn by."""
WRITTEN = 2
"""Policies that the principal writes after a session, at most."""


_KNOWN = read_yaml(inputs("seminar", "principal.yaml"))
HIDDEN = {
    name: checked(tuple[Policy, ...], [{"id": name, **one} for one in among], "hidden")
    for name, among in _KNOWN["policies"].items()
}
"""What a policy can be on, and be; of each a principal holds one."""
MANNERS: Mapping[str, Sequence[Any]] = _KNOWN["manners"]
REQUESTS: Mapping[str, str] = _KNOWN["requests"]
ANSWERS = {True: "Yes, that is fine.", False: "I am sorry, but that is not possible."}


@dataclass(frozen=True, slots=True)
class Preferences:
    """Seven policies, four manners, and which requests are granted: twelve things that
    the organiser is not told."""

    policies: PolicySet
    manners: Mapping[str, Any]
    granted: tuple[str, ...]


def drawn(rng: np.random.Generator) -> Preferences:
    """Preferences at random, all values alike."""
    policies = [_one(rng, among) for among in HIDDEN.values()]
    manners = {what: _one(rng, among) for what, among in MANNERS.items()}
    granted = tuple(request for request in REQUESTS if rng.random() < 0.5)
    return Preferences(PolicySet(tuple(policies)), manners, granted)


def _one(rng: np.random.Generator, among: Sequence[Any]) -> Any:
    return among[int(rng.integers(len(among)))]


# ---- at the desk -----------------------------------------------------------------------


class Principal(Automatic):
    """The person at the desk. Who is `away` sees all, changes nothing, and decides
    nothing; `noted` counts what goes against each preference. `remembers`: whether the
    organiser gives an answer again that it was given for the same request."""

    kind = "simulated principal"

    def __init__(
        self, likes: Preferences, people: Scenario, away: bool, remembers: bool
    ) -> None:
        self.likes, self.people = likes, people.by_name
        self.away, self.remembers = away, remembers
        self.noted = Counter[str]()

    async def review(self, desk: Desk, what: str, items: Any) -> Review:
        """Everything as it should be."""
        right = items
        if what == ACTION:
            right = self._actions(desk, items)
        if what == MAIL:
            right = [self._mail(desk, draft) for draft in items]
        return Review(tuple(items if self.away else right))

    async def decide(self, desk: Desk, flag: Flag) -> Flag:
        """Whether what somebody asks for is granted; anything else is left open."""
        request = self.people[flag.person].issue_kind
        if request not in REQUESTS:
            return flag
        granted = request in self.likes.granted
        answer = ANSWERS[granted]
        same = [h.answer for h in desk.hooks if REQUESTS[request] in h.question]
        if not (self.remembers and answer in same):
            self.noted["granted"] += 1
            if self.away:
                return flag
        return replace(flag, answer=answer, words=answer, grants=granted)

    # ---- actions ----

    def _actions(self, desk: Desk, actions: Sequence[Action]) -> list[Action]:
        after = desk.books.copy()
        for action in actions:
            if action.kind == CONFIRMATION:
                after.enter("given", action.person, action.slots[0])
        right = []
        for action in actions:
            judged = Judged(
                desk.books, after, [action], desk.mails, self.likes.policies
            )
            why = self.wrong(desk, judged)
            self.noted.update([why] if why else [])
            instead = self._instead(desk, action, why) if why else action
            right += [instead] if instead else []
        return right

    def wrong(self, desk: Desk, judged: Judged) -> str:
        """The preference that an action goes against; "" for none. What is asked for
        the sake of a policy that the principal does not hold is wrong, too."""
        (action,) = judged.actions
        on_monday = "Mondays" in self.likes.policies["rest"].text
        if on_monday and desk.today.weekday() == 0 and action.kind != WAIT:
            return "rest"
        hidden = self.likes.policies.rules
        for rule, policy in hidden.items():
            if any(RULES[rule].broken(judged, policy.number)):
                return policy.id
        for rule, name in (("vague", "certain"), ("ask_more", "dates")):
            known = desk.policies.rules.get(rule)
            if known and known.id == action.policy and rule not in hidden:
                return name
        return ""

    def _instead(self, desk: Desk, action: Action, why: str) -> Action | None:
        """What is done in the place of an action; None for nothing."""
        gives, made = action.kind == CONFIRMATION, None
        if why == "certain" and gives:
            made = replace(action, kind=CLARIFICATION, asks=CERTAIN)
        elif why == "certain" and action.asks == CERTAIN:
            made = replace(action, kind=CONFIRMATION, asks="")
        elif why == "dates" and gives:
            known = desk.books.contacts[action.person].spoken_of
            others = [slot for slot in desk.books.to_come if slot not in known]
            made = replace(action, kind=CLARIFICATION, slots=tuple(others), asks=MORE)
        return None if made is None or desk.books.refusal(made) else made

    # ---- mails ----

    def _mail(self, desk: Desk, draft: Draft) -> Draft:
        person = desk.scenario.by_name[draft.person]
        role = "professors" if person.role == PROFESSOR else "others"
        manners, body = self.likes.manners, draft.body
        greeting = words.greeting_of(body, person.name)
        if greeting and greeting != manners[role]:
            self.noted[role] += 1
            first, *_, last = person.name.split()
            gaps = {"name": person.name, "first": first, "last": last}
            rest = body.partition("\n")[2]
            body = f"{manners[role].format(**gaps)}\n{rest}"
        closing = words.closing_of(body, desk.scenario)
        if closing and closing != manners["closing"]:
            self.noted["closing"] += 1
            head, _, tail = body.rpartition(closing)
            body = f"{head}{manners['closing']}{tail}"
        if manners["brief"] and brief(body) != body:
            self.noted["brief"] += 1
            body = brief(body)
        return replace(draft, body=body)


def brief(text: str) -> str:
    """A mail of which every paragraph has its first sentence alone."""
    parts = [re.split(r"(?<=[.!?])\s+(?=[A-Z])", one)[0] for one in text.split("\n\n")]
    return "\n\n".join(parts)


# ---- what is left behind ---------------------------------------------------------------


def learnt(
    start: Artefacts, at_desk: Principal, record: Organizing, by: Sequence[str]
) -> Artefacts:
    """What the organiser begins the next session with: policies on what was corrected
    most, and templates of what was edited, as the principal wants them."""
    likes, made = at_desk.likes, start.learning(record.days)
    made = made if HOOKS in by else replace(made, hooks=start.hooks)
    made = made if EDITS in by else replace(made, learnt=start.learnt)
    if POLICIES in by:
        noted = [name for name, _ in at_desk.noted.most_common() if name in HIDDEN]
        fresh = [name for name in noted if name not in start.policies.ids]
        policies = start.policies
        for name in fresh[:WRITTEN]:
            rules = {policy.rule for policy in HIDDEN[name]} - {""}
            kept = tuple(policy for policy in policies if policy.rule not in rules)
            policies = PolicySet((*kept, likes.policies[name]))
        made = replace(made, policies=policies)
    if TEMPLATES in by and likes.manners["brief"]:
        edited = {e.about for day in record.days for e in day.edits if e.what == MAIL}
        sent = [mail for day in record.days for mail in day.sent]
        kinds = {mail.kind for mail in sent if mail.to in edited}
        templates = [
            replace(one, body=brief(one.body)) if one.kind in kinds else one
            for one in start.templates
        ]
        made = replace(made, templates=tuple(templates))
    return made


# ---- the study -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Session:
    """A held-out programme after so many sessions: how often each preference had to be
    corrected, how often it is broken where nobody does, and dates filled then."""

    number: int
    interventions: Mapping[str, int]
    violations: Mapping[str, int]
    filled: int
    dates: int
    format_errors: tuple[FormatError, ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """A principal's preferences, how it went, and what the organiser has in the end."""

    preferences: Preferences
    rounds: tuple[Session, ...]
    artefacts: Artefacts


def programme(rng: np.random.Generator, held_out: bool, size: int) -> Scenario:
    """So many people, and a date less, drawn; every other persona is held out."""
    known = list(load_personas().values())[int(held_out) :: 2]
    people = []
    for k in rng.permutation(len(known))[:size]:
        request = _one(rng, [*REQUESTS, ""])
        asks = REQUESTS.get(request, "")
        people.append(replace(known[k], issue=asks, issue_kind=request))
    start = date(2027, 1, 4) + timedelta(weeks=int(rng.integers(40)))
    weeks = np.sort(rng.choice(8, size - 1, replace=False))
    slots = [start + timedelta(days=24 + 7 * int(week)) for week in weeks]
    return replace(
        scenario("four"),
        start=start,
        deadline=start + timedelta(days=21),
        slots=tuple(slots),
        people=tuple(people),
    )


async def alignment(
    rng: np.random.Generator,
    organizer: Any = "rule-based",
    learning: Sequence[str] = KEPT,
    seats: Seats = "rule-based",
    detector: Any = "stated",
    sessions: int = 3,
    size: int = 5,
    **spoken: Any,
) -> Course:
    """One principal, drawn, over so many sessions, each with a programme of its own; one
    other programme, held out, is played before the first and after each.

    `learning` are those of `KEPT` that are kept; `spoken` (temperature, repetition, …)
    goes on to `study.seminar`.
    """
    if isinstance(learning, str) or not {*learning} <= {*KEPT}:
        known = ", ".join(KEPT)
        raise InvalidInput(f"learning: {learning!r} given; expected some of {known}")
    check_number("sessions", sessions, 1)
    check_number("size", size, 2, 8)
    who, aside, *streams = rng.spawn(2 + sessions)
    likes, start = drawn(who), Artefacts(load_policies("seed"), load_templates())
    held_out = programme(aside, True, size)
    luck = int(aside.integers(2**32))

    async def rehearsed(
        plan: Scenario, luck: int, away: bool = False
    ) -> tuple[Principal, Organizing]:
        """A principal at the desk, and the rehearsal."""
        at_desk = Principal(likes, plan, away, HOOKS in learning)
        seated = {"organizer": organizer, "seats": seats, "detector": detector}
        seated |= {"reviewer": at_desk, "delegation": ALWAYS, "artefacts": start}
        stream = np.random.default_rng(luck)
        return at_desk, await seminar(stream, plan, **seated, **spoken)

    found = []
    for number in range(sessions + 1):
        if number:
            own = streams[number - 1]
            tried = await rehearsed(
                programme(own, False, size), int(own.integers(2**32))
            )
            start = learnt(start, *tried, learning)
        there, corrected = await rehearsed(held_out, luck)
        away, alone = await rehearsed(held_out, luck, away=True)
        errors = [e for day in corrected.days + alone.days for e in day.format_errors]
        counts = dict(there.noted), dict(away.noted)
        filled = sum(map(bool, alone.assignment.values()))
        session = Session(number, *counts, filled, len(held_out.slots), tuple(errors))
        found.append(session)
    return Course(likes, tuple(found), start)
