"""Refusals and replies in all their shapes: what providers' users report.

The tables are in cases.json, a case a line; a number in a test's name is that of its
folder in shared/cases.
"""

import asyncio
import json
from pathlib import Path
from typing import Literal

import pytest
from aiohttp import web
from pydantic import BaseModel, Field

from support.errors import CallFailed, Filtered, ModelUnavailable
from support.models.dialect import objects, same_model

CASES = json.loads((Path(__file__).parent / "cases.json").read_text())
GOOD = '{"name": "Ana"}'
SYSTEM = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Who?"},
]


class Form(BaseModel):
    name: str = Field(max_length=900)


class One(BaseModel):
    a: int


class Every(BaseModel):
    names: list[str] = Field(min_length=1, max_length=9)
    day: str = Field(pattern="^a", max_length=900, json_schema_extra={"format": "date"})
    kind: Literal["x"]
    number: int = Field(ge=0, multiple_of=2)


FITS = '{"names": ["Ana"], "day": "a", "kind": "x", "number": 2}'


def refused(status, body):
    text = body if isinstance(body, str) else json.dumps(body)
    kind = "text/plain" if isinstance(body, str) else "application/json"
    return web.Response(text=text, status=status, content_type=kind)


def ask(model, messages="Who?", schema=None, **settings):
    return asyncio.run(model.reply(messages, schema, **settings))


def said(message):
    return {"error": {"message": message}}


def form(sent):
    given = sent.get("response_format", {})
    return given.get("type", "prompt") + (" with schema" if "schema" in given else "")


@pytest.mark.parametrize(
    ("status", "body", "told"), CASES["shapes of a refusal of seed"]
)
def test_09_an_error_in_any_shape_teaches_or_is_told(server, at, status, body, told):
    server.answer = lambda sent: refused(status, body) if "seed" in sent else "hello"
    model = at()
    assert ask(model, seed=1).text == "hello" and len(server.bodies) == 2
    assert model.learnt == ("It takes no seed: none is sent.",)
    server.answer = lambda sent: refused(status, body)
    with pytest.raises((CallFailed, ModelUnavailable), match=told):
        ask(at(), "And?")


@pytest.mark.parametrize(("sent", "status", "words", "instead"), CASES["lessons"])
def test_what_a_model_does_not_take_is_put_in_another_way(
    server, at, sent, status, words, instead
):
    server.answer = lambda body: (
        refused(status, said(words)) if sent in str(body) else "hello"
    )
    model = at()
    assert ask(model, SYSTEM).text == ask(model, [*SYSTEM]).text == "hello"
    assert len(server.bodies) == 3 and len(model.learnt) == 1
    assert instead is None or instead in str(server.bodies[-1])


@pytest.mark.parametrize(("words", "gone"), CASES["refused keywords of a schema"])
def test_13_a_refused_keyword_is_left_out_and_the_schema_stays(server, at, words, gone):
    def answer(sent):
        asked = json.dumps(sent["response_format"])
        there = any(f'"{keyword}":' in asked for keyword in gone)
        return refused(400, said(words)) if there else FITS

    server.answer = answer
    assert ask(at(), schema=Every).text == FITS
    assert [form(sent) for sent in server.bodies] == ["json_schema"] * 2


WAYS = ["json_schema", "json_object with schema", "json_object", "prompt"]


@pytest.mark.parametrize(("many", "status", "words"), CASES["refused forms"])
def test_a_form_that_is_refused_at_any_status_is_put_in_the_next_way(
    server, at, many, status, words
):
    server.answer = lambda sent: (
        refused(status, said(words)) if form(sent) in WAYS[:many] else GOOD
    )
    assert ask(at(), schema=Form).value == Form(name="Ana")
    assert [form(sent) for sent in server.bodies] == WAYS[: many + 1]
    last = server.bodies[-1]
    assert "JSON schema" in str(last["messages"])
    assert '"maxLength": 900' not in json.dumps(last.get("response_format"))


IGNORES = [
    ("I would [rather] talk about {this}.", "stop"),
    ('Let me think: {"other": 1}', "stop"),
    ("Well, let me see what", "length"),
]


@pytest.mark.parametrize(("prose", "finish"), IGNORES)
def test_an_ignored_schema_is_noticed_and_no_question_is_lost(
    server, at, prose, finish
):
    async def several(model):
        asked = (model.reply(f"{number}?", Form) for number in range(10))
        return [reply.value for reply in await asyncio.gather(*asked)]

    server.answer = lambda sent: (
        GOOD if form(sent) == "prompt" else server.completion(prose, finish)
    )
    model = at(repairs=1)
    assert asyncio.run(several(model)) == [Form(name="Ana")] * 10
    assert len(model.learnt) == 1


def reply(finish, usage=3, **message):
    choice = {"index": 0, "finish_reason": finish, "message": message}
    tokens = {"prompt_tokens": 11, "completion_tokens": usage}
    return {"choices": [choice], "usage": tokens}


BROKEN, FILTER = CASES["broke off"], CASES["filtered"]


@pytest.mark.parametrize("body", [*BROKEN, *FILTER])
@pytest.mark.parametrize("schema", [None, Form])
def test_03_26_what_broke_off_or_passes_is_tried_again_and_not_kept(
    server, at, tmp_path, body, schema
):
    server.answer = lambda sent: refused(200, body)
    model = at(cache=tmp_path / "s.sqlite", max_retries=1)
    kind = Filtered if body in FILTER else CallFailed
    with pytest.raises(kind, match="attempt 2"):
        ask(model, schema=schema)
    assert len(server.bodies) == 2 and len(model.cache) == 0
    server.answer = lambda sent: refused(200, body) if len(server.bodies) < 4 else GOOD
    assert ask(model, schema=schema).text == GOOD and len(model.cache) == 1


@pytest.mark.parametrize(("status", "body", "told"), CASES["refused keys and accounts"])
def test_a_key_or_an_account_that_is_refused_ends_the_run(
    server, at, status, body, told
):
    server.answer = lambda sent: refused(status, body)
    with pytest.raises(ModelUnavailable, match=told):
        ask(at(max_retries=6))
    assert len(server.bodies) == 1


@pytest.mark.parametrize(("message", "thinking"), CASES["shapes of a reply"])
def test_10_11_text_and_thinking_are_read_from_parts_and_calls(
    server, at, message, thinking
):
    server.answer = lambda sent: reply("tool_calls", **message)
    model = at()
    had = ask(model, schema=Form)
    assert (had.value, had.thinking, had.attempts) == (Form(name="Ana"), thinking, 1)
    assert model.learnt == () and len(server.bodies) == 1


@pytest.mark.parametrize("text", CASES["JSON in prose"])
def test_12_the_object_that_fits_is_found_among_braces(server, at, text):
    server.answer = lambda sent: text
    had = ask(at(), schema=One)
    assert (had.value, had.attempts) == (One(a=1), 1)


@pytest.mark.parametrize("text", ["{" * 100_000, '{"a":' * 3_000, "[{" * 50_000])
def test_12_braces_without_end_take_no_time(text):
    assert not objects(text)


@pytest.mark.parametrize(("asked", "answered", "same"), CASES["names of who answered"])
def test_a_snapshot_or_a_path_is_the_model_and_another_name_is_not(
    asked, answered, same
):
    assert same_model(asked, answered) == same


@pytest.mark.parametrize(("status", "words", "waits", "charged"), CASES["gateways"])
def test_a_lost_backend_is_worth_waiting_for(server, at, status, words, waits, charged):
    server.answer = lambda sent: refused(status, said(words))
    with pytest.raises(CallFailed, match=words) as caught:
        ask(at())
    assert (caught.value.waits, caught.value.charged) == (waits, charged)


@pytest.mark.parametrize(("status", "body"), CASES["moderated"])
def test_22_a_question_that_moderation_refuses_is_no_failure_in_a_row(
    server, at, status, body
):
    server.answer = lambda sent: refused(status, body)
    model = at(failures_in_a_row=2)
    for _ in range(3):
        with pytest.raises(Filtered):
            ask(model)
    assert len(server.bodies) == 3


def chunk(finish=None, **delta):
    choice = {"delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice]})}\n\n"


USED = {"prompt_tokens": 11, "completion_tokens": 7}
STREAM = (
    chunk(reasoning_content="h")
    + chunk(reasoning_content="m")
    + chunk(content=GOOD[:5])
    + chunk("stop", tool_calls=[{"function": {"arguments": GOOD[5:]}}])
    + f"data: {json.dumps({'choices': [], 'usage': USED})}\n\ndata: [DONE]\n\n"
)


def test_a_server_that_only_streams_is_heard(server, at):
    server.answer = lambda sent: (
        refused(200, STREAM)
        if sent.get("stream")
        else refused(400, said("stream=true required"))
    )
    had = ask(at(), schema=Form)
    assert (had.text, had.thinking, had.tokens) == (GOOD, "hm", 18)
