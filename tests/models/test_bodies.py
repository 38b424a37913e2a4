"""Bodies as real servers sent them (benchmarks/servers.py), and what should come of it.

LiteLLM's proxy 1.108.7, llama.cpp's and llama-cpp-python's servers, `transformers
serve` 5.23.0: word for word, but for names and paths.
"""

import asyncio
import json
from pathlib import Path
from typing import Literal

import pytest
from aiohttp import web
from pydantic import BaseModel, Field

from support.errors import ContextOverflow, ModelUnavailable
from support.models import connect
from support.models.calls import collected

BODIES = Path(__file__).parent / "bodies"


class Vote(BaseModel):
    vote: Literal["P1", "P2"]
    why: str = Field(max_length=60)


def sent(name):
    """A body of the folder, as a server sends it."""
    held = json.loads((BODIES / f"{name}.json").read_text())
    body, status = held["body"], held["status"]
    if isinstance(body, str):
        return web.Response(text=body, content_type="text/event-stream")
    return web.json_response(body, status=status)


def ask(model, schema=None):
    with collected() as calls:
        reply = asyncio.run(model.reply("Vote P1 or P2.", schema))
    return reply, calls


ENDS = [
    ("litellm_key", ModelUnavailable, "api_key="),
    ("litellm_key_behind", ModelUnavailable, "behind .* Incorrect API key"),
    ("litellm_model", ModelUnavailable, "does not know .* Invalid model name passed"),
    ("transformers_model", ModelUnavailable, "does not know .* requested 'asked'"),
    ("litellm_context", ContextOverflow, "12031 tokens"),
    ("llama_cpp_python_context", ContextOverflow, "requested 9091 tokens"),
    ("llama_cpp_context", ContextOverflow, "12031 tokens.*8192"),
]


@pytest.mark.parametrize(("name", "error", "told"), ENDS)
def test_what_no_retry_mends_is_asked_once_and_told_in_the_servers_words(
    server, at, name, error, told
):
    server.answer = lambda body: sent(name)
    with pytest.raises(error, match=f"(?s){told}"):
        ask(at(max_retries=3))
    assert len(server.bodies) == 1


def test_a_backend_that_is_lost_behind_a_proxy_is_waited_for(server, at):
    model = at(max_retries=1)
    ask(model)
    lost = ["litellm_lost", "litellm_lost_both"] * 3
    answers = iter([*lost, "litellm_reply"])
    server.answer = lambda body: sent(next(answers))
    reply, [call] = ask(model, Vote)
    assert reply.value.vote == "P1" and len(call.faults) == 6


REFUSED = ["litellm_schema", "llama_cpp_schema", "llama_cpp_python_schema"]


@pytest.mark.parametrize("name", REFUSED)
def test_a_schema_that_is_refused_goes_with_the_json_object(server, at, name):
    def answer(body):
        strict = body["response_format"]["type"] == "json_schema"
        return sent(name if strict else "llama_cpp_python_reply")

    server.answer = answer
    assert ask(at(), Vote)[0].value.vote == "P1"
    [_, body] = server.bodies
    assert body["response_format"]["schema"]["required"] == ["vote", "why"]


WHO = [
    ("litellm_reply", ""),
    ("litellm_fallback", "another"),
    ("transformers_reply", ""),  # with the revision behind the name
]


@pytest.mark.parametrize(("name", "who"), WHO)
def test_who_answered_is_noted_where_it_is_not_who_was_asked(server, name, who):
    server.answer = lambda body: sent(name)
    _, [call] = ask(connect("asked", base_url=server.url))
    assert call.answered_by == who


STREAMS = [("transformers_stream", "Vote P1:"), ("llama_cpp_stream", "Vote P1")]


@pytest.mark.parametrize(("name", "text"), STREAMS)
def test_a_reply_that_comes_in_pieces_is_heard(server, at, name, text):
    server.answer = lambda body: sent(name)
    reply, _ = ask(at())
    assert (reply.text, reply.finish_reason) == (text, "length")
