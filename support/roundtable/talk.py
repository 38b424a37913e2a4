"""What rule-based participants of both tasks share when they speak: offers, and who is addressed."""

from __future__ import annotations

from typing import Any

from support.roundtable.records import View


def next_offer(view: View) -> tuple[str, Any] | None:
    """The latest proposal of the next agent who made one, as (whose, value)."""
    me, latest = view.agents.index(view.me), dict(view.latest)
    order = view.agents[me + 1 :] + view.agents[:me]
    return next(((agent, latest[agent]) for agent in order if agent in latest), None)


def recipients(acts: list[str], other: str, view: View) -> tuple[str, ...]:
    """A refusal or an acceptance of one agent's offer goes to that agent, all else to everybody."""
    if not view.decision and {"accept", "decline"} & set(acts):
        return (other,)
    return tuple(agent for agent in view.agents if agent != view.me)
