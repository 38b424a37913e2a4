"""Respondents who fill in several forms at several points in time, each under one code, with a planted truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from support.errors import InvalidInput
from support.instruments import Instrument, Item, Scenario
from support.participants.respondents.language_model import ModelRespondent
from support.participants.respondents.personas import Persona, draw_persona
from support.participants.respondents.protocol import Filled, Respondent
from support.participants.respondents.rule_based import RuleBasedRespondent

if TYPE_CHECKING:
    from support.models.model import ChatModel

STEPS, MIDDLE, NOISE = 7, 4.0, 0.8
GAIN = 0.5
"""Points by which what rises rises from one point in time to the next."""
RISING = ("comfort", "trust: acting", "reliance")
LINKED = ("reliance", "feature: control", "feature: explaining")
"""Constructs, by their beginning, that rise with time; and that share a trait of the respondent."""
MAX_SEED = 2**31 - 1


class CodedBook(Protocol):
    """Where forms go: `support.answers.AnswerBook`, which lies above this room."""

    def submit(
        self,
        instrument: Instrument,
        group: str,
        answers: Filled,
        *,
        source: str,
        code: str | None = None,
        rng: np.random.Generator | None = None,
    ) -> str:
        """Keep a form, under `code` or one drawn with `rng`, and return its code."""
        ...


class RepeatedRespondent(RuleBasedRespondent):
    """Answers 7-point items by rule, at one point after the other.

    An answer is 4 + leniency + normal noise (sd 0.8); plus `gain` for each point passed where its construct begins
    with one of `RISING`; plus a trait of the respondent (standard normal) where it begins with one of `LINKED`;
    rounded and kept within 1 to 7. Items that are not read (see `Persona.attention`) get the middle and the noise.
    So it is known what an analysis should find. None of it was fitted to people, nor to any published number.

    Parameters
    ----------
    points : sequence of str
        In order: the groups of the instruments that it will be given.
    gain : float
        0 for a respondent whom nothing changes.
    """

    def __init__(self, persona: Persona, rng: np.random.Generator, points: Sequence[str], gain: float = GAIN) -> None:
        super().__init__(persona, rng)
        self.points, self.gain = tuple(points), gain
        self.trait = float(rng.normal())

    def expected(self, construct: str, point: str) -> float:
        """The answer before noise and rounding, of one who reads the item."""
        if point not in self.points:
            raise InvalidInput(f"point: {point!r} given; this respondent was made for {', '.join(self.points)}")
        rises = self.gain * self.points.index(point) if construct.startswith(RISING) else 0.0
        return MIDDLE + self.persona.leniency + rises + (self.trait if construct.startswith(LINKED) else 0.0)

    def _answer(self, item: Item, scenario: Scenario | None, group: str, ratings: list[int]) -> Any:
        if len(item.choices) != STEPS:
            return super()._answer(item, scenario, group, ratings)
        read = self.rng.random() < self.persona.attention
        at = (self.expected(item.construct, group) if read else MIDDLE) + self.rng.normal(0.0, NOISE)
        return int(np.clip(np.floor(at + 0.5), 1, STEPS))


async def simulate_repeated(
    forms: Sequence[Instrument],
    book: CodedBook,
    n: int,
    rng: np.random.Generator,
    model: ChatModel | str | None = None,
    gain: float = GAIN,
) -> list[str]:
    """Let n respondents fill in all forms, one after the other; return their codes.

    A form is stored when it is complete, so that a failure later on loses none of the earlier ones.

    Parameters
    ----------
    forms : sequence of Instrument
        In the order in which one person gets them, each of one group, which names the point: see
        `support.analysis.user_study.points.questionnaires`.
    model : ChatModel or str, optional
        Answers in the place of rules. It does not remember earlier forms: the title alone says which point it is.
    gain : float
        As for `RepeatedRespondent`.

    Raises
    ------
    InvalidInput
        When n does not fit, or a form has several groups.
    ModelError
        When the model gives no usable reply.
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InvalidInput(f"n: {n!r} given; expected a whole number from 1 up")
    if several := [form.name for form in forms if len(form.groups) != 1]:
        raise InvalidInput(f"forms: {', '.join(several)} has several groups; give a form for each point")
    points = list(dict.fromkeys(form.groups[0] for form in forms))
    codes = []
    for place, child in enumerate(rng.spawn(n)):
        seat, code = _seat(child, points, gain, model, place), None
        for form in forms:
            filled = await seat.fill(form, form.groups[0])
            code = book.submit(form, form.groups[0], filled, source=seat.source, code=code, rng=rng)
        codes += [code] if code else []
    return codes


def _seat(
    rng: np.random.Generator, points: list[str], gain: float, model: ChatModel | str | None, place: int
) -> Respondent:
    persona = draw_persona(rng)
    if model is None:
        return RepeatedRespondent(persona, rng, points, gain)
    return ModelRespondent(model, persona, seed=int(rng.integers(MAX_SEED)), repetition=place)
