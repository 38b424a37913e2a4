"""A language model that answers questions about the mail log; what it rests on is checked against the log."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from support.environments.seminar.views import Desk
from support.errors import InvalidInput
from support.participants.answerers.protocol import Told
from support.participants.asking import Asker
from support.participants.organizers.told import quoted
from support.prompts import render
from support.records.organizing import Mail
from support.seats import Shown

if TYPE_CHECKING:
    from pydantic import BaseModel

LOG, NAMED = 30, 10  # mails that a tight model is shown, the latest, and that it may name
BODY, QUESTION, ANSWER, ROOM = 500, 300, 400, 250


class LanguageModelAnswerer(Asker):
    """Is shown the latest mails, numbered, and answers with the numbers of those that it used."""

    async def answer(self, question: str, desk: Desk) -> Told:
        """The model's answer.

        Raises
        ------
        InvalidInput
            On an empty question.
        MalformedReply
            When the reply names a mail that is not in the log, and again after two repairs.
        """
        if not question.strip():
            raise InvalidInput("question: nothing given; expected words such as: What did Prof. Tarrant say last?")
        mails = self.shown.last(desk.mails, LOG, "mails")
        if not mails:
            return Told("The log is empty.")
        asked = render(
            "organizing/question",
            mails=[_shown(mail, self.shown) for mail in mails],
            question=" ".join(question.split())[: self.shown.characters(QUESTION)],
        )
        form = _form(tuple(mail.id for mail in mails), self.limits.text(ANSWER), self.shown.most(NAMED))
        reply = await self.ask_model(form, ROOM, asked)
        return Told(reply.answer, tuple(dict.fromkeys(reply.mails)))


def _shown(mail: Mail, shown: Shown) -> str:
    return f"Mail {mail.id}, day {mail.day}, from {mail.sender} to {mail.to}:\n{quoted(mail.body, shown, BODY)}"


@cache
def _form(known: tuple[int, ...], longest: int, most: int) -> type[BaseModel]:
    from pydantic import BaseModel, ConfigDict, Field, field_validator

    class AnswerReply(BaseModel):
        """An answer and the mails that it rests on."""

        model_config = ConfigDict(extra="forbid")
        answer: str = Field(min_length=1, max_length=longest)
        mails: list[int] = Field(max_length=most)

        @field_validator("mails")
        @classmethod
        def _in_the_log(cls, given: list[int]) -> list[int]:
            strange = [number for number in given if number not in known]
            if strange:
                raise ValueError(f"mails: {strange[0]} given; expected numbers of mails in the log, or an empty list")
            return given

    return AnswerReply
