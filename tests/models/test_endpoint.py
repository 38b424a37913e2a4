import asyncio
import re
import subprocess
import sys
import traceback

import pytest
from aiohttp import web
from pydantic import BaseModel, Field
from serving import LocalServer

from support.errors import (
    CacheMiss,
    CallFailed,
    InvalidInput,
    MalformedReply,
    ModelUnavailable,
)
from support.models import connect, named
from support.models.calls import collected
from support.models.endpoint import NO_KEY, Endpoint, address
from support.models.model import ChatModel
from support.models.profiles import EMBEDDED

KEY = "sk-test-SECRET0123456789"
ASKED = {"max_tokens": 100, "seed": 1}


class Votes(BaseModel):
    names: list[str] = Field(max_length=2)


GOOD = '{"names": ["P1"]}'
ENTRY = "[models.gpt-small]\n"


def ask(model, messages="Who?", schema=None, **settings):
    return asyncio.run(model.reply(messages, schema, **settings))


def form(body):
    return body.get("response_format", {}).get("type", "prompt")


REFUSED = {  # what providers refuse, and their words
    "'max_tokens'": "'max_tokens' is not it. Use 'max_completion_tokens'.",
    "'temperature'": "'temperature' does not support 0.0.",
    "'seed'": "Unrecognized request argument supplied: seed",
    "'maxItems'": "Invalid schema for response_format: 'maxItems' is not permitted.",
    "'json_schema'": "response_format json_schema is not supported.",
    "'json_object'": "'response_format.type' must be 'text'",
}


def picky(body):
    for asked, said in REFUSED.items():
        if asked in str(body):
            return LocalServer.refusal(400, said)
    return GOOD


@pytest.mark.parametrize("at_once", [1, 8])
def test_each_refusal_teaches_once_and_the_same_question_is_asked(
    server, at, tmp_path, at_once
):
    async def crowd(model):
        asked = (model.reply(f"{number}", Votes, **ASKED) for number in range(8))
        return {reply.text for reply in await asyncio.gather(*asked)}

    server.answer, server.delay = picky, 0.02
    model = at(cache=tmp_path / "s.sqlite", concurrency=at_once)
    with collected() as calls:
        assert asyncio.run(crowd(model)) == {GOOD} and model.live_calls == 8
    faults = [fault for call in calls for fault in call.faults]
    assert {fault.said for fault in faults} == set(model.learnt)
    assert {(fault.kind, fault.waited) for fault in faults} == {("learnt", 0.0)}
    lessons = len(REFUSED) + 1  # one more form
    assert len(model.learnt) == lessons
    assert server.most_at_once == at_once
    assert at_once == 8 or len(server.bodies) == 8 + lessons
    server.bodies.clear()
    ask(model, "And?", Votes, **ASKED)
    [body] = server.bodies
    assert set(body) == {"model", "messages", "max_completion_tokens"}
    assert "JSON schema" in str(body["messages"])
    replays = at(cache=tmp_path / "s.sqlite", offline=True)
    assert ask(replays, "3", Votes, **ASKED).cached, "its key is the same"


OWN = {
    "top_k": "extra_body = { top_k = 4 }",
    "response_format": "extra_body.response_format.type = 'text'",
    "reasoning_effort": "reasoning_effort = 'x'",
}


@pytest.mark.parametrize("name", OWN)
def test_what_the_users_entry_asks_for_is_never_left_out(server, at, own, name):
    own(ENTRY + OWN[name])
    said = f"Unexpected fields in the request: {{'{name}'}}"
    server.answer = lambda body: server.refusal(422, said)
    with pytest.raises(CallFailed, match=rf"refuses {name}, .* 'gpt-small' in models"):
        ask(at())
    assert len(server.bodies) == 1


def test_a_server_that_refuses_everything_ends_in_an_error(server, at):
    said = " ".join(REFUSED.values())
    server.answer = lambda body: server.refusal(400, said)
    with pytest.raises(CallFailed, match="error 400: 'max_tokens' is no"):
        ask(at(), schema=Votes, **ASKED)
    assert len(server.bodies) < 20


SWITCH = "reasoning.off.chat_template_kwargs.enable_thinking = false"
SWITCHED = [
    ("", "off", {"reasoning_effort": "none"}),
    ("reasoning_effort = 'low'", None, {"reasoning_effort": "low"}),
    (
        "reasoning_effort = 'low'\nextra_body.k = 1",
        "high",
        {"reasoning_effort": "high", "k": 1},
    ),
    (
        f"{SWITCH}\nextra_body.k = 1",
        "off",
        {"chat_template_kwargs": {"enable_thinking": False}, "k": 1},
    ),
]


@pytest.mark.parametrize(("entry", "reasoning", "sent"), SWITCHED)
def test_reasoning_is_asked_for_as_the_entry_says_and_each_way_has_its_own_replies(
    server, at, own, tmp_path, entry, reasoning, sent
):
    own(ENTRY + entry)
    model = at(cache=tmp_path / "s.sqlite")
    for cached in (False, True):
        assert ask(model, reasoning=reasoning).cached == cached
    assert sent.items() <= server.bodies[0].items()
    assert ask(model).cached == (reasoning is None)


LEVELS = [
    (400, "Unsupported parameter: 'reasoning_effort'."),
    (422, "reasoning_effort: Extra inputs are not permitted"),
    (500, 'Unknown name "reasoning_effort": Cannot find field'),
    (400, "'reasoning_effort' does not support 'none'. Supported: 'low', 'high'."),
    (400, "Reasoning is mandatory for this endpoint and cannot be disabled."),
]


@pytest.mark.parametrize(("status", "said"), LEVELS)
def test_a_refused_level_of_reasoning_is_told_and_never_left_out(
    server, at, status, said
):
    server.answer = lambda body: (
        server.refusal(status, said)
        if body.get("reasoning_effort") == "none"
        else "hello"
    )
    model = at()
    told = rf"refuses reasoning_effort, which the setting .*{re.escape(said)}"
    for _ in range(2):
        with pytest.raises(CallFailed, match=told):
            ask(model, reasoning="off")
    assert ask(model, reasoning="low").text == "hello" and not model.learnt
    assert len(server.bodies) == 3


def test_a_thinking_table_that_is_refused_is_told(server, at, own):
    own(ENTRY + SWITCH)
    server.answer = lambda body: server.refusal(400, "enable_thinking: unknown field")
    with pytest.raises(CallFailed, match="refuses enable_thinking, which the setting"):
        ask(at(), reasoning="off")
    with pytest.raises(InvalidInput, match="'high' given; gpt-small knows None, off"):
        ask(at(), reasoning="high")


THOUGHTS = [
    (f"<think>Let me {{so}}.</think>\n{GOOD}", {}, GOOD),
    (f"Let me {{so}}.</think>{GOOD}", {}, GOOD),
    (GOOD, {"reasoning_content": "Let me {so}."}, GOOD),
    ("<think>Let me {so}.", {"finish_reason": "length"}, ""),
]


@pytest.mark.parametrize(("said", "beside", "text"), THOUGHTS)
def test_thinking_is_no_text_and_is_kept(server, at, tmp_path, said, beside, text):
    server.answer = lambda body: server.completion(said, **beside)
    for offline in (False, True):
        model = at(cache=tmp_path / "s.sqlite", offline=offline)
        reply = ask(model, schema=Votes if text else None)
        assert (reply.text, reply.thinking) == (text, "Let me {so}.")


def rooms(server):
    found = [body["max_tokens"] for body in server.bodies]
    server.bodies.clear()
    return found


@pytest.mark.parametrize("first", ["", "<think>Well, let me"])
def test_a_reply_cut_by_thinking_gets_twice_the_room_which_is_kept_and_paid(
    server, at, own, first
):
    def answer(body):
        room = body["max_tokens"]
        said = (GOOD, "stop") if room >= needed else (first, "length")
        used = {"prompt_tokens": 7, "completion_tokens": min(room, 610)}
        return server.completion(*said, used)

    own(f"{ENTRY}longest = 1000")
    server.answer, needed, model = answer, 610, at()
    reply = ask(model, schema=Votes, max_tokens=100)
    assert (reply.text, reply.tokens) == (GOOD, 4 * 7 + 100 + 200 + 400 + 610)
    assert rooms(server) == [100, 200, 400, 800]
    needed = 5000
    assert ask(model, "More?", max_tokens=100).text == ""
    assert rooms(server) == [800, 1000]


def test_who_runs_on_gets_four_times_its_room_and_the_embedded_model_no_more(
    server, at
):
    server.answer = lambda body: server.completion('{"names": ["P', "length")
    model, embedded = at(), ChatModel(Endpoint(EMBEDDED, address(server.url), KEY))
    for asked, chat, expected in (
        (100, model, 400),
        (100, embedded, 100),
        (10, model, 40),
    ):
        with pytest.raises(MalformedReply, match="max_tokens"):
            ask(chat, schema=Votes, max_tokens=asked)
        assert max(rooms(server)) == expected


REFUSALS = [
    (
        401,
        f"Incorrect key {KEY[:14]}**** of {KEY}",
        {},
        ModelUnavailable,
        "refused the key.*OPENAI_API_KEY",
    ),
    (429, "quota", {"code": "insufficient_quota"}, ModelUnavailable, "no credit"),
    (400, f"no tea {KEY}", {}, CallFailed, "error 400.*no tea"),
]


@pytest.mark.parametrize(("status", "said", "more", "kind", "expected"), REFUSALS)
def test_a_refusal_is_told_in_plain_words_without_the_key(
    server, at, status, said, more, kind, expected
):
    server.answer = lambda body: server.refusal(status, said, **more)
    with pytest.raises(kind, match=expected) as caught:
        ask(at(api_key=KEY, max_retries=1))
    shown = "".join(traceback.format_exception(caught.value))
    assert "SECRET" not in shown and not caught.value.__context__
    assert len(server.bodies) == 1


STRANGE = ["<html>Welcome</html>", "{}", '{"choices": []}', "[1]", '{"choices": null}']


@pytest.mark.parametrize("body", STRANGE)
def test_what_is_no_chat_completion_is_told_and_tried_again(server, at, body):
    server.answer = lambda _: web.Response(text=body, content_type="application/json")
    with pytest.raises(CallFailed, match=r"no chat completion.*attempt 2") as caught:
        ask(at(max_retries=1))
    assert caught.value.charged


def test_a_short_key_garbles_no_words(server, at):
    server.answer = lambda body: server.refusal(400, "2048 tokens, and key-12345 is k")
    with pytest.raises(CallFailed, match="2048 tokens, and key-12345 is k"):
        ask(at(api_key="k"))
    with pytest.raises(CallFailed, match=r"2048 tokens, and \[key\] is k"):
        ask(at(api_key="key-12345"))


OURS = "OPENAI_API_KEY"
AWAY = '[models.m]\naddress = "https://e.org"\nkey = "OTHER"'
MEANT = [  # a name, how the address is given, entries, and the key that goes there
    ("m", "base_url", "", "of ours"),
    ("m", "OPENAI_BASE_URL", "", "of ours"),
    ("m@{}", "", "", None),
    ("gpt-4o-mini@{}", "", "", None),
    ("m@{}", "", '[models."*@{}"]\nkey = "OTHER"', "of other"),
    ("m@{}", "", f'[models."*@{{}}"]\nkey = "{OURS}"', "of ours"),
    ("m@{}", "", '[models.m]\naddress = "{}"\nkey = "OTHER"', "of other"),
    ("m", "", '[models.m]\naddress = "{}"\nkey = "OTHER"', "of other"),
    ("m@{}", "OPENAI_BASE_URL", "", "of ours"),
    ("m@{}", "", AWAY, None),
    ("m", "base_url", AWAY, None),
    ("gpt-4o", "OPENAI_BASE_URL", '[models."*@{}"]\nkey = "OTHER"', "of other"),
    ("m@{}", "", '[models.m]\nkey = "OTHER"', None),
    ("m", "base_url", '[models.m]\nkey = "OTHER"', "of other"),
]


@pytest.mark.parametrize(("name", "by", "entries", "sent"), MEANT)
def test_a_key_goes_to_no_host_that_its_entry_does_not_name(
    server, monkeypatch, own, name, by, entries, sent
):
    own(entries.format(server.url) or "[models]")
    monkeypatch.setenv(OURS, "of ours")
    monkeypatch.setenv("OTHER", "of other")
    elsewhere = by != "OPENAI_BASE_URL"
    monkeypatch.setenv("OPENAI_BASE_URL", "https://e.org" if elsewhere else server.url)
    given = {"base_url": server.url} if by == "base_url" else {}
    ask(connect(name.format(server.url), **given))
    assert server.headers[0]["Authorization"] == f"Bearer {sent or NO_KEY}"


def test_one_client_serves_a_loop_and_another_loop_gets_its_own(server, at, recwarn):
    model = at(concurrency=3)
    server.delay = 0.02

    async def crowd():
        await asyncio.gather(*(model.reply(f"{i}") for i in range(9)))
        return {await anext(model._transport._sessions.get()) for _ in range(2)}

    [first], [second] = asyncio.run(crowd()), asyncio.run(crowd())
    assert (
        first is not second
        and first.is_closed()
        and second.is_closed()
        and server.most_at_once == 3
    )
    assert not [warning for warning in recwarn if "nclosed" in str(warning.message)]


def test_a_process_imports_nothing_heavy_and_ends_quietly(server):
    script = f"""
import asyncio, gc, sys
from support.models import connect, named
model = connect("m", base_url={server.url!r})
heavy = {{"openai", "aiohttp", "xllamacpp", "numpy", "pandas"}}
print(sorted(heavy & sys.modules.keys()))
async def dropped():
    for question in "xyz":
        await connect("m", base_url={server.url!r}).reply(question)
        gc.collect()
asyncio.run(dropped())
replies = asyncio.run(model.reply("x")), asyncio.run(model.reply("y"))
print(*(reply.text for reply in replies))
"""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", script],
        capture_output=True,
        text=True,
        timeout=30,
    )
    words = ("session", "connector", "transport", "Error", "never")
    noise = [word for word in words if word in done.stderr]
    assert (done.returncode, done.stdout, noise) == (0, "[]\nhello hello\n", []), (
        done.stderr
    )


def test_while_a_run_is_estimated_stand_ins_answer_with_the_models_price(
    server, monkeypatch, tmp_path
):
    monkeypatch.setenv("CONVENE_ESTIMATE", str(tmp_path / "estimate.jsonl"))
    for model in (connect("gpt-4o-mini"), named("model:gpt-4o-mini")):
        assert ask(model).text and model.price.input == 0.15
        assert model.name == model.profile.name == "gpt-4o-mini"
    kept = connect("m", base_url=server.url, cache=tmp_path / "s.sqlite", offline=True)
    with pytest.raises(CacheMiss):
        ask(kept)
    assert not server.bodies
