"""Who fills in a form: a persona that answers by rule, a language model or a person.

`await seat.answer(page)` gives the answers to one section, by item id. `sample` lets
many respondents fill in whole forms.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from support.errors import InvalidInput, MalformedReply
from support.models.profiles import MODEL, is_model
from support.seats import HUMAN, Act, ModelSeat, Role, Spoken, given_model
from support.survey.answers import tidy
from support.survey.instruments import (
    Instrument,
    Item,
    Section,
    cells_of,
    refusal,
    section_form,
)

if TYPE_CHECKING:
    import pandas as pd
    from pydantic import BaseModel

RULES = "rule-based"
Filled = dict[str, Any]
"""Answers by item id."""
Plan = Sequence[tuple[Instrument, str]]
"""The forms that one respondent fills in, in order, each with the group."""
TEXT = 300
"""Characters of a tight model's free text; others, and people, have more."""
WORDLESS = "(no words: a rule answered)"
TOKENS = {"text": 130, "multiple": 60}  # of a reply's room; 20 for any other item
NOISE = {5: 0.5, 7: 0.8}  # standard deviation of a rating, by the steps of its scale
GAIN = 0.5
RISING = ("comfort", "trust: acting", "reliance")
LINKED = ("reliance", "feature: control", "feature: explaining")
"""Constructs, by their beginning, that rise with time; that share a trait."""


@dataclass(frozen=True)
class Page:
    """A section of a form as one of a group gets it, after the answers `before`."""

    form: Instrument
    section: Section
    group: str
    before: Filled

    def wording(self, item: Item | Section) -> str:
        """The text of an item, or of the section, as the group reads it."""
        return self.form.wording(item.text, self.group)


@dataclass(frozen=True)
class Persona:
    """Who answers: traits that survey research knows to move answers on a scale.

    `leniency` raises or lowers all ratings (points, about -1 to 1), `acquiescence` raises
    agreement whatever the statement says; `attention` is the chance that an item is read,
    otherwise it is answered from the middle; `best`: options are judged by their mean (0)
    or by the best of them (1). `points` in time are the groups of the forms that one gets
    one after the other; what rises does so by `gain` points from each to the next.
    """

    leniency: float = 0.0
    acquiescence: float = 0.0
    attention: float = 1.0
    best: float = 0.5
    points: tuple[str, ...] = ()
    gain: float = GAIN


def draw_persona(
    rng: np.random.Generator, points: tuple[str, ...] = (), gain: float = GAIN
) -> Persona:
    """A persona drawn; our choice of plausible spreads, none of it fitted to people."""
    traits = rng.normal(0.0, 0.6), abs(rng.normal(0.0, 0.5)), rng.beta(8.0, 2.0)
    return Persona(*traits, rng.uniform(), points, gain)


# ---- by rule


class RuleBased:
    """Answers by rule; ratings say what the scenario holds, the rest nothing.

    A rating is what is seen + leniency + normal noise, plus acquiescence on agreement
    scales, rounded and kept within the scale. Seen is 1 + 4 x `signal` on five steps. On
    seven it is a planted truth: 4; plus `gain` for each point in time passed where the
    construct begins with one of `RISING`; plus a trait of the respondent (standard
    normal) where it begins with one of `LINKED`. Other choices are drawn evenly and
    numbers near the low end; texts are left blank, or say that there are no words. None
    of it was fitted to people.
    """

    kind = RULES

    def __init__(self, persona: Persona, rng: np.random.Generator) -> None:
        self.persona = persona
        self.rng = rng
        self.trait = float(rng.normal())

    async def answer(self, page: Page) -> Filled:
        """Answer every item of a section."""
        return {item.id: self._answer(item, page) for item in page.section.items}

    def _answer(self, item: Item, page: Page) -> Any:
        rng = self.rng
        values = [*item.choices]
        if item.kind == "likert5" or len(values) == 7:
            return self._rating(item, page)
        match item.kind:
            case "choice":
                return int(rng.choice(values))
            case "multiple":
                return [value for value in values if rng.random() < 0.5]
            case "number":
                share = rng.beta(1.0, 9.0)
                return float(round(item.low + (item.high - item.low) * share))
        return WORDLESS if item.required else ""

    def _rating(self, item: Item, page: Page) -> int:
        who = self.persona
        steps = len(item.choices)
        at = (1 + steps) / 2
        if self.rng.random() < who.attention:
            if steps == 5:
                at = 1 + 4 * signal(item.construct, page, who.best)
            if item.construct.startswith(RISING) and who.points:
                at += who.gain * who.points.index(page.group)
            if item.construct.startswith(LINKED):
                at += self.trait
        if item.scale == "agreement":
            at += who.acquiescence
        at += who.leniency + self.rng.normal(0.0, NOISE[steps])
        return int(np.clip(np.floor(at + 0.5), 1, steps))


def signal(construct: str, page: Page, best: float) -> float:
    """What there is to be seen of a construct, 0 (bad) to 1 (good).

    How well the options meet the wishes of the group's member, or everybody's (by `best`
    as `Persona` has it; confidence goes with the latter), and the share of sound reasons: of those about that member while
    only its wishes are known. 0.5 where there is nothing to be seen.
    """
    if page.form.scenario is None:
        return 0.5
    options = page.form.scenario.options
    everything = construct.endswith("all known")
    sound = [
        reason.sound
        for option in options
        for reason in option.reasons
        if everything or reason.about == page.group
    ]
    own = [option.fit[page.group] for option in options]
    all_of = [float(np.mean([*option.fit.values()])) for option in options]
    seen = {
        "consideration": own,
        "reflection": all_of,
        "confidence": all_of,
        "acceptability": [sum(sound) / len(sound)] if sound else [0.5],
    }.get(construct.split()[0], [0.5])
    return float(best * max(seen) + (1 - best) * np.mean(seen))


# ---- by a language model, or by a person


class Remembering(ModelSeat):
    """A model in one conversation a form: it reads its earlier answers again."""

    def messages(self, phase: str, *view: Any) -> list[dict[str, str]]:
        """The briefing, the sections before with their answers, and the question."""
        [page], said = view, list[tuple[str, str]]()
        for section in page.form.asked[: page.form.asked.index(page.section)]:
            given = {item.id: page.before[item.id] for item in section.items}
            answers = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
            earlier = replace(page, section=section)
            said.append(("user", self.question(self.acts[phase], earlier)))
            said.append(("assistant", answers))
        first, last = super().messages(phase, page)
        return [first, *({"role": who, "content": text} for who, text in said), last]


def _form(seat: Any, page: Page) -> type[BaseModel]:
    question = page.wording if seat.kind == HUMAN else None
    return section_form(page.section, seat.limits.text(TEXT), question)


def _room(seat: Any, page: Page) -> int:
    return 40 + sum(TOKENS.get(item.kind, 20) for item in page.section.items)


RESPONDENT = Role(
    "respondent",
    acts={
        "answer": Act(
            "survey/section",
            _form,
            lambda seat, page: {"page": page, "longest": seat.limits.text(TEXT)},
            made=lambda seat, reply, page: reply.model_dump(),
            room=_room,
            briefing="survey/respondent",
            told=lambda seat, page: {"page": page, "who": seat.own},
        )
    },
    kinds={RULES: lambda name, rng, own: RuleBased(own, rng)},
    mixture=(RULES,),
    speaker=Remembering,
)
"""`own` is a Persona, whose traits are told to a model in words; a person has none."""


# ---- whole forms, and samples of respondents


class Sample(NamedTuple):
    """Answers as `answers.tidy` has them, and why respondents are missing, by name."""

    answers: pd.DataFrame
    missing: dict[str, str]


async def filled_in(seat: Any, instrument: Instrument, group: str) -> Filled:
    """A whole form, section by section.

    A person is asked about eligibility and consent, and a refusal ends the form; for
    whoever is simulated they are passed.
    """
    person = seat.kind == HUMAN
    filled: Filled = {}
    for section in instrument.sections if person else instrument.asked:
        filled |= await seat.answer(Page(instrument, section, group, dict(filled)))
        if refusal(section, filled):
            break
    return filled


async def sample(
    plans: Sequence[Plan],
    rng: np.random.Generator,
    kind: str = RULES,
    spoken: Spoken | None = None,
    gain: float = GAIN,
) -> Sample:
    """Let respondents of one kind fill in their forms, all at once.

    Each has a persona of its own, also where it is a model, which does not remember
    earlier forms: the title alone says which point in time it is. Who gives no reply
    that fits is missing. The same generator gives the same answers of rules.
    """
    if kind == HUMAN:
        told = "people fill in a form of their own (support.labs.survey)"
        raise InvalidInput(f"kind: {kind!r} given; {told}")
    spoken = spoken or Spoken()
    rows = dict[int, list[Any]]()
    missing = dict[str, str]()

    async def ask(place: int, own: np.random.Generator) -> None:
        """Let one respondent fill in all its forms."""
        points = tuple(dict.fromkeys(group for _, group in plans[place]))
        persona = draw_persona(own, points, gain)
        who = f"respondent {place + 1}"
        seat = _seat(kind, own, persona, replace(spoken, repetition=place), who)
        source = f"simulated: {seat.kind.removeprefix(f'{MODEL}:')}"
        rows[place] = []
        try:
            for form, group in plans[place]:
                about = form.name, who, group, source
                cells = cells_of(form, await filled_in(seat, form, group))
                rows[place] += [(*about, *cell) for cell in cells]
        except MalformedReply as error:
            rows[place], missing[who] = [], str(error)

    streams = rng.spawn(len(plans))
    await asyncio.gather(*map(ask, range(len(plans)), streams))
    return Sample(tidy(chain.from_iterable(rows.values())), missing)


def _seat(
    kind: str, rng: np.random.Generator, persona: Persona, spoken: Spoken, who: str
) -> Any:
    if not is_model(kind):
        return RESPONDENT.seat(kind, rng, persona, spoken, who)
    seed = int(rng.integers(2**31 - 1)) if spoken.temperature else 0
    model = given_model(kind, spoken.model, who)
    acts = RESPONDENT.acts
    return Remembering(model, acts, persona, me=who, seed=seed, spoken=spoken)
