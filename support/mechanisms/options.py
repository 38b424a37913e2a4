"""What a coordinator suggests, checked and given the ids under which a run knows it; where it leaves the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from support.environments.meetings.meeting import Meeting, iso
from support.environments.meetings.views import Brief, Suggestion
from support.errors import InvalidInput
from support.records import Option, Score


def checked(suggestions: Sequence[Suggestion], brief: Brief, ids: Mapping[str, str]) -> tuple[Option, ...]:
    """The options of a reply, the same start once, each under its id.

    Parameters
    ----------
    ids : mapping of start to id
        Of the options that were met before; new ones get the next numbers.

    Raises
    ------
    InvalidInput
        On more than K options, a start that is no slot of the meeting, or somebody who is no member of it.
    """
    found: dict[str, Option] = {}
    for said in suggestions:
        start = iso(brief.meeting.slot(said.start))
        members = _known(said.members, brief.meeting)
        new = f"O{len(ids) + sum(s not in ids for s in found) + 1}"
        found.setdefault(start, Option(ids.get(start, new), start, members, tuple(said.reasons)))
    if len(found) > brief.k:
        raise InvalidInput(f"options: {len(found)} given; expected at most {brief.k}")
    return tuple(found.values())


def with_candidate(options: tuple[Option, ...], candidate: Option | None, k: int) -> tuple[tuple[Option, ...], bool]:
    """The options with the candidate among them, and whether it had to be put there (the last one makes room)."""
    if candidate is None or candidate.id in {o.id for o in options}:
        return options, False
    return (candidate, *options[: k - 1]), True


def breaches(options: Sequence[Option], brief: Brief, left_out: bool) -> tuple[str, ...]:
    """Where the options leave step (3) of section 3.2, by the coordinator's own word on whom they satisfy."""
    everybody = brief.meeting.members
    least = min(2, len(everybody)) if brief.candidate is None else brief.satisfied
    new = [o for o in options if brief.candidate is None or o.id != brief.candidate.id]
    found = [f"{len(options)} options where {brief.k} were asked for"] if len(options) < brief.k else []
    found += [
        f"{o.id} satisfies {len(o.members)}, at least {least} were asked for" for o in new if len(o.members) < least
    ]
    found += [f"no option for {r}, who is required" for r in brief.meeting.required if not _works_for(r, options)]
    return (*found, "the candidate was left out") if left_out else tuple(found)


def checked_scores(scores: Sequence[Score], options: Sequence[Option], members: Sequence[str]) -> tuple[Score, ...]:
    """One score of 0 to 3 for each option and member, in their order.

    Raises
    ------
    InvalidInput
        When one is missing, there twice, for a stranger, or out of range.
    """
    wanted = [(o.id, m) for o in options for m in members]
    given = {(s.option, s.member): s for s in scores}
    if len(given) < len(scores) or set(given) != set(wanted):
        wrong = set(wanted) ^ set(given)
        raise InvalidInput(f"scores: {len(scores)} given; expected one for each option and member, see {sorted(wrong)}")
    for s in scores:
        if isinstance(s.value, bool) or not isinstance(s.value, int) or not 0 <= s.value <= 3:
            raise InvalidInput(f"scores: {s.value!r} for {s.member} and {s.option} given; expected 0, 1, 2 or 3")
    return tuple(given[key] for key in wanted)


def by_option(scores: Sequence[Score]) -> dict[str, list[int]]:
    """The members' scores of each option."""
    found: dict[str, list[int]] = {}
    for s in scores:
        found.setdefault(s.option, []).append(s.value)
    return found


def _known(names: Sequence[str], meeting: Meeting) -> tuple[str, ...]:
    if strangers := [n for n in names if n not in meeting.members]:
        raise InvalidInput(
            f"members: {strangers[0]!r} given; expected members of meeting {meeting.id}: {', '.join(meeting.members)}"
        )
    return tuple(m for m in meeting.members if m in names)


def _works_for(member: str, options: Sequence[Option]) -> bool:
    return any(member in o.members for o in options)
