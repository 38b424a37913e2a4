"""How fast replies are kept and found again, beside diskcache and inspect_ai's cache, in one run on one disk.

    python benchmarks/bench_cache.py [ROUNDS]

Every store is a process of its own, on a new folder in every round, and they take turns; values are medians over the
rounds with the lowest and highest beside them, ratios are taken within a round. Three things are timed: one reply
kept, one after the other; a reply found by what was asked; and the whole way from a question to its kept reply through
a model's client, which is what the replay of a study costs.

What differs, and cannot be made equal: Convene has each reply on the disk before it says so (SQLite, WAL, synchronous
FULL). diskcache as it comes, which is also autogen-ext's store, leaves that to the operating system (NORMAL), as
inspect_ai's pickled files do: a power cut takes the last ones. The row "diskcache, FULL" asks the same of it as of
Convene. Convene and inspect_ai make the key from the question; diskcache is given it. Convene's row carries the
question too, which explains a miss later.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

from bench_calls import CALLS, scratch, within
from local_server import MODEL, TEXT, serving
from peer_calls import MAX_TOKENS, PEERS, ROOT, SYSTEM, TEMPERATURE, clients, question

ROUNDS, REPLIES = 5, 1000
OURS = "convene"
Store = tuple[Callable[[int], object], Callable[[int], object]]


def convene(folder: str) -> Store:
    """`Cache.put` and `Cache.get`."""
    sys.path.insert(0, str(ROOT))
    from support.models.replies import Cache
    from support.models.request import Completion, Request

    cache = Cache(Path(folder, "replies.sqlite"))
    reply = Completion(TEXT, 800, 80)

    def request(number: int) -> Request:
        messages = (("system", SYSTEM), ("user", question(number)))
        return Request(
            MODEL,
            "http://127.0.0.1/v1",
            messages,
            None,
            TEMPERATURE,
            None,
            MAX_TOKENS,
            0,
        )

    return lambda number: cache.put(request(number), reply), lambda number: cache.get(
        request(number)
    )


def disk(folder: str, **settings: int) -> Store:
    """diskcache, by a key of 64 letters."""
    from diskcache import Cache

    cache = Cache(folder, **settings)
    reply = {
        "text": TEXT,
        "prompt_tokens": 800,
        "completion_tokens": 80,
        "finish_reason": "stop",
        "latency": 0.0,
    }
    return lambda number: cache.set(f"{number:064}", reply), lambda number: cache.get(
        f"{number:064}"
    )


def inspect(folder: str) -> Store:
    """inspect_ai's `cache_store` and `cache_fetch`."""
    os.environ["INSPECT_CACHE_DIR"] = folder
    from inspect_ai.model import (
        CachePolicy,
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        ModelOutput,
    )
    from inspect_ai.model._cache import CacheEntry, cache_fetch, cache_store

    config, policy = (
        GenerateConfig(temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
        CachePolicy(),
    )
    reply = ModelOutput.from_content(MODEL, TEXT)

    def entry(number: int) -> CacheEntry:
        messages = [
            ChatMessageSystem(content=SYSTEM),
            ChatMessageUser(content=question(number)),
        ]
        return CacheEntry(
            "http://127.0.0.1/v1", config, messages, MODEL, policy, None, []
        )

    return lambda number: cache_store(entry(number), reply), lambda number: cache_fetch(
        entry(number)
    )


STORES: Mapping[str, tuple[Callable[[str], Store], str]] = {
    OURS: (convene, ""),
    "diskcache, FULL": (lambda folder: disk(folder, sqlite_synchronous=2), "diskcache"),
    "diskcache as it comes": (disk, "diskcache"),
    "inspect_ai": (inspect, "inspect_ai"),
}
REPLAYS = (OURS, "autogen-ext", "inspect_ai")


def main() -> None:
    """Print both tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    found: dict[str, list[dict[str, float]]] = {}
    for _ in range(rounds):
        for name in STORES:
            if spent := measured(name):
                found.setdefault(name, []).append(spent)
        found.setdefault("fsync", []).append({"write": synced()})
    print(
        f"\n{REPLIES} replies a round, {rounds} rounds, one after the other: a second, and Convene's speed beside it"
    )
    for name, what in (
        (name, what)
        for what in ("write", "read")
        for name in found
        if what in found[name][0]
    ):
        rates = [REPLIES / spent[what] for spent in found[name]]
        ratios = [
            b[what] / a[what] for a, b in zip(found[OURS], found[name], strict=True)
        ]
        label = (
            "4 kB and an fsync, no more"
            if name == "fsync"
            else f"{name} {found[name][0].get('version', '')}"
        )
        print(
            f"   {what:<6}{label:<32}{within(rates, '7.0f'):<26} x {within(ratios, '.2f')}"
        )
    replays(rounds)


def replays(rounds: int) -> None:
    """Replies that are all kept, 64 asked at a time, through each client with its own cache."""
    print(
        f"\n{CALLS} kept replies a round through the client, 64 at a time: a second, and Convene's speed beside it"
    )
    spent: dict[str, list[float]] = {}
    with (
        serving() as url,
        clients(list(REPLAYS)) as started,
        tempfile.TemporaryDirectory(dir=scratch()) as folder,
    ):
        for name, client in started.items():
            client.calls(f"{url}/0/v1", CALLS, cache=Path(folder, name))
        for _ in range(rounds):
            for name, client in started.items():
                spent.setdefault(name, []).append(
                    client.calls(f"{url}/0/v1", CALLS, cache=Path(folder, name))["wall"]
                )
        for name, walls in spent.items():
            ratios = [
                wall / ours for ours, wall in zip(spent[OURS], walls, strict=True)
            ]
            rates = within([CALLS / wall for wall in walls], "7.0f")
            print(
                f"   {name if name == OURS else started[name].version:<32}{rates:<26} x {within(ratios, '.2f')}"
            )


def measured(name: str) -> dict[str, float] | None:
    """Seconds of one round of one store, None and a line where it cannot run."""
    python = sys.executable if name == OURS else str(PEERS)
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        try:
            run = subprocess.run(
                [python, __file__, "--store", name, folder],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
        except (OSError, subprocess.CalledProcessError) as error:
            print(
                f"{name}: NOT MEASURED, {error} Make build/peers from benchmarks/peers.txt: make bench does."
            )
            return None
    return json.loads(run.stdout.splitlines()[-1])


def store(name: str, folder: str) -> None:
    """One round of one store, in the process that `measured` started."""
    make, package = STORES[name]
    write, read = make(folder)
    write(0)
    read(0)  # imports and tables are not timed
    spent = {}
    for what, action in (("write", write), ("read", read)):
        start = time.perf_counter()
        for number in range(1, REPLIES + 1):
            done = action(number)
            assert done or (what, name) == ("write", OURS), (
                f"{name} did not {what} reply {number}"
            )  # `put` gives None
        spent[what] = time.perf_counter() - start
    print(json.dumps(spent | {"version": version(package) if package else ""}))


def synced() -> float:
    """Seconds of as many writes of 4 kB, each on the disk before the next: what a store that keeps its word pays."""
    with tempfile.TemporaryFile(dir=scratch()) as file:
        start = time.perf_counter()
        for _ in range(REPLIES):
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
        return time.perf_counter() - start


if __name__ == "__main__":
    if sys.argv[1:2] == ["--store"]:
        store(*sys.argv[2:])
    else:
        main()
