"""A speaker who is a person: the seat waits on a queue of questions, which a widget (or a test) answers."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from support.environments.seminar.views import ANSWER, LATER, RESPONSES, Letter, Response
from support.errors import InvalidInput
from support.seats import Question

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
