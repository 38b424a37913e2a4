"""Recorded runs of the embedded model: played once (`make record`), replayed anywhere.

A recording is two files in data/replies: the replies, compressed, and a note that says
which model gave them, when, and to which questions. A replay asks the same questions
and takes each answer from the file: no model, no key, no network. Questions that quote
outside data are not kept, and a reply that quotes a row of them is refused.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.agreement import small_tests
from support.analysis.annotators import LanguageModelAnnotator
from support.analysis.detection import model_selections, model_verdicts, one_voice
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
from support.runs import frames
from support.runs.study import Store
from support.runs.sweep import Sweep
from support.seminar.rules import load_policies
from support.seminar.study import seminar
from support.seminar.suite import JudgedState, edge_cases, held_out_states
from support.survey.answers import AnswerBook
from support.survey.instruments import load
from support.survey.respondents import simulate

FOLDER = ROOT / "data" / "replies"


@dataclass(frozen=True)
class Recording:
    """A sweep that is recorded; `private` where its questions quote outside data.

    Other kinds have a `play` of their own, which asks all of it and returns how much
    was done, and how many replies did not fit their form.
    """

    name: str
    grid: Mapping[str, Sequence[Any]]
    study: str = ""
    paired: Sequence[str] = ()
    repetitions: int = 1
    private: bool = False
    seed: int = 7

    def sweep(self, by: str = "", **grid: Sequence[Any]) -> Sweep:
        """The sweep, or the part of it with the given values; `by` another model."""
        name = f"recorded {self.name}"
        if by not in ("", "embedded"):
            name = f"{self.name} by {by}"
        made, how = {**self.grid, **grid}, (self.repetitions, self.seed, self.paired)
        return Sweep(name, STUDIES[self.study], made, *how)

    async def play(self, store: Store, model: ChatModel) -> tuple[int, int]:
        """Ask all of it."""
        sweep = self.sweep()
        ended = await sweep.run(store, model=model, concurrency=1, progress=False)
        if ended.failed:
            said = f"recording {self.name}: {ended.error}; nothing was written"
            raise CallFailed(said)
        return ended.done, ended.misfits


class Labels(Recording):
    """Labels of the small samples of `support.analysis.agreement.small_tests`."""

    async def play(self, store: Store, model: ChatModel) -> tuple[int, int]:
        """Have every message labelled."""
        annotator, done, errors = LanguageModelAnnotator(model), 0, 0
        for test in await small_tests(self.seed):
            done += len(await annotator.label(test.messages))
            errors += len(annotator.problems)
        return done, errors


class Parses(Recording):
    """Readings of problems of NaturalPlan: three people at most, on one day."""

    def drawn(self) -> tuple[natural_plan.Problem, ...]:
        """The problems that the model was asked about."""
        [many], rng = self.grid["problems"], np.random.default_rng(self.seed)
        every = natural_plan.load()
        return natural_plan.draw(every, many, rng, most_people=3, most_days=1)

    async def play(self, store: Store, model: ChatModel) -> tuple[int, int]:
        """Have every problem read."""
        read = await readings(self.drawn(), "model", model)
        return len(read), int((~read["valid"]).sum())


class Forms(Recording):
    """Forms of an instrument, for personas drawn with the seed."""

    async def fill(self, book: AnswerBook, model: ChatModel) -> int:
        """Put the model's forms into a book; return how many."""
        [instrument], [each] = self.grid.values()
        rng = np.random.default_rng(self.seed)
        return len(await simulate(load(instrument), book, each, rng, model))

    async def play(self, store: Store, model: ChatModel) -> tuple[int, int]:
        """Have every form filled in."""
        book = AnswerBook(store.path.with_name("answers.sqlite"))
        return await self.fill(book, model), 0


class Selections(Recording):
    """Selections of policies in some of the held-out states, with and without a list."""

    def states(self) -> list[JudgedState]:
        """The states that the model was asked about."""
        return held_out_states()[:: self.grid["states, every"][0]]

    async def play(self, store: Store, model: ChatModel) -> tuple[int, int]:
        """Have policies selected."""
        given = model, self.states(), load_policies("seed")
        listed = self.grid["listed"]
        return _judged([await model_selections(*given, one) for one in listed])


class Verdicts(Recording):
    """Verdicts, in the paper's three settings, on one voice of every case."""

    async def play(self, store: Store, model: ChatModel) -> tuple[int, int]:
        """Have replies judged."""
        given = model, one_voice(edge_cases()), load_policies("seed")
        shots = self.grid["shots"]
        return _judged([await model_verdicts(*given, one) for one in shots])


def _judged(frames: Sequence[pd.DataFrame]) -> tuple[int, int]:
    table = pd.concat(frames)
    return len(table), int((table["problem"] != "").sum())


STUDIES: Mapping[str, Any] = {
    "exchange": roundtable_exchange,
    "movielens": roundtable_movielens,
    "meeting": meeting_coordination,
    "decisions": fair_decisions,
    "seminar": seminar,
}
KINDS = {kind.__name__: kind for kind in Recording.__subclasses__()}
TABLE = tomllib.loads((FOLDER / "recordings.toml").read_text(encoding="utf-8"))
RECORDINGS: Mapping[str, Recording] = {
    name: KINDS.get(row.get("study"), Recording)(name, **row)
    for name, row in TABLE.items()
}


def recording(name: str) -> Any:
    """The recording of that name."""
    if name not in RECORDINGS:
        known = ", ".join(RECORDINGS)
        raise InvalidInput(f"recording: {name!r} given; expected one of {known}")
    return RECORDINGS[name]


def replayed(name: str, path: str | Path) -> ChatModel:
    """The embedded model, offline, with the replies of a recording, which the study's
    file `path` takes in."""
    source = FOLDER / f"{recording(name).name}.jsonl.gz"
    if not source.exists():
        told = "restore it from the repository, or run make record"
        raise MissingData(f"recording: {source} is not there; {told}")
    cache = Cache(path)
    cache.load(source)
    return connect("embedded", cache=cache, offline=True)


def note(name: str) -> dict[str, Any]:
    """Which model gave the replies of a recording, when, and to which settings."""
    path = FOLDER / f"{recording(name).name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


async def record(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """Play a recording on the embedded model and write its two files; the note.

    CallFailed, and nothing is written, when a unit failed or a reply quotes private
    data.
    """
    chosen, today = recording(name), datetime.now(UTC).date().isoformat()
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch) / "study.sqlite")
        async with connect("embedded", cache=store.path, concurrency=1) as model:
            done, errors = await chosen.play(store, model)
        cache = Cache(store.path)
        for asked, answered in cache.texts() if chosen.private else ():
            if found := quoted(answered, asked):
                told = f"a reply quotes its data ({found!r}); take another seed"
                raise CallFailed(f"recording {name}: {told}")
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{name}.jsonl.gz"
        about = {"name": name, **model.details, "date": today, "seed": chosen.seed}
        about["grid"] = dict(chosen.grid)
        about["replies"] = cache.export(file, prompts=not chosen.private)
        units = {"done": done, "replies": model.calls, "format_errors": errors}
        about["units"] = units
        if chosen.study in STUDIES:
            frame = frames.units_frame(chosen.sweep(), store)
            about["seconds"] = frame["seconds"].round(1).tolist()
    text = json.dumps(about, indent=1) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return about


def quoted(reply: str, question: str) -> str:
    """What a reply repeats of the table in its question; "" if nothing.

    That is three neighbouring cells of a row, or one cell that is a name of two words
    or a date and stands nowhere else. A table's rows have " | " between cells.

    >>> quoted('I read 7 | 4.5 | F | writer.', "user | mean | sex | job\\n7 | 4.5 | F | a")
    '7 | 4.5 | F'
    """
    lines = question.splitlines()
    rows = [line.split(" | ") for line in lines if line.count(" | ") >= 2][1:]
    elsewhere = " ".join(line for line in lines if line.count(" | ") < 2)
    parts = [cells[i : i + 3] for cells in rows for i in range(len(cells) - 2)]
    for cell in chain(*rows):
        telling = len(cell) >= 8 and (" " in cell or cell.isdigit())
        if telling and cell not in elsewhere:
            parts.append([cell])
    said = _plain(reply)
    found = [part for part in parts if _plain(" ".join(part)) in said]
    return " | ".join(found[0]) if found else ""


def _plain(text: str) -> str:
    return " ".join(text.replace("|", " ").replace(",", " ").lower().split())


if __name__ == "__main__":
    for given in sys.argv[1:] or RECORDINGS:
        print(json.dumps(asyncio.run(record(given))))
