"""Refusals and replies in all their shapes: the cases that providers' users report."""

import asyncio
import json
from pathlib import Path

import pytest
from aiohttp import web
from pydantic import BaseModel, Field

from support.errors import CallFailed, ModelUnavailable
from support.models.dialect import objects
from support.models.replies import Cache
from support.runs.sweep import Sweep

CASES = Path("../shared/cases")


class Form(BaseModel):
    name: str = Field(max_length=9)


class One(BaseModel):
    a: int


class Many(BaseModel):
    names: list[str] = Field(min_length=1)


def case(name):
    [path] = CASES.glob(f"{name}*" if "/" in name else f"{name}")
    return json.loads(path.read_text())


def refused(status, body):
    return web.json_response(body, status=status)


def ask(model, messages="Who?", schema=None, **settings):
    return asyncio.run(model.reply(messages, schema, **settings))


LESSONS = [
    ("gemini_400", 400, "seed"),
    ("fastapi_422", 422, "seed"),
    ("tgi_400", 400, "temperature"),
]


@pytest.mark.parametrize(("file", "status", "parameter"), LESSONS)
def test_09_an_error_in_any_shape_teaches_or_is_told(
    server, at, file, status, parameter
):
    body = case(f"09_errors_without_words/{file}.json")
    server.answer = lambda sent: refused(status, body) if parameter in sent else "hello"
    model = at()
    assert ask(model, seed=1).text == "hello" and model.learnt == (
        f"It takes no {parameter}: none is sent.",
    )
    server.answer = lambda sent: refused(status, body)
    with pytest.raises(
        CallFailed, match=r"error 4.*(Cannot find field|not permitted|not supported)"
    ):
        ask(at(), "And?", seed=1)


@pytest.mark.parametrize("file", ["reply", "reply_filter"])
@pytest.mark.parametrize("schema", [None, Form])
def test_03_a_reply_that_broke_off_is_a_passing_fault_and_not_kept(
    server, at, tmp_path, file, schema
):
    body, good = (
        case(f"03_provider_failure_kept_as_reply/{file}.json"),
        '{"name": "Ana"}',
    )
    server.answer = lambda sent: body
    model = at(cache=tmp_path / "s.sqlite", max_retries=1)
    with pytest.raises(CallFailed, match=r"broke off its reply.*attempt 2"):
        ask(model, schema=schema)
    assert len(server.bodies) == 2 and len(model.cache) == 0
    server.answer = lambda sent: body if len(server.bodies) < 4 else good
    assert ask(model, schema=schema).text == good and len(model.cache) == 1


async def one(rng, number, model):
    return {"said": (await model.reply(f"{number}?", max_tokens=6)).text}


def test_03_a_unit_whose_reply_broke_off_fails_and_is_done_again(server, at, store):
    server.answer = lambda sent: case("03_provider_failure_kept_as_reply/reply.json")
    what, model = Sweep("s", one, {"number": [1]}, 1, 1), at(cache=Cache(store.path))
    assert asyncio.run(what.run(store, model=model, progress=False)).failed == 1
    server.answer = lambda sent: "hello"
    assert (
        asyncio.run(
            what.run(store, model=model, progress=False, retry_failed=True)
        ).done
        == 1
    )


def test_10_content_in_parts_is_text_and_thinking(server, at):
    server.answer = lambda sent: case("10_content_parts/reply.json")
    reply = ask(at())
    assert (reply.text, reply.thinking) == ("Hello.", "hm") and len(server.bodies) == 1


def test_11_the_arguments_of_a_tool_call_are_the_reply(server, at):
    server.answer = lambda sent: case("11_tool_calls/reply.json")
    model = at()
    assert ask(model, schema=Form).value == Form(name="Ana") and model.learnt == ()


@pytest.mark.parametrize("number", range(1, 7))
def test_12_the_object_that_parses_is_found_among_braces(server, at, number):
    text = (CASES / "12_braces_in_prose" / f"reply{number}.txt").read_text()
    server.answer = lambda sent: text
    reply = ask(at(), schema=One)
    assert reply.value == One(a=1) and reply.attempts == 1


def test_12_braces_without_end_take_no_time():
    assert not list(objects("{" * 100_000)) and not list(objects('{"a":' * 3_000))


def test_13_a_refused_keyword_is_left_out_and_the_schema_stays(server, at):
    body = case("13_groq_keyword/refusal.json")
    server.answer = lambda sent: (
        refused(400, body) if "minItems" in str(sent) else '{"names": ["Ana"]}'
    )
    model = at()
    assert ask(model, schema=Many).value == Many(names=["Ana"])
    assert [sent["response_format"]["type"] for sent in server.bodies] == [
        "json_schema"
    ] * 2


def test_22_a_question_that_moderation_refuses_fails_its_unit_and_no_other(
    server, at, store
):
    body = case("22_moderation_403/refusal.json")
    server.answer = lambda sent: (
        refused(403, body) if "2?" in str(sent["messages"]) else "hello"
    )
    what = Sweep("s", one, {"number": [1, 2, 3]}, 1, 1)
    ended = asyncio.run(what.run(store, model=at(), progress=False))
    assert (ended.done, ended.failed, ended.missing) == (
        2,
        1,
        1,
    ) and "flagged" in ended.error
    server.answer = lambda sent: refused(403, {"error": {"message": "no such key"}})
    with pytest.raises(ModelUnavailable, match="refused the key"):
        ask(at())


def within(code):
    return {
        "error": {"message": "Rate limit exceeded: free-models-per-min", "code": code}
    }


def test_26_a_refusal_within_a_200_is_passing_and_not_charged(
    server, at, store, monkeypatch, tmp_path
):
    monkeypatch.setenv("CONVENE_MODELS", str(tmp_path / "own.toml"))
    (tmp_path / "own.toml").write_text(
        '[models."gpt-small"]\nprice = { input = 1000.0, output = 1000.0 }\n'
    )
    server.answer = lambda sent: within(429) if len(server.bodies) < 3 else "hello"
    what = Sweep("s", one, {"number": [1]}, 1, 1)
    ended = asyncio.run(
        what.run(store, model=at(max_retries=6), progress=False, budget_usd=5.0)
    )
    assert (
        ended.done == 1
        and ended.spent == pytest.approx(0.01)
        and len(server.bodies) == 3
    )


@pytest.mark.parametrize(
    ("code", "said"), [(401, "refused the key"), (402, "no credit left")]
)
def test_26_a_key_or_an_account_that_is_refused_within_a_200_ends_the_run(
    server, at, store, code, said
):
    server.answer = lambda sent: within(code)
    with pytest.raises(ModelUnavailable, match=said):
        asyncio.run(
            Sweep("s", one, {"number": [1, 2]}, 1, 1).run(
                store, model=at(max_retries=6), progress=False
            )
        )
    assert len(server.bodies) <= 2 and not store.sweeps()
