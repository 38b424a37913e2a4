"""What went wrong at an endpoint, in plain words: the openai package's exceptions turned into Convene's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from support.errors import CallFailed, ContextOverflow, ModelError, ModelUnavailable

OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context (length|size|window)|prompt is too long|too many tokens", re.I
)
FORM = re.compile(r"response_format|json_?.?schema|json_?.?object|grammar", re.I)
NO_MODEL = re.compile(
    r"model_not_found|model\b.{0,120}\b(not exist|not found|unknown|invalid model)|invalid model", re.I
)


@dataclass(frozen=True, slots=True)
class Place:
    """Which model at which endpoint, and how to make a text of theirs fit to be shown."""

    model: str
    endpoint: str
    clean: Callable[[str], str]

    def __str__(self) -> str:
        return f"the endpoint {self.endpoint}"


def refuses_form(error: Any) -> bool:
    """Whether an endpoint refuses the way in which a schema was put to it."""
    return _status(error) in (400, 422) and not OVERFLOW.search(_text(error)) and bool(FORM.search(_text(error)))


def refuses_max_tokens(error: Any) -> bool:
    """Whether an endpoint wants `max_completion_tokens`, as OpenAI's reasoning models do."""
    return _status(error) == 400 and "max_completion_tokens" in _text(error)


def lacks_model(error: Any) -> bool:
    """Whether an endpoint does not know the model, or the path at which it was asked."""
    return _status(error) == 404 or (_status(error) == 400 and bool(NO_MODEL.search(_text(error))))


def explain(error: Exception, place: Place, known: Sequence[str] = ()) -> ModelError:
    """The exception to raise instead. It holds no trace of the original, whose request carries the key.

    Parameters
    ----------
    error : Exception
        From the openai package, or what it lets through.
    place : Place
        Where it happened.
    known : sequence of str
        Names of models that the endpoint serves, when they could be had.
    """
    import openai

    said = place.clean(_text(error))[:300]
    if isinstance(error, (openai.AuthenticationError, openai.PermissionDeniedError)):
        return ModelUnavailable(
            f"{place} refused the key for {place.model!r} (it said: {said}). Set the environment variable "
            'OPENAI_API_KEY, or pass api_key=, with a key of this endpoint; model="embedded" needs none.'
        )
    if lacks_model(error):
        return ModelUnavailable(_no_model(place, known, said))
    if getattr(error, "code", None) == "insufficient_quota":
        return ModelUnavailable(
            f"the account at {place} has no credit left (it said: {said}). Top it up, or change key."
        )
    if _status(error) in (400, 413, 422) and OVERFLOW.search(_text(error)):
        return ContextOverflow(
            f"the messages are longer than {place.model!r} can read{_sizes(error)} (it said: {said}). Take fewer "
            "agents, fewer rounds or a shorter history, lower max_tokens, or use a model with a longer context."
        )
    if isinstance(error, openai.APIConnectionError):
        return _connection(error, place)
    if isinstance(error, openai.RateLimitError):
        return CallFailed(f"{place} allows no more calls for now (it said: {said}). Wait, or lower concurrency=.")
    if _status(error) is not None:
        return CallFailed(f"{place} answered with error {_status(error)}, retries included where they help: {said}")
    return CallFailed(f"{place} answered with something that is no chat completion; {_ending(place)}: {said}")


def no_completion(place: Place) -> CallFailed:
    """The exception for an answer that arrived, and holds no reply."""
    return CallFailed(f"{place} answered with something that is no chat completion; {_ending(place)}.")


def _connection(error: Exception, place: Place) -> ModelError:
    """Not there, gone in the middle, or slow: the aiohttp transport calls all a time-out, the causes know better."""
    import aiohttp
    import openai

    causes = list(_causes(error))
    detail = place.clean(str(causes[-1] or error))[:300]
    lost = (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError)
    reached = not any(isinstance(cause, aiohttp.ClientConnectorError) for cause in causes)
    if reached and any(isinstance(cause, lost) for cause in causes):
        return CallFailed(f"{place} broke off the connection, retries included ({detail}). See whether it still runs.")
    if reached and isinstance(error, openai.APITimeoutError):
        return CallFailed(f"{place} did not answer in time, retries included. Raise timeout=, or lower max_tokens.")
    return ModelUnavailable(
        f"cannot reach {place}: {detail}. Check the address (base_url= or OPENAI_BASE_URL), that the server runs, "
        'and the network; model="embedded" needs none.'
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _no_model(place: Place, known: Sequence[str], said: str) -> str:
    if not known:
        return (
            f"{place} does not know the model {place.model!r}, or has no chat completions at this address "
            f"({_ending(place)}; it said: {said}). Check the name and base_url=."
        )
    near = get_close_matches(place.model, known, n=8, cutoff=0.3) or sorted(known)[:8]
    return f"{place} does not know the model {place.model!r}; it knows, among others: {place.clean(', '.join(near))}."


def _sizes(error: Any) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, dict) and {"n_prompt_tokens", "n_ctx"} <= set(body):
        return f": {body['n_prompt_tokens']} tokens, and it reads {body['n_ctx']}"
    return ""


def _ending(place: Place) -> str:
    return "the address is probably right" if place.endpoint.endswith("/v1") else "an address usually ends in /v1"


def _status(error: Any) -> int | None:
    return getattr(error, "status_code", None)


def _text(error: Any) -> str:
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    code = getattr(error, "code", None)
    parts = (message if isinstance(message, str) else str(error), code, getattr(error, "type", None))
    return " ".join(part for part in parts if isinstance(part, str) and part)
