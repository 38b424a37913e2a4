import asyncio
import subprocess
import sys

import pytest

from support.errors import InvalidInput, ModelUnavailable
from support.models import connect, named, serving
from support.models.attempts import cost
from support.models.model import check_prices
from support.models.profiles import OPENAI, Price, profile, reasons
from support.models.request import Completion
from support.models.stand_ins import scripted

HERE, PROXY = "http://127.0.0.1:9/v1", "https://proxy.example.org/v1"


def test_entries_are_merged_from_the_general_to_the_special_the_user_s_after_ours(
    own,
):
    own(f"""
        [models."gpt-*"]
        concurrency = 2
        timeout = 900
        [models."gpt-4o-mini"]
        price = {{ input = 9.0, output = 9.0 }}
        [models.deep]
        model = "o3"
        thinking = 1
        [models."*@{HERE}/"]
        key = "PROXY_KEY"
        form = "text"
        thinking = 2
        [models."deep@{HERE}"]
        longest = 9
        thinking = 3
    """)
    mini, deep = profile(f"model:gpt-4o-mini@{HERE}"), profile(f"deep@{HERE}")
    assert (mini.concurrency, mini.timeout, mini.deadline) == (2, 900.0, None)
    assert (mini.price_at(HERE).input, mini.form) == (9.0, "text")
    assert (deep.model, deep.thinking, deep.longest) == ("o3", 3, 9)
    assert (deep.name, deep.address) == (f"deep@{HERE}", HERE)
    assert profile("deep").thinking == 1
    assert profile("gpt-4o", HERE).key == "PROXY_KEY"  # connect(base_url=...)
    own("[models.deep]\nmodel = 'o4'")
    assert profile("deep").model == "o4"


LISTED = [  # the dearest, where it changes with the hour
    ("gpt-4.1", OPENAI, 2.0, 8.0),
    ("gemini-2.5-pro", PROXY, 1.25, 10.0),
    ("anthropic/claude-sonnet-4.5", "https://openrouter.ai/api/v1", 3.0, 15.0),
    ("mistral-large-latest", PROXY, 2.0, 6.0),
    ("deepseek-chat", "https://api.deepseek.com", 0.27, 1.1),
    ("gpt-4.1", HERE, None, None),
    ("unheard-of", PROXY, None, None),
]


@pytest.mark.parametrize(("name", "address", "read", "written"), LISTED)
def test_a_price_that_no_entry_has_is_the_listed_one_by_address_or_by_name(
    own, name, address, read, written
):
    price = profile(name).price_at(address)
    assert (price and (price.input, price.output)) == (read and (read, written))


def test_what_a_long_prompt_costs_is_not_known_and_set_aside_at_ten_times():
    price = profile("gemini-2.5-pro").price_at(PROXY)
    [short, long] = [cost(Completion("", read), price) for read in (200_000, 200_001)]
    assert (short, long) == (0.25, None)
    assert price.worst(300_000, 0) == 10 * price.cost(300_000, 0)
    dear = Price(input=1.0, output=2.0, cached_input=3.0)
    assert dear.worst(10, 5) >= dear.cost(10, 5, cached=7)


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
def test_who_thinks_is_known_by_what_was_seen_else_asked_else_by_its_entry(own, thinks):
    for name in REASONS[thinks].split():
        asked = [reasons(name, how) for how in (None, "high", "off", "none")]
        assert asked == [thinks, True, False, False], name
    own("[models.'*']\nreasoning_effort = 'none'")
    assert reasons("o3") is False


def test_a_missing_key_is_told_by_its_name(own):
    own(f"[models.'*@{PROXY}']\nkey = 'PROXY_KEY'")
    told = "Set the environment variable PROXY_KEY, or pass api_key="
    with pytest.raises(ModelUnavailable, match=told):
        connect(f"small@{PROXY}")
    connect(f"small@{HERE}")  # which needs none


def test_all_missing_prices_are_told_with_lines_to_paste(own):
    names = ["small", 'a "quoted" one', "back\\slash", f"llama@{HERE}"]
    models = [connect(name, base_url=HERE) for name in [*names, "embedded"]]
    with pytest.raises(ModelUnavailable, match=r"no price.*own\.toml") as caught:
        check_prices(models)
    own(str(caught.value).split(":\n", 1)[1].replace("…", "2.0"))
    models = [connect(name, base_url=HERE) for name in names]
    assert {model.price for model in models} == {Price(input=2.0, output=2.0)}
    check_prices(models)


def test_a_name_is_connected_once_for_each_file_and_anew_when_it_changes(
    own, tmp_path, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    first = named("model:gpt-x")
    files = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    with serving(files[0]):
        kept = named("model:gpt-x")
        assert kept is named("model", "gpt-x") is not first
        with serving(files[1]):
            other = named("model:gpt-x")
    assert (kept.cache.path, other.cache.path) == files
    assert named("model:gpt-x") is first and first.endpoint == OPENAI
    monkeypatch.setenv("OPENAI_BASE_URL", PROXY + "/")
    moved = named("model:gpt-x")
    assert moved is named("model:gpt-x") is not first
    assert moved.endpoint == PROXY
    own("[models.gpt-x]\nmodel = 'y'")
    assert named("model:gpt-x").model == "y"


def asked(**settings):
    return asyncio.run(scripted(["x"]).reply(**{"messages": "Who?", **settings}))


BAD_MESSAGES = "  ", ["x"], [{"role": "boss", "content": "x"}], "\ud800"
BAD_SETTINGS = {"temperature": 2.1, "seed": -1, "repetition": None, "max_tokens": 0}
BAD_OPTIONS = {"concurrency": 0, "model": "", "deadline": -1.0, "timeout": True}
BAD_URLS = (
    "ftp://SECRET@e.org",
    "http://SECRET:port/",
    "https://e.org/?key=SECRET",
    "https://ana:SECRET@e.org",
)
BAD = [
    *[("messages", asked, {"messages": given}) for given in BAD_MESSAGES],
    *[(name, asked, {name: given}) for name, given in BAD_SETTINGS.items()],
    *[(name, connect, {name: given}) for name, given in BAD_OPTIONS.items()],
    *[("base_url.*expected", connect, {"base_url": url}) for url in BAD_URLS],
    ("schema", asked, {"schema": dict}),
    ("cache=", connect, {"offline": True}),
    ("the key holds", connect, {"model": "m", "api_key": "sk-SECRET\u2026"}),
    ("expected model:NAME", named, {"kind": "gpt-x"}),
    ("expected model:NAME", named, {"kind": None}),
    ('or "model" with model=', named, {"kind": "model"}),
    ("expected a name", profile, {"name": "@http://e.org"}),
]


@pytest.mark.parametrize(("said", "do", "given"), BAD)
def test_a_bad_input_is_one_sentence_that_says_what_was_expected_and_shows_no_secret(
    said, do, given
):
    with pytest.raises(InvalidInput, match=said) as told:
        do(**({"model": "m"} | given if "base_url" in given else given))
    assert "SECRET" not in str(told.value) and "\n" not in str(told.value)


BAD_FILES = {
    "TOMLDecodeError": "models = [",
    "'models'": "date = 2026-11-22",
    "sed": "[models.a]\nsed = false",
    "price.input": "[models.a]\nprice.input = nan",
    "form.*'xml'": "[models.a]\nform = 'xml'",
}


@pytest.mark.parametrize("said", BAD_FILES)
def test_a_bad_models_toml_is_told_in_a_sentence_with_its_path(own, said):
    own(BAD_FILES[said])
    with pytest.raises(InvalidInput, match=rf"own\.toml: .*{said}.*an entry takes"):
        profile("gpt-x")
