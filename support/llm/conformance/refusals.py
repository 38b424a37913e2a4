"""Calls that an endpoint ought to refuse, and whether Convene understands how it does."""

from __future__ import annotations

from collections.abc import Awaitable

from support.errors import CallFailed, ModelError, ModelUnavailable
from support.llm.conformance.seen import Seen, brief
from support.llm.conformance.target import Target

NO_ANSWER = ("time-out", "broken connection", "no connection")  # neither a refusal nor a reply


async def unknown_model(target: Target) -> Seen:
    """Whether a name that nobody serves is refused in a way that ends a run at once."""
    return await _refused(target.send("Hello.", model="no-such-model-of-convene"), "answers to any name of a model")


async def wrong_key(target: Target) -> Seen:
    """Whether a wrong key is refused in a way that ends a run at once."""
    return await _refused(target.send("Hello.", key="a-wrong-key-of-convene"), "does not check keys")


async def bad_request(target: Target) -> Seen:
    """Whether a call that makes no sense is refused as such, so that Convene does not try it again."""
    try:
        await target.send("Hello.", body={"messages": "no list of messages"})
    except ModelError as error:
        if error.fault in NO_ANSWER:
            raise
        if error.transient:
            return Seen("no", f"told as a fault of the moment, which Convene would try again: {brief(error)}")
        return Seen("ok", brief(error))
    return Seen("note", "answers to messages that are no list of messages")


async def wrong_path(target: Target) -> Seen:
    """Whether an address with or without /v1, where it should not be, is told as such."""
    url = target.url.removesuffix("/v1") if target.url.endswith("/v1") else f"{target.url}/v1"
    try:
        await target.send("Hello.", url=url)
    except (ModelUnavailable, CallFailed) as error:
        return Seen("ok" if "address" in str(error) else "no", brief(error))
    return Seen("note", f"answers at {url} as well")


async def _refused(call: Awaitable[object], otherwise: str) -> Seen:
    try:
        await call
    except ModelUnavailable as error:
        return Seen("ok", brief(error))
    except ModelError as error:
        if error.fault in NO_ANSWER:
            raise
        return Seen("no", f"refused, but not in a way that ends a run at once: {brief(error)}")
    return Seen("note", otherwise)
