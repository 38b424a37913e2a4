"""Wishes, slots and rule-based turns in words, for whoever reads along.

No rule reads them back: what they say stands beside them as data.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from support.english import wordings
from support.meetings.preferences import Limit, Words, moment
from support.prompts import listed

if TYPE_CHECKING:
    from support.meetings.records import Option
    from support.meetings.scenario import Scenario


def say(who: str, what: str, **slots: object) -> str:
    """A sentence of the table, filled."""
    sentences: Any = wordings("members")[who]
    return sentences[what].format(**slots)


def worded(wish: Any, zone: str) -> str:
    """One sentence that says all that a wish holds, on the clock of its owner's zone."""
    if isinstance(wish, Words):
        return wish.text
    force = "" if wish.condition else say("force", str(wish.priority))
    kind = wish.of if isinstance(wish, Limit) else wish.kind
    against = " avoid" if getattr(wish, "avoid", False) else ""
    text = force + say("wish", kind + against, **_slots(wish, zone))
    return f"{text[0].upper()}{text[1:]}."


def _slots(wish: Any, zone: str) -> dict[str, Any]:
    made = {"days": "", **dict(wish)}
    if names := [f"{day}s" for day in made.get("weekdays", ())]:
        made["names"] = listed(names)
        made["days"] = f" on {made['names']}"
    for name in made.keys() & {"slot", "start", "end"}:
        if "T" in made[name][10:11]:
            there = datetime.fromisoformat(made[name]).astimezone(ZoneInfo(zone))
            made[name] = moment(there)
    return made


def bounds(scenario: Scenario, member: str) -> str:
    """Which slots are in question, as a member sees them."""
    views = scenario.views[member].values()
    if scenario.meeting.venues:
        return say("assistant", "venues", slots=listed([at.shown for at in views]))
    days: dict[str, list[str]] = {}
    for at in views:
        day = f"{at.start:%A} {at.start.day} {at.start:%B}"
        days.setdefault(day, []).append(f"{at.start:%H:%M}")
    told = [f"{day} from {of[0]} to {of[-1]}" for day, of in days.items()]
    return say("assistant", "times", days=" or ".join(told))


def offered(scenario: Scenario, option: Option, reader: str) -> str:
    """An option with its reasons, as one member is told them, on that member's clock."""
    at = scenario.views[reader][option.slot]
    told = []
    for owner, wishes in option.reasons.items():
        there = scenario.views[owner or reader][option.slot]
        whose = owner
        if there.name != at.name:
            whose += f" (for whom it is {there.start:%H:%M})"
        what = "reason" if owner else "unnamed" if scenario.meeting.venues else "stated"
        if words := scenario.words(owner or reader, *wishes):
            told.append(say("assistant", what, whose=whose, words=words))
    because = say("assistant", "because", reasons=listed(told)) if told else ""
    return f"{option.id}: {at.name}{because}"
