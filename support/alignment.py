"""Does an organiser come to do what its user wants? A user who is simulated: somebody with
preferences that the organiser is not told, who sits at the desk, corrects what goes
against them, and leaves behind what can be learnt.

What DoubleAgents (Long et al., 002) claims of its users is tried on this one: over the
sessions less has to be corrected, since policies, templates, hooks and edits are kept.
Each can be left out. What is learnt is tried on a programme with other people and dates,
once with the principal at the desk, who corrects (interventions), once alone: what the
principal would have corrected then are violations.
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
MONDAYS = HIDDEN["rest"][-1]
"""A preference that no rule of ours can hold: nothing is sent on Mondays."""


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
        self,
        likes: Preferences,
        people: Scenario,
        away: bool,
        remembers: bool,
    ) -> None:
        self.likes = likes
        self.people = people.by_name
        self.away = away
        self.remembers = remembers
        self.noted = Counter[str]()

    async def review(
        self,
        desk: Desk,
        what: str,
        items: Any,
    ) -> Review:
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
        return replace(
            flag,
            answer=answer,
            words=answer,
            grants=granted,
        )

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
        monday = desk.today.weekday() == 0 and action.kind != WAIT
        if monday and self.likes.policies["rest"] == MONDAYS:
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

    def _instead(
        self,
        desk: Desk,
        action: Action,
        why: str,
    ) -> Action | None:
        """What is done in the place of an action; None for nothing."""
        gives = action.kind == CONFIRMATION
        made = None
        if why == "certain" and gives:
            made = replace(action, kind=CLARIFICATION, asks=CERTAIN)
        elif why == "certain" and action.asks == CERTAIN:
            made = replace(action, kind=CONFIRMATION, asks="")
        elif why == "dates" and gives:
            known = desk.books.contacts[action.person].spoken_of
            others = [slot for slot in desk.books.to_come if slot not in known]
            made = replace(
                action,
                kind=CLARIFICATION,
                slots=tuple(others),
                asks=MORE,
            )
        return None if made is None or desk.books.refusal(made) else made

    # ---- mails ----

    def _mail(self, desk: Desk, draft: Draft) -> Draft:
        person = desk.scenario.by_name[draft.person]
        manners = self.likes.manners
        role = "professors" if person.role == PROFESSOR else "others"
        wanted = {"greeting": manners[role], "closing": manners["closing"]}
        there = words.manner(draft.body, person.name, desk.scenario.organiser)
        wrong = [part for part, text in there.items() if text != wanted[part]]
        self.noted.update(role if part == "greeting" else part for part in wrong)
        body = words.mannered(draft.body, wanted, person, desk.scenario)
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
    start: Artefacts,
    at_desk: Principal,
    record: Organizing,
    by: Sequence[str],
) -> Artefacts:
    """What the organiser begins the next session with."""
    taught = start.learning(record.days)
    made = start
    if HOOKS in by:
        made = replace(made, hooks=taught.hooks)
    if EDITS in by:
        made = replace(made, learnt=taught.learnt)
    if POLICIES in by:
        made = replace(made, policies=_rewritten(start.policies, at_desk))
    if TEMPLATES in by and at_desk.likes.manners["brief"]:
        edited = {e.about for day in record.days for e in day.edits if e.what == MAIL}
        sent = [mail for day in record.days for mail in day.sent]
        kinds = {mail.kind for mail in sent if mail.to in edited}
        templates = [
            replace(one, body=brief(one.body)) if one.kind in kinds else one
            for one in start.templates
        ]
        made = replace(made, templates=tuple(templates))
    return made


def _rewritten(policies: PolicySet, at_desk: Principal) -> PolicySet:
    """With the principal's own on what was corrected most, in the place of those on the
    same thing."""
    noted = [name for name, _ in at_desk.noted.most_common() if name in HIDDEN]
    fresh = [name for name in noted if name not in policies.ids]
    kept = [*policies]
    for name in fresh[:WRITTEN]:
        rules = {policy.rule for policy in HIDDEN[name]} - {""}
        kept = [policy for policy in kept if policy.rule not in rules]
        kept.append(at_desk.likes.policies[name])
    return PolicySet(tuple(kept))


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
    """How it went with one principal; `seats` has the kind of everybody."""

    seats: Mapping[str, str]
    rounds: tuple[Session, ...]


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
    deadline = start + timedelta(days=21)
    own: Any = {
        "start": start,
        "deadline": deadline,
        "slots": tuple(slots),
    }
    return replace(scenario("four"), people=tuple(people), **own)


async def alignment(
    rng: np.random.Generator,
    learning: Sequence[str] = KEPT,
    sessions: int = 3,
    size: int = 5,
    **settings: Any,
) -> Course:
    """One principal, drawn, over so many sessions, each with a programme of its own; one
    other programme, held out, is played before the first and after each.

    `learning` are those of `KEPT` that are kept; `settings` (organizer, seats, detector,
    temperature, …) are those of `seminar.study.seminar`.
    """
    if isinstance(learning, str) or not {*learning} <= {*KEPT}:
        known = ", ".join(KEPT)
        raise InvalidInput(f"learning: {learning!r} given; expected some of {known}")
    check_number("sessions", sessions, 1)
    check_number("size", size, 2, 8)
    who, aside, *streams = rng.spawn(2 + sessions)
    likes = drawn(who)
    start = Artefacts(load_policies("seed"), load_templates())
    held_out = programme(aside, True, size)
    luck = int(aside.integers(2**32))

    async def rehearsed(
        plan: Scenario,
        luck: int,
        away: bool = False,
    ) -> tuple[Principal, Organizing]:
        """A principal at the desk, and the rehearsal."""
        at_desk = Principal(likes, plan, away, HOOKS in learning)
        there: Any = {
            "reviewer": at_desk,
            "delegation": ALWAYS,
            "artefacts": start,
        }
        stream = np.random.default_rng(luck)
        return at_desk, await seminar(stream, plan, **settings, **there)

    rounds = []
    for number in range(sessions + 1):
        if number:
            own = streams[number - 1]
            plan = programme(own, False, size)
            tried = await rehearsed(plan, int(own.integers(2**32)))
            start = learnt(start, *tried, learning)
        there, corrected = await rehearsed(held_out, luck)
        away, alone = await rehearsed(held_out, luck, away=True)
        errors = [e for day in corrected.days + alone.days for e in day.format_errors]
        counts = dict(there.noted), dict(away.noted)
        filled = sum(map(bool, alone.assignment.values()))
        dates = len(held_out.slots)
        rounds.append(Session(number, *counts, filled, dates, tuple(errors)))
    return Course(corrected.seats, tuple(rounds))
