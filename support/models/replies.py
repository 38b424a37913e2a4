"""Replies kept by content in the study's SQLite file, and recorded runs as compressed JSON lines."""

from __future__ import annotations

import difflib
import gzip
import json
import os
import re
import threading
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from support.database import guarded, open_database, transaction
from support.errors import DamagedFile, InvalidInput, MissingData
from support.models.request import Completion, Request, canonical

TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL)"
INSERT = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?)"  # first come, first kept: others may have read it already
NAMES = (
    "model",
    "endpoint",
)  # who was asked: all that a recording without its questions keeps of a request
LATER = (
    "cached_prompt_tokens",
    "thinking",
)  # fields of a completion that are left out where they are empty
SHOWN, MARKS = (
    8,
    ("--", "++", "@@"),
)  # lines of a difference; and those that say nothing
PATIENCE = 200_000  # requests that one cache goes through for misses: a few seconds


class Cache:
    """The replies that a study has had, found again by what was asked; the file is made when it does not exist.

    DamagedFile when it is no SQLite database, a damaged one or another program's: it is left as it is.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db, self._lock = (
            open_database(self.path),
            threading.Lock(),
        )  # a widget may call from another thread
        self._gone_through = 0
        with guarded(self.path):
            self._db.execute(TABLE)
        self._inode = self.path.stat().st_ino

    @property
    def lost(self) -> bool:
        """Whether the file was taken away, or another put in its place: what is kept here nobody would find."""
        return not self.path.exists() or self.path.stat().st_ino != self._inode

    def __len__(self) -> int:
        return int(self._rows("SELECT count(*) FROM replies")[0][0])

    def get(self, request: Request) -> Completion | None:
        """The completion kept for this very request, None when there is none."""
        rows = self._rows("SELECT reply FROM replies WHERE key = ?", (request.key,))
        return self._completion(rows[0][0]) if rows else None

    def put(self, request: Request, completion: Completion) -> Completion:
        """Keep a completion, on disk when this returns, and return the one that is kept: the first, by whomever."""
        row = (request.key, request.to_json(), _reply_json(completion))
        with self._lock, transaction(self._db, self.path) as db:
            if db.execute(INSERT, row).rowcount:
                return completion
            first = db.execute(
                "SELECT reply FROM replies WHERE key = ?", row[:1]
            ).fetchone()[0]
        return self._completion(first)

    def explain(self, request: Request) -> str:
        """Why this request has no reply here: a plain difference to the recorded one that has most words in common."""
        if self.get(request) is not None:
            return "The reply to this very request is recorded."
        words = lambda text: Counter(re.split(r"\\n|[\s\",]+", text))
        text, rows = (
            request.to_json(),
            [row[0] for row in self._rows("SELECT request FROM replies")],
        )
        asked, told = words(text), [row for row in rows if '"messages"' in row]
        if not told:
            kept = {tuple(json.loads(row)[name] for name in NAMES) for row in rows}
            return f"No reply is recorded with its question; replies are kept of {sorted(kept)}."
        best = max(
            told,
            key=lambda row: (
                (asked & words(row)).total() - abs(len(row) - len(text)) // 200,
                row,
            ),
        )
        before, now = (_plainly(json.loads(one)) for one in (best, text))
        found = [
            line[:160]
            for line in difflib.unified_diff(before, now, n=0, lineterm="")
            if line[:2] not in MARKS
        ]
        more = f"; and {len(found) - SHOWN} lines more" if len(found) > SHOWN else ""
        said = " | ".join(found[:SHOWN])
        return f"The nearest of {len(rows):,} recorded requests (-) differs from this one (+): {said}{more}."

    def missed(self, request: Request) -> str:
        """What a `CacheMiss` says: what was asked, in what the nearest recorded one differs, and the way out."""
        self._gone_through += len(self)  # many calls may miss at once
        told = (
            self.explain(request)
            if self._gone_through < PATIENCE
            else "Cache.explain(…) tells what differs."
        )
        asked = f"its reply to {request.messages[-1][1][:60]!r}… is not recorded in {self.path}. {told}"
        way = "Connect without offline=True, or take in the recording of this run with Cache.load(...)."
        return (
            f"{request.model} at {request.endpoint} is used offline, and {asked} {way}"
        )

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every question, its messages joined by line breaks, with its reply."""
        for line in self._lines():
            yield (
                "\n".join(
                    content for _, content in line["request"].get("messages", ())
                ),
                line["reply"]["text"],
            )

    def export(
        self, path: str | Path, prompts: bool = True, keys: Iterable[str] | None = None
    ) -> int:
        """Write the replies as gzipped JSON lines, the same replies as the same bytes; return how many.

        `prompts` False leaves the questions out, where they quote data that may not be passed on.
        """
        count = 0
        with _replaced(Path(path)) as file:
            for line in self._lines(keys):
                count += 1
                who = {name: line["request"][name] for name in NAMES}
                file.write(
                    (
                        canonical(line if prompts else line | {"request": who}) + "\n"
                    ).encode()
                )
        return count

    def load(self, path: str | Path) -> int:
        """Take in what `export` wrote: all of it or, where a line is damaged, nothing; return how many are new."""
        path = Path(path)
        if not path.is_file():
            raise MissingData(
                f"there is no recording at {path}; give the path of a file that `Cache.export` wrote."
            )
        with self._lock, transaction(self._db, self.path) as db:
            return max(db.executemany(INSERT, _recorded(path)).rowcount, 0)

    def close(self) -> None:
        """Close the file; the cache cannot be used afterwards."""
        with self._lock:
            self._db.close()

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple]:
        with self._lock, guarded(self.path):
            return self._db.execute(query, values).fetchall()

    def _completion(self, text: str) -> Completion:
        with self._readable():
            return Completion(**json.loads(text))

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, AttributeError) as error:
            raise DamagedFile(
                f"{self.path} is damaged: a row of it cannot be read ({error}). It is left as it is: restore it from a "
                "copy, or move it away and take in the recording of the study with Cache.load(...)."
            ) from None

    def _lines(self, keys: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """The lines of a recording that kept rows make, in order; latencies stay out, for they differ between runs."""
        if isinstance(keys, str):
            raise InvalidInput(
                f"keys={keys[:40]!r}: expected a collection of keys, [key] for one."
            )
        held = [row[0] for row in self._rows("SELECT key FROM replies ORDER BY key")]
        wanted = held if keys is None else sorted(set(keys))
        if missing := set(wanted).difference(held):
            raise MissingData(
                f"{len(missing)} of the {len(wanted)} replies to export are not in {self.path}, the first "
                f"{min(missing)!r}; run the study to its end on this file, then export."
            )
        for key in wanted:
            [(request, reply)] = self._rows(
                "SELECT request, reply FROM replies WHERE key = ?", (key,)
            )
            with self._readable():
                kept = {
                    name: value
                    for name, value in json.loads(reply).items()
                    if name != "latency"
                }
                line = {"key": key, "request": json.loads(request), "reply": kept}
            yield line


def _plainly(request: dict[str, Any]) -> list[str]:
    """A request on lines: a clause of a message, or a setting, each."""
    clauses = re.compile(r"\n|(?<=[.;:,]) ")
    said = [
        f"{role}: {part}"
        for role, text in request.get("messages", ())
        for part in clauses.split(text)
    ]
    return [
        *said,
        *(
            f"{name}: {value}"
            for name, value in sorted(request.items())
            if name != "messages"
        ),
    ]


@contextmanager
def _replaced(path: Path) -> Iterator[gzip.GzipFile]:
    """A gzipped file that takes the place of what is at `path` in one step, when all of it is written."""
    draft = path.with_name(
        f"{path.name}.{os.getpid()}.part"
    )  # another process may be writing the same recording
    with guarded(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with (
                draft.open("wb") as raw,
                gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file,
            ):
                yield file
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)


def _reply_json(completion: Completion) -> str:
    """A completion as it is kept: fields that came later are left out where they are empty."""
    return canonical(
        {
            name: value
            for name, value in asdict(completion).items()
            if value or name not in LATER
        }
    )


def _recorded(path: Path) -> Iterator[tuple[str, str, str]]:
    """Key, request and reply of each line of a recording, each checked before it is given out."""
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                number += 1
                yield _row(json.loads(line))
        return
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        detail = f"it does not unpack after line {number} ({error})"
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        detail = f"line {max(number, 1)} is not a recorded reply ({error})"
    end = "Nothing was taken from it; fetch the file again, or record the run anew."
    raise DamagedFile(f"{path} is damaged: {detail}. {end}")


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
    return key, request, _reply_json(completion)
