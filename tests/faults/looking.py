"""What a sweep has left in its file, and what the server charges for it."""

import json
import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import debate
from debate import PRICE
from faulty_server import question_id

from support.runs.frames import export
from support.runs.study import Store


def results(path, units):
    """The records of a sweep, by unit."""
    with closing(Store(path)) as store:
        return dict(debate.sweep(units).records(store))


def exported(path, units):
    """The bytes of everything that a sweep is exported to."""
    with tempfile.TemporaryDirectory() as folder, closing(Store(path)) as store:
        files = export(debate.sweep(units), store, folder, "csv")
        return {file.name: file.read_bytes() for file in files}


@contextmanager
def reading(path, alone=True):
    """A look at a study's file; at a copy where nobody is at work, so that looking mends nothing."""
    with tempfile.TemporaryDirectory() as folder:
        if alone:
            for ending in ("", "-wal", "-shm", "-journal"):
                if (part := path.with_name(path.name + ending)).exists():
                    shutil.copyfile(part, Path(folder) / part.name)
        where = Path(folder) / path.name if alone else path
        with closing(sqlite3.connect(where, timeout=30)) as db:
            yield db


def kept(path, alone=True):
    """The replies in a study's file: key to question (as the server names it) and text."""
    with reading(path, alone) as db:
        try:
            rows = db.execute("SELECT key, request, reply FROM replies").fetchall()
        except sqlite3.OperationalError:  # killed before the table was made
            return {}
    found = {}
    for key, request, reply in rows:
        asked = json.loads(request)["messages"]
        messages = [{"role": role, "content": content} for role, content in asked]
        found[key] = question_id(messages), json.loads(reply)["text"]
    return found


def charged(server, run):
    """US dollars that the server charges for a run, by its own count of tokens."""
    total = 0.0
    for line in server.lines(run):
        if line["event"] == "asked" and (count := line["charge"]):
            cached = count["prompt_tokens_details"]["cached_tokens"]
            total += (count["prompt_tokens"] - cached) * PRICE["input"]
            total += cached * PRICE["cached_input"]
            total += count["completion_tokens"] * PRICE["output"]
    return total / 1e6


def account(path):
    """US dollars that the study's file has as spent."""
    with reading(path) as db:
        return sum(db.execute("SELECT spent, uncertain FROM accounts").fetchone()) / 1e9
