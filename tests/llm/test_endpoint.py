import asyncio
import contextlib
import io
import json
import logging
import socket
import subprocess
import sys
import threading
import traceback
from contextlib import closing

import pytest
from aiohttp import web
from pydantic import BaseModel

from support.calls import collected, metered
from support.errors import (
    BudgetExceeded,
    CallFailed,
    ContextOverflow,
    InvalidInput,
    MalformedReply,
    ModelError,
    ModelUnavailable,
)
from support.llm import Usage, attempts, connect
from support.llm.failures import retry_after
from support.money import Budget, Meter
from support.presence import Presence

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


@pytest.fixture
def _quick(monkeypatch):
    """Back-off in milliseconds."""
    monkeypatch.setattr(attempts, "FIRST_WAIT", 0.002)


def following(server, *answers):
    """Have the server give these answers, one after the other; the last one from then on."""
    left = list(answers)

    def answer(body):
        given = left.pop(0) if len(left) > 1 else left[0]
        if not isinstance(given, web.Response):
            return given
        headers = {k: v for k, v in given.headers.items() if k != "Content-Length"}  # aiohttp sends a response once
        return web.Response(body=given.body, status=given.status, headers=headers)

    server.answer = answer


def told(model, **settings):
    """A question, what came of it, and the one call that was noted."""
    with collected() as calls:
        try:
            end = ask(model, **settings)
        except ModelError as error:
            end = error
    [call] = calls
    return end, call


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_an_error_that_may_pass_is_retried_and_noted(server, status):
    following(server, server.refusal(status, "oops"), server.refusal(status, "oops"), "well")
    model = at(server, max_retries=6)
    reply, call = told(model)
    assert reply.text == "well"
    assert (model.live_calls, len(server.bodies)) == (1, 3)
    assert [(fault.kind, "oops" in fault.said, fault.waited > 0) for fault in call.faults] == [
        (str(status), True, True)
    ] * 2
    assert call.error == ""


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize(
    ("status", "more"),
    [(400, {}), (401, {}), (402, {}), (404, {}), (422, {}), (429, {"code": "insufficient_quota"})],
    ids=["400", "401", "402", "404", "422", "no credit"],
)
def test_an_error_that_will_not_pass_is_not_retried(server, status, more):
    following(server, server.refusal(status, "no", **more))
    error, call = told(at(server, max_retries=6))
    assert isinstance(error, ModelError) and not error.transient
    assert len(server.bodies) == len(call.faults) == 1
    assert call.error.startswith(type(error).__name__)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "30"}, 30.0),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"Retry-After": "Sun, 22 Nov 2026 10:00:30 GMT", "Date": "Sun, 22 Nov 2026 10:00:00 GMT"}, 30.0),
        ({"Retry-After": "Sun, 22 Nov 2026 10:00:00 GMT", "Date": "Sun, 22 Nov 2026 10:00:30 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "Sun, 99 Nov 2026 10:00:00 GMT"}, None),
        ({}, None),
    ],
    ids=["seconds", "parts of seconds", "a date", "a date that is past", "a word", "negative", "no day",
         "nothing"],
)  # fmt: skip
def test_the_wait_that_an_endpoint_asks_for_is_understood_in_both_forms(server, headers, seconds):
    following(server, server.refusal(429, "slow down", headers))
    error, _ = told(at(server))
    assert error.retry_after == seconds


def test_a_date_counts_from_now_where_the_answer_has_no_date():
    assert retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, now=lambda: 40.0) == 60.0


@pytest.mark.usefixtures("_quick")
def test_the_wait_that_an_endpoint_asks_for_is_kept(server):
    following(server, server.refusal(503, "slow down", {"Retry-After": "0.3"}), "well")
    _, call = told(at(server, max_retries=1))
    assert call.faults[0].waited >= 0.3


@pytest.mark.usefixtures("_quick")
def test_a_wait_beyond_the_deadline_ends_the_call_at_once(server):
    following(server, server.refusal(429, "slow down", {"Retry-After": "3600"}), "well")
    with pytest.raises(CallFailed, match=r"asks to wait 3600 s.*deadline=600 s"):
        ask(at(server, max_retries=6))
    assert len(server.bodies) == 1


async def cut_before_the_answer(request):
    request.transport.abort()
    return web.Response()


async def cut_within_the_answer(request):
    answer = web.StreamResponse(headers={"Content-Length": "1000", "Content-Type": "application/json"})
    await answer.prepare(request)
    await answer.write(b'{"choices": [{"message"')
    request.transport.abort()
    return answer


async def end_early(request):
    answer = web.StreamResponse(headers={"Content-Length": "1000", "Content-Type": "application/json"})
    await answer.prepare(request)
    await answer.write(b'{"choices": [{"message"')
    request.transport.close()
    return answer


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("cut", [cut_before_the_answer, cut_within_the_answer, end_early])
def test_a_connection_that_breaks_is_retried_and_may_have_been_charged(server, cut):
    server.wire = cut
    error, call = told(at(server, max_retries=2))
    assert isinstance(error, CallFailed)
    assert (error.fault, error.charged) == ("broken connection", True)
    assert [fault.kind for fault in call.faults] == ["broken connection"] * 3
    server.wire = None
    assert ask(at(server)).text == "hello"


@pytest.mark.usefixtures("_quick")
def test_what_is_no_http_counts_as_a_broken_connection_that_may_have_been_charged():
    def answer(listening):
        for _ in range(2):
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"WELL WELL WELL\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=answer, args=(listening,), daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        error, call = told(connect("m", base_url=url, max_retries=1, api_key=KEY))
    assert isinstance(error, CallFailed)
    assert "SECRET" not in repr(error) + repr(error.__context__) + call.to_json(), "aiohttp's own error has the key"
    assert (error.fault, error.charged, len(call.faults)) == ("broken connection", True, 2)


@pytest.mark.usefixtures("_quick")
def test_an_answer_that_is_no_completion_is_retried_less_often_where_none_ever_was(server):
    following(server, web.Response(text="<html>welcome</html>", content_type="text/html"))
    model = at(server, max_retries=4)
    error, call = told(model)
    assert (error.fault, len(call.faults)) == ("no completion", 3)
    following(server, "well", web.Response(text="{broken", content_type="application/json"))
    ask(model)
    assert len(told(model)[1].faults) == 5


@pytest.mark.usefixtures("_quick")
def test_an_endpoint_that_is_not_there_is_tried_three_times():
    error, call = told(connect("m", base_url="http://127.0.0.1:9/v1"))
    assert isinstance(error, ModelUnavailable)
    assert [fault.kind for fault in call.faults] == ["no connection"] * 3
    assert not error.charged


@pytest.mark.parametrize("status", [408, 504, 524])
def test_a_time_out_that_is_told_by_a_status_may_have_been_charged(server, status):
    following(server, server.refusal(status, "upstream did not answer"))
    assert told(at(server))[0].charged
    following(server, server.refusal(500, "oops"))
    assert not told(at(server))[0].charged


def test_an_account_without_money_is_said_to_be_one(server):
    following(server, server.refusal(402, "Insufficient Balance"))
    with pytest.raises(ModelUnavailable, match="no credit"):
        ask(at(server))


def test_an_answer_that_trickles_without_end_is_cut_by_the_clock(server):
    async def trickle(request):
        answer = web.StreamResponse(headers={"Content-Type": "application/json"})
        await answer.prepare(request)
        with contextlib.suppress(ConnectionError):
            for _ in range(600):
                await answer.write(b" ")
                await asyncio.sleep(0.02)
        return answer

    server.wire = trickle
    error, call = told(at(server, timeout=0.3))
    assert (error.fault, error.charged, error.transient) == ("time-out", True, True)
    assert len(call.faults) == 1


def test_a_stall_ends_at_the_deadline_of_the_call(server):
    server.delay = 3.0
    error, call = told(at(server, deadline=0.2, max_retries=6))
    assert "within the deadline of 0.2 s" in str(error)
    assert [fault.kind for fault in call.faults] == ["deadline"]


@pytest.fixture
def priced(server, tmp_path, monkeypatch):
    """A prices file for the server: a millionth of a dollar a token, half of it if cached, four times to write."""
    own = tmp_path / "prices.toml"
    own.write_text(
        f'date = 2026-11-22\n[[models]]\nname = "gpt-small"\nendpoint = "{server.url}"\n'
        "input = 1.0\ncached_input = 0.5\noutput = 4.0\n"
    )
    monkeypatch.setenv("CONVENE_PRICES", str(own))


def with_usage(server, text, **usage):
    return {**server.completion(text), "usage": usage}


@pytest.mark.usefixtures("priced")
def test_a_reply_has_its_cost_and_a_cached_one_costs_nothing(server, tmp_path):
    details = {"prompt_tokens_details": {"cached_tokens": 800}}
    following(server, with_usage(server, "hello", prompt_tokens=1000, completion_tokens=100, **details))
    model = at(server, cache=tmp_path / "s.sqlite")
    reply, call = told(model)
    assert reply.usage == Usage(1000, 100, 800)
    assert (reply.usage.total, reply.cost) == (1100, 0.001)
    assert (call.usd, call.cached_prompt_tokens) == (0.001, 800)
    again, call = told(model)
    assert (again.cost, again.cached, call.usd) == (0.0, True, 0.0)


@pytest.mark.usefixtures("priced")
def test_the_cost_of_a_reply_includes_its_repairs(server):
    bad = with_usage(server, "no", prompt_tokens=1000, completion_tokens=0)
    following(server, bad, with_usage(server, '{"candidate": "P1"}', prompt_tokens=2000, completion_tokens=0))
    with collected() as calls:
        reply = ask(at(server), schema=Vote)
    assert reply.cost == 0.003
    assert [(call.repair, call.usd) for call in calls] == [(0, 0.001), (1, 0.002)]


@pytest.mark.usefixtures("priced")
def test_a_reply_that_stays_malformed_says_what_it_cost(server):
    following(server, with_usage(server, "no", prompt_tokens=1000, completion_tokens=0))
    with pytest.raises(MalformedReply) as caught:
        ask(at(server, repairs=3), schema=Vote)
    assert (len(server.bodies), caught.value.tokens, caught.value.cost) == (4, 4000, 0.004)


def test_a_model_without_a_price_has_no_cost(server):
    reply, call = told(at(server))
    assert reply.cost is call.usd is None


@pytest.mark.usefixtures("priced")
@pytest.mark.parametrize(
    "usage",
    [None, {}, {"prompt_tokens": "7", "completion_tokens": "x"}, {"prompt_tokens": -5, "completion_tokens": -1},
     {"prompt_tokens": None, "completion_tokens": [1]}, {"prompt_tokens": float("nan"), "completion_tokens": True}],
    ids=["none", "empty", "texts", "negative", "a list", "nan"],
)  # fmt: skip
def test_a_usage_that_says_nothing_is_none_and_no_cost_is_made_up_from_it(server, usage):
    following(server, {**server.completion("hello"), "usage": usage})
    reply, _ = told(at(server))
    assert (reply.text, reply.usage, reply.cost) == ("hello", Usage(0, 0), None)


def test_tokens_that_are_written_as_fractions_are_whole(server):
    following(server, with_usage(server, "hello", prompt_tokens=7.0, completion_tokens=3.0))
    assert str(told(at(server))[0].usage) == str(Usage(7, 3))


@pytest.mark.usefixtures("priced")
def test_a_budget_ends_a_run_before_the_call_that_could_pass_it(server, tmp_path):
    path = tmp_path / "s.sqlite"
    with Presence(path) as presence, closing(Budget(0.0025, path, "s", presence)) as money, metered(Meter(money)):
        model = at(server, cache=path)

        async def many():
            for number in range(100):
                await model.reply(f"Who? {number}", max_tokens=400)

        with pytest.raises(BudgetExceeded, match="It was not sent"):
            asyncio.run(many())
        assert 10 < len(server.bodies) == model.live_calls - 1
        assert money.spent == pytest.approx(len(server.bodies) * 19e-6)
        assert money.spent <= money.limit_usd
        assert ask(model, "Who? 0", max_tokens=400).cached, "what is kept costs nothing, with no money left"


def test_a_budget_for_a_model_without_a_price_is_refused_before_anything_is_sent(server, tmp_path):
    path = tmp_path / "s.sqlite"
    with (
        Presence(path) as presence,
        closing(Budget(1.0, path, "s", presence)) as money,
        metered(Meter(money)),
        pytest.raises(ModelUnavailable, match=rf"gpt-small.*{server.url}"),
    ):
        ask(at(server))
    assert server.bodies == []


@pytest.mark.usefixtures("_quick")
def test_the_key_is_not_in_what_is_noted_of_faults(server, tmp_path):
    said = f"the key {KEY} is over its limit; {KEY[:14]}****"
    following(server, *[server.refusal(status, said, {"X-Key": KEY}) for status in (429, 500, 401)])
    _, call = told(at(server, api_key=KEY, max_retries=4, cache=tmp_path / "s.sqlite"))
    assert len(call.faults) == 3
    assert "SECRET" not in call.to_json()
    server.delay = 3.0
    error, call = told(at(server, api_key=KEY, deadline=0.2))
    assert call.faults[0].kind == "deadline"
    assert "SECRET" not in call.to_json()
    assert error.__context__ is error.__cause__ is None


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


@pytest.mark.parametrize(
    "option",
    [
        {"concurrency": 0},
        {"timeout": 0},
        {"max_retries": -1},
        {"model": ""},
        {"deadline": 0},
        {"repairs": -1},
        {"failures_in_a_row": 0},
        {"requests_per_minute": 0},
        {"tokens_per_minute": 1.5},
    ],
    ids=lambda option: next(iter(option)),
)
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


def test_an_endpoint_that_ignores_the_form_in_silence_is_shown_the_schema_in_the_prompt(server):
    """As transformers serve does: it answers in prose, for its model never saw what was asked for."""

    def answer(body):
        return '{"candidate": "P1"}' if "JSON schema" in body["messages"][-1]["content"] else "I would rather talk."

    server.answer = answer
    reply = ask(connect("gpt-small", base_url=server.url), "Vote.", schema=Vote)
    assert reply.value == Vote(candidate="P1") and reply.attempts == 3
    assert ["response_format" in body for body in server.bodies] == [True, True, False]


def test_one_reply_in_prose_between_others_changes_no_form(server):
    said = iter(["No.", '{"candidate": "P1"}', "No.", '{"candidate": "P2"}'])
    server.answer = lambda body: next(said)

    async def twice():
        async with connect("gpt-small", base_url=server.url) as model:
            return [(await model.reply(text, schema=Vote)).attempts for text in "ab"]

    assert asyncio.run(twice()) == [2, 2]
    assert all("response_format" in body for body in server.bodies)


@pytest.mark.parametrize("refused", ["response_format is not supported", "use max_completion_tokens"], ids=["a", "b"])
def test_what_extra_body_asks_for_and_the_endpoint_refuses_is_said_once(server, refused):
    from support.llm.address import address
    from support.llm.endpoint import Endpoint
    from support.llm.transport import Request

    server.answer = lambda body: server.refusal(400, refused)
    extra = {"response_format": {"type": "json_object"}, "max_tokens": 5}
    endpoint = Endpoint("gpt-small", address(server.url), "key", extra_body=extra)
    asked = Request("gpt-small", server.url, (("user", "Who?"),), None, 0.0, None, 5, 0)
    with pytest.raises(CallFailed, match="refuses what extra_body= asks"):
        asyncio.run(endpoint.complete(asked))
