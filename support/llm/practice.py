"""A provider to practise with: a recording's replies, under a pretended price, with the faults of a bad day.

Money, retries and budgets can so be watched without a key. What it replies was recorded of the embedded model; what
it charges is made up (`data/inputs/prices`), and what goes wrong is drawn.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from dataclasses import asdict
from pathlib import Path

from support.errors import CallFailed, InvalidInput, MissingData
from support.llm.attempts import Patience
from support.llm.cache import Cache
from support.llm.client import ChatModel
from support.llm.differences import NAMES
from support.llm.pace import Pace
from support.llm.transport import Completion, Request, Transport, canonical

RETRY_AFTER = 0.2
FAULTS = {
    "429": (False, RETRY_AFTER),
    "500": (False, None),
    "broken connection": (True, None),
    "time-out": (True, None),
}
"""What goes wrong: whether the provider may charge for it, and how long it asks to wait."""


class Practice(Transport):
    """Replies from a recording, in the order in which they are asked for."""

    model, endpoint = "recorded", "practice"

    def __init__(self, recording: Path, latency: float, faults: float, rng: random.Random) -> None:
        self._replies = dict(_read(recording))
        self._latency, self._faults, self._rng = latency, faults, rng
        self._recording = recording

    async def complete(self, request: Request) -> Completion:
        """The recorded reply to the same question, or one of `FAULTS`."""
        await asyncio.sleep(self._latency)
        if self._rng.random() < self._faults:
            raise _fault(self._rng.choice(list(FAULTS)))
        if (found := self._replies.get(_question(asdict(request)))) is None:
            raise InvalidInput(
                f"{self._recording.name} holds no reply to {request.messages[-1][1][:60]!r}…: a practice model answers "
                "only what its recording was asked; play that recording's own sweep."
            )
        return found


def practice(
    recording: str | Path,
    *,
    latency: float = 0.05,
    faults: float = 0.0,
    seed: int = 0,
    cache: Cache | str | Path | None = None,
    offline: bool = False,
    concurrency: int = 8,
    requests_per_minute: int | None = None,
    tokens_per_minute: int | None = None,
) -> ChatModel:
    """A model that replies as a recording has it, charges a pretended price, and fails now and then.

    Parameters
    ----------
    recording : path
        A file that `Cache.export` wrote, with its questions.
    latency : float
        Seconds a call.
    faults : float
        The share of attempts that fail, 0 to less than 1.
    seed : int
        Of the faults. They are dealt in the order of the calls, which differs from run to run.
    cache, offline, concurrency, requests_per_minute, tokens_per_minute
        As for `connect`.

    Raises
    ------
    InvalidInput
        When `faults` is no share, or the recording was written without its questions.
    MissingData
        When there is no such file.
    """
    if isinstance(faults, bool) or not isinstance(faults, (int, float)) or not 0 <= faults < 1:
        raise InvalidInput(f"faults={faults!r}: expected a share from 0 to less than 1.")
    transport = Practice(Path(recording), latency, faults, random.Random(seed))
    kept = Cache(cache) if isinstance(cache, (str, Path)) else cache
    pace = Pace(requests_per_minute, tokens_per_minute)
    patience = Patience(max_retries=12)
    return ChatModel(transport, cache=kept, offline=offline, concurrency=concurrency, patience=patience, pace=pace)


def _fault(kind: str) -> CallFailed:
    error = CallFailed(f"the practice provider pretends: {kind}.")
    error.fault, error.transient = kind, True
    error.charged, error.retry_after = FAULTS[kind]
    return error


def _read(recording: Path) -> list[tuple[str, Completion]]:
    if not recording.is_file():
        raise MissingData(f"there is no recording at {recording}; those of the package are in data/replies.")
    with gzip.open(recording, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if any("messages" not in line["request"] for line in lines):
        raise InvalidInput(f"{recording} was written without its questions, so that no question finds its reply there.")
    return [(_question(line["request"]), Completion(**line["reply"])) for line in lines]


def _question(request: dict) -> str:
    """What was asked, whoever was asked."""
    return canonical({name: value for name, value in request.items() if name not in NAMES})
