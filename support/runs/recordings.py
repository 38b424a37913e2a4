"""Recorded runs of the embedded model: played once (`make record`), kept in data/replies, replayed anywhere.

A recording is two files: the replies, compressed, and a note that says which model gave them, when, and to which
questions. A replay asks the same questions and takes each answer from the file: no model, no key, no network.
Questions that quote outside data (MovieLens, AMI) are not kept, and a reply that quotes a row of them is refused.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.agreement import small_tests
from support.analysis.annotators import LanguageModelAnnotator
from support.analysis.detection import model_selections, model_verdicts, one_voice
from support.choice import RULES
from support.data import ROOT
from support.errors import CallFailed, InvalidInput, MissingData
from support.fair_decisions.study import fair_decisions
from support.meetings import natural_plan
from support.meetings.parsing import readings
from support.meetings.study import meeting_coordination
from support.models import connect
from support.models.model import ChatModel
from support.models.replies import Cache
from support.roundtable.study import roundtable_exchange, roundtable_movielens
from support.runs.study import Store
from support.runs.sweep import Sweep
from support.seminar.rules import load_policies
from support.seminar.seats import SHOTS
from support.seminar.study import seminar
from support.seminar.suite import JudgedState, edge_cases, held_out_states
from support.survey.answers import AnswerBook
from support.survey.instruments import load
from support.survey.respondents import simulate

FOLDER = ROOT / "data" / "replies"


@dataclass(frozen=True)
class Recording:
    """What is recorded under a name: a sweep, or what `play` asks; `private` where its questions quote outside data."""

    name: str
    grid: Mapping[str, Sequence[Any]]
    study: Callable[..., Awaitable[Any]] = roundtable_exchange
    seed: int = 7
    repetitions: int = 1
    private: bool = False
    paired: Sequence[str] = ("rule",)

    def sweep(self, by: str = "", **grid: Sequence[Any]) -> Sweep:
        """The recorded sweep, or the part of it that has the given values; `by` another model than the embedded one."""
        name = (
            f"{self.name} by {by}"
            if by not in ("", "embedded")
            else f"recorded {self.name}"
        )
        return Sweep(
            name,
            self.study,
            {**self.grid, **grid},
            self.repetitions,
            self.seed,
            self.paired,
        )

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Ask all of it; return how much was done, how many replies came, and how many did not fit their form."""
        sweep = self.sweep()
        count = await sweep.run(store, model=model, concurrency=1, progress=False)
        if count.failed:
            said = next(iter(store.failures(sweep.name).values()))
            raise CallFailed(f"recording {self.name}: {said}; nothing was written")
        return count


class Labels(Recording):
    """A model's labels of the small samples of `support.analysis.agreement.small_tests`."""

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Have every message labelled."""
        annotator, errors, done = LanguageModelAnnotator(model), 0, 0
        for test in await small_tests(self.seed):
            done += len(await annotator.label(test.messages))
            errors += len(annotator.problems)
        return _count(done, model, errors)


class Parses(Recording):
    """A model's readings of problems of NaturalPlan, drawn among those of at most three people on one day."""

    def drawn(self) -> tuple[natural_plan.Problem, ...]:
        """The problems that the model was asked about."""
        [problems], rng = self.grid["problems"], np.random.default_rng(self.seed)
        return natural_plan.draw(
            natural_plan.load(), problems, rng, most_people=3, most_days=1
        )

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Have every problem read."""
        read = await readings(self.drawn(), "model", model)
        return _count(len(read), model, int((~read["valid"]).sum()))


class Forms(Recording):
    """A model's forms of an instrument, for personas drawn with the seed."""

    async def fill(self, book: AnswerBook, model: ChatModel) -> int:
        """Put the model's forms into a book; return how many."""
        [instrument], [per_group], rng = (
            *self.grid.values(),
            np.random.default_rng(self.seed),
        )
        return len(await simulate(load(instrument), book, per_group, rng, model))

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Have every form filled in."""
        with tempfile.TemporaryDirectory() as scratch:
            return _count(
                await self.fill(AnswerBook(Path(scratch) / "answers.sqlite"), model),
                model,
                0,
            )


class Selections(Recording):
    """A model's selections of policies in every second of the held-out states, with and without the list of them."""

    def states(self) -> list[JudgedState]:
        """The states that the model was asked about."""
        return held_out_states()[:: self.grid["states, every"][0]]

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Have policies selected."""
        given = model, self.states(), load_policies("seed")
        return _misfits(
            model,
            *[
                await model_selections(*given, listed=listed)
                for listed in (False, True)
            ],
        )


class Verdicts(Recording):
    """A model's verdicts, in the paper's three settings, on one voice of every case of the suite."""

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Have replies judged."""
        policies, replies = load_policies("seed"), one_voice(edge_cases())
        return _misfits(
            model,
            *[await model_verdicts(model, replies, policies, shots) for shots in SHOTS],
        )


def _count(done: int, model: ChatModel, errors: int) -> Mapping[str, int]:
    return {"done": done, "failed": 0, "replies": model.calls, "format_errors": errors}


def _misfits(model: ChatModel, *frames: pd.DataFrame) -> Mapping[str, int]:
    table = pd.concat(frames)
    return _count(len(table), model, int((table["problem"] != "").sum()))


FIRST: Mapping[str, Sequence[Any]] = {"seats": ["model"], "temperature": [0.7]}
MET: Mapping[str, Sequence[Any]] = {
    "members": [3],
    "options": [2],
    "difficulty": ["easy"],
}
PLANNED: Mapping[str, Sequence[Any]] = {
    "decisions": [3],
    "coordinator": ["model"],
    "final": ["best known"],
}
SAMPLES = ["rule-based agents, sentences kept apart", "AMI turns, unseen meetings"]
RECORDINGS: Mapping[str, Recording] = {
    made.name: made
    for made in (
        Recording("start_here", {"rule": ["majority"], **FIRST, "agents": [2], "rounds": [1]}),
        Recording("roundtable_exchange", {"rule": list(RULES), **FIRST, "agents": [3], "rounds": [2]}),
        Recording("roundtable_movielens", {"rule": ["majority", "rated"], **FIRST, "rounds": [2]}, roundtable_movielens,
                  private=True),
        Labels("dialogue_acts", {"sample": SAMPLES}, private=True),
        Recording("meeting", {**MET, "temperature": [0.7], "seats": ["model"], "interviewer": ["model"],
                  "coordinator": ["model"], "evaluator": ["model"], "rounds": [2]}, meeting_coordination,
                  paired=("difficulty",)),
        Recording("meeting_evaluator", {**MET, "design": ["single round", "rounds"], "evaluator": ["model"],
                  "rounds": [2]}, meeting_coordination, repetitions=10, paired=("design", "difficulty")),
        Parses("natural_plan", {"problems": [20], "most_people": [3], "most_days": [1]}, private=True),
        Forms("meeting_survey", {"instrument": ["meeting_survey"], "per_group": [2]}),
        Recording("fair_decisions", {**PLANNED, "feedback": ["words"], "seats": ["model"], "estimator": ["model"],
                  "rounds": [3], "temperature": [0.7]}, fair_decisions, paired=("final",)),
        Recording("fair_decisions_rounds", {**PLANNED, "feedback": ["score"], "rounds": [3, 5, 7, 9]}, fair_decisions,
                  repetitions=2, paired=("rounds", "final")),
        Recording("fair_decisions_prompts", {**PLANNED, "prompt": ["full", "no example", "no objective"],
                  "feedback": ["score"], "rounds": [5]}, fair_decisions, repetitions=5, paired=("prompt", "final")),
        Selections("policy_selection", {"states, every": [2], "listed": [False, True], "runs": [3]}),
        Verdicts("edge_cases", {"voices of a case": [1], "shots": list(SHOTS), "runs": [3]}),
        Recording("rehearsal_speakers", {"seats": ["model"], "until": [5], "temperature": [0.7]}, seminar, paired=()),
        Recording("rehearsal_organizer", {"organizer": ["model"], "detector": ["model"], "until": [2],
                  "temperature": [0.7]}, seminar, paired=()),
    )
}  # fmt: skip


def recording(name: str) -> Any:
    """The recording of that name."""
    if name not in RECORDINGS:
        raise InvalidInput(
            f"recording: {name!r} given; expected one of {', '.join(RECORDINGS)}"
        )
    return RECORDINGS[name]


def replayed(name: str, path: str | Path) -> ChatModel:
    """The embedded model, offline, with the replies of a recording; `path` is the study's file that takes them in."""
    source = FOLDER / f"{recording(name).name}.jsonl.gz"
    if not source.exists():
        raise MissingData(
            f"recording: {source} is not there; restore it from the repository, or run make record"
        )
    cache = Cache(path)
    cache.load(source)
    return connect("embedded", cache=cache, offline=True)


def note(name: str) -> dict[str, Any]:
    """Which model gave the replies of a recording, when, and to which settings."""
    return json.loads(
        (FOLDER / f"{recording(name).name}.json").read_text(encoding="utf-8")
    )


def origin(model: ChatModel, name: str) -> dict[str, str]:
    """Which model gave the replies of a run, and when: now, from the study's file, or from the recording `name`."""
    kept = (
        f"the recording of {note(name)['date']}"
        if model.endpoint == "embedded"
        else "an earlier run"
    )
    asked = f"asked on {datetime.now(UTC).date().isoformat()}"
    return {
        **model.details,
        "replies": asked
        if model.live_calls
        else f"not asked now; the study's file, or {kept}",
    }


async def record(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """Play a recording on the embedded model and write its two files; return the note.

    CallFailed when a unit failed, or a reply of a private recording quotes its data; nothing is written then.
    """
    chosen = recording(name)
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch) / "study.sqlite")
        async with connect("embedded", cache=store.path, concurrency=1) as model:
            count = await chosen.play(store, model)
            cache = Cache(store.path)
            for asked, answered in cache.texts() if chosen.private else ():
                if found := quoted(answered, asked):
                    raise CallFailed(
                        f"recording {name}: a reply quotes its data ({found!r}); record with another seed"
                    )
            folder.mkdir(parents=True, exist_ok=True)
            replies = cache.export(
                folder / f"{name}.jsonl.gz", prompts=not chosen.private
            )
            about = {"name": name, **model.details, "date": datetime.now(UTC).date().isoformat(), "seed": chosen.seed,
                     "grid": dict(chosen.grid), "replies": replies, "units": dict(count)}  # fmt: skip
            if type(chosen) is Recording:
                about["seconds"] = [
                    round(taken, 1) for taken in chosen.sweep().seconds(store)
                ]
    (folder / f"{name}.json").write_text(
        json.dumps(about, indent=1) + "\n", encoding="utf-8"
    )
    return about


def quoted(reply: str, question: str) -> str:
    """What a reply repeats of the table in its question; "" if nothing.

    That is three neighbouring cells of a row, or one cell that is a name of two words or a date and stands nowhere
    else in the question. A table's rows are lines with cells between " | ".

    >>> quoted('I read 7 | 4.5 | F | writer there.', "user | mean | gender | job\\n7 | 4.5 | F | writer")
    '7 | 4.5 | F'
    """
    lines = question.splitlines()
    rows = [line.split(" | ") for line in lines if line.count(" | ") >= 2][1:]
    elsewhere = " ".join(line for line in lines if line.count(" | ") < 2)
    said = _plain(reply)
    parts = [cells[i : i + 3] for cells in rows for i in range(len(cells) - 2)]
    telling = [
        [c]
        for cells in rows
        for c in cells
        if len(c) >= 8 and (" " in c or c.isdigit()) and c not in elsewhere
    ]
    return next(
        (
            " | ".join(part)
            for part in (*parts, *telling)
            if _plain(" ".join(part)) in said
        ),
        "",
    )


def _plain(text: str) -> str:
    return " ".join(text.replace("|", " ").replace(",", " ").lower().split())


if __name__ == "__main__":
    for given in sys.argv[1:] or RECORDINGS:
        print(json.dumps(asyncio.run(record(given))))
