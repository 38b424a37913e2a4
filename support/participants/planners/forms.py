"""The form of a language model's move: a reason of bounded length, a status, and options by number."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from support.environments.fair_decisions.views import Brief, Move
from support.models.profiles import TIGHT, Limits
from support.participants.planners.known import checked_move, plans_of

if TYPE_CHECKING:
    from pydantic import BaseModel

RUNNING, FINISH = "RUNNING", "FINISH"
REASON, WORDS = 200, 40  # characters and words of a tight model's reason


def move_form(brief: Brief, limits: Limits = TIGHT) -> type[BaseModel]:
    """{"reason", "status", "plan"}, under comparison with "other" as well; plans are option numbers from 1.

    What a schema cannot say goes back to the model: a plan to go on with that is known, or to stop with that is not.
    """
    from pydantic import AfterValidator, Field, create_model, model_validator

    _, n, m = brief.table.shape
    short = partial(_short, WORDS if limits.tight else None)
    number: Any = Literal[tuple(range(1, m + 1))]
    plan: Any = Annotated[list[number], Field(min_length=n, max_length=n)]
    reason: Any = Annotated[str, Field(min_length=1, max_length=limits.text(REASON)), AfterValidator(short)]
    fields: dict[str, Any] = {"reason": (reason, ...), "status": (Literal[statuses(brief)], ...), "plan": (plan, ...)}
    if brief.plans > 1:
        fields["other"] = (plan | None, ...)

    def allowed(self: Any) -> Any:
        move_of(brief, self)
        return self

    check: Any = model_validator(mode="after")(allowed)
    return create_model("MoveReply", __validators__={"allowed": check}, **fields)


def statuses(brief: Brief) -> tuple[str, ...]:
    """What a model may do: it cannot stop before there is a plan, nor go on when every plan is known."""
    if not brief.known:
        return (RUNNING,)
    return (FINISH,) if len(set(brief.known)) == plans_of(brief.table) else (RUNNING, FINISH)


def move_of(brief: Brief, reply: Any) -> Move:
    """The move that a reply stands for; a ValueError that says what is not allowed in it."""
    finish = reply.status == FINISH
    numbers = [reply.plan] if finish or brief.plans == 1 else [reply.plan, reply.other]
    if None in numbers:
        raise ValueError(f"other: null given; expected a second plan to compare, or the status {FINISH}")
    plans = tuple(tuple(number - 1 for number in plan) for plan in numbers)
    return checked_move(brief, Move(plans, reply.reason, finish))


def _short(words: int | None, text: str) -> str:
    if not text.strip() or (words and len(text.split()) > words):
        raise ValueError(f"{len(text.split())} words given; expected 1 to {words}")
    return " ".join(text.split())
