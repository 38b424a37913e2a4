"""A change of mind: one of a member's preferences turns into its opposite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from support.environments.meetings.preferences import (
    WEEKDAYS,
    Deadline,
    Preference,
    Weekdays,
    Window,
    contradictions,
    minutes,
)

NOON, DAY = 13 * 60, 24 * 60  # minutes; the day from 08:00 to 18:00 is mirrored about 13:00
WORKING = WEEKDAYS[:5]


def mirrored(given: Preference) -> Preference:
    """The preference with morning and afternoon exchanged, or the beginning and the end of the week.

    What has no such side (a notice, a gap) stays as it is.

    >>> mirrored(Window(start="09:00", end="12:00"))
    Window(priority=2, start='14:00', end='17:00', avoid=False, weekdays=())
    """
    if isinstance(given, Window):
        return replace(given, start=_across(given.end), end=_across(given.start))
    if isinstance(given, Weekdays):
        return replace(given, weekdays=tuple(sorted(map(_other_day, given.weekdays), key=WEEKDAYS.index)))
    if isinstance(given, Deadline):
        return replace(given, weekday=_other_day(given.weekday))
    return given


def changed(preferences: Sequence[Preference], rng: np.random.Generator) -> tuple[tuple[Preference, ...], int]:
    """Preferences of which one has changed, and its place.

    One that can be mirrored without contradicting the rest is drawn; where there is none, the priority of one changes
    instead: what mattered above all matters only if possible, and anything else matters above all.
    """
    turned = {i: mirrored(p) for i, p in enumerate(preferences)}
    fitting = {i: p for i, p in turned.items() if p != preferences[i] and not contradictions(_with(preferences, i, p))}
    places = sorted(fitting) or list(range(len(preferences)))
    place = places[int(rng.integers(len(places)))]
    old = preferences[place]
    return _with(preferences, place, fitting.get(place) or replace(old, priority=1 if old.priority == 3 else 3)), place


def _with(preferences: Sequence[Preference], place: int, new: Preference) -> tuple[Preference, ...]:
    return (*preferences[:place], new, *preferences[place + 1 :])


def _across(time: str) -> str:
    """A bound on the other side of 13:00; the day's own bounds change places."""
    given = minutes(time)
    other = DAY - given if given in (0, DAY) else min(max(2 * NOON - given, 0), DAY)
    return f"{other // 60:02d}:{other % 60:02d}"


def _other_day(name: str) -> str:
    return WORKING[-1 - WORKING.index(name)] if name in WORKING else name
