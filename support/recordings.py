"""Recorded runs of the embedded model: played once (`make record`), kept in data/replies, replayed anywhere.

A recording is two files: the replies, compressed, and a note that says which model gave them, when, and to which
sweep. A replay asks the same questions and takes each answer from the file: no model, no key, no network.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from support.choice import RULES
from support.data import ROOT
from support.errors import CallFailed, InvalidInput, MissingData
from support.llm import Cache, ChatModel, connect
from support.store import Store
from support.studies import roundtable_exchange
from support.sweep import Sweep

FOLDER = ROOT / "data" / "replies"


@dataclass(frozen=True)
class Recording:
    """A sweep whose replies are kept, and under which name."""

    name: str
    grid: Mapping[str, Sequence[Any]]
    seed: int = 7
    repetitions: int = 1

    def sweep(self, **grid: Sequence[Any]) -> Sweep:
        """The recorded sweep, or the part of it that has the given values of settings."""
        return Sweep(
            f"recorded {self.name}", roundtable_exchange, {**self.grid, **grid}, self.repetitions, self.seed,
            paired=("rule",),
        )  # fmt: skip


RECORDINGS = {
    recording.name: recording
    for recording in (
        Recording("start_here", {"rule": ["majority"], "seats": ["model"], "agents": [2], "rounds": [1],
                                 "temperature": [0.7]}),
        Recording("roundtable_exchange", {"rule": list(RULES), "seats": ["model"], "agents": [3], "rounds": [2],
                                          "temperature": [0.7]}),
    )
}  # fmt: skip


def recording(name: str) -> Recording:
    """The recording of that name.

    Raises
    ------
    InvalidInput
        When there is none.
    """
    if name not in RECORDINGS:
        raise InvalidInput(f"recording: {name!r} given; expected one of {', '.join(RECORDINGS)}")
    return RECORDINGS[name]


def replayed(name: str, path: str | Path) -> ChatModel:
    """The embedded model, offline, with the replies of a recording; `path` is the study's file that takes them in.

    Raises
    ------
    MissingData
        When the recording has not been made.
    """
    source = FOLDER / f"{recording(name).name}.jsonl.gz"
    if not source.exists():
        raise MissingData(f"recording: {source} is not there; restore it from the repository, or run make record")
    cache = Cache(path)
    cache.load(source)
    return connect("embedded", cache=cache, offline=True)


def note(name: str) -> dict[str, Any]:
    """Which model gave the replies of a recording, when, and to which settings."""
    return json.loads((FOLDER / f"{recording(name).name}.json").read_text(encoding="utf-8"))


def origin(model: ChatModel, name: str) -> dict[str, str]:
    """Which model gave the replies of a run, and when: now, from the study's file, or from the recording `name`."""
    if model.live_calls:
        when = f"asked on {datetime.now(UTC).date().isoformat()}"
    else:
        when = f"not asked now; the study's file holds them, or the recording of {note(name)['date']}"
    return {**model.details, "replies": when}


async def record(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """Play a recording's sweep on the embedded model and write its two files; return the note."""
    chosen = recording(name)
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch) / "study.sqlite")
        async with connect("embedded", cache=store.path) as model:
            count = await chosen.sweep().run(store, model=model, concurrency=1)
            if count["failed"]:
                raise CallFailed(f"recording {name}: {store.errors(chosen.sweep().name)[0]}; nothing was written")
            folder.mkdir(parents=True, exist_ok=True)
            assert isinstance(model.cache, Cache)
            replies = model.cache.export(folder / f"{name}.jsonl.gz")
            about = {"name": name, **model.details, "date": datetime.now(UTC).date().isoformat(), "seed": chosen.seed,
                     "grid": dict(chosen.grid), "replies": replies, "units": dict(count)}  # fmt: skip
    (folder / f"{name}.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return about


if __name__ == "__main__":
    for given in sys.argv[1:] or RECORDINGS:
        print(json.dumps(asyncio.run(record(given))))
