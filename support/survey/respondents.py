"""Who fills in a form: a persona that answers by rule, a language model or a person; and whole samples of them.

`await seat.answer(page)` gives the answers to one section of a form, by item id, as `check_form` takes them.
"""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from support.errors import InvalidInput
from support.models.profiles import MODEL, is_model
from support.seats import (
    HUMAN,
    TEMPERATURE,
    Act,
    Ask,
    ModelSeat,
    Role,
    Spoken,
    form,
    given_model,
)
from support.survey.answers import PEOPLE, SIMULATED, AnswerBook
from support.survey.instruments import (
    Instrument,
    Item,
    Scenario,
    Section,
    cells_of,
    check_section,
    refusal,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.model import ChatModel

RULES = "rule-based"
Filled = dict[str, Any]
TEXT = 300
"""Characters of a tight model's free text; others, and people, have more."""
EACH, FRAME, TOKENS = 20, 40, {"text": 110, "multiple": 40}  # of a reply's room
MAX_SEED = 2**31 - 1
MIDDLE, NOISE, TICK = 3.0, 0.5, 0.5
STEPS, STEPS_MIDDLE, STEPS_NOISE, GAIN = 7, 4.0, 0.8, 0.5
RISING = ("comfort", "trust: acting", "reliance")
LINKED = ("reliance", "feature: control", "feature: explaining")
"""Constructs, by their beginning, that rise with time; and that share a trait of the respondent."""


@dataclass(frozen=True)
class Page:
    """A section of a form as a respondent of a group gets it, after the answers `before`."""

    form: Instrument
    section: Section
    group: str
    before: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Persona:
    """Who answers: a few traits that survey research knows to move answers on a scale."""

    leniency: float = (
        0.0  # points by which all ratings are raised or lowered: about -1 to 1
    )
    acquiescence: float = 0.0  # points by which agreement is raised whatever the statement says, from 0 up
    attention: float = 1.0  # the chance that an item is read; otherwise the answer comes from the middle of the scale
    best: float = 0.5  # how options are judged: by their mean (0) or by the best of them alone (1)
    points: tuple[
        str, ...
    ] = ()  # in time, in order: the groups of the forms that one person gets one after the other
    gain: float = GAIN  # points by which what rises rises from one of them to the next; 0 where nothing changes


def draw_persona(
    rng: np.random.Generator, points: tuple[str, ...] = (), gain: float = GAIN
) -> Persona:
    """A persona: leniency normal (sd 0.6), acquiescence half-normal (0.5), attention beta(8, 2), best uniform.

    Our choice, for a control group with plausible spread; none of it was fitted to people.
    """
    normal, half = float(rng.normal(0.0, 0.6)), float(abs(rng.normal(0.0, 0.5)))
    return Persona(
        normal, half, float(rng.beta(8.0, 2.0)), float(rng.uniform()), points, gain
    )


# ---- by rule ---------------------------------------------------------------------------------------------------------


class RuleBased:
    """Answers by rule.

    A rating of five steps is 1 + 4 x signal + leniency + normal noise (sd 0.5), plus acquiescence on agreement scales,
    rounded and kept within 1 to 5. The signal, 0 to 1, is read off the scenario: how well the options meet the wishes
    of the group's member, how many of the reasons are sound (of those about that member while only its wishes are
    known), how well the options meet everybody's wishes. Confidence follows the ratings given before. An item that is
    not read (see `Persona.attention`) is answered from the middle.

    With points in time, a rating of seven steps has a planted truth: 4 + leniency + normal noise (sd 0.8); plus `gain`
    for each point passed where its construct begins with one of `RISING`; plus a trait of the respondent (standard
    normal) where it begins with one of `LINKED`; rounded and kept within 1 to 7. None of it was fitted to people, nor
    to any published number.

    Other choices are drawn evenly, texts come from templates, and numbers lie near the low end: they say nothing about
    people, and the source says so.
    """

    kind = RULES

    def __init__(self, persona: Persona, rng: np.random.Generator) -> None:
        self.persona, self.rng = persona, rng
        self.trait = float(rng.normal()) if persona.points else 0.0

    async def answer(self, page: Page) -> Filled:
        """Answer every item of a section."""
        items = page.form.items
        rated = [
            value
            for name, value in page.before.items()
            if items[name].kind == "likert5"
        ]
        filled: Filled = {}
        for item in page.section.items:
            filled[item.id] = self._answer(item, page, rated)
            rated += [filled[item.id]] if item.kind == "likert5" else []
        return filled

    def expected(self, construct: str, point: str) -> float:
        """The answer of seven steps before noise and rounding, of one who reads the item."""
        who = self.persona
        if point not in who.points:
            raise InvalidInput(
                f"point: {point!r} given; this respondent was made for {', '.join(who.points)}"
            )
        rises = (
            who.gain * who.points.index(point) if construct.startswith(RISING) else 0.0
        )
        return (
            STEPS_MIDDLE
            + who.leniency
            + rises
            + (self.trait if construct.startswith(LINKED) else 0.0)
        )

    def _answer(self, item: Item, page: Page, rated: list[int]) -> Any:
        rng = self.rng
        if item.kind == "likert5":
            return self._rating(
                item,
                signal(
                    item.construct,
                    page.form.scenario,
                    page.group,
                    self.persona.best,
                    rated,
                ),
            )
        if self.persona.points and len(item.choices) == STEPS:
            read = rng.random() < self.persona.attention
            at = self.expected(item.construct, page.group) if read else STEPS_MIDDLE
            return _step(at + rng.normal(0.0, STEPS_NOISE), STEPS)
        if item.kind == "choice":
            return int(rng.choice([choice.value for choice in item.choices]))
        if item.kind == "multiple":
            return [choice.value for choice in item.choices if rng.random() < TICK] or [
                item.choices[0].value
            ]
        if item.kind == "number":
            return float(
                np.round(item.low + (item.high - item.low) * rng.beta(1.0, 9.0))
            )
        tone = (
            "neutral"
            if not rated or rated[-1] == MIDDLE
            else "low"
            if rated[-1] < MIDDLE
            else "high"
        )
        known = _wordings().get(item.construct, _wordings()["other"])
        return (
            str(rng.choice(known[tone])) if item.required or rng.random() < TICK else ""
        )

    def _rating(self, item: Item, signal: float) -> int:
        who = self.persona
        read = self.rng.random() < who.attention
        shift = who.leniency + (who.acquiescence if item.scale == "agreement" else 0.0)
        return _step(
            (1 + 4 * signal if read else MIDDLE) + shift + self.rng.normal(0.0, NOISE),
            5,
        )


def signal(
    construct: str, scenario: Scenario | None, group: str, best: float, rated: list[int]
) -> float:
    """What there is to be seen about a construct, 0 (bad) to 1 (good); 0.5 where the scenario says nothing about it.

    `best` weighs the best option against the mean of all, as `Persona.best` says; `rated` are the ratings before.
    """
    if construct == "confidence in the coordinator" and rated:
        return float((np.mean(rated) - 1) / 4)
    if scenario is None:
        return 0.5
    reasons = [reason for option in scenario.options for reason in option.reasons]
    if construct.startswith("consideration of own preferences"):
        return _judged([option.fit[group] for option in scenario.options], best)
    if construct == "reflection of all preferences":
        return _judged(
            [float(np.mean(list(option.fit.values()))) for option in scenario.options],
            best,
        )
    if construct == "acceptability of reasons":
        reasons = [reason for reason in reasons if reason.about == group]
    elif construct != "acceptability of reasons, all known":
        return 0.5
    return float(np.mean([reason.sound for reason in reasons])) if reasons else 0.5


def _judged(values: list[float], best: float) -> float:
    return best * max(values) + (1 - best) * float(np.mean(values))


def _step(at: float, steps: int) -> int:
    return int(np.clip(np.floor(at + 0.5), 1, steps))


@cache
def _wordings() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(
        files("support.survey").joinpath("wordings.toml").read_text(encoding="utf-8")
    )


# ---- by a language model, or by a person -----------------------------------------------------------------------------


class Remembering(ModelSeat):
    """A model in one conversation a form: it is asked section by section, and reads its earlier answers again."""

    def messages(self, phase: str, *view: Any) -> list[dict[str, str]]:
        """The briefing, the sections before with their answers, and the question."""
        [page], said, act = view, [], self.acts[phase]
        for section in page.form.asked[: page.form.asked.index(page.section)]:
            given = {item.id: page.before[item.id] for item in section.items}
            answers = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
            said += [{"role": "user", "content": self.question(act, replace(page, section=section))},
                     {"role": "assistant", "content": answers}]  # fmt: skip
        first, last = super().messages(phase, page)
        return [first, *said, last]


def section_form(section: Section, longest: int = TEXT) -> type[BaseModel]:
    """The form of a reply to a section: a field for each item, every string and list bounded."""
    return form("Answers", **{item.id: _field(item, longest) for item in section.items})


def _field(item: Item, longest: int) -> Any:
    from pydantic import AfterValidator, Field

    # Grammars hold a reply to types and lengths; what they cannot say goes back to the model as a complaint.
    fits = AfterValidator(lambda value: _fitting(item, value))
    if item.kind == "text":
        return Annotated[
            str, Field(min_length=int(item.required), max_length=longest), fits
        ]
    if item.kind == "number":
        return Annotated[float, Field(ge=item.low, le=item.high), fits]
    one = Literal[tuple(choice.value for choice in item.choices)]  # type: ignore[valid-type]
    return (
        Annotated[list[one], Field(max_length=len(item.choices)), fits]  # type: ignore[valid-type]
        if item.kind == "multiple"
        else one
    )


def _fitting(item: Item, value: Any) -> Any:
    if item.kind == "multiple":
        value = list(dict.fromkeys(value))  # a box that is ticked twice is ticked
    if not list(cells_of(item, value)) and item.required:
        raise InvalidInput(f"{item.id}: nothing given; expected an answer")
    return value


def _told(seat: ModelSeat, page: Page) -> Filled:
    """What it takes part in, whose part it takes, and what it is like."""
    scenario, traits = (
        page.form.scenario,
        ("leniency", "acquiescence", "attention", "best"),
    )
    member = scenario.member(page.group).name if scenario else ""
    return {
        "title": page.form.title,
        "member": member,
        **{name: getattr(seat.own, name) for name in traits},
    }


def _facts(seat: ModelSeat, page: Page) -> Filled:
    """A section as the model reads it: what it shows of the scenario, and its items with their choices."""
    scenario, section, shows = page.form.scenario, page.section, page.section.shows
    members = scenario.members if scenario and "all wishes" in shows else ()
    if scenario and "own wishes" in shows:
        members = (scenario.member(page.group),)
    return {
        "title": section.title,
        "text": page.form.wording(section.text, page.group),
        "invitation": scenario.invitation if scenario and "invitation" in shows else "",
        "members": members,
        "options": scenario.options if scenario and "options" in shows else (),
        "names": {member.group: member.name for member in scenario.members}
        if scenario
        else {},
        "items": [
            (item, page.form.wording(item.text, page.group)) for item in section.items
        ],
        "longest": seat.limits.text(TEXT),
    }


def _checked(seat: Any, given: Mapping[str, Any] | None, page: Page) -> Filled:
    check_section(page.section, given or {})
    return {item.id: (given or {}).get(item.id) for item in page.section.items}


RESPONDENT = Role(
    "respondent",
    acts={
        "answer": Act(
            "survey/section",
            lambda seat, page: section_form(page.section, seat.limits.text(TEXT)),
            _facts,
            made=lambda seat, reply, page: reply.model_dump(),
            room=lambda seat, page: (
                FRAME
                + sum(EACH + TOKENS.get(item.kind, 0) for item in page.section.items)
            ),
            briefing="survey/respondent",
            told=_told,
        )
    },
    asks={"answer": Ask(_checked)},
    kinds={RULES: lambda name, rng, own: RuleBased(own, rng)},
    speaker=Remembering,
)
"""`own` is a Persona, whose traits are told to a model in words; one with none at temperature 0 answers alike."""


# ---- whole forms, and samples of respondents -------------------------------------------------------------------------


async def filled_in(seat: Any, instrument: Instrument, group: str) -> Filled:
    """A whole form, section by section. A person is asked about eligibility and consent, and a refusal ends the form;
    for whoever is simulated they are passed.
    """
    instrument.check_group(group)
    person = seat.kind == HUMAN
    passed = {
        name: item.passes
        for name, item in instrument.items.items()
        if item.passes is not None
    }
    filled: Filled = {} if person else passed
    for section in instrument.sections if person else instrument.asked:
        filled |= await seat.answer(Page(instrument, section, group, dict(filled)))
        if refusal(section, filled):
            break
    return filled


async def simulate(
    instrument: Instrument,
    book: AnswerBook,
    per_group: int,
    rng: np.random.Generator,
    model: ChatModel | str | None = None,
    *,
    seats: Any = None,
    temperature: float = TEMPERATURE,
    prompts: str | Path | None = None,
) -> list[str]:
    """Let `per_group` respondents of each group fill in an instrument; return their codes, group by group.

    Every form is stored as soon as it and those before it are complete, so that a failure later on loses none of them.
    The same generator gives the same forms; with a model, as far as its seed is heeded or its replies are kept. `seats`
    is the kind of all of them: "rule-based", "model:NAME", "human"; by default `model` where one is given, else rules.
    Forms carry the source "simulated: rule-based", "simulated: " and the model's name, or "people".
    """
    _check_count("per_group", per_group)
    plans = [
        [(instrument, group)] for group in instrument.groups for _ in range(per_group)
    ]
    taken = _seated(len(plans), rng, seats, Spoken(model, temperature, prompts=prompts))
    return await _collected(book, taken, plans, rng)


async def simulate_repeated(
    forms: Sequence[Instrument],
    book: AnswerBook,
    n: int,
    rng: np.random.Generator,
    model: ChatModel | str | None = None,
    gain: float = GAIN,
    *,
    seats: Any = None,
    temperature: float = TEMPERATURE,
    prompts: str | Path | None = None,
) -> list[str]:
    """Let n respondents fill in all forms, one after the other, each under one code; return the codes.

    `forms` come in the order in which one person gets them, each of one group, which names the point in time (see
    `support.analysis.user_study.questionnaires`); `gain` is that of the planted truth of `RuleBased`; the rest
    is as for `simulate`. A model does not remember earlier forms: the title alone says which point it is.
    """
    _check_count("n", n)
    if several := [each.name for each in forms if len(each.groups) != 1]:
        raise InvalidInput(
            f"forms: {', '.join(several)} has several groups; give a form for each point"
        )
    plan = [(each, each.groups[0]) for each in forms]
    points = tuple(dict.fromkeys(point for _, point in plan))
    taken = _seated(
        n, rng, seats, Spoken(model, temperature, prompts=prompts), points, gain
    )
    return await _collected(book, taken, [plan] * n, rng)


def _seated(
    count: int, rng: np.random.Generator, kind: Any, spoken: Spoken, *told: Any
) -> list[Any]:
    """Respondents with personas of their own; `repetition` tells those of one model apart in the cache."""
    kind = kind or (RULES if spoken.model is None else MODEL)
    seats = []
    for place, own in enumerate(rng.spawn(count)):
        persona, who, spoken = (
            draw_persona(own, *told),
            f"respondent {place + 1}",
            replace(spoken, repetition=place),
        )
        if is_model(kind):
            model, seed = (
                given_model(kind, spoken.model, f"the seat of {who}"),
                int(own.integers(MAX_SEED)) if spoken.temperature else 0,
            )
            seats.append(
                Remembering(
                    model, RESPONDENT.acts, persona, me=who, seed=seed, spoken=spoken
                )
            )
        else:
            seats.append(RESPONDENT.seat(kind, own, persona, spoken, who))
    return seats


async def _collected(
    book: AnswerBook,
    seats: Sequence[Any],
    plans: Sequence[Sequence[tuple[Instrument, str]]],
    rng: np.random.Generator,
) -> list[str]:
    """Everybody at once, the forms of one person one after the other; they are stored in the order of `seats`."""

    async def after(before: asyncio.Task | None, *asked: Any) -> Filled:
        if before is not None:
            await before
        return await filled_in(*asked)

    tasks: list[list[asyncio.Task]] = []
    for seat, plan in zip(seats, plans, strict=True):
        tasks.append([])
        for asked in plan:
            tasks[-1].append(
                asyncio.ensure_future(
                    after(tasks[-1][-1] if tasks[-1] else None, seat, *asked)
                )
            )
    codes = []
    try:
        for seat, plan, mine in zip(seats, plans, tasks, strict=True):
            source, code = (
                PEOPLE
                if seat.kind == HUMAN
                else SIMULATED + seat.kind.removeprefix(f"{MODEL}:"),
                None,
            )
            for (each, group), task in zip(plan, mine, strict=True):
                filled = await task
                if why := next(
                    (
                        why
                        for section in each.sections
                        if (why := refusal(section, filled))
                    ),
                    None,
                ):
                    book.refuse(each, why, source=source)  # only that fact is kept
                else:
                    code = book.submit(
                        each, group, filled, source=source, code=code, rng=rng
                    )
            codes += [code] if code else []
    finally:
        every = [task for mine in tasks for task in mine]
        for task in every:
            task.cancel()
        await asyncio.gather(
            *every, return_exceptions=True
        )  # so that no failure is left unheard behind the first
    return codes


def _check_count(name: str, given: Any) -> None:
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise InvalidInput(
            f"{name}: {given!r} given; expected a whole number from 1 up"
        )
