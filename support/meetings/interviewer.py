"""The rule-based interviewer: opens a talk, and asks on until the member is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from support.meetings.coordination import Chat
from support.meetings.data import listed
from support.meetings.preferences import Venue
from support.meetings.records import ASSISTANT, Option, Turn
from support.meetings.scenario import Scenario
from support.meetings.wording import behind, named, say, shown, worded


@dataclass(frozen=True)
class RuleBasedInterviewer:
    """Asks a member what suits, and later whether an option does, on the member's clock."""

    own: Scenario
    kind: str = "rule-based"

    async def ask(self, chat: Chat) -> Turn:
        """The next question; the first of a later round tells the options."""
        if chat.turns:
            return Turn(ASSISTANT, say("assistant", "more"))
        if not chat.options:
            return Turn(ASSISTANT, self._opening(chat.member))
        lines = [offered(self.own, option, chat.member) for option in chat.options]
        reasons: list[Any] = []
        for option in chat.options:
            reasons += [w for said in option.reasons.values() for w in said]
        text = say("assistant", "offers", options=" ".join(lines))
        return Turn(ASSISTANT, text, tuple(dict.fromkeys(reasons)))

    def _opening(self, member: str) -> str:
        meeting = self.own.meeting
        letter = meeting.invitation
        said = {"organiser": meeting.organiser, "invitation": letter}
        return say("assistant", "asks", **said, bounds=bounds(self.own, member))


def bounds(scenario: Scenario, member: str) -> str:
    """Which slots are in question, as a member sees them."""
    slots = list(scenario.views[member].values())
    if isinstance(slots[0], Venue):
        return say("assistant", "venues", slots=listed([shown(slot) for slot in slots]))
    first, last = named(slots[0]), named(slots[-1])
    return say("assistant", "times", first=first, last=last)


def offered(scenario: Scenario, option: Option, reader: str) -> str:
    """An option with its reasons, as one member is told them, on that member's clock."""
    at = scenario.views[reader][option.slot]
    told = []
    for owner, wishes in option.reasons.items():
        zone = scenario.zones.get(owner, scenario.zones[reader])
        words = " ".join(worded(wish, zone) for wish in wishes)
        apart = "" if isinstance(at, Venue) or not owner else behind(
            zone, scenario.zones[reader], option.slot
        )
        whose = owner or "Somebody"
        clock = f" (whose clock is {apart})" if apart and owner != reader else ""
        if wishes:
            told.append(f'{whose}{clock} says "{words}"')
    because = say("assistant", "because", reasons=listed(told)) if told else ""
    return say("assistant", "option", id=option.id, slot=named(at), because=because)
