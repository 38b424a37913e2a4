"""A real OpenAI-compatible server on this machine, told by each test what to answer, and a clock that jumps."""

import asyncio
import selectors
import threading
from contextlib import closing
from types import SimpleNamespace

import pytest
from aiohttp import web

from support.models import attempts, connect


class LocalServer:
    """Answers chat completions with `answer(body)`, and keeps what it was sent."""

    def __init__(self):
        self.bodies, self.headers = [], []
        self.reset()
        self._loop, self._ready = asyncio.new_event_loop(), threading.Event()
        threading.Thread(target=self._run, daemon=True).start()
        assert self._ready.wait(10)

    def reset(self):
        self.answer, self.delay, self.hang_up = (lambda body: "hello"), 0.0, False
        self.most_at_once = self._now = 0
        self.bodies.clear()
        self.headers.clear()

    @staticmethod
    def completion(text, finish_reason="stop", usage=None, **message):
        message = {"role": "assistant", "content": text, **message}
        usage = {"prompt_tokens": 7, "completion_tokens": 3} if usage is None else usage
        said = {"index": 0, "finish_reason": finish_reason, "message": message}
        return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [said], "usage": usage}

    @staticmethod
    def refusal(status, message, headers=None, **more):
        return web.json_response({"error": {"message": message, **more}}, status=status, headers=headers)

    def _run(self):
        asyncio.set_event_loop(self._loop)
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._chat)
        runner = web.AppRunner(app, access_log=None)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        self.port = site._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._ready.set()
        self._loop.run_forever()

    async def _chat(self, request):
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        await asyncio.sleep(self.delay)
        self._now -= 1
        if self.hang_up and request.transport is not None:
            request.transport.abort()
        answer = self.answer(body)
        if isinstance(answer, web.StreamResponse):
            return answer
        return web.json_response(self.completion(answer) if isinstance(answer, str) else answer)


class _Jumping(selectors.SelectSelector):
    now = 0.0

    def select(self, timeout=None):
        assert timeout is not None, "everything waits, and nothing is due: a deadlock"
        self.now += max(0.0, timeout)
        return super().select(0)


def in_virtual_time(main):
    """As `asyncio.run`, with a clock that jumps to the next thing that is due: an hour passes in a moment."""
    loop = asyncio.SelectorEventLoop(selector := _Jumping())
    loop.time = lambda: selector.now
    with pytest.MonkeyPatch.context() as patch, closing(loop):
        patch.setattr(attempts, "time", SimpleNamespace(monotonic=loop.time))
        return loop.run_until_complete(main)


@pytest.fixture(scope="session")
def run():
    return in_virtual_time


@pytest.fixture(scope="session")
def _server():
    return LocalServer()


@pytest.fixture
def server(_server):
    _server.reset()
    return _server


@pytest.fixture
def at(server, monkeypatch):
    """A function to a model of the server, whose retries wait for milliseconds; there are none unless it is said."""
    monkeypatch.setattr(attempts, "FIRST_WAIT", 0.002)
    return lambda **options: connect("gpt-small", base_url=server.url, **{"max_retries": 0, **options})


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    """What a developer has set must not change what the tests see."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_LOG", "CONVENE_MODELS", "CONVENE_PURSE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("support.models._connected", {})
