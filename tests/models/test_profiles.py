import asyncio
import os
from itertools import count

import pytest

from support.errors import InvalidInput, ModelUnavailable
from support.models import connect, named, serving
from support.models.endpoint import DEFAULT
from support.models.profiles import Price, check_prices, profile
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


def test_a_name_is_looked_up_with_its_address_in_the_user_s_file_before_ours(write):
    assert (
        profile("gpt-4o-mini").price_at(DEFAULT).input == 0.15
        and profile("gpt-4o-mini").price_at(HERE) is None
    )
    write(f"""
        [models."gpt-4o-mini"]
        price = {{ input = 9.0, output = 9.0 }}
        [models.deep]
        model = "o3"
        temperature = 1
        [models."deep@{HERE}"]
        seed = false
        [models."*@{HERE}"]
        requests_per_minute = 5
    """)
    assert (
        profile("model:gpt-4o-mini").price_at(HERE).input == 9.0
        and profile("gpt-4o").price.input == 2.5
    )
    assert (
        profile("deep").model,
        profile("deep").temperature,
        profile(f"deep@{HERE}").model,
    ) == ("o3", 1.0, "deep")
    other = profile(f"llama@{HERE}")
    assert (other.name, other.model, other.address, other.requests_per_minute) == (
        f"llama@{HERE}",
        "llama",
        HERE,
        5,
    )
    write("[models.deep]\nmodel = 'o4'")
    assert profile("deep").model == "o4"


@pytest.mark.parametrize(
    "name", ["small", 'a "quoted" one', "back\\slash", f"llama@{HERE}"]
)
def test_a_missing_key_is_told_and_the_lines_that_a_missing_price_asks_for_can_be_pasted(
    write, name
):
    with pytest.raises(
        ModelUnavailable, match=r'OPENAI_API_KEY.*api_key=.*"embedded" needs none'
    ):
        connect(name, base_url="https://e.org/v1")
    with pytest.raises(ModelUnavailable, match=r"no price.*own\.toml") as caught:
        check_prices([connect(name, base_url=HERE)])
    write(str(caught.value).split(":\n", 1)[1].replace("…", "2.0"))
    assert connect(name, base_url=HERE).price == Price(input=2.0, output=2.0)


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
