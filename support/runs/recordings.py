"""Recorded runs of the embedded model: played once (`make record`), replayed anywhere.

A recording is described in data/replies/recordings.toml, and two files beside it: the
replies, compressed, and a note that says which model gave them, when, and to which
questions. A replay asks the same questions and takes each answer from the file: no
model, no key, no network. Questions that quote outside data are not kept, and a reply
that quotes a row of them is refused.
"""

from __future__ import annotations

import asyncio
import json
import pkgutil
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from support.analysis.agreement import small_tests
from support.analysis.annotators import LanguageModelAnnotator
from support.analysis.detection import model_selections, model_verdicts, one_voice
from support.data import ROOT
from support.errors import CallFailed
from support.meetings import natural_plan
from support.meetings.parsing import readings
from support.models import connect
from support.models.model import ChatModel
from support.models.replies import Cache
from support.runs import frames
from support.runs.study import Store
from support.runs.sweep import Sweep
from support.seminar.rules import load_policies
from support.seminar.suite import JudgedState, edge_cases, held_out_states
from support.survey.answers import AnswerBook
from support.survey.instruments import load
from support.survey.respondents import simulate

FOLDER = ROOT / "data" / "replies"


@dataclass(frozen=True)
class Recording:
    """A sweep that is recorded, its `study` as "module:function"; or, without a module,
    the method below that asks all of it.

    `private`: its questions quote outside data.
    """

    name: str
    study: str
    grid: Mapping[str, Sequence[Any]]
    paired: Sequence[str] = ()
    repetitions: int = 1
    private: bool = False
    seed: int = 7

    def sweep(self, by: str = "", **grid: Sequence[Any]) -> Sweep:
        """The sweep, or the part of it with the given values; `by` another model."""
        name = f"{self.name} by {by}" if by else f"recorded {self.name}"
        study, made = pkgutil.resolve_name(self.study), {**self.grid, **grid}
        return Sweep(name, study, made, self.repetitions, self.seed, self.paired)

    async def play(self, store: Store, model: ChatModel) -> int:
        """Ask all of it; how much was done."""
        if ":" not in self.study:
            return await getattr(self, self.study)(store, model)
        sweep = self.sweep()
        ended = await sweep.run(store, model=model, concurrency=1, progress=False)
        if ended.failed:
            raise CallFailed(f"recording {self.name}: {ended.error}")
        return ended.done

    async def labels(self, store: Store, model: ChatModel) -> int:
        """Every message of the small samples is labelled."""
        annotator, done = LanguageModelAnnotator(model), 0
        for test in await small_tests(self.seed):
            done += len(await annotator.label(test.messages))
        return done

    def drawn(self) -> tuple[natural_plan.Problem, ...]:
        """The problems of NaturalPlan that are read: three people, one day at most."""
        [many], rng = self.grid["problems"], np.random.default_rng(self.seed)
        every = natural_plan.load()
        return natural_plan.draw(every, many, rng, most_people=3, most_days=1)

    async def parses(self, store: Store, model: ChatModel) -> int:
        """Every problem is read."""
        return len(await readings(self.drawn(), "model", model))

    async def fill(self, book: AnswerBook, model: ChatModel) -> int:
        """Put forms of drawn personas into a book; return how many."""
        [instrument], [each] = self.grid.values()
        rng = np.random.default_rng(self.seed)
        return len(await simulate(load(instrument), book, each, rng, model))

    async def forms(self, store: Store, model: ChatModel) -> int:
        """Every form is filled in."""
        book = AnswerBook(store.path.with_name("answers.sqlite"))
        return await self.fill(book, model)

    def states(self) -> list[JudgedState]:
        """The held-out states in which policies are selected."""
        return held_out_states()[:: self.grid["states, every"][0]]

    async def selections(self, store: Store, model: ChatModel) -> int:
        """Policies are selected, with and without a list of them."""
        policies, done = load_policies("seed"), 0
        for listed in self.grid["listed"]:
            done += len(await model_selections(model, self.states(), policies, listed))
        return done

    async def verdicts(self, store: Store, model: ChatModel) -> int:
        """One voice of every case is judged, in the paper's three settings."""
        voices, policies, done = one_voice(edge_cases()), load_policies("seed"), 0
        for shots in self.grid["shots"]:
            done += len(await model_verdicts(model, voices, policies, shots))
        return done


_table = tomllib.loads((FOLDER / "recordings.toml").read_text(encoding="utf-8"))
RECORDINGS = {name: Recording(name, **row) for name, row in _table.items()}


def recording(name: str) -> Recording:
    """The recording of that name."""
    return RECORDINGS[name]


def replayed(name: str, path: str | Path) -> ChatModel:
    """The embedded model, offline, with the replies of a recording, which the study's
    file `path` takes in."""
    cache = Cache(path)
    cache.load(FOLDER / f"{name}.jsonl.gz")
    return connect("embedded", cache=cache, offline=True)


def note(name: str) -> dict[str, Any]:
    """Which model gave the replies of a recording, when, and to which settings."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


async def record(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """Play a recording on the embedded model and write its two files; the note.

    CallFailed, and nothing is written, when a unit failed or a reply quotes private
    data.
    """
    chosen = RECORDINGS[name]
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch) / "study.sqlite")
        async with connect("embedded", cache=store.path, concurrency=1) as model:
            done = await chosen.play(store, model)
        cache = Cache(store.path)
        for asked, answered in cache.texts() if chosen.private else ():
            if found := quoted(answered, asked):
                told = f"a reply quotes its data ({found!r}); take another seed"
                raise CallFailed(f"recording {name}: {told}")
        today = datetime.now(UTC).date().isoformat()
        about = {"name": name, **model.details, "date": today, "seed": chosen.seed}
        about["grid"] = chosen.grid
        file = folder / f"{name}.jsonl.gz"
        about["replies"] = cache.export(file, prompts=not chosen.private)
        about["units"] = {"done": done, "replies": model.calls}
        if ":" in chosen.study:
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
    said = _plain(reply)
    for cells in rows:
        parts = [cells[start : start + 3] for start in range(len(cells) - 2)]
        for cell in cells:
            telling = len(cell) >= 8 and (" " in cell or cell.isdigit())
            if telling and cell not in elsewhere:
                parts.append([cell])
        for part in parts:
            if _plain(" ".join(part)) in said:
                return " | ".join(part)
    return ""


def _plain(text: str) -> str:
    return " ".join(text.replace("|", " ").replace(",", " ").lower().split())


if __name__ == "__main__":
    for given in sys.argv[1:] or RECORDINGS:
        print(json.dumps(asyncio.run(record(given))))
