"""Wishes, slots and rule-based turns in words, for whoever reads along.

No rule reads them back: what they say stands beside them as data.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from support.data import inputs
from support.meetings.preferences import Limit, Venue, Words
from support.prompts import listed

if TYPE_CHECKING:
    from support.meetings.records import Option
    from support.meetings.scenario import Scenario


@cache
def _table() -> dict[str, dict[str, str]]:
    return tomllib.loads(inputs("sentences", "members.toml").read_text("utf-8"))


def say(who: str, what: str, **slots: object) -> str:
    """A sentence of the table, filled."""
    return _table()[who][what].format(**slots)


def moment(start: datetime) -> str:
    """A moment as people read it.

    >>> moment(datetime(2026, 2, 16, 9, 30))
    'Monday 16 February at 09:30'
    """
    return f"{start:%A} {start.day} {start:%B} at {start:%H:%M}"


def named(slot: Any) -> str:
    """A slot as a member sees it, in words: a start on the member's clock, a venue."""
    return slot.slot if isinstance(slot, Venue) else moment(slot.start)


def shown(venue: Venue) -> str:
    """A venue with all that everybody knows of it."""
    has = f"{venue.price} euros a head, {venue.walk} minutes' walk"
    return f"{venue.slot} ({has}; {listed(venue.features)})"


def worded(wish: Any, zone: str) -> str:
    """One sentence that says all that a wish holds, on the clock of its owner's zone."""
    if isinstance(wish, Words):
        return wish.text
    force = "" if wish.condition else say("force", str(wish.priority))
    kind = wish.of if isinstance(wish, Limit) else wish.kind
    against = " avoid" if getattr(wish, "avoid", False) else ""
    text = force + say("wish", kind + against, **_slots(wish, zone))
    return f"{text[0].upper()}{text[1:]}."


def together(wishes: Iterable[Any], zone: str) -> str:
    """Several wishes, a sentence each."""
    return " ".join(worded(wish, zone) for wish in wishes)


def _slots(wish: Any, zone: str) -> dict[str, Any]:
    made = {"days": "", **vars(wish)}
    if wish.kind == "window":
        made["when"] = f"between {wish.start} and {wish.end}"
    if names := [f"{day}s" for day in made.get("weekdays", ())]:
        made["names"] = listed(names)
        made["days"] = f" on {made['names']}"
    for name, value in made.items():
        if name in ("slot", "start", "end") and "T" in value[10:11]:
            there = datetime.fromisoformat(value).astimezone(ZoneInfo(zone))
            made[name] = moment(there)
    return made


# ---- slots of a scenario ---------------------------------------------------------------


def short(start: datetime) -> str:
    """A start as models read and write it."""
    return f"{start:%a} {start.day} {start:%b} {start:%H:%M}"


def labels(scenario: Scenario, member: str) -> dict[str, str]:
    """The slots by their short names, on a member's clock."""
    return {
        slot if isinstance(at, Venue) else short(at.start): slot
        for slot, at in scenario.views[member].items()
    }


def venues_of(scenario: Scenario) -> list[Venue]:
    """The venues in question; none where times are."""
    seen = scenario.views[scenario.members[0]].values()
    return [slot for slot in seen if isinstance(slot, Venue)]


def bounds(scenario: Scenario, member: str) -> str:
    """Which slots are in question, as a member sees them."""
    if places := venues_of(scenario):
        return say("assistant", "venues", slots=listed(list(map(shown, places))))
    days: dict[str, list[Any]] = {}
    for at in scenario.views[member].values():
        days.setdefault(f"{at.start:%A} {at.start.day} {at.start:%B}", []).append(at)
    told = [
        say(
            "assistant",
            "day",
            day=day,
            first=f"{of[0].start:%H:%M}",
            last=f"{of[-1].start:%H:%M}",
        )
        for day, of in days.items()
    ]
    return say("assistant", "times", days=" or ".join(told))


def offered(scenario: Scenario, option: Option, reader: str) -> str:
    """An option with its reasons, as one member is told them, on that member's clock."""
    at, told = scenario.views[reader][option.slot], []
    for owner, wishes in option.reasons.items():
        words = together(wishes, scenario.zones[owner or reader])
        if not words:
            continue
        if not owner:
            clocks = "" if isinstance(at, Venue) else say("assistant", "clocks")
            told.append(say("assistant", "unnamed", clocks=clocks, words=words))
            continue
        there, whose = scenario.views[owner][option.slot], owner
        if named(there) != named(at):
            whose += f" (for whom it is {there.start:%H:%M})"
        told.append(say("assistant", "reason", whose=whose, words=words))
    because = say("assistant", "because", reasons=listed(told)) if told else ""
    return say(
        "assistant",
        "option",
        id=option.id,
        slot=named(at),
        because=because,
    )


# ---- wishes in forms -------------------------------------------------------------------

TIMES = ("window", "weekdays", "notice", "gap", "deadline")
VENUES = ("feature", "limit")
ANY = ("choice", "flexible", "words")


def kinds(scenario: Scenario) -> tuple[str, ...]:
    """The kinds of wishes that can be stated in a form."""
    return (*(VENUES if venues_of(scenario) else TIMES), *ANY)


def features(scenario: Scenario) -> tuple[str, ...]:
    """What the venues in question have."""
    found = {name for place in venues_of(scenario) for name in place.features}
    return tuple(sorted(found))


def explained(scenario: Scenario, member: str) -> str:
    """What the form of a wish may say, a line for each kind."""
    slot, has = next(iter(labels(scenario, member))), ", ".join(features(scenario))
    told = {"slot": slot, "features": has}
    lines = [f"- {kind}: {say('form', kind, **told)}" for kind in kinds(scenario)]
    return "\n".join([*lines, say("form", "priority")])
