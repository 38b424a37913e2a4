"""Replies kept by content in the study's file, and recordings as compressed JSON lines."""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from support.database import guarded, open_database, transaction
from support.errors import DamagedFile, MissingData
from support.models.request import Completion, Request, canonical

TABLE = (
    "CREATE TABLE IF NOT EXISTS replies "
    "(key TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL)"
)
INSERT = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?)"  # the first is kept
REPLY = "SELECT reply FROM replies WHERE key = ?"
LINE = "SELECT request, reply FROM replies WHERE key = ?"
NAMES = "model", "endpoint"  # all that a recording without its questions keeps of them
LATER = ("cached_prompt_tokens", "thinking", "thinking_tokens", "model", "fingerprint")
"""Fields of a completion that are left out where they are empty."""
DAMAGE = OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError


class Cache:
    """The replies that a study has had, found again by what was asked.

    The file is made when it does not exist. DamagedFile when it is no SQLite database, a
    damaged one or another program's: it is left as it is.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db = open_database(self.path)
        self._lock = threading.Lock()  # a widget may call from another thread
        with guarded(self.path):
            self._db.execute(TABLE)
        self._inode = self.path.stat().st_ino

    @property
    def lost(self) -> bool:
        """Whether the file was taken away, or another put in its place."""
        return not self.path.exists() or self.path.stat().st_ino != self._inode

    def __len__(self) -> int:
        return int(self._rows("SELECT count(*) FROM replies")[0][0])

    def get(self, request: Request) -> Completion | None:
        """The completion kept for this very request, None when there is none."""
        rows = self._rows(REPLY, request.key)
        try:
            return Completion(**json.loads(rows[0][0])) if rows else None
        except (ValueError, TypeError) as error:
            raise DamagedFile(
                f"{self.path} is damaged: a row of it cannot be read ({error}). It is left "
                "as it is: restore it from a copy, or move it away and take in the "
                "recording of the study with Cache.load(...)."
            ) from None

    def put(self, request: Request, completion: Completion) -> Completion:
        """Keep a completion, on disk when this returns; the first one, by whomever."""
        row = request.key, request.to_json(), _kept(completion)
        with self._lock, transaction(self._db, self.path) as db:
            if db.execute(INSERT, row).rowcount:
                return completion
        return self.get(request) or completion

    def missed(self, request: Request) -> str:
        """What a `CacheMiss` says: what was asked, with which settings, and the way out."""
        said = request.messages[-1][1][:60]
        return (
            f"{request.model} at {request.endpoint} is used offline, and its reply to "
            f"{said!r}… is not recorded in {self.path} for these settings (temperature "
            f"{request.temperature:g}, seed {request.seed}). Connect without "
            "offline=True, or take in the recording of this run with Cache.load(...)."
        )

    def export(
        self, path: str | Path, prompts: bool = True, keys: Iterable[str] | None = None
    ) -> int:
        """Write the replies as gzipped JSON lines; return how many.

        The same replies are the same bytes. `prompts` False leaves the questions out,
        where they quote data that may not be passed on.
        """
        path = Path(path)
        lines = list(self.lines(keys))
        made = BytesIO()
        with gzip.GzipFile("", "wb", 9, made, 0) as file:
            for line in lines:
                asked = line["request"]
                if not prompts:
                    line["request"] = {name: asked[name] for name in NAMES}
                file.write(f"{canonical(line)}\n".encode())
        with guarded(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(made.getvalue())
        return len(lines)

    def load(self, path: str | Path) -> int:
        """Take in what `export` wrote; return how many are new.

        All of it or, where a line is damaged, nothing.
        """
        path = Path(path)
        if not path.is_file():
            raise MissingData(
                f"there is no recording at {path}; give the path of a file that "
                "`Cache.export` wrote."
            )
        with self._lock, transaction(self._db, self.path) as db:
            return max(db.executemany(INSERT, _recorded(path)).rowcount, 0)

    def close(self) -> None:
        """Close the file; the cache cannot be used afterwards."""
        with self._lock:
            self._db.close()

    def _rows(self, query: str, *values: Any) -> list[tuple]:
        with self._lock, guarded(self.path):
            return self._db.execute(query, values).fetchall()

    def lines(self, keys: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """The lines of a recording, in order; latencies differ between runs: left out."""
        held = {key for (key,) in self._rows("SELECT key FROM replies")}
        wanted = held if keys is None else set(keys)
        missing = wanted - held
        if missing:
            raise MissingData(
                f"{len(missing)} of the {len(wanted)} replies to export are not in "
                f"{self.path}, the first {min(missing)!r}; run the study to its end on "
                "this file, then export."
            )
        for key in sorted(wanted):
            [(request, reply)] = self._rows(LINE, key)
            kept = json.loads(reply)
            kept.pop("latency", None)
            yield {"key": key, "request": json.loads(request), "reply": kept}


def _kept(completion: Completion) -> str:
    """A completion as it is kept."""
    made = asdict(completion)
    kept = {name: made[name] for name in made if made[name] or name not in LATER}
    return canonical(kept)


def _recorded(path: Path) -> Iterator[tuple[str, str, str]]:
    """Key, request and reply of each line of a recording, checked."""
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                number += 1
                yield _row(**json.loads(line))
    except DAMAGE as error:
        raise DamagedFile(
            f"{path} is damaged: line {number} is no recorded reply, or the next does not "
            f"unpack ({error}). Nothing was taken from it; fetch the file again, or record "
            "the run anew."
        ) from None


def _row(
    key: str, request: dict[str, Any], reply: dict[str, Any]
) -> tuple[str, str, str]:
    asked = canonical(request)
    if request.keys() != set(NAMES) and sha256(asked.encode()).hexdigest() != key:
        raise ValueError("its key does not belong to its request")
    return key, asked, _kept(replace(Completion(**reply), latency=0.0))
