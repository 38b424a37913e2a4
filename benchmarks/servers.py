"""Whether real servers are heard: three seats, two rounds and three rules at each, and what becomes of it.

    python benchmarks/servers.py ["litellm: fallback" …]    # rows that begin so, or all

LiteLLM's proxy in front of a provider that is made here (and in front of llama.cpp), with a
fallback, with a provider that is gone for 100 s, with a wrong key on either side;
llama-cpp-python's server with the weights of the embedded model; `transformers serve` with
a model of its tokens and random weights, which fits no form: what is told of it is tried.
Programs come from build/servers (benchmarks/servers.txt), which `make servers` makes; one
that is not there is said so. All listens on 127.0.0.1 and is ended at the end. It exits
with 0 also where a run failed: the table says so.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

from support.errors import ConveneError
from support.models import connect
from support.models.local import start, weights
from support.models.stand_ins import Writer
from support.roundtable.study import roundtable_exchange
from support.runs.study import Store
from support.runs.sweep import Sweep

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / "build" / "servers" / "bin"
RULES = ["majority", "rated", "ranked"]
PROXY_KEY, PROVIDER_KEY, WRONG = "sk-proxy-1", "sk-provider-1", "sk-wrong-1"
QUIET = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
ENTRY = """[models."*@{url}"]
price = {{ input = 0, output = 0 }}
longest = 0
limits = {{ tight = true, message = 240, reason = 160, rows = 25 }}
"""
RANDOM = """
import sys, torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM
folder, file, out = sys.argv[1:]
tokens = AutoTokenizer.from_pretrained(folder, gguf_file=file)
size = {"vocab_size": len(tokens), "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1}
ends = {"bos_token_id": tokens.bos_token_id, "eos_token_id": tokens.eos_token_id}
torch.manual_seed(0)
shape = LlamaConfig(num_attention_heads=2, **size, **ends)
LlamaForCausalLM(shape).save_pretrained(out)
tokens.save_pretrained(out)
"""
Words = Sequence[str]
GONE, PATIENCE, LONGEST = 100.0, 240.0, 1500.0  # seconds
LLAMA, SERVE = "llama-cpp-python", "transformers serve"
TITLE = "server | units | failed | replies | repairs | off form | seconds | answered by"


class Server:
    """A program that listens on a port of 127.0.0.1, in a process group of its own."""

    def __init__(self, *command: object) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.command = ["nice", "-n", "19", *map(str, command)]
        self.url = f"http://127.0.0.1:{self.port}/v1"

    async def start(self) -> None:
        """Start it, and wait until it takes connections."""
        file = ROOT / "build" / f"server-{self.port}.log"
        command = [part.replace("PORT", str(self.port)) for part in self.command]
        with file.open("ab") as log:
            how: Any = {"stdout": log, "stderr": log, "start_new_session": True}
            how["env"] = os.environ | QUIET
            self.process = subprocess.Popen(command, **how)
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            await asyncio.sleep(0.2)
        raise SystemExit(f"{command[3]} does not listen; see {file}")

    def stop(self) -> None:
        """End it and all that it started."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(20)


@asynccontextmanager
async def running(*servers: Server) -> AsyncIterator[None]:
    """Servers that live as long as the block."""
    begun = []
    try:
        for server in servers:
            begun.append(server)
            await server.start()
        yield
    finally:
        for server in begun:
            server.stop()


# -- the provider behind the proxy ------------------------------------------------------


async def provide(request: web.Request) -> web.Response:
    """A reply in the form that was asked for, the same for the same question."""
    if request.headers.get("Authorization") != f"Bearer {PROVIDER_KEY}":
        said = {"message": "Incorrect API key provided.", "code": "invalid_api_key"}
        return web.json_response({"error": said}, status=401)
    body = await request.json()
    await asyncio.sleep(0.5)
    form = body["response_format"]["json_schema"]["schema"]
    rng = random.Random(json.dumps(body["messages"]))
    text = json.dumps(Writer(rng, 0.0, form).value(form))
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760}
    about = {"id": "1", "object": "chat.completion", "created": 1, "model": "made-here"}
    return web.json_response({**about, "choices": [choice], "usage": usage})


def provider(port: int) -> None:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", provide)
    web.run_app(app, host="127.0.0.1", port=port, print=None)


def litellm(folder: Path, **addresses: tuple[str, str]) -> Server:
    """The proxy; each name at an address with a key, "ill" falling back on "well"."""
    served = []
    for name, (url, key) in addresses.items():
        asked = {"model": f"openai/{name}", "api_base": url, "api_key": key}
        served.append({"model_name": name, "litellm_params": asked})
    config = {
        "model_list": served,
        "router_settings": {"fallbacks": [{"ill": ["well"]}]},
        "general_settings": {"master_key": PROXY_KEY},
    }
    file = folder / "litellm.yaml"
    file.write_text(json.dumps(config))  # JSON is YAML, too
    return Server(HOME / "litellm", "--config", file, "--host=127.0.0.1", "--port=PORT")


# -- what is tried ------------------------------------------------------------------------


def wanted(title: str, words: Words) -> bool:
    return not words or any(map(title.startswith, words))


async def proxied(words: Words, folder: Path) -> None:
    """All that is tried with the proxy."""
    behind = Server(sys.executable, __file__, "provider", "PORT")
    good, bad = (behind.url, PROVIDER_KEY), (behind.url, WRONG)
    nowhere = ("http://127.0.0.1:9/v1", PROVIDER_KEY)
    embedded = (f"{start()}/v1", PROVIDER_KEY)
    proxy = litellm(folder, well=good, ill=nowhere, refused=bad, small=embedded)

    async def gone() -> None:
        await asyncio.sleep(4)
        behind.stop()
        await asyncio.sleep(GONE)
        await behind.start()

    async with running(behind, proxy):
        for title, name, key, trouble in (
            ("litellm: a provider", "well", PROXY_KEY, None),
            ("litellm: fallback", "ill", PROXY_KEY, None),
            ("litellm: wrong key for it", "well", WRONG, None),
            ("litellm: wrong key behind it", "refused", PROXY_KEY, None),
            ("litellm: unknown model", "nobody", PROXY_KEY, None),
            ("litellm: gone for 100 s", "well", PROXY_KEY, gone),
            ("litellm: llama.cpp behind it", "small", PROXY_KEY, None),
        ):
            if wanted(title, words):
                await tried(title, name, proxy.url, key, trouble)


async def alone(title: str, name: str, *command: object) -> None:
    """One server by itself."""
    server = Server(*command, "--host=127.0.0.1", "--port=PORT")
    async with running(server):
        await tried(title, name, server.url, "none", None)


async def tried(
    title: str,
    name: str,
    url: str,
    key: str,
    trouble: Callable[[], Awaitable[None]] | None,
) -> None:
    """A run at one server, and its row."""
    grid = {"rule": RULES, "seats": ["model"], "rounds": [2]}
    sweep = Sweep("servers", roundtable_exchange, grid, 1, 1)
    said, began = "", time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "study.sqlite")
        entry = Path(folder) / "models.toml"
        entry.write_text(ENTRY.format(url=url))
        os.environ["CONVENE_MODELS"] = str(entry)
        model = connect(f"{name}@{url}", api_key=key)
        beside = asyncio.ensure_future(trouble()) if trouble else None
        try:
            async with asyncio.timeout(LONGEST):
                await sweep.run(store, model=model, progress=False)
        except (ConveneError, TimeoutError) as error:
            said = f"{type(error).__name__}: {error}"
        seconds = time.monotonic() - began
        if beside:
            await beside
        row = [title, *counted(sweep, store), f"{seconds:.0f}"]
        names = Counter(who(call) for call in calls_of(sweep, store))
        told = ", ".join(f"{one} {count}" for one, count in names.items())
        print(" | ".join(map(str, [*row, told])), flush=True)
        errors = {row["error"] for row in store.units("servers").values()}
        for line in filter(None, [*model.learnt, said, *errors]):
            print(f"    {line[:600]}")
        store.close()


def calls_of(sweep: Sweep, store: Store) -> list[Any]:
    return [call for unit in sweep.units() for call in store.calls(unit)]


def who(call: Any) -> str:
    return getattr(call, "answered_by", "") or call.model


def counted(sweep: Sweep, store: Store) -> list[object]:
    """Units done and failed; replies, repairs, and what stayed off form."""
    states = Counter(row["status"] for row in sweep.rows(store).values())
    calls = calls_of(sweep, store)
    [(off,)] = store.select("SELECT coalesce(sum(format_errors), 0) FROM units")
    replies = sum(not call.error for call in calls)
    repairs = sum(call.repair > 0 for call in calls)
    return [states["done"], states["failed"], replies, repairs, off]


def installed(package: str) -> bool:
    return any(HOME.parent.glob(f"lib/*/site-packages/{package}"))


async def main(words: Words) -> None:
    """Each server that is installed, one after the other."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(TITLE)
    file, python, made = weights(), HOME / "python", ROOT / "build" / "random-model"
    model = ("--model", file, "--n_ctx=8192", "--model_alias=smollm2")
    llama = (python, "-m", "llama_cpp.server", *model)
    serve = (HOME / "transformers", "serve", made)
    if installed("transformers") and not made.exists():
        subprocess.run([python, "-c", RANDOM, file.parent, file.name, made], check=True)
    with tempfile.TemporaryDirectory() as folder:
        for title, package, run in (
            ("litellm", "litellm", lambda: proxied(words, Path(folder))),
            (LLAMA, "llama_cpp", lambda: alone(LLAMA, "smollm2", *llama)),
            (SERVE, "transformers", lambda: alone(SERVE, str(made), *serve)),
        ):
            if not installed(package):
                print(f"{title} | not installed: run make servers")
            elif wanted(title, [word.split(":")[0] for word in words]):
                await run()


if __name__ == "__main__":
    if sys.argv[1:2] == ["provider"]:
        provider(int(sys.argv[2]))
    else:
        asyncio.run(main(sys.argv[1:]))
