"""What went wrong at an endpoint, in plain words: the openai package's exceptions turned into Convene's."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

from support.errors import CallFailed, ContextOverflow, ModelError, ModelUnavailable

OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context (length|size|window)|prompt is too long|too many tokens", re.I
)
FORM = re.compile(r"response_format|json_?.?schema|json_?.?object|grammar", re.I)
NO_MODEL = re.compile(
    r"model_not_found|model\b.{0,120}\b(not exist|not found|unknown|invalid model)|invalid model", re.I
)

RETRIED = (408, 409, 429)  # and whatever begins with 5
# The question had been passed on: 504 and 524 are gateways that stopped waiting for the answer.
CHARGED = ("time-out", "broken connection", "no completion", "408", "504", "524")


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
    """The exception to raise instead, with its marks. It holds no trace of the original, whose request has the key.

    Parameters
    ----------
    error : Exception
        From the openai package, or what it lets through.
    place : Place
        Where it happened.
    known : sequence of str
        Names of models that the endpoint serves, when they could be had.
    """
    return _marked(_explained(error, place, known), error)


def _explained(error: Exception, place: Place, known: Sequence[str]) -> ModelError:
    import openai

    said = place.clean(_text(error))[:300]
    if isinstance(error, (openai.AuthenticationError, openai.PermissionDeniedError)):
        return ModelUnavailable(
            f"{place} refused the key for {place.model!r} (it said: {said}). Set the environment variable "
            'OPENAI_API_KEY, or pass api_key=, with a key of this endpoint; model="embedded" needs none.'
        )
    if lacks_model(error):
        return ModelUnavailable(_no_model(place, known, said))
    if _code(error) == "insufficient_quota" or _status(error) == 402:
        return ModelUnavailable(
            f"the account at {place} has no credit left (it said: {said}). Top it up, or change key."
        )
    if _status(error) in (400, 413, 422) and OVERFLOW.search(_text(error)):
        return ContextOverflow(
            f"the messages are longer than {place.model!r} can read{_sizes(error)} (it said: {said}). Take fewer "
            "agents, fewer rounds or a shorter history, lower max_tokens, or use a model with a longer context."
        )
    if _is_connection(error):
        return _connection(error, place)
    if isinstance(error, openai.RateLimitError):
        return CallFailed(f"{place} allows no more calls for now (it said: {said}). Wait, or lower concurrency=.")
    if _status(error) is not None:
        return CallFailed(f"{place} answered with error {_status(error)}: {said}")
    return CallFailed(f"{place} answered with something that is no chat completion; {_ending(place)}: {said}")


def out_of_time(place: Place) -> CallFailed:
    """The exception for an answer that did not come."""
    error = CallFailed(f"{place} did not answer in time. Raise timeout=, or lower max_tokens.")
    error.fault, error.transient, error.charged = "time-out", True, True
    return error


def no_completion(place: Place) -> CallFailed:
    """The exception for an answer that arrived, and holds no reply."""
    error = CallFailed(f"{place} answered with something that is no chat completion; {_ending(place)}.")
    error.fault, error.transient, error.charged = "no completion", True, True
    return error


def _marked(made: ModelError, error: Exception) -> ModelError:
    """The exception to raise, marked with what retries and money need to know of the original."""
    status = _status(error)
    made.fault = str(status) if status is not None else _kind(error)
    made.charged = made.fault in CHARGED
    given_up = isinstance(made, ContextOverflow) or _code(error) == "insufficient_quota"
    made.transient = not given_up and (status is None or status in RETRIED or status >= 500)
    headers = getattr(getattr(error, "response", None), "headers", None)
    made.retry_after = None if headers is None else retry_after(headers)
    return made


def _kind(error: Exception) -> str:
    """What happened without a status."""
    if not _is_connection(error):
        return "no completion"
    return {_Reach.NEVER: "no connection", _Reach.LOST: "broken connection", _Reach.SLOW: "time-out"}[_reach(error)]


def retry_after(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float | None:
    """Seconds that an endpoint asks to wait, from a Retry-After in seconds or as a date; None when it does not say.

    A date counts from the answer's own Date, where it has one: the clocks of two machines need not agree.

    >>> retry_after({"retry-after": "1.5"})
    1.5
    >>> retry_after({"retry-after": "Sun, 22 Nov 2026 10:00:30 GMT", "date": "Sun, 22 Nov 2026 10:00:00 GMT"})
    30.0
    """
    given = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", given):
        return float(given)
    if (until := _moment(given)) is None:
        return None
    said = _moment(headers.get("date", ""))
    return max(0.0, until - (now() if said is None else said))


def _moment(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError):
        return None


def _connection(error: Exception, place: Place) -> ModelError:
    """Not there, gone in the middle, or slow."""
    detail = place.clean(str(list(_causes(error))[-1] or error))[:300]
    reach = _reach(error)
    if reach is _Reach.LOST:
        return CallFailed(f"{place} broke off the connection ({detail}). See whether it still runs.")
    if reach is _Reach.SLOW:
        return out_of_time(place)
    return ModelUnavailable(
        f"cannot reach {place}: {detail}. Check the address (base_url= or OPENAI_BASE_URL), that the server runs, "
        'and the network; model="embedded" needs none.'
    )


def _is_connection(error: Exception) -> bool:
    """Whether it is the connection that failed; the openai package lets some of aiohttp's own errors through."""
    import aiohttp
    import openai

    return isinstance(error, (openai.APIConnectionError, aiohttp.ClientError, OSError))


class _Reach(Enum):
    """How far a call came that got no answer."""

    NEVER, LOST, SLOW = range(3)


def _reach(error: Exception) -> _Reach:
    """The aiohttp transport calls all a time-out; the causes know better."""
    import aiohttp
    import openai

    causes = list(_causes(error))
    if any(isinstance(cause, (aiohttp.ClientConnectorError, aiohttp.InvalidURL)) for cause in causes):
        return _Reach.NEVER
    lost = (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError)
    if isinstance(error, openai.APITimeoutError) and not any(isinstance(cause, lost) for cause in causes):
        return _Reach.SLOW
    return _Reach.LOST  # also where nobody knows, so that nothing that may have been charged counts as free


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


def _code(error: Any) -> str | None:
    """What the endpoint calls an error; aiohttp's own exceptions have a number under this name."""
    import openai

    return error.code if isinstance(error, openai.APIError) else None


def _text(error: Any) -> str:
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    code = _code(error)
    parts = (message if isinstance(message, str) else str(error), code, getattr(error, "type", None))
    return " ".join(part for part in parts if isinstance(part, str) and part)
