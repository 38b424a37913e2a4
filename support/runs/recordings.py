"""Recorded runs of the embedded model: played once (`make record`), replayed anywhere.

A recording is described in data/replies/recordings.toml, and two files beside it: the
replies, compressed, and a note that says which model gave them, when, and to which
questions. A replay asks the same questions and takes each answer from the file: no
model, no key, no network. Questions that quote outside data are not kept; a test refuses
replies that quote a row of them.
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
from datetime import date
from pathlib import Path
from typing import Any

from support.data import ROOT
from support.errors import CallFailed
from support.models import connect
from support.models.model import ChatModel
from support.models.replies import Cache
from support.runs.frames import units_frame
from support.runs.study import Store
from support.runs.sweep import Sweep

FOLDER = ROOT / "data" / "replies"


@dataclass(frozen=True)
class Recording:
    """A sweep that is recorded, its `study` as "module:function".

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
        study = pkgutil.resolve_name(self.study)
        values = {**self.grid, **grid}
        return Sweep(name, study, values, self.repetitions, self.seed, self.paired)


_table = tomllib.loads((FOLDER / "recordings.toml").read_text())
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


async def record(name: str) -> dict[str, Any]:
    """Play a recording on the embedded model and write its two files; the note.

    CallFailed, and nothing is written, when a unit failed.
    """
    chosen = RECORDINGS[name]
    sweep = chosen.sweep()
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch, "study.sqlite"))
        model = connect("embedded", cache=store.path, concurrency=1)
        ended = await sweep.run(store, model=model, concurrency=1, progress=False)
        if ended.failed:
            raise CallFailed(f"recording {name}: {ended.error}")
        tape = FOLDER / f"{name}.jsonl.gz"
        about = {
            "name": name,
            "model": model.model,
            "endpoint": model.endpoint,
            "date": date.today().isoformat(),
            "seed": chosen.seed,
            "grid": chosen.grid,
            "replies": Cache(store.path).export(tape, prompts=not chosen.private),
            "units": {"done": ended.done, "replies": model.calls},
            "seconds": units_frame(sweep, store)["seconds"].round(1).tolist(),
        }
    (FOLDER / f"{name}.json").write_text(json.dumps(about, indent=1) + "\n")
    return about


if __name__ == "__main__":
    for given in sys.argv[1:] or RECORDINGS:
        print(json.dumps(asyncio.run(record(given))))
