import asyncio
import io
import json
import logging
import subprocess
import sys
import traceback

import pytest
from aiohttp import web
from pydantic import BaseModel

from support.errors import CallFailed, ContextOverflow, InvalidInput, MalformedReply, ModelUnavailable
from support.llm import Usage, connect

KEY = "sk-test-SECRET0123456789"


class Vote(BaseModel):
    candidate: str


def ask(model, messages="Who?", **settings):
    return asyncio.run(model.reply(messages, **settings))


def at(server, **options):
    return connect("gpt-small", base_url=server.url, **{"max_retries": 0, **options})


def test_a_reply_comes_with_its_usage_and_latency(server):
    reply = ask(at(server))
    assert (reply.text, reply.usage, reply.cached) == ("hello", Usage(7, 3), False)
    assert reply.latency > 0


def test_what_is_asked_reaches_the_endpoint(server):
    ask(at(server, api_key=KEY), "Who?", temperature=0.5, seed=3, max_tokens=9)
    assert server.bodies[0] == {
        "model": "gpt-small",
        "messages": [{"role": "user", "content": "Who?"}],
        "temperature": 0.5,
        "seed": 3,
        "max_tokens": 9,
    }
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert "aiohttp" in sys.modules


def test_key_and_address_come_from_the_openai_package_s_variables(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY + "\n")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/")
    model = connect("gpt-small")
    ask(model)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert model.details == {"model": "gpt-small", "endpoint": server.url}


def test_a_password_in_the_address_is_sent_and_not_shown(server):
    model = connect("gpt-small", base_url=server.url.replace("//", "//ada:pass@"))
    ask(model)
    assert server.headers[0]["Authorization"].startswith("Basic ")
    assert "pass" not in repr(model)


def test_a_proxy_does_not_stand_before_this_machine(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert ask(at(server)).text == "hello"


def test_one_client_serves_a_loop_and_another_loop_gets_its_own(server, recwarn):
    model = at(server)

    async def thrice():
        await asyncio.gather(*(model.reply(f"{i}") for i in range(3)))
        clients = [await model._transport._sessions.get().ready() for _ in range(2)]
        assert clients[0] is clients[1]
        return clients[0]

    first, second = asyncio.run(thrice()), asyncio.run(thrice())
    assert first is not second
    assert first.is_closed()
    assert second.is_closed()
    assert not [warning for warning in recwarn if "nclosed" in str(warning.message)]


def test_the_limit_on_calls_in_flight_holds_at_the_endpoint(server):
    server.delay = 0.05

    async def crowd(model):
        await asyncio.gather(*(model.reply(f"{i}") for i in range(9)))

    asyncio.run(crowd(at(server, concurrency=3)))
    assert server.most_at_once == 3


def test_a_schema_is_put_as_json_schema(server):
    server.answer = lambda body: '{"candidate": "P1"}'
    assert ask(at(server), schema=Vote).value == Vote(candidate="P1")
    asked = server.bodies[0]["response_format"]["json_schema"]
    assert asked["name"] == "Vote"
    assert asked["strict"]
    assert asked["schema"]["required"] == ["candidate"]


def test_the_fields_of_a_schema_keep_their_order_for_a_model_writes_them_in_it(server):
    class Reasoned(BaseModel):
        why: str
        candidate: str

    server.answer = lambda body: '{"why": "fair", "candidate": "P1"}'
    ask(at(server), schema=Reasoned)
    asked = server.bodies[0]["response_format"]["json_schema"]["schema"]
    assert list(asked["properties"]) == asked["required"] == ["why", "candidate"]


@pytest.mark.parametrize(("refused", "steps"), [({"json_schema"}, 2), ({"json_schema", "json_object"}, 3)])
def test_an_endpoint_without_a_form_gets_the_next_one_and_is_asked_once_only(server, refused, steps):
    def answer(body):
        form = body.get("response_format", {}).get("type")
        if form in refused:
            return server.refusal(400, f"response_format type '{form}' is not supported")
        assert '"candidate"' in body["messages"][-1]["content"]
        return '```json\n{"candidate": "P1"}\n```'

    server.answer = answer
    model = at(server)
    assert ask(model, schema=Vote).value.candidate == "P1"
    assert len(server.bodies) == steps
    ask(model, "And you?", schema=Vote)
    assert len(server.bodies) == steps + 1
    assert model.live_calls == 2


def test_the_step_of_the_ladder_does_not_change_what_the_cache_finds(server, tmp_path):
    server.answer = lambda body: (
        server.refusal(400, "no json_schema") if "response_format" in body else '{"candidate": "a"}'
    )
    ask(at(server, cache=tmp_path / "s"), schema=Vote)
    assert ask(at(server, cache=tmp_path / "s", offline=True), schema=Vote).cached


def test_an_invalid_reply_is_repaired(server):
    server.answer = lambda body: '{"candidate": "P1"}' if len(body["messages"]) == 3 else '{"candidate": 1}'
    reply = ask(at(server), schema=Vote)
    assert reply.attempts == 2
    assert reply.usage == Usage(14, 6)
    assert "candidate: Input should be a valid string" in server.bodies[1]["messages"][2]["content"]


def test_a_reply_that_was_cut_off_is_asked_shorter(server):
    server.answer = lambda body: server.completion('{"candidate": "P', finish_reason="length")
    with pytest.raises(MalformedReply, match="max_tokens"):
        ask(at(server), schema=Vote)
    assert "cut off" in server.bodies[2]["messages"][-1]["content"]
    assert len(server.bodies) == 3


def test_an_endpoint_that_wants_max_completion_tokens_gets_it(server):
    message = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    )
    server.answer = lambda body: server.refusal(400, message) if "max_tokens" in body else "ok"
    model = at(server)
    assert [ask(model, text).text for text in "ab"] == ["ok", "ok"]
    assert len(server.bodies) == 3


def _refusals(server):
    too_long = {"type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192}
    return {
        "bad key": (401, f"Incorrect API key provided: {KEY}", {}, ModelUnavailable, "refused the key.*OPENAI_API_KEY"),
        "forbidden": (403, "not for you", {}, ModelUnavailable, "refused the key"),
        "unknown model": (404, "no such model", {}, ModelUnavailable, "does not know.*'gpt-small'"),
        "unknown model, as 400": (400, "model 'x' not found", {}, ModelUnavailable, "does not know"),
        "no credit": (429, "quota", {"code": "insufficient_quota"}, ModelUnavailable, "no credit"),
        "too long": (400, "request exceeds the available context size", too_long, ContextOverflow, "9000 tokens.*8192"),
        "too long, at OpenAI": (
            400, "maximum length is 8 tokens", {"code": "context_length_exceeded"}, ContextOverflow, "8 tokens"),
        "too many calls": (429, "slow down", {}, CallFailed, "allows no more calls"),
        "server error": (500, "oops", {}, CallFailed, "error 500.*oops"),
        "another bad request": (400, "temperature must be 1", {}, CallFailed, "error 400.*temperature must be 1"),
    }  # fmt: skip


@pytest.mark.parametrize("case", sorted(_refusals(None)))
def test_a_refusal_is_told_in_plain_words_and_without_the_key(server, case):
    status, message, more, kind, expected = _refusals(server)[case]
    server.answer = lambda body: server.refusal(status, message, **more)
    with pytest.raises(kind, match=expected) as caught:
        ask(at(server, api_key=KEY))
    told = "".join(traceback.format_exception(caught.value))
    assert "SECRET" not in told
    assert "openai." not in told.replace("openai.com", "")
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert len(server.bodies) == 1


def test_server_errors_are_retried_by_the_openai_package(server):
    answers = iter([server.refusal(500, "oops"), "well"])
    server.answer = lambda body: next(answers)
    model = at(server, max_retries=1)
    assert ask(model).text == "well"
    assert (model.live_calls, len(server.bodies)) == (1, 2)


@pytest.mark.parametrize("body", ["<html>hello</html>", "", '{"detail": "no"}', '{"choices": []}', "{broken"])
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
def test_an_answer_that_is_no_chat_completion_is_a_failed_call(server, body, kind):
    server.answer = lambda _: web.Response(text=body, content_type=kind)
    with pytest.raises(CallFailed, match="no chat completion"):
        ask(at(server))


def test_an_endpoint_that_is_not_there_is_named():
    with pytest.raises(ModelUnavailable, match=r"cannot reach the endpoint http://127\.0\.0\.1:9/v1.*OPENAI_BASE_URL"):
        ask(connect("m", base_url="http://127.0.0.1:9/v1", max_retries=0))


def test_a_slow_endpoint_is_given_up(server):
    server.delay = 1.0
    with pytest.raises(CallFailed, match="in time"):
        ask(at(server, timeout=0.1))


def test_an_endpoint_that_hangs_up_is_a_failed_call(server):
    server.hang_up = True
    with pytest.raises(CallFailed, match="broke off"):
        ask(at(server))


def test_a_missing_key_is_told_at_once_with_the_way_out():
    with pytest.raises(ModelUnavailable, match=r'OPENAI_API_KEY.*api_key=.*"embedded" needs none'):
        connect("gpt-5-mini")


@pytest.mark.parametrize("key", ["sk-SECRET\u2026", "sk-SECRET\nX"])
def test_a_key_that_was_copied_badly_is_not_shown(key):
    with pytest.raises(InvalidInput, match="key") as caught:
        connect("m", api_key=key)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("option", [{"concurrency": 0}, {"timeout": 0}, {"max_retries": -1}, {"model": ""}])
def test_options_that_do_not_fit_are_input_errors(option):
    with pytest.raises(InvalidInput, match=next(iter(option))):
        connect(**option)


def test_the_key_is_nowhere(server, tmp_path):
    log = io.StringIO()
    handler, root = logging.StreamHandler(log), logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        model = at(server, api_key=KEY, cache=tmp_path / "study.sqlite")
        reply = ask(model)
        server.answer = lambda body: server.refusal(401, f"wrong key {KEY[:14]}****")
        with pytest.raises(ModelUnavailable) as caught:
            ask(model, "And?")
        model.cache.export(tmp_path / "run.jsonl")
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    local = "\n".join(str(frame.locals) for frame in told.stack if "support/llm" in frame.filename)
    shown = [log.getvalue(), repr(model), repr(vars(model)), repr(reply), str(model.details), str(caught.value), local]
    shown += [repr(vars(model._transport))]
    shown += [file.read_bytes().decode("latin-1") for file in tmp_path.iterdir()]
    assert "chat/completions" in log.getvalue()
    assert "support" in str([frame.filename for frame in told.stack])
    assert not [text for text in shown if "SECRET" in text]


@pytest.mark.parametrize(
    "run",
    [
        "asyncio.run(model.reply('x'))",
        "loop = asyncio.new_event_loop(); loop.run_until_complete(model.reply('x'))",
    ],
    ids=["asyncio.run", "a loop left open"],
)
def test_nothing_is_printed_at_the_end_of_a_process(server, run):
    script = f"import asyncio\nfrom support.llm import connect\nmodel = connect('m', base_url={server.url!r})\n{run}\n"
    done = subprocess.run([sys.executable, "-X", "dev", "-c", script], capture_output=True, text=True, timeout=30)
    noise = [word for word in ("session", "connector", "transport", "Error", "never") if word in done.stderr]
    assert (done.returncode, done.stdout, noise) == (0, "", []), done.stderr


def test_importing_the_package_loads_nothing_heavy():
    heavy = ("openai", "aiohttp", "pydantic", "xllamacpp", "numpy")
    script = f"import json, sys, support.llm; print(json.dumps([m for m in {heavy} if m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30)
    assert json.loads(done.stdout) == []
