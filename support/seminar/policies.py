"""Coordination policies: sentences for people and models, beside each the rule that a
machine follows, if it has one.

A rule is data in the file (`rule: follow_up`, `days: 2`), not guessed from the sentence.
Of each kind stands here when it applies, read literally, and how a day breaks it:
breaking is doing what it forbids and, of *begin*, *confirm* and *urgent*, leaving what
it asks for on this very day. A sentence without a rule is for models and people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from support.data import inputs
from support.errors import DamagedFile, InvalidInput
from support.forms import misfits
from support.seminar.books import Books, Contact
from support.seminar.data import PROFESSOR, STUDENT, Line, in_words, working
from support.seminar.records import (
    ASKING,
    CONFIRMATION,
    SENT,
    THANKS,
    Action,
    Mail,
)

VERSION = 2
"""Of the files that hold policies and what else one takes along."""
LONGEST = 400
"""Characters of a policy: it stands in every prompt."""
NEVER = 1_000_000


@dataclass(frozen=True)
class Policy:
    """A sentence (or two), and perhaps a rule of `RULES`.

    `days`, `mails` or `dates` is the number of a rule that has one; `challenge` is what
    the policy is an answer to, in a word or two.
    """

    id: Line
    text: Annotated[str, Field(min_length=1, max_length=LONGEST, pattern=r"\S")]
    rule: str = ""
    days: Annotated[int, Field(ge=1)] | None = None
    mails: Annotated[int, Field(ge=1)] | None = None
    dates: Annotated[int, Field(ge=1)] | None = None
    challenge: str = ""

    def __post_init__(self) -> None:
        if self.rule and self.rule not in RULES:
            known = ", ".join(RULES)
            raise InvalidInput(
                f"policy {self.id}: rule {self.rule!r} given; expected one of {known}"
            )
        for unit in ("days", "mails", "dates"):
            wanted = bool(self.rule) and RULES[self.rule].unit == unit
            if wanted != (getattr(self, unit) is not None):
                what = "a number" if wanted else "none"
                raise InvalidInput(
                    f"policy {self.id}: expected {what} under {unit!r}, as its rule has"
                )

    @property
    def number(self) -> int:
        """That of its rule; 0 where it has none."""
        return self.days or self.mails or self.dates or 0


@dataclass(frozen=True)
class PolicySet:
    """Policies in the order in which they are shown and numbered."""

    policies: tuple[Policy, ...] = ()

    def __post_init__(self) -> None:
        rules: dict[str, str] = {}
        for policy in self.policies:
            if self.ids.count(policy.id) > 1:
                raise InvalidInput(f"policies: the id {policy.id!r} is given twice")
            rule = "students_first" if policy.rule == "faculty_first" else policy.rule
            if rule and rule in rules:
                raise InvalidInput(
                    f"policies: {policy.id!r} and {rules[rule]!r} are rules of one kind, "
                    "and nobody can follow both; drop or edit one of them"
                )
            rules[rule] = policy.id

    def __iter__(self) -> Iterator[Policy]:
        return iter(self.policies)

    def __len__(self) -> int:
        return len(self.policies)

    def __getitem__(self, policy_id: str) -> Policy:
        """The policy of that id."""
        found = [policy for policy in self.policies if policy.id == policy_id]
        if not found:
            told = f"{policy_id!r} given; expected one of {', '.join(self.ids)}"
            raise InvalidInput(f"policy: {told}")
        return found[0]

    @property
    def ids(self) -> tuple[str, ...]:
        """Their ids, in order."""
        return tuple(policy.id for policy in self.policies)

    @property
    def rules(self) -> dict[str, Policy]:
        """The policies that a machine follows, by the kind of their rule."""
        return {policy.rule: policy for policy in self.policies if policy.rule}

    @property
    def words_alone(self) -> tuple[Policy, ...]:
        """Those without a rule, for models and people."""
        return tuple(policy for policy in self.policies if not policy.rule)

    def number(self, rule: str, otherwise: int = 0) -> int:
        """The number of a rule that holds."""
        return self.rules[rule].number if rule in self.rules else otherwise

    def add(self, policy: Policy) -> PolicySet:
        """With one more at the end."""
        return PolicySet((*self.policies, policy))

    def edit(self, policy_id: str, **changed: Any) -> PolicySet:
        """With something else in one policy."""
        old = self[policy_id]
        new = replace(old, **changed)
        return PolicySet(tuple(new if p is old else p for p in self.policies))

    def drop(self, policy_id: str) -> PolicySet:
        """Without one policy."""
        old = self[policy_id]
        return PolicySet(tuple(p for p in self.policies if p is not old))


# ---- files -----------------------------------------------------------------------------


PARTS = {
    "seed": ("seed",),
    "further": ("further",),
    "all": ("seed", "further"),
    "none": (),
}
"""The lists of the project's file that make a set, by its name."""


@cache
def load_policies(part: str = "seed") -> PolicySet:
    """The project's own: the six "seed" ones, "further", "all", or "none"."""
    if part not in PARTS:
        raise InvalidInput(f"policies: {part!r} given; expected {', '.join(PARTS)}")
    file = inputs("seminar", "policies.yaml")
    content, found = read_yaml(file), list[Any]()
    for name in PARTS[part]:
        found += content[name]
    return policies_of(found, file)


def policies_of(entries: Iterable[Any], file: str | Path = "policies") -> PolicySet:
    """Policies out of a file's entries."""
    return PolicySet(checked(tuple[Policy, ...], entries, file))


def policy_set(given: str | PolicySet | Sequence[Mapping[str, Any]]) -> PolicySet:
    """A part of the project's policies, with some added and taken away, or a list of
    entries as in a file.

    >>> policy_set("seed + weekend - begin - vague").ids
    ('follow_up', 'give_up', 'ask_more', 'faculty_first', 'weekend')
    """
    if isinstance(given, PolicySet):
        return given
    if not isinstance(given, str):
        return policies_of(given)
    part, *changes = given.split() or [""]
    signs, names = changes[::2], changes[1::2]
    if len(signs) != len(names) or {*signs} - {"+", "-"}:
        raise InvalidInput(f"policies: {given!r}; expected: seed + weekend - begin")
    chosen, known = load_policies(part), load_policies("all")
    for sign, name in zip(signs, names, strict=True):
        chosen = chosen.drop(name) if sign == "-" else chosen.add(known[name])
    return chosen


def as_entries(policies: PolicySet) -> list[dict[str, Any]]:
    """Policies as a file holds them."""
    return [
        {name: value for name, value in vars(policy).items() if value not in ("", None)}
        for policy in policies
    ]


def read_yaml(file: str | Path) -> dict[str, Any]:
    """A file that Convene wrote, or a person in its manner."""
    try:
        content = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DamagedFile(f"{file}: {error}; expected a YAML file") from error
    version = content.get("version") if isinstance(content, dict) else None
    if version != VERSION:
        raise InvalidInput(
            f"{file}: version {version!r} given; this Convene reads version {VERSION}. "
            "The file was left as it is"
        )
    return content


def checked(kind: Any, given: Any, file: str | Path) -> Any:
    """Plain data as records of a kind; DamagedFile says in pydantic's words what is
    amiss in the file."""
    try:
        return TypeAdapter(kind).validate_python(given, strict=False)
    except ValidationError as error:
        raise DamagedFile(f"{file}: {'; '.join(misfits(error))}") from error


# ---- when a policy applies, and how a day breaks it ------------------------------------


def applies(policies: PolicySet, books: Books) -> tuple[str, ...]:
    """Ids of the policies that tell the organiser something today, or to leave it."""
    limit = policies.number("give_up", NEVER)
    return tuple(
        policy.id
        for rule, policy in policies.rules.items()
        if RULES[rule].applies(books, policy.number, limit)
    )


@dataclass(frozen=True)
class Judged:
    """A day to be judged: the books before and after its actions, all mails so far."""

    before: Books
    after: Books
    actions: Sequence[Action]
    mails: Sequence[Mail]
    policies: PolicySet

    @property
    def free(self) -> bool:
        """Whether it is a weekend that a policy keeps free."""
        return "weekend" in self.policies.rules and not working(self.before.today)

    @property
    def written(self) -> Iterator[tuple[Action, Contact]]:
        """Actions that send a mail, and what was known of the person before; of who
        joined on this day nothing was."""
        known = self.before.contacts
        for action in self.actions:
            if action.kind in SENT and action.person in known:
                yield action, known[action.person]

    @property
    def given(self) -> Iterator[tuple[date, Contact]]:
        """Dates that were given away, and what was known of who got them."""
        for action, known in self.written:
            for slot in action.slots if action.kind == CONFIRMATION else ():
                if known.name not in self.before.holders.get(slot, []):
                    yield slot, known

    def namers(self, slot: date) -> list[str]:
        """People without a date, before and after, who had named one."""
        still = {contact.name for contact in self.after.waiting}
        before = [c for c in self.before.waiting if c.name in still]
        return [contact.name for contact in before if slot in contact.named]

    def losers(self, slot: date) -> list[str]:
        """The same of a date that is full now."""
        return [] if slot in self.after.free else self.namers(slot)


def violations(day: Judged) -> tuple[str, ...]:
    """A sentence for every breach, the policy's id before it."""
    found = []
    for rule, policy in day.policies.rules.items():
        for breach in RULES[rule].broken(day, policy.number):
            found.append(f"{policy.id}: {breach}")
    return tuple(found)


def wanted(books: Books, slots: Iterable[date]) -> bool:
    """Whether somebody without a date named one of these that is free."""
    free = {*slots} & {*books.free}
    return any(free & contact.named for contact in books.waiting)


def rivals(books: Books, ahead: str, behind: str) -> list[tuple[date, str, str]]:
    """Free dates that two people without a date both named: the date, who of role
    `ahead`, who of role `behind`."""
    found = []
    for slot in books.free:
        named = [contact for contact in books.waiting if slot in contact.named]
        first = [contact.name for contact in named if contact.role == ahead]
        second = [contact.name for contact in named if contact.role == behind]
        found += [(slot, one, other) for one in first for other in second]
    return found


Breaches = Iterator[str]


def _not_begun(day: Judged, number: int) -> Breaches:
    everybody = day.before.contacts.values()
    if day.free or any(contact.mails for contact in everybody):
        return
    asked = {action.person for action, _ in day.written}
    for contact in everybody:
        if contact.name not in asked and not contact.off:
            yield f"{contact.name} was not asked at the beginning"
    for mail in day.mails:
        left = sorted({*day.before.holders} - {*mail.slots})
        if left and mail.kind in ASKING:
            missing = ", ".join(map(in_words, left))
            yield f"{mail.to} was not asked about {missing}"


def _hasty(day: Judged, number: int) -> Breaches:
    for action, known in day.written:
        quiet = day.before.quiet(known)
        owes = action.kind in ASKING and not day.before.held(known.name)
        if owes and quiet is not None and quiet < number:
            yield f"{known.name} was written to after {quiet} working days of silence"


def _insisted(day: Judged, number: int) -> Breaches:
    for _, known in day.written:
        if known.silent(number):
            mails = len(known.mails)
            yield f"{known.name} was written to after {mails} mails without any answer"


def _unasked(day: Judged, number: int) -> Breaches:
    for slot, known in day.given:
        if known.few(number) and {*day.before.free} - known.spoken_of:
            yield f"{known.name} got {in_words(slot)}, not asked for further dates"


def _unsure(day: Judged, number: int) -> Breaches:
    for slot, known in day.given:
        if slot in known.perhaps and slot not in known.asked:
            yield f"{known.name} got {in_words(slot)}, named vaguely and not confirmed"


def _first(ahead: str, behind: str) -> Rule:
    def broken(day: Judged, number: int) -> Breaches:
        given = {(slot, known.name) for slot, known in day.given}
        hurry = day.policies.number("urgent", -1)
        for slot, one, other in rivals(day.before, ahead, behind):
            urgent = (slot - day.before.today).days <= hurry
            if (slot, other) in given and one in day.losers(slot) and not urgent:
                yield f"{other} got {in_words(slot)}, which {one}, a {ahead}, had named"

    return Rule(lambda books, *_: bool(rivals(books, ahead, behind)), broken)


def _resting(day: Judged, number: int) -> Breaches:
    for _, known in day.written:
        if day.free:
            yield f"{known.name} was written to on a {day.before.today:%A}"


def _pressed(day: Judged, number: int) -> Breaches:
    for action, known in day.written:
        if known.declined and (action.kind != THANKS or known.thanked):
            yield f"{known.name}, who had declined, got a mail ({action.kind})"


def _untold(day: Judged, number: int) -> Breaches:
    for name, slot in day.after.untold:
        if not day.free:
            yield f"{name} has {in_words(slot)} and was not told"


def _second(day: Judged, slots: Iterable[date]) -> Breaches:
    for slot, known in day.given:
        others = " or ".join(day.losers(slot))
        if slot in slots and day.before.held(known.name) and others:
            yield f"{known.name}, who has a date, got {in_words(slot)}, not {others}"


def _late(day: Judged, number: int) -> Breaches:
    for slot in day.after.free:
        left, names = (slot - day.before.today).days, day.namers(slot)
        if names and 0 < left <= number and not day.free:
            named = " and ".join(names)
            yield f"{in_words(slot)}, {left} days away, is free, though {named} named it"


@dataclass(frozen=True)
class Rule:
    """When a rule tells the organiser something (books, its number, that of *give_up*),
    what of a day breaks it, and what its number counts."""

    applies: Callable[[Books, int, int], bool]
    broken: Callable[[Judged, int], Breaches]
    unit: str = ""


def _begins(books: Books, *_: int) -> bool:
    return not any(contact.mails for contact in books.contacts.values())


def _to_remind(books: Books, number: int, limit: int) -> bool:
    return any(c.unanswered and len(c.mails) < limit for c in books.waiting)


def _given_up(books: Books, number: int, limit: int) -> bool:
    return any(contact.silent(number) for contact in books.contacts.values())


def _to_thank(books: Books, *_: int) -> bool:
    return any(c.declined and not c.thanked for c in books.contacts.values())


def _seconds(books: Books, *_: int) -> bool:
    speakers = [c for c in books.contacts.values() if books.held(c.name)]
    return any(wanted(books, contact.named) for contact in speakers)


def _soon(books: Books, number: int, limit: int) -> bool:
    return wanted(books, [slot for slot in books.free if books.within(slot, number)])


RULES: Mapping[str, Rule] = {
    "begin": Rule(_begins, _not_begun),
    "follow_up": Rule(_to_remind, _hasty, "days"),
    "give_up": Rule(_given_up, _insisted, "mails"),
    "ask_more": Rule(
        lambda books, n, _: any(c.few(n) for c in books.waiting), _unasked, "dates"
    ),
    "vague": Rule(lambda books, *_: any(c.perhaps for c in books.waiting), _unsure),
    "faculty_first": _first(PROFESSOR, STUDENT),
    "students_first": _first(STUDENT, PROFESSOR),
    "weekend": Rule(lambda books, *_: not working(books.today), _resting),
    "declined": Rule(_to_thank, _pressed),
    "confirm": Rule(lambda books, *_: bool(books.untold), _untold),
    "cancelled": Rule(
        lambda books, *_: wanted(books, books.given_back),
        lambda day, _: _second(day, day.before.given_back),
    ),
    "one_each": Rule(_seconds, lambda day, _: _second(day, day.before.holders)),
    "urgent": Rule(_soon, _late, "days"),
}
"""What the rule-based organiser can follow, and the audit can judge."""
