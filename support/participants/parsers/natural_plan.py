"""A language model as parser of NaturalPlan's texts, before the same solver and the same judge as our grammar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from support.environments.natural_plan import Problem, Task, judge_task, solve_task, taken
from support.environments.natural_plan import parse as read
from support.errors import ContextOverflow, InvalidInput, MalformedReply
from support.participants.parsers.schema import PEOPLE, reply_schema, task_of
from support.participants.seating import MODEL, given_model
from support.prompts import render

if TYPE_CHECKING:
    import pandas as pd

    from support.models.model import ChatModel

TOKENS = 900  # of a tight model; 41 blocks of 7 people, the most there are, take about 700
NO_REPLY, NO_TASK, NO_SLOT, SOLVED = "no valid reply", "no task", "no slot", "solved"


@dataclass(frozen=True, slots=True)
class Parsed:
    """What became of one text: `task` if the reply fits its form (`valid`) and makes sense, else `why` not."""

    task: Task | None
    valid: bool
    why: str = ""


async def parse(text: str, model: ChatModel | str, *, seed: int | None = 0, repetition: int = 0) -> Parsed:
    """Ask a model for the data of a problem, at temperature 0.

    A reply that does not fit the form is asked again, as always; one that fits and makes no sense is not. Neither
    raises, for a poor reply is a result here; a model that cannot be reached does.
    """
    given = given_model(MODEL, model, "the parser")
    asked = [
        {"role": "system", "content": render("natural_plan/briefing", people=PEOPLE)},
        {"role": "user", "content": render("natural_plan/request", text=text)},
    ]
    settings: dict[str, Any] = {"temperature": 0.0, "seed": seed, "repetition": repetition}
    try:
        reply = await given.reply(asked, schema=reply_schema(), max_tokens=given.limits.room(TOKENS), **settings)
    except (MalformedReply, ContextOverflow) as error:
        return Parsed(None, False, str(error))
    try:
        return Parsed(task_of(reply.value), True)
    except InvalidInput as error:
        return Parsed(None, True, str(error))


async def model_parses(problems: Iterable[Problem], model: ChatModel | str) -> pd.DataFrame:
    """Let a model read each problem, solve what it read, and judge the slot by what the text truly says.

    Returns
    -------
    DataFrame
        One row for each problem: id, people and days (counts), model, valid (the reply fits its form), right (it
        means what the text says), blocks (in the text), blocks_said, blocks_right, status (`NO_REPLY`, `NO_TASK`,
        `NO_SLOT`, `SOLVED`), slot, golden, verdict, why.
    """
    import pandas as pd

    given = given_model(MODEL, model, "the parser")
    return pd.DataFrame([_row(problem, await parse(problem.text, given), given.name) for problem in problems])


def _row(problem: Problem, parsed: Parsed, name: str) -> dict[str, Any]:
    truth, said = read(problem.text), parsed.task
    slot, conflict = solve_task(said) if said else (None, parsed.why)
    verdict = judge_task(truth, problem.golden, slot)
    blocks, blocks_said = taken(truth.busy), taken(said.busy) if said else frozenset()
    return {
        "id": problem.id,
        "people": len(truth.people),
        "days": len(truth.days),
        "model": name,
        "valid": parsed.valid,
        "right": said is not None and said.meaning == truth.meaning,
        "blocks": len(blocks),
        "blocks_said": len(blocks_said),
        "blocks_right": len(blocks & blocks_said),
        "status": (SOLVED if slot else NO_SLOT) if said else (NO_TASK if parsed.valid else NO_REPLY),
        "slot": str(slot) if slot else None,
        "golden": str(problem.golden),
        "verdict": verdict.kind,
        "why": conflict or "; ".join(verdict.broken),
    }
