"""Recorded replies as compressed JSON lines: what one line holds, how a file of them is written, read and checked."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from support.database import guarded
from support.errors import DamagedFile
from support.llm.differences import NAMES
from support.llm.transport import Completion, Request, canonical


@contextmanager
def replaced(path: Path) -> Iterator[gzip.GzipFile]:
    """A gzipped file that takes the place of what is at `path` in one step, when all of it is written.

    Raises
    ------
    DiskFull
        When there is no room; what is at `path` stays.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")  # another process may be writing the same recording
    with guarded(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
                yield file
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)


def line_of(key: str, request: str, reply: str) -> dict[str, Any]:
    """The line of a recording that a kept row makes; latencies stay out, for they differ from run to run."""
    kept = {name: value for name, value in json.loads(reply).items() if name != "latency"}
    return {"key": key, "request": json.loads(request), "reply": kept}


def without_question(line: dict[str, Any]) -> dict[str, Any]:
    """The line without what was asked: model and endpoint stay."""
    return line | {"request": {name: line["request"][name] for name in NAMES}}


def reply_json(completion: Completion) -> str:
    """A completion as it is kept: a count of tokens that came to its fields later is left out where it is 0."""
    fields = asdict(completion)
    if not fields.get("cached_prompt_tokens"):
        fields.pop("cached_prompt_tokens", None)
    return canonical(fields)


def rows_of(path: Path) -> Iterator[tuple[str, str, str]]:
    """Key, request and reply of each line of a recording, each checked before it is given out.

    Raises
    ------
    DamagedFile
        When a line is not a recorded reply, or its key does not belong to its request.
    """
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
    return key, request, reply_json(completion)
