"""Replies kept by content in the study's SQLite file, and recorded runs as compressed JSON lines."""

from __future__ import annotations

import gzip
import json
import os
import re
import threading
import zlib
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from support.database import open_database
from support.errors import DamagedFile, MissingData
from support.llm.transport import Completion, Request, canonical

NAMES = ("model", "endpoint")  # what a recording without its questions keeps of a request
TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL)"
INSERT = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?)"  # first come, first kept: others may have read it already


class Cache:
    """The replies that a study has had, found again by what was asked.

    Parameters
    ----------
    path : path
        The study's SQLite file, made when it does not exist.

    Raises
    ------
    DamagedFile
        When the file is there and is not an SQLite database; it is left untouched.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db = open_database(self.path)
        self._lock = threading.Lock()  # a widget may call from another thread than the sweep
        with self._lock, self._db:
            self._db.execute(TABLE)

    def __len__(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM replies").fetchone()[0])

    def __repr__(self) -> str:
        return f"Cache({str(self.path)!r}, {len(self)} replies)"

    def get(self, request: Request) -> Completion | None:
        """The completion kept for this very request, None when there is none."""
        with self._lock:
            row = self._db.execute("SELECT reply FROM replies WHERE key = ?", (request.key,)).fetchone()
        return None if row is None else Completion(**json.loads(row[0]))

    def put(self, request: Request, completion: Completion) -> None:
        """Keep a completion, on disk when this returns. A request that is already answered keeps its first answer."""
        with self._lock, self._db:
            self._db.execute(INSERT, (request.key, request.to_json(), canonical(asdict(completion))))

    def models(self) -> dict[tuple[str, str], int]:
        """How many replies are kept of each (model, endpoint)."""
        query = (
            "SELECT json_extract(request, '$.model'), json_extract(request, '$.endpoint'), count(*) "
            "FROM replies GROUP BY 1, 2 ORDER BY 1, 2"
        )
        with self._lock:
            return {(model, endpoint): count for model, endpoint, count in self._db.execute(query)}

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every question, its messages joined by line breaks, with its reply."""
        for line in self._lines():
            asked = "\n".join(content for _, content in line["request"].get("messages", ()))
            yield asked, line["reply"]["text"]

    def export(self, path: str | Path, model: str | None = None, prompts: bool = True) -> int:
        """Write the replies as gzipped JSON lines: the same replies give the same bytes.

        Latencies stay out, for they differ from run to run.

        Parameters
        ----------
        path : path
            Conventionally ``data/replies/<study>.jsonl.gz``. It is replaced in one step.
        model : str, optional
            Only the replies of this model, named as it was given to `connect` ("embedded" for the embedded one).
        prompts : bool
            False leaves the questions out, where they quote data that may not be passed on. Such a recording
            replays like any other; that a line's key belongs to its question can then not be checked.

        Returns
        -------
        int
            How many replies were written.
        """
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            line for line in self._lines() if model in (None, line["request"]["model"], line["request"]["endpoint"])
        ]
        if not prompts:
            lines = [line | {"request": {n: line["request"][n] for n in NAMES}} for line in lines]
        draft = path.with_name(path.name + ".part")
        with draft.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            for line in lines:
                file.write((canonical(line) + "\n").encode())
        os.replace(draft, path)
        return len(lines)

    def load(self, path: str | Path) -> int:
        """Take in the replies that `export` wrote: all of them, or none when one line is damaged.

        Returns
        -------
        int
            How many were new.

        Raises
        ------
        MissingData
            When there is no such file.
        DamagedFile
            When a line is not a recorded reply, or its key does not belong to its request.
        """
        path = Path(path)
        if not path.is_file():
            raise MissingData(f"there is no recording at {path}; give the path of a file that `Cache.export` wrote.")
        before = len(self)
        with self._lock, self._db:
            self._db.executemany(INSERT, _recorded(path))
        return len(self) - before

    def close(self) -> None:
        """Close the file; the cache cannot be used afterwards."""
        with self._lock:
            self._db.close()

    def _lines(self) -> Iterator[dict[str, Any]]:
        with self._lock:
            rows = self._db.execute("SELECT key, request, reply FROM replies ORDER BY key").fetchall()
        for key, request, reply in rows:
            kept = {name: value for name, value in json.loads(reply).items() if name != "latency"}
            yield {"key": key, "request": json.loads(request), "reply": kept}


def _recorded(path: Path) -> Iterator[tuple[str, str, str]]:
    """The rows of a recording, each checked before it is given out."""
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                number += 1
                yield _row(json.loads(line))
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        detail = f"it does not unpack after line {number} ({error})"
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        detail = f"line {max(number, 1)} is not a recorded reply ({error})"
    else:
        return
    raise DamagedFile(
        f"{path} is damaged: {detail}. Nothing was taken from it; fetch the file again, or record the run anew."
    )


def _row(line: dict[str, Any]) -> tuple[str, str, str]:
    if set(line["request"]) == set(NAMES):
        key, request = line["key"], canonical(line["request"])
    else:
        whole = Request.from_json(canonical(line["request"]))
        key, request = whole.key, whole.to_json()
    if key != line["key"] or not re.fullmatch("[0-9a-f]{64}", key):
        raise ValueError("its key does not belong to its request")
    completion = replace(Completion(**line["reply"]), latency=0.0)
    if not isinstance(completion.text, str):
        raise TypeError("its text is no text")
    return key, request, canonical(asdict(completion))
