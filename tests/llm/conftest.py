"""A real OpenAI-compatible server on this machine, told by each test what to answer."""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any

import pytest
from aiohttp import web

Wire = Callable[[web.Request], Awaitable[web.StreamResponse]]
Answer = Callable[[dict[str, Any]], "web.Response | dict[str, Any] | str"]


class LocalServer:
    """Answers every chat completion with `answer(body)`, and keeps the bodies and headers that it was sent.

    `wire`, where set, answers in its place, and has the whole connection: for answers that end half-way.
    """

    def __init__(self) -> None:
        self.answer: Answer = lambda body: "hello"
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        self.delay = 0.0
        self.hang_up = False
        self.wire: Wire | None = None
        self._now = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    @staticmethod
    def completion(text: str, finish_reason: str = "stop") -> dict[str, Any]:
        """The body of a chat completion."""
        return {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [
                {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": text}}
            ],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }

    @staticmethod
    def refusal(status: int, message: str, headers: dict[str, str] | None = None, **more: Any) -> web.Response:
        """An error in OpenAI's form."""
        return web.json_response({"error": {"message": message, **more}}, status=status, headers=headers)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app, access_log=None)
        self._loop.run_until_complete(self._runner.setup())
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        self.port = site._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._runner.cleanup())
        self._loop.close()

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "gpt-small", "object": "model"}]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        await asyncio.sleep(self.delay)
        self._now -= 1
        if self.hang_up and request.transport is not None:
            request.transport.abort()
        if self.wire is not None:
            return await self.wire(request)
        answer = self.answer(body)
        if isinstance(answer, web.Response):
            return answer
        return web.json_response(self.completion(answer) if isinstance(answer, str) else answer)


class VirtualTime:
    """Event loops whose clock jumps to the next thing that is due: an hour passes in a moment, always the same."""

    class _Selector(selectors.SelectSelector):
        now = 0.0

        def select(self, timeout: float | None = None) -> list[Any]:
            if timeout is None:
                raise AssertionError("everything waits, and nothing is due: a deadlock")
            self.now += max(0.0, timeout)
            return super().select(0)

    @classmethod
    def run(cls, main: Coroutine[Any, Any, Any]) -> Any:
        """As `asyncio.run`."""
        selector = cls._Selector()
        loop = asyncio.SelectorEventLoop(selector)
        loop.time = lambda: selector.now  # type: ignore[method-assign]
        try:
            return loop.run_until_complete(main)
        finally:
            loop.close()

    @staticmethod
    def clock() -> float:
        """Seconds since the loop began."""
        return asyncio.get_running_loop().time()


@pytest.fixture(scope="session")
def virtual_time() -> type[VirtualTime]:
    return VirtualTime


@pytest.fixture(scope="session")
def _server() -> Iterator[LocalServer]:
    server = LocalServer()
    yield server
    server.close()


@pytest.fixture
def server(_server: LocalServer) -> LocalServer:
    _server.answer, _server.delay, _server.most_at_once = (lambda body: "hello"), 0.0, 0
    _server.hang_up, _server.wire = False, None
    _server.bodies.clear()
    _server.headers.clear()
    return _server


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a developer has set must not change what the tests see."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_LOG"):
        monkeypatch.delenv(name, raising=False)
