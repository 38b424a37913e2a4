"""The meeting that respondents judge: an invitation, members with wishes, and options with reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.instruments.checking import fields, names, one_of, toml, wrong

SCENARIO = {"organiser": str, "invitation": str, "members": list, "options": list}


@dataclass(frozen=True, slots=True)
class Member:
    """One member of the meeting, whose part the respondents of `group` take."""

    group: str
    name: str
    wishes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason given for an option, about the member of `about`; `sound` when it follows from that member's wishes."""

    text: str
    about: str
    sound: bool


@dataclass(frozen=True, slots=True)
class Option:
    """A proposed time: the groups whose members it is said to satisfy, its reasons, and the truth.

    `fit` gives each group the share of its member's wishes that the option meets, 0 to 1. Like `Reason.sound` it is
    for simulated respondents and for the analysis; no respondent sees it.
    """

    decision: str
    satisfies: tuple[str, ...]
    reasons: tuple[Reason, ...]
    fit: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a section may show; `members` in the order of the groups."""

    organiser: str
    invitation: str
    members: tuple[Member, ...]
    options: tuple[Option, ...]

    def member(self, group: str) -> Member:
        """The member whose part a group takes."""
        return next(member for member in self.members if member.group == group)


def load_scenario(path: Path, groups: Sequence[str]) -> tuple[Scenario, bytes]:
    """A scenario and the bytes of its file; DamagedFile when it does not fit the groups of its instrument."""
    raw, digest = toml(path)
    fields(raw, SCENARIO, path, "the scenario")
    members = []
    for part in raw["members"]:
        fields(part, {"group": str, "name": str, "wishes": list}, path, "a member")
        members.append(Member(part["group"], part["name"], names(part["wishes"], path, "wishes")))
    if [member.group for member in members] != list(groups):
        raise wrong(path, "members, group", [m.group for m in members], f"the instrument's groups {list(groups)}")
    options = tuple(_option(part, groups, path) for part in raw["options"])
    if not options:
        raise wrong(path, "options", [], "one option or more")
    return Scenario(raw["organiser"], raw["invitation"].strip(), tuple(members), options), digest


def _option(raw: Any, groups: Sequence[str], path: Path) -> Option:
    fields(raw, {"decision": str, "satisfies": list, "fit": dict, "reasons": list}, path, "an option")
    reasons = []
    for part in raw["reasons"]:
        fields(part, {"text": str, "about": str, "sound": bool}, path, "a reason")
        reasons.append(Reason(part["text"], part["about"], part["sound"]))
    for group in (*raw["satisfies"], *raw["fit"], *(reason.about for reason in reasons)):
        one_of(group, groups, path, f"option {raw['decision']!r}, a group")
    shares = [raw["fit"].get(group) for group in groups]
    if not all(isinstance(share, int | float) and 0 <= share <= 1 for share in shares):
        raise wrong(path, f"option {raw['decision']!r}, fit", raw["fit"], "a share from 0 to 1 for each group")
    fit = {group: float(raw["fit"][group]) for group in groups}
    return Option(raw["decision"], tuple(raw["satisfies"]), tuple(reasons), fit)
