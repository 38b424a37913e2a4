"""A real OpenAI-compatible server on this machine, told by each test what to answer."""

import asyncio
import json
import random
import threading

from aiohttp import web

from support.models.stand_ins import Writer


def by_schema(body):
    form = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if form is None:
        return "hello"
    rng = random.Random(json.dumps(body["messages"]))
    return json.dumps(Writer(rng, 0.2, form).value(form))


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
        return {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [said],
            "usage": usage,
        }

    @staticmethod
    def refusal(status, message, headers=None, **more):
        return web.json_response(
            {"error": {"message": message, **more}}, status=status, headers=headers
        )

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
        return web.json_response(
            self.completion(answer) if isinstance(answer, str) else answer
        )
