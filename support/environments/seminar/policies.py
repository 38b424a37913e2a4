"""Coordination policies: sentences that an organiser follows, kept in a file that people read and edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from support.data import inputs
from support.environments.seminar.rules import Rule, contradiction, read_policy
from support.errors import DamagedFile, InvalidInput

VERSION = 1
"""Of the files that hold policies and what else one takes along."""

LONGEST = 400  # characters of a policy: it stands in every prompt


@dataclass(frozen=True)
class Policy:
    """One sentence (or two) that an organiser follows.

    Attributes
    ----------
    id, text : str
    challenge : str
        What it is an answer to, in a word or two; "" where nobody said.

    Raises
    ------
    InvalidInput
        Without an id or a text, or with more text than stands well in a prompt.
    """

    id: str
    text: str
    challenge: str = ""

    def __post_init__(self) -> None:
        if not self.id.strip() or not self.text.strip():
            raise InvalidInput(f"policy {self.id!r}: text {self.text!r} given; expected an id and a sentence")
        if len(self.text) > LONGEST:
            raise InvalidInput(f"policy {self.id}: {len(self.text)} characters given; expected at most {LONGEST}")

    @cached_property
    def rule(self) -> Rule | None:
        """What the rule-based organiser understands of it; None for nothing."""
        return read_policy(self.text)


@dataclass(frozen=True)
class PolicySet:
    """Policies in the order in which they are shown and numbered.

    Raises
    ------
    InvalidInput
        On two with one id, or two that contradict each other: it says which, why, and what to do.
    """

    policies: tuple[Policy, ...] = ()

    def __post_init__(self) -> None:
        ids = [policy.id for policy in self.policies]
        if twice := [name for name in ids if ids.count(name) > 1]:
            raise InvalidInput(f"policies: the id {twice[0]!r} is given twice; expected every id once")
        if found := contradiction((policy.id, policy.rule) for policy in self.policies):
            one, other, why = found
            raise InvalidInput(
                f"policies: {other!r} contradicts {one!r} ({why}), and nobody can follow both; drop or edit one of them"
            )

    def __iter__(self) -> Iterator[Policy]:
        return iter(self.policies)

    def __len__(self) -> int:
        return len(self.policies)

    def __getitem__(self, policy_id: str) -> Policy:
        """The policy of that id.

        Raises
        ------
        InvalidInput
            When there is none.
        """
        for policy in self.policies:
            if policy.id == policy_id:
                return policy
        raise InvalidInput(f"policy: {policy_id!r} given; expected one of {', '.join(p.id for p in self.policies)}")

    def add(self, text: str, policy_id: str = "", challenge: str = "") -> PolicySet:
        """With one more policy at the end; without an id it gets one of its rule, or a number."""
        ids = {policy.id for policy in self.policies}
        rule = read_policy(text)
        stem = rule.kind if rule else "policy"
        name = stem if stem not in ids else next(f"{stem}_{k}" for k in range(2, 1000) if f"{stem}_{k}" not in ids)
        return PolicySet((*self.policies, Policy(policy_id or name, text, challenge)))

    def edit(self, policy_id: str, text: str) -> PolicySet:
        """With another text for one policy."""
        old = self[policy_id]
        return PolicySet(tuple(replace(p, text=text) if p is old else p for p in self.policies))

    def drop(self, policy_id: str) -> PolicySet:
        """Without one policy."""
        old = self[policy_id]
        return PolicySet(tuple(p for p in self.policies if p is not old))

    @property
    def rules(self) -> dict[str, Rule]:
        """What the rule-based organiser understands, by the policies' ids."""
        return {policy.id: policy.rule for policy in self.policies if policy.rule is not None}

    @property
    def unread(self) -> tuple[str, ...]:
        """Ids of policies that the rule-based organiser does not understand."""
        return tuple(policy.id for policy in self.policies if policy.rule is None)


def load_policies(part: str = "seed", path: str | Path | None = None) -> PolicySet:
    """Policies of the project's own file, or of one of the same form.

    Parameters
    ----------
    part : "seed" (six), "further", or "all"

    Raises
    ------
    DamagedFile
        On a file that is no YAML or has another form.
    InvalidInput
        On another part, or a file of a newer version.
    """
    file = Path(path) if path else inputs("seminar", "policies.yaml")
    parts = {"seed": ["seed"], "further": ["further"], "all": ["seed", "further"]}
    if part not in parts:
        raise InvalidInput(f"part: {part!r} given; expected one of {', '.join(parts)}")
    content = read_yaml(file)
    return policies_of([entry for name in parts[part] for entry in _listed(content, name, file)], file)


def _listed(content: Mapping[str, Any], name: str, file: str | Path) -> list[Mapping[str, Any]]:
    found = content.get(name)
    if not isinstance(found, list):
        raise DamagedFile(f"{file}: {name} is a {type(found).__name__}; expected a list of policies")
    return found


def policies_of(entries: Iterable[Mapping[str, Any]], file: str | Path) -> PolicySet:
    """Policies out of a file's entries.

    Raises
    ------
    DamagedFile
        On an entry without id and text.
    """
    try:
        made = [Policy(str(e["id"]), str(e["text"]), str(e.get("challenge", ""))) for e in entries]
    except (KeyError, TypeError, AttributeError) as error:
        raise DamagedFile(f"{file}: {error!r}; expected policies with id and text") from error
    return PolicySet(tuple(made))


def read_yaml(file: str | Path) -> dict[str, Any]:
    """A file that Convene wrote, or a person in its manner, and of a version that this one knows.

    Raises
    ------
    DamagedFile
        When it cannot be read, or is no mapping.
    InvalidInput
        When it has no version, or that of a newer Convene.
    """
    try:
        content = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DamagedFile(f"{file}: {error}; expected a YAML file") from error
    if not isinstance(content, dict):
        raise DamagedFile(f"{file}: a {type(content).__name__} given; expected a mapping with version and policies")
    version = content.get("version")
    if isinstance(version, bool) or not isinstance(version, int):
        raise InvalidInput(f"{file}: version {version!r} given; expected version: {VERSION}")
    if version > VERSION:
        raise InvalidInput(
            f"{file}: version {version} given, and this Convene reads up to {VERSION}; a newer one wrote it: update "
            "Convene, or export it again from there for this version. The file was left as it is"
        )
    return content


def as_entries(policies: Sequence[Policy] | PolicySet) -> list[dict[str, str]]:
    """Policies as a file holds them."""
    return [{"id": p.id, "text": p.text, **({"challenge": p.challenge} if p.challenge else {})} for p in policies]
