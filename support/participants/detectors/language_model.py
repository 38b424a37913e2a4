"""A detector that a language model speaks for, in the three settings of section 4.2 of 002, with prompts of our own."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from support.environments.seminar.policies import PolicySet
from support.environments.seminar.views import Verdict
from support.errors import InvalidInput
from support.participants.asking import Asker
from support.participants.detectors.questions import WORDS, asking, checked_question
from support.participants.organizers.told import quoted
from support.prompts import render

if TYPE_CHECKING:
    from pydantic import BaseModel

    from support.models.model import ChatModel

ZERO, FEW, POLICIES = "zero", "few", "few with policies"
SHOTS = (ZERO, FEW, POLICIES)
"""Settings: asked without examples or explanations; with five examples; with those and the policies."""

TEMPERATURE, TOKENS = 0.7, 100
"""Those of section 4.2.1; a reply is cut off at the second."""

QUESTION, REPLY, CONTEXT = 240, 2000, 1500  # a tight model's characters: its question, a reply and what is known
CLEAR, FLAG = "clear", "flag"


class LanguageModelDetector(Asker):
    """Reads a reply and says "clear", or "flag" with a question.

    Its five examples are of the kinds of the paper's (two clear: time to look, a single date; three to flag: a
    substitute during leave, a later date, doubt until the day before), in our words. The project's suite has these
    kinds too, as the paper's may: what is found on them is found on kinds that were shown.

    Parameters
    ----------
    model : ChatModel or str
    shots : one of `SHOTS`
        With "zero" the model is shown the reply alone and gives no question, so that the flag quotes the reply.
    **settings
        See `Asker`; the temperature is that of the paper, and the seed is the number of the repetition, so that runs
        differ on endpoints that heed it.

    Raises
    ------
    InvalidInput
        On other `shots`.
    """

    def __init__(
        self,
        model: ChatModel | str,
        shots: str = POLICIES,
        *,
        temperature: float = TEMPERATURE,
        seed: int | None = None,
        repetition: int = 0,
    ) -> None:
        own = repetition if seed is None else seed
        super().__init__(model, temperature=temperature, seed=own, repetition=repetition)
        if shots not in SHOTS:
            raise InvalidInput(f"shots: {shots!r} given; expected one of {', '.join(SHOTS)}")
        self.shots = shots

    async def check(self, reply: str, policies: PolicySet, context: str = "") -> Verdict:
        """Clear, or a flag with a question of at most forty words.

        Raises
        ------
        MalformedReply
            When the model says neither, or its question is none, and again after two repairs.
        """
        form = verdict_form(self.shots != ZERO, self.limits.text(QUESTION))
        said = await self.ask_model(form, TOKENS, self.question(reply, policies, context))
        if said.verdict == CLEAR:
            return Verdict(False)
        return Verdict(True, said.question if self.shots != ZERO else asking(reply))

    def question(self, reply: str, policies: PolicySet, context: str = "") -> str:
        """What the model is asked."""
        if self.shots == ZERO:
            return render("organizing/detection_zero", reply=quoted(reply, self.shown, REPLY))
        return render(
            "organizing/detection",
            reply=quoted(reply, self.shown, REPLY),
            context=quoted(context, self.shown, CONTEXT),
            policies=[policy.text for policy in policies] if self.shots == POLICIES else [],
            words=WORDS,
        )


@cache
def verdict_form(asks: bool, most: int = QUESTION) -> type[BaseModel]:
    """{"verdict"}, or with `asks` {"verdict", "question"}: a flag has a question, what is clear has none to keep."""
    from pydantic import Field, create_model, model_validator

    fields: dict[str, Any] = {"verdict": (Literal["clear", "flag"], ...)}
    if not asks:
        return create_model("VerdictReply", **fields)

    def answerable(self: Any) -> Any:
        if self.verdict == FLAG:
            self.question = checked_question(self.question)
        return self

    fields["question"] = (str, Field(max_length=most))
    check: Any = model_validator(mode="after")(answerable)
    return create_model("VerdictReply", __validators__={"answerable": check}, **fields)
