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


def asked(server, *names, schema=None, **options):
    """What a model makes of bodies, one after the other, and the note of its call."""
    bodies = iter(names)
    server.answer = lambda body: sent(next(bodies))
    model = connect("asked", base_url=server.url, max_retries=0, **options)
    with collected() as calls:
        reply = asyncio.run(model.reply("Vote P1 or P2.", schema))
    return reply, calls[-1]


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
    server, name, error, told
):
    with pytest.raises(error, match=f"(?s){told}"):
        asked(server, name)


REFUSED = ["litellm_schema", "llama_cpp_schema", "llama_cpp_python_schema"]


@pytest.mark.parametrize("name", REFUSED)
def test_a_schema_that_is_refused_goes_with_the_json_object(server, name):
    reply, _ = asked(server, name, "llama_cpp_python_reply", schema=Vote)
    assert reply.value.vote == "P1"
    assert server.bodies[1]["response_format"]["schema"]["required"]


HEARD = [
    ("litellm_reply", "{", ""),
    ("litellm_fallback", "{", "another"),
    ("transformers_reply", "Vote P1:", ""),  # with the revision behind the name
    ("transformers_stream", "Vote P1:", ""),
    ("llama_cpp_stream", "Vote P1", "/srv/model.gguf"),
]


@pytest.mark.parametrize(("name", "text", "who"), HEARD)
def test_a_reply_is_heard_also_in_pieces_and_who_answered_is_noted(
    server, name, text, who
):
    reply, call = asked(server, name)
    assert reply.text.startswith(text)
    assert call.answered_by == who
