"""A speaker who is a person: the seat waits on a queue of questions, which a widget (or a test) answers.

Somebody who was invited, played by a language model from what is told of them; the prompts are ours (C.3 of 002).

Who takes the seat of each of the people on an organiser's list.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from support.errors import InvalidInput
from support.participants.asking import Asker, words
from support.participants.human import Question
from support.participants.seating import MakerOf, SeatsOf, check_own, check_settings, drawn_seed, fill
from support.prompts import render
from support.seminar.data import Persona, Scenario
from support.seminar.forms import SUBJECT
from support.seminar.records import ORGANISER
from support.seminar.replies import Truth
from support.seminar.speakers import RuleBasedSpeaker, Speaker
from support.seminar.told import dates, mails
from support.seminar.views import ANSWER, LATER, RESPONSES, Letter, Response

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.model import ChatModel


MOST = 4000
"""Characters of a reply; language models that read it have small contexts."""


class Reply(Question):
    """A mail to answer; `view` is the `Letter`."""

    def answer(self, value: Any) -> None:
        """Give the answer: words, a `Response`, the day of the run on which to be asked again, or None for nothing.

        Raises
        ------
        InvalidInput
            When the value does not fit, saying why, or when the mail was answered before.
        """
        if self._given or self._answer.done():
            raise InvalidInput(
                f"answer: the mail of day {self.view.day} was answered already; wait for the next question"
            )
        super().answer(value)


class HumanSpeaker:
    """A person who is asked when it suits; see `Reply` for what they may answer.

    Parameters
    ----------
    me : str
        The name of the person whose seat it is.
    """

    kind = "human"

    def __init__(self, me: str) -> None:
        self.me = me
        self.questions: asyncio.Queue[Reply] = asyncio.Queue()

    async def answer(self, letter: Letter) -> Response:
        """What the person does; an answer that does not fit is refused, and the question stays open."""
        question = Reply("answer", letter, partial(checked_response, letter))
        await self.questions.put(question)
        response: Response = await question.wait()
        return response


def checked_response(letter: Letter, value: Any) -> Response:
    """What was typed, as a response to the letter.

    Raises
    ------
    InvalidInput
        On a reply without words or with too many, a day that is not ahead, or something else altogether.

    Examples
    --------
    >>> from datetime import date
    >>> letter = Letter("Ana Ray", "Noor", 3, date(2027, 8, 18), (), ())
    >>> checked_response(letter, " Gladly. ").body, checked_response(letter, 5).until
    ('Gladly.', 5)
    """
    if value is None:
        return Response(LATER)
    if isinstance(value, int) and not isinstance(value, bool):
        return Response(LATER, until=_ahead(letter, value))
    if isinstance(value, str):
        subject = letter.latest.subject if letter.latest else ""
        return Response(ANSWER, f"Re: {subject}".strip(), _words(value))
    if not isinstance(value, Response) or value.kind not in RESPONSES:
        raise InvalidInput(f"answer: {value!r} given; expected words, a day, a Response, or None for nothing")
    until = None if value.until is None else _ahead(letter, value.until)
    return value if value.kind == LATER else Response(value.kind, value.subject, _words(value.body), until, value.meant)


def _ahead(letter: Letter, until: int) -> int:
    if until <= letter.day:
        raise InvalidInput(f"answer: day {until} given; expected a day after today, which is day {letter.day}")
    return until


def _words(text: str) -> str:
    if not text.strip():
        raise InvalidInput(f"answer: {text!r} given; expected words, or None to leave the mail unanswered")
    if len(text.strip()) > MOST:
        raise InvalidInput(f"answer: {len(text.strip())} characters given; expected at most {MOST}, please shorten it")
    return text.strip()


BODY = 900  # characters of a tight model's reply
FURTHEST = 60  # days ahead to which somebody may put an answer off


class LanguageModelSpeaker(Asker):
    """Answers, asks, or waits, as the persona would.

    How soon, how often and how vaguely somebody answers is told in words: nothing makes the model keep to it. What it
    means is in its text alone (`Response.meant` is empty).

    Parameters
    ----------
    model : ChatModel or str
    persona : Persona
    suits : sequence of date, optional
        The dates that suit them; by default the model makes that up, told the persona's `share`.
    **settings
        See `Asker`.
    """

    def __init__(
        self, model: ChatModel | str, persona: Persona, *, suits: Sequence[date] | None = None, **settings: Any
    ) -> None:
        super().__init__(model, **settings)
        self.persona, self.suits = persona, suits

    async def answer(self, letter: Letter) -> Response:
        """What they do about the latest mail; nothing is asked of the model while there is none.

        Raises
        ------
        MalformedReply
            When the reply is no action, waits for a day that is over, or writes nothing, and again after two repairs.
        """
        if letter.latest is None:
            return Response(LATER)
        briefing, question = self.briefing(letter), self.question(letter)
        form = response_form(letter.day, self.limits.text(BODY))
        reply = await self.ask_model(form, SUBJECT + BODY + 60, question, briefing)
        if reply.action == LATER:
            return Response(LATER, until=reply.until)
        return Response(reply.action, " ".join(reply.subject.split()), reply.body.strip())

    def briefing(self, letter: Letter) -> str:
        """Who the model is."""
        who = self.persona
        return render(
            "organizing/speaker",
            me=who.name,
            role=who.role,
            field=who.field,
            affiliation=who.affiliation,
            organiser=letter.organiser,
            description=who.description,
            style=who.style,
            constraints=who.constraints,
            pace=_pace(who.days),
            patience=_patience(who),
            certainty=_certainty(who.vague),
            limit=who.limit,
            share=f"{who.share:.0%}",
            suits=None if self.suits is None else dates(self.suits),
            issue=who.issue,
        )

    def question(self, letter: Letter) -> str:
        """What has come, and what the model may do."""
        return render(
            "organizing/speaker_turn",
            me=self.persona.name,
            day=letter.day,
            today=dates([letter.today]),
            organiser=letter.organiser,
            received=sum(mail.sender == ORGANISER for mail in letter.thread),
            offered=dates(letter.offered),
            given=dates(letter.given),
            thread=mails(letter.thread, self.shown),
            words=words(self.limits, self.limits.text(BODY)),
        )


@cache
def response_form(day: int, most: int = BODY) -> type[BaseModel]:
    """{"action", "until", "subject", "body"}: who waits names a later day or null, who writes has something to say."""
    from pydantic import Field, create_model, model_validator

    def fitting(self: Any) -> Any:
        if self.action == LATER and self.until is not None and not day < self.until <= day + FURTHEST:
            raise ValueError(f"until: {self.until} given; expected null or a day from {day + 1} to {day + FURTHEST}")
        if self.action != LATER and not (self.subject.strip() and self.body.strip()):
            raise ValueError(f"{self.action}: no subject or no body given; expected both, or the action {LATER!r}")
        return self

    check: Any = model_validator(mode="after")(fitting)
    action: Any = Literal["reply", "ask", "wait"]
    return create_model(
        "SpeakerReply",
        __validators__={"fitting": check},
        action=(action, ...),
        until=(int | None, ...),
        subject=(str, Field(max_length=SUBJECT)),
        body=(str, Field(max_length=most)),
    )


def _pace(days: int) -> str:
    if days == 0:
        return "You answer on the day on which a mail comes."
    return f"You answer a mail after about {days} working day{'' if days == 1 else 's'}, seldom before."


def _patience(who: Persona) -> str:
    first = {1: "The first mail is enough for you.", 2: "The first mail drowns; you answer the second."}
    usual = first.get(who.needs, f"It takes {who.needs} mails before you answer for the first time.")
    return f"{usual} Of ten mails you forget about {round(10 * who.forgets)} for good."


def _certainty(vague: float) -> str:
    if vague < 0.15:
        return "You say clearly which dates suit you."
    often = "Now and then" if vague < 0.35 else "Often"
    return f"{often} you name a date vaguely, with a perhaps."


Seats = SeatsOf[Speaker]
Maker = MakerOf[Speaker]

RULE_BASED, PROMPT, SLOW, VAGUE = "rule-based", "prompt", "slow", "vague"
VARIATIONS: Mapping[str, Callable[[Persona], Persona]] = {
    RULE_BASED: lambda persona: persona,
    PROMPT: lambda persona: replace(persona, days=0, needs=1, forgets=0.0),
    SLOW: lambda persona: replace(persona, days=persona.days + 3, needs=max(persona.needs, 2)),
    VAGUE: lambda persona: replace(persona, vague=max(persona.vague, 0.7)),
}
"""Rule-based people: as their personas say; at once and always; three working days later, reminded; mostly vague."""


def seat_speakers(
    scenario: Scenario,
    kinds: Seats,
    rng: np.random.Generator,
    *,
    model: ChatModel | str | None = None,
    temperature: float = 0.0,
    repetition: int = 0,
) -> dict[str, Speaker]:
    """Seat one participant for each of a scenario's people.

    Parameters
    ----------
    kinds : str, sequence or mapping
        One kind for all, one per person in order, or {name: kind}. A kind is a key of `VARIATIONS`, "mixed" (one of
        them drawn for the seat), "model:NAME" or "model"; in the place of a kind, a `HumanSpeaker` or a speaker of your
        own takes it, and a class or a function is called with the person's name and stream.
    rng : numpy.random.Generator
        Each seat gets a stream of its own, spawned from it: who sits beside does not change what is true of somebody.
    model : ChatModel or str, optional
        The language model of every seat of kind "model" without a name; the dates that suit its people are drawn as for
        the others.
    temperature, repetition
        Of the language model. Above 0, each seat draws a seed from its stream.

    Raises
    ------
    InvalidInput
        On an unknown kind, seats that are not one per person, or a model's seat without a model.
    """
    check_settings(0.0, temperature)
    makers: dict[str, Maker] = {kind: partial(_rule_based, scenario, kind) for kind in VARIATIONS}
    speaker = partial(_model, scenario, {"temperature": temperature, "repetition": repetition})
    names = [person.name for person in scenario.people]
    told: dict[str, Any] = {"speaker": speaker, "model": model, "each": "person", "check": _checked}
    return fill(names, kinds, rng, makers, tuple(VARIATIONS), **told)


def _rule_based(scenario: Scenario, kind: str, name: str, rng: np.random.Generator) -> Speaker:
    label = kind if kind == RULE_BASED else f"{RULE_BASED} {kind}"
    return RuleBasedSpeaker(VARIATIONS[kind](scenario.person(name)), scenario, rng, kind=label)


def _model(
    scenario: Scenario, settings: Mapping[str, Any], model: ChatModel, name: str, rng: np.random.Generator
) -> Speaker:

    persona, facts = scenario.person(name), rng.spawn(1)[0]
    suits = sorted(Truth(persona, scenario.slots, facts).suiting(scenario.slots))
    seed = drawn_seed(rng, settings["temperature"])
    made: Speaker = LanguageModelSpeaker(model, persona, suits=suits, seed=seed, **settings)
    return made


def _checked(speaker: Any, name: str) -> Speaker:
    """A speaker of the user's own, if it has what it will be asked for."""
    check_own(speaker, name, ("answer",), "letter", "support.seminar.speakers")
    if getattr(speaker, "me", name) != name:
        raise InvalidInput(f"seats: a {speaker.kind} seat made for {speaker.me} given for {name}; make it for {name}")
    made: Speaker = speaker
    return made
