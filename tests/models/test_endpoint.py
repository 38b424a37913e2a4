import asyncio
import re
import traceback

import pytest
from pydantic import BaseModel, Field
from serving import LocalServer

from support.errors import (
    CallFailed,
    ModelUnavailable,
)
from support.models import connect
from support.models.calls import collected
from support.models.endpoint import NO_KEY

KEY = "sk-test-SECRET0123456789"
ASKED = {"max_tokens": 100, "seed": 1}


class Votes(BaseModel):
    names: list[str] = Field(max_length=2)


GOOD = '{"names": ["P1"]}'
ENTRY = "[models.gpt-small]\n"


def ask(model, messages="Who?", schema=None, **settings):
    return asyncio.run(model.reply(messages, schema, **settings))


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


SWITCH = "reasoning.off.chat_template_kwargs.enable_thinking = false"
SWITCHED = [
    ("reasoning_effort = 'low'", None, {"reasoning_effort": "low"}),
    ("reasoning_effort = 'low'", "high", {"reasoning_effort": "high"}),
    (SWITCH, "off", {"chat_template_kwargs": {"enable_thinking": False}}),
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


def test_a_reply_cut_by_thinking_gets_twice_the_room_which_is_kept_and_paid(
    server, at, own
):
    def answer(body):
        room = body["max_tokens"]
        said = (GOOD, "stop") if room >= 610 else ("", "length")
        used = {"prompt_tokens": 7, "completion_tokens": min(room, 610)}
        return server.completion(*said, used)

    own(f"{ENTRY}longest = 1000")
    server.answer, model = answer, at()
    reply = ask(model, schema=Votes, max_tokens=100)
    assert (reply.text, reply.tokens) == (GOOD, 4 * 7 + 100 + 200 + 400 + 610)
    assert rooms(server) == [100, 200, 400, 800]
    ask(model, "More?", max_tokens=100)
    assert rooms(server) == [800]


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
