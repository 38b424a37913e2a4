"""The rule-based respondent: reads the scenario's truth through its traits, and rounds to the scale."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from support.instruments import Instrument, Item, Scenario
from support.participants.respondents.personas import Persona
from support.participants.respondents.protocol import Filled, passed

MIDDLE = 3.0
NOISE = 0.5
TICK = 0.5


class RuleBasedRespondent:
    """Answers by rule.

    A rating is 1 + 4 x signal + leniency + normal noise (sd 0.5), plus acquiescence on agreement scales, rounded and
    kept within 1 to 5. The signal, 0 to 1, is read off the scenario: how well the options meet the wishes of the
    group's member, how many of the reasons are sound (of those about that member while only its wishes are known),
    how well the options meet everybody's wishes. Confidence follows the ratings given before. An item that is not
    read (see `Persona.attention`) is answered from the middle. Other choices are drawn evenly, texts come from
    templates, and numbers lie near the low end: they say nothing about people, and the source says so.

    Parameters
    ----------
    persona : Persona
        The traits.
    rng : Generator
        Draws noise, choices and wordings.
    """

    source = "simulated: rule-based"

    def __init__(self, persona: Persona, rng: np.random.Generator) -> None:
        self.persona, self.rng = persona, rng

    async def fill(self, instrument: Instrument, group: str) -> Filled:
        """Answer every item from the perspective of a group."""
        instrument.check_group(group)
        filled, ratings = passed(instrument), list[int]()
        for section in instrument.asked:
            for item in section.items:
                filled[item.id] = self._answer(item, instrument.scenario, group, ratings)
                ratings += [filled[item.id]] if item.kind == "likert5" else []
        return filled

    def rating(self, item: Item, signal: float) -> int:
        """The step of a 5-point item for a signal of 0 to 1."""
        p = self.persona
        read = self.rng.random() < p.attention
        shift = p.leniency + (p.acquiescence if item.scale == "agreement" else 0.0)
        at = (1 + 4 * signal if read else MIDDLE) + shift + self.rng.normal(0.0, NOISE)
        return int(np.clip(np.floor(at + 0.5), 1, 5))

    def _answer(self, item: Item, scenario: Scenario | None, group: str, ratings: list[int]) -> Any:
        if item.kind == "likert5":
            return self.rating(item, signal(item.construct, scenario, group, self.persona.best, ratings))
        if item.kind == "choice":
            return int(self.rng.choice([choice.value for choice in item.choices]))
        if item.kind == "multiple":
            return [choice.value for choice in item.choices if self.rng.random() < TICK] or [item.choices[0].value]
        if item.kind == "number":
            return float(np.round(item.low + (item.high - item.low) * self.rng.beta(1.0, 9.0)))
        return self._words(item, ratings)

    def _words(self, item: Item, ratings: list[int]) -> str:
        tone = "neutral" if not ratings else "low" if ratings[-1] < 3 else "high" if ratings[-1] > 3 else "neutral"
        known = _wordings().get(item.construct, _wordings()["other"])
        return str(self.rng.choice(known[tone])) if item.required or self.rng.random() < TICK else ""


def signal(construct: str, scenario: Scenario | None, group: str, best: float, ratings: list[int]) -> float:
    """What there is to be seen about a construct, 0 (bad) to 1 (good); 0.5 where the scenario says nothing about it.

    `best` weighs the best option against the mean of all, as `Persona.best` says; `ratings` were given before.
    """
    if construct == "confidence in the coordinator" and ratings:
        return float((np.mean(ratings) - 1) / 4)
    if scenario is None:
        return 0.5
    reasons = [reason for option in scenario.options for reason in option.reasons]
    if construct.startswith("consideration of own preferences"):
        return _judged([option.fit[group] for option in scenario.options], best)
    if construct == "reflection of all preferences":
        return _judged([float(np.mean(list(option.fit.values()))) for option in scenario.options], best)
    if construct == "acceptability of reasons":
        reasons = [reason for reason in reasons if reason.about == group]
    elif construct != "acceptability of reasons, all known":
        return 0.5
    return float(np.mean([reason.sound for reason in reasons])) if reasons else 0.5


def _judged(values: list[float], best: float) -> float:
    return best * max(values) + (1 - best) * float(np.mean(values))


@cache
def _wordings() -> dict[str, dict[str, list[str]]]:
    text = files("support.participants.respondents").joinpath("wordings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
