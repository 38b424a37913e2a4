"""The test of an endpoint: a good one passes, and each virtue that is taken away is seen by its check."""

import asyncio
import json
import re
import zlib

import pytest

from support.errors import ModelUnavailable
from support.models import check as module
from support.models.check import CHECKS, SIGNS, closing, conform, main

KEY = "sk-test-SECRET0123456789"
MEETING = {
    "slot_list": [{"weekday_code": "MO", "start_hour": 9}],
    "short_reason": "tea",
    "remark_or_null": None,
}
GARBLED = SIGNS.encode().decode("cp1252", "ignore")


class Good:
    """A model that does all that Convene asks for; each test takes one of its virtues away."""

    def __init__(self, server, **virtues):
        self.server, self.asked = server, []
        self.greeting, self.signs, self.form, self.seeds, self.steady = (
            "Good morning.",
            SIGNS,
            "enforced",
            True,
            True,
        )
        self.limit, self.length, self.counted, self.context, self.cut = (
            True,
            "length",
            True,
            3000,
            None,
        )
        self.overflow, self.crowd, self.names, self.keys = (
            "maximum context length is 3000 tokens",
            "answered",
            404,
            401,
        )
        assert set(virtues) <= set(vars(self))
        vars(self).update(virtues)

    def __call__(self, body):
        text, no = body["messages"][-1]["content"], self.server.refusal
        self.asked.append(text)
        if self.keys and self.server.headers[-1]["Authorization"] != f"Bearer {KEY}":
            return no(
                self.keys,
                f"Incorrect API key provided: {self.server.headers[-1]['Authorization']}",
            )
        if self.names and body["model"] != "gpt-small":
            return no(self.names, "no such model")
        if self.form == "refused" and body.get("response_format"):
            return no(400, "response_format is not supported, unknown")
        if len(text.split()) > self.context:
            return no(400, self.overflow)
        if self.crowd == "lost" and "Figs" in text and self.asked.count(text) == 2:
            return no(400, "one at a time")
        words = self.said(body, text).split(" ")
        kept = words[: body["max_tokens"]] if self.limit else words
        counts = {
            "prompt_tokens": len(text.split()[: self.cut]),
            "completion_tokens": len(kept),
        }
        ended = self.length if len(kept) < len(words) else "stop"
        return self.server.completion(
            " ".join(kept), ended, counts if self.counted else {}
        )

    def said(self, body, text):
        form = (
            body.get("response_format", {}).get("json_schema", {}).get("name")
            if self.form != "ignored"
            else ""
        )
        if form == "Meeting" or "slot_list" in text:
            return json.dumps(MEETING).replace(" ", "")
        if form == "Signs" or "Repeat" in text:
            return (
                json.dumps({"signs": SIGNS})
                if form and self.signs != GARBLED
                else self.signs
            )
        if "Greet" in text:
            return self.greeting
        if self.crowd == "mixed" and self.asked.count(text) == 2:
            fruit, _, rest = text.partition(":")
            text = {"Figs": "Dates", "Dates": "Figs"}.get(fruit, fruit) + ":" + rest
        drawn = body.get("seed") if body["temperature"] and self.seeds else None
        more = 0 if self.steady else len(self.asked)
        return f"I say {zlib.crc32(f'{text}{drawn}{more}'.encode())}, and go on and on about it"


@pytest.fixture
def tried(server, monkeypatch):
    """A function that puts some checks, or all, to a server without these virtues."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def put(*only, url=None, timeout=120.0, **virtues):
        server.answer = Good(server, **virtues)
        monkeypatch.setattr(
            module, "CHECKS", {name: CHECKS[name] for name in only or CHECKS}
        )
        return asyncio.run(
            conform(
                "gpt-small", base_url=url or server.url, longest=2048, timeout=timeout
            )
        )

    return put


def test_a_good_endpoint_passes_every_check(tried):
    findings = tried()
    assert list(findings["check"]) == list(CHECKS) and set(findings["verdict"]) == {
        "ok"
    }
    assert closing(findings) == "All that Convene needs works."


LACKS = [
    ("free text", {"greeting": ""}, "no", "empty"),
    ("any script", {"signs": GARBLED}, "no|note", "came back as|not repeat"),
    ("any script", {"signs": "I cannot."}, "ok", "whole"),
    (
        "any script",
        {"signs": "I cannot.", "form": "refused"},
        "note",
        "does not repeat",
    ),
    ("max_tokens", {"limit": False}, "no", "budget cannot be kept"),
    ("max_tokens", {"length": "stop"}, "note", "nobody can tell"),
    ("token counts", {"counted": False}, "no", "not counted"),
    ("token counts", {"cut": 3}, "no", "not counted, or wrongly"),
    ("forms", {"form": "refused"}, "note", "in the prompt alone. The first reply fits"),
    ("forms", {"form": "ignored"}, "note", "fits after [23] attempts"),
    ("temperature and seed", {"steady": False}, "note", "One seed drew two"),
    ("temperature and seed", {"seeds": False}, "note", "Two seeds drew one"),
    ("eight at once", {"crowd": "lost"}, "no", "1 of 8 failed.*one at a time"),
    ("eight at once", {"crowd": "mixed"}, "no", "2 as another question"),
    (
        "long prompts",
        {"context": 1500},
        "ok",
        r"1,\d+ tokens are read; about 2048 are refused",
    ),
    ("long prompts", {"cut": 200}, "no", "it cuts in silence"),
    (
        "long prompts",
        {"context": 1500, "overflow": "oh no"},
        "no",
        "about 2048 fail.*oh no",
    ),
    ("unknown model", {"names": 0}, "note", "answers to any name"),
    ("unknown model", {"names": 418}, "no", "not in a way that ends a run"),
    ("wrong key", {"keys": 0}, "note", "does not check keys"),
    ("learnt", {}, "ok", "nothing was refused"),
]


@pytest.mark.parametrize(("check", "virtues", "verdict", "said"), LACKS)
def test_what_an_endpoint_lacks_is_seen(tried, check, virtues, verdict, said):
    [finding] = tried(check, **virtues).itertuples()
    assert re.fullmatch(verdict, finding.verdict) and re.search(said, finding.seen)


def test_longer_prompts_are_not_tried_where_they_would_not_be_answered_in_time(
    tried, server
):
    server.delay = 0.5
    [finding] = tried("long prompts", timeout=1.4).itertuples()
    assert "not tried" in finding.seen and len(server.bodies) == 1


def test_a_check_that_fails_does_not_keep_the_others_from_being_made_and_what_nothing_mends_ends_it(
    tried, server
):
    findings = tried("eight at once", "free text", crowd="lost")
    assert list(findings["verdict"]) == ["no", "ok"]
    assert closing(findings) == "Not all that Convene needs works: not eight at once."
    server.hang_up = True
    with pytest.raises(Exception, match="broke off"):
        tried("unknown model")
    with pytest.raises(ModelUnavailable, match="cannot reach"):
        tried("free text", url="http://127.0.0.1:9/v1")


def test_the_command_ends_with_0_1_or_2_and_shows_no_key(server, monkeypatch, capsys):
    def command(*more, key=KEY, **virtues):
        server.answer = Good(server, **virtues)
        monkeypatch.setenv("OPENAI_API_KEY", key)
        return main(
            [
                "--base-url",
                server.url,
                "--model",
                "gpt-small",
                "--longest",
                "512",
                *more,
            ]
        )

    assert command() == 0
    assert [
        line[:21].strip()
        for line in capsys.readouterr().out.splitlines()
        if line[0] != " "
    ][:-1] == list(CHECKS)
    assert command(limit=False, greeting=f"Your key is {KEY}.") == 1
    assert command(key="sk-other-SECRET999999") == command("--timeout", "0") == 2
    shown = capsys.readouterr()
    assert (
        "[key]" in shown.out
        and "cannot be made" in shown.err
        and "SECRET" not in shown.out + shown.err
    )
