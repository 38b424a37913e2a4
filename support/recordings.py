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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from support.data import ROOT
from support.errors import CallFailed, InvalidInput, MissingData
from support.llm import Cache, ChatModel, connect
from support.recorded import RECORDINGS, Recording
from support.store import Store

FOLDER = ROOT / "data" / "replies"


def recording(name: str) -> Any:
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
    """Play a recording on the embedded model and write its two files; return the note.

    Raises
    ------
    CallFailed
        When a unit failed, or a reply of a private recording quotes its data; nothing is written then.
    """
    chosen = recording(name)
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(Path(scratch) / "study.sqlite")
        async with connect("embedded", cache=store.path, concurrency=1) as model:
            count = await chosen.play(store, model)
            assert isinstance(model.cache, Cache)
            if chosen.private:
                _check_nothing_is_quoted(name, model.cache)
            folder.mkdir(parents=True, exist_ok=True)
            replies = model.cache.export(folder / f"{name}.jsonl.gz", prompts=not chosen.private)
            about = {"name": name, **model.details, "date": datetime.now(UTC).date().isoformat(), "seed": chosen.seed,
                     "grid": dict(chosen.grid), "replies": replies, "units": dict(count)}  # fmt: skip
            if isinstance(chosen, Recording):
                about["seconds"] = [round(taken, 1) for taken in chosen.sweep().seconds(store)]
    (folder / f"{name}.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return about


def _check_nothing_is_quoted(name: str, cache: Cache) -> None:
    for asked, answered in cache.texts():
        found = quoted(answered, asked)
        if found:
            raise CallFailed(f"recording {name}: a reply quotes its data ({found!r}); record with another seed")


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
    telling = [[cell] for cells in rows for cell in cells if _tells(cell) and cell not in elsewhere]
    return next((" | ".join(part) for part in (*parts, *telling) if _plain(" ".join(part)) in said), "")


def _plain(text: str) -> str:
    return " ".join(text.replace("|", " ").replace(",", " ").lower().split())


def _tells(cell: str) -> bool:
    """Whether a cell alone tells which row it is from: a name of two words, or a date."""
    return len(cell) >= 8 and (" " in cell or cell.isdigit())


if __name__ == "__main__":
    for given in sys.argv[1:] or RECORDINGS:
        print(json.dumps(asyncio.run(record(given))))
