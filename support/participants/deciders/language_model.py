"""A participant of a group decision whom a language model plays: it alone knows its gains (appendix A of 003)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from support.environments.fair_decisions.views import COMPARISON, SCORE, Table
from support.participants.asking import Asker
from support.participants.deciders.numberless import MOST, WORDS, checked_words
from support.participants.deciders.own import check_asked, own_gains, preferred, totals
from support.prompts import render
from support.records import Feedback, Plan

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.model import ChatModel

ROOM = 200  # tokens of a reply in words: forty words with names are half of that, and one that runs on ends soon
SHORT = 40  # tokens of a reply that is a number or a choice
PREFERS = {"first": 0, "second": 1, "neither": None}


class LanguageModelDecider(Asker):
    """Tells in words of its own how satisfied it is; scores and comparisons are sums, which need no model.

    Parameters
    ----------
    name : str
        One of the table's participants.
    table : Table
    gains : int array of shape (decisions, options)
        The model is told these, and nobody else's.
    model : ChatModel or str
    arithmetic : bool
        False asks the model for scores and comparisons as well, and takes what it says.
    **settings
        See `Asker`.

    Raises
    ------
    InvalidInput
        On gains that do not fit the table.
    """

    def __init__(
        self,
        name: str,
        table: Table,
        gains: np.ndarray,
        model: ChatModel | str,
        *,
        arithmetic: bool = True,
        **settings: Any,
    ) -> None:
        super().__init__(model, **settings)
        self.name, self.table, self.arithmetic = name, table, arithmetic
        self.gains = own_gains(name, table, gains)

    async def judge(self, plans: Sequence[Plan], feedback: str) -> Feedback:
        """Answer to a plan by its total or in words, or say which of two it prefers.

        Raises
        ------
        MalformedReply
            When the model, told what was wrong, still gives numbers, too many words or none.
        """
        check_asked(plans, feedback, self.table)
        if feedback == SCORE:
            return Feedback(self.name, score=await self._score(plans))
        if feedback == COMPARISON:
            prefers = await self._comparison(plans)
            return Feedback(self.name, prefers=prefers, alike=prefers is None)
        question = render("deciding/words", me=self.name, plan=self._listed(plans[0]), words=WORDS)
        reply = await self.ask_model(words_form(self.table, self.limits.text(MOST)), ROOM, question, self.briefing())
        return Feedback(self.name, text=reply.text)

    def briefing(self) -> str:
        """What the model is told before each question: who it is, and what every option is worth to it."""
        named = zip(self.table.decisions, self.table.options, self.gains.tolist(), strict=True)
        worth = [(decision, list(zip(options, row, strict=True))) for decision, options, row in named]
        facts = {"preferences": self.table.preferences, "options": self.table.shape[2]}
        return render("deciding/participant", me=self.name, worth=worth, **facts)

    async def _score(self, plans: Sequence[Plan]) -> int:
        if self.arithmetic:
            return totals(self.gains, plans)[0]
        question = render("deciding/score", me=self.name, plan=self._listed(plans[0]))
        most = int(self.gains.max(axis=1).sum())
        return int((await self.ask_model(score_form(most), SHORT, question, self.briefing())).score)

    async def _comparison(self, plans: Sequence[Plan]) -> int | None:
        if self.arithmetic:
            return preferred(totals(self.gains, plans))
        question = render("deciding/comparison", me=self.name, plans=[self._listed(plan) for plan in plans])
        reply = await self.ask_model(comparison_form(), SHORT, question, self.briefing())
        return PREFERS[reply.prefers]

    def _listed(self, plan: Plan) -> list[tuple[str, str]]:
        """The option of each decision, by their names."""
        named = zip(self.table.decisions, self.table.options, plan, strict=True)
        return [(decision, options[k]) for decision, options, k in named]


@cache
def words_form(table: Table, most: int = MOST) -> type[BaseModel]:
    """{"text"}: words without numbers, few enough; see `numberless.checked_words`."""
    from pydantic import AfterValidator, Field, create_model

    fits = AfterValidator(lambda text: checked_words(text, table, most))
    said: Any = Annotated[str, Field(min_length=1, max_length=most), fits]
    return create_model("WordsReply", text=(said, ...))


@cache
def score_form(most: int) -> type[BaseModel]:
    """{"score"}: a whole number from 0 to what the best plan is worth to the participant."""
    from pydantic import Field, create_model

    return create_model("ScoreReply", score=(int, Field(ge=0, le=most)))


@cache
def comparison_form() -> type[BaseModel]:
    """{"prefers"}: "first", "second" or "neither"."""
    from pydantic import create_model

    chosen: Any = Literal["first", "second", "neither"]
    return create_model("ComparisonReply", prefers=(chosen, ...))
