"""One client of language models in a process of its own, ours or a peer's: the calls that bench_calls.py times.

    build/peers/bin/python benchmarks/peer_calls.py autogen-ext

It reads a line of JSON, {"url": ..., "calls": ..., "first": ..., "cache": ...}, makes that many calls with 64 in flight
through that client, and writes {"wall": ..., "cpu": ..., "queued": ...}: seconds of the clock, of the CPU of this
process alone, and those in which it was ready and had no core, because others had them all. The same loop drives every
client, and every client asks the same questions and checks the same answer. Apart from the limit of 64 and the address,
each is as it comes.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from local_server import MODEL, TEXT

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "build" / "peers" / "bin" / "python"
IN_FLIGHT, TEMPERATURE, MAX_TOKENS, TIMEOUT = 64, 0.7, 256, 120.0
SYSTEM = (
    "You are a member of a group that has to agree. Say in one sentence what you propose, and why. "
    * 5
)
STORY = (
    "The others said that Monday suits them, that the room is small, and that nobody has read the paper. "
    * 25
)

Ask = Callable[[int], Awaitable[str]]


def question(number: int) -> str:
    """About 2500 letters, another text for every number."""
    return f"Meeting {number}. {STORY}"


def convene(url: str, kept: str | None) -> Ask:
    """Convene: `connect(...).reply(...)`."""
    sys.path.insert(0, str(ROOT))
    from support.models import connect

    model = connect(
        MODEL,
        base_url=url,
        api_key="none",
        concurrency=IN_FLIGHT,
        cache=kept and Path(kept, "c.sqlite"),
    )

    async def ask(number: int) -> str:
        messages = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": question(number)},
        ]
        return (
            await model.reply(messages, temperature=TEMPERATURE, max_tokens=MAX_TOKENS)
        ).text

    return ask


def openai_package(url: str, kept: str | None, aiohttp: bool = False) -> Ask:
    """The openai package's own client, with its default transport or with aiohttp's. It keeps no replies."""
    import openai

    http = openai.DefaultAioHttpClient() if aiohttp else None
    client = openai.AsyncOpenAI(base_url=url, api_key="none", http_client=http)

    async def ask(number: int) -> str:
        messages = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": question(number)},
        ]
        answer = await client.chat.completions.create(
            model=MODEL,
            messages=messages,
            temperature=TEMPERATURE,
            max_tokens=MAX_TOKENS,
        )
        return answer.choices[0].message.content

    return ask


def autogen(url: str, kept: str | None) -> Ask:
    """autogen-ext: `OpenAIChatCompletionClient.create`; with a cache, behind its `ChatCompletionCache` on diskcache."""
    from autogen_core.models import SystemMessage, UserMessage
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    client = OpenAIChatCompletionClient(
        model=MODEL,
        base_url=url,
        api_key="none",
        temperature=TEMPERATURE,
        max_tokens=MAX_TOKENS,
    )
    if kept:
        from autogen_ext.cache_store.diskcache import DiskCacheStore
        from autogen_ext.models.cache import ChatCompletionCache
        from diskcache import Cache

        client = ChatCompletionCache(client, DiskCacheStore(Cache(kept)))

    async def ask(number: int) -> str:
        messages = [
            SystemMessage(content=SYSTEM),
            UserMessage(content=question(number), source="user"),
        ]
        return (await client.create(messages)).content

    return ask


def inspect(url: str, kept: str | None) -> Ask:
    """inspect_ai: `get_model("openai-api/...").generate`; with a cache, its own, a pickled file for each reply."""
    if kept:
        os.environ["INSPECT_CACHE_DIR"] = kept
    from inspect_ai.model import (
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        get_model,
    )

    config = GenerateConfig(
        max_connections=IN_FLIGHT, temperature=TEMPERATURE, max_tokens=MAX_TOKENS
    )
    model = get_model(
        f"openai-api/local/{MODEL}", base_url=url, api_key="none", config=config
    )

    async def ask(number: int) -> str:
        messages = [
            ChatMessageSystem(content=SYSTEM),
            ChatMessageUser(content=question(number)),
        ]
        return (await model.generate(messages, cache=bool(kept))).completion

    return ask


CLIENTS: Mapping[str, tuple[Callable[[str, str | None], Ask], str]] = {
    "convene": (convene, "openai"),
    "openai, default transport": (openai_package, "openai"),
    "openai, aiohttp transport": (
        lambda url, kept: openai_package(url, kept, aiohttp=True),
        "openai",
    ),
    "autogen-ext": (autogen, "autogen-ext"),
    "inspect_ai": (inspect, "inspect_ai"),
}


class Client:
    """A process that runs this file, and makes calls when it is told to; `version` is its package's."""

    def __init__(self, name: str) -> None:
        python = (
            sys.executable if name.startswith(("convene", "openai")) else str(PEERS)
        )
        self._process = subprocess.Popen(
            [python, __file__, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.version = self._said()["version"]

    def calls(
        self, url: str, calls: int, first: int = 0, cache: Path | None = None
    ) -> dict[str, float]:
        """Seconds of the clock and of the client's CPU that so many calls took, 64 in flight."""
        assert self._process.stdin is not None
        task = {
            "url": url,
            "calls": calls,
            "first": first,
            "cache": cache and str(cache),
        }
        print(json.dumps(task), file=self._process.stdin, flush=True)
        return self._said()

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def _said(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(
                f"the client ended with status {self._process.wait()}; what it said is above."
            )
        return json.loads(line)


@contextmanager
def clients(names: list[str]) -> Iterator[dict[str, Client]]:
    """The clients that start here; one that does not is named, with what to do, and left out."""
    started: dict[str, Client] = {}
    try:
        for name in names:
            try:
                started[name] = Client(name)
            except (OSError, RuntimeError) as error:
                print(
                    f"{name}: NOT MEASURED, {error} Make build/peers from benchmarks/peers.txt: make bench does."
                )
        yield started
    finally:
        for client in started.values():
            client.close()


async def main(name: str) -> None:
    """Serve one client until the input ends; only the protocol goes to the standard output."""
    protocol = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    make, package = CLIENTS[name]
    client = cache(make)
    client(
        "http://127.0.0.1:9/v1", None
    )  # an import that fails shows here, before anything is timed
    print(
        json.dumps({"version": f"{package} {version(package)}"}),
        file=protocol,
        flush=True,
    )
    while line := sys.stdin.readline():
        task = json.loads(line)
        spent = await timed(
            client(task["url"], task["cache"]),
            range(task["first"], task["first"] + task["calls"]),
        )
        print(json.dumps(spent), file=protocol, flush=True)
    os._exit(
        0
    )  # some clients keep connections and threads that would have to be closed one by one


async def timed(ask: Ask, numbers: range) -> dict[str, float]:
    """The calls with 64 in flight: as one ends, the next begins."""
    waiting = iter(numbers)

    async def seat() -> None:
        for number in waiting:
            if await ask(number) != TEXT:
                raise ValueError("the answer is not the one that the server gave")

    wall, cpu, queue = time.perf_counter(), time.process_time(), queued()
    await asyncio.gather(*(seat() for _ in range(IN_FLIGHT)))
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "queued": queued() - queue,
    }


def queued() -> float:
    """Seconds that this thread was ready to run and did not, as Linux counts them; 0 elsewhere."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
