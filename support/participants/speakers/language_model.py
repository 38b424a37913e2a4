"""Somebody who was invited, played by a language model from what is told of them; the prompts are ours (C.3 of 002)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from support.environments.seminar.personas import Persona
from support.environments.seminar.views import LATER, Letter, Response
from support.participants.asking import Asker, words
from support.participants.organizers.forms import SUBJECT
from support.participants.organizers.told import dates, mails
from support.prompts import render
from support.records.organizing import ORGANISER

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.model import ChatModel

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
