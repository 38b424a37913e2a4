import asyncio
import os
import subprocess
import sys
from itertools import count

import pytest

from support.errors import InvalidInput, ModelUnavailable
from support.models import connect, named, serving
from support.models.endpoint import DEFAULT
from support.models.profiles import Price, check_prices, profile, reasons
from support.models.stand_ins import scripted

HERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that writes the user's own models.toml; within one tick of the clock a file system sees no change."""
    own, ticks = tmp_path / "own.toml", count(1)
    monkeypatch.setenv("CONVENE_MODELS", str(own))
    own.write_text("[models]")
    return lambda text: (
        own.write_text(text) and os.utime(own, (tick := next(ticks), tick))
    )


PROXY = "https://proxy.example.org/v1"


def test_entries_are_merged_from_the_general_to_the_special_the_user_s_after_ours(
    write,
):
    write(f"""
        [models."gpt-*"]
        concurrency = 2
        timeout = 900
        [models."gpt-4o-mini"]
        price = {{ input = 9.0, output = 9.0 }}
        [models.deep]
        model = "o3"
        temperature = 1
        [models."*@{HERE}/"]
        key = "PROXY_KEY"
        form = "text"
        temperature = false
        [models."deep@{HERE}"]
        seed = false
        temperature = 0.5
    """)
    mini = profile(f"model:gpt-4o-mini@{HERE}")
    assert (mini.concurrency, mini.timeout, mini.deadline) == (2, 900.0, None)
    assert (mini.price_at(HERE).input, mini.key, mini.form) == (
        9.0,
        "PROXY_KEY",
        "text",
    )
    deep = profile(f"deep@{HERE}")
    assert (deep.model, deep.temperature, deep.seed, deep.form) == (
        "o3",
        0.5,
        False,
        "text",
    )
    assert (deep.name, deep.address, profile("deep").temperature) == (
        f"deep@{HERE}",
        HERE,
        1.0,
    )
    assert profile(f"llama@{HERE}").model == "llama"
    assert profile("gpt-4o", HERE).key == "PROXY_KEY"  # connect(base_url=...)
    write("[models.deep]\nmodel = 'o4'")
    assert profile("deep").model == "o4"


def test_a_key_goes_to_no_host_but_that_of_its_entry(write, monkeypatch):
    write(f"""
        [models.mine]
        address = "{HERE}"
        key = "MINE"
        [models.other]
        key = "OTHER"
        [models."*@{PROXY}"]
        key = "PROXY_KEY"
    """)
    hosts = ("", "@https://elsewhere.org/v1", f"@{PROXY}")
    for name, key in (
        ("mine", "MINE"),
        ("other", "OTHER"),
        ("gpt-4o", "OPENAI_API_KEY"),
    ):
        keys = [profile(name + host).key for host in hosts]
        assert keys == [key, "", "PROXY_KEY"]
    assert profile(f"mine@{HERE}/").key == "MINE"
    monkeypatch.setenv("OPENAI_BASE_URL", PROXY)
    assert [profile(name).key for name in ("mine", "gpt-4o")] == ["MINE", "PROXY_KEY"]
    write("[models]")
    assert profile(f"gpt-4o@{PROXY}").key == "OPENAI_API_KEY"


LISTED = [
    ("gpt-4.1", DEFAULT, 2.0, 8.0),
    ("gpt-4o-mini-2024-07-18", DEFAULT, 0.15, 0.6),
    ("o3-mini", DEFAULT, 1.1, 4.4),
    ("gemini-2.5-flash", "https://generativelanguage.googleapis.com/v1beta", 0.3, 2.5),
    ("anthropic/claude-sonnet-4.5", "https://openrouter.ai/api/v1", 3.0, 15.0),
    ("anthropic/claude-sonnet-4.5", PROXY, 3.0, 15.0),
    ("mistral-large-latest", PROXY, 2.0, 6.0),
    ("deepseek-chat", "https://api.deepseek.com", 0.27, 1.1),  # the dearer hours
]


@pytest.mark.parametrize(("name", "address", "read", "written"), LISTED)
def test_a_price_that_no_entry_has_is_the_listed_one_by_address_or_by_name(
    write, name, address, read, written
):
    price = profile(name).price_at(address)
    assert (price.input, price.output) == (read, written)
    assert (
        profile(name).price_at(HERE) is profile("unheard-of").price_at(address) is None
    )


def test_a_price_of_an_entry_goes_before_the_list_where_it_holds(write):
    price = "price = { input = 9.0, output = 9.0, at = 'https://a.org/v1' }"
    write(f"[models.gpt-4o]\n{price}")
    found = [
        profile("gpt-4o").price_at(at) for at in ("https://a.org/v1/", PROXY, HERE)
    ]
    assert [one and one.input for one in found] == [9.0, 2.5, None]


def test_a_long_prompt_costs_what_the_list_asks_for_long_ones_at_the_worst_as_well(
    write,
):
    price = profile("gemini-2.5-pro").price_at(PROXY)
    assert price.cost(200_000, 1000) == pytest.approx(0.25 + 0.01)
    assert price.cost(200_001, 1000) == pytest.approx(0.5 + 0.015, rel=1e-4)
    for read in (10, 200_000, 200_001):
        assert price.worst(read, 50) >= price.cost(read, 50, read // 2)


QUIET = """
import socket, sys, threading
def refused(*given, **more): raise AssertionError("asked over the network")
socket.socket.connect = socket.getaddrinfo = refused
from support.models.profiles import profile
assert "genai_prices" not in sys.modules
profile("gpt-4o").price_at("https://a.org/v1").input
assert "genai_prices" in sys.modules and threading.active_count() == 1
"""


def test_the_list_of_prices_is_read_when_it_is_needed_without_a_thread_or_a_request():
    subprocess.run([sys.executable, "-c", QUIET], check=True)


REASONS = {
    True: "o1 o1-mini o3 o3-mini o4-mini gpt-5 gpt-5-mini deepseek-reasoner "
    "deepseek-ai/DeepSeek-R1 gemini-2.5-flash gemini-2.5-pro qwq:32b qwen/qwen3-32b",
    False: "gpt-4o deepseek-chat DeepSeek-V3 gemini-2.5-flash-lite gpt-4.1-mini embedded "
    "qwen3-30b-a3b-instruct-2507 gpt-5-chat-latest claude-sonnet-4-5",
    None: "unheard-of gpt-small chat-b",
}


@pytest.mark.parametrize("thinks", REASONS)
def test_who_thinks_is_known_by_what_was_seen_else_asked_else_by_its_entry(
    write, thinks
):
    for name in REASONS[thinks].split():
        assert reasons(name) is thinks, name
        assert [reasons(name, asked) for asked in ("high", "off", "none")] == [
            True,
            False,
            False,
        ]
        assert reasons(name, "off", thinking_tokens=7) is True
    write("[models.'*']\nreasoning_effort = 'none'\n[models.chat-b]\nreasons = true")
    assert (reasons("o3"), reasons("chat-b", "high")) == (False, True)


def test_a_missing_key_is_told_and_so_are_all_missing_prices_with_lines_to_paste(write):
    names = ["small", 'a "quoted" one', "back\\slash", f"llama@{HERE}"]
    with pytest.raises(
        ModelUnavailable, match=r'OPENAI_API_KEY.*api_key=.*"embedded" needs none'
    ):
        connect("small", base_url="https://e.org/v1")
    models = [connect(name, base_url=HERE) for name in [*names, "embedded"]]
    with pytest.raises(ModelUnavailable, match=r"no price.*own\.toml") as caught:
        check_prices(models)
    assert str(caught.value).count("price = {") == len(names)
    write(str(caught.value).split(":\n", 1)[1].replace("…", "2.0"))
    models = [connect(name, base_url=HERE) for name in names]
    assert {model.price for model in models} == {Price(input=2.0, output=2.0)}
    check_prices(models)


def test_a_name_is_connected_once_for_each_file_and_anew_when_it_changes(
    write, tmp_path, monkeypatch, server
):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    first = named("model:gpt-x")
    with serving(tmp_path / "a.sqlite"):
        kept = named("model:gpt-x")
        assert (
            kept is named("model", "gpt-x") is not first
            and kept.cache.path == tmp_path / "a.sqlite"
        )
        with serving(tmp_path / "b.sqlite"):
            assert named("model:gpt-x").cache.path == tmp_path / "b.sqlite"
    assert named("model:gpt-x") is first and (first.endpoint, first.name) == (
        DEFAULT,
        "gpt-x",
    )
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/")
    moved = named("model:gpt-x")
    assert moved.endpoint == server.url and moved is named("model:gpt-x") is not first
    assert (
        asyncio.run(moved.reply("Who?")).text == "hello"
        and server.headers[0]["Authorization"] == "Bearer k"
    )
    write("[models.gpt-x]\nmodel = 'y'")
    assert named("model:gpt-x").model == "y"
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert named("model:gpt-x").endpoint == DEFAULT and named(
        "model:embedded"
    ) is named("model:embedded")
    fake = scripted(["a"], name="b")
    with serving(make=lambda name: scripted(["a"], name=name)):
        assert [named(kind, "d").model for kind in ("model:x", "model")] == [
            "x",
            "d",
        ] and named("model", fake) is fake


def asked(**settings):
    return asyncio.run(scripted(["x"]).reply(**{"messages": "Who?", **settings}))


BAD = [
    *[("messages", lambda m=m: asked(messages=m)) for m in ("  ", ["x"], [{"role": "boss", "content": "x"}], "\ud800")],
    *[(name, lambda s={name: value}: asked(**s)) for name, value in (
        ("temperature", 2.1), ("seed", -1), ("repetition", None), ("max_tokens", 0), ("schema", dict))],
    *[(name, lambda s={name: value}: connect(**s)) for name, value in (
        ("concurrency", 0), ("model", ""), ("deadline", float("inf")), ("timeout", True))],
    ("cache=", lambda: connect(offline=True)),
    *[("base_url.*expected", lambda u=u: connect("m", base_url=u, api_key="k")) for u in (
        "ftp://SECRET@e.org", "http://SECRET:port/", "https://e.org/?key=SECRET")],
    ("the key holds", lambda: connect("m", api_key="sk-SECRET\u2026")),
    ("expected model:NAME", lambda: named("gpt-x")),
    ('none given for "model"', lambda: named("model")),
    ("expected a name", lambda: profile("@http://e.org")),
    ("TOMLDecodeError", "models = ["), ("'models'", "date = 2026-11-22"), ("sed", "[models.a]\nsed = false"),
    ("price.input=nan", "[models.a]\nprice.input = nan"), ("form='xml'", "[models.a]\nform = 'xml'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "do"), BAD, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_bad_input_is_one_sentence_that_says_what_was_expected_and_shows_no_secret(
    write, said, do
):
    write(do if isinstance(do, str) else "[models]")
    said = said if callable(do) else rf"own\.toml: .*{said}.*for what an entry takes"
    with pytest.raises(InvalidInput, match=said) as told:
        do() if callable(do) else profile("gpt-x")
    assert "SECRET" not in str(told.value) and "\n" not in str(told.value)
