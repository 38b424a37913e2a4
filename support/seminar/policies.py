"""Coordination policies: sentences for people and models, beside each the rule that a
machine follows, if it has one.

A rule is data in the file (`rule: follow_up`, `days: 2`), not guessed from the sentence.
Of each kind stands here when it applies, read literally, and how a day breaks it:
breaking is doing what it forbids and, of *begin* and *confirm*, leaving what it asks for
on this very day. A sentence without a rule is for models and people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar

import yaml
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from support.data import inputs
from support.errors import DamagedFile, InvalidInput
from support.forms import misfits
from support.seminar.books import Books, Contact
from support.seminar.data import (
    PROFESSOR,
    STRICT,
    STUDENT,
    Line,
    check,
    in_words,
    working,
)
from support.seminar.records import (
    ANSWER,
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
UNITS = "days", "mails", "dates"


@dataclass(frozen=True)
class Policy:
    """A sentence (or two), and perhaps a rule of `RULES`.

    `days`, `mails` or `dates` is the number of a rule that has one.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    id: Line
    text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST,
            pattern=r"\S",
        ),
    ]
    rule: str = ""
    days: Annotated[int, Field(ge=1)] | None = None
    mails: Annotated[int, Field(ge=1)] | None = None
    dates: Annotated[int, Field(ge=1)] | None = None

    def __post_init__(self) -> None:
        check(self)
        if self.rule and self.rule not in RULES:
            known = ", ".join(RULES)
            raise InvalidInput(
                f"policy {self.id}: rule {self.rule!r} given; expected one of {known}"
            )
        unit = RULES[self.rule].unit if self.rule else ""
        given = {name for name in UNITS if getattr(self, name) is not None}
        if given != {unit} - {""}:
            expected = f"a number under {unit!r}" if unit else "no number"
            raise InvalidInput(f"policy {self.id}: expected {expected}, by its rule")

    @property
    def number(self) -> int:
        """That of its rule; 0 where it has none."""
        return self.days or self.mails or self.dates or 0


@dataclass(frozen=True)
class PolicySet:
    """Policies in the order in which they are shown and numbered."""

    policies: tuple[Policy, ...] = ()

    def __post_init__(self) -> None:
        rules = [p.rule.replace("students", "faculty") for p in self if p.rule]
        for name, count in [*Counter(self.ids).items(), *Counter(rules).items()]:
            if count > 1:
                raise InvalidInput(
                    f"policies: {name!r} is given twice, and nobody can follow both; "
                    "drop or edit one of them"
                )

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


@cache
def load_policies(part: str = "seed") -> PolicySet:
    """The project's own: the six "seed" ones, "further", "all", or "none"."""
    file = inputs("seminar", "policies.yaml")
    lists = {"none": [], **read_yaml(file)}
    del lists["version"]
    lists["all"] = [*lists["seed"], *lists["further"]]
    if part not in lists:
        raise InvalidInput(f"policies: {part!r} given; expected {', '.join(lists)}")
    return policies_of(lists[part], file)


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
    signs = changes[::2]
    names = changes[1::2]
    if len(signs) != len(names) or {*signs} - {"+", "-"}:
        raise InvalidInput(f"policies: {given!r}; expected: seed + weekend - begin")
    chosen = load_policies(part)
    known = load_policies("all")
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

    def lost(self, name: str, slot: date) -> bool:
        """Whether somebody has no date, and this one is full."""
        waiting = [contact.name for contact in self.after.waiting]
        return name in waiting and slot not in self.after.free


Breaches = Iterator[str]


@dataclass(frozen=True)
class Rule:
    """When a rule tells the organiser something (books, its number, that of *give_up*),
    what of a day breaks it, and what its number counts."""

    applies: Callable[[Books, int, int], bool]
    broken: Callable[[Judged, int], Breaches]
    unit: str = ""


def applies(policies: PolicySet, books: Books) -> tuple[str, ...]:
    """Ids of the policies that tell the organiser something today, or to leave it."""
    limit = policies.number("give_up", NEVER)
    found = []
    for rule, policy in policies.rules.items():
        if RULES[rule].applies(books, policy.number, limit):
            found.append(policy.id)
    return tuple(found)


def violations(day: Judged) -> tuple[str, ...]:
    """A sentence for every breach, the policy's id before it."""
    found = []
    for rule, policy in day.policies.rules.items():
        for breach in RULES[rule].broken(day, policy.number):
            found.append(f"{policy.id}: {breach}")
    return tuple(found)


def _begins(books: Books, *_: int) -> bool:
    return not any(contact.mails for contact in books.contacts.values())


def _not_begun(day: Judged, number: int) -> Breaches:
    if day.free or not _begins(day.before):
        return
    asked = {action.person for action, _ in day.written}
    for contact in day.before.contacts.values():
        if contact.name not in asked and not contact.off:
            yield f"{contact.name} was not asked at the beginning"
    for mail in day.mails:
        left = sorted({*day.before.holders} - {*mail.slots})
        if left and mail.kind in ASKING:
            missing = ", ".join(map(in_words, left))
            yield f"{mail.to} was not asked about {missing}"


def _to_remind(books: Books, number: int, limit: int) -> bool:
    return any(c.unanswered and len(c.mails) < limit for c in books.waiting)


def _hasty(day: Judged, number: int) -> Breaches:
    for action, known in day.written:
        quiet = day.before.quiet(known)
        owes = action.kind in ASKING and not day.before.held(known.name)
        if owes and quiet is not None and quiet < number:
            yield f"{known.name} was written to after {quiet} working days of silence"


def _given_up(books: Books, number: int, limit: int) -> bool:
    return any(contact.silent(number) for contact in books.contacts.values())


def _insisted(day: Judged, number: int) -> Breaches:
    for _, known in day.written:
        if known.silent(number):
            mails = len(known.mails)
            yield f"{known.name} was written to after {mails} mails without any answer"


def _have_few(books: Books, number: int, limit: int) -> bool:
    return any(contact.few(number) for contact in books.waiting)


def _unasked(day: Judged, number: int) -> Breaches:
    for slot, known in day.given:
        if known.few(number) and {*day.before.free} - known.spoken_of:
            yield f"{known.name} got {in_words(slot)}, not asked for further dates"


def _are_vague(books: Books, *_: int) -> bool:
    return any(contact.perhaps for contact in books.waiting)


def _unsure(day: Judged, number: int) -> Breaches:
    for slot, known in day.given:
        if slot in known.perhaps and slot not in known.asked:
            yield f"{known.name} got {in_words(slot)}, named vaguely and not confirmed"


def _resting(day: Judged, number: int) -> Breaches:
    for _, known in day.written:
        if day.free:
            yield f"{known.name} was written to on a {day.before.today:%A}"


def _to_thank(books: Books, *_: int) -> bool:
    return any(c.declined and not c.thanked for c in books.contacts.values())


def _pressed(day: Judged, number: int) -> Breaches:
    for action, known in day.written:
        due = action.kind == THANKS and not known.thanked
        if known.declined and not due and action.asks != ANSWER:
            yield f"{known.name}, who had declined, got a mail ({action.kind})"


def _untold(day: Judged, number: int) -> Breaches:
    for name, slot in day.after.untold:
        if not day.free:
            yield f"{name} has {in_words(slot)} and was not told"


People = Callable[[Books], list[Contact]]


def _first(ahead: People, behind: People) -> Rule:
    """Of two who named a date that is free, some come before others."""

    def rivals(books: Books) -> list[tuple[date, str, str]]:
        found = []
        for one, other in product(ahead(books), behind(books)):
            for slot in sorted(one.named & other.named & {*books.free}):
                found.append((slot, one.name, other.name))
        return found

    def broken(day: Judged, number: int) -> Breaches:
        given = {(slot, known.name) for slot, known in day.given}
        for slot, one, other in rivals(day.before):
            if (slot, other) in given and day.lost(one, slot):
                yield f"{other} got {in_words(slot)}, which {one} had named"

    return Rule(lambda books, *_: bool(rivals(books)), broken)


def _of(role: str) -> People:
    return lambda books: [c for c in books.waiting if c.role == role]


def _speakers(books: Books) -> list[Contact]:
    return [c for c in books.contacts.values() if books.held(c.name)]


RULES: Mapping[str, Rule] = {
    "begin": Rule(_begins, _not_begun),
    "follow_up": Rule(_to_remind, _hasty, "days"),
    "give_up": Rule(_given_up, _insisted, "mails"),
    "ask_more": Rule(_have_few, _unasked, "dates"),
    "vague": Rule(_are_vague, _unsure),
    "faculty_first": _first(_of(PROFESSOR), _of(STUDENT)),
    "students_first": _first(_of(STUDENT), _of(PROFESSOR)),
    "weekend": Rule(lambda books, *_: not working(books.today), _resting),
    "declined": Rule(_to_thank, _pressed),
    "confirm": Rule(lambda books, *_: bool(books.untold), _untold),
    "one_each": _first(lambda books: books.waiting, _speakers),
}
"""What the rule-based organiser can follow, and the audit can judge."""
