"""Rule-based members: people whose whole behaviour in a private conversation is stated here.

All say in round 1 what they prefer, the most important first, and answer from round 2 on whether an option suits them.
They differ in how they talk and in what they agree to; see `STYLES`. Nothing is said that the preferences do not hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from support.environments.meetings.preferences import Preference, Situation
from support.environments.meetings.views import Chat
from support.errors import InvalidInput
from support.participants.members.change import changed
from support.participants.members.wordings import Voice
from support.records import Option

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
ASKS_HOURS = re.compile(r"\b(hours?|from when|until when|how (early|late)|(what|which) times?|exact(ly)?|precise)\b")
ASKS_AGAIN = re.compile(
    r"\b(could you (say|put) (that|it)|in terms of|in other words|rephrase|did(n't| not) understand)\b"
)


@dataclass
class RuleBasedMember:
    """A member with structured preferences.

    Parameters
    ----------
    me : str
        The member's name.
    preferences : tuple of Preference
        What the member truly wants at the start, times in `zone`.
    zone : str
        The member's IANA time zone, in which it names times.
    situation : callable
        A slot's start as the member sees it (`Scenario.situation` of this member).
    rng : numpy.random.Generator
        Its own stream: draws the wordings and, for "changing", what changes and when.
    style : str
        A key of `STYLES`.

    Raises
    ------
    InvalidInput
        On an unknown style, or no preference.
    """

    me: str
    preferences: tuple[Preference, ...]
    zone: str
    situation: Callable[[datetime], Situation]
    rng: np.random.Generator
    style: str = "plain"
    kind: str = field(init=False)
    _said: list[Preference] = field(default_factory=list, init=False, repr=False)
    _latest: list[Preference] = field(default_factory=list, init=False, repr=False)
    _hours_owed: list[Preference] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise InvalidInput(f"style: {self.style!r} given for {self.me}; expected one of {', '.join(STYLES)}")
        if not self.preferences:
            raise InvalidInput(f"preferences: none given for {self.me}; expected at least one, Flexible() for any time")
        self.kind = f"rule-based {self.style}"
        self._voice = Voice(self.rng, twelve=bool(self.rng.integers(2)))
        self._turning = int(self.rng.integers(2, 4))
        self._turned, self._turned_at = changed(self.preferences, self.rng)

    def preferences_in(self, round: int) -> tuple[Preference, ...]:
        """What the member truly wants in a round: the same in all, unless its style is "changing"."""
        return self._turned if self.style == "changing" and round >= self._turning else self.preferences

    async def answer(self, chat: Chat) -> str:
        """What the member says to the last turn of the conversation."""
        first = not any(turn.speaker == self.me for turn in chat.turns)
        if first:
            self._said, self._latest, self._hours_owed = [], [], []
        asked = chat.turns[-1].text.casefold() if chat.turns else ""
        sentences = self._news(chat, first)
        if self._hours_owed and ASKS_HOURS.search(asked):
            sentences += self._hours()
        elif chat.round > 1 and chat.options:
            sentences += self._judgement(chat, first)
        elif self._latest and ASKS_AGAIN.search(asked):
            sentences += self._again()
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
        again = [self._voice.say("as I said"), self._worded(self._said[0])] if self.style == "stubborn" else []
        return [*again, self._voice.say("short nothing more" if self.style == "terse" else "nothing more")]

    def _worded(self, given: Preference) -> str:
        self._said.append(given)
        if self.style == "terse":
            return self._voice.short(given)
        if self.style == "vague" and (text := self._voice.vague(given)):
            self._hours_owed.append(given)
            return text
        return self._voice.full(given)

    def _hours(self) -> list[str]:
        owed, self._hours_owed = self._hours_owed, []
        return [self._voice.say("exactly"), *map(self._voice.full, owed)]

    def _again(self) -> list[str]:
        """What was said last, in other words; once."""
        latest, self._latest = self._latest, []
        return [self._voice.full(p) for p in latest]

    def _judgement(self, chat: Chat, first: bool) -> list[str]:
        """Agrees to the option that suits best, or declines with the reason and offers what would suit better."""
        wanted = self.preferences_in(chat.round)
        options = sorted(chat.options, key=lambda o: o.id != chat.candidate)  # among equals the candidate
        best = max(options, key=lambda o: self._worth(wanted, self._at(o)))
        if self._agreeable(wanted, self._at(best)):
            act = ("short agree" if self.style == "terse" else "agree") if first else "agree again"
            return [self._voice.say(act, id=best.id, time=self._moment(self._at(best)))]
        reasons = self._reasons([p for p in wanted if not first or p not in self._said], self._at(best))
        if self.style == "terse":
            return [self._voice.say("short decline"), *reasons] if first else self._alternative(chat, wanted, best)
        opening = "as I said" if not first else "decline" if len(chat.options) > 1 else "decline one"
        return [self._voice.say(opening), *reasons, *self._alternative(chat, wanted, best)]

    def _agreeable(self, wanted: Sequence[Preference], at: Situation) -> bool:
        if self.style == "stubborn" and any(p.priority > 1 and not p.fulfilled(at) for p in wanted):
            return False
        return 2 * sum(p.fulfilled(at) for p in wanted) >= len(wanted)

    def _worth(self, wanted: Sequence[Preference], at: Situation) -> tuple[float, ...]:
        """How well a slot suits, compared from left to right; the stubborn count what matters to them first."""
        met = [p for p in wanted if p.fulfilled(at)]
        firm = sum(p.priority > 1 for p in met) if self.style == "stubborn" else 0
        return firm, len(met), sum(p.priority for p in met)

    def _reasons(self, wanted: Sequence[Preference], at: Situation) -> list[str]:
        missed = [p for p in _ranked(wanted) if not p.fulfilled(at)]
        return [self._worded(p) for p in (missed if self.style in THOROUGH else missed[:1])]

    def _alternative(self, chat: Chat, wanted: Sequence[Preference], best: Option) -> list[str]:
        """The earliest of the slots that suit best, one without another event if possible; if it beats the options."""
        slots = [self.situation(start) for start in chat.meeting.slots()]
        offer = max(slots, key=lambda at: (self._worth(wanted, at), _free(at)))
        if self._worth(wanted, offer) <= self._worth(wanted, self._at(best)):
            return [self._voice.say("no alternative")]
        return [self._voice.say("alternative", time=self._moment(offer))]

    def _at(self, option: Option) -> Situation:
        return self.situation(datetime.fromisoformat(option.start))

    def _moment(self, at: Situation) -> str:
        return self._voice.moment(at.start.astimezone(ZoneInfo(self.zone)))

    def _dressed(self, sentences: list[str], first: bool) -> str:
        if self.style == "chatty":
            middle = [self._voice.say("aside")] if len(sentences) > 1 else []
            greeting = [self._voice.say("greeting")] if first else []
            sentences = [*greeting, *sentences[:1], *middle, *sentences[1:], self._voice.say("farewell")]
        return " ".join(sentences)


def _ranked(preferences: Sequence[Preference]) -> list[Preference]:
    return sorted(preferences, key=lambda p: -p.priority)


def _free(at: Situation) -> bool:
    return all(end <= at.start or start >= at.end for start, end in at.busy or ())
