"""Replies kept by content in the study's SQLite file, and recorded runs as compressed JSON lines."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.database import guarded, open_database, transaction
from support.errors import DamagedFile, InvalidInput, MissingData
from support.llm.recording import line_of, replaced, reply_json, rows_of, without_question
from support.llm.transport import Completion, Request, canonical

if TYPE_CHECKING:
    from support.llm.nearest import Explanation

TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL)"
INSERT = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?)"  # first come, first kept: others may have read it already
PAGE = 500  # rows that are read at a time: a file of any size is gone through in little memory


class Cache:
    """The replies that a study has had, found again by what was asked.

    Parameters
    ----------
    path : path
        The study's SQLite file, made when it does not exist.

    Raises
    ------
    DamagedFile
        When the file is there and is not an SQLite database, a damaged one or another program's; it is left untouched.
        Later, when what is read turns out to be damaged.
    DiskFull
        When there is no room: what was kept before stays.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db = open_database(self.path)
        self.gone_through = 0  # requests that were read to explain misses
        self._lock = threading.Lock()  # a widget may call from another thread than the sweep
        with guarded(self.path):
            self._db.execute(TABLE)

    def __len__(self) -> int:
        return int(self._rows("SELECT count(*) FROM replies")[0][0])

    def __repr__(self) -> str:
        return f"Cache({str(self.path)!r}, {len(self)} replies)"

    def get(self, request: Request) -> Completion | None:
        """The completion kept for this very request, None when there is none."""
        rows = self._rows("SELECT reply FROM replies WHERE key = ?", (request.key,))
        return self._completion(rows[0][0]) if rows else None

    def put(self, request: Request, completion: Completion) -> Completion:
        """Keep a completion, on disk when this returns, and return the one that is kept.

        A request that was answered already, by another process say, keeps its first answer: go on with that one, and
        a replay goes the same way.
        """
        row = (request.key, request.to_json(), reply_json(completion))
        with self._lock, transaction(self._db, self.path) as db:
            if db.execute(INSERT, row).rowcount:
                return completion
            first = db.execute("SELECT reply FROM replies WHERE key = ?", row[:1]).fetchone()[0]
        return self._completion(first)

    def explain(self, request: Request) -> Explanation:
        """Why this request has no reply here: in what the nearest recorded one differs, part by part.

        Print it to read it; `differences` holds the parts. A request that has its reply is said to have it.
        """
        from support.llm.nearest import explained

        return explained(request, self)

    def requests(self) -> Iterator[tuple[int, str]]:
        """The number of the row, and the JSON of the request, of every reply, in the order in which they came."""
        last = 0
        query = "SELECT rowid, request FROM replies WHERE rowid > ? ORDER BY rowid LIMIT ?"
        while rows := self._rows(query, (last, PAGE)):
            yield from rows
            last = rows[-1][0]

    def request(self, number: int) -> Request:
        """The request in a row.

        Raises
        ------
        DamagedFile
            When it cannot be read.
        """
        text = self._rows("SELECT request FROM replies WHERE rowid = ?", (number,))[0][0]
        try:
            return Request.from_json(text)
        except (ValueError, KeyError, TypeError) as error:
            raise self._unreadable(error) from None

    def models(self) -> dict[tuple[str, str], int]:
        """How many replies are kept of each (model, endpoint)."""
        query = (
            "SELECT json_extract(request, '$.model'), json_extract(request, '$.endpoint'), count(*) "
            "FROM replies GROUP BY 1, 2 ORDER BY 1, 2"
        )
        return {(model, endpoint): count for model, endpoint, count in self._rows(query)}

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every question, its messages joined by line breaks, with its reply."""
        for line in self._lines():
            asked = "\n".join(content for _, content in line["request"].get("messages", ()))
            yield asked, line["reply"]["text"]

    def export(
        self,
        path: str | Path,
        model: str | None = None,
        prompts: bool = True,
        keys: Iterable[str] | None = None,
    ) -> int:
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
        keys : iterable of str, optional
            Only the replies with these keys: those of one study, out of a file that holds several.

        Returns
        -------
        int
            How many replies were written.

        Raises
        ------
        MissingData
            When a key has no reply here; nothing is written then.
        DiskFull
            When there is no room; a recording that was there before stays.
        """
        count, chosen = 0, self._chosen(keys)
        with replaced(Path(path)) as file:
            for line in self._lines(chosen):
                if model in (None, line["request"]["model"], line["request"]["endpoint"]):
                    file.write((canonical(line if prompts else without_question(line)) + "\n").encode())
                    count += 1
        return count

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
        with self._lock, transaction(self._db, self.path) as db:
            return max(db.executemany(INSERT, rows_of(path)).rowcount, 0)

    def close(self) -> None:
        """Close the file; the cache cannot be used afterwards."""
        with self._lock:
            self._db.close()

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple]:
        with self._lock, guarded(self.path):
            return self._db.execute(query, values).fetchall()

    def _completion(self, text: str) -> Completion:
        try:
            return Completion(**json.loads(text))
        except (ValueError, TypeError) as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> DamagedFile:
        return DamagedFile(
            f"{self.path} is damaged: a row of it cannot be read ({error}). It is left as it is: restore it from a "
            "copy, or move it away and take in the recording of the study with Cache.load(...)."
        )

    def _chosen(self, keys: Iterable[str] | None) -> list[str]:
        """The keys to export, in order; all of them unless some are given."""
        if isinstance(keys, str):
            raise InvalidInput(f"keys={keys[:40]!r}: expected a collection of keys, [key] for one.")
        held = [row[0] for row in self._rows("SELECT key FROM replies ORDER BY key")]
        wanted = held if keys is None else sorted(set(keys))
        if missing := set(wanted).difference(held):
            raise MissingData(
                f"{len(missing)} of the {len(wanted)} replies to export are not in {self.path}, the first "
                f"{min(missing)!r}; run the study to its end on this file, then export."
            )
        return wanted

    def _lines(self, keys: list[str] | None = None) -> Iterator[dict[str, Any]]:
        chosen = self._chosen(None) if keys is None else keys
        for start in range(0, len(chosen), PAGE):
            page = chosen[start : start + PAGE]
            places = ", ".join("?" * len(page))
            query = f"SELECT key, request, reply FROM replies WHERE key IN ({places}) ORDER BY key"
            try:
                yield from [line_of(*row) for row in self._rows(query, tuple(page))]
            except (ValueError, AttributeError) as error:
                raise self._unreadable(error) from None
