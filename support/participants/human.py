"""A seat for a person: it waits on a queue of questions, which a widget (or a test) answers.

Participants know nothing of screens; whoever draws the form takes questions from `HumanSeat.questions`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from support.choice import RULES, check_ballot
from support.errors import InvalidInput
from support.records import Ballot, Message, Proposal, View


class Question:
    """One thing asked of a person: a message, a proposal or a ballot ("message", "propose", "vote").

    An answer that does not fit raises and leaves the question open, so that nothing typed is lost. It may come from
    another thread than the one that asks: JupyterLab runs the callbacks of widgets in one of their own.
    """

    def __init__(self, phase: str, view: Any, check: Callable[[Any], Any]) -> None:
        self.phase, self.view, self._check = phase, view, check
        self._answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._given = False

    def answer(self, value: Any) -> None:
        """Give the answer; None is silence, no new proposal, or an abstention.

        Raises
        ------
        InvalidInput
            When the value does not fit, saying why, or when the question was answered before.
        """
        if self._given or self._answer.done():
            step = next(f"{name} {getattr(self.view, name)}" for name in ("round", "day") if hasattr(self.view, name))
            raise InvalidInput(f"{self.phase}: {step} was answered already; wait for the next question")
        checked, loop = self._check(value), self._answer.get_loop()
        self._given = True
        if loop is _here():
            self._settle(checked)
        else:
            loop.call_soon_threadsafe(self._settle, checked)

    def _settle(self, checked: Any) -> None:
        if not self._answer.done():
            self._answer.set_result(checked)

    async def wait(self) -> Any:
        """The answer, once there is one."""
        return await self._answer


class HumanSeat:
    """A negotiator who is a person.

    Parameters
    ----------
    me : str
        The agent whose seat it is.
    validate : callable
        The environment's `validate`, which returns a proposal's frozen form or raises.
    """

    kind = "human"

    def __init__(self, me: str, validate: Callable[[Any], Any]) -> None:
        self.me, self._validate = me, validate
        self.questions: asyncio.Queue[Question] = asyncio.Queue()

    async def message(self, view: View) -> Message | None:
        """Answer: (recipients, text) or None."""
        said = await self._ask("message", view, _checked_message(view))
        return said and Message(self.me, said[0], said[1])

    async def propose(self, view: View) -> Proposal | None:
        """Answer: a value of the environment, or None."""
        value = await self._ask("propose", view, lambda v: None if v is None else self._validate(v))
        return None if value is None else Proposal(self.me, value)

    async def vote(self, view: View) -> Ballot:
        """Answer: a choice in the form of the rule, or None; nothing is asked when there is nothing to vote on."""
        if not view.candidates:
            return Ballot(self.me, None)
        return Ballot(self.me, await self._ask("vote", view, _checked_choice(view, self.me)))

    async def _ask(self, phase: str, view: View, check: Callable[[Any], Any]) -> Any:
        question = Question(phase, view, check)
        await self.questions.put(question)
        return await question.wait()


def _checked_message(view: View) -> Callable[[Any], tuple[tuple[str, ...], str] | None]:
    def check(value: Any) -> tuple[tuple[str, ...], str] | None:
        if value is None or not value[1].strip():
            return None
        recipients = tuple(value[0])
        strangers = [r for r in recipients if r not in view.agents or r == view.me]
        if strangers or not recipients:
            others = [a for a in view.agents if a != view.me]
            raise InvalidInput(f"recipients: {list(recipients)!r} given; expected one or more of {others}")
        return recipients, value[1].strip()

    return check


def _checked_choice(view: View, me: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        of_this_form = next(rule for rule in RULES.values() if rule.form == view.form)
        check_ballot(of_this_form, value, [c.id for c in view.candidates], me)
        if isinstance(value, dict):
            return tuple(value.items())
        return tuple(value) if isinstance(value, list) else value

    return check


def _here() -> asyncio.AbstractEventLoop | None:
    """The loop that runs in this thread, if one does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
