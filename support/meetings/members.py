"""Rule-based members: people whose whole behaviour in a private conversation is stated here.

All say in round 1 what they prefer, the most important first, and answer from round 2 on whether an option suits them.
They differ in how they talk and in what they agree to; see `STYLES`. Nothing is said that the preferences do not hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from support.meetings.preferences import (
    WEEKDAYS,
    Deadline,
    Preference,
    Situation,
    Weekdays,
    Window,
    contradictions,
    minutes,
)
from support.meetings.records import Option
from support.meetings.scenario import Chat, Persona
from support.meetings.voice import Voice

STYLES = {
    "plain": "says what it wants, two preferences a turn",
    "terse": "one preference a turn, in fragments; offers an alternative only when asked for one",
    "vague": "names parts of the day and gives their hours only when asked for them; two preferences a turn",
    "chatty": "says everything at once, with small talk around it",
    "stubborn": "agrees only to what fulfils all its preferences of priority 2 and 3, and repeats itself",
    "changing": "as plain, but one preference turns into its opposite in round 2 or 3",
}
A_TURN = {"terse": 1, "chatty": 100}  # preferences
THOROUGH = ("chatty", "stubborn")  # give every reason, not only the most important
ASKS_HOURS = re.compile(
    r"\b(hours?|from when|until when|how (early|late)|(what|which) times?|exact(ly)?|precise)\b"
)
ASKS_AGAIN = re.compile(
    r"\b(could you (say|put) (that|it)|in terms of|in other words|rephrase|did(n't| not) understand)\b"
)


class RuleBasedMember:
    """A member with structured preferences; the stream draws wordings, and what changes when for "changing"."""

    def __init__(
        self, me: str, rng: np.random.Generator, own: Persona, style: str = "plain"
    ) -> None:
        self.me, self.style, self.kind = me, style, f"rule-based {style}"
        self.preferences, self.situation, self.zone = (
            own.preferences,
            own.situation,
            ZoneInfo(own.profile.zone),
        )
        self._said: list[Preference] = []
        self._latest: list[Preference] = []
        self._hours_owed: list[Preference] = []
        self._voice = Voice(rng, twelve=bool(rng.integers(2)))
        self._turning = int(rng.integers(2, 4))
        self._turned, self._turned_at = changed(self.preferences, rng)

    def preferences_in(self, round: int) -> tuple[Preference, ...]:
        """What the member truly wants in a round: the same in all, unless its style is "changing"."""
        return (
            self._turned
            if self.style == "changing" and round >= self._turning
            else self.preferences
        )

    async def answer(self, chat: Chat) -> str:
        """What the member says to the last turn of the conversation."""
        first = not chat.spoken
        if first:
            self._said, self._latest, self._hours_owed = [], [], []
        asked = chat.turns[-1].text.casefold() if chat.turns else ""
        sentences = self._news(chat, first)
        if self._hours_owed and ASKS_HOURS.search(asked):
            owed, self._hours_owed = self._hours_owed, []
            sentences += [self._voice.say("exactly"), *map(self._voice.full, owed)]
        elif chat.options:
            sentences += self._judgement(chat, first)
        elif self._latest and ASKS_AGAIN.search(
            asked
        ):  # what was said last, in other words; once
            latest, self._latest = self._latest, []
            sentences += map(self._voice.full, latest)
        else:
            sentences += self._wishes(chat.round)
        return self._dressed(sentences, first)

    def _news(self, chat: Chat, first: bool) -> list[str]:
        """In the round in which a preference turned: that it did, and what it is now."""
        if not first or self.style != "changing" or chat.round != self._turning:
            return []
        new = self._turned[self._turned_at]
        self._said.append(new)
        return [self._voice.say("changed"), self._voice.full(new)]

    def _wishes(self, round: int) -> list[str]:
        """The next preferences that were not said yet, the most important first; or that there are no more."""
        left = [p for p in _ranked(self.preferences_in(round)) if p not in self._said]
        if left:
            self._latest = left[: A_TURN.get(self.style, 2)]
            return [self._worded(p) for p in self._latest]
        again = (
            [self._voice.say("as I said"), self._worded(self._said[0])]
            if self.style == "stubborn"
            else []
        )
        return [
            *again,
            self._voice.say(
                "short nothing more" if self.style == "terse" else "nothing more"
            ),
        ]

    def _worded(self, given: Preference) -> str:
        self._said.append(given)
        if self.style == "terse":
            return self._voice.short(given)
        if self.style == "vague" and (text := self._voice.vague(given)):
            self._hours_owed.append(given)
            return text
        return self._voice.full(given)

    def _judgement(self, chat: Chat, first: bool) -> list[str]:
        """Agrees to the option that suits best, or declines with the reason and offers what would suit better."""
        wanted = self.preferences_in(chat.round)
        options = sorted(
            chat.options, key=lambda o: o.id != chat.candidate
        )  # among equals the candidate
        best = max(options, key=lambda o: self._worth(wanted, self._at(o)))
        at = self._at(best)
        if self._agreeable(wanted, at):
            act = (
                ("short agree" if self.style == "terse" else "agree")
                if first
                else "agree again"
            )
            return [self._voice.say(act, id=best.id, time=self._moment(at))]
        reasons = self._reasons(
            [p for p in wanted if not first or p not in self._said], at
        )
        if self.style == "terse":
            return (
                [self._voice.say("short decline"), *reasons]
                if first
                else self._alternative(chat, wanted, at)
            )
        opening = (
            "as I said"
            if not first
            else "decline"
            if len(chat.options) > 1
            else "decline one"
        )
        return [
            self._voice.say(opening),
            *reasons,
            *self._alternative(chat, wanted, at),
        ]

    def _agreeable(self, wanted: Sequence[Preference], at: Situation) -> bool:
        if self.style == "stubborn" and any(
            p.priority > 1 and not p.fulfilled(at) for p in wanted
        ):
            return False
        return 2 * sum(p.fulfilled(at) for p in wanted) >= len(wanted)

    def _worth(self, wanted: Sequence[Preference], at: Situation) -> tuple[float, ...]:
        """How well a slot suits, compared from left to right; the stubborn count what matters to them first."""
        met = [p for p in wanted if p.fulfilled(at)]
        firm = sum(p.priority > 1 for p in met) if self.style == "stubborn" else 0
        return firm, len(met), sum(p.priority for p in met)

    def _reasons(self, wanted: Sequence[Preference], at: Situation) -> list[str]:
        missed = [p for p in _ranked(wanted) if not p.fulfilled(at)]
        return [
            self._worded(p) for p in (missed if self.style in THOROUGH else missed[:1])
        ]

    def _alternative(
        self, chat: Chat, wanted: Sequence[Preference], best: Situation
    ) -> list[str]:
        """The earliest of the slots that suit best, one without another event if possible; if it beats the options."""
        slots = [self.situation(start) for start in chat.meeting.slots()]
        offer = max(slots, key=lambda at: (self._worth(wanted, at), _free(at)))
        if self._worth(wanted, offer) <= self._worth(wanted, best):
            return [self._voice.say("no alternative")]
        return [self._voice.say("alternative", time=self._moment(offer))]

    def _at(self, option: Option) -> Situation:
        return self.situation(datetime.fromisoformat(option.start))

    def _moment(self, at: Situation) -> str:
        return self._voice.moment(at.start.astimezone(self.zone))

    def _dressed(self, sentences: list[str], first: bool) -> str:
        if self.style == "chatty":
            middle = [self._voice.say("aside")] if len(sentences) > 1 else []
            greeting = [self._voice.say("greeting")] if first else []
            sentences = [
                *greeting,
                *sentences[:1],
                *middle,
                *sentences[1:],
                self._voice.say("farewell"),
            ]
        return " ".join(sentences)


def _ranked(preferences: Sequence[Preference]) -> list[Preference]:
    return sorted(preferences, key=lambda p: -p.priority)


def _free(at: Situation) -> bool:
    return all(end <= at.start or start >= at.end for start, end in at.busy or ())


# ---- a change of mind ------------------------------------------------------------------------------------------------

NOON, DAY = (
    13 * 60,
    24 * 60,
)  # minutes; the day from 08:00 to 18:00 is mirrored about 13:00


def mirrored(given: Preference) -> Preference:
    """The preference with morning and afternoon exchanged, or the beginning and the end of the week.

    What has no such side (a notice, a gap) stays as it is.
    """
    if isinstance(given, Window):
        return replace(given, start=_across(given.end), end=_across(given.start))
    if isinstance(given, Weekdays):
        return replace(
            given,
            weekdays=tuple(sorted(map(_other_day, given.weekdays), key=WEEKDAYS.index)),
        )
    if isinstance(given, Deadline):
        return replace(given, weekday=_other_day(given.weekday))
    return given


def changed(
    preferences: Sequence[Preference], rng: np.random.Generator
) -> tuple[tuple[Preference, ...], int]:
    """Preferences of which one has changed, and its place.

    One that can be mirrored without contradicting the rest is drawn; where there is none, the priority of one changes
    instead: what mattered above all matters only if possible, and anything else matters above all.
    """
    turned = {i: mirrored(p) for i, p in enumerate(preferences)}
    fitting = {
        i: p
        for i, p in turned.items()
        if p != preferences[i] and not contradictions(_with(preferences, i, p))
    }
    places = sorted(fitting) or list(range(len(preferences)))
    place = places[int(rng.integers(len(places)))]
    old = preferences[place]
    return _with(
        preferences,
        place,
        fitting.get(place) or replace(old, priority=1 if old.priority == 3 else 3),
    ), place


def _with(
    preferences: Sequence[Preference], place: int, new: Preference
) -> tuple[Preference, ...]:
    return (*preferences[:place], new, *preferences[place + 1 :])


def _across(time: str) -> str:
    """A bound on the other side of 13:00; the day's own bounds change places."""
    given = minutes(time)
    other = DAY - given if given in (0, DAY) else min(max(2 * NOON - given, 0), DAY)
    return f"{other // 60:02d}:{other % 60:02d}"


def _other_day(name: str) -> str:
    return WEEKDAYS[4 - WEEKDAYS.index(name)] if name in WEEKDAYS[:5] else name
