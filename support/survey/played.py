"""A meeting that was played, as the scenario of a survey."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from support.prompts import listed
from support.survey.instruments import Member, Option, Reason, Scenario


def played(
    meeting: Any,
    entry: Any,
    named: Callable[[Any], str],
    worded: Callable[[Any, str], str],
) -> Scenario:
    """One round of a coordination, for respondents who take its members' parts.

    `meeting` and `entry` are a scenario of `support.meetings` and a round that was played
    on it, `named` and `worded` the words for slots and wishes (`meetings.wording`). Times
    are given on each member's clock where clocks differ. A reason is sound when the
    option meets the wishes that it names; `fit` is the score in truth, of 3.
    """
    groups = dict(zip(meeting.members, "ABCDEFGHIJ", strict=False))
    members = tuple(
        Member(group, name, tuple(words.text for words in meeting.texts[name]))
        for name, group in groups.items()
    )
    options = []
    for option in entry.options:
        clocks: dict[str, list[str]] = {}
        for name in groups:
            start = named(meeting.views[name][option.slot])
            clocks.setdefault(start, []).append(name)
        starts = [*clocks]
        if len(clocks) > 1:
            starts = [f"{start} for {listed(who)}" for start, who in clocks.items()]
        reasons = []
        for name, wishes in option.reasons.items():
            said = [worded(wish, meeting.zones[name]) for wish in wishes]
            sound = all(meeting.met(name, option.slot, wishes))
            reasons.append(Reason(f"{name}: {' '.join(said)}", groups[name], sound))
        fit = {groups[m]: pi / 3 for m, pi in meeting.truth[option.slot].items()}
        satisfied = tuple(groups[name] for name in option.members)
        options.append(Option("; ".join(starts), satisfied, tuple(reasons), fit))
    invitation = meeting.meeting.invitation
    return Scenario(meeting.meeting.organiser, invitation, members, tuple(options))
