"""Coordination policies in plain words, and which of a dozen rules a sentence states, read literally.

A sentence is a rule only where all of it is understood, by `rules.toml`. Nothing else is followed: a language model may
do so, the rule-based organiser says that it does not understand it. Policies stand in a file that people read and edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import yaml

from support.data import inputs
from support.errors import DamagedFile, InvalidInput
from support.seminar.data import lexicon

BEGIN, FOLLOW_UP, GIVE_UP, ASK_MORE = "begin", "follow_up", "give_up", "ask_more"
VAGUE, FACULTY_FIRST, STUDENTS_FIRST = "vague", "faculty_first", "students_first"
WEEKEND, DECLINED, CONFIRM = "weekend", "declined", "confirm"
CANCELLED, ONE_EACH, URGENT = "cancelled", "one_each", "urgent"

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
NUMBERS = {word: k for k, word in enumerate(WORDS, 1)} | {
    "once": 1,
    "single": 1,
    "twice": 2,
    "couple": 2,
    "thrice": 3,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a policy says, as a machine can follow it.

    `number`: working days of `follow_up`, mails of `give_up`, dates up to which `ask_more` asks, days of `urgent`.
    """

    kind: str
    number: int = 0


USUAL = {
    FOLLOW_UP: 2,
    GIVE_UP: 3,
    ASK_MORE: 2,
    URGENT: 7,
}  # numbers where a sentence names none
OCCASION = "When this comes up:"  # how a policy begins that was made of a stop hook, and quotes what others wrote

_DAYS = re.compile(
    r"\b(\d+|[a-z]+)[ -](?:business |working |work ?|week)?(days?|weeks?)\b"
)
_TIMES = re.compile(
    r"\b(\d+|[a-z]+) (?:times|mails?|e-?mails?|reminders?|messages?|attempts|tries|letters)\b"
)
_FEW = re.compile(
    r"\b(?:only |fewer than |less than )?(\d+|[a-z]+)(?: or (\d+|[a-z]+))? (?:dates?|days?|slots?)\b"
)


@cache
def _lexicon() -> dict[str, dict[str, Any]]:
    """What `rules.toml` says of each kind, in its order: the pattern that tells it, and what it understands."""
    known, filled = lexicon("rules.toml")
    common = known.pop("common").split()
    for table in known.values():
        table["told"] = filled("|".join(table["patterns"]))
        table["words"] = {*common, *table["words"].split()}
    return known


@lru_cache(
    1024
)  # every seminar that is opened, and every rehearsal, reads the same ones again
def read_policy(text: str) -> Rule | None:
    """The rule that a sentence states; None where not all of it is understood, or it is for an `OCCASION` only.

    >>> read_policy("Write again when four working days have gone by without an answer.")
    Rule(kind='follow_up', number=4)
    """
    plain = " ".join(text.casefold().replace("’", "'").split())
    if plain.startswith(OCCASION.casefold()):
        return None
    kind = next(
        (kind for kind, known in _lexicon().items() if re.search(known["told"], plain)),
        None,
    )
    if kind is None or not _understood(kind, plain):
        return None
    twice = (
        kind in (FACULTY_FIRST, STUDENTS_FIRST)
        and len(re.findall(r"\bfirst\b", plain)) > 1
    )
    if twice or (kind == GIVE_UP and _days(plain)):
        return None  # "Faculty first or students first"; "Stop reminders after 3 days"
    numbers = {
        FOLLOW_UP: _days(plain),
        URGENT: _days(plain, week=7),
        GIVE_UP: _number(_TIMES, plain),
    }
    found = (numbers | {ASK_MORE: _number(_FEW, plain)}).get(kind, 0)
    if kind == FOLLOW_UP and not found and re.search(r"\b(?:days?|weeks?)\b", plain):
        return None  # "every day" is no number, and not the usual one
    return Rule(kind, found or USUAL.get(kind, 0))


def _understood(kind: str, plain: str) -> bool:
    """Whether every word of a text is one that a kind of rule knows, and it says what such a rule has to say."""
    known = _lexicon()[kind]
    rest = (
        re.sub(rf"\b(?:{'|'.join(known['phrases'])})\b", " ", plain)
        if "phrases" in known
        else plain
    )
    left = re.findall(r"\d+|[a-z']+", rest)
    numbers = {word for word in left if _value(word)}
    if {*left} - known["words"] - numbers:
        return False
    if known.get("denies") and rest == plain and "stop" not in left:
        return False
    several = len({_value(word) for word in numbers}) > (2 if kind == ASK_MORE else 1)
    return bool(re.search(known.get("needed", ""), plain)) and not several


def _days(text: str, week: int = 5) -> int:
    found = [
        (match[1], week if match[2].startswith("week") else 1)
        for match in _DAYS.finditer(text)
    ]
    numbered = (_value(word) * unit for word, unit in found)
    single = (unit for word, unit in found if word in ("a", "another"))
    return next((number for number in (*numbered, *single) if number), 0)


def _number(pattern: re.Pattern[str], text: str) -> int:
    named = (
        max((_value(word) for word in match.groups() if word), default=0)
        for match in pattern.finditer(text)
    )
    counted = (
        NUMBERS[word] for word in ("once", "twice", "thrice") if word in text.split()
    )
    return next((number for number in (*named, *counted) if number), 0)


def _value(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS.get(word, 0)


VERSION = 1  # of the files that hold policies and what else one takes along
LONGEST = 400  # characters of a policy: it stands in every prompt


@dataclass(frozen=True)
class Policy:
    """One sentence (or two) that an organiser follows; `challenge` is what it is an answer to, in a word or two."""

    id: str
    text: str
    challenge: str = ""

    def __post_init__(self) -> None:
        if not self.id.strip() or not self.text.strip():
            raise InvalidInput(
                f"policy {self.id!r}: text {self.text!r} given; expected an id and a sentence"
            )
        if len(self.text) > LONGEST:
            raise InvalidInput(
                f"policy {self.id}: {len(self.text)} characters given; expected at most {LONGEST}"
            )

    @cached_property
    def rule(self) -> Rule | None:
        """What the rule-based organiser understands of it; None for nothing."""
        return read_policy(self.text)


@dataclass(frozen=True)
class PolicySet:
    """Policies in the order in which they are shown and numbered."""

    policies: tuple[Policy, ...] = ()

    def __post_init__(self) -> None:
        if twice := [name for name in self.ids if self.ids.count(name) > 1]:
            raise InvalidInput(
                f"policies: the id {twice[0]!r} is given twice; expected every id once"
            )

    def literal(self) -> PolicySet:
        """Itself, to be followed to the letter; InvalidInput where two sentences contradict each other."""
        rules, seen = self.rules, dict[str, str]()
        for name, rule in rules.items():
            opposite = {
                FACULTY_FIRST: STUDENTS_FIRST,
                STUDENTS_FIRST: FACULTY_FIRST,
            }.get(rule.kind, rule.kind)
            other = seen.get(opposite) or seen.get(rule.kind, name)
            if rules[other] != rule:
                why = _lexicon()[rule.kind]["differ"].format(
                    rules[other].number, rule.number
                )
                said = f"policies: {name!r} contradicts {other!r} ({why})"
                raise InvalidInput(
                    f"{said}, and nobody can follow both; drop or edit one of them"
                )
            seen[rule.kind] = name
        return self

    def __iter__(self) -> Iterator[Policy]:
        return iter(self.policies)

    def __len__(self) -> int:
        return len(self.policies)

    def __getitem__(self, policy_id: str) -> Policy:
        """The policy of that id."""
        if policy_id not in self.ids:
            raise InvalidInput(
                f"policy: {policy_id!r} given; expected one of {', '.join(self.ids)}"
            )
        return self.policies[self.ids.index(policy_id)]

    def add(self, text: str, policy_id: str = "", challenge: str = "") -> PolicySet:
        """With one more policy at the end; without an id it gets one of its rule, or a number."""
        rule = read_policy(text)
        stem = rule.kind if rule else "policy"
        name = next(
            n
            for n in (stem, *(f"{stem}_{k}" for k in range(2, 1000)))
            if n not in self.ids
        )
        return PolicySet((*self.policies, Policy(policy_id or name, text, challenge)))

    def edit(self, policy_id: str, text: str) -> PolicySet:
        """With another text for one policy."""
        old = self[policy_id]
        return PolicySet(
            tuple(replace(p, text=text) if p is old else p for p in self.policies)
        )

    def drop(self, policy_id: str) -> PolicySet:
        """Without one policy."""
        old = self[policy_id]
        return PolicySet(tuple(p for p in self.policies if p is not old))

    @property
    def ids(self) -> tuple[str, ...]:
        """Their ids, in the order in which they are numbered."""
        return tuple(policy.id for policy in self.policies)

    @property
    def rules(self) -> dict[str, Rule]:
        """What the rule-based organiser understands, by the policies' ids."""
        return {
            policy.id: policy.rule
            for policy in self.policies
            if policy.rule is not None
        }

    @property
    def unread(self) -> tuple[str, ...]:
        """Ids of policies that the rule-based organiser does not understand."""
        return tuple(policy.id for policy in self.policies if policy.rule is None)


@cache
def load_policies(part: str = "seed") -> PolicySet:
    """Policies of the project's own file: the six "seed" ones, "further", or "all"."""
    parts = {"seed": ["seed"], "further": ["further"], "all": ["seed", "further"]}
    if part not in parts:
        raise InvalidInput(f"part: {part!r} given; expected one of {', '.join(parts)}")
    content = read_yaml(file := inputs("seminar", "policies.yaml"))
    return policies_of([entry for name in parts[part] for entry in content[name]], file)


def policies_of(entries: Iterable[Mapping[str, Any]], file: str | Path) -> PolicySet:
    """Policies out of a file's entries."""
    try:
        made = [
            Policy(str(e["id"]), str(e["text"]), str(e.get("challenge", "")))
            for e in entries
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise DamagedFile(
            f"{file}: {error!r}; expected policies with id and text"
        ) from error
    return PolicySet(tuple(made))


def read_yaml(file: str | Path) -> dict[str, Any]:
    """A file that Convene wrote, or a person in its manner, and of a version that this one knows."""
    try:
        content = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DamagedFile(f"{file}: {error}; expected a YAML file") from error
    if not isinstance(content, dict):
        raise DamagedFile(
            f"{file}: a {type(content).__name__} given; expected a mapping with version and policies"
        )
    version = content.get("version")
    if isinstance(version, bool) or not isinstance(version, int):
        raise InvalidInput(
            f"{file}: version {version!r} given; expected version: {VERSION}"
        )
    if version > VERSION:
        newer = "a newer one wrote it: update Convene, or export it again from there for this version"
        read = f"version {version} given, and this Convene reads up to {VERSION}"
        raise InvalidInput(f"{file}: {read}; {newer}. The file was left as it is")
    return content


def as_entries(policies: PolicySet) -> list[dict[str, str]]:
    """Policies as a file holds them."""
    return [
        {
            "id": p.id,
            "text": p.text,
            **({"challenge": p.challenge} if p.challenge else {}),
        }
        for p in policies
    ]
