"""An OpenAI-compatible server that fails on purpose, in a process of its own, so that it outlives a killed client.

    python tests/faults/faulty_server.py LOG

The address says how it behaves, so that one server serves many trials: /SHARE-SEED-MILLISECONDS-RUN/v1 makes faults of
that share of its answers, waits so long before each, and marks its log with the name of the run. What is replied
depends on the question alone, repairs left out: a run with faults has to end like one without. What fails depends on
the seed, the question and how often it was asked. Every question and every whole answer is a line of the log; an answer
is charged unless it is an error of HTTP. It prints its port, and lives until its standard input is closed.

A run whose name begins with "echo" quotes the client's key in all that it says beside replies, as some endpoints do.
"""

import asyncio
import contextlib
import hashlib
import json
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path

from aiohttp import web

KINDS = (  # as often as each other, six of them; two at a time where a kind has two forms
    ("429, seconds", "429, date"),
    ("500", "503"),
    ("cut before the answer", "cut within the answer"),
    ("stall",),
    ("no JSON body", "no JSON reply"),
    ("off the schema",),
)
STALL = 2.0  # seconds: longer than the time-out of any client here
REPAIR = (
    "Your reply does not have the required form.",
    "Your reply was cut off before it was complete",
)


def question_id(messages):
    """The name of a question in the log."""
    text = json.dumps(messages, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def without_repairs(messages):
    """The question as it was put first."""
    while len(messages) > 2 and messages[-1]["content"].startswith(REPAIR):
        messages = messages[:-2]
    return messages


def good(messages):
    """The reply that a question deserves."""
    digest = question_id(without_repairs(messages))
    return {"word": digest[:10], "number": int(digest[10:14], 16) % 100}


def reply_text(messages, kind):
    """The content of the answer: as it should be, or of the wrong form."""
    value = good(messages)
    if kind == "no JSON reply":
        return f"I should say {value['word']}"
    if kind == "off the schema":
        value["number"] = "many"
    return json.dumps(value)


def fault(share, seed, question, time_asked):
    """What is to go wrong: "" for nothing."""
    draw = random.Random(f"{seed} {question} {time_asked}")
    return draw.choice(draw.choice(KINDS)) if draw.random() < share else ""


def usage(messages, text):
    """Tokens as a provider counts them, the schema's among them; half of some prompts was found in its cache."""
    prompt = 200 + sum(len(message["content"].encode()) for message in messages) // 2
    cached = prompt // 2 if prompt % 2 else 0
    return {
        "prompt_tokens": prompt,
        "completion_tokens": 1 + len(text) * 3 // 4,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


# -- the server's process --------------------------------------------------------------------------------------------


class Server:
    """Answers, fails, and writes down both."""

    def __init__(self, log):
        self.log = open(log, "a", buffering=1)  # noqa: SIM115 - as long as the process lives
        self.asked = Counter()

    async def chat(self, request):
        share, seed, wait, run = request.match_info["how"].split("-", 3)
        messages = (await request.json())["messages"]
        question = question_id(messages)
        self.asked[run, question] += 1
        kind = fault(float(share), seed, question, self.asked[run, question])
        text = reply_text(messages, kind)
        tokens = usage(messages, text)
        charge = None if kind[:1].isdigit() else tokens
        self._write(run, event="asked", question=question, kind=kind, charge=charge)
        await asyncio.sleep(float(wait) / 1000)
        secret = (
            request.headers.get("Authorization", "") if run.startswith("echo") else ""
        )
        if kind == "stall":
            await asyncio.sleep(STALL)
        if kind == "stall" or kind.startswith("cut"):
            return await self._cut(request, within="within" in kind)
        if refused := self._refused(kind, secret):
            return refused
        if kind == "no JSON body":
            return web.Response(
                text=f"<html>Welcome {secret}</html>", content_type="application/json"
            )
        response = web.json_response(_completion(text, tokens))
        with contextlib.suppress(ConnectionError):  # the client was killed
            await response.prepare(request)
            await response.write_eof()
            self._write(run, event="answered", question=question, text=text)
        return response

    @staticmethod
    def _refused(kind, secret):
        status, _, form = kind.partition(", ")
        if not status.isdigit():
            return None
        headers = {"X-Request-Id": secret, "X-Echo": secret} if secret else {}
        if status == "429":
            at = formatdate(time.time() + 1, usegmt=True)
            headers["Retry-After"] = "0.2" if form == "seconds" else at
        error = {"message": f"not now {secret}", "type": "server_error"}
        said = {"error": error | {"param": secret or None}}
        return web.json_response(said, status=int(status), headers=headers)

    @staticmethod
    async def _cut(request, within):
        response = web.StreamResponse(
            headers={"Content-Type": "application/json", "Content-Length": "4000"}
        )
        if within:
            await response.prepare(request)
            await response.write(b'{"id": "1", "choices": [')
        request.transport.abort()
        return response

    def _write(self, run, **more):
        self.log.write(json.dumps({"run": run, "time": time.time(), **more}) + "\n")


def _completion(text, tokens):
    message = {"role": "assistant", "content": text}
    choices = [{"finish_reason": "stop", "message": message}]
    return {"model": "m", "choices": choices, "usage": tokens}


async def serve(log):
    server, app = Server(log), web.Application()
    app.router.add_post("/{how}/v1/chat/completions", server.chat)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=512)
    await site.start()
    print(site._server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()


# -- its clients' side -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Faulty:
    """A running server: where it is, and what it wrote down."""

    port: int
    log: Path

    def url(self, run, share=0.0, seed=0, wait=0.0):
        """The address for one run; `wait` in milliseconds."""
        return f"http://127.0.0.1:{self.port}/{share:g}-{seed}-{wait:g}-{run}/v1"

    def lines(self, run):
        """What was written down of one run, in order."""
        found = []
        for line in self.log.read_text().splitlines():
            if line.endswith("}"):
                found.append(json.loads(line))
        return [line for line in found if line["run"] == run]


@contextmanager
def serving(folder):
    """A server that lives as long as the block."""
    log = folder / "server.jsonl"
    log.touch()
    command = [sys.executable, __file__, str(log)]
    pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    process = subprocess.Popen(command, text=True, **pipes)
    try:
        yield Faulty(int(process.stdout.readline()), log)
    finally:
        process.stdin.close()
        process.wait(20)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
