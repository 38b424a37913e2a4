"""A meeting that was played, as the scenario of a survey: between two studies."""

from __future__ import annotations

from support.meetings.records import Round
from support.meetings.scenario import Scenario as Meeting
from support.meetings.scores import HIGHEST
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
    members = tuple(
        Member(group, name, tuple(words.text for words in meeting.own[name].texts))
        for name, group in groups.items()
    )
    options = []
    for option in entry.options:
        clocks: dict[str, list[str]] = {}
        for name in groups:
            start = meeting.views[name][option.slot].name
            clocks.setdefault(start, []).append(name)
        starts = [*clocks]
        if len(clocks) > 1:
            starts = [f"{start} for {listed(who)}" for start, who in clocks.items()]
        reasons = []
        for name, wishes in option.reasons.items():
            said = meeting.words(name, *wishes)
            met = meeting.met(name, option.slot, wishes)
            sound = all(held for _, held in met)
            reasons.append(Reason(f"{name}: {said}", groups[name], sound))
        fit = {groups[m]: pi / HIGHEST for m, pi in meeting.truth[option.slot].items()}
        satisfied = tuple(groups[name] for name in option.members)
        options.append(Option("; ".join(starts), satisfied, tuple(reasons), fit))
    organiser = meeting.meeting.organiser
    letter = f"{meeting.meeting.invitation}\n\n{organiser}"
    return Scenario(organiser, letter, members, tuple(options))
