"""A fast OpenAI-compatible server on this machine, in a process of its own: its CPU is not its client's.

    python benchmarks/local_server.py

It speaks just enough HTTP/1.1 for chat completions on kept connections, and answers every question with the same 80
words. The address says how long it waits: http://127.0.0.1:PORT/1000/v1 answers after 1000 ms. It prints its port,
and lives until its standard input is closed, so that none stays behind when a benchmark is ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

MODEL = "gpt-4o-mini-2024-07-18"  # one that every client knows, in its full name
TEXT = " ".join(f"word{number}" for number in range(80))


def answer() -> bytes:
    """The whole HTTP answer, made once."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": TEXT},
            }
        ],
        "usage": {"prompt_tokens": 800, "completion_tokens": 80, "total_tokens": 880},
    }
    return _http(json.dumps(body).encode())


def _http(content: bytes) -> bytes:
    return (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        % len(content)
        + content
    )


class Connection(asyncio.Protocol):
    """One connection: whole requests are cut from what has come, and each is answered after its wait."""

    answer = answer()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin with nothing."""
        self.transport = transport
        self.come = b""

    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole."""
        self.come += data
        while (end := self.come.find(b"\r\n\r\n")) >= 0:
            head = self.come[:end].lower()
            length = (
                int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
                if b"content-length:" in head
                else 0
            )
            if len(self.come) < end + 4 + length:
                return
            self.come = self.come[end + 4 + length :]
            self.reply(head)

    def reply(self, head: bytes) -> None:
        """Write the answer, now or after as many milliseconds as the path says."""
        path = head.split(b" ", 2)[1]
        wait, _, rest = path[1:].partition(b"/")
        what = (
            self.answer
            if rest.endswith(b"/chat/completions")
            else _http(b"%f" % time.process_time())
        )
        if wait.isdigit() and int(wait):
            asyncio.get_running_loop().call_later(
                int(wait) / 1000, self.transport.write, what
            )
        else:
            self.transport.write(what)


async def serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server that lives as long as the block, without the path that says how long it waits."""
    process = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.stdin.close()
        process.wait(10)


if __name__ == "__main__":
    asyncio.run(serve())
