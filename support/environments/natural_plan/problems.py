"""The NaturalPlan problems as they come: text and golden slot."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from support.data import shared
from support.environments.natural_plan.grammar import parse
from support.environments.natural_plan.task import DaySlot, Task
from support.errors import DamagedFile, InvalidInput

if TYPE_CHECKING:
    import numpy as np

FILE = "natural_plan_calendar.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Problem:
    """`text` is the last task of the prompt, which may show solved ones before it."""

    id: str
    text: str
    golden: DaySlot


def load(path: str | Path | None = None) -> tuple[Problem, ...]:
    """All problems, in the order of the file; by default the registered one, whose sum is checked.

    Raises
    ------
    MissingData
        When the file is not there.
    DamagedFile
        When it is not the registered one, or a line is no problem.
    """
    source = shared("natural_plan") / FILE if path is None else Path(path)
    try:
        with gzip.open(source, "rt", encoding="utf-8") as file:
            lines = list(file)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DamagedFile(
            f"{source}: not a readable gzip file ({error}); it is left as it is, get it again."
        ) from error
    return tuple(_problem(source, number, line) for number, line in enumerate(lines, start=1))


def draw(
    problems: Iterable[Problem], n: int, rng: np.random.Generator, most_people: int = 7, most_days: int = 5
) -> tuple[Problem, ...]:
    """n of the problems that ask for no more people and days, without replacement, in the order of the file.

    Raises
    ------
    InvalidInput
        When there are fewer.
    """
    short = [p for p in problems if _fits(parse(p.text), most_people, most_days)]
    if not 1 <= n <= len(short):
        raise InvalidInput(
            f"n: {n!r} given; expected 1 to {len(short)}, the problems with at most {most_people} people and "
            f"{most_days} days."
        )
    return tuple(short[i] for i in sorted(rng.choice(len(short), size=n, replace=False)))


def _fits(task: Task, most_people: int, most_days: int) -> bool:
    return len(task.people) <= most_people and len(task.days) <= most_days


def _problem(source: Path, number: int, line: str) -> Problem:
    try:
        row = json.loads(line)
        return Problem(row["id"], last_task(row["prompt"]), DaySlot.read(row["golden_plan"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFile(
            f"{source}, line {number}: expected a JSON object with id, prompt and golden_plan ({error})."
        ) from error


def last_task(prompt: str) -> str:
    """The task to be solved: what stands after the last "TASK:", up to "SOLUTION:".

    Raises
    ------
    InvalidInput
        When the prompt holds no task.
    """
    _, marker, task = prompt.rpartition("TASK:")
    if not marker:
        raise InvalidInput(f"prompt {prompt[:60]!r}…: it holds no 'TASK:'.")
    return task.partition("SOLUTION:")[0].strip()
