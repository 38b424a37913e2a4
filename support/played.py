"""A meeting that was played, as the scenario of a survey: between two studies."""

from __future__ import annotations

from collections.abc import Mapping

from support.meetings.records import Option as Proposed
from support.meetings.records import Round
from support.meetings.scenario import Scenario as Meeting
from support.meetings.scores import HIGHEST
from support.meetings.wording import named, together
from support.prompts import listed
from support.survey.instruments import Member, Option, Reason, Scenario


def played(meeting: Meeting, entry: Round) -> Scenario:
    """One round of a coordination, for respondents who take its members' parts.

    `entry` is a round that was played on the scenario `meeting`. Members ask for what
    their own texts say; times are given on each member's clock where clocks differ. A
    reason is sound when the option meets the wishes that it names; `fit` is the score in
    truth, as a share of the highest.
    """
    groups = dict(zip(meeting.members, "ABCDEFGHIJ", strict=False))
    members = []
    for name, group in groups.items():
        wishes = tuple(words.text for words in meeting.texts[name])
        members.append(Member(group, name, wishes))
    options = [_option(meeting, option, groups) for option in entry.options]
    organiser = meeting.meeting.organiser
    letter = f"{meeting.meeting.invitation}\n\n{organiser}"
    return Scenario(organiser, letter, tuple(members), tuple(options))


def _option(meeting: Meeting, option: Proposed, groups: Mapping[str, str]) -> Option:
    reasons = []
    for name, wishes in option.reasons.items():
        said = together(wishes, meeting.zones[name])
        sound = all(meeting.met(name, option.slot, wishes))
        reasons.append(Reason(f"{name}: {said}", groups[name], sound))
    fit = {}
    for name, score in meeting.truth[option.slot].items():
        fit[groups[name]] = score / HIGHEST
    satisfied = tuple(groups[name] for name in option.members)
    start = _start(meeting, option.slot)
    return Option(start, satisfied, tuple(reasons), fit)


def _start(meeting: Meeting, slot: str) -> str:
    """The start of an option on everybody's clock."""
    clocks: dict[str, list[str]] = {}
    for name in meeting.members:
        start = named(meeting.views[name][slot])
        clocks.setdefault(start, []).append(name)
    if len(clocks) == 1:
        return next(iter(clocks))
    starts = [f"{start} for {listed(who)}" for start, who in clocks.items()]
    return "; ".join(starts)
