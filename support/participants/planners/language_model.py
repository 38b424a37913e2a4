"""A coordinator that a language model speaks for, with a prompt of our own (compare appendix A of 003)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from support.environments.fair_decisions.problem import FairDecisions
from support.environments.fair_decisions.views import COMPARISON, Brief, Heard, Move
from support.errors import InvalidInput
from support.participants.asking import Asker, words
from support.participants.planners.forms import FINISH, REASON, RUNNING, WORDS, move_form, move_of, statuses
from support.participants.planners.known import nameless
from support.prompts import render
from support.records.planning import Feedback, Plan

if TYPE_CHECKING:
    from support.models.model import ChatModel

PROMPTS = ("full", "no example", "no objective")
"""The prompt and its two ablations (appendix E.2): without the worked example, or without what is looked for."""


class LanguageModelPlanner(Asker):
    """Is told the options, the plans so far and what was answered, and proposes or stops.

    Parameters
    ----------
    model : ChatModel
    prompt : one of `PROMPTS`
        Without the objective, the model is asked for a fairer (or better) plan in general words, and the example
        loses the line that works the objective out.
    **settings
        See `Asker`.

    Raises
    ------
    InvalidInput
        On another prompt.
    """

    def __init__(self, model: ChatModel | str, *, prompt: str = "full", **settings: Any) -> None:
        super().__init__(model, **settings)
        if prompt not in PROMPTS:
            raise InvalidInput(f"prompt: {prompt!r} given; expected one of {', '.join(PROMPTS)}")
        self.prompt = prompt

    async def propose(self, brief: Brief) -> Move:
        """The next plan, two to compare, or a known one to end with.

        Raises
        ------
        MalformedReply
            When the reply is not allowed, as a known plan is not, and again after two repairs.
        """
        _, n, _ = brief.table.shape
        room = 60 + REASON + 5 * n * brief.plans  # a token for a character of the reason, and for each number
        return move_of(brief, await self.ask_model(move_form(brief, self.limits), room, self.question(brief)))

    def question(self, brief: Brief) -> str:
        """What the model is asked."""
        problem = nameless(brief.table)
        return render(
            "planning/coordination",
            people=brief.table.participants,
            decisions=[_options(brief, j) for j in range(len(brief.table.decisions))],
            objective=brief.objective if self.prompt != "no objective" else "",
            aim="better for the group as a whole" if brief.objective == "welfare" else "fairer",
            preferences=brief.table.preferences,
            options=brief.table.shape[2],
            highest=brief.table.highest,
            feedback=brief.feedback,
            example=self._example(brief),
            known=[line for heard in brief.history for line in _told(problem, heard, brief.feedback)],
            suggestion=_numbers(brief.suggestion) if brief.suggestion is not None else "",
            suggested_before=brief.suggestion in brief.known,
            round=brief.round,
            rounds=brief.rounds,
            statuses=statuses(brief),
            running=RUNNING,
            finish=FINISH,
            words=words(self.limits, self.limits.text(REASON)) or WORDS,
        )

    def _example(self, brief: Brief) -> str:
        if self.prompt == "no example":
            return ""
        told = self.prompt != "no objective"
        return render("planning/example", objective=brief.objective, told=told, feedback=brief.feedback)


def _options(brief: Brief, j: int) -> str:
    """A decision and its numbered options; under complete information with what each is worth to everybody."""
    named = [f"{k} = {name}{_worth(brief, j, k - 1)}" for k, name in enumerate(brief.table.options[j], 1)]
    return f"{brief.table.decisions[j]}: {'; '.join(named)}"


def _worth(brief: Brief, j: int, k: int) -> str:
    if brief.gains is None:
        return ""
    points = zip(brief.table.participants, brief.gains[:, j, k].tolist(), strict=True)
    return f" ({', '.join(f'{name} {points}' for name, points in points)})"


def _told(problem: FairDecisions, heard: Heard, feedback: str) -> list[str]:
    """The plans of a round and what was answered, a line each."""
    first = f"{_numbers(heard.plans[0])} ({problem.words(heard.plans[0])})"
    if feedback == COMPARISON:
        head = f"{first} against {_numbers(heard.plans[1])} ({problem.words(heard.plans[1])})"
        return [f"{head}. {_joined(heard.feedback, lambda a: _preferred(heard.plans, a))}"]
    return [f"{first}. {_joined(heard.feedback, _said)}"]


def _joined(answers: Sequence[Feedback], words: Any) -> str:
    return "; ".join(f"{answer.participant}: {words(answer)}" for answer in answers)


def _said(answer: Feedback) -> str:
    if answer.score is not None:
        return str(answer.score)
    return f'"{" ".join(answer.text.split())}"' if answer.text.strip() else "(no answer)"


def _preferred(plans: Sequence[Plan], answer: Feedback) -> str:
    if answer.prefers is not None:
        return f"prefers {_numbers(plans[answer.prefers])}"
    return "likes both alike" if answer.alike else "(no answer)"


def _numbers(plan: Plan) -> str:
    """A plan as models read and write it, options counted from 1: "[2, 1, 3]"."""
    return str([option + 1 for option in plan])
