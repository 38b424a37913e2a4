"""The synthetic company: employees, who reports to whom, who works with whom, and what each keeps private.

The public part is the paper's database D (section 5.1): profiles and the social graph. Preferences are kept in a
type of their own, `Private`, so that nothing that is given a `Database` can hold them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from support.environments.meetings.meeting import Meeting, _check_zone
from support.environments.meetings.preferences import Preference, contradictions, minutes
from support.errors import InvalidInput

if TYPE_CHECKING:
    import networkx as nx

TEAMMATE, COLLABORATOR, MANAGER = "teammate", "collaborator", "manager"


@dataclass(frozen=True, slots=True)
class Profile:
    """What everybody may know of an employee. `manager` is None for who reports to nobody; `level` runs from 1 to 5."""

    name: str
    role: str
    manager: str | None
    level: int
    responsibilities: tuple[str, ...]
    zone: str
    hours: tuple[str, str] = ("09:00", "17:00")

    def __post_init__(self) -> None:
        if self.manager == self.name:
            raise InvalidInput(
                f"employee {self.name}: manager is {self.name}, the employee; expected another employee, or nobody"
            )
        if isinstance(self.level, bool) or not isinstance(self.level, int) or not 1 <= self.level <= 5:
            raise InvalidInput(f"employee {self.name}: level {self.level!r} given; expected a whole number from 1 to 5")
        _check_zone(f"employee {self.name}", self.zone)
        if len(self.hours) != 2 or minutes(self.hours[0]) >= minutes(self.hours[1]):
            raise InvalidInput(
                f"employee {self.name}: hours {self.hours!r} given; expected two times, start before end"
            )


@dataclass(frozen=True, slots=True)
class Private:
    """What only the employee knows: preferences as free text, as two paraphrases of it, and as structures.

    The structures say what the free text says; `texts[0]` is the text, `texts[1]` and `texts[2]` its paraphrases.
    """

    texts: tuple[str, ...]
    preferences: tuple[Preference, ...]

    def check(self, name: str) -> None:
        """Refuse preferences that no slot can fulfil together, and a person without any.

        Raises
        ------
        InvalidInput
            Naming the employee and the pair that contradicts itself.
        """
        if not self.texts or not all(t.strip() for t in self.texts) or not self.preferences:
            raise InvalidInput(f"employee {name}: no preference given; expected a text and at least one structure")
        if found := contradictions(self.preferences):
            raise InvalidInput(f"employee {name}: {found[0]}; drop one, or give it to certain weekdays only")


@dataclass(frozen=True, slots=True)
class Database:
    """What the coordinator may look up about the members of one meeting: no preferences.

    `relations` holds (source, target, relation) with relation "teammate", "collaborator" or "manager" (the target
    manages the source).
    """

    profiles: tuple[Profile, ...]
    relations: tuple[tuple[str, str, str], ...]

    def related(self, a: str, b: str) -> set[str]:
        """The relations between two members, in either direction."""
        return {r for s, t, r in self.relations if {s, t} == {a, b}}


@dataclass(frozen=True)
class Company:
    """Employees, their meetings, and the graph that follows from both.

    Raises
    ------
    InvalidInput
        On a name twice, a manager who does not work here, a circle of managers, or a meeting with a stranger.
    """

    profiles: tuple[Profile, ...]
    meetings: tuple[Meeting, ...] = ()

    def __post_init__(self) -> None:
        names = [p.name for p in self.profiles]
        if twice := [n for n, count in Counter(names).items() if count > 1]:
            raise InvalidInput(f"employee {twice[0]}: there twice; expected each name once")
        for p in self.profiles:
            if p.manager is not None and p.manager not in names:
                raise InvalidInput(f"employee {p.name}: manager {p.manager!r} given; expected an employee, or nobody")
            self._check_line(p.name)
        for m in self.meetings:
            if strangers := [n for n in (m.organiser, *m.members) if n not in names]:
                raise InvalidInput(f"meeting {m.id}: {strangers[0]!r} is no employee; expected one of the company's")

    def _check_line(self, name: str) -> None:
        line = [name]
        while (above := self.by_name[line[-1]].manager) is not None:
            if above in line:
                circle = " to ".join([*line, above])
                raise InvalidInput(f"employee {name}: managers in a circle, {circle}; somebody has to report to nobody")
            if above not in self.by_name:
                return
            line.append(above)

    @cached_property
    def by_name(self) -> Mapping[str, Profile]:
        """Profiles by name."""
        return {p.name: p for p in self.profiles}

    def teammates(self, name: str) -> tuple[str, ...]:
        """Who reports to the same manager, in the company's order."""
        manager = self.by_name[name].manager
        return tuple(p.name for p in self.profiles if manager and p.manager == manager and p.name != name)

    @cached_property
    def shared(self) -> Mapping[str, Counter[str]]:
        """For each employee, how many meetings are shared with whom, organisers included."""
        counts: dict[str, Counter[str]] = {p.name: Counter() for p in self.profiles}
        for m in self.meetings:
            people = (m.organiser, *m.members)
            for a in people:
                counts[a].update(b for b in people if b != a)
        return counts

    def collaborators(self, name: str) -> tuple[str, ...]:
        """The first half of those with whom one shares a meeting, most meetings first (section 5.1).

        Ties keep the company's order; of an odd number the half is rounded up.
        """
        place = {p.name: i for i, p in enumerate(self.profiles)}
        ranked = sorted(self.shared[name], key=lambda other: (-self.shared[name][other], place[other]))
        return tuple(ranked[: (len(ranked) + 1) // 2])

    def database(self, members: Sequence[str]) -> Database:
        """The public part of what is known about some members."""
        relations = [(a, b, TEAMMATE) for a in members for b in self.teammates(a) if b in members]
        relations += [(a, b, COLLABORATOR) for a in members for b in self.collaborators(a) if b in members]
        managers = [(a, self.by_name[a].manager) for a in members]
        relations += [(a, b, MANAGER) for a, b in managers if b in members and b]
        return Database(tuple(self.by_name[m] for m in members), tuple(relations))

    def graph(self, members: Sequence[str] | None = None) -> nx.MultiDiGraph:
        """The social graph of Figure 7, or its part for some members: level and role on nodes, relation on edges."""
        import networkx as nx

        chosen = [p.name for p in self.profiles] if members is None else list(members)
        found = nx.MultiDiGraph()
        for name in chosen:
            found.add_node(name, level=self.by_name[name].level, role=self.by_name[name].role)
        for source, target, relation in self.database(chosen).relations:
            found.add_edge(source, target, relation=relation)
        return found


def profile(spec: Mapping[str, Any]) -> Profile:
    """A profile from plain data; what is private in `spec` is left out."""
    names = ("name", "role", "level", "responsibilities", "zone", "hours")
    if missing := [n for n in names if n not in spec]:
        raise InvalidInput(f"employee {spec.get('name', '?')}: {missing[0]} is missing; expected {', '.join(names)}")
    given: dict[str, Any] = {n: tuple(spec[n]) if isinstance(spec[n], list) else spec[n] for n in names}
    return Profile(manager=spec.get("manager") or None, **given)
