"""Evaluators that need no model: one judges by what was said, the exact one by what members truly want.

Both score with equation (5): 3 when an option fulfils all of a member's preferences, 2 for at least half, 1 for some,
0 for none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import product
from zoneinfo import ZoneInfo

import numpy as np

from support.meetings.data import Meeting
from support.meetings.preferences import At, Preference, Situation, situation
from support.meetings.reading import read, restate
from support.meetings.records import Option, Score
from support.meetings.satisfaction import satisfaction_ratio, satisfaction_score, score
from support.meetings.scenario import Intent, Scenario

View = Callable[[str, datetime], Situation]
"""A slot as a member sees it."""


@dataclass(frozen=True, slots=True)
class RuleBasedEvaluator:
    """Scores options on the restated preferences (theta), as the lexical reader understands them.

    A restatement that says nothing about times is left out of the count; a member of whom nothing is understood is at
    the lowest score. No calendar is known here, so a wish for a gap between meetings counts as fulfilled. `lowest` is 0
    by equation (5), 1 as in the paper's evaluator prompt; `zones` are the members' IANA time zones.
    """

    zones: Mapping[str, str]
    lowest: int = 0
    kind: str = "rule-based"

    async def score(
        self,
        meeting: Meeting,
        options: Sequence[Option],
        intents: Mapping[str, Intent],
        round: int,
    ) -> Sequence[Score]:
        """One score for each option and member, with the preferences that it fulfils and those that it does not."""
        wishes = understood(meeting, intents, options, self.zones)
        return exact_scores(
            meeting, options, wishes, on_the_clock(meeting, self.zones), self.lowest
        )


@dataclass(frozen=True)
class ExactEvaluator:
    """Scores options on what members truly want: an audit from outside of the loop, whatever was said in it.

    One of `people` who changes his mind tells by `preferences_in`; the others keep to what the scenario has.
    """

    scenario: Scenario
    people: Mapping[str, object]
    kind: str = "exact"

    async def score(
        self,
        meeting: Meeting,
        options: Sequence[Option],
        intents: Mapping[str, Intent],
        round: int,
    ) -> Sequence[Score]:
        """One score for each option and member; `intents` are not looked at."""
        wishes = {member: self._truth(member, round) for member in meeting.members}
        return exact_scores(meeting, options, wishes, self.scenario.situation)

    def yardstick(self, round: int) -> dict[str, float]:
        """What a start drawn at random is worth in truth, and what the best is: ratio (equation 1) and score (2)."""
        meeting, wishes = (
            self.scenario.meeting,
            {m: self._truth(m, round) for m in self.scenario.members},
        )
        view = self.scenario.situation
        rows = [
            [worth(said, view(m, start)) for m, said in wishes.items()]
            for start in meeting.slots()
        ]
        ratios, scores = (
            list(map(satisfaction_ratio, rows)),
            list(map(satisfaction_score, rows)),
        )
        return {"chance_ratio": float(np.mean(ratios)), "best_ratio": max(ratios),
                "chance_score": float(np.mean(scores)), "best_score": max(scores)}  # fmt: skip

    def _truth(self, member: str, round: int) -> Sequence[Preference]:
        changing = getattr(self.people.get(member), "preferences_in", None)
        return (
            changing(round) if changing else self.scenario.private[member].preferences
        )


def worth(wishes: Sequence[Preference], at: Situation) -> int:
    """The score of a slot, equation (5), for somebody with these wishes."""
    return score(sum(wish.fulfilled(at) for wish in wishes), len(wishes))


def exact_scores(
    meeting: Meeting,
    options: Sequence[Option],
    wishes: Mapping[str, Sequence[Preference]],
    view: View,
    lowest: int = 0,
) -> tuple[Score, ...]:
    """The scores of options on known preferences, option by option in the order of the members."""
    made = []
    for option, member in product(options, meeting.members):
        at = view(member, meeting.slot(option.start))
        held = [(wish, wish.fulfilled(at)) for wish in wishes.get(member, ())]
        reasons = tuple(
            f"{'' if met else 'not '}fulfilled: {restate(wish)}" for wish, met in held
        )
        value = score(sum(met for _, met in held), len(held), lowest=lowest)
        made.append(Score(option.id, member, value, reasons))
    return tuple(made)


def understood(
    meeting: Meeting,
    intents: Mapping[str, Intent],
    options: Sequence[Option],
    zones: Mapping[str, str],
) -> dict[str, tuple[Preference, ...]]:
    """What the reader makes of each member's restated preferences, each once.

    An agreement to one of `options` counts as an exact time even where no restatement words it.
    """
    made = {}
    for member in meeting.members:
        intent = intents.get(member, Intent(()))
        said = [p for text in intent.preferences for p in known(text, meeting.year)]
        agreed = [o for o in options if o.id == intent.agreed]
        if agreed and not any(isinstance(p, At) for p in said):
            here = meeting.slot(agreed[0].start).astimezone(ZoneInfo(zones[member]))
            said.append(At(time=f"{here:%H:%M}", date=here.date().isoformat()))
        made[member] = tuple(dict.fromkeys(said))
    return made


@lru_cache(maxsize=8192)
def known(text: str, year: int) -> tuple[Preference, ...]:
    """`read`, remembered: the same restatements return round after round."""
    return read(text, year=year)


def on_the_clock(meeting: Meeting, zones: Mapping[str, str]) -> View:
    """How members see a slot on their own clocks, without calendars."""
    return lambda member, start: situation(
        start, meeting.duration, meeting.sent_at, zones[member]
    )
