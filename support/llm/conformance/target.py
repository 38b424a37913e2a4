"""The endpoint under test: as Convene connects to it, and asked otherwise than Convene would."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from support.llm import connect
from support.llm.address import DEFAULT, Address, address, plain
from support.llm.client import ChatModel
from support.llm.embedded import Embedded, start
from support.llm.endpoint import FORMS, Endpoint
from support.llm.replies import Reply
from support.llm.transport import Completion, Request

NO_KEY = "no-key-needed"  # the openai package insists on one
TRIES = 2  # after the first: a test should meet what a run would survive, and not wait for minutes


class Target:
    """An endpoint under test.

    Parameters
    ----------
    model, base_url, api_key, timeout
        As for `support.llm.connect`.
    longest : int
        Words of the longest prompt that is tried.
    """

    def __init__(
        self, model: str, base_url: str | None, api_key: str | None, timeout: float = 120.0, longest: int = 32_768
    ) -> None:
        self.longest = longest
        self.timeout = timeout
        self.model: ChatModel = connect(
            model,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            max_retries=TRIES,
            failures_in_a_row=10_000,  # each check is to be made, whatever the one before it met
        )
        self._body: dict[str, Any] = {}
        self._given = "" if model == "embedded" else (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
        self._where = address(base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT)

    def __repr__(self) -> str:
        return f"Target({self.model!r})"

    @property
    def url(self) -> str:
        """The address, without a user and a password."""
        return self._where.url

    async def open(self) -> None:
        """Start the server, where the target is the embedded model; nothing else needs a start."""
        if self.model.endpoint == Embedded.endpoint:
            self._where = address(f"{await asyncio.to_thread(start)}/v1")
            self._body = {"cache_prompt": False}  # as `Embedded` asks it

    async def ask(self, messages: Any, **settings: Any) -> Reply:
        """A reply through Convene's own door, with its retries and repairs."""
        return await self.model.reply(messages, **settings)

    async def send(
        self,
        text: str,
        *,
        model: str | None = None,
        key: str | None = None,
        url: str | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Completion:
        """One bare attempt, with another model's name, key or address, or with other words in its body."""
        name, where = model or self.model.model, replace(self._where, url=url or self.url)
        if key is not None:  # neither may the right user and password of the address stand in for it
            where = Address(where.url, where.local)
        extra = {**self._body, **(body or {})}
        endpoint = Endpoint(name, where, key or self._given or NO_KEY, timeout=self.timeout, extra_body=extra)
        return await _one(endpoint, text, None, 16)

    async def put(
        self, text: str, schema: Mapping[str, Any], form: str = FORMS[0], max_tokens: int = 250
    ) -> tuple[Completion, str]:
        """One bare attempt with a schema, put in one of `FORMS`; and the form in which the endpoint took it."""
        endpoint = _Stepping(
            self.model.model,
            self._where,
            self._given or NO_KEY,
            timeout=self.timeout,
            extra_body=self._body,
            form=form,
        )
        return await _one(endpoint, text, json.dumps(schema), max_tokens), endpoint.form

    def plain(self, text: str) -> str:
        """A text from outside without the key."""
        return plain(text, (self._given, *self._where.secrets))

    async def close(self) -> None:
        """Give back the connections of the running event loop."""
        await self.model.close()


class _Stepping(Endpoint):
    """An endpoint that starts from a given form, and tells where it has stepped down to."""

    def __init__(self, *given: Any, form: str, **options: Any) -> None:
        super().__init__(*given, **options)
        self._form = FORMS.index(form)

    @property
    def form(self) -> str:
        return FORMS[self._form]


async def _one(endpoint: Endpoint, text: str, schema: str | None, max_tokens: int) -> Completion:
    asked = Request(endpoint.model, endpoint.endpoint, (("user", text),), schema, 0.0, None, max_tokens, 0)
    try:
        return await endpoint.complete(asked)
    finally:
        await endpoint.close()
