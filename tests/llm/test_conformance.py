import asyncio
import json
import re
import zlib
from collections import Counter

import pytest

from support.errors import CallFailed, InvalidInput, ModelUnavailable
from support.llm.conformance import CHECKS, Finding, closing, conform, frame, passed
from support.llm.conformance.__main__ import main
from support.llm.conformance.reach import long_input
from support.llm.conformance.replies import SIGNS

KEY = "sk-test-SECRET0123456789"
MEETING = {"slot_list": [{"weekday_code": "MO", "start_hour": 9}], "short_reason": "tea", "remark_or_null": None}
NAMES = [check.name for check in CHECKS]


class Good:
    """A model that does all that Convene asks for; each test takes one of its virtues away."""

    def __init__(self, server, **virtues):
        self.server = server
        self.asked = Counter()
        self.keys = self.names = self.sense = self.seeds = self.steady = self.length = self.limit = True
        self.json_schema, self.json_object, self.system = "taken", "taken", "read"
        self.story = "Once a kite flew over the sea and far away."
        self.greeting, self.signs, self.crowd = "Good morning to you.", "whole", "answered"
        self.context, self.overflow, self.cut, self.counted = 3000, "told", None, ("prompt", "completion")
        assert set(virtues) <= set(vars(self))
        vars(self).update(virtues)

    def __call__(self, body):
        return self.refusal(body) or self.completion(body, read(body, self))

    def refusal(self, body):
        form = body.get("response_format", {}).get("type", "none")
        no = self.server.refusal
        if not isinstance(body["messages"], list):
            return no(400, "messages must be a list") if self.sense is True else self.sense
        if self.keys and self.server.headers[-1]["Authorization"] != f"Bearer {KEY}":
            return no(401, f"Incorrect API key provided: {self.server.headers[-1]['Authorization']}")
        if self.names and body["model"] != "gpt-small":
            return no(404, "no such model") if self.names is True else no(418, "a teapot")
        if getattr(self, form, "taken") == "refused":
            return no(400, f"response_format {form} is not supported")
        if len(read(body, self).split()) > self.context:
            return no(400, "maximum context length is 3000 tokens" if self.overflow == "told" else "oh no")
        if self.system == "refused" and body["messages"][0]["role"] == "system":
            return no(400, "System role not supported")
        return None

    def completion(self, body, text):
        self.asked[text] += 1
        if self.crowd == "lost" and "good for" in text and self.asked[text] == 2 and "Figs" in text:
            return self.server.refusal(400, "one at a time")
        words = self.reply(body, text).split(" ")
        kept = words[: body["max_tokens"]] if self.limit else words
        cut = len(kept) < len(words) or (not self.limit and len(words) > body["max_tokens"])
        made = self.server.completion(" ".join(kept), "length" if cut and self.length else "stop")
        counts = {"prompt": len(text.split()), "completion": len(kept)}
        made["usage"] = {f"{kind}_tokens": counts[kind] if kind in self.counted else 0 for kind in counts}
        return made

    def reply(self, body, text):
        form = body.get("response_format", {})
        if self.json_schema == "taken" and form.get("type") == "json_schema":
            return self.formed(form["json_schema"])
        if "slot_list" in text:  # the schema is in the prompt, in Convene's ways further down
            return json.dumps(MEETING)
        if self.json_object == "taken" and form.get("type") == "json_object":
            return '{"colour": "green"}'
        return self.said(body, text)

    def formed(self, asked):
        if asked["name"] == "Meeting":
            return json.dumps(MEETING)
        signs = asked["schema"]["properties"]["signs"]["enum"][0]
        return json.dumps({"signs": garbled(signs) if self.signs == "garbled in forms" else signs})

    def said(self, body, text):
        if "Greet" in text:
            return self.greeting
        if "long story" in text:
            return self.story
        if "Repeat exactly" in text:
            return {"whole": f"Here: {SIGNS}", "garbled": garbled(SIGNS)}.get(self.signs, "I cannot.")
        if "secret word" in text:
            return "marigold" if "marigold" in text else "which word?"
        if self.crowd == "mixed" and self.asked[text] == 2:
            text = {"Figs": "Dates", "Dates": "Figs"}.get(text.split(":")[0], text.split(":")[0]) + text[
                text.index(":") :
            ]
        drawn = body.get("seed") if body["temperature"] and self.seeds else None
        return f"I say {zlib.crc32(f'{text}{drawn}'.encode())}{'' if self.steady else sum(self.asked.values())}"


def read(body, model):
    """What a model reads of the messages."""
    heard = [m for m in body["messages"] if m["role"] != "system" or model.system == "read"]
    words = " ".join(message["content"] for message in heard).split(" ")
    return " ".join(words[-model.cut :] if model.cut else words)


def garbled(signs):
    return signs.encode().decode("cp1252", "ignore")


def tried(server, *only, longest=2048, timeout=120.0, **virtues):
    server.answer = Good(server, **virtues)
    options = {"base_url": server.url, "api_key": KEY, "longest": longest, "timeout": timeout}
    return asyncio.run(conform("gpt-small", only=only, **options))


def test_a_good_endpoint_passes_every_check(server):
    findings = tried(server)
    assert [(finding.check, finding.verdict) for finding in findings] == [(name, "ok") for name in NAMES]
    assert passed(findings)
    assert "All that Convene needs works" in closing(findings)
    assert "costs: token counts are reported; forms: yes, by json_schema" in closing(findings)


LACKS = {
    "text: nothing is said": ("text", {"greeting": ""}, "no", "empty"),
    "system: refused": ("system message", {"system": "refused"}, "no", "System role not supported"),
    "system: not read": ("system message", {"system": "dropped"}, "no", "not read"),
    "system: not counted": ("system message", {"counted": ()}, "ok", "changes the reply"),
    "system: not counted nor read": ("system message", {"counted": (), "system": "dropped"}, "note", "cannot be told"),
    "unicode: garbled": ("unicode", {"signs": "garbled"}, "no", "garbled"),
    "unicode: garbled in forms": ("unicode", {"signs": "garbled in forms"}, "no", "garbled in a form"),
    "unicode: a small model": ("unicode", {"signs": "too hard"}, "ok", "whole in a form"),
    "unicode: no forms": ("unicode", {"signs": "too hard", "json_schema": "refused"}, "note", "does not repeat"),
    "limit: not heeded": ("max_tokens", {"limit": False}, "no", "the reply has 10"),
    "limit: not heeded, nor counted": ("max_tokens", {"limit": False, "counted": ()}, "no", "the reply has 10"),
    "limit: too short a story": ("max_tokens", {"story": "The end."}, "note", "ended by itself after 2 tokens"),
    "limit: not told": ("max_tokens", {"length": False}, "note", "finish_reason is 'stop'"),
    "usage: no prompt tokens": ("usage", {"counted": ("completion",)}, "no", "no prompt tokens"),
    "usage: no completion tokens": ("usage", {"counted": ("prompt",)}, "no", "no completion tokens"),
    "usage: the same for all": ("usage", {"cut": 3}, "no", "do not follow the prompt"),
    "form: steps down": ("json_schema", {"json_schema": "refused"}, "note", "refused, JSON mode serves instead"),
    "form: steps down twice": (
        "json_schema", {"json_schema": "refused", "json_object": "refused"}, "note", "the prompt alone serves"),
    "form: taken, and not kept": ("json_schema", {"json_schema": "ignored"}, "note", "taken.*fits after 3 attempts"),
    "JSON mode: refused": ("JSON mode", {"json_object": "refused"}, "note", "refused"),
    "JSON mode: ignored": ("JSON mode", {"json_object": "ignored"}, "no", "no JSON object"),
    "seed: not heeded": ("seed", {"steady": False}, "note", "drew two replies"),
    "seed: of no effect": ("seed", {"seeds": False}, "note", "two seeds drew one reply"),
    "repeatable: no": ("repeatable", {"steady": False}, "note", r"alike for \d+ characters"),
    "at once: one is lost": ("concurrency", {"crowd": "lost"}, "no", "1 of 8 failed.*one at a time"),
    "at once: mixed up": ("concurrency", {"crowd": "mixed"}, "no", "2 of 8 had the reply to another question"),
    "at once: not as alone": ("concurrency", {"steady": False}, "ok", "8 of 8 answered, 0 of them as when asked alone"),
    "long: refused in time": ("long input", {"context": 1500}, "ok", r"1,\d+ tokens are read; about 2048 are refused"),
    "long: cut in silence": ("long input", {"cut": 700}, "no", "words it counted 700 tokens: it cuts in silence"),
    "long: perhaps cut": ("long input", {"cut": 700, "counted": ()}, "note", "perhaps it cuts in silence"),
    "long: fails": ("long input", {"context": 1500, "overflow": "mumbled"}, "no", "cannot tell why.*oh no"),
    "long: nothing is read": ("long input", {"context": 100}, "ok", "fewer than 512 words are read"),
    "model: any name": ("unknown model", {"names": False}, "note", "answers to any name"),
    "model: told badly": ("unknown model", {"names": "badly"}, "no", "not in a way that ends a run"),
    "key: not checked": ("wrong key", {"keys": False}, "note", "does not check keys"),
    "bad request: answered": ("bad request", {"sense": "well"}, "note", "no list of messages"),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(LACKS))
def test_what_an_endpoint_lacks_is_seen(server, case):
    check, virtues, verdict, said = LACKS[case]
    (finding,) = tried(server, check, **virtues)
    assert finding.verdict == verdict
    assert re.search(said, finding.seen)


def test_a_bad_request_that_is_told_as_a_fault_of_the_moment_is_no_good(server):
    (finding,) = tried(server, "bad request", sense=server.refusal(500, "oops"))
    assert finding.verdict == "no"
    assert "try again" in finding.seen


def test_a_form_that_is_kept_after_repairs_only_is_not_enforced(server):
    class Late(Good):
        def reply(self, body, text):
            return json.dumps(MEETING) if "required form" in text else "Let us meet."

    server.answer = Late(server)
    (finding,) = asyncio.run(conform("gpt-small", base_url=server.url, api_key=KEY, only=["json_schema"]))
    assert finding.verdict == "note"
    assert "not enforced; the reply fits after 2 attempts" in finding.seen


def test_a_json_object_that_goes_on_and_on_is_no_fault_of_json_mode(server):
    class Endless(Good):
        def reply(self, body, text):
            return '{"colours": [' + '"green", ' * body["max_tokens"]

    server.answer = Endless(server)
    (finding,) = asyncio.run(conform("gpt-small", base_url=server.url, api_key=KEY, only=["JSON mode"]))
    assert finding.verdict == "note"
    assert "not finished" in finding.seen


def test_an_address_that_answers_with_and_without_v1_is_noted(server):
    server.answer = Good(server)
    url = f"http://127.0.0.1:{server.port}"
    options = {"base_url": url, "api_key": KEY}
    with pytest.raises(ModelUnavailable, match="/v1"):
        asyncio.run(conform("gpt-small", only=["text"], **options))
    (finding,) = asyncio.run(conform("gpt-small", only=["wrong path"], **options))
    assert (finding.verdict, finding.seen) == ("note", f"answers at {url}/v1 as well")


def test_longer_prompts_are_not_tried_where_they_would_not_be_answered_in_time(server):
    server.delay = 0.5
    (finding,) = tried(server, "long input", timeout=1.4)
    assert finding.verdict == "note"
    assert len(server.bodies) == 1


def test_a_wrong_key_is_tried_without_the_right_password_of_the_address(server):
    def answer(body):
        right = server.headers[-1]["Authorization"].startswith("Basic ")
        return "Good morning." if right else server.refusal(401, "who are you?")

    server.answer = answer
    url = server.url.replace("//", "//ada:pass@")
    found = asyncio.run(conform("gpt-small", base_url=url, only=["text", "wrong key"]))
    assert [finding.verdict for finding in found] == ["ok", "ok"]


def test_a_long_prompt_that_is_not_answered_in_time_is_no_fault_of_the_endpoint():
    class Slow:
        longest, timeout = 4096, 120.0

        async def ask(self, messages, **settings):
            error = CallFailed("nothing came")
            error.fault = "time-out"
            raise error

    assert asyncio.run(long_input(Slow())).verdict == "note"


@pytest.mark.parametrize("check", ["unknown model", "wrong key", "bad request"])
def test_a_call_that_is_cut_off_is_no_refusal(server, check):
    server.hang_up = True
    with pytest.raises(CallFailed, match="broke off"):  # as the first check: nobody is there
        tried(server, check)


def test_a_check_that_fails_does_not_keep_the_others_from_being_made(server):
    class Grumpy(Good):
        def refusal(self, body):
            return self.server.refusal(400, "not today") if "Greet" in str(body) else super().refusal(body)

    server.answer = Grumpy(server)
    found = asyncio.run(conform("gpt-small", base_url=server.url, api_key=KEY, only=NAMES[:4]))
    assert [(finding.check, finding.verdict == "no") for finding in found] == [(n, n == "text") for n in NAMES[:4]]
    assert "not today" in found[0].seen
    assert not passed(found)


def test_an_endpoint_that_nobody_answers_at_ends_the_test_at_once():
    with pytest.raises(ModelUnavailable, match="cannot reach"):
        asyncio.run(conform("m", base_url="http://127.0.0.1:9/v1"))


@pytest.mark.parametrize("option", [{"longest": 10}, {"longest": 1e4}, {"only": "text"}, {"only": ["texts"]}])
def test_options_that_do_not_fit_are_input_errors(option):
    with pytest.raises(InvalidInput, match=next(iter(option))):
        asyncio.run(conform("m", base_url="http://127.0.0.1:9/v1", **option))


def test_findings_are_told_as_they_come_and_make_a_table(server):
    told = []
    server.answer = Good(server, json_object="ignored")
    options = {"base_url": server.url, "api_key": KEY, "only": ("text", "JSON mode")}
    found = asyncio.run(conform("gpt-small", tell=told.append, **options))
    assert told == found
    table = frame(found)
    assert list(table.columns) == ["check", "verdict", "seen", "seconds"]
    assert table.verdict.tolist() == ["ok", "no"]
    assert passed(found)  # JSON mode is not needed
    assert closing(found).endswith("Missing, and not needed: JSON mode.")


def test_what_is_needed_and_missing_does_not_pass():
    costs = Finding("usage", "no", "no tokens", 0.1, "costs", "token counts are not reported", True)
    assert not passed([costs])
    assert closing([costs]).startswith("Not all that Convene needs works. costs: token counts are not reported")


def command(server, monkeypatch, *more, key=KEY, **virtues):
    server.answer = Good(server, **virtues)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    return main(["--base-url", server.url, "--model", "gpt-small", "--longest", "512", *more])


def test_the_command_prints_a_table_and_a_sentence(server, monkeypatch, capsys):
    assert command(server, monkeypatch) == 0
    out = capsys.readouterr().out
    assert [line[:15].strip() for line in out.splitlines() if re.search(r"\d\.\d\d$", line)] == NAMES
    assert "All that Convene needs works." in out


def test_the_command_ends_with_1_where_something_needed_is_missing(server, monkeypatch, capsys):
    assert command(server, monkeypatch, "--only", "text", "--only", "max_tokens", limit=False) == 1
    assert "max_tokens: no" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("arguments", [["--base-url", "http://127.0.0.1:9/v1"], ["--longest", "3"], ["--timeout", "0"]])
def test_the_command_ends_with_2_where_the_test_cannot_be_made(arguments, capsys):
    assert main(["--model", "m", "--base-url", "http://127.0.0.1:9/v1", *arguments]) == 2
    assert "cannot be made" in capsys.readouterr().err


def test_the_command_asks_for_a_model(capsys):
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2


def test_the_key_is_never_shown(server, monkeypatch, capsys):
    command(server, monkeypatch, "--only", "text", greeting=f"Your key is {KEY}.", keys=False)
    command(server, monkeypatch, key="sk-other-SECRET999999")
    shown = capsys.readouterr()
    assert "[key]" in shown.out
    assert "refused the key" in shown.err
    assert "SECRET" not in shown.out + shown.err
