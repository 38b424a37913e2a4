"""A member who is a person: the seat waits on a queue of questions, which a widget (or a test) answers."""

from __future__ import annotations

import asyncio
from typing import Any

from support.environments.meetings.views import Chat
from support.errors import InvalidInput
from support.seats import Question

MOST = 1000
"""Characters of an answer; language models that read it have small contexts."""


class HumanMember:
    """A person who is asked when it suits; a question's `view` is the conversation so far, a `Chat`.

    Parameters
    ----------
    me : str
        The member whose seat it is.
    """

    kind = "human"

    def __init__(self, me: str) -> None:
        self.me = me
        self.questions: asyncio.Queue[Question] = asyncio.Queue()

    async def answer(self, chat: Chat) -> str:
        """What the person says; an answer without words is refused, and the question stays open."""
        view: Any = chat
        question = Question("answer", view, checked_answer)
        await self.questions.put(question)
        return str(await question.wait())


def checked_answer(text: Any) -> str:
    """A text with words in it, of `MOST` characters at most, without the blanks around it.

    Raises
    ------
    InvalidInput
        When it is no such text.

    Examples
    --------
    >>> checked_answer(" In the morning. ")
    'In the morning.'
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput(f"answer: {text!r} given; expected words: say what suits you, or why an option does not")
    if len(text.strip()) > MOST:
        raise InvalidInput(f"answer: {len(text.strip())} characters given; expected at most {MOST}, please shorten it")
    return text.strip()
